//! Everything the caller sees, for elsewhere.

use std::collections::HashMap;
use std::fmt::Write;

use lore_core::{Edge, Node, NodeId, Text};
use lore_store::{Direction, NodeQuery};
use serde_json::{Value, json};

use super::super::ids::shown;
use super::super::keeper::Keeper;
use super::super::kinds::{namespace_of, type_of};
use super::super::refusal::Reply;
use crate::federation::is_of_federation;

/// A node with everything that belongs to it.
#[derive(Debug, Clone)]
pub struct Exported {
    /// The node.
    pub node: Node,
    /// Its texts, in order.
    pub texts: Vec<Text>,
    /// The edges that start at it, with the name and id of where they end.
    pub edges: Vec<(Edge, String, String)>,
}

/// How many nodes are read at once, and how many edges of them.
const PAGE: usize = 500;
const EDGES: usize = 100_000;

/// Reads everything, in order of creation, and hands over each page. What the federation
/// keeps is its own, or that of others.
pub async fn export(
    keeper: &Keeper,
    mut each: impl FnMut(&[Exported]) -> Reply<()> + Send,
) -> Reply<usize> {
    let store = &keeper.app.store;
    let mut query = NodeQuery { limit: PAGE, ..NodeQuery::default() };
    let mut count = 0;
    loop {
        let mut page = store.find_nodes(&keeper.viewer, query.clone()).await?;
        page.items.retain(|node| !is_of_federation(&node.kind));
        let exported = with_belongings(keeper, page.items).await?;
        count += exported.len();
        each(&exported)?;
        query.after = page.next;
        if query.after.is_none() {
            return Ok(count);
        }
    }
}

async fn with_belongings(keeper: &Keeper, nodes: Vec<Node>) -> Reply<Vec<Exported>> {
    let store = &keeper.app.store;
    let ids: Vec<NodeId> = nodes.iter().map(|node| node.id).collect();
    let mut texts: HashMap<NodeId, Vec<Text>> = HashMap::new();
    for text in store.texts_of_nodes(&keeper.viewer, &ids).await? {
        texts.entry(text.node).or_default().push(text);
    }
    let edges = store.neighbours(&keeper.viewer, &ids, Direction::Out, &[], EDGES).await?;
    let ends: Vec<NodeId> = edges.iter().map(|edge| edge.target).collect();
    let ends = store.nodes(&keeper.viewer, &ends).await?;
    let ends: HashMap<NodeId, &Node> = ends.iter().map(|node| (node.id, node)).collect();
    let mut out: HashMap<NodeId, Vec<(Edge, String, String)>> = HashMap::new();
    for edge in edges {
        if let Some(end) = ends.get(&edge.target) {
            out.entry(edge.source).or_default().push((edge, end.name.clone(), shown(end)));
        }
    }
    let whole = |node: Node| Exported {
        texts: texts.remove(&node.id).unwrap_or_default(),
        edges: out.remove(&node.id).unwrap_or_default(),
        node,
    };
    Ok(nodes.into_iter().map(whole).collect())
}

/// The lines of a node for the reference memory server, with more fields for us: the node
/// itself, then its edges.
pub fn relations(exported: &Exported) -> Vec<Value> {
    let node = &exported.node;
    let id = shown(node);
    let observations: Vec<_> = exported.texts.iter().map(|text| text.body.as_str()).collect();
    let mut lines = vec![json!({
        "type": "entity", "name": node.name, "entityType": type_of(node),
        "observations": observations, "id": id, "namespace": namespace_of(node),
        "tags": node.tags, "created_at": node.created.at.to_string(),
        "derived_name": node.derived_name, "properties": node.properties,
    })];
    lines.extend(exported.edges.iter().map(|(edge, name, to)| {
        json!({
            "type": "relation", "from": node.name, "to": name, "relationType": edge.kind.as_str(),
            "from_id": id, "to_id": to, "weight": edge.weight,
        })
    }));
    lines
}

/// A node as a Markdown note: the name of its file, and its text.
pub fn markdown(exported: &Exported) -> (String, String) {
    let node = &exported.node;
    let mut page = format!(
        "---\nid: {}\ntype: {}\nnamespace: {}\ncreated: {}\n",
        shown(node),
        type_of(node),
        namespace_of(node),
        node.created.at
    );
    if !node.tags.is_empty() {
        let _ = writeln!(page, "tags: [{}]", node.tags.join(", "));
    }
    let _ = write!(page, "---\n# {}\n", node.name);
    for text in &exported.texts {
        let said =
            [text.provenance.author.clone(), text.provenance.occurred_at.map(|at| at.to_string())];
        let said: Vec<_> = said.into_iter().flatten().collect();
        if !said.is_empty() {
            let _ = write!(page, "\n*{}*\n", said.join(", "));
        }
        let _ = write!(page, "\n{}\n", text.body);
    }
    if !exported.edges.is_empty() {
        page.push_str("\n## Links\n\n");
    }
    for (edge, name, _) in &exported.edges {
        let _ = writeln!(page, "- {}: [[{name}]]", edge.kind);
    }
    (file_name(node), page)
}

/// The node's name as far as every file system takes it, and its id, which makes it the only one.
fn file_name(node: &Node) -> String {
    let plain = |c: char| if c.is_alphanumeric() || c == '-' { c } else { ' ' };
    let words: String = node.name.chars().map(plain).collect();
    let name = words.split_whitespace().collect::<Vec<_>>().join(" ");
    let name: String = name.chars().take(60).collect();
    format!("{} {}.md", name.trim(), shown(node)).trim_start().to_owned()
}

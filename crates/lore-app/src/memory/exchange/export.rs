//! Everything the caller sees, for elsewhere.

use std::collections::HashMap;
use std::fmt::Write;

use lore_core::{Edge, Node, NodeId, Text};
use lore_store::{Direction, NodeQuery};
use serde_json::{Value, json};

use super::super::ids::shown;
use super::super::keeper::Keeper;
use super::super::kinds::{PROJECT, Sharing, VALID_TO, edge_type, namespace_of, property, type_of};
use super::super::project::{Entry, steps_of};
use super::super::refusal::Reply;
use crate::federation::is_of_federation;

/// A node with everything that belongs to it.
#[derive(Debug, Clone)]
pub struct Exported {
    /// The node.
    pub node: Node,
    /// Its texts, in order.
    pub texts: Vec<Text>,
    /// The edges that start at it, with where they end.
    pub edges: Vec<(Edge, Node)>,
    /// The steps of a project, oldest first.
    pub steps: Vec<Entry>,
}

/// How many nodes are read at once, and how many edges of them.
const PAGE: usize = 500;
const EDGES: usize = 100_000;

/// Reads everything, in order of creation, and hands over each page with how many nodes there
/// are in all. What the federation keeps is its own, or that of others.
pub async fn export(
    keeper: &Keeper,
    mut each: impl FnMut(&[Exported], u64) -> Reply<()> + Send,
) -> Reply<usize> {
    let store = &keeper.app.store;
    let mut query = NodeQuery { limit: PAGE, ..NodeQuery::default() };
    let (mut count, mut total) = (0, None);
    loop {
        let mut page = store.find_nodes(&keeper.viewer, query.clone()).await?;
        let total = *total.get_or_insert(page.total);
        page.items.retain(|node| !is_of_federation(&node.kind));
        let exported = with_belongings(keeper, page.items).await?;
        count += exported.len();
        each(&exported, total)?;
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
    let mut out: HashMap<NodeId, Vec<(Edge, Node)>> = HashMap::new();
    for edge in edges {
        if let Some(end) = ends.get(&edge.target) {
            out.entry(edge.source).or_default().push((edge, (*end).clone()));
        }
    }
    let mut whole = Vec::with_capacity(nodes.len());
    for node in nodes {
        let is_project = node.kind.as_str() == PROJECT;
        whole.push(Exported {
            texts: texts.remove(&node.id).unwrap_or_default(),
            edges: out.remove(&node.id).unwrap_or_default(),
            steps: if is_project { steps_of(keeper, node.id).await? } else { Vec::new() },
            node,
        });
    }
    Ok(whole)
}

/// The lines of a node for the reference memory server, with more fields for us: the node
/// itself, then its edges.
pub fn relations(exported: &Exported) -> Vec<Value> {
    let node = &exported.node;
    let id = shown(node);
    let observations: Vec<_> = exported.texts.iter().map(|text| text.body.as_str()).collect();
    let details: Vec<_> = exported.texts.iter().map(details).collect();
    let log: Vec<_> = exported.steps.iter().map(Entry::write).collect();
    let mut lines = vec![json!({
        "type": "entity", "name": node.name, "entityType": type_of(node),
        "observations": observations, "details": details, "id": id,
        "namespace": namespace_of(node), "subtype": node.subtype, "aliases": node.aliases,
        "tags": node.tags, "created_at": node.created.at.to_string(),
        "derived_name": node.derived_name, "visibility": Sharing::of(node.visibility).as_str(),
        "properties": node.properties, "log": log,
    })];
    lines.extend(exported.edges.iter().map(|(edge, end)| {
        json!({
            "type": "relation", "from": node.name, "to": end.name,
            "relationType": edge_type(edge), "from_id": id, "to_id": shown(end),
            "weight": edge.weight,
        })
    }));
    lines
}

/// What there is to know of a text besides its words.
fn details(text: &Text) -> Value {
    let said = &text.provenance;
    json!({
        "kind": text.kind.as_str(), "title": text.title, "searchable": text.searchable,
        "visibility": Sharing::of(text.visibility).as_str(), "source": said.source,
        "session": said.session, "author": said.author,
        "occurred_at": said.occurred_at.map(|at| at.to_string()),
    })
}

/// Fields of projects, ideas and experiences that a reader of a note wants to see.
const FIELDS: [&str; 8] =
    ["phase", "goals", "status", "category", "score", "experience_type", "confidence", VALID_TO];

/// A node as a Markdown note: the name of its file, and its text.
pub fn markdown(exported: &Exported) -> (String, String) {
    let node = &exported.node;
    let mut page = front(node);
    let _ = writeln!(page, "# {}", node.name);
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
    for (edge, end) in &exported.edges {
        let shown = end.name.replace(['[', ']', '|'], " ");
        let _ = writeln!(page, "- {}: [[{}|{shown}]]", edge_type(edge), file_stem(end));
    }
    (format!("{}.md", file_stem(node)), page)
}

/// The id that a note of ours begins with.
pub fn note_id(page: &str) -> Option<&str> {
    page.strip_prefix("---\nid: ")?.lines().next()
}

fn front(node: &Node) -> String {
    let mut page = format!(
        "---\nid: {}\ntype: {}\nnamespace: {}\ncreated: {}\n",
        shown(node),
        type_of(node),
        namespace_of(node),
        node.created.at
    );
    for (name, list) in [("tags", &node.tags), ("aliases", &node.aliases)] {
        if !list.is_empty() {
            let _ = writeln!(page, "{name}: [{}]", list.join(", "));
        }
    }
    for name in FIELDS {
        let value = match node.properties.get(name) {
            None | Some(Value::Null) => continue,
            Some(Value::Array(list)) if list.is_empty() => continue,
            Some(_) if property(node, name).is_some() => property(node, name).map(str::to_owned),
            Some(other) => Some(other.to_string()),
        };
        let _ = writeln!(page, "{name}: {}", value.unwrap_or_default());
    }
    page.push_str("---\n");
    page
}

/// The node's name as far as every file system takes it, and its id, which makes it the only one.
fn file_stem(node: &Node) -> String {
    let plain = |c: char| if c.is_alphanumeric() || c == '-' { c } else { ' ' };
    let words: String = node.name.chars().map(plain).collect();
    let name = words.split_whitespace().collect::<Vec<_>>().join(" ");
    let name: String = name.chars().take(60).collect();
    format!("{} {}", name.trim(), shown(node)).trim_start().to_owned()
}

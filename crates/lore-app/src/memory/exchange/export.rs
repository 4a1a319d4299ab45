//! Export of everything the caller sees.

use std::collections::HashMap;

use lore_core::{Edge, Node, NodeId, Text, Timestamp};
use lore_store::{Direction, NodeQuery};
use serde_json::{Value, json};

use super::super::call::MemoryCall;
use super::super::ids::shown;
use super::super::kinds::{PROJECT, Sharing, edge_type, namespace_of, property, type_of};
use super::super::project::{Entry, steps_of};
use super::super::refusal::Reply;
use super::identity::{SOURCE_ID, without_source};
use super::state::State;
use crate::damage::sound_texts;
use crate::federation::is_of_federation;

/// A node with everything that belongs to it.
#[derive(Debug, Clone)]
pub struct Exported {
    /// The node.
    pub node: Node,
    /// Its texts, in order.
    pub texts: Vec<Text>,
    /// The edges that start at it, with their targets.
    pub edges: Vec<(Edge, Node)>,
    /// The steps of its log if it is a project, oldest first.
    pub steps: Vec<Entry>,
}

impl Exported {
    /// Returns when the node or one of its texts was last changed.
    pub(super) fn changed(&self) -> Timestamp {
        let texts = self.texts.iter().map(|text| text.updated.at);
        texts.fold(self.node.updated.at, Timestamp::max)
    }
}

/// The number of nodes read at once, and the maximum number of their edges.
const PAGE: usize = 500;
const EDGES: usize = 100_000;

/// Reads everything that is not damaged, in order of creation, and passes on each page with the
/// total number of nodes. Returns the number exported. Leaves out the nodes of the federation,
/// which are its own or those of others.
pub async fn export(
    call: &MemoryCall,
    mut each: impl FnMut(&[Exported], u64) -> Reply<()> + Send,
) -> Reply<usize> {
    let store = &call.app.store;
    let mut query = NodeQuery { limit: PAGE, ..NodeQuery::default() };
    let (mut count, mut total) = (0, None);
    loop {
        let mut page = store.find_nodes(&call.viewer, query.clone()).await?;
        let total = *total.get_or_insert(page.total);
        page.items.retain(|node| !is_of_federation(&node.kind));
        let exported = with_belongings(call, page.items).await?;
        count += exported.len();
        each(&exported, total)?;
        query.after = page.next;
        if query.after.is_none() {
            return Ok(count);
        }
    }
}

async fn with_belongings(call: &MemoryCall, nodes: Vec<Node>) -> Reply<Vec<Exported>> {
    let store = &call.app.store;
    let ids: Vec<NodeId> = nodes.iter().map(|node| node.id).collect();
    let sound = sound_texts(store.as_ref(), &call.viewer, &ids).await?;
    let mut texts: HashMap<NodeId, Vec<Text>> = HashMap::new();
    for text in sound.texts {
        texts.entry(text.node).or_default().push(text);
    }
    let edges = store.neighbours(&call.viewer, &ids, Direction::Out, &[], EDGES).await?;
    let ends: Vec<NodeId> = edges.iter().map(|edge| edge.target).collect();
    let ends = store.nodes(&call.viewer, &ends).await?;
    let ends: HashMap<NodeId, &Node> = ends.iter().map(|node| (node.id, node)).collect();
    let mut out: HashMap<NodeId, Vec<(Edge, Node)>> = HashMap::new();
    for edge in edges {
        if let Some(end) = ends.get(&edge.target) {
            out.entry(edge.source).or_default().push((edge, (*end).clone()));
        }
    }
    let mut whole = Vec::with_capacity(nodes.len());
    for node in nodes.into_iter().filter(|node| !sound.damaged.contains(&node.id)) {
        let is_project = node.kind.as_str() == PROJECT;
        whole.push(Exported {
            texts: texts.remove(&node.id).unwrap_or_default(),
            edges: out.remove(&node.id).unwrap_or_default(),
            steps: if is_project { steps_of(call, node.id).await? } else { Vec::new() },
            node,
        });
    }
    Ok(whole)
}

/// Returns the JSON lines of a node for the reference memory server, with additional fields for the
/// way back: the node itself, then its edges.
pub fn relations(exported: &Exported) -> Vec<Value> {
    let node = &exported.node;
    let id = shown(node);
    let observations: Vec<_> = exported.texts.iter().map(|text| text.body.as_str()).collect();
    let details: Vec<_> = exported.texts.iter().map(details).collect();
    let log: Vec<_> = exported.steps.iter().map(Entry::write).collect();
    let mut properties = node.properties.clone();
    without_source(&mut properties);
    let mut lines = vec![json!({
        "type": "entity", "name": node.name, "entityType": type_of(node),
        "observations": observations, "details": details, "id": id,
        "namespace": namespace_of(node), "subtype": node.subtype, "aliases": node.aliases,
        "tags": node.tags, "created_at": node.created.at.to_string(),
        "updated_at": exported.changed().to_string(), "origin": property(node, SOURCE_ID),
        "derived_name": node.derived_name, "visibility": Sharing::of(node.visibility).as_str(),
        "properties": properties, "log": log, "exported": State::of(exported).write(),
    })];
    lines.extend(exported.edges.iter().map(|(edge, end)| relation(node, edge, end)));
    lines
}

/// The relation line of an edge.
pub(super) fn relation(node: &Node, edge: &Edge, end: &Node) -> Value {
    json!({
        "type": "relation", "from": node.name, "to": end.name, "relationType": edge_type(edge),
        "from_id": shown(node), "to_id": shown(end), "weight": edge.weight,
        "visibility": Sharing::of(edge.visibility).as_str(), "properties": edge.properties,
    })
}

/// Everything about a text besides its body.
pub(super) fn details(text: &Text) -> Value {
    let said = &text.provenance;
    json!({
        "id": text.uid.to_string(), "kind": text.kind.as_str(), "title": text.title, "searchable": text.searchable,
        "visibility": Sharing::of(text.visibility).as_str(), "source": said.source,
        "session": said.session, "author": said.author,
        "position": said.session.is_some().then_some(text.position),
        "occurred_at": said.occurred_at.map(|at| at.to_string()),
    })
}

//! What no longer holds, and what took its place.
//!
//! An edge says so, and nothing in the node itself: whoever does not see the edge sees
//! something that holds, and who may not change a thing can at most replace it for themselves.

use std::collections::HashMap;

use lore_core::{Edge, Node, NodeId, Uid};
use lore_store::Direction;
use serde_json::Value;

use super::keeper::Keeper;
use super::kinds::{SUPERSEDED_BY, SUPERSEDES, VALID_TO, property, word};
use super::refusal::Reply;

/// More replacements of the nodes of one answer than anybody makes.
const MANY: usize = 10_000;

/// Why something no longer holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Lapsed {
    /// What took its place.
    pub by: Node,
    /// Until when it held.
    pub valid_to: String,
}

/// Those among the nodes that no longer hold, by their uids. What was put in the place of one
/// and has been removed since, or is not for the caller to see, takes no place; of several the
/// last does.
pub(super) async fn lapsed(keeper: &Keeper, nodes: &[&Node]) -> Reply<HashMap<Uid, Lapsed>> {
    let (store, viewer) = (&keeper.app.store, &keeper.viewer);
    let ids: Vec<NodeId> = nodes.iter().map(|node| node.id).collect();
    let kinds = [word(SUPERSEDES)?];
    let mut edges = store.neighbours(viewer, &ids, Direction::In, &kinds, MANY).await?;
    if edges.is_empty() {
        return Ok(HashMap::new());
    }
    edges.sort_by_key(|edge| (edge.created.at, edge.id));
    let takers: Vec<NodeId> = edges.iter().map(|edge| edge.source).collect();
    let takers = store.nodes(viewer, &takers).await?;
    let takers: HashMap<NodeId, &Node> = takers.iter().map(|node| (node.id, node)).collect();
    let last: HashMap<NodeId, &Edge> = edges.iter().map(|edge| (edge.target, edge)).collect();
    let lapsed = |node: &&Node| {
        let edge = last.get(&node.id)?;
        let by = (*takers.get(&edge.source)?).clone();
        Some((node.uid, Lapsed { by, valid_to: valid_to(edge, node) }))
    };
    Ok(nodes.iter().filter_map(lapsed).collect())
}

/// The same, followed on: also what took a place and lost it since is among them.
pub(super) async fn succession(keeper: &Keeper, nodes: &[&Node]) -> Reply<HashMap<Uid, Lapsed>> {
    let mut known = lapsed(keeper, nodes).await?;
    let mut takers: Vec<Node> = known.values().map(|lapsed| lapsed.by.clone()).collect();
    while !takers.is_empty() {
        takers.retain(|taker| !known.contains_key(&taker.uid));
        let further = lapsed(keeper, &takers.iter().collect::<Vec<_>>()).await?;
        takers = further.values().map(|lapsed| lapsed.by.clone()).collect();
        known.extend(further);
    }
    Ok(known)
}

/// What holds in the place of something, if it was replaced.
pub(super) fn heir(succession: &HashMap<Uid, Lapsed>, of: Uid) -> Option<&Node> {
    let next = |by: &&Node| succession.get(&by.uid).map(|lapsed| &lapsed.by);
    let first = &succession.get(&of)?.by;
    // Where each took the other's place, as nothing here does, no more than all are passed.
    std::iter::successors(Some(first), next).take(succession.len()).last()
}

/// Until when something held, if it no longer does. What was replaced by something that is gone
/// holds again.
pub fn held_until<'a>(node: &'a Node, lapsed: Option<&'a Lapsed>) -> Option<&'a str> {
    match lapsed {
        Some(lapsed) => Some(&lapsed.valid_to),
        None if property(node, SUPERSEDED_BY).is_some() => None,
        None => property(node, VALID_TO),
    }
}

fn valid_to(edge: &Edge, old: &Node) -> String {
    let said = edge.properties.get(VALID_TO).and_then(Value::as_str);
    let said = said.or_else(|| property(old, VALID_TO)).map(str::to_owned);
    said.unwrap_or_else(|| edge.created.at.to_string())
}

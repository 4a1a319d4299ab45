//! Which nodes are superseded, and by what.
//!
//! This is stated only by edges, not by properties of the node: viewers who do not see the edge see
//! a node that still holds. Somebody who may not change a node can therefore supersede it at most
//! for themselves.

use std::collections::HashMap;

use lore_core::{Edge, Node, NodeId, Uid};
use lore_store::Direction;
use serde_json::Value;

use super::keeper::Keeper;
use super::kinds::{SUPERSEDED_BY, SUPERSEDES, VALID_TO, property, word};
use super::refusal::Reply;

/// A limit on supersession edges per query, higher than any real number.
const MANY: usize = 10_000;

/// What superseded a node.
#[derive(Debug, Clone, PartialEq)]
pub struct Lapsed {
    /// The node that replaced it.
    pub by: Node,
    /// Until when it held.
    pub valid_to: String,
}

/// Returns those of the nodes that are superseded, by uid. Replacements that are in the bin or
/// hidden from the caller do not count. If there are several, the newest one counts.
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

/// Like [`lapsed`], but follows replacements that are superseded themselves, so the result contains
/// the whole chain.
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

/// Returns what holds now in place of a superseded node.
pub(super) fn heir(succession: &HashMap<Uid, Lapsed>, of: Uid) -> Option<&Node> {
    let next = |by: &&Node| succession.get(&by.uid).map(|lapsed| &lapsed.by);
    let first = &succession.get(&of)?.by;
    // The limit ends a cycle, in case two nodes supersede each other.
    std::iter::successors(Some(first), next).take(succession.len()).last()
}

/// Returns until when a node held, if it no longer does. A node that an older version marked as
/// superseded by a property ([`SUPERSEDED_BY`]) holds again if its replacement is gone.
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

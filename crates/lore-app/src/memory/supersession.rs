//! Which nodes are superseded, and by what.
//!
//! This is stated only by edges, not by properties of the node: viewers who do not see the edge see
//! a node that still holds. Somebody who may not change a node can therefore supersede it at most
//! for themselves.

use std::collections::HashMap;

use lore_core::{Edge, Node, NodeId, Uid};
use lore_store::Direction;
use serde_json::Value;

use super::call::MemoryCall;
use super::kinds::{SUPERSEDED_BY, SUPERSEDES, VALID_TO, property, word};
use super::refusal::Reply;

/// A limit on supersession edges per query, higher than any real number.
const MANY: usize = 10_000;

/// What superseded a node.
#[derive(Debug, Clone, PartialEq)]
pub struct Replacement {
    /// The node that replaced it.
    pub by: Node,
    /// Until when it held.
    pub valid_to: String,
}

/// Returns those of the nodes that are superseded, by uid. Replacements that are in the bin or
/// hidden from the caller do not count. If there are several, the newest one counts.
pub(super) async fn replacements(
    call: &MemoryCall,
    nodes: &[&Node],
) -> Reply<HashMap<Uid, Replacement>> {
    let (store, viewer) = (&call.app.store, &call.viewer);
    let ids: Vec<NodeId> = nodes.iter().map(|node| node.id).collect();
    let kinds = [word(SUPERSEDES)?];
    let mut edges = store.neighbours(viewer, &ids, Direction::In, &kinds, MANY).await?;
    if edges.is_empty() {
        return Ok(HashMap::new());
    }
    edges.sort_by_key(|edge| (edge.created.at, edge.id));
    let takers: Vec<NodeId> = edges.iter().map(|edge| edge.source).collect();
    let takers = store.nodes(viewer, &takers).await?;
    let last = newest(&edges, &takers);
    let replacement = |node: &&Node| {
        let (edge, by) = last.get(&node.id)?;
        Some((node.uid, Replacement { by: (*by).clone(), valid_to: valid_to(edge, node) }))
    };
    Ok(nodes.iter().filter_map(replacement).collect())
}

/// Returns the last of the edges to each node whose source could be read, with that source.
fn newest<'a>(edges: &'a [Edge], sources: &'a [Node]) -> HashMap<NodeId, (&'a Edge, &'a Node)> {
    let sources: HashMap<NodeId, &Node> = sources.iter().map(|node| (node.id, node)).collect();
    let with_source = |edge: &'a Edge| Some((edge.target, (edge, *sources.get(&edge.source)?)));
    edges.iter().filter_map(with_source).collect()
}

/// Like [`replacements`], but follows replacements that are superseded themselves, so the result
/// contains the whole chain.
pub(super) async fn with_later_replacements(
    call: &MemoryCall,
    nodes: &[&Node],
) -> Reply<HashMap<Uid, Replacement>> {
    let mut known = replacements(call, nodes).await?;
    let mut takers: Vec<Node> = known.values().map(|replacement| replacement.by.clone()).collect();
    while !takers.is_empty() {
        takers.retain(|taker| !known.contains_key(&taker.uid));
        let further = replacements(call, &takers.iter().collect::<Vec<_>>()).await?;
        takers = further.values().map(|replacement| replacement.by.clone()).collect();
        known.extend(further);
    }
    Ok(known)
}

/// Returns what holds now in place of a superseded node.
pub(super) fn current_replacement(
    replacements: &HashMap<Uid, Replacement>,
    of: Uid,
) -> Option<&Node> {
    let next = |by: &&Node| replacements.get(&by.uid).map(|replacement| &replacement.by);
    let first = &replacements.get(&of)?.by;
    // The limit ends a cycle, in case two nodes supersede each other.
    std::iter::successors(Some(first), next).take(replacements.len()).last()
}

/// Returns until when a node held, if it no longer does. A node that an older version marked as
/// superseded by a property ([`SUPERSEDED_BY`]) holds again if its replacement is gone.
pub fn held_until<'a>(node: &'a Node, replacement: Option<&'a Replacement>) -> Option<&'a str> {
    match replacement {
        Some(replacement) => Some(&replacement.valid_to),
        None if property(node, SUPERSEDED_BY).is_some() => None,
        None => property(node, VALID_TO),
    }
}

fn valid_to(edge: &Edge, old: &Node) -> String {
    let said = edge.properties.get(VALID_TO).and_then(Value::as_str);
    let said = said.or_else(|| property(old, VALID_TO)).map(str::to_owned);
    said.unwrap_or_else(|| edge.created.at.to_string())
}

#[cfg(test)]
mod tests {
    use lore_core::{
        EdgeId, Effects, PrincipalId, Properties, Stamp, Timestamp, Visibility, WorldId,
    };

    use super::*;

    #[test]
    fn a_replacement_that_cannot_be_read_leaves_the_one_before_it() {
        let stamp = Stamp { at: Timestamp::UNIX_EPOCH, by: PrincipalId(1) };
        let edge = |id: i64, source: i64| Edge {
            id: EdgeId(id),
            source: NodeId(source),
            target: NodeId(9),
            kind: word(SUPERSEDES).unwrap(),
            weight: 1.0,
            visibility: Visibility::Members,
            properties: Properties::new(),
            version: 1,
            created: stamp,
            deleted_at: None,
        };
        let effects = Effects::fixed(Timestamp::UNIX_EPOCH, 1);
        let new = lore_store::NewNode::new(effects.uid(), word("concept").unwrap(), "heir");
        let viewer = lore_core::Viewer {
            world: WorldId(1),
            principal: PrincipalId(1),
            role: lore_core::Role::Owner,
        };
        let current = crate::preview::preview(&viewer, &new, Timestamp::UNIX_EPOCH);
        let readable = [Node { id: NodeId(1), ..current }];
        let edges = [edge(1, 1), edge(2, 2)];
        let found = newest(&edges, &readable);
        assert_eq!(found.get(&NodeId(9)).map(|(edge, _)| edge.id), Some(EdgeId(1)));
    }
}

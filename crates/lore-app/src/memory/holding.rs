//! What no longer holds, and what took its place.

use std::collections::HashMap;

use lore_core::{Node, Uid};

use super::keeper::Keeper;
use super::kinds::{SUPERSEDED_BY, VALID_TO, property};
use super::refusal::Reply;

/// Why something no longer holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Lapsed {
    /// What took its place.
    pub by: Node,
    /// Until when it held, if that is known.
    pub valid_to: Option<String>,
}

/// Those among the nodes that no longer hold, by their uids. What was put in the place of one
/// and has been removed since, or is not for the caller to see, takes no place.
pub(super) async fn lapsed(keeper: &Keeper, nodes: &[&Node]) -> Reply<HashMap<Uid, Lapsed>> {
    let takers: Vec<Uid> = nodes.iter().filter_map(|node| taker(node)).collect();
    if takers.is_empty() {
        return Ok(HashMap::new());
    }
    let live = keeper.app.store.nodes_by_uid(&keeper.viewer, &takers).await?;
    let live: HashMap<Uid, Node> = live.into_iter().map(|node| (node.uid, node)).collect();
    let lapsed = |node: &&Node| {
        let by = live.get(&taker(node)?)?.clone();
        Some((node.uid, Lapsed { by, valid_to: property(node, VALID_TO).map(str::to_owned) }))
    };
    Ok(nodes.iter().filter_map(lapsed).collect())
}

fn taker(node: &Node) -> Option<Uid> {
    property(node, SUPERSEDED_BY)?.parse().ok()
}

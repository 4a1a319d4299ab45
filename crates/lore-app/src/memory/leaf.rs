//! Leafing through what was found: pages of any size make up one list, each thing in it once.

use std::collections::{HashMap, HashSet};

use lore_core::{Node, NodeId};
use lore_search::{Hit, Query};

use super::keeper::Keeper;
use super::refusal::Reply;

/// Up to here the ranking counts; who leafs further wants everything that has the words.
const RANKED: usize = 200;

/// A part of a list of nodes.
pub(super) struct Leaf {
    /// The nodes, each with how well it answers.
    pub(super) nodes: Vec<(Node, f32)>,
    /// Whether there are more behind them.
    pub(super) more: bool,
}

/// The nodes from the query's offset on, up to its limit. Behind the best by rank comes whatever
/// else has the words; where that begins does not depend on the page.
pub(super) async fn leaf(keeper: &Keeper, query: &Query) -> Reply<Leaf> {
    let end = query.offset.saturating_add(query.limit);
    let hits = first(keeper, query, end.saturating_add(1)).await?;
    let more = hits.len() > end;
    let page: Vec<Hit> = hits.into_iter().take(end).skip(query.offset).collect();
    let ids: Vec<NodeId> = page.iter().map(|hit| hit.key.node).collect();
    let nodes = keeper.app.store.nodes(&keeper.viewer, &ids).await?;
    let mut nodes: HashMap<NodeId, Node> = nodes.into_iter().map(|node| (node.id, node)).collect();
    let node = |hit: Hit| Some((nodes.remove(&hit.key.node)?, hit.score));
    Ok(Leaf { nodes: page.into_iter().filter_map(node).collect(), more })
}

/// The first of the list, at least so many if there are.
async fn first(keeper: &Keeper, query: &Query, wanted: usize) -> Reply<Vec<Hit>> {
    let is_question = !query.text.trim().is_empty();
    let limit = if is_question { RANKED } else { wanted };
    let ranked = Query { offset: 0, limit, ..query.clone() };
    let mut hits = keeper.app.rank(&keeper.viewer, ranked).await?.hits;
    if is_question && hits.len() < wanted {
        let known: HashSet<NodeId> = hits.iter().map(|hit| hit.key.node).collect();
        let all = Query { offset: 0, limit: wanted, exhaustive: true, ..query.clone() };
        let all = keeper.app.rank(&keeper.viewer, all).await?.hits;
        hits.extend(all.into_iter().filter(|hit| !known.contains(&hit.key.node)));
    }
    Ok(hits)
}

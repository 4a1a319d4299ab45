//! Leafing through what was found: pages of any size make up one list, each thing in it once.

use std::collections::{HashMap, HashSet};

use lore_core::{Node, NodeId, Result, Viewer};
use lore_search::{Hit, Query};

use crate::App;

/// Up to here the ranking counts; who leafs further wants everything that has the words.
const RANKED: usize = 200;

/// A part of a list of nodes.
pub(crate) struct Leaf {
    /// The nodes, each with how well it answers.
    pub(crate) nodes: Vec<(Node, Hit)>,
    /// Whether there are more behind them.
    pub(crate) more: bool,
}

impl App {
    /// The nodes from the query's offset on, up to its limit. Behind the best by rank comes
    /// whatever else has the words; where that begins does not depend on the page.
    pub(crate) async fn leaf(&self, viewer: &Viewer, query: &Query) -> Result<Leaf> {
        let end = query.offset.saturating_add(query.limit);
        let hits = self.first(viewer, query, end.saturating_add(1)).await?;
        let more = hits.len() > end;
        let page = hits.into_iter().take(end).skip(query.offset).collect();
        Ok(Leaf { nodes: self.nodes_of(viewer, page).await?, more })
    }

    /// The whole list, for those who tell how long it is.
    pub(crate) async fn whole(&self, viewer: &Viewer, query: &Query) -> Result<Vec<Hit>> {
        self.first(viewer, query, usize::MAX).await
    }

    /// The nodes of hits, in their order; what is gone since is left out.
    pub(crate) async fn nodes_of(
        &self,
        viewer: &Viewer,
        hits: Vec<Hit>,
    ) -> Result<Vec<(Node, Hit)>> {
        let ids: Vec<NodeId> = hits.iter().map(|hit| hit.key.node).collect();
        let nodes = self.store.nodes(viewer, &ids).await?.into_iter();
        let mut nodes: HashMap<NodeId, Node> = nodes.map(|node| (node.id, node)).collect();
        let found = hits.into_iter().filter_map(|hit| Some((nodes.remove(&hit.key.node)?, hit)));
        Ok(found.collect())
    }

    /// The first of the list, at least so many if there are.
    async fn first(&self, viewer: &Viewer, query: &Query, wanted: usize) -> Result<Vec<Hit>> {
        let is_question = !query.text.trim().is_empty();
        let limit = if is_question { RANKED } else { wanted };
        let ranked = Query { offset: 0, limit, ..query.clone() };
        let mut hits = self.rank(viewer, ranked).await?.hits;
        if is_question && hits.len() < wanted {
            let known: HashSet<NodeId> = hits.iter().map(|hit| hit.key.node).collect();
            let all = Query { offset: 0, limit: wanted, exhaustive: true, ..query.clone() };
            let all = self.rank(viewer, all).await?.hits;
            hits.extend(all.into_iter().filter(|hit| !known.contains(&hit.key.node)));
        }
        Ok(hits)
    }
}

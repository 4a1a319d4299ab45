//! Pagination of search results. Pages of any size make up one consistent list without duplicates.

use std::collections::{HashMap, HashSet};

use lore_core::{Node, NodeId, Result, Viewer};
use lore_search::{Hit, Query};

use crate::App;

/// The number of results ordered by rank. They are followed by everything else that contains the
/// words.
const RANKED: usize = 200;

/// A page of nodes.
pub(crate) struct Leaf {
    /// The nodes, each with its hit.
    pub(crate) nodes: Vec<(Node, Hit)>,
    /// Whether there are more after these.
    pub(crate) more: bool,
}

impl App {
    /// Returns the nodes from the query's offset up to its limit. The first [`RANKED`] results are
    /// ordered by rank and followed by everything else that contains the words. That boundary does
    /// not depend on the page.
    pub(crate) async fn leaf(&self, viewer: &Viewer, query: &Query) -> Result<Leaf> {
        let end = query.offset.saturating_add(query.limit);
        let hits = self.first(viewer, query, end.saturating_add(1)).await?;
        let more = hits.len() > end;
        let page = hits.into_iter().take(end).skip(query.offset).collect();
        Ok(Leaf { nodes: self.nodes_of(viewer, page).await?, more })
    }

    /// Returns the whole list, for callers that report its length.
    pub(crate) async fn whole(&self, viewer: &Viewer, query: &Query) -> Result<Vec<Hit>> {
        self.first(viewer, query, usize::MAX).await
    }

    /// Reads the nodes of hits, in order. Nodes that have disappeared are left out.
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

    /// Returns at least the first `wanted` hits of the list, if there are that many.
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

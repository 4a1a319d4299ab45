//! Breadth-first search over [`Edges::neighbours`], within a budget.
//!
//! Written once for all engines: one query per hop is faster than a recursive query on the embedded
//! engine, and easy to stop.

use std::collections::HashMap;

use lore_core::{Edge, EdgeKind, NodeId, Viewer};

use crate::error::StoreResult;
use crate::query::Direction;
use crate::store::Store;

/// How far a traversal may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Most hops from the start.
    pub depth: usize,
    /// Most nodes to reach, the start included.
    pub nodes: usize,
    /// Most edges to read.
    pub edges: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self { depth: 2, nodes: 1_000, edges: 10_000 }
    }
}

/// The parameters of a traversal.
#[derive(Debug, Clone)]
pub struct Traversal {
    /// Where to begin.
    pub start: NodeId,
    /// Which way to follow edges.
    pub direction: Direction,
    /// Edge kinds to follow; all when empty.
    pub kinds: Vec<EdgeKind>,
    /// How far to go.
    pub budget: Budget,
}

/// Why a traversal ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// Everything within the depth was reached.
    Complete,
    /// The node budget ran out; there is more.
    NodeBudget,
    /// The edge budget ran out; there may be more.
    EdgeBudget,
}

/// The result of a traversal.
#[derive(Debug, Clone)]
pub struct Reached {
    /// Each node with its distance from the start and the node it was reached from.
    pub nodes: HashMap<NodeId, (usize, Option<NodeId>)>,
    /// Every edge that was read and whose ends were both reached.
    pub edges: Vec<Edge>,
    /// Why it ended.
    pub stop: Stop,
}

impl Reached {
    /// The nodes from the start to `node`, both included; empty if it was not reached.
    pub fn path_to(&self, node: NodeId) -> Vec<NodeId> {
        let mut path = Vec::new();
        let mut at = self.nodes.contains_key(&node).then_some(node);
        while let Some(here) = at {
            path.push(here);
            at = self.nodes.get(&here).and_then(|(_, from)| *from);
        }
        path.reverse();
        path
    }
}

/// Traverses the graph from one node. The start is not checked for visibility: a hidden start has
/// no visible edges, so the traversal reaches only the start itself.
pub async fn traverse(
    store: &dyn Store,
    viewer: &Viewer,
    walk: &Traversal,
) -> StoreResult<Reached> {
    let mut reached = Reached {
        nodes: HashMap::from([(walk.start, (0, None))]),
        edges: Vec::new(),
        stop: Stop::Complete,
    };
    let mut frontier = vec![walk.start];
    let mut edges_left = walk.budget.edges;
    for distance in 1..=walk.budget.depth {
        if frontier.is_empty() || reached.stop != Stop::Complete {
            break;
        }
        let edges =
            store.neighbours(viewer, &frontier, walk.direction, &walk.kinds, edges_left).await?;
        if edges.len() >= edges_left {
            reached.stop = Stop::EdgeBudget;
        }
        edges_left = edges_left.saturating_sub(edges.len());
        frontier = reached.extend(edges, distance, walk.budget.nodes);
    }
    reached.forget_loose_edges();
    Ok(reached)
}

impl Reached {
    /// Adds the edges of one hop and returns the newly reached nodes.
    fn extend(&mut self, edges: Vec<Edge>, distance: usize, node_budget: usize) -> Vec<NodeId> {
        let mut fresh = Vec::new();
        for edge in edges {
            for (from, to) in [(edge.source, edge.target), (edge.target, edge.source)] {
                let known_from = self.nodes.get(&from).is_some_and(|(at, _)| *at < distance);
                if !known_from || self.nodes.contains_key(&to) {
                    continue;
                }
                if self.nodes.len() >= node_budget {
                    self.stop = Stop::NodeBudget;
                    continue;
                }
                self.nodes.insert(to, (distance, Some(from)));
                fresh.push(to);
            }
            self.edges.push(edge);
        }
        fresh
    }

    /// Drops duplicate edges, and edges to nodes beyond the budget.
    fn forget_loose_edges(&mut self) {
        self.edges.sort_by_key(|edge| edge.id);
        self.edges.dedup_by_key(|edge| edge.id);
        let nodes = &self.nodes;
        self.edges.retain(|e| nodes.contains_key(&e.source) && nodes.contains_key(&e.target));
    }
}

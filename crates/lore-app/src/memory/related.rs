//! Walking the graph outward from a node.

use std::collections::HashMap;

use lore_core::{Edge, Node, NodeId};
use lore_rules::memory::budget;
use lore_store::{Budget, Direction, NodeKey, Reached, Stop, Traversal, traverse};

use super::keeper::Keeper;
use super::kinds::{Type, kept_by};
use super::refusal::{Reply, required};

/// Most edges that are read on the way.
const EDGES: usize = 20_000;
/// Tokens that a node costs besides its name, and each hop to it.
const NODE_TOKENS: usize = 30;
const HOP_TOKENS: usize = 30;

/// Where to start and how far to go.
#[derive(Debug, Clone, Default)]
pub struct Walk {
    /// The start.
    pub node: Option<String>,
    /// Most hops.
    pub depth: usize,
    /// Follow only edges of this type.
    pub edge_type: Option<String>,
    /// At most this many nodes.
    pub limit: usize,
    /// About how many tokens the answer may cost.
    pub max_tokens: Option<usize>,
}

/// A node that was reached.
#[derive(Debug, Clone, PartialEq)]
pub struct Near {
    /// The node.
    pub node: Node,
    /// How many hops away it is.
    pub depth: usize,
    /// The hops from the start to it.
    pub path: Vec<Hop>,
}

/// One hop of a path.
#[derive(Debug, Clone, PartialEq)]
pub struct Hop {
    /// The edge.
    pub edge: Edge,
    /// Where it leads to on this path.
    pub to: Node,
    /// Whether the path goes along the edge, and not against it.
    pub is_forward: bool,
}

/// What was reached.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Surroundings {
    /// Nodes, nearest first, among those equally near the most strongly joined.
    pub near: Vec<Near>,
    /// Whether there is more within the depth.
    pub more: bool,
    /// How many more were reached that the budget had no room for.
    pub left_out: usize,
}

/// Walks outward from a node, along and against edges.
pub async fn related(keeper: &Keeper, walk: &Walk) -> Reply<Surroundings> {
    let id = required("node_id", "related", walk.node.as_deref())?;
    let start = lasting(keeper, keeper.lookup("Node", id).await?).await?;
    let kind = walk.edge_type.as_deref().map(str::trim).filter(|name| !name.is_empty());
    let kind = kind.map(Type::of).transpose()?.map(|found| found.kind);
    let traversal = Traversal {
        start: start.id,
        direction: Direction::Both,
        kinds: kind.into_iter().collect(),
        budget: Budget { depth: walk.depth, nodes: walk.limit + 1, edges: EDGES },
    };
    let store = keeper.app.store.as_ref();
    let reached = traverse(store, &keeper.viewer, &traversal).await?;
    let ids: Vec<_> = reached.nodes.keys().copied().collect();
    let nodes = store.nodes(&keeper.viewer, &ids).await?;
    let nodes: HashMap<NodeId, Node> = nodes.into_iter().map(|node| (node.id, node)).collect();
    let mut near: Vec<_> = nodes
        .values()
        .filter(|node| node.id != start.id)
        .filter_map(|node| {
            Some(Near { path: path(&reached, &nodes, node.id)?, ..at(&reached, node)? })
        })
        .collect();
    near.sort_by(|a, b| {
        let order = a.depth.cmp(&b.depth).then_with(|| strength(b).total_cmp(&strength(a)));
        order.then_with(|| a.node.id.cmp(&b.node.id))
    });
    let all = near.len();
    if let Some(max) = walk.max_tokens {
        near.truncate(budget::that_fit(near.iter().map(cost), max));
    }
    let left_out = all - near.len();
    Ok(Surroundings { near, more: reached.stop != Stop::Complete, left_out })
}

/// Of the two halves of a fact the one that is joined to others.
async fn lasting(keeper: &Keeper, node: Node) -> Reply<Node> {
    let Some(uid) = kept_by(&node) else { return Ok(node) };
    let kept = keeper.app.store.node(&keeper.viewer, NodeKey::Uid(uid)).await?;
    Ok(kept.unwrap_or(node))
}

fn cost(near: &Near) -> usize {
    NODE_TOKENS + budget::tokens(&near.node.name) + near.path.len() * HOP_TOKENS
}

fn at(reached: &Reached, node: &Node) -> Option<Near> {
    let (depth, _) = *reached.nodes.get(&node.id)?;
    Some(Near { node: node.clone(), depth, path: Vec::new() })
}

fn strength(near: &Near) -> f64 {
    near.path.last().map_or(0.0, |hop| hop.edge.weight)
}

/// The hops to a node, each along its strongest edge.
fn path(reached: &Reached, nodes: &HashMap<NodeId, Node>, to: NodeId) -> Option<Vec<Hop>> {
    let stations = reached.path_to(to);
    let hops = stations.iter().zip(stations.iter().skip(1));
    hops.map(|(from, to)| hop(reached, nodes, *from, *to)).collect()
}

fn hop(reached: &Reached, nodes: &HashMap<NodeId, Node>, from: NodeId, to: NodeId) -> Option<Hop> {
    let joins = |edge: &&Edge| {
        (edge.source, edge.target) == (from, to) || (edge.source, edge.target) == (to, from)
    };
    let edges = reached.edges.iter().filter(joins);
    let edge = edges.max_by(|a, b| a.weight.total_cmp(&b.weight))?;
    let is_forward = edge.source == from;
    Some(Hop { edge: edge.clone(), to: nodes.get(&to)?.clone(), is_forward })
}

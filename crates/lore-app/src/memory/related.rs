//! Walking the graph outward from a node.

use std::collections::HashMap;

use lore_core::{Edge, Node, NodeId};
use lore_store::{Budget, Direction, NodeKey, Reached, Stop, Traversal, traverse};

use super::holding::{Lapsed, lapsed};
use super::keeper::Keeper;
use super::kinds::{Type, half_of, kept_by};
use super::refusal::{Reply, required};
use super::room::{Piece, Room};

/// Most edges that are read on the way.
const EDGES: usize = 20_000;

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
    /// How much the answer may hold, if that is bounded.
    pub room: Option<Room>,
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
    /// Why it no longer holds, if it does not.
    pub lapsed: Option<Lapsed>,
}

/// One hop of a path.
#[derive(Debug, Clone, PartialEq)]
pub struct Hop {
    /// Where it leads to on this path.
    pub to: Node,
    /// The edge, of several the strongest.
    pub edge: Way,
    /// The other edges that join the same two, strongest first.
    pub others: Vec<Way>,
}

/// An edge as a path goes over it.
#[derive(Debug, Clone, PartialEq)]
pub struct Way {
    /// The edge.
    pub edge: Edge,
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
    let other = other_half(keeper, &start).await?;
    let kinds: Vec<_> = kind.into_iter().collect();
    let mut found = Found { near: Vec::new(), more: false };
    for half in [Some(start.id), other].into_iter().flatten() {
        let traversal = Traversal {
            start: half,
            direction: Direction::Both,
            kinds: kinds.clone(),
            // Of a fact both halves may be reached, and one is told.
            budget: Budget { depth: walk.depth, nodes: 2 * walk.limit + 1, edges: EDGES },
        };
        found.take_in(keeper, &traversal, [Some(start.id), other]).await?;
    }
    let Found { mut near, more } = found;
    near.sort_by(|a, b| {
        let order = a.depth.cmp(&b.depth).then_with(|| strength(b).total_cmp(&strength(a)));
        order.then_with(|| a.node.id.cmp(&b.node.id))
    });
    let more = more || near.len() > walk.limit;
    near.truncate(walk.limit);
    let all = near.len();
    if let Some(room) = &walk.room {
        near.truncate(room.that_fit(near.iter().map(Piece::Near)));
    }
    let left_out = all - near.len();
    Ok(Surroundings { near, more, left_out })
}

/// What was found around either half of a fact.
struct Found {
    near: Vec<Near>,
    more: bool,
}

impl Found {
    /// Adds what is around one half and was not around the other.
    async fn take_in(
        &mut self,
        keeper: &Keeper,
        traversal: &Traversal,
        halves: [Option<NodeId>; 2],
    ) -> Reply<()> {
        let store = keeper.app.store.as_ref();
        let reached = traverse(store, &keeper.viewer, traversal).await?;
        let ids: Vec<_> = reached.nodes.keys().copied().collect();
        let nodes = store.nodes(&keeper.viewer, &ids).await?;
        let nodes: HashMap<NodeId, Node> = nodes.into_iter().map(|node| (node.id, node)).collect();
        let lapsed = lapsed(keeper, &nodes.values().collect::<Vec<_>>()).await?;
        let is_new = |node: &&Node| {
            !halves.contains(&Some(node.id))
                && !is_told_by_another(node, &nodes)
                && !self.near.iter().any(|known| known.node.id == node.id)
        };
        let new = nodes.values().filter(is_new).filter_map(|node| at(&reached, &nodes, node));
        let new = new.map(|near| Near { lapsed: lapsed.get(&near.node.uid).cloned(), ..near });
        let new: Vec<_> = new.collect();
        self.near.extend(new);
        self.more |= reached.stop != Stop::Complete;
        Ok(())
    }
}

/// The half of a fact that others mention, where this one keeps it.
async fn other_half(keeper: &Keeper, node: &Node) -> Reply<Option<NodeId>> {
    let Some(uid) = half_of(node) else { return Ok(None) };
    let other = keeper.app.store.node(&keeper.viewer, NodeKey::Uid(uid)).await?;
    Ok(other.map(|other| other.id))
}

/// Of the two halves of a fact the one that is joined to others.
async fn lasting(keeper: &Keeper, node: Node) -> Reply<Node> {
    let Some(uid) = kept_by(&node) else { return Ok(node) };
    let kept = keeper.app.store.node(&keeper.viewer, NodeKey::Uid(uid)).await?;
    Ok(kept.unwrap_or(node))
}

/// Whether a node is an experience, and the node that keeps it is there as well.
fn is_told_by_another(node: &Node, nodes: &HashMap<NodeId, Node>) -> bool {
    kept_by(node).is_some_and(|uid| nodes.values().any(|other| other.uid == uid))
}

fn at(reached: &Reached, nodes: &HashMap<NodeId, Node>, node: &Node) -> Option<Near> {
    let (depth, _) = *reached.nodes.get(&node.id)?;
    let path = path(reached, nodes, node.id)?;
    Some(Near { node: node.clone(), depth, path, lapsed: None })
}

fn strength(near: &Near) -> f64 {
    near.path.last().map_or(0.0, |hop| hop.edge.edge.weight)
}

/// The hops to a node.
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
    let way = |edge: &Edge| Way { edge: edge.clone(), is_forward: edge.source == from };
    let mut ways: Vec<Way> = edges.map(way).collect();
    ways.sort_by(|a, b| b.edge.weight.total_cmp(&a.edge.weight));
    let mut ways = ways.into_iter();
    Some(Hop { to: nodes.get(&to)?.clone(), edge: ways.next()?, others: ways.collect() })
}

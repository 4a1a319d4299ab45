//! Graph traversal outward from a node.

use std::collections::HashMap;

use lore_core::{Edge, Node, NodeId};
use lore_store::{Budget, Direction, NodeKey, Reached, Stop, Traversal, traverse};

use super::answer_budget::{AnswerBudget, Piece};
use super::call::MemoryCall;
use super::kinds::{Type, half_of, kept_by};
use super::refusal::{Reply, required};
use super::supersession::{Replacement, replacements};

/// The maximum number of edges read.
const EDGES: usize = 20_000;

/// The input of a traversal.
#[derive(Debug, Clone, Default)]
pub struct Walk {
    /// The node to start from.
    pub node: Option<String>,
    /// The maximum number of hops.
    pub depth: usize,
    /// If given, only edges of this type are followed.
    pub edge_type: Option<String>,
    /// The maximum number of nodes in the result.
    pub limit: usize,
    /// The budget of the answer, if there is one.
    pub answer_budget: Option<AnswerBudget>,
}

/// A node that was reached.
#[derive(Debug, Clone, PartialEq)]
pub struct Near {
    /// The node.
    pub node: Node,
    /// Its distance from the start, in hops.
    pub depth: usize,
    /// The path from the start to it.
    pub path: Vec<Hop>,
    /// What superseded it, if anything did.
    pub replacement: Option<Replacement>,
}

/// One hop of a path.
#[derive(Debug, Clone, PartialEq)]
pub struct Hop {
    /// The node this hop leads to.
    pub to: Node,
    /// The edge, the strongest if there are several.
    pub edge: Way,
    /// The other edges between the same two nodes, strongest first.
    pub others: Vec<Way>,
}

/// An edge, with the direction in which a path follows it.
#[derive(Debug, Clone, PartialEq)]
pub struct Way {
    /// The edge.
    pub edge: Edge,
    /// Whether the path follows the edge from its source to its target.
    pub is_forward: bool,
}

/// The result of a traversal.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Surroundings {
    /// The nodes reached, nearest first; at equal distance, the one with the strongest last edge
    /// first.
    pub near: Vec<Near>,
    /// Whether there are more nodes within the depth.
    pub more: bool,
    /// How many more reached nodes did not fit into the budget.
    pub left_out: usize,
}

/// Traverses the graph outward from a node, in both directions of edges. The two halves of a fact
/// count as one node.
pub async fn related(call: &MemoryCall, walk: &Walk) -> Reply<Surroundings> {
    let id = required("node_id", "related", walk.node.as_deref())?;
    let start = lasting(call, call.lookup_to_read("Node", id).await?).await?;
    let kind = walk.edge_type.as_deref().map(str::trim).filter(|name| !name.is_empty());
    let kind = kind.map(Type::of).transpose()?.map(|found| found.kind);
    let other = other_half(call, &start).await?;
    let kinds: Vec<_> = kind.into_iter().collect();
    let mut found = Found { near: Vec::new(), more: false };
    for half in [Some(start.id), other].into_iter().flatten() {
        let traversal = Traversal {
            start: half,
            direction: Direction::Both,
            kinds: kinds.clone(),
            // Both halves of a fact may be reached, of which one is returned.
            budget: Budget { depth: walk.depth, nodes: 2 * walk.limit + 1, edges: EDGES },
        };
        found.take_in(call, &traversal, [Some(start.id), other]).await?;
    }
    let Found { mut near, more } = found;
    near.sort_by(|a, b| {
        let order = a.depth.cmp(&b.depth).then_with(|| strength(b).total_cmp(&strength(a)));
        order.then_with(|| a.node.id.cmp(&b.node.id))
    });
    let more = more || near.len() > walk.limit;
    near.truncate(walk.limit);
    let all = near.len();
    if let Some(answer_budget) = &walk.answer_budget {
        near.truncate(answer_budget.that_fit(near.iter().map(Piece::Near)));
    }
    let left_out = all - near.len();
    Ok(Surroundings { near, more, left_out })
}

/// What was reached from the halves of a fact so far.
struct Found {
    near: Vec<Near>,
    more: bool,
}

impl Found {
    /// Adds what is reached from one half and was not reached from the other.
    async fn take_in(
        &mut self,
        call: &MemoryCall,
        traversal: &Traversal,
        halves: [Option<NodeId>; 2],
    ) -> Reply<()> {
        let store = call.app.store.as_ref();
        let reached = traverse(store, &call.viewer, traversal).await?;
        let ids: Vec<_> = reached.nodes.keys().copied().collect();
        let nodes = store.nodes(&call.viewer, &ids).await?;
        let nodes: HashMap<NodeId, Node> = nodes.into_iter().map(|node| (node.id, node)).collect();
        let replacements = replacements(call, &nodes.values().collect::<Vec<_>>()).await?;
        let is_new = |node: &&Node| {
            !halves.contains(&Some(node.id))
                && !is_told_by_another(node, &nodes)
                && !self.near.iter().any(|known| known.node.id == node.id)
        };
        let new = nodes.values().filter(is_new).filter_map(|node| at(&reached, &nodes, node));
        let new =
            new.map(|near| Near { replacement: replacements.get(&near.node.uid).cloned(), ..near });
        let new: Vec<_> = new.collect();
        self.near.extend(new);
        self.more |= reached.stop != Stop::Complete;
        Ok(())
    }
}

/// Returns the other half of a fact, to which some edges may lead instead.
async fn other_half(call: &MemoryCall, node: &Node) -> Reply<Option<NodeId>> {
    let Some(uid) = half_of(node) else { return Ok(None) };
    let other = call.app.store.node(&call.viewer, NodeKey::Uid(uid)).await?;
    Ok(other.map(|other| other.id))
}

/// Returns the lasting node if this is an experience that has one. Most edges lead there.
async fn lasting(call: &MemoryCall, node: Node) -> Reply<Node> {
    let Some(uid) = kept_by(&node) else { return Ok(node) };
    let kept = call.app.store.node(&call.viewer, NodeKey::Uid(uid)).await?;
    Ok(kept.unwrap_or(node))
}

/// Whether a node is an experience whose lasting node is among the nodes as well.
fn is_told_by_another(node: &Node, nodes: &HashMap<NodeId, Node>) -> bool {
    kept_by(node).is_some_and(|uid| nodes.values().any(|other| other.uid == uid))
}

fn at(reached: &Reached, nodes: &HashMap<NodeId, Node>, node: &Node) -> Option<Near> {
    let (depth, _) = *reached.nodes.get(&node.id)?;
    let path = path(reached, nodes, node.id)?;
    Some(Near { node: node.clone(), depth, path, replacement: None })
}

fn strength(near: &Near) -> f64 {
    near.path.last().map_or(0.0, |hop| hop.edge.edge.weight)
}

/// Returns the hops from the start to a node.
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

//! Contract tests for traversing the graph with an engine's neighbours.

use lore_core::{Node, NodeId, Role, Viewer, Visibility};

use super::Harness;
use super::stage::{Stage, edge_draft, word};
use crate::{Budget, Direction, NewEdge, Reached, Stop, Traversal, traverse};

/// On a chain of five nodes.
pub async fn a_walk_goes_as_deep_as_it_may(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let chain = chain(&stage, 5).await;
    for depth in 0..=6 {
        let budget = Budget { depth, ..Budget::default() };
        let reached = walk(&stage, &stage.owner, &chain[0], budget).await;
        assert_eq!(reached.nodes.len(), (depth + 1).min(5));
        assert_eq!(reached.edges.len(), depth.min(4));
        assert_eq!(reached.stop, Stop::Complete);
        for (distance, node) in chain.iter().enumerate().take(depth + 1) {
            assert_eq!(reached.nodes[&node.id].0, distance);
        }
    }
}

/// Covers all directions, with some kinds and with all.
pub async fn a_walk_follows_direction_and_kinds(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let chain = chain(&stage, 3).await;
    let side = stage.node(&stage.owner, "Side").await;
    let draft = NewEdge { kind: word("fears"), ..edge_draft(&side, &chain[1]) };
    stage.put(&stage.owner, draft).await;
    for (direction, kinds, expected) in [
        (Direction::Out, vec![], vec![&chain[1], &chain[2]]),
        (Direction::In, vec![], vec![&chain[0], &chain[1], &side]),
        (Direction::Both, vec![], vec![&chain[0], &chain[1], &chain[2], &side]),
        (Direction::Both, vec!["fears"], vec![&chain[1], &side]),
    ] {
        let walk = Traversal {
            start: chain[1].id,
            direction,
            kinds: kinds.into_iter().map(word).collect(),
            budget: Budget::default(),
        };
        let reached = traverse(stage.store(), &stage.owner, &walk).await.unwrap();
        assert_eq!(ids(&reached), sorted(expected), "{direction:?}");
    }
}

/// It is the shortest path; there is none to nodes that were not reached.
pub async fn a_path_leads_from_the_start(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let chain = chain(&stage, 4).await;
    stage.join(&stage.owner, &chain[0], &chain[2]).await;
    let lonely = stage.node(&stage.owner, "Lonely").await;
    let budget = Budget { depth: 9, ..Budget::default() };
    let reached = walk(&stage, &stage.owner, &chain[0], budget).await;
    assert_eq!(reached.path_to(chain[3].id), [chain[0].id, chain[2].id, chain[3].id]);
    assert_eq!(reached.path_to(chain[0].id), [chain[0].id]);
    assert!(reached.path_to(lonely.id).is_empty());
}

/// However deep the traversal may go.
pub async fn a_circle_ends(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let chain = chain(&stage, 4).await;
    stage.join(&stage.owner, &chain[3], &chain[0]).await;
    stage.join(&stage.owner, &chain[2], &chain[2]).await;
    let budget = Budget { depth: 1_000, ..Budget::default() };
    let reached = walk(&stage, &stage.owner, &chain[0], budget).await;
    assert_eq!((reached.nodes.len(), reached.edges.len()), (4, 5));
    assert_eq!(reached.stop, Stop::Complete);
}

/// The start counts as a node.
pub async fn the_node_budget_stops_a_walk(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let hub = star(&stage, &[1.0; 6]).await;
    for nodes in [1, 3, 6] {
        let budget = Budget { nodes, ..Budget::default() };
        let reached = walk(&stage, &stage.owner, &hub, budget).await;
        assert_eq!((reached.nodes.len(), reached.edges.len()), (nodes, nodes - 1));
        assert_eq!(reached.stop, Stop::NodeBudget);
    }
    let budget = Budget { nodes: 7, ..Budget::default() };
    assert_eq!(walk(&stage, &stage.owner, &hub, budget).await.stop, Stop::Complete);
}

/// A budget of 0 edges is respected.
pub async fn the_edge_budget_stops_a_walk(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let hub = star(&stage, &[1.0; 6]).await;
    for edges in [0, 2, 5] {
        let budget = Budget { edges, ..Budget::default() };
        let reached = walk(&stage, &stage.owner, &hub, budget).await;
        assert_eq!((reached.nodes.len(), reached.edges.len()), (edges + 1, edges));
        assert_eq!(reached.stop, Stop::EdgeBudget);
    }
}

/// So a small budget keeps the strongest edges.
pub async fn the_strongest_edges_are_walked_first(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let hub = star(&stage, &[0.5, 9.0, 0.1, 4.0]).await;
    let budget = Budget { edges: 2, ..Budget::default() };
    let reached = walk(&stage, &stage.owner, &hub, budget).await;
    let mut weights: Vec<_> = reached.edges.iter().map(|edge| edge.weight).collect();
    weights.sort_by(f64::total_cmp);
    assert_eq!(weights, [4.0, 9.0]);
}

/// A chain through a hidden node is two separate chains.
pub async fn a_walk_never_passes_what_is_hidden(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let player = stage.person("Pia", Role::Player).await;
    let start = stage.node(&stage.owner, "Start").await;
    let secret = stage.node_for(&stage.owner, Visibility::Gm).await;
    let end = stage.node(&stage.owner, "End").await;
    stage.join(&stage.owner, &start, &secret).await;
    stage.join(&stage.owner, &secret, &end).await;
    let budget = Budget { depth: 9, ..Budget::default() };
    assert_eq!(walk(&stage, &stage.owner, &start, budget).await.nodes.len(), 3);
    let reached = walk(&stage, &player, &start, budget).await;
    assert_eq!(ids(&reached), [start.id]);
    assert!(reached.edges.is_empty());
}

/// Its edges are hidden with it.
pub async fn a_hidden_start_reaches_only_itself(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let player = stage.person("Pia", Role::Player).await;
    let secret = stage.node_for(&stage.owner, Visibility::Gm).await;
    let open = stage.node(&stage.owner, "Open").await;
    stage.join(&stage.owner, &secret, &open).await;
    let reached = walk(&stage, &player, &secret, Budget::default()).await;
    assert_eq!(ids(&reached), [secret.id]);
    assert_eq!(reached.stop, Stop::Complete);
}

async fn chain(stage: &Stage, length: usize) -> Vec<Node> {
    let mut nodes: Vec<Node> = Vec::new();
    for number in 0..length {
        let node = stage.node(&stage.owner, &format!("N{number}")).await;
        if let Some(last) = nodes.last() {
            stage.join(&stage.owner, last, &node).await;
        }
        nodes.push(node);
    }
    nodes
}

async fn star(stage: &Stage, weights: &[f64]) -> Node {
    let hub = stage.node(&stage.owner, "Hub").await;
    for &weight in weights {
        let ray = stage.node(&stage.owner, "Ray").await;
        stage.put(&stage.owner, NewEdge { weight, ..edge_draft(&hub, &ray) }).await;
    }
    hub
}

async fn walk(stage: &Stage, viewer: &Viewer, start: &Node, budget: Budget) -> Reached {
    let walk = Traversal { start: start.id, direction: Direction::Out, kinds: vec![], budget };
    traverse(stage.store(), viewer, &walk).await.unwrap()
}

fn ids(reached: &Reached) -> Vec<NodeId> {
    let mut ids: Vec<_> = reached.nodes.keys().copied().collect();
    ids.sort();
    ids
}

fn sorted(nodes: Vec<&Node>) -> Vec<NodeId> {
    let mut ids: Vec<_> = nodes.into_iter().map(|node| node.id).collect();
    ids.sort();
    ids
}

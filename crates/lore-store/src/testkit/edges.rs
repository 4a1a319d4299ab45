//! Contract tests for edges.

use lore_core::{Edge, EdgeId, Node, NodeId, Properties, Role, Stamp, Viewer, Visibility};
use serde_json::json;

use super::Harness;
use super::stage::{Stage, batch, between, edge_draft, invalid, moment, not_found, version, word};
use crate::{Batch, Change, Direction, EdgePatch, EdgeRef, Expect, NewEdge, NodeRef};

/// Every field comes back.
pub async fn an_edge_comes_back_as_it_was_put(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let [a, b] = pair(&stage).await;
    let draft = NewEdge {
        kind: word("member_of"),
        weight: 2.5,
        visibility: Visibility::Gm,
        properties: properties("old friends"),
        ..edge_draft(&a, &b)
    };
    let edge = stage.put(&stage.owner, draft).await;
    let expected = Edge {
        id: edge.id,
        source: a.id,
        target: b.id,
        kind: word("member_of"),
        weight: 2.5,
        visibility: Visibility::Gm,
        properties: properties("old friends"),
        version: 1,
        created: Stamp { at: moment(1), by: stage.owner.principal },
        deleted_at: None,
    };
    assert_eq!(edge, expected);
}

/// Private ones are found by whom they belong to, and changed without being shown to anybody.
pub async fn what_several_people_keep_at_a_node_is_within_reach(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let [a, b] = pair(&stage).await;
    let player = stage.person("Pia", Role::Player).await;
    let own = |viewer: &Viewer| NewEdge {
        visibility: Visibility::Private(viewer.principal),
        ..edge_draft(&a, &b)
    };
    let theirs = stage.put(&player, own(&player)).await;
    let hidden = NewEdge { visibility: Visibility::Gm, ..edge_draft(&a, &b) };
    let behind = stage.put(&stage.owner, hidden.clone()).await;
    let nodes = [a.id];
    assert_eq!(stage.store().keepers(&nodes).await.unwrap(), [player.principal]);

    let patch = EdgePatch { weight: Some(0.5), ..EdgePatch::default() };
    let change = Change::UpdateEdge(EdgeRef::Id(theirs.id), Expect::Any, patch);
    not_found(stage.attempt(&stage.owner, change.clone()).await);
    let again = NewEdge { weight: 0.25, ..hidden };
    let whole = batch().reaching_everybody().change(change).change(Change::PutEdge(again));
    stage.commit(&stage.owner, whole).await;
    let weights =
        |edges: Vec<Edge>| edges.into_iter().map(|edge| (edge.id, edge.weight)).collect::<Vec<_>>();
    assert_eq!(weights(stage.edges_out(&player, a.id).await), [(theirs.id, 0.5)]);
    assert_eq!(weights(stage.edges_out(&stage.owner, a.id).await), [(behind.id, 0.25)]);
}

/// It has the new values and the next version.
pub async fn putting_again_updates_the_same_edge(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let [a, b] = pair(&stage).await;
    let first = stage.join(&stage.owner, &a, &b).await;
    let again = NewEdge { weight: 7.0, properties: properties("x"), ..edge_draft(&a, &b) };
    let later = Batch { at: moment(60), ..batch() };
    let done = stage.commit(&stage.owner, later.change(Change::PutEdge(again))).await;
    assert_eq!(version(&done), 2);
    let edges = stage.edges_out(&stage.owner, a.id).await;
    let expected = Edge { weight: 7.0, properties: properties("x"), version: 2, ..first };
    assert_eq!(edges, [expected]);
}

/// It is the same edge, not a second one.
pub async fn putting_revives_an_edge_from_the_bin(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let [a, b] = pair(&stage).await;
    let first = stage.join(&stage.owner, &a, &b).await;
    let delete = Change::DeleteEdge(EdgeRef::Id(first.id), Expect::Version(1));
    stage.change(&stage.owner, delete).await;
    let revived = stage.join(&stage.owner, &a, &b).await;
    assert_eq!(revived, Edge { version: 3, ..first });
}

/// Two kinds in two directions make four edges between two nodes.
pub async fn kinds_and_directions_are_edges_of_their_own(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let [a, b] = pair(&stage).await;
    for (from, to) in [(&a, &b), (&b, &a)] {
        for kind in ["knows", "fears"] {
            let draft = NewEdge { kind: word(kind), ..edge_draft(from, to) };
            assert_eq!(stage.put(&stage.owner, draft).await.version, 1);
        }
    }
    let all = follow(&stage, &[a.id], Direction::Both).await;
    assert_eq!(all.len(), 4);
}

/// Each direction returns its own edges.
pub async fn edges_are_followed_out_in_and_both_ways(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let [a, b] = pair(&stage).await;
    let c = stage.node(&stage.owner, "C").await;
    let ab = stage.join(&stage.owner, &a, &b).await;
    let ca = stage.join(&stage.owner, &c, &a).await;
    assert_eq!(follow(&stage, &[a.id], Direction::Out).await, std::slice::from_ref(&ab));
    assert_eq!(follow(&stage, &[a.id], Direction::In).await, std::slice::from_ref(&ca));
    assert_eq!(follow(&stage, &[a.id], Direction::Both).await, [ab, ca]);
}

/// Ordered by weight, then by age.
pub async fn the_strongest_come_first_then_the_oldest(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let hub = stage.node(&stage.owner, "Hub").await;
    for (name, weight) in [("A", 1.0), ("B", 3.0), ("C", 1.0), ("D", -2.0), ("E", 3.0)] {
        let node = stage.node(&stage.owner, name).await;
        stage.put(&stage.owner, NewEdge { weight, ..edge_draft(&hub, &node) }).await;
    }
    let edges = stage.edges_out(&stage.owner, hub.id).await;
    let weights: Vec<_> = edges.iter().map(|edge| edge.weight).collect();
    assert_eq!(weights, [3.0, 3.0, 1.0, 1.0, -2.0]);
    assert!(edges[0].id < edges[1].id && edges[2].id < edges[3].id);
}

/// A limit of 0 returns nothing.
pub async fn a_limit_keeps_the_strongest(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let hub = stage.node(&stage.owner, "Hub").await;
    for weight in [1.0, 5.0, 3.0] {
        let node = stage.node(&stage.owner, "N").await;
        stage.put(&stage.owner, NewEdge { weight, ..edge_draft(&hub, &node) }).await;
    }
    for (limit, expected) in [(2, vec![5.0, 3.0]), (0, vec![]), (9, vec![5.0, 3.0, 1.0])] {
        let edges = stage
            .store()
            .neighbours(&stage.owner, &[hub.id], Direction::Out, &[], limit)
            .await
            .unwrap();
        assert_eq!(edges.iter().map(|edge| edge.weight).collect::<Vec<_>>(), expected);
    }
}

/// Edges of any named kind are returned; an empty list does not restrict.
pub async fn kinds_restrict_unless_there_are_none(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let [a, b] = pair(&stage).await;
    for kind in ["knows", "fears", "loves"] {
        stage.put(&stage.owner, NewEdge { kind: word(kind), ..edge_draft(&a, &b) }).await;
    }
    for (kinds, count) in
        [(vec![], 3), (vec!["fears"], 1), (vec!["fears", "loves", "x"], 2), (vec!["x"], 0)]
    {
        let kinds: Vec<_> = kinds.into_iter().map(word).collect();
        let edges = stage
            .store()
            .neighbours(&stage.owner, &[a.id], Direction::Out, &kinds, 100)
            .await
            .unwrap();
        assert_eq!(edges.len(), count, "{kinds:?}");
    }
}

/// An edge between two of the nodes is returned once.
pub async fn several_nodes_share_one_answer(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let [a, b] = pair(&stage).await;
    let c = stage.node(&stage.owner, "C").await;
    stage.join(&stage.owner, &a, &b).await;
    stage.join(&stage.owner, &b, &c).await;
    let all = follow(&stage, &[a.id, b.id, c.id, NodeId(999)], Direction::Both).await;
    assert_eq!(all.len(), 2);
    assert!(follow(&stage, &[], Direction::Both).await.is_empty());
    assert!(follow(&stage, &[NodeId(999)], Direction::Both).await.is_empty());
}

/// An edge from a node to itself is returned once.
pub async fn a_loop_is_one_edge(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let [a, _] = pair(&stage).await;
    stage.join(&stage.owner, &a, &a).await;
    for direction in [Direction::Out, Direction::In, Direction::Both] {
        assert_eq!(follow(&stage, &[a.id], direction).await.len(), 1);
    }
}

/// The row id and the end nodes identify the same edge.
pub async fn an_edge_is_changed_by_row_or_by_ends(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let [a, b] = pair(&stage).await;
    let edge = stage.join(&stage.owner, &a, &b).await;
    let patch = EdgePatch { weight: Some(4.0), ..EdgePatch::default() };
    let change = Change::UpdateEdge(EdgeRef::Id(edge.id), Expect::Version(1), patch);
    stage.change(&stage.owner, change).await;
    let patch = EdgePatch { properties: Some(properties("y")), ..EdgePatch::default() };
    let change = Change::UpdateEdge(between(&a, &b), Expect::Version(2), patch);
    assert_eq!(version(&stage.change(&stage.owner, change).await), 3);
    let expected = Edge { weight: 4.0, properties: properties("y"), version: 3, ..edge };
    assert_eq!(stage.edges_out(&stage.owner, a.id).await, [expected]);
}

/// Checked for new edges and for updates.
pub async fn a_weight_must_be_a_number(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let [a, b] = pair(&stage).await;
    let edge = stage.join(&stage.owner, &a, &b).await;
    for weight in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let draft = NewEdge { weight, ..edge_draft(&b, &a) };
        invalid(stage.attempt(&stage.owner, Change::PutEdge(draft)).await);
        let patch = EdgePatch { weight: Some(weight), ..EdgePatch::default() };
        let change = Change::UpdateEdge(EdgeRef::Id(edge.id), Expect::Any, patch);
        invalid(stage.attempt(&stage.owner, change).await);
    }
    assert_eq!(follow(&stage, &[a.id], Direction::Both).await, [edge]);
}

/// The end nodes must exist and must not be deleted.
pub async fn an_edge_needs_two_live_nodes(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let [a, b] = pair(&stage).await;
    let nowhere = NodeRef::Uid(stage.uid());
    let out = NewEdge { target: nowhere, ..edge_draft(&a, &b) };
    let back = NewEdge { source: nowhere, ..edge_draft(&a, &b) };
    not_found(stage.attempt(&stage.owner, Change::PutEdge(out)).await);
    not_found(stage.attempt(&stage.owner, Change::PutEdge(back)).await);
    stage.change(&stage.owner, Change::DeleteNode(NodeRef::Id(b.id), Expect::Any)).await;
    not_found(stage.attempt(&stage.owner, Change::PutEdge(edge_draft(&a, &b))).await);
    not_found(stage.attempt(&stage.owner, Change::PutEdge(edge_draft(&b, &a))).await);
}

/// Neither by row id nor by its end nodes.
pub async fn an_absent_edge_cannot_be_changed(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let [a, b] = pair(&stage).await;
    stage.join(&stage.owner, &a, &b).await;
    for edge in [EdgeRef::Id(EdgeId(999)), between(&b, &a)] {
        let update = Change::UpdateEdge(edge.clone(), Expect::Any, EdgePatch::default());
        not_found(stage.attempt(&stage.owner, update).await);
        not_found(stage.attempt(&stage.owner, Change::DeleteEdge(edge.clone(), Expect::Any)).await);
        not_found(stage.attempt(&stage.owner, Change::RestoreEdge(edge)).await);
    }
}

async fn pair(stage: &Stage) -> [Node; 2] {
    [stage.node(&stage.owner, "A").await, stage.node(&stage.owner, "B").await]
}

async fn follow(stage: &Stage, nodes: &[NodeId], direction: Direction) -> Vec<Edge> {
    stage.store().neighbours(&stage.owner, nodes, direction, &[], 1_000).await.unwrap()
}

fn properties(note: &str) -> Properties {
    json!({ "note": note }).as_object().unwrap().clone()
}

//! Contract tests for deleting and restoring.

use lore_core::{EdgeId, Node, NodeId, Role, TextId, Visibility};

use super::Harness;
use super::stage::{Stage, batch, between, edge_draft, moment, not_found, version};
use crate::{
    Bin, Change, Direction, EdgePatch, EdgeRef, Expect, NodeKey, NodePatch, NodeQuery, NodeRef,
    TextPatch, TextRef,
};

/// Only the query for deleted nodes lists it, and a key finds it only there.
pub async fn a_deleted_node_is_only_in_the_bin(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let node = stage.node(&stage.owner, "Gandalf").await;
    let live = stage.node(&stage.owner, "Bilbo").await;
    stage.change(&stage.owner, delete(&node)).await;
    let keys = [
        NodeKey::Id(node.id),
        NodeKey::Uid(node.uid),
        NodeKey::Number(node.number),
        NodeKey::KindNumber(node.kind.clone(), node.kind_number),
    ];
    for key in keys {
        assert_eq!(stage.store().node(&stage.owner, key.clone()).await.unwrap(), None);
        let binned = stage.store().node_in_bin(&stage.owner, key).await.unwrap().unwrap();
        assert_eq!((binned.id, binned.deleted_at), (node.id, Some(moment(1))));
    }
    let key = NodeKey::Uid(live.uid);
    assert_eq!(stage.store().node_in_bin(&stage.owner, key).await.unwrap(), None);
    let both = [node.id, live.id];
    assert_eq!(stage.store().nodes(&stage.owner, &both).await.unwrap().len(), 1);
    let page = stage.store().find_nodes(&stage.owner, NodeQuery::default()).await.unwrap();
    assert_eq!((page.total, page.items[0].id), (1, live.id));
    let query = NodeQuery { bin: Bin::Deleted, ..NodeQuery::default() };
    let bin = stage.store().find_nodes(&stage.owner, query).await.unwrap();
    assert_eq!((bin.total, bin.items[0].id), (1, node.id));
    assert_eq!(bin.items[0].deleted_at, Some(moment(1)));
}

/// Texts and edges of a deleted node are not deleted themselves.
pub async fn a_restored_node_has_its_texts_and_edges_again(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let node = stage.node(&stage.owner, "Gandalf").await;
    let friend = stage.node(&stage.owner, "Bilbo").await;
    let text = stage.text(&stage.owner, &node, "x").await;
    stage.join(&stage.owner, &friend, &node).await;
    stage.change(&stage.owner, delete(&node)).await;
    assert_eq!(stage.store().text(&stage.owner, text.id).await.unwrap(), None);
    for bin in [Bin::Live, Bin::Deleted] {
        let texts = stage.store().texts_of(&stage.owner, node.id, bin).await.unwrap();
        assert!(texts.is_empty());
    }
    assert!(stage.edges_out(&stage.owner, friend.id).await.is_empty());
    stage.change(&stage.owner, Change::RestoreNode(NodeRef::Id(node.id))).await;
    let back = stage.read(&stage.owner, node.id).await.unwrap();
    assert_eq!((back.name, back.deleted_at), (node.name, None));
    assert_eq!(stage.store().text(&stage.owner, text.id).await.unwrap(), Some(text));
    assert_eq!(stage.edges_out(&stage.owner, friend.id).await.len(), 1);
}

/// Includes edges to other deleted nodes. Only viewers who see both ends get an edge.
pub async fn what_joins_a_node_in_the_bin_is_known(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let node = stage.node(&stage.owner, "Gandalf").await;
    let (friend, foe) = (stage.node(&stage.owner, "B").await, stage.node(&stage.owner, "C").await);
    let hidden = stage.node_for(&stage.owner, Visibility::Gm).await;
    let there = stage.join(&stage.owner, &friend, &node).await;
    let back = stage.join(&stage.owner, &node, &friend).await;
    let behind = stage.join(&stage.owner, &node, &hidden).await;
    let beside = stage.join(&stage.owner, &node, &foe).await;
    for gone in [&node, &foe] {
        stage.change(&stage.owner, delete(gone)).await;
    }
    let player = stage.person("Pia", Role::Player).await;
    for (viewer, seen) in [
        (&stage.owner, vec![&there, &back, &behind, &beside]),
        (&player, vec![&there, &back, &beside]),
    ] {
        let edges = stage.store().edges_in_bin(viewer, node.id, 10).await.unwrap();
        assert_eq!(edges.iter().collect::<Vec<_>>(), seen);
        let few = stage.store().edges_in_bin(viewer, node.id, 1).await.unwrap();
        assert_eq!(few, std::slice::from_ref(&there));
    }
}

/// The changed edges are there when the node is restored.
pub async fn what_joins_a_node_in_the_bin_can_be_changed(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let (node, friend) =
        (stage.node(&stage.owner, "Gandalf").await, stage.node(&stage.owner, "Bilbo").await);
    let there = stage.join(&stage.owner, &friend, &node).await;
    let back = stage.join(&stage.owner, &node, &friend).await;
    stage.change(&stage.owner, delete(&node)).await;
    let patch = EdgePatch { weight: Some(0.25), ..EdgePatch::default() };
    let change = Change::UpdateEdge(EdgeRef::Id(there.id), Expect::Version(there.version), patch);
    stage.change(&stage.owner, change).await;
    stage.change(&stage.owner, Change::DeleteEdge(EdgeRef::Id(back.id), Expect::Any)).await;
    let left = stage.store().edges_in_bin(&stage.owner, node.id, 10).await.unwrap();
    assert_eq!(
        left.iter().map(|edge| (edge.id, edge.weight)).collect::<Vec<_>>(),
        [(there.id, 0.25)]
    );
    assert!(stage.edges_out(&stage.owner, friend.id).await.is_empty());
    stage.change(&stage.owner, Change::RestoreNode(NodeRef::Id(node.id))).await;
    assert_eq!(stage.edges_out(&stage.owner, friend.id).await, left);
    assert!(stage.edges_out(&stage.owner, node.id).await.is_empty());
}

/// It can be restored.
pub async fn a_deleted_text_is_only_in_the_bin(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let node = stage.node(&stage.owner, "Gandalf").await;
    let text = stage.text(&stage.owner, &node, "x").await;
    let delete = Change::DeleteText(TextRef::Id(text.id), Expect::Version(1));
    stage.change(&stage.owner, delete).await;
    assert_eq!(stage.store().text(&stage.owner, text.id).await.unwrap(), None);
    let live = stage.store().texts_of(&stage.owner, node.id, Bin::Live).await.unwrap();
    assert!(live.is_empty());
    let bin = stage.store().texts_of(&stage.owner, node.id, Bin::Deleted).await.unwrap();
    assert_eq!((bin.len(), bin[0].id, bin[0].deleted_at), (1, text.id, Some(moment(1))));
    stage.change(&stage.owner, Change::RestoreText(TextRef::Uid(text.uid))).await;
    let back = stage.store().text(&stage.owner, text.id).await.unwrap().unwrap();
    assert_eq!((back.body, back.deleted_at), (text.body, None));
}

/// It is deleted and restored by row id or by its end nodes.
pub async fn a_deleted_edge_is_gone_until_restored(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let a = stage.node(&stage.owner, "A").await;
    let b = stage.node(&stage.owner, "B").await;
    let edge = stage.join(&stage.owner, &a, &b).await;
    for reference in [EdgeRef::Id(edge.id), between(&a, &b)] {
        let delete = Change::DeleteEdge(reference.clone(), Expect::Any);
        stage.change(&stage.owner, delete).await;
        let gone = stage
            .store()
            .neighbours(&stage.owner, &[a.id, b.id], Direction::Both, &[], 9)
            .await
            .unwrap();
        assert!(gone.is_empty());
        stage.change(&stage.owner, Change::RestoreEdge(reference)).await;
        assert_eq!(stage.edges_out(&stage.owner, a.id).await[0].id, edge.id);
    }
}

/// For nodes, texts and edges.
pub async fn deleting_twice_finds_nothing(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let a = stage.node(&stage.owner, "A").await;
    let b = stage.node(&stage.owner, "B").await;
    let text = stage.text(&stage.owner, &a, "x").await;
    let edge = stage.join(&stage.owner, &a, &a).await;
    let changes = [
        delete(&b),
        Change::DeleteText(TextRef::Id(text.id), Expect::Any),
        Change::DeleteEdge(EdgeRef::Id(edge.id), Expect::Any),
    ];
    for change in changes {
        stage.change(&stage.owner, change.clone()).await;
        not_found(stage.attempt(&stage.owner, change).await);
    }
}

/// It is not an error.
pub async fn restoring_a_live_thing_changes_nothing(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let node = stage.node(&stage.owner, "A").await;
    let text = stage.text(&stage.owner, &node, "x").await;
    let edge = stage.join(&stage.owner, &node, &node).await;
    let whole = batch()
        .change(Change::RestoreNode(NodeRef::Id(node.id)))
        .change(Change::RestoreText(TextRef::Id(text.id)))
        .change(Change::RestoreEdge(EdgeRef::Id(edge.id)));
    let done = stage.commit(&stage.owner, whole).await;
    assert_eq!((done.applied.len(), version(&done)), (3, 1));
    assert_eq!(stage.read(&stage.owner, node.id).await, Some(node.clone()));
    assert_eq!(stage.store().text(&stage.owner, text.id).await.unwrap(), Some(text));
    assert_eq!(stage.edges_out(&stage.owner, node.id).await, [edge]);
}

/// For nodes, texts and edges.
pub async fn restoring_an_absent_thing_finds_nothing(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    for change in [
        Change::RestoreNode(NodeRef::Id(NodeId(999))),
        Change::RestoreNode(NodeRef::Uid(stage.uid())),
        Change::RestoreText(TextRef::Id(TextId(999))),
        Change::RestoreText(TextRef::Uid(stage.uid())),
        Change::RestoreEdge(EdgeRef::Id(EdgeId(999))),
    ] {
        not_found(stage.attempt(&stage.owner, change).await);
    }
}

/// It must be restored first.
pub async fn a_deleted_thing_cannot_be_changed(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let a = stage.node(&stage.owner, "A").await;
    let b = stage.node(&stage.owner, "B").await;
    let text = stage.text(&stage.owner, &a, "x").await;
    let edge = stage.join(&stage.owner, &a, &a).await;
    let gone = batch()
        .change(delete(&b))
        .change(Change::DeleteText(TextRef::Id(text.id), Expect::Any))
        .change(Change::DeleteEdge(EdgeRef::Id(edge.id), Expect::Any));
    stage.commit(&stage.owner, gone).await;
    for change in [
        Change::UpdateNode(NodeRef::Id(b.id), Expect::Any, NodePatch::default()),
        Change::UpdateText(TextRef::Id(text.id), Expect::Any, TextPatch::default()),
        Change::UpdateEdge(EdgeRef::Id(edge.id), Expect::Any, EdgePatch::default()),
        Change::UpdateEdge(between(&a, &a), Expect::Any, EdgePatch::default()),
    ] {
        not_found(stage.attempt(&stage.owner, change).await);
    }
}

/// Its texts are hidden with it, and its edges are not found by their end nodes either.
pub async fn what_hangs_on_a_deleted_node_cannot_be_changed(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let node = stage.node(&stage.owner, "A").await;
    let other = stage.node(&stage.owner, "B").await;
    let text = stage.text(&stage.owner, &node, "x").await;
    stage.join(&stage.owner, &other, &node).await;
    stage.change(&stage.owner, delete(&node)).await;
    for change in [
        Change::UpdateText(TextRef::Id(text.id), Expect::Any, TextPatch::default()),
        Change::DeleteText(TextRef::Uid(text.uid), Expect::Any),
        Change::RestoreText(TextRef::Id(text.id)),
        Change::UpdateEdge(between(&other, &node), Expect::Any, EdgePatch::default()),
        Change::DeleteEdge(between(&other, &node), Expect::Any),
        Change::PutEdge(edge_draft(&other, &node)),
    ] {
        not_found(stage.attempt(&stage.owner, change).await);
    }
}

/// So a stale reader notices.
pub async fn deleting_and_restoring_count_versions(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let node = stage.node(&stage.owner, "A").await;
    let text = stage.text(&stage.owner, &node, "x").await;
    let edge = stage.join(&stage.owner, &node, &node).await;
    let steps = [
        (Change::DeleteText(TextRef::Id(text.id), Expect::Version(1)), 2),
        (Change::RestoreText(TextRef::Id(text.id)), 3),
        (Change::DeleteEdge(EdgeRef::Id(edge.id), Expect::Version(1)), 2),
        (Change::RestoreEdge(EdgeRef::Id(edge.id)), 3),
        (Change::DeleteNode(NodeRef::Id(node.id), Expect::Version(1)), 2),
        (Change::RestoreNode(NodeRef::Id(node.id)), 3),
    ];
    for (change, expected) in steps {
        assert_eq!(version(&stage.change(&stage.owner, change).await), expected);
    }
}

fn delete(node: &Node) -> Change {
    Change::DeleteNode(NodeRef::Id(node.id), Expect::Any)
}

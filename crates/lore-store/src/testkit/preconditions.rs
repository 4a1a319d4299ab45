//! Contract tests for preconditions: what was read before must still hold.

use lore_core::{Node, NodeId, Role, Visibility};

use super::Harness;
use super::stage::{Stage, batch, conflict, edge_draft, version, word};
use crate::{
    Change, EdgePatch, EdgeRef, Expect, NewEdge, NewNode, NewState, NodePatch, NodeQuery, NodeRef,
    Require, TextPatch, TextRef,
};

/// For one version after the other.
pub async fn the_version_read_before_lets_a_change_pass(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let node = stage.node(&stage.owner, "A").await;
    for expected in 1..=3 {
        let change = rename(&node, Expect::Version(expected), &format!("B{expected}"));
        assert_eq!(version(&stage.change(&stage.owner, change).await), expected + 1);
    }
}

/// Versions that are too old or too new fail, for updates and for deletions.
pub async fn a_stale_version_of_a_node_is_a_conflict(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let node = stage.node(&stage.owner, "A").await;
    stage.change(&stage.owner, rename(&node, Expect::Any, "B")).await;
    let now = stage.read(&stage.owner, node.id).await.unwrap();
    for stale in [0, 1, 3] {
        let update = rename(&node, Expect::Version(stale), "C");
        conflict(stage.attempt(&stage.owner, update).await);
        let delete = Change::DeleteNode(NodeRef::Id(node.id), Expect::Version(stale));
        conflict(stage.attempt(&stage.owner, delete).await);
    }
    assert_eq!(stage.read(&stage.owner, node.id).await.unwrap(), now);
}

/// For updates and for deletions.
pub async fn a_stale_version_of_a_text_is_a_conflict(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let node = stage.node(&stage.owner, "A").await;
    let text = stage.text(&stage.owner, &node, "x").await;
    let reference = TextRef::Id(text.id);
    let patch = TextPatch { body: Some("y".into()), ..TextPatch::default() };
    let update = Change::UpdateText(reference, Expect::Version(2), patch);
    conflict(stage.attempt(&stage.owner, update).await);
    let delete = Change::DeleteText(reference, Expect::Version(2));
    conflict(stage.attempt(&stage.owner, delete).await);
    assert_eq!(stage.store().text(&stage.owner, text.id).await.unwrap(), Some(text));
}

/// For updates and for deletions.
pub async fn a_stale_version_of_an_edge_is_a_conflict(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let node = stage.node(&stage.owner, "A").await;
    let edge = stage.join(&stage.owner, &node, &node).await;
    let other = NewEdge { weight: 2.0, ..edge_draft(&node, &node) };
    stage.change(&stage.owner, Change::PutEdge(other)).await;
    let reference = EdgeRef::Id(edge.id);
    let update = Change::UpdateEdge(reference.clone(), Expect::Version(1), EdgePatch::default());
    conflict(stage.attempt(&stage.owner, update).await);
    let delete = Change::DeleteEdge(reference, Expect::Version(1));
    conflict(stage.attempt(&stage.owner, delete).await);
    assert_eq!(stage.edges_out(&stage.owner, node.id).await[0].version, 2);
}

/// Case is ignored, and aliases do not count.
pub async fn a_free_name_passes_and_a_taken_one_is_a_conflict(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let draft = NewNode { aliases: vec!["Mithrandir".into()], ..stage.draft("Gandalf") };
    stage.make(&stage.owner, draft).await;
    for taken in ["Gandalf", "GANDALF", " gandalf"] {
        let make = batch()
            .require(free("character", taken))
            .change(Change::CreateNode(stage.draft("Double")));
        conflict(stage.store().commit(&stage.owner, make).await);
    }
    for name in ["Mithrandir", "Gandal", "Bilbo"] {
        let make =
            batch().require(free("character", name)).change(Change::CreateNode(stage.draft(name)));
        stage.commit(&stage.owner, make).await;
    }
}

/// Only live nodes of the same kind hold a name.
pub async fn a_name_is_free_among_other_kinds_and_in_the_bin(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let node = stage.node(&stage.owner, "Gandalf").await;
    let make = batch().require(free("place", "Gandalf")).change(Change::CreateNode(NewNode::new(
        stage.uid(),
        word("place"),
        "Gandalf",
    )));
    stage.commit(&stage.owner, make).await;
    stage.change(&stage.owner, Change::DeleteNode(NodeRef::Id(node.id), Expect::Any)).await;
    let make = batch()
        .require(free("character", "Gandalf"))
        .change(Change::CreateNode(stage.draft("Gandalf")));
    stage.commit(&stage.owner, make).await;
}

/// The batch does not change the node itself.
pub async fn a_required_version_passes_or_is_a_conflict(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let node = stage.node(&stage.owner, "A").await;
    for reference in [NodeRef::Id(node.id), NodeRef::Uid(node.uid)] {
        let at = |version| batch().require(Require::NodeAt { node: reference, version });
        stage.commit(&stage.owner, at(1).touch("lore://x")).await;
        conflict(stage.store().commit(&stage.owner, at(2).touch("lore://x")).await);
    }
}

/// A deleted or unknown node is a conflict, not "not found".
pub async fn a_required_node_that_is_gone_is_a_conflict(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let node = stage.node(&stage.owner, "A").await;
    stage.change(&stage.owner, Change::DeleteNode(NodeRef::Id(node.id), Expect::Any)).await;
    for reference in [NodeRef::Id(node.id), NodeRef::Id(NodeId(999)), NodeRef::Uid(stage.uid())] {
        for version in [1, 2] {
            let asking = batch().require(Require::NodeAt { node: reference, version });
            conflict(stage.store().commit(&stage.owner, asking.touch("lore://x")).await);
        }
    }
}

/// The batch does not write the document itself. Covers the right version, a stale one, a missing
/// document and a hidden one.
pub async fn a_required_document_passes_or_is_a_conflict(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let node = stage.node(&stage.owner, "A").await;
    let at = |version| {
        let (node, name) = (NodeRef::Uid(node.uid), word("sheet"));
        batch().require(Require::StateAt { node, name, version }).touch("lore://x")
    };
    stage.commit(&stage.owner, at(0)).await;
    conflict(stage.store().commit(&stage.owner, at(1)).await);
    let sheet = NewState {
        node: NodeRef::Id(node.id),
        name: word("sheet"),
        expect: Expect::Version(0),
        value: serde_json::json!({ "hp": 6 }),
        visibility: Visibility::Gm,
    };
    stage.change(&stage.owner, Change::PutState(sheet)).await;
    stage.commit(&stage.owner, at(1)).await;
    for stale in [0, 2] {
        conflict(stage.store().commit(&stage.owner, at(stale)).await);
    }
    let alice = stage.person("alice", Role::Player).await;
    for version in [0, 1] {
        conflict(stage.store().commit(&alice, at(version)).await);
    }
    stage.change(&stage.owner, Change::DeleteNode(NodeRef::Id(node.id), Expect::Any)).await;
    conflict(stage.store().commit(&stage.owner, at(1)).await);
}

/// A batch neither fulfils nor breaks its own preconditions.
pub async fn conditions_look_at_the_state_before_the_batch(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let node = stage.node(&stage.owner, "A").await;
    let swap = batch()
        .require(Require::NodeAt { node: NodeRef::Id(node.id), version: 1 })
        .require(free("character", "B"))
        .change(rename(&node, Expect::Any, "B"))
        .change(Change::CreateNode(stage.draft("B")));
    stage.commit(&stage.owner, swap).await;
    let new = stage.draft("C");
    let early = batch()
        .require(Require::NodeAt { node: NodeRef::Uid(new.uid), version: 1 })
        .change(Change::CreateNode(new));
    conflict(stage.store().commit(&stage.owner, early).await);
}

/// Whichever of them fails.
pub async fn one_failed_condition_stops_everything(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let node = stage.node(&stage.owner, "A").await;
    let make = batch()
        .require(free("character", "B"))
        .require(Require::NodeAt { node: NodeRef::Id(node.id), version: 7 })
        .change(Change::CreateNode(stage.draft("B")));
    conflict(stage.store().commit(&stage.owner, make).await);
    let page = stage.store().find_nodes(&stage.owner, NodeQuery::default()).await.unwrap();
    assert_eq!(page.total, 1);
}

fn rename(node: &Node, expect: Expect, name: &str) -> Change {
    let patch = NodePatch { name: Some(name.into()), ..NodePatch::default() };
    Change::UpdateNode(NodeRef::Id(node.id), expect, patch)
}

fn free(kind: &str, name: &str) -> Require {
    Require::NameFree { kind: word(kind), name: name.into() }
}

//! Contract tests for worlds, which must not know of each other.

use lore_core::{Node, Role, Viewer};

use super::Harness;
use super::stage::{Stage, batch, between, edge_draft, exists, moment, not_found, origin, word};
use crate::{
    Bin, Change, Direction, EdgePatch, EdgeRef, Expect, NewEdge, NewNode, NewText, NodeKey,
    NodePatch, NodeQuery, NodeRef, Require, StoreError, TextPatch, TextRef,
};

/// By row id, by uid, in lists and in search, even for the owner of both.
pub async fn nodes_of_another_world_are_absent(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let (other, theirs) = other_world_with_node(&stage).await;
    for key in [NodeKey::Id(theirs.id), NodeKey::Uid(theirs.uid), NodeKey::Number(1)] {
        assert_eq!(stage.store().node(&stage.owner, key).await.unwrap(), None);
    }
    assert!(stage.store().nodes(&stage.owner, &[theirs.id]).await.unwrap().is_empty());
    assert!(stage.store().nodes_by_uid(&stage.owner, &[theirs.uid]).await.unwrap().is_empty());
    let page = stage.store().find_nodes(&stage.owner, NodeQuery::default()).await.unwrap();
    assert_eq!((page.total, page.items.len()), (0, 0));
    assert_eq!(stage.read(&other, theirs.id).await, Some(theirs));
}

/// Together with the nodes they belong to.
pub async fn texts_and_edges_of_another_world_are_absent(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let (other, theirs) = other_world_with_node(&stage).await;
    let text = stage.text(&other, &theirs, "x").await;
    stage.join(&other, &theirs, &theirs).await;
    assert_eq!(stage.store().text(&stage.owner, text.id).await.unwrap(), None);
    let texts = stage.store().texts_of(&stage.owner, theirs.id, Bin::Live).await.unwrap();
    assert!(texts.is_empty());
    let edges = stage
        .store()
        .neighbours(&stage.owner, &[theirs.id], Direction::Both, &[], 9)
        .await
        .unwrap();
    assert!(edges.is_empty());
}

/// Only by its owner; the other worlds are told, and the name of another world is refused.
pub async fn a_world_gets_another_name(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let other = stage.other_world("Elsewhere").await;
    let rename = async |viewer: Viewer, name: &str| {
        stage.store().rename_world(&viewer, name.into(), origin(), moment(5)).await
    };
    let renamed = rename(other, "Far away").await.unwrap();
    assert_eq!((renamed.id, renamed.name.as_str()), (other.world, "Far away"));
    let worlds = stage.store().worlds(stage.owner.principal).await.unwrap();
    assert!(worlds.contains(&renamed) && worlds.len() == 2, "{worlds:?}");
    rename(other, "FAR AWAY").await.unwrap();
    exists(rename(stage.owner, "far away").await);
    let player = stage.person("Pia", Role::Player).await;
    assert!(matches!(rename(player, "Mine").await, Err(StoreError::Forbidden { .. })));
    assert!(rename(other, "  ").await.is_err());
}

/// Any kind of item, however it is addressed.
pub async fn nothing_of_another_world_can_be_changed(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let (other, theirs) = other_world_with_node(&stage).await;
    let text = stage.text(&other, &theirs, "x").await;
    let edge = stage.join(&other, &theirs, &theirs).await;
    let ends = between(&theirs, &theirs);
    let changes = [
        Change::UpdateNode(NodeRef::Id(theirs.id), Expect::Any, NodePatch::default()),
        Change::UpdateNode(NodeRef::Uid(theirs.uid), Expect::Any, NodePatch::default()),
        Change::DeleteNode(NodeRef::Id(theirs.id), Expect::Any),
        Change::RestoreNode(NodeRef::Id(theirs.id)),
        Change::CreateText(stage.text_draft(&theirs, "y")),
        Change::UpdateText(TextRef::Uid(text.uid), Expect::Any, TextPatch::default()),
        Change::MoveText(TextRef::Id(text.id), Expect::Any, NodeRef::Id(theirs.id)),
        Change::DeleteText(TextRef::Id(text.id), Expect::Any),
        Change::UpdateEdge(EdgeRef::Id(edge.id), Expect::Any, EdgePatch::default()),
        Change::UpdateEdge(ends.clone(), Expect::Any, EdgePatch::default()),
        Change::DeleteEdge(ends, Expect::Any),
        Change::DeleteEdge(EdgeRef::Id(edge.id), Expect::Any),
    ];
    for change in changes {
        not_found(stage.attempt(&stage.owner, change).await);
    }
    assert_eq!(stage.read(&other, theirs.id).await.unwrap(), theirs);
}

/// In neither direction.
pub async fn worlds_are_never_joined(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let (other, theirs) = other_world_with_node(&stage).await;
    let ours = stage.node(&stage.owner, "Ours").await;
    for viewer in [&stage.owner, &other] {
        for (from, to) in [(&ours, &theirs), (&theirs, &ours)] {
            not_found(stage.attempt(viewer, Change::PutEdge(edge_draft(from, to))).await);
        }
    }
    let by_uid = NewEdge { target: NodeRef::Uid(theirs.uid), ..edge_draft(&ours, &ours) };
    not_found(stage.attempt(&stage.owner, Change::PutEdge(by_uid)).await);
    let text = NewText { node: NodeRef::Uid(theirs.uid), ..stage.text_draft(&ours, "x") };
    not_found(stage.attempt(&stage.owner, Change::CreateText(text)).await);
}

/// Numbering starts at 1 in each world.
pub async fn numbers_run_for_each_world(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let (other, theirs) = other_world_with_node(&stage).await;
    let ours = stage.node(&stage.owner, "Ours").await;
    assert_eq!((ours.number, ours.kind_number), (1, 1));
    assert_eq!((theirs.number, theirs.kind_number), (1, 1));
    let found = stage.store().node(&other, NodeKey::Number(1)).await.unwrap();
    assert_eq!(found, Some(theirs));
}

/// The same name in both worlds, and a tag in two spellings.
pub async fn names_and_tags_are_each_worlds_own(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let other = stage.other_world("Other").await;
    for (viewer, tag) in [(&stage.owner, "Wizard"), (&other, "WIZARD")] {
        let free = Require::NameFree { kind: word("character"), name: "Gandalf".into() };
        let draft = NewNode { tags: vec![tag.into()], ..stage.draft("Gandalf") };
        let uid = draft.uid;
        stage.commit(viewer, batch().require(free).change(Change::CreateNode(draft))).await;
        let made = stage.store().node(viewer, NodeKey::Uid(uid)).await.unwrap().unwrap();
        assert_eq!(made.tags, [tag]);
    }
}

/// The list of worlds is read in each world, so each one gets an entry about a new world.
pub async fn a_new_world_is_told_of_in_the_others(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let other = stage.other_world("Other").await;
    let told = async |viewer| {
        let changes = stage.store().changes(viewer, 0, 10).await.unwrap();
        changes.iter().any(|entry| entry.uri == crate::WORLDS_URI)
    };
    assert!(told(&stage.owner).await);
    assert!(!told(&other).await, "nobody could listen in the new one");
}

/// One change log runs over all worlds, but a viewer sees only the entries of their own.
pub async fn logs_are_each_worlds_own(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let other = stage.other_world("Other").await;
    let before = stage.store().sequence().await.unwrap();
    stage.commit(&stage.owner, batch().touch("lore://ours")).await;
    let done = stage.commit(&other, batch().touch("lore://theirs")).await;
    for (viewer, uri) in [(&stage.owner, "lore://ours"), (&other, "lore://theirs")] {
        let changes = stage.store().changes(viewer, before, 10).await.unwrap();
        assert_eq!(changes.iter().map(|entry| entry.uri.as_str()).collect::<Vec<_>>(), [uri]);
    }
    assert_eq!(stage.store().sequence().await.unwrap(), done.sequence);
    assert_eq!(done.sequence, before + 2);
    let ours = stage.store().audit(&stage.owner, None, 100).await.unwrap();
    let theirs = stage.store().audit(&other, None, 100).await.unwrap();
    assert!(ours.iter().all(|entry| theirs.iter().all(|their| their.id != entry.id)));
}

async fn other_world_with_node(stage: &Stage) -> (Viewer, Node) {
    let other = stage.other_world("Other").await;
    let node = stage.node(&other, "Theirs").await;
    (other, node)
}

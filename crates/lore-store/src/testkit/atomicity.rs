//! Contract tests for batches: applied as a whole or not at all.

use lore_core::{NodeId, Properties, Role, Visibility};

use super::Harness;
use super::stage::{
    Stage, batch, edge_draft, forbidden, invalid, node_id, not_found, text_id, word,
};
use crate::{
    Applied, Bin, Change, Expect, NewEdge, NewNode, NewText, NodeKey, NodePatch, NodeQuery,
    NodeRef, Require, TextPatch, TextRef,
};

/// Nodes, texts, edges, logs and numbers are as before.
pub async fn a_batch_that_fails_at_its_end_leaves_nothing(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let old = stage.node(&stage.owner, "Old").await;
    let (audits, end) = (audit_count(&stage).await, stage.store().sequence().await.unwrap());
    let draft = stage.draft("New");
    let patch = NodePatch { name: Some("Renamed".into()), ..NodePatch::default() };
    let whole = batch()
        .touch("lore://x")
        .change(Change::CreateNode(draft.clone()))
        .change(Change::UpdateNode(NodeRef::Id(old.id), Expect::Any, patch))
        .change(Change::CreateText(stage.text_draft(&old, "text")))
        .change(Change::PutEdge(edge_draft(&old, &old)))
        .change(Change::DeleteNode(NodeRef::Id(NodeId(999)), Expect::Any));
    not_found(stage.store().commit(&stage.owner, whole).await);
    assert_eq!(stage.store().node(&stage.owner, NodeKey::Uid(draft.uid)).await.unwrap(), None);
    assert_eq!(stage.read(&stage.owner, old.id).await.unwrap(), old);
    let texts = stage.store().texts_of(&stage.owner, old.id, Bin::Live).await.unwrap();
    assert!(texts.is_empty());
    assert!(stage.edges_out(&stage.owner, old.id).await.is_empty());
    assert_eq!(audit_count(&stage).await, audits);
    assert_eq!(stage.store().sequence().await.unwrap(), end);
    assert_eq!(stage.node(&stage.owner, "Next").await.number, old.number + 1);
}

/// They refer to new nodes and texts by the uid the caller chose.
pub async fn later_changes_see_earlier_ones(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let hub = stage.node(&stage.owner, "Hub").await;
    let draft = stage.draft("New");
    let text = NewText { node: NodeRef::Uid(draft.uid), ..stage.text_draft(&hub, "old") };
    let node = NodeRef::Uid(draft.uid);
    let edge = NewEdge { target: node, ..edge_draft(&hub, &hub) };
    let text_patch = TextPatch { body: Some("new".into()), ..TextPatch::default() };
    let node_patch = NodePatch { tags: Some(vec!["t".into()]), ..NodePatch::default() };
    let whole = batch()
        .change(Change::CreateNode(draft.clone()))
        .change(Change::CreateText(text.clone()))
        .change(Change::UpdateText(TextRef::Uid(text.uid), Expect::Version(1), text_patch))
        .change(Change::PutEdge(edge))
        .change(Change::UpdateNode(node, Expect::Version(1), node_patch))
        .change(Change::DeleteNode(node, Expect::Version(2)))
        .change(Change::RestoreNode(node));
    let done = stage.commit(&stage.owner, whole).await;
    let made = stage.read(&stage.owner, node_id(&done)).await.unwrap();
    assert_eq!((made.uid, made.version, made.tags), (draft.uid, 4, vec!["t".to_owned()]));
    let body = stage.store().text(&stage.owner, text_id(&done)).await.unwrap().unwrap().body;
    assert_eq!(body, "new");
    assert_eq!(stage.edges_out(&stage.owner, hub.id).await.len(), 1);
}

/// The result holds one entry per change, with row ids, numbers and versions.
pub async fn every_change_is_answered_in_order(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let (a, b) = (stage.draft("A"), NewNode::new(stage.uid(), word("place"), "B"));
    let edge = NewEdge {
        source: NodeRef::Uid(a.uid),
        target: NodeRef::Uid(b.uid),
        kind: word("at"),
        weight: 1.0,
        visibility: Visibility::Members,
        properties: Properties::new(),
    };
    let (first, second) = (a.uid, b.uid);
    let whole = batch()
        .change(Change::CreateNode(a))
        .change(Change::CreateNode(b))
        .change(Change::PutEdge(edge))
        .change(Change::DeleteNode(NodeRef::Uid(first), Expect::Any));
    let done = stage.commit(&stage.owner, whole).await;
    let found = stage.store().node(&stage.owner, NodeKey::Uid(second)).await.unwrap().unwrap();
    let [one, two, three, four] = done.applied[..] else { panic!("{done:?}") };
    assert!(matches!(one, Applied::Node { number: 1, kind_number: 1, version: 1, .. }));
    let expected = Applied::Node { id: found.id, number: 2, kind_number: 1, version: 1 };
    assert_eq!(two, expected);
    assert!(matches!(three, Applied::Edge { version: 1, .. }));
    assert!(matches!(four, Applied::Node { number: 1, kind_number: 1, version: 2, .. }));
}

/// A batch with only preconditions counts as empty.
pub async fn an_empty_batch_is_refused(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    invalid(stage.store().commit(&stage.owner, batch()).await);
    let asking =
        batch().require(Require::NameFree { kind: word("character"), name: "Gandalf".into() });
    invalid(stage.store().commit(&stage.owner, asking).await);
}

/// A batch may change a resource without changing a node.
pub async fn touching_alone_is_enough(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let done = stage.commit(&stage.owner, batch().touch("lore://x")).await;
    assert!(done.applied.is_empty());
    assert_eq!(stage.store().changes(&stage.owner, 0, 10).await.unwrap().len(), 1);
}

/// A reader cannot even touch a resource.
pub async fn a_reader_cannot_write(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let reader = stage.person("Rob", Role::Reader).await;
    forbidden(stage.attempt(&reader, Change::CreateNode(stage.draft("Mine"))).await);
    forbidden(stage.store().commit(&reader, batch().touch("lore://x")).await);
    let page = stage.store().find_nodes(&stage.owner, NodeQuery::default()).await.unwrap();
    assert_eq!(page.total, 0);
}

/// A player leaves a note for the game master: the batch succeeds, and then its content is hidden.
pub async fn a_batch_may_make_what_its_author_cannot_see(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let player = stage.person("Pia", Role::Player).await;
    let hub = stage.node(&stage.owner, "Hub").await;
    let draft = NewNode { visibility: Visibility::Gm, ..stage.draft("Whisper") };
    let node = NodeRef::Uid(draft.uid);
    let text = NewText { node, visibility: Visibility::Gm, ..stage.text_draft(&hub, "psst") };
    let patch = TextPatch { title: Some("For you".into()), ..TextPatch::default() };
    let whole = batch()
        .change(Change::CreateNode(draft.clone()))
        .change(Change::CreateText(text.clone()))
        .change(Change::UpdateText(TextRef::Uid(text.uid), Expect::Any, patch))
        .change(Change::PutEdge(NewEdge { target: node, ..edge_draft(&hub, &hub) }));
    let done = stage.commit(&player, whole).await;
    assert_eq!(stage.read(&player, node_id(&done)).await, None);
    assert_eq!(stage.store().text(&player, text_id(&done)).await.unwrap(), None);
    let seen = stage.store().text(&stage.owner, text_id(&done)).await.unwrap().unwrap();
    assert_eq!((seen.title.as_str(), seen.body.as_str()), ("For you", "psst"));
    let late = Change::CreateText(NewText { node, ..stage.text_draft(&hub, "more") });
    not_found(stage.attempt(&player, late).await);
}

async fn audit_count(stage: &Stage) -> usize {
    stage.store().audit(&stage.owner, None, 1_000).await.unwrap().len()
}

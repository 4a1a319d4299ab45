//! Contract tests for the change log and its followers.

use lore_core::{Node, Role, Visibility};
use serde_json::json;

use super::Harness;
use super::stage::{Stage, batch, edge_draft, moment, not_found, version, word};
use crate::{
    Batch, Change, ChangeEntry, EdgePatch, EdgeRef, Expect, NewNode, NewState, NewText, NodePatch,
    NodeRef, TextPatch, TextRef,
};

/// Entries are in the order in which the resources were named.
pub async fn each_different_uri_is_one_entry(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let touching = batch().touch("lore://b").touch("lore://a").touch("lore://b");
    let done = stage.commit(&stage.owner, touching).await;
    let entries = stage.store().changes(&stage.owner, 0, 100).await.unwrap();
    let entry = |sequence, uri: &str| ChangeEntry { sequence, uri: uri.into(), at: moment(1) };
    assert_eq!(entries, [entry(1, "lore://b"), entry(2, "lore://a")]);
    assert_eq!(done.sequence, 2);
    stage.commit(&stage.owner, batch().touch("lore://a")).await;
    let later = stage.store().changes(&stage.owner, 2, 100).await.unwrap();
    assert_eq!(later, [entry(3, "lore://a")], "another batch is another change");
}

/// Viewers who cannot see what changed are not told that anything did.
pub async fn a_change_is_told_to_those_who_may_know(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let player = stage.person("Pia", Role::Player).await;
    let gm = stage.person("Gail", Role::Gm).await;
    let touching = batch()
        .touch_for(Visibility::Gm, "lore://hidden")
        .touch_for(Visibility::Private(player.principal), "lore://own")
        .touch_for(Visibility::Gm, "lore://both")
        .touch("lore://both");
    assert_eq!(stage.commit(&stage.owner, touching).await.sequence, 3, "everybody is told once");
    for (viewer, expected) in
        [(&player, vec!["lore://own", "lore://both"]), (&gm, vec!["lore://hidden", "lore://both"])]
    {
        let told = stage.store().changes(viewer, 0, 100).await.unwrap();
        let told: Vec<_> = told.iter().map(|entry| entry.uri.as_str()).collect();
        assert_eq!(told, expected);
    }
    let first = stage.store().changes(&player, 0, 1).await.unwrap();
    assert_eq!((first.len(), first[0].sequence), (1, 2), "what is left out takes no room");
}

/// Entries are read in pages, oldest first.
pub async fn entries_are_read_in_pieces(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    for number in 1..=5 {
        stage.commit(&stage.owner, batch().touch(format!("lore://{number}"))).await;
    }
    let mut read = Vec::new();
    loop {
        let after = read.last().copied().unwrap_or(0);
        let piece = stage.store().changes(&stage.owner, after, 2).await.unwrap();
        if piece.is_empty() {
            break;
        }
        assert!(piece.len() <= 2);
        read.extend(piece.iter().map(|entry| entry.sequence));
    }
    assert_eq!(read, [1, 2, 3, 4, 5]);
}

/// The sequence in the result is the end of the log before the batch.
pub async fn a_batch_without_touches_returns_the_end(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let make = || batch().change(Change::CreateNode(stage.draft("A")));
    assert_eq!(stage.commit(&stage.owner, make()).await.sequence, 0);
    stage.commit(&stage.owner, batch().touch("lore://x").touch("lore://y")).await;
    assert_eq!(stage.commit(&stage.owner, make()).await.sequence, 2);
}

/// An empty log ends at 0.
pub async fn the_end_is_the_last_entry(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    assert_eq!(stage.store().sequence().await.unwrap(), 0);
    assert_eq!(*stage.store().watch().borrow(), 0);
    for expected in 1..=3 {
        let done = stage.commit(&stage.owner, batch().touch("lore://x")).await;
        assert_eq!(done.sequence, expected);
        assert_eq!(stage.store().sequence().await.unwrap(), expected);
    }
}

/// The watch is updated before the writer gets its result.
pub async fn a_watcher_learns_the_new_end(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let mut watch = stage.store().watch();
    let done = stage.commit(&stage.owner, batch().touch("lore://x").touch("lore://y")).await;
    assert!(watch.has_changed().unwrap());
    assert_eq!(*watch.borrow_and_update(), done.sequence);
    assert!(!watch.has_changed().unwrap());
    assert_eq!(*stage.store().watch().borrow(), done.sequence, "a late watcher starts there");
}

/// Counts who sees the item before or after the change, and what it belongs to.
pub async fn an_echo_reaches_those_who_see_what_changes(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let player = stage.person("Pia", Role::Player).await;
    let gm = stage.person("Gail", Role::Gm).await;
    let node = stage.node(&stage.owner, "A").await;
    let seen_by = |visibility| NewNode { visibility, ..stage.draft("B") };
    let made = |visibility| Change::CreateNode(seen_by(visibility));
    let hide = NodePatch { visibility: Some(Visibility::Gm), ..NodePatch::default() };
    let hide = Change::UpdateNode(NodeRef::Id(node.id), Expect::Any, hide);
    let text = NewText::new(stage.uid(), NodeRef::Id(node.id), word("post"), "x");
    for (change, for_player, for_gm) in [
        (made(Visibility::Members), 1, 1),
        (made(Visibility::Gm), 0, 1),
        (made(Visibility::Private(player.principal)), 1, 0),
        (hide, 1, 1),
        (Change::CreateText(text), 0, 1),
    ] {
        let before = stage.store().sequence().await.unwrap();
        stage.commit(&stage.owner, batch().change(change).echo("lore://all")).await;
        for (viewer, expected) in [(&player, for_player), (&gm, for_gm)] {
            let told = stage.store().changes(viewer, before, 100).await.unwrap();
            assert_eq!(told.len(), expected, "{told:?}");
        }
    }
}

/// Whatever the batch names, there is no entry in the change log or the audit log.
pub async fn a_batch_that_changes_nothing_is_not_told(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let owner = stage.owner;
    let [a, b] = [stage.node(&owner, "A").await, stage.node(&owner, "B").await];
    let text = stage.text(&owner, &a, "x").await;
    let edge = stage.join(&owner, &a, &b).await;
    let state = || NewState {
        node: NodeRef::Id(a.id),
        name: word("sheet"),
        expect: Expect::Any,
        value: json!({ "hope": 1 }),
        visibility: Visibility::Members,
    };
    stage.change(&owner, Change::PutState(state())).await;
    let mut drafted = stage.draft("C");
    drafted.tags = vec!["Elf".into(), "Old".into()];
    drafted.aliases = vec!["Cee".into()];
    let c = stage.make(&owner, drafted).await;
    let same = NodePatch {
        kind: Some(c.kind.clone()),
        name: Some(c.name.clone()),
        namespace: Some(c.namespace.clone()),
        subtype: Some(c.subtype.clone()),
        aliases: Some(c.aliases.clone()),
        tags: Some(vec!["old".into(), "elf".into(), "Old".into()]),
        retag: None,
        visibility: Some(c.visibility),
        properties: Some(c.properties.clone()),
        seen: Some(Visibility::Members),
    };
    let body = TextPatch { body: Some(text.body.clone()), ..TextPatch::default() };
    let again = Batch { at: moment(60), ..batch() }
        .change(Change::UpdateNode(NodeRef::Id(c.id), Expect::Version(c.version), same))
        .change(Change::UpdateNode(NodeRef::Id(a.id), Expect::Any, NodePatch::default()))
        .change(Change::UpdateText(TextRef::Id(text.id), Expect::Version(text.version), body))
        .change(Change::PutEdge(edge_draft(&a, &b)))
        .change(Change::UpdateEdge(EdgeRef::Id(edge.id), Expect::Any, EdgePatch::default()))
        .change(Change::PutState(state()))
        .change(Change::RestoreNode(NodeRef::Id(a.id)))
        .touch("lore://c")
        .echo("lore://all");
    let lines = stage.store().audit(&owner, None, 100).await.unwrap().len();
    let done = stage.commit(&owner, again).await;
    assert_eq!((done.sequence, done.applied.len()), (0, 7));
    assert!(stage.store().changes(&owner, 0, 100).await.unwrap().is_empty());
    assert_eq!(stage.store().audit(&owner, None, 100).await.unwrap().len(), lines);
    for node in [a.clone(), c] {
        assert_eq!(stage.read(&owner, node.id).await, Some(node));
    }
    assert_eq!(stage.store().text(&owner, text.id).await.unwrap(), Some(text));
    assert_eq!(stage.edges_out(&owner, a.id).await, [edge]);
    let kept = stage.store().states(&owner, &[a.id], &word("sheet")).await.unwrap();
    assert_eq!((kept[0].version, kept[0].updated.at), (1, moment(1)));
}

/// A patch without a new value does not count because another node changes, unless it says who sees
/// the change.
pub async fn what_is_said_again_beside_a_change_of_another_stays(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let owner = stage.owner;
    let [a, b] = [stage.node(&owner, "A").await, stage.node(&owner, "B").await];
    let patch = |node: &Node, patch| Change::UpdateNode(NodeRef::Id(node.id), Expect::Any, patch);
    let named = |name: &str| NodePatch { name: Some(name.into()), ..NodePatch::default() };
    let stir = NodePatch { seen: Some(Visibility::Members), ..NodePatch::default() };
    let at = |second| Batch { at: moment(second), ..batch() };
    let beside = at(60).change(patch(&a, named("A"))).change(patch(&b, named("Other")));
    stage.commit(&owner, beside).await;
    assert_eq!(stage.read(&owner, a.id).await.unwrap(), a);
    let stirred = at(70).change(patch(&a, stir)).change(patch(&b, named("Third")));
    let done = stage.commit(&owner, stirred).await;
    assert_eq!(version(&done), 2);
    assert_eq!(stage.read(&owner, a.id).await.unwrap().updated.at, moment(70));
}

/// A batch that touches nothing does not update the watch either.
pub async fn a_failed_batch_wakes_nobody(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let watch = stage.store().watch();
    let failing = batch()
        .touch("lore://x")
        .change(Change::DeleteNode(NodeRef::Uid(stage.uid()), Expect::Any));
    not_found(stage.store().commit(&stage.owner, failing).await);
    stage.node(&stage.owner, "A").await;
    assert!(!watch.has_changed().unwrap());
}

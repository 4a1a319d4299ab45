//! Contract tests for the newest nodes, for counts and for lists of changed nodes.

use lore_core::{Role, Viewer, Visibility};

use super::Harness;
use super::stage::{Stage, batch, moment, word};
use crate::{
    Batch, Change, Expect, NewNode, NewestNodes, NodePatch, NodeRef, Tally, TextPatch, TextRef,
};

fn notes(namespace: &str) -> NewestNodes {
    NewestNodes {
        kind: word("note"),
        namespace: namespace.to_owned(),
        before: None,
        offset: 0,
        limit: 0,
    }
}

/// Creates a note at the given time.
async fn note(stage: &Stage, name: &str, namespace: &str, at: i64) {
    let draft =
        NewNode { kind: word("note"), namespace: namespace.to_owned(), ..stage.draft(name) };
    let batch = Batch { at: moment(at), ..batch() };
    stage.commit(&stage.owner, batch.change(Change::CreateNode(draft))).await;
}

async fn names(stage: &Stage, viewer: &Viewer, query: NewestNodes) -> Vec<String> {
    let found = stage.store().newest_nodes(viewer, query).await.unwrap();
    found.into_iter().map(|node| node.name).collect()
}

/// Ordered by creation time, not by when they were stored.
pub async fn the_newest_of_a_kind_in_a_namespace_come_first(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    for (name, namespace, at) in [("b", "x", 20), ("a", "x", 10), ("c", "x", 30), ("d", "y", 40)] {
        note(&stage, name, namespace, at).await;
    }
    stage.node(&stage.owner, "of another kind").await;
    assert_eq!(names(&stage, &stage.owner, notes("x")).await, ["c", "b", "a"]);
    assert_eq!(names(&stage, &stage.owner, notes("y")).await, ["d"]);
    assert_eq!(names(&stage, &stage.owner, notes("z")).await, [""; 0]);
}

/// Combines offset, limit and a latest time.
pub async fn the_newest_are_paged_and_bounded_by_a_moment(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    for (name, at) in [("a", 10), ("b", 20), ("c", 30), ("d", 40)] {
        note(&stage, name, "x", at).await;
    }
    let page = NewestNodes { offset: 1, limit: 2, ..notes("x") };
    assert_eq!(names(&stage, &stage.owner, page.clone()).await, ["c", "b"]);
    let early = NewestNodes { before: Some(moment(40)), ..page };
    assert_eq!(names(&stage, &stage.owner, early).await, ["b", "a"]);
}

/// Nodes of the same kind in two namespaces are counted separately; edges have a single count.
pub async fn everything_is_counted_by_kind_and_namespace(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    for (name, namespace) in [("a", "x"), ("b", "x"), ("c", "")] {
        note(&stage, name, namespace, 10).await;
    }
    let row = |namespace: &str, count| Tally {
        kind: word("note"),
        namespace: namespace.to_owned(),
        count,
    };
    assert_eq!(stage.store().tally(&stage.owner).await.unwrap(), [row("", 1), row("x", 2)]);
    assert_eq!(stage.store().count_edges(&stage.owner).await.unwrap(), 0);
    let (from, to) = (stage.node(&stage.owner, "A").await, stage.node(&stage.owner, "B").await);
    stage.join(&stage.owner, &from, &to).await;
    assert_eq!(stage.store().count_edges(&stage.owner).await.unwrap(), 1);
}

/// Counts reveal nothing that the viewer may not know.
pub async fn what_is_hidden_or_gone_is_neither_listed_nor_counted(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let player = stage.person("Pia", Role::Player).await;
    let draft = |name, visibility| NewNode { kind: word("note"), visibility, ..stage.draft(name) };
    let open = stage.make(&stage.owner, draft("open", Visibility::Members)).await;
    let hidden = stage.make(&stage.owner, draft("hidden", Visibility::Gm)).await;
    let gone = stage.make(&stage.owner, draft("gone", Visibility::Members)).await;
    stage.join(&stage.owner, &open, &hidden).await;
    stage.join(&stage.owner, &open, &gone).await;
    stage.change(&stage.owner, Change::DeleteNode(NodeRef::Id(gone.id), Expect::Any)).await;
    assert_eq!(names(&stage, &player, notes("")).await, ["open"]);
    let counts = |tally: Vec<Tally>| tally.into_iter().map(|row| row.count).sum::<u64>();
    assert_eq!(counts(stage.store().tally(&player).await.unwrap()), 1);
    assert_eq!(counts(stage.store().tally(&stage.owner).await.unwrap()), 2);
    assert_eq!(stage.store().count_edges(&player).await.unwrap(), 0);
    assert_eq!(stage.store().count_edges(&stage.owner).await.unwrap(), 1);
}

/// Reports new names, changed visibility, deletion and restoration, but no changes of texts.
pub async fn what_changed_its_name_is_told_once_and_in_order(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let (a, b) = (stage.node(&stage.owner, "A").await, stage.node(&stage.owner, "B").await);
    let first = stage.store().renamed(&stage.owner, 0, 0).await.unwrap();
    assert_eq!(first.nodes, [a.id, b.id]);
    let quiet = stage.store().renamed(&stage.owner, first.mark, 0).await.unwrap();
    assert_eq!((quiet.nodes, quiet.mark), (Vec::new(), first.mark));
    let patch = NodePatch { aliases: Some(vec!["Bee".into()]), ..NodePatch::default() };
    stage.change(&stage.owner, Change::UpdateNode(NodeRef::Id(b.id), Expect::Any, patch)).await;
    stage.change(&stage.owner, Change::DeleteNode(NodeRef::Id(a.id), Expect::Any)).await;
    let patch = NodePatch { visibility: Some(Visibility::Gm), ..NodePatch::default() };
    stage.change(&stage.owner, Change::UpdateNode(NodeRef::Id(b.id), Expect::Any, patch)).await;
    let later = stage.store().renamed(&stage.owner, first.mark, 0).await.unwrap();
    assert_eq!(later.nodes, [a.id, b.id]);
    stage.change(&stage.owner, Change::RestoreNode(NodeRef::Id(a.id))).await;
    let last = stage.store().renamed(&stage.owner, later.mark, 0).await.unwrap();
    assert_eq!(last.nodes, [a.id]);
}

/// Reports new, changed, deleted and restored texts.
pub async fn what_changed_its_texts_is_told_with_its_name(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let (a, b) = (stage.node(&stage.owner, "A").await, stage.node(&stage.owner, "B").await);
    let text = stage.text(&stage.owner, &a, "one").await;
    let store = stage.store();
    let mark = store.rewritten(&stage.owner, 0, 0).await.unwrap();
    assert_eq!(mark.nodes, [a.id, b.id]);
    let mut mark = mark.mark;
    let patch = TextPatch { body: Some("two".into()), ..TextPatch::default() };
    let named = NodePatch { name: Some("Bee".into()), ..NodePatch::default() };
    for (change, told) in [
        (Change::UpdateText(TextRef::Id(text.id), Expect::Any, patch), a.id),
        (Change::UpdateNode(NodeRef::Id(b.id), Expect::Any, named), b.id),
        (Change::DeleteText(TextRef::Id(text.id), Expect::Any), a.id),
        (Change::RestoreText(TextRef::Id(text.id)), a.id),
    ] {
        stage.change(&stage.owner, change).await;
        let changed = store.rewritten(&stage.owner, mark, 0).await.unwrap();
        assert_eq!(changed.nodes, [told]);
        mark = changed.mark;
    }
    let quiet = store.rewritten(&stage.owner, mark, 0).await.unwrap();
    assert_eq!((quiet.nodes, quiet.mark), (Vec::new(), mark));
}

/// Nothing is missed, however small the pages are.
pub async fn a_mark_leads_on_where_the_last_answer_ended(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let mut made = Vec::new();
    for name in ["A", "B", "C", "D", "E"] {
        made.push(stage.node(&stage.owner, name).await.id);
    }
    let (mut told, mut mark) = (Vec::new(), 0);
    loop {
        let step = stage.store().renamed(&stage.owner, mark, 2).await.unwrap();
        if step.nodes.is_empty() {
            break;
        }
        told.extend(step.nodes);
        mark = step.mark;
    }
    assert_eq!(told, made);
}

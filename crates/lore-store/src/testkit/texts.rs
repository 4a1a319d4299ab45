//! Contract tests for texts.

use lore_core::{NodeId, Provenance, Role, Stamp, Text, TextId, Visibility};

use super::Harness;
use super::stage::{Stage, batch, exists, moment, not_found, version, word};
use crate::{Batch, Bin, Change, Expect, NewText, NodeRef, TextPatch, TextQuery, TextRef};

/// Every field comes back.
pub async fn a_text_comes_back_as_it_was_made(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let node = stage.node(&stage.owner, "Gandalf").await;
    let provenance = Provenance {
        source: Some("https://example.org/maiar".into()),
        session: Some("council".into()),
        author: Some("Elrond".into()),
        occurred_at: Some(moment(-3_000)),
    };
    let draft = NewText {
        kind: word("secret"),
        title: "What nobody knows".into(),
        position: -3,
        provenance: provenance.clone(),
        searchable: false,
        visibility: Visibility::Gm,
        ..stage.text_draft(&node, "He is a *Maia*.")
    };
    let uid = draft.uid;
    let text = stage.write(&stage.owner, draft).await;
    let stamp = Stamp { at: moment(1), by: stage.owner.principal };
    let expected = Text {
        id: text.id,
        uid,
        node: node.id,
        kind: word("secret"),
        title: "What nobody knows".into(),
        body: "He is a *Maia*.".into(),
        position: -3,
        provenance,
        searchable: false,
        visibility: Visibility::Gm,
        version: 1,
        created: stamp,
        updated: stamp,
        deleted_at: None,
    };
    assert_eq!(text, expected);
}

/// At the same position, older texts come first.
pub async fn texts_are_ordered_by_position_then_age(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let node = stage.node(&stage.owner, "Gandalf").await;
    for (position, body) in [(2, "c"), (1, "a"), (2, "d"), (1, "b"), (-1, "first")] {
        let draft = NewText { position, ..stage.text_draft(&node, body) };
        stage.write(&stage.owner, draft).await;
    }
    let texts = stage.store().texts_of(&stage.owner, node.id, Bin::Live).await.unwrap();
    let bodies: Vec<_> = texts.iter().map(|text| text.body.as_str()).collect();
    assert_eq!(bodies, ["first", "a", "b", "c", "d"]);
}

/// Fields that a patch leaves out stay the same.
pub async fn an_update_changes_only_what_it_names(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let node = stage.node(&stage.owner, "Gandalf").await;
    let before = stage.text(&stage.owner, &node, "old").await;
    let patch = TextPatch { body: Some("new".into()), ..TextPatch::default() };
    let change = Change::UpdateText(TextRef::Uid(before.uid), Expect::Version(1), patch);
    let later = Batch { at: moment(60), ..batch() };
    let done = stage.commit(&stage.owner, later.change(change)).await;
    assert_eq!(version(&done), 2);
    let after = stage.store().text(&stage.owner, before.id).await.unwrap().unwrap();
    let updated = Stamp { at: moment(60), by: stage.owner.principal };
    assert_eq!(after, Text { body: "new".into(), version: 2, updated, ..before.clone() });
    let patch = TextPatch {
        title: Some("T".into()),
        position: Some(9),
        visibility: Some(Visibility::Gm),
        provenance: Some(Provenance { author: Some("Bilbo".into()), ..Provenance::default() }),
        searchable: Some(false),
        body: None,
    };
    let change = Change::UpdateText(TextRef::Id(before.id), Expect::Any, patch);
    stage.change(&stage.owner, change).await;
    let last = stage.store().text(&stage.owner, before.id).await.unwrap().unwrap();
    assert_eq!((last.title.as_str(), last.position, last.body.as_str()), ("T", 9, "new"));
    assert_eq!((last.visibility, last.version), (Visibility::Gm, 3));
    assert_eq!((last.provenance.author.as_deref(), last.searchable), (Some("Bilbo"), false));
}

/// One call returns the texts of several nodes, without hidden ones.
pub async fn texts_of_several_nodes_come_together(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let first = stage.node(&stage.owner, "Gandalf").await;
    let second = stage.node(&stage.owner, "Bilbo").await;
    let third = stage.node(&stage.owner, "Frodo").await;
    for (node, body) in [(&second, "b"), (&first, "a"), (&second, "c"), (&third, "d")] {
        stage.text(&stage.owner, node, body).await;
    }
    let hidden = NewText { visibility: Visibility::Gm, ..stage.text_draft(&first, "psst") };
    stage.write(&stage.owner, hidden).await;
    let ids = [second.id, first.id, NodeId(999)];
    let player = stage.person("Pia", Role::Player).await;
    let texts = stage.store().texts_of_nodes(&player, &ids).await.unwrap();
    let bodies: Vec<_> = texts.iter().map(|text| text.body.as_str()).collect();
    assert_eq!(bodies, ["a", "b", "c"]);
}

/// The node must exist and must not be deleted.
pub async fn a_text_needs_a_live_node(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let node = stage.node(&stage.owner, "Gandalf").await;
    for missing in [NodeRef::Id(NodeId(999)), NodeRef::Uid(stage.uid())] {
        let draft = NewText { node: missing, ..stage.text_draft(&node, "x") };
        not_found(stage.attempt(&stage.owner, Change::CreateText(draft)).await);
    }
    stage.change(&stage.owner, Change::DeleteNode(NodeRef::Id(node.id), Expect::Any)).await;
    let draft = stage.text_draft(&node, "x");
    not_found(stage.attempt(&stage.owner, Change::CreateText(draft)).await);
}

/// A uid identifies one text.
pub async fn a_uid_is_taken_once(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let node = stage.node(&stage.owner, "Gandalf").await;
    let draft = stage.text_draft(&node, "x");
    stage.write(&stage.owner, draft.clone()).await;
    exists(stage.attempt(&stage.owner, Change::CreateText(draft)).await);
}

/// A body of a megabyte is stored unchanged.
pub async fn a_large_body_survives(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let node = stage.node(&stage.owner, "Gandalf").await;
    let body = "Es war einmal… ".repeat(70_000);
    assert_eq!(stage.text(&stage.owner, &node, &body).await.body, body);
}

/// The store does not normalise texts.
pub async fn unusual_characters_survive(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let node = stage.node(&stage.owner, "Gandalf").await;
    for body in
        ["", " \r\n\t ", "'; DROP TABLE node; --", "\u{202E}\u{FEFF}e\u{301}🧙🏽‍♂️", "?1 :x @y $z"]
    {
        assert_eq!(stage.text(&stage.owner, &node, body).await.body, body);
    }
}

/// Nodes and texts have separate versions.
pub async fn a_text_does_not_change_its_node(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let node = stage.node(&stage.owner, "Gandalf").await;
    stage.text(&stage.owner, &node, "x").await;
    assert_eq!(stage.read(&stage.owner, node.id).await.unwrap(), node);
}

/// A missing text is not an error.
pub async fn an_absent_text_is_none(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    assert_eq!(stage.store().text(&stage.owner, TextId(999)).await.unwrap(), None);
    let texts = stage.store().texts_of(&stage.owner, NodeId(999), Bin::Live).await.unwrap();
    assert!(texts.is_empty());
    let missing = TextRef::Uid(stage.uid());
    let change = Change::UpdateText(missing, Expect::Any, TextPatch::default());
    not_found(stage.attempt(&stage.owner, change).await);
}

/// By the uid its creator chose; a hidden text counts as absent.
pub async fn a_text_is_found_by_its_uid(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let node = stage.node(&stage.owner, "Gandalf").await;
    let hidden = NewText { visibility: Visibility::Gm, ..stage.text_draft(&node, "psst") };
    let text = stage.write(&stage.owner, hidden).await;
    let player = stage.person("Pia", Role::Player).await;
    let found = stage.store().text_by_uid(&stage.owner, text.uid).await.unwrap();
    assert_eq!(found.as_ref(), Some(&text));
    assert_eq!(stage.store().text_by_uid(&player, text.uid).await.unwrap(), None);
    assert_eq!(stage.store().text_by_uid(&stage.owner, stage.uid()).await.unwrap(), None);
}

/// Across all nodes, in pages, with a total that counts nothing hidden.
pub async fn texts_are_listed_by_kind_and_secrecy(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let first = stage.node(&stage.owner, "Gandalf").await;
    let second = stage.node(&stage.owner, "Bilbo").await;
    let secret = |node, body| NewText {
        kind: word("secret"),
        visibility: Visibility::Gm,
        ..stage.text_draft(node, body)
    };
    for (node, body) in [(&second, "a"), (&first, "b"), (&second, "c")] {
        stage.write(&stage.owner, secret(node, body)).await;
    }
    let open = NewText { kind: word("secret"), ..stage.text_draft(&first, "open") };
    stage.write(&stage.owner, open).await;
    stage.text(&stage.owner, &first, "entry").await;
    let other = stage.other_world("Elsewhere").await;
    let elsewhere = stage.node(&other, "Sam").await;
    stage.write(&other, secret(&elsewhere, "x")).await;
    let player = stage.person("Pia", Role::Player).await;
    let list = async |viewer, query| {
        let page = stage.store().find_texts(viewer, query).await.unwrap();
        let bodies: Vec<_> = page.items.into_iter().map(|text| text.body).collect();
        (bodies.join(" "), page.total)
    };
    let secrets = TextQuery { kinds: vec![word("secret")], ..TextQuery::default() };
    let hidden = TextQuery { hidden: true, ..secrets.clone() };
    let part = TextQuery { offset: 1, limit: 1, ..hidden.clone() };
    assert_eq!(list(&stage.owner, secrets.clone()).await, ("a b c open".into(), 4));
    assert_eq!(list(&stage.owner, hidden.clone()).await, ("a b c".into(), 3));
    assert_eq!(list(&stage.owner, part).await, ("b".into(), 3));
    assert_eq!(list(&stage.owner, TextQuery::default()).await.1, 5);
    assert_eq!(list(&player, secrets).await, ("open".into(), 1));
    assert_eq!(list(&player, hidden).await, (String::new(), 0));
    stage.change(&stage.owner, Change::DeleteNode(NodeRef::Id(second.id), Expect::Any)).await;
    assert_eq!(list(&stage.owner, TextQuery::default()).await.1, 3);
}

//! Contract tests for documents of state.

use lore_core::{Node, NodeId, Role, Stamp, State, Viewer, Visibility};
use serde_json::{Value, json};

use super::Harness;
use super::stage::{Stage, batch, conflict, moment, not_found, version, word};
use crate::{Batch, Change, Expect, NewState, NodeRef, StoreResult};

/// Every field comes back.
pub async fn a_state_comes_back_as_it_was_put(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let node = stage.node(&stage.owner, "Gandalf").await;
    let value = json!({ "hope": 3, "stress": [0, 1], "note": "Zwölf 🐉" });
    let draft = NewState { visibility: Visibility::Gm, ..draft(&node, value.clone()) };
    assert_eq!(put(&stage, &stage.owner, draft).await.unwrap(), 1);
    let expected = State {
        node: node.id,
        name: word("sheet"),
        value,
        visibility: Visibility::Gm,
        version: 1,
        updated: Stamp { at: moment(1), by: stage.owner.principal },
    };
    assert_eq!(read(&stage, &stage.owner, &node).await, Some(expected));
}

/// Value, visibility, author and time are replaced, and the version is counted.
pub async fn putting_again_replaces_and_counts(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let pia = stage.person("Pia", Role::Player).await;
    let node = stage.node(&stage.owner, "Gandalf").await;
    put(&stage, &stage.owner, draft(&node, json!({ "a": 1 }))).await.unwrap();
    let again = Change::PutState(draft(&node, json!([2])));
    let later = Batch { at: moment(60), ..batch() }.change(again);
    assert_eq!(version(&stage.commit(&pia, later).await), 2);
    let found = read(&stage, &stage.owner, &node).await.unwrap();
    assert_eq!((found.value, found.version), (json!([2]), 2));
    assert_eq!(found.updated, Stamp { at: moment(60), by: pia.principal });
}

/// Version 0 means that the document must not exist yet.
pub async fn a_state_expects_its_version(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let node = stage.node(&stage.owner, "Gandalf").await;
    let at = |expect, value| NewState { expect, ..draft(&node, json!(value)) };
    conflict(put(&stage, &stage.owner, at(Expect::Version(1), 1)).await);
    assert_eq!(put(&stage, &stage.owner, at(Expect::Version(0), 1)).await.unwrap(), 1);
    conflict(put(&stage, &stage.owner, at(Expect::Version(0), 1)).await);
    conflict(put(&stage, &stage.owner, at(Expect::Version(2), 2)).await);
    assert_eq!(put(&stage, &stage.owner, at(Expect::Version(1), 2)).await.unwrap(), 2);
    assert_eq!(put(&stage, &stage.owner, at(Expect::Any, 3)).await.unwrap(), 3);
}

/// Each node has its own documents, and each name is a separate document.
pub async fn several_nodes_share_one_answer(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let a = stage.node(&stage.owner, "A").await;
    let b = stage.node(&stage.owner, "B").await;
    let bare = stage.node(&stage.owner, "C").await;
    for (node, name, value) in [(&a, "sheet", 1), (&b, "sheet", 2), (&a, "table", 3)] {
        let draft = NewState { name: word(name), ..draft(node, json!(value)) };
        put(&stage, &stage.owner, draft).await.unwrap();
    }
    let ids = [b.id, bare.id, NodeId(999), a.id];
    let mut found = stage.store().states(&stage.owner, &ids, &word("sheet")).await.unwrap();
    found.sort_by_key(|state| state.node);
    let values: Vec<_> = found.into_iter().map(|state| (state.node, state.value)).collect();
    assert_eq!(values, [(a.id, json!(1)), (b.id, json!(2))]);
    let tables = stage.store().states(&stage.owner, &ids, &word("table")).await.unwrap();
    assert_eq!((tables.len(), &tables[0].value), (1, &json!(3)));
    assert!(stage.store().states(&stage.owner, &[], &word("sheet")).await.unwrap().is_empty());
}

/// Any JSON value is allowed, not only objects.
pub async fn any_json_survives(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let node = stage.node(&stage.owner, "Gandalf").await;
    for value in [
        json!(null),
        json!(false),
        json!(9_007_199_254_740_993_i64),
        json!(-0.5),
        json!("\"\\\n'; --"),
        json!([[], {}, [null]]),
        json!({ "z": { "a": [1, 2] }, "a": "" }),
    ] {
        put(&stage, &stage.owner, draft(&node, value.clone())).await.unwrap();
        assert_eq!(read(&stage, &stage.owner, &node).await.unwrap().value, value);
    }
}

/// One batch creates a node and its document.
pub async fn a_state_is_put_with_its_node(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let player = stage.person("Pia", Role::Player).await;
    let mut new = stage.draft("Whisper");
    new.visibility = Visibility::Gm;
    let other = stage.node(&stage.owner, "Other").await;
    let state = NewState { node: NodeRef::Uid(new.uid), ..draft(&other, json!(1)) };
    let whole = batch().change(Change::CreateNode(new)).change(Change::PutState(state));
    let done = stage.commit(&player, whole).await;
    let id = super::stage::node_id(&done);
    let found = stage.store().states(&stage.owner, &[id], &word("sheet")).await.unwrap();
    assert_eq!(found.len(), 1);
}

/// On a node that everybody sees.
pub async fn states_by_role_and_visibility(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let pia = stage.person("Pia", Role::Player).await;
    let mut viewers = vec![stage.owner, pia];
    for (name, role) in [("Gil", Role::Gm), ("Pit", Role::Player), ("Rob", Role::Reader)] {
        viewers.push(stage.person(name, role).await);
    }
    for (visibility, author) in [
        (Visibility::Members, stage.owner),
        (Visibility::Gm, stage.owner),
        (Visibility::Private(stage.owner.principal), stage.owner),
        (Visibility::Private(pia.principal), pia),
    ] {
        let node = stage.node(&stage.owner, "A").await;
        let draft = NewState { visibility, ..draft(&node, json!("secret")) };
        put(&stage, &author, draft).await.unwrap();
        for viewer in &viewers {
            let found = read(&stage, viewer, &node).await;
            assert_eq!(found.is_some(), visibility.admits(viewer), "{visibility:?} {viewer:?}");
        }
    }
}

/// The document is hidden while its node is hidden, deleted or in another world.
pub async fn a_state_goes_with_its_node(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let player = stage.person("Pia", Role::Player).await;
    let other = stage.other_world("Other").await;
    let secret = stage.node_for(&stage.owner, Visibility::Gm).await;
    put(&stage, &stage.owner, draft(&secret, json!(1))).await.unwrap();
    for viewer in [&player, &other] {
        assert_eq!(read(&stage, viewer, &secret).await, None);
        not_found(put(&stage, viewer, draft(&secret, json!(2))).await);
    }
    let delete = Change::DeleteNode(NodeRef::Id(secret.id), Expect::Any);
    stage.change(&stage.owner, delete).await;
    assert_eq!(read(&stage, &stage.owner, &secret).await, None);
    not_found(put(&stage, &stage.owner, draft(&secret, json!(2))).await);
    stage.change(&stage.owner, Change::RestoreNode(NodeRef::Id(secret.id))).await;
    assert_eq!(read(&stage, &stage.owner, &secret).await.unwrap().value, json!(1));
}

/// The document looks absent, but cannot be written.
pub async fn a_hidden_state_is_not_overwritten(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let player = stage.person("Pia", Role::Player).await;
    let node = stage.node(&stage.owner, "A").await;
    let hidden = NewState { visibility: Visibility::Gm, ..draft(&node, json!(1)) };
    put(&stage, &stage.owner, hidden).await.unwrap();
    not_found(put(&stage, &player, draft(&node, json!(2))).await);
    let found = read(&stage, &stage.owner, &node).await.unwrap();
    assert_eq!((found.value, found.version), (json!(1), 1));
}

/// Private documents are shown only to their owner.
pub async fn the_audit_log_holds_what_a_state_was(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let gil = stage.person("Gil", Role::Gm).await;
    let node = stage.node(&stage.owner, "A").await;
    for (visibility, for_owner) in
        [(Visibility::Members, 1), (Visibility::Private(gil.principal), 0)]
    {
        for value in [json!({ "was": "Hidden" }), json!({})] {
            let draft = NewState { visibility, ..draft(&node, value) };
            put(&stage, &gil, draft).await.unwrap();
        }
        for (viewer, expected) in [(&gil, 1), (&stage.owner, for_owner)] {
            let entry = stage.store().audit(viewer, None, 1).await.unwrap().remove(0);
            assert_eq!(entry.detail.matches("\"Hidden\"").count(), expected);
        }
    }
}

fn draft(node: &Node, value: Value) -> NewState {
    NewState {
        node: NodeRef::Id(node.id),
        name: word("sheet"),
        expect: Expect::Any,
        value,
        visibility: Visibility::Members,
    }
}

/// Stores a document; returns the new version.
async fn put(stage: &Stage, viewer: &Viewer, draft: NewState) -> StoreResult<i64> {
    stage.attempt(viewer, Change::PutState(draft)).await.map(|done| version(&done))
}

async fn read(stage: &Stage, viewer: &Viewer, node: &Node) -> Option<State> {
    let found = stage.store().states(viewer, &[node.id], &word("sheet")).await.unwrap();
    assert!(found.len() <= 1);
    found.into_iter().next()
}

//! Contract tests for creating, reading and changing nodes.

use lore_core::{Node, NodeId, PrincipalId, Properties, Role, Stamp, Timestamp, Visibility};
use serde_json::json;

use super::Harness;
use super::stage::{Stage, batch, conflict, exists, invalid, moment, node_id, version, word};
use crate::{Batch, Change, Expect, NewNode, NodeKey, NodePatch, NodeQuery, NodeRef};

/// Every field comes back.
pub async fn a_node_comes_back_as_it_was_made(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let draft = NewNode {
        derived_name: true,
        namespace: "north".into(),
        subtype: Some("NPC".into()),
        aliases: vec!["The Grey".into(), "Mithrandir".into()],
        tags: vec!["wizard".into(), "ally".into()],
        visibility: Visibility::Gm,
        properties: properties(json!({ "age": 2019 })),
        ..stage.draft("Gandalf")
    };
    let uid = draft.uid;
    let node = stage.make(&stage.owner, draft).await;
    let stamp = Stamp { at: moment(1), by: stage.owner.principal };
    let expected = Node {
        id: node.id,
        uid,
        world: stage.owner.world,
        number: 1,
        kind_number: 1,
        kind: word("character"),
        namespace: "north".into(),
        name: "Gandalf".into(),
        derived_name: true,
        subtype: Some("NPC".into()),
        aliases: vec!["The Grey".into(), "Mithrandir".into()],
        tags: vec!["ally".into(), "wizard".into()],
        visibility: Visibility::Gm,
        properties: properties(json!({ "age": 2019 })),
        version: 1,
        created: stamp,
        updated: stamp,
        deleted_at: None,
    };
    assert_eq!(node, expected);
}

/// By row id, uid, number and number within the kind.
pub async fn a_node_is_found_by_every_key(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    stage.make(&stage.owner, NewNode::new(stage.uid(), word("place"), "Bree")).await;
    let node = stage.node(&stage.owner, "Gandalf").await;
    let keys = [
        NodeKey::Id(node.id),
        NodeKey::Uid(node.uid),
        NodeKey::Number(2),
        NodeKey::KindNumber(word("character"), 1),
    ];
    for key in keys {
        let found = stage.store().node(&stage.owner, key.clone()).await.unwrap();
        assert_eq!(found.as_ref(), Some(&node), "{key:?}");
    }
}

/// A missing node is not an error.
pub async fn an_absent_node_is_none(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    stage.node(&stage.owner, "Gandalf").await;
    let keys = [
        NodeKey::Id(NodeId(999)),
        NodeKey::Uid(stage.uid()),
        NodeKey::Number(999),
        NodeKey::Number(-1),
        NodeKey::KindNumber(word("place"), 1),
    ];
    for key in keys {
        assert_eq!(stage.store().node(&stage.owner, key).await.unwrap(), None);
    }
}

/// Neither a long nor an empty list is a problem.
pub async fn several_nodes_skip_the_absent(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let a = stage.node(&stage.owner, "A").await;
    let b = stage.node(&stage.owner, "B").await;
    let mut ids: Vec<_> = (1_000..4_000).map(NodeId).collect();
    ids.extend([b.id, a.id]);
    let mut found = stage.store().nodes(&stage.owner, &ids).await.unwrap();
    found.sort_by_key(|node| node.id);
    assert_eq!(found, [a.clone(), b.clone()]);
    assert!(stage.store().nodes(&stage.owner, &[]).await.unwrap().is_empty());
    let uids = [b.uid, stage.uid(), a.uid];
    let mut found = stage.store().nodes_by_uid(&stage.owner, &uids).await.unwrap();
    found.sort_by_key(|node| node.id);
    assert_eq!(found, [a, b]);
    assert!(stage.store().nodes_by_uid(&stage.owner, &[]).await.unwrap().is_empty());
    let numbers = [found[1].number, 4_711, found[0].number];
    let mut numbered = stage.store().nodes_by_number(&stage.owner, &numbers).await.unwrap();
    numbered.sort_by_key(|node| node.id);
    assert_eq!(numbered, found);
}

/// Fields that a patch leaves out stay the same.
pub async fn an_update_changes_only_what_it_names(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let draft = NewNode {
        namespace: "north".into(),
        subtype: Some("NPC".into()),
        aliases: vec!["The Grey".into()],
        tags: vec!["wizard".into()],
        properties: properties(json!({ "age": 2019 })),
        ..stage.draft("Gandalf")
    };
    let before = stage.make(&stage.owner, draft).await;
    let patch = NodePatch { name: Some("Gandalf the White".into()), ..NodePatch::default() };
    let change = Change::UpdateNode(NodeRef::Uid(before.uid), Expect::Any, patch);
    stage.change(&stage.owner, change).await;
    let after = stage.read(&stage.owner, before.id).await.unwrap();
    let expected = Node { name: "Gandalf the White".into(), version: 2, ..before };
    assert_eq!(after, expected);
}

/// A node that changes its kind stays the same node and gets the next number of the new kind.
pub async fn a_node_may_become_of_another_kind(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let other = word("guild");
    let draft = NewNode { kind: other.clone(), ..stage.draft("The Ring") };
    let first = stage.make(&stage.owner, draft).await;
    let before = stage.node(&stage.owner, "Gandalf").await;
    let patch = NodePatch { kind: Some(other.clone()), ..NodePatch::default() };
    let change = Change::UpdateNode(NodeRef::Uid(before.uid), Expect::Any, patch);
    stage.change(&stage.owner, change).await;
    let after = stage.read(&stage.owner, before.id).await.unwrap();
    let kind_number = first.kind_number + 1;
    assert_eq!(after, Node { kind: other.clone(), kind_number, version: 2, ..before });
    let query = NodeQuery { kinds: vec![other], ..NodeQuery::default() };
    let found = stage.store().find_nodes(&stage.owner, query).await.unwrap().items;
    assert_eq!(found, [first, after]);
}

/// The node records who changed it last and when, and counts versions.
pub async fn an_update_counts_the_version_and_stamps_its_author(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let pia = stage.person("Pia", Role::Player).await;
    let before = stage.node(&stage.owner, "Gandalf").await;
    let patch = NodePatch { namespace: Some("west".into()), ..NodePatch::default() };
    let change = Change::UpdateNode(NodeRef::Id(before.id), Expect::Any, patch);
    let later = Batch { at: moment(60), ..batch() };
    let done = stage.commit(&pia, later.change(change)).await;
    assert_eq!((node_id(&done), version(&done)), (before.id, 2));
    let after = stage.read(&stage.owner, before.id).await.unwrap();
    assert_eq!(after.created, before.created);
    assert_eq!(after.updated, Stamp { at: moment(60), by: pia.principal });
    assert_eq!(after.version, 2);
}

/// The node must exist and have the expected version.
pub async fn an_empty_update_changes_nothing(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let node = stage.node(&stage.owner, "Gandalf").await;
    let empty = |version| {
        Change::UpdateNode(NodeRef::Id(node.id), Expect::Version(version), NodePatch::default())
    };
    assert_eq!(version(&stage.change(&stage.owner, empty(1)).await), 1);
    conflict(stage.attempt(&stage.owner, empty(2)).await);
}

/// `Some(None)` clears the subtype, while `None` keeps it.
pub async fn a_subtype_can_be_cleared(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let draft = NewNode { subtype: Some("NPC".into()), ..stage.draft("Gandalf") };
    let node = stage.make(&stage.owner, draft).await;
    let patch = NodePatch { subtype: Some(None), ..NodePatch::default() };
    let change = Change::UpdateNode(NodeRef::Id(node.id), Expect::Any, patch);
    stage.change(&stage.owner, change).await;
    assert_eq!(stage.read(&stage.owner, node.id).await.unwrap().subtype, None);
}

/// A tag belongs to the world, not to the node.
pub async fn tags_keep_their_first_spelling_and_are_sorted(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let first = NewNode { tags: vec!["Wizard".into(), "Élite".into()], ..stage.draft("A") };
    stage.make(&stage.owner, first).await;
    let tags = vec!["ÉLITE".into(), "wizard".into(), "ally".into()];
    let second = stage.make(&stage.owner, NewNode { tags, ..stage.draft("B") }).await;
    assert_eq!(second.tags, ["ally", "Wizard", "Élite"]);
}

/// Lists are replaced, not merged.
pub async fn tags_and_aliases_are_replaced_as_a_whole(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let draft = NewNode {
        tags: vec!["a".into(), "b".into()],
        aliases: vec!["X".into(), "Y".into()],
        ..stage.draft("Gandalf")
    };
    let node = stage.make(&stage.owner, draft).await;
    let patch = NodePatch {
        tags: Some(vec!["b".into(), "c".into()]),
        aliases: Some(vec!["Y".into(), "X".into()]),
        ..NodePatch::default()
    };
    let change = Change::UpdateNode(NodeRef::Id(node.id), Expect::Any, patch);
    stage.change(&stage.owner, change).await;
    let after = stage.read(&stage.owner, node.id).await.unwrap();
    assert_eq!(after.tags, ["b", "c"]);
    assert_eq!(after.aliases, ["Y", "X"], "in the given order");
    let patch = NodePatch { tags: Some(vec![]), aliases: Some(vec![]), ..NodePatch::default() };
    let change = Change::UpdateNode(NodeRef::Id(node.id), Expect::Any, patch);
    stage.change(&stage.owner, change).await;
    let after = stage.read(&stage.owner, node.id).await.unwrap();
    assert!(after.tags.is_empty() && after.aliases.is_empty());
}

/// Different case does not make a second entry.
pub async fn repeated_tags_and_aliases_count_once(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let draft = NewNode {
        tags: vec!["Wizard".into(), "wizard".into(), " WIZARD ".into()],
        aliases: vec!["Grey".into(), "GREY".into()],
        ..stage.draft("Gandalf")
    };
    let node = stage.make(&stage.owner, draft).await;
    assert_eq!((node.tags, node.aliases), (vec!["Wizard".to_owned()], vec!["Grey".to_owned()]));
}

/// For nodes, tags and aliases.
pub async fn blank_names_are_refused(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let blank = || vec![" ".to_owned()];
    let drafts = [
        NewNode { name: String::new(), ..stage.draft("") },
        NewNode { name: " \t".into(), ..stage.draft("") },
        NewNode { tags: blank(), ..stage.draft("Gandalf") },
        NewNode { aliases: blank(), ..stage.draft("Gandalf") },
    ];
    for draft in drafts {
        invalid(stage.attempt(&stage.owner, Change::CreateNode(draft)).await);
    }
    let node = stage.node(&stage.owner, "Gandalf").await;
    let patch = NodePatch { name: Some("  ".into()), ..NodePatch::default() };
    let change = Change::UpdateNode(NodeRef::Id(node.id), Expect::Any, patch);
    invalid(stage.attempt(&stage.owner, change).await);
    assert_eq!(stage.read(&stage.owner, node.id).await.unwrap(), node);
}

/// Even a deleted node keeps its uid.
pub async fn a_uid_is_taken_once(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let draft = stage.draft("Gandalf");
    let node = stage.make(&stage.owner, draft.clone()).await;
    exists(stage.attempt(&stage.owner, Change::CreateNode(draft.clone())).await);
    let delete = Change::DeleteNode(NodeRef::Id(node.id), Expect::Any);
    stage.change(&stage.owner, delete).await;
    exists(stage.attempt(&stage.owner, Change::CreateNode(draft)).await);
}

/// Covers nesting, numbers, text and the order of fields.
pub async fn properties_survive(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let given = json!({
        "z": 1, "a": [1, "two", null, true, { "deep": [[]] }],
        "large": 9_007_199_254_740_993_i64, "small": -0.125, "text": "Zwölf \"Boxkämpfer\" \\ 🐉 \n'"
    });
    let draft = NewNode { properties: properties(given.clone()), ..stage.draft("Gandalf") };
    let node = stage.make(&stage.owner, draft).await;
    assert_eq!(node.properties, properties(given.clone()));
    let patch = NodePatch { properties: Some(Properties::new()), ..NodePatch::default() };
    let change = Change::UpdateNode(NodeRef::Id(node.id), Expect::Any, patch);
    stage.change(&stage.owner, change).await;
    assert!(stage.read(&stage.owner, node.id).await.unwrap().properties.is_empty());
}

/// Covers times in the distant past and future.
pub async fn moments_survive_to_the_microsecond(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    for micros in [-62_000_000_000_000_001, 0, 1_800_000_000_123_457, 95_617_584_000_000_000] {
        let at = Timestamp::from_microsecond(micros).unwrap();
        let draft = stage.draft("Gandalf");
        let uid = draft.uid;
        let made = Batch { at, ..batch() }.change(Change::CreateNode(draft));
        stage.commit(&stage.owner, made).await;
        let node = stage.store().node(&stage.owner, NodeKey::Uid(uid)).await.unwrap().unwrap();
        assert_eq!(node.created.at, at);
    }
}

/// A private item needs a principal who exists.
pub async fn nothing_is_private_to_nobody(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let visibility = Visibility::Private(PrincipalId(999));
    let draft = NewNode { visibility, ..stage.draft("Gandalf") };
    invalid(stage.attempt(&stage.owner, Change::CreateNode(draft)).await);
}

fn properties(value: serde_json::Value) -> Properties {
    value.as_object().unwrap().clone()
}

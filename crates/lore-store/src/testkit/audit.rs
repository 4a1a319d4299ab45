//! Contract tests for the audit log.

use lore_core::{Node, Role, Viewer, Visibility};
use serde_json::Value;

use super::Harness;
use super::stage::{Stage, batch, edge_draft, forbidden, moment, not_found, origin};
use crate::{
    AuditEntry, Batch, Change, EdgePatch, EdgeRef, Expect, NewEdge, NewNode, NewText, NodePatch,
    NodeRef, Origin, TextPatch, TextRef,
};

/// An entry tells who, when, with which tool, for which request and from which source.
pub async fn every_batch_is_one_entry_with_its_origin(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let pia = stage.person("Pia", Role::Player).await;
    let before = log(&stage, &stage.owner).await.len();
    let origin = Origin {
        tool: "import".into(),
        request_id: "r-7".into(),
        source: Some("https://example.org/x".into()),
    };
    let two = Batch::new(origin, moment(42))
        .change(Change::CreateNode(stage.draft("A")))
        .change(Change::CreateNode(stage.draft("B")))
        .touch("lore://x");
    stage.commit(&pia, two).await;
    stage.commit(&pia, batch().touch("lore://y")).await;
    let entries = log(&stage, &stage.owner).await;
    assert_eq!(entries.len(), before + 2);
    let entry = &entries[1];
    assert_eq!((entry.principal, entry.at), (pia.principal, moment(42)));
    assert_eq!((entry.tool.as_str(), entry.request_id.as_str()), ("import", "r-7"));
    assert_eq!(entry.source.as_deref(), Some("https://example.org/x"));
    assert_eq!(changes(entry).len(), 2);
    assert_eq!(entries[0].source, None);
    assert!(changes(&entries[0]).is_empty());
}

/// Each change is listed with its operation, row id, uid and version.
pub async fn the_detail_lists_what_was_done(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let node = stage.node(&stage.owner, "A").await;
    let text = stage.text(&stage.owner, &node, "x").await;
    let edge = stage.join(&stage.owner, &node, &node).await;
    let (node_ref, text_ref) = (NodeRef::Id(node.id), TextRef::Id(text.id));
    let edge_ref = EdgeRef::Id(edge.id);
    let renamed = NodePatch { name: Some("B".into()), ..NodePatch::default() };
    let whole = batch()
        .change(Change::UpdateNode(node_ref, Expect::Any, renamed))
        .change(Change::DeleteText(text_ref, Expect::Any))
        .change(Change::RestoreText(text_ref))
        .change(Change::PutEdge(NewEdge { weight: 2.0, ..edge_draft(&node, &node) }))
        .change(Change::DeleteEdge(edge_ref.clone(), Expect::Any))
        .change(Change::RestoreEdge(edge_ref))
        .change(Change::DeleteNode(node_ref, Expect::Any));
    stage.commit(&stage.owner, whole).await;
    let entry = newest(&stage).await;
    let told: Vec<_> = changes(&entry)
        .iter()
        .map(|change| {
            let number = |name: &str| change[name].as_i64().unwrap();
            (change["op"].as_str().unwrap().to_owned(), number("id"), number("version"))
        })
        .collect();
    let expected = [
        ("update_node", node.id.0, 2),
        ("delete_text", text.id.0, 2),
        ("restore_text", text.id.0, 3),
        ("put_edge", edge.id.0, 2),
        ("delete_edge", edge.id.0, 3),
        ("restore_edge", edge.id.0, 4),
        ("delete_node", node.id.0, 3),
    ]
    .map(|(op, id, version)| (op.to_owned(), id, version));
    assert_eq!(told, expected);
    assert_eq!(changes(&entry)[0]["uid"], node.uid.to_string());
    assert_eq!(changes(&entry)[1]["uid"], text.uid.to_string());
}

/// The replaced values are there, so that somebody can restore them.
pub async fn the_detail_holds_what_was_replaced(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let draft = NewNode { tags: vec!["t".into()], ..stage.draft("Old name") };
    let node = stage.make(&stage.owner, draft).await;
    let text = stage.text(&stage.owner, &node, "Old body").await;
    let edge = stage.join(&stage.owner, &node, &node).await;
    let name = NodePatch {
        name: Some("New".into()),
        tags: Some(vec![]),
        visibility: Some(Visibility::Gm),
        ..NodePatch::default()
    };
    let body = TextPatch { body: Some("New".into()), ..TextPatch::default() };
    let weight = EdgePatch { weight: Some(2.0), ..EdgePatch::default() };
    let whole = batch()
        .change(Change::UpdateText(TextRef::Id(text.id), Expect::Any, body))
        .change(Change::UpdateEdge(EdgeRef::Id(edge.id), Expect::Any, weight))
        .change(Change::UpdateNode(NodeRef::Id(node.id), Expect::Any, name));
    stage.commit(&stage.owner, whole).await;
    let entry = newest(&stage).await;
    let replaced: Vec<_> = changes(&entry).iter().map(|c| c["replaced"].clone()).collect();
    assert_eq!(replaced[0], serde_json::json!({ "body": "Old body" }));
    assert_eq!(replaced[1]["weight"], 1.0);
    let old = serde_json::json!({ "name": "Old name", "tags": ["t"], "visibility": "members" });
    assert_eq!(replaced[2], old);
}

/// `before` continues where the last page ended.
pub async fn the_newest_come_first_in_pieces(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    for number in 0..5 {
        let origin = Origin::new(format!("tool-{number}"), "");
        let touch = Batch::new(origin, moment(number)).touch("lore://x");
        stage.commit(&stage.owner, touch).await;
    }
    let first = stage.store().audit(&stage.owner, None, 2).await.unwrap();
    let tools: Vec<_> = first.iter().map(|entry| entry.tool.as_str()).collect();
    assert_eq!(tools, ["tool-4", "tool-3"]);
    let second = stage.store().audit(&stage.owner, Some(first[1].id), 2).await.unwrap();
    let tools: Vec<_> = second.iter().map(|entry| entry.tool.as_str()).collect();
    assert_eq!(tools, ["tool-2", "tool-1"]);
}

/// Players and readers may not read it.
pub async fn only_the_gm_side_reads_it(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let gm = stage.person("Gil", Role::Gm).await;
    assert!(!log(&stage, &gm).await.is_empty());
    for (name, role) in [("Pia", Role::Player), ("Rob", Role::Reader)] {
        let viewer = stage.person(name, role).await;
        forbidden(stage.store().audit(&viewer, None, 10).await);
    }
}

/// A batch that changed nothing is not in the log.
pub async fn a_failed_batch_leaves_no_entry(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let before = log(&stage, &stage.owner).await;
    let failing = batch()
        .change(Change::CreateNode(stage.draft("A")))
        .change(Change::DeleteNode(NodeRef::Uid(stage.uid()), Expect::Any));
    not_found(stage.store().commit(&stage.owner, failing).await);
    assert_eq!(log(&stage, &stage.owner).await, before);
}

/// Not even the owner of the world sees replaced values of another person's private items.
pub async fn private_values_are_shown_only_to_their_owner(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let gil = stage.person("Gil", Role::Gm).await;
    let diary = stage.node_for(&gil, Visibility::Private(gil.principal)).await;
    let patch = NodePatch { name: Some("New".into()), ..NodePatch::default() };
    let change = Change::UpdateNode(NodeRef::Id(diary.id), Expect::Any, patch);
    stage.change(&gil, change).await;
    assert_eq!(secrets_in_newest(&stage, &gil).await, 1);
    assert_eq!(secrets_in_newest(&stage, &stage.owner).await, 0);
}

/// Covers a text for all members on a private node, and an edge at that node.
pub async fn what_hangs_on_a_private_node_is_private(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let gil = stage.person("Gil", Role::Gm).await;
    let diary: Node = stage.node_for(&gil, Visibility::Private(gil.principal)).await;
    let text = stage.text(&gil, &diary, "Hidden body").await;
    let patch = TextPatch { body: Some("New".into()), ..TextPatch::default() };
    let change = Change::UpdateText(TextRef::Id(text.id), Expect::Any, patch);
    stage.change(&gil, change).await;
    assert_eq!(secrets_in_newest(&stage, &gil).await, 1);
    assert_eq!(secrets_in_newest(&stage, &stage.owner).await, 0);
    let open = stage.node(&gil, "Open").await;
    let visibility = Visibility::Private(gil.principal);
    let draft = NewText { visibility, ..stage.text_draft(&open, "Hidden body") };
    let text = stage.write(&gil, draft).await;
    let patch = TextPatch {
        body: Some("Published".into()),
        visibility: Some(Visibility::Members),
        ..TextPatch::default()
    };
    let publish = Change::UpdateText(TextRef::Id(text.id), Expect::Any, patch);
    stage.change(&gil, publish).await;
    assert_eq!(secrets_in_newest(&stage, &stage.owner).await, 0, "it was private before");
}

/// Creating worlds and tokens, and revoking tokens, makes audit entries.
pub async fn worlds_and_tokens_are_audited(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let made = stage.other_world("Other").await;
    let entries = log(&stage, &made).await;
    assert_eq!((entries.len(), entries[0].tool.as_str()), (1, origin().tool.as_str()));
    stage.person_in(&made, "Pia", Role::Player).await;
    assert_eq!(log(&stage, &made).await.len(), 2);
    let token = stage.store().tokens(&made).await.unwrap().remove(0);
    stage.store().revoke_token(&made, token.id, moment(0)).await.unwrap();
    let entries = log(&stage, &made).await;
    assert_eq!(entries.len(), 3);
    assert!(entries.iter().all(|entry| entry.principal == made.principal));
    let told: String = entries.iter().map(|entry| entry.detail.as_str()).collect();
    assert!(!told.contains(&token.public_id) && !told.contains("secret"));
}

async fn log(stage: &Stage, viewer: &Viewer) -> Vec<AuditEntry> {
    stage.store().audit(viewer, None, 1_000).await.unwrap()
}

async fn newest(stage: &Stage) -> AuditEntry {
    stage.store().audit(&stage.owner, None, 1).await.unwrap().remove(0)
}

/// The number of values starting with "Hidden" that the newest entry shows.
async fn secrets_in_newest(stage: &Stage, viewer: &Viewer) -> usize {
    let entry = stage.store().audit(viewer, None, 1).await.unwrap().remove(0);
    entry.detail.matches("\"Hidden").count()
}

fn changes(entry: &AuditEntry) -> Vec<Value> {
    let detail: Value = serde_json::from_str(&entry.detail).unwrap();
    detail["changes"].as_array().unwrap().clone()
}

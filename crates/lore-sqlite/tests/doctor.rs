//! What the check finds when somebody has worked on the file by other means.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests")]

mod common;

use std::path::Path;

use common::{batch, behind_the_back, effects, hub, open, owner, trio, word};
use lore_core::{EdgeId, Node, NodeId, TextId, Uid, Viewer, Visibility};
use lore_sqlite::SqliteStore;
use lore_store::{
    Change, EdgeRef, Events, Expect, Maintenance, NewEvent, NewEvents, NewNode, NodeKey, NodePatch,
    NodeRef, Nodes, Store, StoreError, TextRef,
};

async fn fill(path: &Path) {
    let store = open(path);
    let viewer = owner(&store).await;
    let effects = effects(2);
    let center = effects.uid();
    store.commit(&viewer, hub(center)).await.unwrap();
    for _ in 0..3 {
        store.commit(&viewer, trio(effects.uid(), effects.uid(), center)).await.unwrap();
    }
    let draft = NewNode {
        tags: vec!["Wizard".into()],
        aliases: vec!["Mithrandir".into()],
        subtype: Some("NPC".into()),
        ..NewNode::new(effects.uid(), word("character"), "Gandalf")
    };
    let log = log_of_three(draft.uid);
    let last = batch().change(Change::CreateNode(draft)).change(log);
    store.commit(&viewer, last).await.unwrap();
    assert_eq!(store.check().await.unwrap().findings, []);
}

fn log_of_three(node: Uid) -> Change {
    let event = |kind: &str| NewEvent {
        kind: kind.into(),
        request_id: "r".into(),
        invocation_id: "i".into(),
        participant: None,
        character: None,
        payload: "{}".into(),
        secret: None,
        visibility: Visibility::Members,
        settles: None,
    };
    let events = vec![event("A"), event("B"), event("C")];
    Change::AppendEvents(NewEvents { node: NodeRef::Uid(node), after: None, events })
}

#[tokio::test]
async fn what_search_reads_is_missed_and_made_again() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("s.sqlite");
    fill(&path).await;
    change(
        &path,
        "DELETE FROM doc WHERE seq = 2; UPDATE doc SET analysis = x'' WHERE seq = 3;
         UPDATE text SET body = 'changed behind the back' WHERE id = 3;",
    );
    let store = open(&path);
    let found = store.check().await.unwrap().findings;
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].problem.starts_with("the text 3 (entry) of node 4"), "{found:?}");
    assert!(found[1].problem.ends_with("for 3 documents"), "{found:?}");
    assert!(found[1].remedy.contains("--rebuild"));
    assert_eq!(store.rebuild_index().await.unwrap(), 8);
    assert_eq!(store.check().await.unwrap().findings, found[..1]);
}

#[tokio::test]
async fn a_damaged_index_is_made_again_from_its_table() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("s.sqlite");
    fill(&path).await;
    let db = behind_the_back(&path);
    db.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
    let number = |sql: &str| db.query_row(sql, (), |row| row.get::<_, u32>(0)).unwrap();
    let root = number("SELECT rootpage FROM sqlite_schema WHERE name = 'node_by_name'") as usize;
    let size = number("PRAGMA page_size") as usize;
    db.close().unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    let page = &mut bytes[(root - 1) * size..root * size];
    let at = page.windows(7).position(|part| part == b"gandalf").unwrap();
    page[at] = b'h';
    std::fs::write(&path, bytes).unwrap();
    let store = open(&path);
    let found = store.check().await.unwrap().findings;
    assert!(found.iter().any(|one| one.problem.contains("missing from index")), "{found:?}");
    assert!(found.iter().all(|one| one.remedy.contains("--rebuild")), "{found:?}");
    store.rebuild_index().await.unwrap();
    assert_eq!(store.check().await.unwrap().findings, []);
}

/// A damaged thing is named where it is asked for, is not sealed anew by a change, and can be
/// kept as it is on purpose.
#[tokio::test]
async fn what_is_damaged_is_not_shown_until_it_is_accepted() {
    let home = tempfile::tempdir().unwrap();
    let sql = "UPDATE node SET name = 'Gandalg', name_key = 'gandalg' WHERE name = 'Gandalf';
               UPDATE text SET body = 'Wrong' WHERE id = 1; UPDATE edge SET weight = 2 WHERE id = 1;
               UPDATE state SET version = 9;";
    let path = home.path().join("s.sqlite");
    fill(&path).await;
    change(&path, sql);
    let store = open(&path);
    let viewer = owner(&store).await;
    let gandalf = NodeKey::KindNumber(word("character"), 1);
    let refused = store.node(&viewer, gandalf.clone()).await.unwrap_err();
    assert_eq!(refused, StoreError::Corrupt("node 5 is not what was written".into()));
    for change in [
        Change::DeleteNode(NodeRef::Id(NodeId(5)), Expect::Any),
        Change::UpdateNode(NodeRef::Id(NodeId(5)), Expect::Any, NodePatch::default()),
        Change::DeleteText(TextRef::Id(TextId(1)), Expect::Any),
        Change::DeleteEdge(EdgeRef::Id(EdgeId(1)), Expect::Any),
    ] {
        let changed = store.commit(&viewer, batch().change(change)).await;
        assert!(matches!(changed, Err(StoreError::Corrupt(_))), "{changed:?}");
    }
    let found = store.check().await.unwrap().findings;
    for what in ["the character 'Gandalg' (node 5)", "the text 1", "the edge 1", "'log_head'"] {
        assert!(found.iter().any(|found| found.problem.contains(what)), "{what}: {found:?}");
    }
    assert_eq!(store.accept_damage().await.unwrap(), 4);
    store.rebuild_index().await.unwrap();
    assert_eq!(store.check().await.unwrap().findings, []);
    assert_eq!(store.node(&viewer, gandalf).await.unwrap().unwrap().name, "Gandalg");
}

fn change(path: &Path, sql: &str) {
    let db = behind_the_back(path);
    db.execute_batch(sql).unwrap();
    db.close().unwrap();
}

#[tokio::test]
async fn a_changed_layout_is_found() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("s.sqlite");
    fill(&path).await;
    change(&path, "DROP INDEX node_by_name; CREATE TABLE other (id); DROP INDEX audit_of_world;");
    let found = open(&path).check().await.unwrap().findings;
    let problems: Vec<_> = found.iter().map(|found| found.problem.as_str()).collect();
    let wrong = |name: &str| format!("the layout of {name} is not what it was");
    assert_eq!(problems, ["audit_of_world", "node_by_name", "other"].map(wrong));
}

/// Byte 18 of the header is the version that writing needs.
#[tokio::test]
async fn a_header_that_forbids_writing_is_found() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("s.sqlite");
    fill(&path).await;
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[18] = 3;
    std::fs::write(&path, bytes).unwrap();
    let found = open(&path).check().await.unwrap().findings;
    assert!(found[0].problem.contains("nothing can be written"), "{found:?}");
}

#[tokio::test]
async fn a_damaged_backup_is_not_trusted() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("s.sqlite");
    fill(&path).await;
    change(&path, "UPDATE text SET body = 'Wrong' WHERE id = 1");
    let refused = SqliteStore::verify_file(&path).unwrap_err();
    assert!(refused.to_string().contains("the text 1 (entry) of node 2"), "{refused}");
}

/// Runs `sql` on the file without the rules that would forbid it, and returns
/// what the check then says.
async fn after(sql: &str) -> Vec<String> {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("s.sqlite");
    fill(&path).await;
    let db = behind_the_back(&path);
    db.execute_batch("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON;").unwrap();
    db.execute_batch(sql).unwrap();
    db.close().unwrap();
    let health = open(&path).check().await.unwrap();
    assert!(health.findings.iter().all(|finding| !finding.remedy.is_empty()));
    health.findings.into_iter().map(|finding| finding.problem).collect()
}

#[tokio::test]
async fn every_kind_of_nonsense_is_found() {
    for (sql, problem) in [
        ("UPDATE counter SET next = 2 WHERE name = 'node'", "give out a number again"),
        ("DELETE FROM counter WHERE name = 'kind:item'", "kinds whose counter"),
        ("UPDATE counter SET next = 9 WHERE name = 'change'", "wrong end"),
        ("DELETE FROM change_log WHERE seq = 2", "change logs with gaps"),
        ("INSERT INTO counter VALUES (77, 'node', 1)", "counters of a world"),
        ("UPDATE tag SET world = 99", "point to a world that does not exist"),
        ("UPDATE node SET properties = '{' WHERE number = 1", "not JSON"),
        ("UPDATE membership SET role = 'gm'", "without an owner"),
        ("UPDATE node SET name_key = 'x' WHERE number = 1", "1 entries of node"),
        ("UPDATE node SET subtype_key = NULL", "entries of subtype"),
        ("UPDATE alias SET name = 'Olórin'", "entries of alias"),
        ("UPDATE tag SET key = 'x'", "entries of tag"),
        ("DELETE FROM node WHERE number = 2", "point to a node that does not exist"),
        ("UPDATE event SET payload = '{ }' WHERE seq = 2", "does not fit from entry 2 on"),
        ("UPDATE event SET visibility = 'gm' WHERE seq = 2", "does not fit from entry 2 on"),
        ("DELETE FROM event WHERE seq = 1", "does not fit from entry 1 on"),
        ("DELETE FROM event WHERE seq = 3", "from entry 3 on, and 1 of its entries are gone"),
        ("DELETE FROM event", "from entry 1 on, and 3 of its entries are gone"),
        ("DELETE FROM state WHERE name = 'log_head'", "does not fit from entry 1 on"),
        ("UPDATE node SET visibility = 'everybody' WHERE number = 1", "CHECK constraint"),
    ] {
        let problems = after(sql).await;
        assert!(problems.iter().any(|found| found.contains(problem)), "{sql}: {problems:?}");
    }
}

#[tokio::test]
async fn a_changed_log_is_noticed_where_it_was_changed() {
    let home = tempfile::tempdir().unwrap();
    let sql = "UPDATE event SET kind = 'X' WHERE seq = 3";
    let (store, viewer, node) = tampered(home.path(), sql).await;
    let report = store.verify_events(&viewer, node.id).await.unwrap();
    assert_eq!((report.length, report.broken_at), (3, Some(3)));
}

/// What is added later hides nothing: the gap stays where the entries were.
#[tokio::test]
async fn a_log_that_was_cut_off_stays_cut_off() {
    let home = tempfile::tempdir().unwrap();
    let sql = "DELETE FROM event WHERE seq >= 2";
    let (store, viewer, node) = tampered(home.path(), sql).await;
    let report = store.verify_events(&viewer, node.id).await.unwrap();
    assert_eq!((report.length, report.broken_at, report.missing), (1, Some(2), 2));
    store.commit(&viewer, batch().change(log_of_three(node.uid))).await.unwrap();
    let report = store.verify_events(&viewer, node.id).await.unwrap();
    assert_eq!((report.length, report.broken_at, report.missing), (4, Some(2), 2));
}

/// A store whose file somebody changed, and the node that has a log.
async fn tampered(home: &Path, sql: &str) -> (SqliteStore, Viewer, Node) {
    let path = home.join("s.sqlite");
    fill(&path).await;
    change(&path, sql);
    let store = open(&path);
    let viewer = owner(&store).await;
    let key = NodeKey::KindNumber(word("character"), 1);
    let node = store.node(&viewer, key).await.unwrap().unwrap();
    (store, viewer, node)
}

#[cfg(unix)]
#[tokio::test]
async fn a_file_open_to_others_is_found() {
    use std::os::unix::fs::PermissionsExt;
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("s.sqlite");
    fill(&path).await;
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    let findings = open(&path).check().await.unwrap().findings;
    assert!(findings[0].remedy.contains("chmod 600"), "{findings:?}");
}

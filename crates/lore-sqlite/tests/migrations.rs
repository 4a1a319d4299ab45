//! Opening files: old ones, newer ones, foreign ones, and several openers at once.
//!
//! Each `tests/fixtures/schema_….sqlite` was written by [`write_fixture`] when its
//! schema was the newest; it must open for ever. Make the next one with
//! `LORE_WRITE_FIXTURE=1 cargo test -p lore-sqlite --test migrations write_fixture`.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests")]

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use common::{batch, effects, export, fill, open, owner, try_open, word};
use lore_core::{Principal, Role, Viewer};
use lore_sqlite::SqliteStore;
use lore_store::{
    Change, Directory, Events, Log, Maintenance, NewNode, NodeQuery, Nodes, Sessions, States,
    Store, StoreError,
};
use rusqlite::Connection;

/// The newest schema: one for each step.
const NEWEST: i64 = 8;

/// The store of a schema, as it was written back then.
fn fixture(schema: i64) -> PathBuf {
    let name = format!("tests/fixtures/schema_{schema:04}.sqlite");
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// What [`records`] wrote is there, and its log is whole.
async fn has_records(store: &SqliteStore, viewer: &Viewer) {
    let query = NodeQuery { kinds: vec![word("hub")], ..NodeQuery::default() };
    let center = store.find_nodes(viewer, query).await.unwrap().items.remove(0).id;
    let states = store.states(viewer, &[center], &word("sheet")).await.unwrap();
    assert_eq!(states[0].value, serde_json::json!({"hope": 2}));
    let chain = store.verify_events(viewer, center).await.unwrap();
    assert_eq!((chain.length, chain.broken_at, chain.missing), (2, None, 0));
    let settled = store.settled(viewer, center, 1).await.unwrap().unwrap();
    assert_eq!((settled.sequence, settled.kind.as_str()), (2, "APPLIED"));
    let answer = store.answered(viewer, "test", "once").await.unwrap();
    assert_eq!(answer.as_deref(), Some(r#"{"kept":true}"#));
}

#[tokio::test]
async fn write_fixture() {
    if std::env::var_os("LORE_WRITE_FIXTURE").is_some() {
        let path = fixture(NEWEST);
        let _ = fs::remove_file(&path);
        fill(&path).await;
    }
}

#[tokio::test]
async fn stores_of_every_schema_still_open_with_their_data() {
    for schema in 1..=NEWEST {
        let fixture = fixture(schema);
        // The newest may still change; its fixture is made when it is released.
        if fixture.exists() {
            still_opens(&fixture, schema).await;
        } else {
            assert_eq!(schema, NEWEST, "a store of schema {schema} is missing");
        }
    }
}

async fn still_opens(fixture: &Path, schema: i64) {
    let home = tempfile::tempdir().unwrap();
    let (old, new) = (home.path().join("old.sqlite"), home.path().join("new.sqlite"));
    fs::copy(fixture, &old).unwrap();
    fill(&new).await;
    let (old, new) = (open(&old), open(&new));
    let viewer = owner(&old).await;
    let kept = export(&old, &viewer).await.unwrap();
    assert_eq!((kept.nodes.len(), kept.texts.len(), kept.edges.len()), (6, 3, 3));
    let mut made = export(&new, &viewer).await.unwrap();
    if schema >= 2 {
        has_records(&old, &viewer).await;
    } else {
        made.audit.remove(0);
    }
    assert_eq!(kept, made);
    let token = old.token("public").await.unwrap().unwrap();
    assert_eq!((token.role, token.secret_hash), (Role::Player, [7; 32]));
    assert!(old.session(Principal::LOCAL, "key").await.unwrap().is_some());
    let health = old.check().await.unwrap();
    // Version control keeps no private modes.
    let problems: Vec<_> =
        health.findings.iter().filter(|f| !f.problem.contains("other people")).collect();
    assert!(problems.is_empty(), "{problems:?}");
    assert_eq!(health.stats.schema, NEWEST);
    let draft = NewNode::new(effects(99).uid(), word("item"), "New");
    old.commit(&viewer, batch().change(Change::CreateNode(draft))).await.unwrap();
}

#[tokio::test]
async fn a_newer_schema_is_refused_and_kept() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("s.sqlite");
    fill(&path).await;
    let db = Connection::open(&path).unwrap();
    db.pragma_update(None, "user_version", NEWEST + 1).unwrap();
    db.close().unwrap();
    let before = fs::read(&path).unwrap();
    let refused = try_open(&path).err();
    assert_eq!(refused, Some(StoreError::NewerSchema { found: NEWEST + 1, known: NEWEST }));
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn foreign_files_are_refused_and_untouched() {
    let home = tempfile::tempdir().unwrap();
    let file = |name: &str| home.path().join(name);
    for mode in ["delete", "wal"] {
        let db = Connection::open(file(mode)).unwrap();
        db.pragma_update(None, "journal_mode", mode).unwrap();
        db.execute_batch("CREATE TABLE node (id); INSERT INTO node VALUES (1);").unwrap();
        db.close().unwrap();
    }
    let other = Connection::open(file("marked")).unwrap();
    other.pragma_update(None, "application_id", 0x1234_5678).unwrap();
    other.close().unwrap();
    fs::write(file("text"), "Dear diary, ".repeat(1_000)).unwrap();
    fs::write(file("short"), "x").unwrap();
    fs::write(file("empty"), "").unwrap();
    let names = ["delete", "wal", "marked", "text", "short", "empty"];
    for name in names {
        let before = (fs::read(file(name)).unwrap(), fs::metadata(file(name)).unwrap());
        let refused = try_open(&file(name)).err();
        assert!(matches!(refused, Some(StoreError::Foreign(_))), "{name}: {refused:?}");
        assert_eq!(fs::read(file(name)).unwrap(), before.0, "{name}");
        let modified = fs::metadata(file(name)).unwrap().modified().unwrap();
        assert_eq!(modified, before.1.modified().unwrap(), "{name}");
    }
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), names.len(), "no file beside them");
    let refused = try_open(home.path()).err();
    assert!(matches!(refused, Some(StoreError::Foreign(_))), "a directory: {refused:?}");
}

#[tokio::test]
async fn a_migration_that_breaks_off_is_rolled_back() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("s.sqlite");
    // Our mark, no schema yet, and a table in the way of the first step's end.
    let db = Connection::open(&path).unwrap();
    db.pragma_update(None, "application_id", 0x4C4F_5245).unwrap();
    db.execute_batch("CREATE TABLE session (in_the_way);").unwrap();
    db.close().unwrap();
    assert!(try_open(&path).is_err());
    let db = Connection::open(&path).unwrap();
    let tables: String =
        db.query_row("SELECT group_concat(name) FROM sqlite_schema", (), |r| r.get(0)).unwrap();
    let version: i64 = db.pragma_query_value(None, "user_version", |r| r.get(0)).unwrap();
    assert_eq!((tables.as_str(), version), ("session", 0));
    db.execute_batch("DROP TABLE session;").unwrap();
    db.close().unwrap();
    let store = open(&path);
    assert_eq!(store.check().await.unwrap().stats.schema, NEWEST);
}

#[cfg(unix)]
#[test]
fn a_new_store_is_nobody_elses_business() {
    use std::os::unix::fs::PermissionsExt;
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("data/lore/s.sqlite");
    let store = open(&path);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&path), 0o600);
    assert_eq!(mode(&home.path().join("data")), 0o700);
    assert_eq!(mode(&home.path().join("data/lore")), 0o700);
    for entry in fs::read_dir(home.path().join("data/lore")).unwrap() {
        assert_eq!(mode(&entry.unwrap().path()), 0o600);
    }
    drop(store);
}

#[tokio::test]
async fn many_openers_at_once_agree_on_one_store() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("s.sqlite");
    let openers: Vec<_> = (0..8)
        .map(|_| {
            let path = path.clone();
            thread::spawn(move || open(&path))
        })
        .collect();
    let stores: Vec<_> = openers.into_iter().map(|opener| opener.join().unwrap()).collect();
    for store in &stores {
        assert_eq!(store.worlds(Principal::LOCAL).await.unwrap().len(), 1);
    }
    assert_eq!(stores[0].check().await.unwrap().findings, []);
}

/// Where a child process finds its store; absent in the parent.
const CHILD: &str = "LORE_OPENER_STORE";

#[tokio::test]
async fn opener_child() {
    let Some(path) = std::env::var_os(CHILD).map(PathBuf::from) else { return };
    let store = open(&path);
    let viewer = owner(&store).await;
    let effects = effects(u64::from(std::process::id()));
    for _ in 0..20 {
        let draft = NewNode::new(effects.uid(), word("item"), "N");
        let make = batch().change(Change::CreateNode(draft)).touch("lore://x");
        store.commit(&viewer, make).await.unwrap();
    }
}

#[tokio::test]
async fn several_processes_share_one_store() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("s.sqlite");
    let children: Vec<_> = (0..6)
        .map(|_| {
            Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "opener_child"])
                .env(CHILD, &path)
                .stdout(Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let store = open(&path);
    let viewer = owner(&store).await;
    let page = store.find_nodes(&viewer, NodeQuery::default()).await.unwrap();
    let numbers: Vec<_> = page.items.iter().map(|node| node.number).collect();
    assert_eq!(numbers, (1..=120).collect::<Vec<_>>());
    assert_eq!(store.sequence().await.unwrap(), 120);
    assert_eq!(store.check().await.unwrap().findings, []);
}

//! `kill -9` at any moment loses nothing that was acknowledged.
//!
//! The test runs itself as a child that commits from eight tasks and says so
//! after each acknowledgement. The parent kills it, opens the store and compares
//! it with what was said. One store lives through all cycles.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests")]
#![cfg(unix)]

mod common;

use std::collections::HashSet;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use common::{behind_the_back, effects, hub, open, owner, trio};
use lore_core::{Effects, Uid};
use lore_store::{Maintenance, NodeKey, Nodes, Store};
use rusqlite::{Connection, OpenFlags};

/// How often the child is killed.
const CYCLES: u64 = 200;
/// How long opening may take after a crash.
const RESTART: Duration = Duration::from_secs(2);
/// Where the child finds its store; absent in the parent.
const CHILD: &str = "LORE_CRASH_STORE";

/// The child: writes until it is killed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn crash_child() {
    let Some(path) = std::env::var_os(CHILD).map(PathBuf::from) else { return };
    let store = Arc::new(open(&path));
    let viewer = owner(&store).await;
    let center = center();
    if store.node(&viewer, NodeKey::Uid(center)).await.unwrap().is_none() {
        store.commit(&viewer, hub(center)).await.unwrap();
    }
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let (store, effects) = (Arc::clone(&store), Effects::system());
        tasks.spawn(async move {
            loop {
                let (node, text) = (effects.uid(), effects.uid());
                store.commit(&viewer, trio(node, text, center)).await.unwrap();
                let line = format!("\nACK {node}\n");
                std::io::stdout().lock().write_all(line.as_bytes()).unwrap();
            }
        });
    }
    tasks.join_all().await;
}

/// The parent.
#[tokio::test]
async fn nothing_acknowledged_is_lost() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("s.sqlite");
    let begun = Instant::now();
    let mut acknowledged = HashSet::new();
    let mut slowest = Duration::ZERO;
    for cycle in 0..CYCLES {
        let fresh = run_and_kill(&path, delay(cycle));
        assert!(!fresh.is_empty(), "cycle {cycle}: the child did nothing");
        let opening = Instant::now();
        let store = open(&path);
        slowest = slowest.max(opening.elapsed());
        acknowledged.extend(fresh.iter().copied());
        let all = cycle % 20 == 0 || cycle + 1 == CYCLES;
        let expected: Vec<Uid> = if all { acknowledged.iter().copied().collect() } else { fresh };
        assert_whole(&path, &expected, acknowledged.len());
        if all {
            assert_eq!(store.check().await.unwrap().findings, [], "cycle {cycle}");
        }
    }
    let seconds = begun.elapsed().as_secs_f32();
    let summary = format!(
        "{CYCLES} kills, {} acknowledged, slowest opening {slowest:?}, {seconds:.1} s\n",
        acknowledged.len()
    );
    std::io::stderr().write_all(summary.as_bytes()).unwrap();
    assert!(slowest < RESTART, "{slowest:?}");
}

/// A checkpoint writes the first page, with the new size, before the last pages
/// are there. Killed in between, the file alone looks damaged; with its log it is whole.
#[tokio::test]
async fn a_checkpoint_cut_short_is_recovered() {
    let home = tempfile::tempdir().unwrap();
    let (path, cut) = (home.path().join("s.sqlite"), home.path().join("cut.sqlite"));
    drop(open(&path));
    let db = behind_the_back(&path);
    db.pragma_update(None, "wal_autocheckpoint", 0).unwrap();
    db.execute_batch(
        "INSERT INTO audit (world, at, principal, tool, request_id, detail)
         SELECT 1, 0, 1, 't', 'r', '{\"changes\":[]}' || hex(zeroblob(2000))
         FROM pragma_table_list, pragma_table_list LIMIT 200;",
    )
    .unwrap();
    let mut main = fs::read(&path).unwrap();
    fs::copy(home.path().join("s.sqlite-wal"), home.path().join("cut.sqlite-wal")).unwrap();
    db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |_| Ok(())).unwrap();
    db.close().unwrap();
    let after = fs::read(&path).unwrap();
    assert!(after.len() > main.len());
    main[..4096].copy_from_slice(&after[..4096]);
    fs::write(&cut, main).unwrap();
    let store = open(&cut);
    drop(store);
    let db = Connection::open(&cut).unwrap();
    let rows: i64 = db.query_row("SELECT count(*) FROM audit", (), |row| row.get(0)).unwrap();
    assert_eq!(rows, 201);
}

/// Starts the child, kills it `delay` after its first acknowledgement and
/// returns everything it acknowledged.
fn run_and_kill(path: &Path, delay: Duration) -> Vec<Uid> {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "crash_child", "--nocapture"])
        .env(CHILD, path)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let first = lines.by_ref().find_map(|line| acknowledgement(&line.unwrap()));
    // The pipe must be emptied meanwhile, or a full one would slow the child.
    let rest = thread::spawn(move || {
        lines.filter_map(|line| acknowledgement(&line.unwrap())).collect::<Vec<_>>()
    });
    thread::sleep(delay);
    child.kill().unwrap();
    child.wait().unwrap();
    first.into_iter().chain(rest.join().unwrap()).collect()
}

/// A line cut off by the kill is no acknowledgement we can read; it is not needed.
fn acknowledgement(line: &str) -> Option<Uid> {
    line.strip_prefix("ACK ")?.parse().ok()
}

/// Five to sixty milliseconds, the same in every run.
fn delay(cycle: u64) -> Duration {
    let random = effects(cycle).entropy.next_u64();
    Duration::from_micros(5_000 + random % 55_000)
}

fn center() -> Uid {
    effects(0xCE27E2).uid()
}

/// Every acknowledged batch is there, every batch is whole, no number is missing.
fn assert_whole(path: &Path, expected: &[Uid], at_least: usize) {
    let db = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    let count = |sql: &str| -> i64 { db.query_row(sql, (), |row| row.get(0)).unwrap() };
    let mut find = db.prepare("SELECT 1 FROM node WHERE uid = ?1").unwrap();
    for uid in expected {
        assert!(find.exists([uid.as_bytes()]).unwrap(), "{uid} was acknowledged and is lost");
    }
    let items = count("SELECT count(*) FROM node WHERE kind = 'item'");
    assert!(items >= i64::try_from(at_least).unwrap());
    let broken = "SELECT count(*) FROM node n WHERE kind = 'item' AND (
        (SELECT count(*) FROM text t WHERE t.node = n.id) <> 1
        OR (SELECT count(*) FROM edge e WHERE e.source = n.id) <> 1)";
    assert_eq!(count(broken), 0, "half a batch");
    for table in ["text", "edge", "change_log"] {
        assert_eq!(count(&format!("SELECT count(*) FROM {table}")), items, "{table}");
    }
    let gapless = "SELECT count(*) = max(number) AND min(number) = 1 FROM node";
    assert_eq!(count(gapless), 1, "a number is missing");
    let gapless = "SELECT count(*) = max(seq) AND min(seq) = 1 FROM change_log";
    assert_eq!(count(gapless), 1, "the change log has a gap");
    let integrity: String = db.query_row("PRAGMA quick_check", (), |row| row.get(0)).unwrap();
    assert_eq!(integrity, "ok");
}

//! Measures durable commits per second, by number of concurrent callers: `cargo run --release -p
//! lore-sqlite --example commit_rate [directory]`.
//!
//! Each commit creates a node with a text and one change-log entry. The directory decides which
//! disk is measured; the default is the temporary directory.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program for people")]

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use lore_core::names::Word;
use lore_core::{Effects, Principal, Viewer};
use lore_sqlite::{Options, SqliteStore};
use lore_store::{
    Batch, Change, Directory, NewNode, NewText, NodeKey, NodeRef, Nodes, Origin, Store,
};
use tokio::task::JoinSet;

/// The duration of each measurement.
const TIME: Duration = Duration::from_secs(5);

#[tokio::main]
async fn main() {
    let root = std::env::args_os().nth(1).map_or_else(std::env::temp_dir, PathBuf::from);
    let home = tempfile::tempdir_in(root).unwrap();
    println!("callers  commits/s  commits per transaction  mean wait");
    for callers in [1, 8, 64] {
        let path = home.path().join(format!("{callers}.sqlite"));
        let store = SqliteStore::open(&path, Options::default(), &Effects::system()).unwrap();
        measure(Arc::new(store), callers).await;
    }
}

async fn measure(store: Arc<SqliteStore>, callers: u32) {
    let world = store.default_world(Principal::LOCAL).await.unwrap().unwrap();
    let viewer = store.enter(Principal::LOCAL, world).await.unwrap().unwrap();
    let mut tasks = JoinSet::new();
    let begun = Instant::now();
    for _ in 0..callers {
        let store = Arc::clone(&store);
        tasks.spawn(async move {
            let effects = Effects::system();
            while begun.elapsed() < TIME {
                store.commit(&viewer, batch(&effects)).await.unwrap();
            }
        });
    }
    tasks.join_all().await;
    let seconds = begun.elapsed().as_secs_f64();
    let counts = store.write_counts();
    let rate = counts.jobs as f64 / seconds;
    let group = counts.jobs as f64 / counts.transactions as f64;
    let wait = f64::from(callers) / rate * 1_000.0;
    println!("{callers:7}  {rate:9.0}  {group:23.1}  {wait:6.2} ms");
    reads(&store, &viewer).await;
}

async fn reads(store: &SqliteStore, viewer: &Viewer) {
    let begun = Instant::now();
    for number in 1..=2_000 {
        store.node(viewer, NodeKey::Number(number % 500 + 1)).await.unwrap();
    }
    println!("         a point read takes {:?}", begun.elapsed() / 2_000);
}

fn batch(effects: &Effects) -> Batch {
    let node = NewNode::new(effects.uid(), word("item"), "A thing of some length");
    let body = "It was a dark and stormy night. ".repeat(8);
    let text = NewText::new(effects.uid(), NodeRef::Uid(node.uid), word("entry"), body);
    Batch::new(Origin::new("bench", "r"), effects.now())
        .touch(format!("lore://{}", node.uid))
        .change(Change::CreateNode(node))
        .change(Change::CreateText(text))
}

fn word(text: &str) -> Word {
    Word::new("kind", text).unwrap()
}

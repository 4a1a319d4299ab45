//! Copies of a store in use, and what comes back from them.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests")]

mod common;

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use common::{Export, effects, export, hub, open, owner, trio};
use lore_core::Viewer;
use lore_sqlite::SqliteStore;
use lore_store::{Maintenance, Store, StoreError};
use tokio::task::JoinSet;

/// Writes trios from four tasks until told to stop.
async fn load(store: &Arc<SqliteStore>, viewer: Viewer, stop: &Arc<AtomicBool>) -> JoinSet<()> {
    let center = effects(3).uid();
    store.commit(&viewer, hub(center)).await.unwrap();
    let mut tasks = JoinSet::new();
    for seed in 10..14 {
        let (store, stop, effects) = (Arc::clone(store), Arc::clone(stop), effects(seed));
        tasks.spawn(async move {
            while !stop.load(Ordering::Relaxed) {
                let batch = trio(effects.uid(), effects.uid(), center);
                store.commit(&viewer, batch).await.unwrap();
            }
        });
    }
    tasks
}

/// A copy must open, be healthy and hold whole batches only.
async fn inspect(copy: &Path) -> Export {
    let stats = SqliteStore::verify_file(copy).unwrap();
    let store = open(copy);
    assert_eq!(store.check().await.unwrap().findings, []);
    let viewer = owner(&store).await;
    let found = export(&store, &viewer).await.unwrap();
    let batches = found.changes.len();
    assert_eq!((found.nodes.len(), found.texts.len()), (batches + 1, batches));
    assert_eq!((found.edges.len(), found.audit.len()), (batches, batches + 2));
    assert_eq!(stats.texts, batches as u64);
    found
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn copies_under_load_are_whole_and_the_last_one_equals() {
    let home = tempfile::tempdir().unwrap();
    let store = Arc::new(open(&home.path().join("s.sqlite")));
    let viewer = owner(&store).await;
    let stop = Arc::new(AtomicBool::new(false));
    let writers = load(&store, viewer, &stop).await;
    let mut earlier = 0;
    for number in 0..5 {
        let copy = home.path().join(format!("copy-{number}.sqlite"));
        store.backup(&copy).await.unwrap();
        let found = inspect(&copy).await;
        assert!(found.changes.len() >= earlier);
        earlier = found.changes.len();
    }
    stop.store(true, Ordering::Relaxed);
    writers.join_all().await;
    assert!(earlier > 0, "there was load");
    let copy = home.path().join("last.sqlite");
    store.backup(&copy).await.unwrap();
    assert_eq!(inspect(&copy).await, export(&store, &viewer).await.unwrap());
}

#[tokio::test]
async fn a_copy_can_take_the_stores_place() {
    let home = tempfile::tempdir().unwrap();
    let (path, copy) = (home.path().join("s.sqlite"), home.path().join("copy.sqlite"));
    let store = open(&path);
    let viewer = owner(&store).await;
    let effects = effects(2);
    let center = effects.uid();
    store.commit(&viewer, hub(center)).await.unwrap();
    store.backup(&copy).await.unwrap();
    let before = export(&store, &viewer).await.unwrap();
    store.commit(&viewer, trio(effects.uid(), effects.uid(), center)).await.unwrap();
    drop(store);
    fs::rename(&copy, &path).unwrap();
    let store = open(&path);
    assert_eq!(export(&store, &viewer).await.unwrap(), before);
    store.commit(&viewer, trio(effects.uid(), effects.uid(), center)).await.unwrap();
}

#[tokio::test]
async fn a_copy_is_private_complete_and_never_overwrites() {
    let home = tempfile::tempdir().unwrap();
    let store = open(&home.path().join("s.sqlite"));
    let copy = home.path().join("copy.sqlite");
    store.backup(&copy).await.unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(&copy).unwrap().permissions().mode() & 0o777, 0o600);
    }
    let bytes = fs::read(&copy).unwrap();
    assert!(matches!(store.backup(&copy).await, Err(StoreError::Exists(_))));
    assert_eq!(fs::read(&copy).unwrap(), bytes);
    let nowhere = home.path().join("no/such/place.sqlite");
    assert!(matches!(store.backup(&nowhere).await, Err(StoreError::Failed(_))));
    drop(store);
    let mut left: Vec<_> =
        fs::read_dir(home.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["copy.sqlite", "s.sqlite"], "no half copies, no files beside them");
}

#[tokio::test]
async fn a_file_is_verified_before_it_is_trusted() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("s.sqlite");
    let store = open(&path);
    let copy = home.path().join("copy.sqlite");
    store.backup(&copy).await.unwrap();
    let bytes = fs::read(&copy).unwrap();
    let stats = SqliteStore::verify_file(&copy).unwrap();
    assert_eq!(stats.worlds, 1);
    assert_eq!(fs::read(&copy).unwrap(), bytes, "looking changes nothing");

    let cut = home.path().join("cut.sqlite");
    fs::write(&cut, &bytes[..bytes.len() / 2]).unwrap();
    assert!(matches!(SqliteStore::verify_file(&cut), Err(StoreError::Corrupt(_))));
    fs::write(&cut, "hello").unwrap();
    assert!(matches!(SqliteStore::verify_file(&cut), Err(StoreError::Foreign(_))));
    let absent = home.path().join("absent.sqlite");
    assert!(matches!(SqliteStore::verify_file(&absent), Err(StoreError::Failed(_))));
    assert!(!absent.exists());
    assert!(SqliteStore::verify_file(&path).is_ok(), "a store in use can be verified too");
}

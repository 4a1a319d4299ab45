//! What has expired is deleted in the background, whatever the transport.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::sync::Arc;
use std::time::Duration;

use lore_app::access::{Identity, enter};
use lore_app::{App, sessions};
use lore_core::names::Word;
use lore_core::{Effects, Timestamp, Viewer};
use lore_sqlite::SqliteStore;
use lore_store::{Batch, Change, Log, NewNode, Once, Origin, Store};

/// Stores the answer to a call that was made `hours` ago.
async fn left(store: &Arc<SqliteStore>, now: Timestamp, hours: u64, key: &str) -> Viewer {
    let then = now.saturating_sub(Duration::from_secs(hours * 3_600)).unwrap();
    let app = App::new(Arc::clone(store) as Arc<dyn Store>, Effects::fixed(then, hours));
    let viewer = enter(&app, Identity::LOCAL, None).await.unwrap();
    let once = Once { scope: "test", key: key.to_owned(), answer: "{}".into() };
    let node = NewNode::new(app.effects.uid(), Word::new("kind", "note").unwrap(), key);
    let batch = Batch::new(Origin::new("test", app.effects.uid().to_string()), then)
        .change(Change::CreateNode(node));
    store.commit(&viewer, Batch { once: Some(once), ..batch }).await.unwrap();
    viewer
}

async fn is_there(store: &SqliteStore, viewer: &Viewer, key: &str) -> bool {
    store.answered(viewer, "test", key).await.unwrap().is_some()
}

#[tokio::test]
async fn old_answers_are_deleted_and_others_are_not() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("store.sqlite");
    let effects = Effects::system();
    let store = SqliteStore::open(&file, lore_sqlite::Options::default(), &effects).unwrap();
    let store = Arc::new(store);
    let now = effects.now();
    left(&store, now, 25, "old").await;
    let viewer = left(&store, now, 1, "fresh").await;
    let app = Arc::new(App::new(Arc::clone(&store) as Arc<dyn Store>, effects));
    let purging = tokio::spawn(sessions::keep_purged(Arc::clone(&app)));
    for _ in 0..600 {
        if !is_there(&store, &viewer, "old").await {
            assert!(is_there(&store, &viewer, "fresh").await);
            return purging.abort();
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the old answer stays");
}

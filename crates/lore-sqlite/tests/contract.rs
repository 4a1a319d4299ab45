//! The engine keeps the contract: every story of the kit.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests")]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use lore_core::{Effects, Timestamp};
use lore_sqlite::{Options, SqliteStore};
use lore_store::testkit::{Fresh, Harness};
use tempfile::TempDir;

lore_store::contract_tests!(SqliteHarness);

/// Makes each store in a directory of its own.
struct SqliteHarness;

#[async_trait]
impl Harness for SqliteHarness {
    async fn fresh(&self) -> Fresh {
        let home = tempfile::tempdir().unwrap();
        Fresh { store: Arc::new(open(home.path())), keep: Box::new(home) }
    }

    async fn reopen(&self, fresh: Fresh) -> Fresh {
        drop(fresh.store);
        let home = fresh.keep.downcast::<TempDir>().unwrap();
        Fresh { store: Arc::new(open(home.path())), keep: home }
    }
}

fn open(home: &Path) -> SqliteStore {
    let path: PathBuf = home.join("lore.sqlite");
    let effects = Effects::fixed(Timestamp::UNIX_EPOCH, 1);
    SqliteStore::open(&path, Options::default(), &effects).unwrap()
}

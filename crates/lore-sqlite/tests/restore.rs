//! Putting a backup in the place of a store.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests")]

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::{Export, behind_the_back, effects, export, hub, open, owner, trio};
use lore_sqlite::SqliteStore;
use lore_store::{Maintenance, Store, StoreError};
use tempfile::TempDir;

/// A store with a backup of an earlier state.
struct Scene {
    home: TempDir,
    earlier: Export,
    later: Export,
}

impl Scene {
    async fn set() -> Self {
        let home = tempfile::tempdir().unwrap();
        let store = open(&home.path().join("s.sqlite"));
        let viewer = owner(&store).await;
        let effects = effects(2);
        let center = effects.uid();
        store.commit(&viewer, hub(center)).await.unwrap();
        store.backup(&home.path().join("backup.sqlite")).await.unwrap();
        let earlier = export(&store, &viewer).await.unwrap();
        for _ in 0..5 {
            store.commit(&viewer, trio(effects.uid(), effects.uid(), center)).await.unwrap();
        }
        let later = export(&store, &viewer).await.unwrap();
        Self { home, earlier, later }
    }

    fn store(&self) -> PathBuf {
        self.home.path().join("s.sqlite")
    }

    fn backup(&self) -> PathBuf {
        self.home.path().join("backup.sqlite")
    }
}

async fn content(path: &Path) -> Export {
    let store = open(path);
    let viewer = owner(&store).await;
    export(&store, &viewer).await.unwrap()
}

#[tokio::test]
async fn a_backup_takes_the_place_and_the_old_store_is_kept() {
    let scene = Scene::set().await;
    let kept = SqliteStore::replace(&scene.store(), &scene.backup()).unwrap().unwrap();
    assert_eq!(content(&scene.store()).await, scene.earlier);
    assert_eq!(content(&kept).await, scene.later);
    let second = SqliteStore::replace(&scene.store(), &kept).unwrap().unwrap();
    assert_ne!(second, kept);
    assert_eq!(content(&scene.store()).await, scene.later, "a restore can be undone");
}

#[tokio::test]
async fn a_backup_can_be_the_first_store() {
    let scene = Scene::set().await;
    let place = scene.home.path().join("new/place/s.sqlite");
    assert_eq!(SqliteStore::replace(&place, &scene.backup()).unwrap(), None);
    assert_eq!(content(&place).await, scene.earlier);
}

#[tokio::test]
async fn a_store_in_use_is_not_replaced() {
    let scene = Scene::set().await;
    let store = open(&scene.store());
    let refused = SqliteStore::replace(&scene.store(), &scene.backup());
    assert_eq!(refused, Err(StoreError::Busy));
    drop(store);
    assert_eq!(content(&scene.store()).await, scene.later);
}

#[tokio::test]
async fn a_bad_backup_changes_nothing() {
    let scene = Scene::set().await;
    let bad = scene.home.path().join("bad.sqlite");
    let bytes = fs::read(scene.backup()).unwrap();
    fs::write(&bad, &bytes[..bytes.len() / 2]).unwrap();
    assert!(SqliteStore::replace(&scene.store(), &bad).is_err());
    fs::write(&bad, "no database").unwrap();
    assert!(SqliteStore::replace(&scene.store(), &bad).is_err());
    assert_eq!(content(&scene.store()).await, scene.later);
    assert_eq!(fs::read_dir(scene.home.path()).unwrap().count(), 3, "nothing is left behind");
}

#[tokio::test]
async fn a_damaged_store_is_replaced_with_its_log() {
    let scene = Scene::set().await;
    let log = scene.home.path().join("s.sqlite-wal");
    leave_a_log(&scene.store(), &log);
    let mut bytes = fs::read(scene.store()).unwrap();
    bytes[..64].fill(0xFF);
    fs::write(scene.store(), bytes).unwrap();
    let kept = SqliteStore::replace(&scene.store(), &scene.backup()).unwrap().unwrap();
    assert!(!log.exists(), "the old log is not read into the new store");
    assert!(kept.exists() && kept.with_file_name(log_of(&kept)).exists());
    assert_eq!(content(&scene.store()).await, scene.earlier);
}

#[cfg(unix)]
#[tokio::test]
async fn a_restored_store_is_private() {
    use std::os::unix::fs::PermissionsExt;
    let scene = Scene::set().await;
    fs::set_permissions(scene.backup(), fs::Permissions::from_mode(0o644)).unwrap();
    SqliteStore::replace(&scene.store(), &scene.backup()).unwrap();
    assert_eq!(fs::metadata(scene.store()).unwrap().permissions().mode() & 0o777, 0o600);
}

/// A copy of the store's log as a kill would leave it.
fn leave_a_log(store: &Path, log: &Path) {
    let db = behind_the_back(store);
    db.execute_batch("UPDATE world SET name = 'Changed', name_key = 'changed';").unwrap();
    let bytes = fs::read(log).unwrap();
    db.close().unwrap();
    fs::write(log, bytes).unwrap();
}

fn log_of(store: &Path) -> String {
    format!("{}-wal", store.file_name().unwrap().to_str().unwrap())
}

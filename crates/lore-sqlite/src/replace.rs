//! Replacing a store by a backup.
//!
//! The old store is kept beside the new one, with its log files, so that a restore can be undone,
//! even if the old store is damaged.

use std::fs;
use std::path::{Path, PathBuf};

use lore_store::{StoreError, StoreResult};
use rusqlite::{Connection, OpenFlags};

use crate::fault::{io, told};
use crate::store::SqliteStore;
use crate::{backup, check, file, wal};

impl SqliteStore {
    /// Replaces the store at `path` by a copy of `source`. Returns where the old store is kept, if
    /// there was one.
    ///
    /// `source` is checked first. Fails with [`StoreError::Busy`] if the store is open somewhere.
    /// On file systems with hard links there is always a complete store at `path`, either the old
    /// or the new one. Blocks.
    pub fn replace(path: &Path, source: &Path) -> StoreResult<Option<PathBuf>> {
        check::verify_file(source)?;
        let path = std::path::absolute(path).map_err(|e| io("finding the store's place", &e))?;
        let directory = file::directory_of(&path);
        file::private_directory(&directory)?;
        let fresh = backup::copy_into(source, &directory)?;
        let kept = if file::exists(&path)? { Some(keep(&path)?) } else { None };
        file::put_over(fresh, &path)?;
        Ok(kept)
    }
}

/// Gives the current store a second name, and moves its log files there: SQLite would apply an old
/// log to the new store.
fn keep(path: &Path) -> StoreResult<PathBuf> {
    wal::keep_damaged(path)?;
    refuse_if_open(path)?;
    let mut names = (1_u32..).map(|n| file::with_suffix(path, &format!(".before-restore-{n}")));
    let kept = names.find(|name| !name.exists());
    let kept = kept.ok_or_else(|| StoreError::Failed("no free name for the old store".into()))?;
    for suffix in ["-wal", "-shm", "-journal"] {
        let from = file::with_suffix(path, suffix);
        if from.exists() {
            fs::rename(&from, file::with_suffix(&kept, suffix))
                .map_err(|e| io("setting the old store's log aside", &e))?;
        }
    }
    // Some file systems have no hard links; there the old store is renamed.
    fs::hard_link(path, &kept)
        .or_else(|_| fs::rename(path, &kept))
        .map_err(|e| io("setting the old store aside", &e))?;
    Ok(kept)
}

/// Fails if another connection has the store open. Leaving write-ahead mode needs exclusive access,
/// so the attempt shows it. A file that is not a valid store of ours cannot be tested and counts as
/// not open.
fn refuse_if_open(path: &Path) -> StoreResult<()> {
    if file::recognise(path).is_err() {
        return Ok(());
    }
    let db = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE);
    let asked = db.and_then(|db| {
        db.pragma_update_and_check(None, "journal_mode", "delete", |row| row.get::<_, String>(0))
    });
    match asked.map_err(|error| told(&error)) {
        Err(StoreError::Busy) => Err(StoreError::Busy),
        _ => Ok(()),
    }
}

//! Putting a backup in the place of a store.
//!
//! The store from before is kept beside it, with the files that belong to it: a
//! restore can be undone, and so can a restore over a store that is damaged.

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use lore_store::{StoreError, StoreResult};
use rusqlite::{Connection, OpenFlags};

use crate::check;
use crate::fault::{io, told};
use crate::store::SqliteStore;

impl SqliteStore {
    /// Replaces the store at `path` by a copy of `source` and returns where the
    /// old one is kept, if there was one.
    ///
    /// `source` is checked first. A store that somebody has open is refused
    /// with [`StoreError::Busy`]. Blocks.
    pub fn replace(path: &Path, source: &Path) -> StoreResult<Option<PathBuf>> {
        check::verify_file(source)?;
        let incoming = beside(path, "incoming");
        copy_durably(source, &incoming)?;
        let kept = if path.exists() { Some(set_aside(path)?) } else { None };
        fs::rename(&incoming, path).map_err(|e| io("moving the backup into place", &e))?;
        sync_directory(path)?;
        Ok(kept)
    }
}

fn copy_durably(source: &Path, target: &Path) -> StoreResult<()> {
    let directory = target.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(directory).map_err(|e| io("making the data directory", &e))?;
    fs::copy(source, target).map_err(|e| io("copying the backup", &e))?;
    let file = File::open(target).map_err(|e| io("opening the copy", &e))?;
    file.sync_all().map_err(|e| io("writing the copy to disk", &e))
}

/// Moves the present store away with its side files.
fn set_aside(path: &Path) -> StoreResult<PathBuf> {
    refuse_if_open(path)?;
    let kept = (1_u32..).map(|n| beside(path, &format!("before-restore-{n}")));
    let kept = kept.into_iter().find(|candidate| !candidate.exists());
    let kept = kept.ok_or_else(|| StoreError::Failed("no free name for the old store".into()))?;
    for suffix in ["-wal", "-shm", ""] {
        let from = with_suffix(path, suffix);
        if from.exists() {
            fs::rename(&from, with_suffix(&kept, suffix))
                .map_err(|e| io("setting the old store aside", &e))?;
        }
    }
    Ok(kept)
}

/// Leaving write-ahead mode needs the file for oneself, so it shows whether
/// somebody else has it open. A damaged store cannot be asked and counts as free.
fn refuse_if_open(path: &Path) -> StoreResult<()> {
    let db = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE);
    let asked = db.and_then(|db| {
        db.pragma_update_and_check(None, "journal_mode", "delete", |row| row.get::<_, String>(0))
    });
    match asked.map_err(|error| told(&error)) {
        Err(StoreError::Busy) => Err(StoreError::Busy),
        _ => Ok(()),
    }
}

fn sync_directory(path: &Path) -> StoreResult<()> {
    let directory = path.parent().unwrap_or(Path::new("."));
    // Windows has no such thing as syncing a directory.
    if cfg!(unix) {
        let opened = File::open(directory).and_then(|directory| directory.sync_all());
        opened.map_err(|e| io("writing the directory to disk", &e))?;
    }
    Ok(())
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    with_suffix(path, &format!(".{suffix}"))
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path.as_os_str());
    name.push(suffix);
    PathBuf::from(name)
}

//! Backup copies of a store that is in use.
//!
//! A copy appears under its final name only when it is complete, checked and synced to disk.

use std::path::Path;

use lore_store::StoreError;
use rusqlite::Connection;
use rusqlite::backup::{Backup, StepResult};
use tempfile::NamedTempFile;

use crate::fault::{Answer, io};
use crate::{check, connection, file};

/// Copies the store at `path` to `target`, which must not exist.
pub(crate) fn copy(path: &Path, target: &Path) -> Answer<()> {
    let target = std::path::absolute(target).map_err(|e| io("finding the place", &e))?;
    if file::exists(&target)? {
        return Err(StoreError::Exists(target.display().to_string()).into());
    }
    let fresh = copy_into(path, &file::directory_of(&target))?;
    file::publish(fresh, &target)?;
    Ok(())
}

/// Copies the store at `path` to a temporary file in `directory`, and checks the copy.
pub(crate) fn copy_into(path: &Path, directory: &Path) -> Answer<NamedTempFile> {
    let fresh = file::private_file(directory)?;
    copy_pages(path, fresh.path())?;
    check::verify_file(fresh.path())?;
    Ok(fresh)
}

/// Copies all pages in one step. That step is one snapshot, so writers can go on meanwhile and no
/// write makes the copy start over.
fn copy_pages(from: &Path, to: &Path) -> Answer<()> {
    let source = connection::reader(from)?;
    let mut copy = Connection::open(to)?;
    // Nobody sees the copy before it is synced, so it needs no journal of its own.
    copy.execute_batch("PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY;")?;
    match Backup::new(&source, &mut copy)?.step(-1)? {
        StepResult::Done => {}
        _ => return Err(StoreError::Busy.into()),
    }
    // Without write-ahead mode the copy stays a single file, even when a program opens it to read.
    copy.pragma_update(None, "journal_mode", "delete")?;
    copy.close().map_err(|(_, error)| error)?;
    Ok(())
}

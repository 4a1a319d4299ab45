//! The database file as a file: making it, recognising it, keeping it private.
//!
//! Nothing here changes a file that exists: a foreign file must leave as it came.

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use lore_store::{StoreError, StoreResult};
use rusqlite::Connection;
use tempfile::NamedTempFile;

use crate::fault::{io, told};

/// Marks our files in SQLite's header: "LORE".
pub(crate) const APPLICATION_ID: u32 = 0x4C4F_5245;

/// Length of SQLite's file header.
const HEADER: usize = 100;
/// The first bytes of every SQLite file.
const MAGIC: &[u8] = b"SQLite format 3\0";
/// Where the header holds the application id.
const APPLICATION_ID_AT: usize = 68;

/// Makes sure that there is a file of ours at `path`, and returns its full path.
///
/// A new file appears complete, with its mark, or not at all: so the mark of
/// any file at that place can be trusted, even after a crash while making it.
pub(crate) fn prepare(path: &Path) -> StoreResult<PathBuf> {
    let path = std::path::absolute(path).map_err(|e| io("finding the store's place", &e))?;
    if path.try_exists().map_err(|e| io("looking for the store", &e))? {
        recognise(&path)?;
        return Ok(path);
    }
    let directory = directory_of(&path);
    private_directory(&directory)?;
    let fresh = private_file(&directory)?;
    mark(fresh.path())?;
    put_in_place(fresh, &path)?;
    recognise(&path)?;
    Ok(path)
}

/// Refuses a file that is not ours, by its header, without opening it as a database.
pub(crate) fn recognise(path: &Path) -> StoreResult<()> {
    let mut header = Vec::with_capacity(HEADER);
    File::open(path)
        .and_then(|file| file.take(HEADER as u64).read_to_end(&mut header))
        .map_err(|e| io("reading the store's header", &e))?;
    let mark = header.get(APPLICATION_ID_AT..APPLICATION_ID_AT + 4);
    if header.starts_with(MAGIC) && mark == Some(&APPLICATION_ID.to_be_bytes()[..]) {
        return Ok(());
    }
    Err(StoreError::Foreign(path.display().to_string()))
}

/// An empty file in `directory` that only its owner can read; gone when dropped.
pub(crate) fn private_file(directory: &Path) -> StoreResult<NamedTempFile> {
    tempfile::Builder::new()
        .prefix(".lore-")
        .suffix(".new")
        .tempfile_in(directory)
        .map_err(|e| io("making a file", &e))
}

/// Gives a finished file its name, durably. Fails with `Exists` when the name is taken.
pub(crate) fn publish(file: NamedTempFile, path: &Path) -> StoreResult<()> {
    file.as_file().sync_all().map_err(|e| io("writing the file to disk", &e))?;
    file.persist_noclobber(path).map_err(|e| match e.error.kind() {
        ErrorKind::AlreadyExists => StoreError::Exists(path.display().to_string()),
        _ => io("giving the file its name", &e.error),
    })?;
    sync_directory(&directory_of(path))
}

/// The directory that holds `path`.
pub(crate) fn directory_of(path: &Path) -> PathBuf {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new(".")).into()
}

/// The size of the database with its write-ahead log.
pub(crate) fn bytes_on_disk(path: &Path) -> u64 {
    let size = |path: &Path| fs::metadata(path).map_or(0, |meta| meta.len());
    size(path) + size(&beside(path, "-wal"))
}

/// A file that SQLite keeps beside the database.
pub(crate) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Whether people other than the owner can read the file.
#[cfg(unix)]
pub(crate) fn is_open_to_others(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).is_ok_and(|meta| meta.permissions().mode() & 0o077 != 0)
}

/// Whether people other than the owner can read the file.
#[cfg(not(unix))]
pub(crate) fn is_open_to_others(_: &Path) -> bool {
    false
}

/// Somebody else may have made the file meanwhile; theirs is as good.
fn put_in_place(file: NamedTempFile, path: &Path) -> StoreResult<()> {
    match publish(file, path) {
        Err(StoreError::Exists(_)) => Ok(()),
        other => other,
    }
}

/// Turns an empty file into a database with our mark, in write-ahead mode.
fn mark(path: &Path) -> StoreResult<()> {
    let write = || -> rusqlite::Result<()> {
        let db = Connection::open(path)?;
        db.pragma_update(None, "application_id", APPLICATION_ID)?;
        db.pragma_update(None, "journal_mode", "wal")?;
        db.close().map_err(|(_, error)| error)
    };
    write().map_err(|error| told(&error))
}

fn private_directory(directory: &Path) -> StoreResult<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory).map_err(|e| io("making the store's directory", &e))
}

/// A name is durable only when its directory is.
#[cfg(unix)]
fn sync_directory(directory: &Path) -> StoreResult<()> {
    File::open(directory)
        .and_then(|directory| directory.sync_all())
        .map_err(|e| io("writing the directory to disk", &e))
}

#[cfg(not(unix))]
fn sync_directory(_: &Path) -> StoreResult<()> {
    Ok(())
}

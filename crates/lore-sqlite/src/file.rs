//! The database file: creating it, recognising it, and keeping it private.
//!
//! Nothing here changes an existing file, because it may belong to another program. Nothing here
//! opens a database by other means than SQLite either: on POSIX systems, closing such a file handle
//! drops every lock that this process holds on the file.

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use lore_store::{StoreError, StoreResult};
use rusqlite::{Connection, ErrorCode, OpenFlags};
use tempfile::NamedTempFile;

use crate::fault::{io, told};

/// The application id in the SQLite header of our files: "LORE".
const APPLICATION_ID: i64 = 0x4C4F_5245;

/// Makes sure that one of our files exists at `path`, and returns its absolute path.
///
/// A new file appears either complete, with our application id, or not at all. So the id of a file
/// at that place can be trusted, even after a crash during creation.
pub(crate) fn prepare(path: &Path) -> StoreResult<PathBuf> {
    let path = std::path::absolute(path).map_err(|e| io("finding the store's place", &e))?;
    if !exists(&path)? {
        let directory = directory_of(&path);
        private_directory(&directory)?;
        let fresh = private_file(&directory)?;
        mark(fresh.path())?;
        match publish(fresh, &path) {
            // Another process was faster; its file is just as good.
            Ok(()) | Err(StoreError::Exists(_)) => {}
            Err(error) => return Err(error),
        }
    }
    recognise(&path)?;
    Ok(path)
}

/// Whether something is at `path`.
pub(crate) fn exists(path: &Path) -> StoreResult<bool> {
    path.try_exists().map_err(|error| match error.kind() {
        ErrorKind::PermissionDenied => StoreError::Denied(path.display().to_string()),
        _ => io("looking for a file", &error),
    })
}

/// Fails if the file does not have our application id. Changes neither the file nor its directory.
pub(crate) fn recognise(path: &Path) -> StoreResult<()> {
    if path.is_dir() {
        return Err(StoreError::Foreign(format!("{}, a directory,", path.display())));
    }
    // `immutable` reads the header as it is, with no lock, no log and no new file beside it.
    let found = match mark_of(&format!("{}?immutable=1", uri(path))) {
        // After an interrupted checkpoint the file looks damaged unless its log is read as well.
        Err(error) if is(&error, ErrorCode::DatabaseCorrupt) => mark_of(&uri(path)),
        found => found,
    };
    match found {
        Ok(APPLICATION_ID) => Ok(()),
        Err(error) if is(&error, ErrorCode::CannotOpen) && path.exists() => {
            Err(StoreError::Denied(path.display().to_string()))
        }
        Err(error) if !is(&error, ErrorCode::NotADatabase) => Err(told(&error)),
        Ok(_) | Err(_) => {
            Err(odd_format(path).unwrap_or_else(|| StoreError::Foreign(path.display().to_string())))
        }
    }
}

/// Offset of the header byte with the format version that a writer must support.
pub(crate) const WRITE_FORMAT: usize = 18;
/// Offset of the header byte with the format version that a reader must support.
const READ_FORMAT: usize = 19;

/// Returns an error for a file that is ours except for a damaged format version in its header.
/// SQLite has already refused the file, so this process holds no locks on it that reading could
/// drop.
fn odd_format(path: &Path) -> Option<StoreError> {
    let mut header = [0_u8; 100];
    File::open(path).and_then(|mut file| file.read_exact(&mut header)).ok()?;
    let mark = u32::try_from(APPLICATION_ID).ok()?.to_be_bytes();
    let is_ours = header.starts_with(b"SQLite format 3\0") && header.get(68..72)? == mark;
    let format = header.get(READ_FORMAT).filter(|format| **format > 2 && is_ours)?;
    Some(StoreError::Corrupt(format!(
        "byte {READ_FORMAT} of {}, the format it is read in, is {format} and was 2; {SET_IT_RIGHT}",
        path.display()
    )))
}

/// Advice for a file of which perhaps only one header byte is damaged.
pub(crate) const SET_IT_RIGHT: &str =
    "without a backup, copy the file, set that byte to 2 and look again";

/// Prefix and suffix of the names of unfinished files.
const UNFINISHED: (&str, &str) = (".lore-", ".new");
/// An unfinished file that nobody has written to for this long was left by a process that died.
const ABANDONED_AFTER: Duration = Duration::from_secs(24 * 60 * 60);

/// Creates an empty temporary file in `directory` that only its owner can read; dropping it deletes
/// it. Also deletes abandoned unfinished files in that directory.
pub(crate) fn private_file(directory: &Path) -> StoreResult<NamedTempFile> {
    sweep(directory).map_err(|e| io("looking for unfinished files", &e))?;
    let (prefix, suffix) = UNFINISHED;
    tempfile::Builder::new()
        .prefix(prefix)
        .suffix(suffix)
        .tempfile_in(directory)
        .map_err(|e| io("making a file", &e))
}

fn sweep(directory: &Path) -> std::io::Result<()> {
    let (prefix, suffix) = UNFINISHED;
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if !name.starts_with(prefix) || !name.ends_with(suffix) {
            continue;
        }
        let idle = entry.metadata().and_then(|meta| meta.modified()).map(|at| at.elapsed());
        if matches!(idle, Ok(Ok(idle)) if idle > ABANDONED_AFTER) {
            // Another process may have deleted it already.
            fs::remove_file(entry.path()).or_else(|error| match error.kind() {
                ErrorKind::NotFound => Ok(()),
                _ => Err(error),
            })?;
        }
    }
    Ok(())
}

/// Gives a finished file its final name, durably. Fails with `Exists` when the name is taken.
pub(crate) fn publish(file: NamedTempFile, path: &Path) -> StoreResult<()> {
    file.as_file().sync_all().map_err(|e| io("writing the file to disk", &e))?;
    // Drops our file handle before the file has its name, so that closing it cannot drop locks.
    file.into_temp_path().persist_noclobber(path).map_err(|e| match e.error.kind() {
        ErrorKind::AlreadyExists => StoreError::Exists(path.display().to_string()),
        _ => io("giving the file its name", &e.error),
    })?;
    sync_directory(&directory_of(path))
}

/// Gives a finished file its final name, durably, replacing whatever has that name.
pub(crate) fn put_over(file: NamedTempFile, path: &Path) -> StoreResult<()> {
    file.as_file().sync_all().map_err(|e| io("writing the file to disk", &e))?;
    file.into_temp_path().persist(path).map_err(|e| io("giving the file its name", &e.error))?;
    sync_directory(&directory_of(path))
}

/// The directory that holds `path`.
pub(crate) fn directory_of(path: &Path) -> PathBuf {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new(".")).into()
}

/// The size of the database file with its write-ahead log, in bytes.
pub(crate) fn bytes_on_disk(path: &Path) -> u64 {
    let size = |path: &Path| fs::metadata(path).map_or(0, |meta| meta.len());
    size(path) + size(&with_suffix(path, "-wal"))
}

/// How many bytes are free on the disk that holds `path`; `None` where that is unknown.
#[cfg(unix)]
pub(crate) fn free_bytes(path: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(path).ok()?;
    Some(disk.f_bavail.saturating_mul(disk.f_frsize))
}

/// How many bytes are free on the disk that holds `path`; `None` where that is unknown.
#[cfg(not(unix))]
pub(crate) fn free_bytes(_: &Path) -> Option<u64> {
    None
}

/// The path with `suffix` appended to its last component.
pub(crate) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Whether other users have any access to the file.
#[cfg(unix)]
pub(crate) fn is_open_to_others(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).is_ok_and(|meta| meta.permissions().mode() & 0o077 != 0)
}

/// Whether other users have any access to the file.
#[cfg(not(unix))]
pub(crate) fn is_open_to_others(_: &Path) -> bool {
    false
}

/// Turns an empty file into a database with our application id, in write-ahead mode.
fn mark(path: &Path) -> StoreResult<()> {
    let write = || -> rusqlite::Result<()> {
        let db = Connection::open(path)?;
        db.pragma_update(None, "application_id", APPLICATION_ID)?;
        db.pragma_update(None, "journal_mode", "wal")?;
        db.close().map_err(|(_, error)| error)
    };
    write().map_err(|error| told(&error))
}

fn mark_of(uri: &str) -> rusqlite::Result<i64> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    let db = Connection::open_with_flags(uri, flags)?;
    db.pragma_query_value(None, "application_id", |row| row.get(0))
}

fn is(error: &rusqlite::Error, code: ErrorCode) -> bool {
    error.sqlite_error_code() == Some(code)
}

/// The path as a `file:` URI, with all unusual characters escaped.
pub(crate) fn uri(path: &Path) -> String {
    let mut uri = String::from("file:");
    let bytes = path.as_os_str().as_encoded_bytes();
    if !bytes.starts_with(b"/") {
        // A path with a drive letter: SQLite wants a slash before it.
        uri.push('/');
    }
    for &byte in bytes {
        match byte {
            b'\\' if cfg!(windows) => uri.push('/'),
            b'/' | b':' | b'.' | b'-' | b'_' | b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => {
                uri.push(char::from(byte));
            }
            other => uri.push_str(&format!("%{other:02X}")),
        }
    }
    uri
}

/// Creates a directory that only its owner can enter; an existing one is left unchanged.
pub(crate) fn private_directory(directory: &Path) -> StoreResult<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory).map_err(|e| io("making the store's directory", &e))
}

/// Syncs a directory: a new file name is durable only after that.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_paths_are_escaped() {
        assert_eq!(uri(Path::new("/a b/50%?#.db")), "file:/a%20b/50%25%3F%23.db");
    }

    #[test]
    fn a_new_file_is_private_and_ours() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("deep/er/what? 100%.sqlite");
        prepare(&path).unwrap();
        assert!(recognise(&path).is_ok() && !is_open_to_others(&path));
        assert!(!is_open_to_others(&home.path().join("deep")));
        let left = fs::read_dir(path.parent().unwrap()).unwrap().count();
        assert_eq!(left, 1, "only the store itself");
    }

    #[test]
    fn what_was_abandoned_goes_and_what_is_being_written_stays() {
        let home = tempfile::tempdir().unwrap();
        let at = |name: &str| home.path().join(name);
        let old = std::time::SystemTime::now() - 2 * ABANDONED_AFTER;
        for name in [".lore-abc.new", ".lore-abd.new", "mine.new"] {
            File::create(at(name)).unwrap().set_modified(old).unwrap();
        }
        File::options().write(true).open(at(".lore-abd.new")).unwrap().set_len(1).unwrap();
        let _fresh = private_file(home.path()).unwrap();
        assert!(!at(".lore-abc.new").exists());
        assert!(at(".lore-abd.new").exists() && at("mine.new").exists());
    }
}

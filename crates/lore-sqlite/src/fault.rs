//! Errors inside the engine, and how callers see them.
//!
//! There are two kinds: refusals, which the engine decides, and errors of SQLite, which are mapped
//! here by what the caller can do about them. Messages never contain stored data.

use lore_store::StoreError;
use rusqlite::ErrorCode;

/// Result of functions inside the engine.
pub(crate) type Answer<T> = Result<T, Fault>;

/// Why an operation failed.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The engine refused the operation; the database is fine.
    Refused(StoreError),
    /// SQLite reported an error.
    Engine(rusqlite::Error),
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        Self::Refused(error)
    }
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        Self::Engine(error)
    }
}

impl From<Fault> for StoreError {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Refused(error) => error,
            Fault::Engine(error) => told(&error),
        }
    }
}

/// A stored value is one that this program cannot have written.
pub(crate) fn damaged(what: impl Into<String>) -> Fault {
    Fault::Refused(StoreError::Corrupt(what.into()))
}

/// The input cannot be stored.
pub(crate) fn invalid(what: impl Into<String>) -> Fault {
    Fault::Refused(StoreError::Invalid(what.into()))
}

/// The item does not exist or is hidden from the viewer.
pub(crate) fn missing(what: impl Into<String>) -> Fault {
    Fault::Refused(StoreError::NotFound(what.into()))
}

/// A file operation failed.
pub(crate) fn io(doing: &str, error: &std::io::Error) -> StoreError {
    StoreError::Failed(format!("{doing}: {error}"))
}

/// Maps an SQLite error by what the caller can do about it.
pub(crate) fn told(error: &rusqlite::Error) -> StoreError {
    match error {
        rusqlite::Error::SqliteFailure(code, message) => {
            by_code(code.code, code.extended_code, message.as_deref().unwrap_or_default(), error)
        }
        rusqlite::Error::SqlInputError { error: code, msg, .. } => {
            by_code(code.code, code.extended_code, msg, error)
        }
        rusqlite::Error::FromSqlConversionFailure(..)
        | rusqlite::Error::IntegralValueOutOfRange(..)
        | rusqlite::Error::InvalidColumnType(..)
        | rusqlite::Error::QueryReturnedNoRows
        | rusqlite::Error::Utf8Error(..) => StoreError::Corrupt(error.to_string()),
        other => StoreError::Failed(other.to_string()),
    }
}

fn by_code(code: ErrorCode, extended: i32, message: &str, error: &rusqlite::Error) -> StoreError {
    match code {
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => StoreError::Busy,
        ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => {
            StoreError::Corrupt(error.to_string())
        }
        ErrorCode::ConstraintViolation => constraint(extended, message),
        ErrorCode::TooBig => {
            StoreError::Invalid("a value is larger than the store can hold".into())
        }
        ErrorCode::DiskFull => StoreError::Disk("is full".into()),
        ErrorCode::SystemIoFailure => StoreError::Disk(format!("reported an error ({error})")),
        ErrorCode::ReadOnly => StoreError::ReadOnly,
        ErrorCode::CannotOpen | ErrorCode::PermissionDenied => {
            StoreError::Failed(format!("the file cannot be opened ({error})"))
        }
        _ => StoreError::Failed(error.to_string()),
    }
}

/// The columns of a unique constraint, as SQLite names them, and what to say when they collide.
const TAKEN: [(&str, &str); 8] = [
    ("node.uid", "a node with this uid"),
    ("node.world, node.number", "a node with this number"),
    ("node.world, node.kind, node.kind_number", "a node of this kind with this number"),
    ("text.uid", "a text with this uid"),
    ("world.name_key", "a world of this name"),
    ("world.uid", "a world with this uid"),
    ("principal.name_key", "a principal of this name"),
    ("token.public_id", "a token with this public id"),
];

fn constraint(extended: i32, message: &str) -> StoreError {
    match extended {
        rusqlite::ffi::SQLITE_CONSTRAINT_UNIQUE | rusqlite::ffi::SQLITE_CONSTRAINT_PRIMARYKEY => {
            let columns = message.rsplit(": ").next().unwrap_or_default();
            let what = TAKEN.iter().find(|(names, _)| *names == columns);
            StoreError::Exists(what.map_or("a thing with this key", |(_, what)| what).into())
        }
        rusqlite::ffi::SQLITE_CONSTRAINT_FOREIGNKEY => {
            StoreError::Invalid("the batch names a world or principal that does not exist".into())
        }
        // The rest are CHECK, NOT NULL and type constraints. The message names the column, not the
        // value.
        _ => StoreError::Invalid(message.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;

    fn failure(code: i32) -> StoreError {
        told(&rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(code), None))
    }

    #[test]
    fn codes_are_sorted_by_what_the_caller_can_do() {
        assert_eq!(failure(rusqlite::ffi::SQLITE_BUSY), StoreError::Busy);
        assert_eq!(failure(rusqlite::ffi::SQLITE_LOCKED), StoreError::Busy);
        assert!(matches!(failure(rusqlite::ffi::SQLITE_CORRUPT), StoreError::Corrupt(_)));
        assert!(matches!(failure(rusqlite::ffi::SQLITE_NOTADB), StoreError::Corrupt(_)));
        assert_eq!(failure(rusqlite::ffi::SQLITE_FULL), StoreError::Disk("is full".into()));
        assert!(matches!(failure(rusqlite::ffi::SQLITE_IOERR_FSYNC), StoreError::Disk(_)));
    }

    #[test]
    fn a_taken_key_is_named() {
        let db = Connection::open_in_memory().unwrap();
        db.execute_batch("CREATE TABLE node (uid UNIQUE); INSERT INTO node VALUES (1);").unwrap();
        let error = db.execute("INSERT INTO node VALUES (1)", ()).unwrap_err();
        assert_eq!(told(&error), StoreError::Exists("a node with this uid".into()));
    }
}

//! Opening connections, and the settings of each kind of connection.

use std::path::Path;
use std::time::{Duration, Instant};

use lore_store::{StoreError, StoreResult};
use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags};

use crate::fault::{Answer, Fault, told};
use crate::seal;

/// The first SQLite version without a known bug that damages the write-ahead log (3.51.3).
const OLDEST_SQLITE: i32 = 3_051_003;
/// How long SQLite waits for another process before it reports "busy".
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// How large the write-ahead log may remain after a checkpoint, in bytes.
pub(crate) const LOG_LIMIT: u32 = 64 * 1024 * 1024;
/// How many prepared statements a connection caches.
const STATEMENTS: usize = 128;

/// Fails when the linked SQLite is too old.
pub(crate) fn check_library() -> StoreResult<()> {
    if rusqlite::version_number() >= OLDEST_SQLITE {
        return Ok(());
    }
    Err(StoreError::Failed(format!("SQLite {} is older than 3.51.3", rusqlite::version())))
}

/// Opens the connection that writes. There is one per process.
pub(crate) fn writer(path: &Path) -> Answer<Connection> {
    let db = open(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    write_ahead(&db)?;
    db.execute_batch(
        "PRAGMA synchronous = FULL;
         PRAGMA fullfsync = ON;
         PRAGMA checkpoint_fullfsync = ON;",
    )?;
    db.pragma_update(None, "journal_size_limit", LOG_LIMIT)?;
    Ok(db)
}

/// Opens a connection that cannot write.
pub(crate) fn reader(path: &Path) -> Answer<Connection> {
    let db = open(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    db.execute_batch("PRAGMA query_only = ON;")?;
    Ok(db)
}

/// Opens a connection for checks. It does not write either, but SQLite loads the CHECK constraints
/// of a table only into connections that could.
pub(crate) fn inspector(path: &Path) -> Answer<Connection> {
    let db = open(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    db.execute_batch("PRAGMA query_only = ON;")?;
    Ok(db)
}

fn open(path: &Path, access: OpenFlags) -> Answer<Connection> {
    let db = Connection::open_with_flags(path, access | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    db.busy_timeout(BUSY_TIMEOUT)?;
    db.set_prepared_statement_cache_capacity(STATEMENTS);
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    // Otherwise a query plan may depend on the bound values, and SQLite plans a cached statement
    // again for each use, which is most of the work of a short query.
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    db.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
    db.execute_batch(
        "PRAGMA foreign_keys = ON;
         PRAGMA trusted_schema = OFF;
         PRAGMA cell_size_check = ON;
         PRAGMA mmap_size = 0;
         PRAGMA temp_store = MEMORY;",
    )?;
    rusqlite::vtab::array::load_module(&db)?;
    seal::register(&db)?;
    Ok(db)
}

/// Switches to write-ahead mode. A restored backup is not in that mode. SQLite does not wait for
/// the lock that the switch needs, so this function retries.
fn write_ahead(db: &Connection) -> Answer<()> {
    let deadline = Instant::now() + BUSY_TIMEOUT;
    loop {
        let mode =
            db.pragma_update_and_check(None, "journal_mode", "wal", |row| row.get::<_, String>(0));
        match mode.map_err(|error| told(&error)) {
            Ok(mode) if mode == "wal" => return Ok(()),
            Ok(mode) => {
                let text = format!("this file system allows only the journal mode {mode}");
                return Err(Fault::Refused(StoreError::Failed(text)));
            }
            Err(StoreError::Busy) if Instant::now() < deadline => {
                std::thread::sleep(Duration::from_millis(20));
            }
            Err(error) => return Err(error.into()),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use lore_core::{Effects, Timestamp};
    use rusqlite::{Statement, StatementStatus};

    use super::*;
    use crate::rows;
    use crate::{Options, SqliteStore};

    /// The query plan of a statement.
    pub(crate) fn plan_of(sql: &str) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store.sqlite");
        let effects = Effects::fixed(Timestamp::UNIX_EPOCH, 1);
        let _store = SqliteStore::open(&path, Options::default(), &effects).unwrap();
        let db = reader(&path).unwrap();
        let mut explained = db.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let steps = rows::all(explained.raw_query(), |row| Ok(row.get::<_, String>(3)?)).unwrap();
        steps.join("\n")
    }

    #[test]
    fn a_kept_statement_is_not_planned_anew_for_other_values() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store.sqlite");
        let effects = Effects::fixed(Timestamp::UNIX_EPOCH, 1);
        let _store = SqliteStore::open(&path, Options::default(), &effects).unwrap();
        let db = reader(&path).unwrap();
        let never_anew = |statement: &Statement<'_>| {
            assert_eq!(statement.get_status(StatementStatus::RePrepare), 0);
        };
        for id in 1..4 {
            // One statement with a list as a table, one on a table with a partial index.
            let mut some = db.prepare_cached("SELECT 1 FROM node WHERE id IN rarray(?1)").unwrap();
            assert!(!some.exists([rows::list(vec![id])]).unwrap());
            never_anew(&some);
            let sql = "SELECT seq FROM event WHERE node = ?1 ORDER BY seq DESC LIMIT 1";
            let mut end = db.prepare_cached(sql).unwrap();
            assert!(!end.exists([id]).unwrap());
            never_anew(&end);
        }
    }
}

//! Reading databases of other programs as plain rows.
//!
//! They are opened read-only and never become a store of ours.

use std::collections::BTreeMap;
use std::path::Path;

use lore_store::{StoreError, StoreResult};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, Row};
use serde_json::{Map, Value};

use crate::file::uri;

/// A row as a map from column name to value; blobs are left out.
type Fields = Map<String, Value>;

/// Reads all rows of the named tables; tables that do not exist are left out. Fails if the file is
/// no database or has none of the tables.
pub fn foreign_tables(path: &Path, tables: &[&str]) -> StoreResult<BTreeMap<String, Vec<Fields>>> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_URI;
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    // Without a log nobody has the database open, and reading it as it is leaves no files beside it.
    let how = if Path::new(&log).exists() { "" } else { "?immutable=1" };
    let from = format!("{}{how}", uri(path));
    let read = || -> rusqlite::Result<BTreeMap<String, Vec<Fields>>> {
        let db = Connection::open_with_flags(&from, flags)?;
        let mut found = BTreeMap::new();
        for table in tables {
            if has(&db, table)? {
                found.insert((*table).to_owned(), rows_of(&db, table)?);
            }
        }
        Ok(found)
    };
    // Any error is a problem of that file, not of the store.
    let found =
        read().map_err(|error| StoreError::Invalid(format!("it is not a database: {error}")))?;
    if found.is_empty() {
        let known = tables.join(", ");
        return Err(StoreError::Invalid(format!("the database has none of the tables {known}")));
    }
    Ok(found)
}

fn has(db: &Connection, table: &str) -> rusqlite::Result<bool> {
    let known = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1";
    db.prepare(known)?.exists([table])
}

fn rows_of(db: &Connection, table: &str) -> rusqlite::Result<Vec<Fields>> {
    let mut statement = db.prepare(&format!("SELECT * FROM \"{}\"", table.replace('"', "\"\"")))?;
    let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let mut rows = statement.query([])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(fields(row, &columns)?);
    }
    Ok(found)
}

fn fields(row: &Row<'_>, columns: &[String]) -> rusqlite::Result<Fields> {
    let mut fields = Fields::new();
    for (at, name) in columns.iter().enumerate() {
        let value = match row.get_ref(at)? {
            ValueRef::Null | ValueRef::Blob(_) => Value::Null,
            ValueRef::Integer(number) => number.into(),
            ValueRef::Real(number) => number.into(),
            ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned().into(),
        };
        fields.insert(name.clone(), value);
    }
    Ok(fields)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back_by_column_and_some_table_must_be_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("other.db");
        let db = Connection::open(&path).unwrap();
        db.execute_batch(
            "CREATE TABLE t (a TEXT, b REAL, c BLOB); INSERT INTO t VALUES ('x', 0.5, x'00')",
        )
        .unwrap();
        let found = foreign_tables(&path, &["t", "u"]).unwrap();
        assert_eq!(found["t"][0]["a"], "x");
        assert_eq!((&found["t"][0]["b"], &found["t"][0]["c"]), (&Value::from(0.5), &Value::Null));
        assert!(!found.contains_key("u"));
        assert!(foreign_tables(&path, &["u"]).is_err());
        db.execute_batch("PRAGMA journal_mode = wal; INSERT INTO t VALUES ('y', 1, NULL)").unwrap();
        assert_eq!(foreign_tables(&path, &["t"]).unwrap()["t"].len(), 2, "from the log");
        drop(db);
        assert_eq!(foreign_tables(&path, &["t"]).unwrap()["t"].len(), 2);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no new files beside it");
        assert!(foreign_tables(&folder.path().join("absent.db"), &["t"]).is_err());
    }
}

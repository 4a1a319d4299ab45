//! Seals: a checksum in every row over all its other columns.
//!
//! SQLite detects damage to the structure of its file, but not inside a value. So tables have a
//! column `seal` that SQLite computes with [`FUNCTION`] whenever it writes a row
//! (`migrations/0006_seals.sql`). Reads of user data compare the seal, and the health check
//! compares all of them. Stored seals depend on this function, so it must never change.
//!
//! The checksum is CRC-32: it detects every single damaged byte and is very cheap. It does not
//! protect against deliberate changes to the file; only the hash chains of the event logs do.

use rusqlite::Connection;
use rusqlite::functions::FunctionFlags;
use rusqlite::types::ValueRef;

use crate::fault::Answer;
use crate::rows::{self, Fields};

/// The name of the SQL function. It takes the values of a row, in the order of its columns.
const FUNCTION: &str = "seal_of";

/// Registers the function on a connection, which it needs to read and write sealed tables.
pub(crate) fn register(db: &Connection) -> rusqlite::Result<()> {
    // Innocuous, because the schema calls it although the schema is not trusted.
    let flags = FunctionFlags::SQLITE_UTF8
        | FunctionFlags::SQLITE_DETERMINISTIC
        | FunctionFlags::SQLITE_INNOCUOUS;
    db.create_scalar_function(FUNCTION, -1, flags, |values| {
        // Most rows are short, and one pass over the whole row is faster than many small ones.
        let mut row = Vec::with_capacity(512);
        (0..values.len()).for_each(|at| add(&mut row, values.get_raw(at)));
        Ok(i64::from(crc32fast::hash(&row)))
    })
}

/// A table whose rows have seals.
pub(crate) struct Sealed {
    /// Its name.
    pub(crate) table: String,
    /// The columns that the seal covers, in order.
    columns: Vec<String>,
}

impl Sealed {
    /// Every table with seals. A store of an older schema has none.
    pub(crate) fn tables(db: &Connection) -> Answer<Vec<Self>> {
        let sql = "SELECT m.name, json_group_array(c.name ORDER BY c.cid)
                     FILTER (WHERE c.name <> 'seal')
                   FROM sqlite_schema m JOIN pragma_table_xinfo(m.name) c
                   WHERE m.type = 'table'
                   GROUP BY m.name HAVING max(c.name = 'seal') ORDER BY m.name";
        let mut statement = db.prepare(sql)?;
        rows::all(statement.query(())?, |row| {
            let mut fields = Fields::of(row);
            Ok(Self { table: fields.take()?, columns: fields.strings()? })
        })
    }

    /// A statement that selects the expression `what` for every row with a wrong seal.
    pub(crate) fn broken(&self, what: &str) -> String {
        format!("SELECT {what} FROM {} WHERE {}", self.table, self.is_broken())
    }

    /// Recomputes the seal of every row where it is wrong, and returns their number.
    fn renew(&self, db: &Connection) -> Answer<usize> {
        let Some(column) = self.columns.last() else { return Ok(0) };
        let sql =
            format!("UPDATE {} SET {column} = {column} WHERE {}", self.table, self.is_broken());
        Ok(db.prepare(&sql)?.execute(())?)
    }

    fn is_broken(&self) -> String {
        format!("seal IS NOT {FUNCTION}({})", self.columns.join(", "))
    }
}

/// Recomputes wrong seals in all tables, and returns the number of rows changed.
pub(crate) fn renew_all(db: &Connection) -> Answer<usize> {
    Sealed::tables(db)?.iter().map(|sealed| sealed.renew(db)).sum()
}

/// Adds a value with its type and, except for NULL, its length, so that the same bytes spread
/// differently over the columns give a different seal.
fn add(row: &mut Vec<u8>, value: ValueRef<'_>) {
    match value {
        ValueRef::Null => row.push(b'n'),
        ValueRef::Integer(number) => add_bytes(row, b'i', &number.to_le_bytes()),
        ValueRef::Real(number) => add_bytes(row, b'r', &number.to_bits().to_le_bytes()),
        ValueRef::Text(bytes) => add_bytes(row, b't', bytes),
        ValueRef::Blob(bytes) => add_bytes(row, b'b', bytes),
    }
}

fn add_bytes(row: &mut Vec<u8>, sort: u8, bytes: &[u8]) {
    row.push(sort);
    row.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
    row.extend_from_slice(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema;

    fn memory() -> Connection {
        let db = Connection::open_in_memory().unwrap();
        register(&db).unwrap();
        db
    }

    fn seal(values: &str) -> i64 {
        memory().query_row(&format!("SELECT seal_of({values})"), (), |row| row.get(0)).unwrap()
    }

    /// Stored seals are compared years later, so the function must return the same values forever.
    #[test]
    fn the_function_never_changes() {
        assert_eq!(seal("1, 'Arda', NULL, 0.5, x'00ff'"), 722_532_795);
    }

    #[test]
    fn values_do_not_run_into_each_other() {
        let alike = ["'ab', 'c'", "'a', 'bc'", "'abc', ''", "'abc', NULL", "x'616263', ''"];
        let seals: std::collections::HashSet<_> = alike.into_iter().map(seal).collect();
        assert_eq!(seals.len(), alike.len());
        assert_ne!(seal("1"), seal("1.0"));
        assert_ne!(seal("1"), seal("'1'"));
    }

    /// The exceptions are events, which have a hash chain, and SQLite's own tables.
    #[test]
    fn every_column_of_every_table_is_under_its_seal() {
        let db = memory();
        schema::migrate(&db).unwrap();
        let sealed = Sealed::tables(&db).unwrap();
        for Sealed { table, columns } in &sealed {
            let sql = "SELECT sql FROM sqlite_schema WHERE name = ?1";
            let made: String = db.query_row(sql, [table], |row| row.get(0)).unwrap();
            let words: Vec<_> = made.split_whitespace().collect();
            let seal = format!("{FUNCTION}({})", columns.join(", "));
            assert!(
                words.join(" ").replace("( ", "(").replace(" )", ")").contains(&seal),
                "{made}"
            );
        }
        let sql = "SELECT count(*) FROM sqlite_schema WHERE type = 'table'
                   AND name NOT IN ('event', 'sqlite_sequence')";
        let tables: i64 = db.query_row(sql, (), |row| row.get(0)).unwrap();
        assert_eq!(sealed.len() as i64, tables);
    }
}

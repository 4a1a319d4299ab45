//! Running numbers.
//!
//! A counter is a row. Taking from it is part of the transaction that uses the
//! number, so a number is gone only when what it numbers is there. Gaps are left
//! where somebody wants them: for numbers that an import brings along.

use rusqlite::{Connection, params};

use crate::fault::{Answer, invalid};

/// The world of counters that run over the whole store.
pub(crate) const STORE: i64 = 0;
/// The counter of the change log.
pub(crate) const CHANGES: &str = "change";
/// The version of the analyses that search reads.
pub(crate) const ANALYSES: &str = "analysis";
/// The counter of a world's nodes over all kinds.
pub(crate) const NODES: &str = "node";

/// Largest number a caller may choose: every JSON reader can still tell it from its neighbour.
const LARGEST: i64 = (1 << 53) - 1;

/// The counter of a world's nodes of one kind.
pub(crate) fn of_kind(kind: &str) -> String {
    format!("kind:{kind}")
}

/// The number `wanted`, or the next free one.
pub(crate) fn number(db: &Connection, world: i64, name: &str, wanted: Option<i64>) -> Answer<i64> {
    match wanted {
        None => take(db, world, name),
        Some(number) if (1..=LARGEST).contains(&number) => {
            skip_past(db, world, name, number)?;
            Ok(number)
        }
        Some(number) => Err(invalid(format!("the number {number} is not within 1 to {LARGEST}"))),
    }
}

/// Takes the next number.
pub(crate) fn take(db: &Connection, world: i64, name: &str) -> Answer<i64> {
    let sql = "INSERT INTO counter (world, name, next) VALUES (?1, ?2, 2)
               ON CONFLICT (world, name) DO UPDATE SET next = next + 1
               RETURNING next - 1";
    Ok(db.prepare_cached(sql)?.query_row(params![world, name], |row| row.get(0))?)
}

/// Takes the next number that no world has given out under this name.
pub(crate) fn take_everywhere(db: &Connection, world: i64, name: &str) -> Answer<i64> {
    let sql = "SELECT coalesce(max(next), 1) FROM counter WHERE name = ?1";
    let next = db.prepare_cached(sql)?.query_row(params![name], |row| row.get(0))?;
    skip_past(db, world, name, next)?;
    Ok(next)
}

/// Makes sure that `number` is not given out again.
fn skip_past(db: &Connection, world: i64, name: &str, number: i64) -> Answer<()> {
    let sql = "INSERT INTO counter (world, name, next) VALUES (?1, ?2, ?3)
               ON CONFLICT (world, name) DO UPDATE SET next = max(next, excluded.next)";
    db.prepare_cached(sql)?.execute(params![world, name, number + 1])?;
    Ok(())
}

/// Sets the last number.
pub(crate) fn set(db: &Connection, world: i64, name: &str, number: i64) -> Answer<()> {
    let sql = "INSERT INTO counter (world, name, next) VALUES (?1, ?2, ?3)
               ON CONFLICT (world, name) DO UPDATE SET next = excluded.next";
    db.prepare_cached(sql)?.execute(params![world, name, number + 1])?;
    Ok(())
}

/// The last number given out; 0 when there is none.
pub(crate) fn last(db: &Connection, world: i64, name: &str) -> Answer<i64> {
    let sql = "SELECT coalesce(max(next), 1) - 1 FROM counter WHERE world = ?1 AND name = ?2";
    Ok(db.prepare_cached(sql)?.query_row(params![world, name], |row| row.get(0))?)
}

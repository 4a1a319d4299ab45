//! Counters for running numbers.
//!
//! A counter is a row. A number is taken in the same transaction that uses it, so a rolled-back
//! change uses up no number. Gaps appear only where an import brings its own numbers.

use rusqlite::{Connection, params};

use crate::fault::{Answer, invalid};

/// Stands in for the world id in counters of the whole store.
pub(crate) const STORE: i64 = 0;
/// The counter of the change log.
pub(crate) const CHANGES: &str = "change";
/// The counter that holds the version of the stored search analyses.
pub(crate) const ANALYSES: &str = "analysis";
/// The counter of all nodes of a world.
pub(crate) const NODES: &str = "node";

/// Largest number a caller may choose: 2^53 - 1, the largest that every JSON parser reads exactly.
const LARGEST: i64 = (1 << 53) - 1;

/// The name of the counter for a world's nodes of one kind.
pub(crate) fn of_kind(kind: &str) -> String {
    format!("kind:{kind}")
}

/// Takes the number `wanted`, or the next free one if `None`.
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

/// Takes the next number that no world has used for this counter name.
pub(crate) fn take_everywhere(db: &Connection, world: i64, name: &str) -> Answer<i64> {
    let sql = "SELECT coalesce(max(next), 1) FROM counter WHERE name = ?1";
    let next = db.prepare_cached(sql)?.query_row(params![name], |row| row.get(0))?;
    skip_past(db, world, name, next)?;
    Ok(next)
}

/// Makes sure that `number` is not handed out again.
fn skip_past(db: &Connection, world: i64, name: &str, number: i64) -> Answer<()> {
    let sql = "INSERT INTO counter (world, name, next) VALUES (?1, ?2, ?3)
               ON CONFLICT (world, name) DO UPDATE SET next = max(next, excluded.next)";
    db.prepare_cached(sql)?.execute(params![world, name, number + 1])?;
    Ok(())
}

/// Sets the last number of a counter.
pub(crate) fn set(db: &Connection, world: i64, name: &str, number: i64) -> Answer<()> {
    let sql = "INSERT INTO counter (world, name, next) VALUES (?1, ?2, ?3)
               ON CONFLICT (world, name) DO UPDATE SET next = excluded.next";
    db.prepare_cached(sql)?.execute(params![world, name, number + 1])?;
    Ok(())
}

/// The last number that was handed out; 0 if there is none.
pub(crate) fn last(db: &Connection, world: i64, name: &str) -> Answer<i64> {
    let sql = "SELECT coalesce(max(next), 1) - 1 FROM counter WHERE world = ?1 AND name = ?2";
    Ok(db.prepare_cached(sql)?.query_row(params![world, name], |row| row.get(0))?)
}

//! The schema and its migrations.
//!
//! A migration is a numbered SQL file. It runs in one transaction together with the update of the
//! version number, so a database always has exactly one known schema.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use lore_store::StoreError;
use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::fault::{Answer, Fault, damaged};
use crate::rows::{self, Fields};
use crate::seal;

/// Every migration, oldest first. Released ones never change; new ones are appended.
const STEPS: &[&str] = &[
    include_str!("../migrations/0001_start.sql"),
    include_str!("../migrations/0002_records.sql"),
    include_str!("../migrations/0003_search.sql"),
    include_str!("../migrations/0004_log_heads.sql"),
    include_str!("../migrations/0005_change_visibility.sql"),
    include_str!("../migrations/0006_seals.sql"),
    include_str!("../migrations/0007_shown_changes.sql"),
    include_str!("../migrations/0008_veiled_tags.sql"),
];

/// The version of the newest schema this program knows.
pub(crate) const NEWEST: i64 = STEPS.len() as i64;

/// Migrates the database to the newest schema. Safe when several processes do it at once.
pub(crate) fn migrate(db: &Connection) -> Answer<()> {
    migrate_with(db, STEPS)
}

/// Schema versions from here on are damage: no release will ever have that many migrations.
const IMPLAUSIBLE: i64 = 10_000;

/// The schema version of the database; fails if it is newer than this program.
pub(crate) fn version(db: &Connection) -> Answer<i64> {
    let found = user_version(db)?;
    if !(0..IMPLAUSIBLE).contains(&found) {
        return Err(damaged(format!("its header says schema {found}, which there is not")));
    }
    if found > NEWEST {
        return Err(Fault::Refused(StoreError::NewerSchema { found, known: NEWEST }));
    }
    Ok(found)
}

/// The definitions of tables and indexes in the database, by name.
pub(crate) fn layout(db: &Connection) -> Answer<BTreeMap<String, String>> {
    let sql = "SELECT name, type || ' of ' || tbl_name || ': ' || sql FROM sqlite_schema
               WHERE sql IS NOT NULL";
    let mut statement = db.prepare(sql)?;
    let made = rows::all(statement.query(())?, |row| {
        let mut fields = Fields::of(row);
        Ok((fields.take()?, fields.take()?))
    })?;
    Ok(made.into_iter().collect())
}

/// The definitions of tables and indexes as this program creates them.
pub(crate) fn expected_layout() -> Answer<&'static BTreeMap<String, String>> {
    static EXPECTED: OnceLock<BTreeMap<String, String>> = OnceLock::new();
    if let Some(known) = EXPECTED.get() {
        return Ok(known);
    }
    let db = Connection::open_in_memory()?;
    seal::register(&db)?;
    migrate(&db)?;
    let made = layout(&db)?;
    Ok(EXPECTED.get_or_init(|| made))
}

fn migrate_with(db: &Connection, steps: &[&str]) -> Answer<()> {
    version(db)?;
    for (number, step) in (1_i64..).zip(steps) {
        if user_version(db)? < number {
            without_references(db, || take_step(db, number, step))?;
        }
    }
    Ok(())
}

/// Runs `work` with foreign keys off, because a migration may recreate a table that others refer
/// to. SQLite allows this switch only outside of transactions.
fn without_references(db: &Connection, work: impl FnOnce() -> Answer<()>) -> Answer<()> {
    db.pragma_update(None, "foreign_keys", false)?;
    let done = work();
    db.pragma_update(None, "foreign_keys", true)?;
    done
}

/// Runs one migration. If several processes try, the second to get the lock finds it done.
fn take_step(db: &Connection, number: i64, step: &str) -> Answer<()> {
    let transaction = Transaction::new_unchecked(db, TransactionBehavior::Immediate)?;
    if user_version(&transaction)? < number {
        transaction.execute_batch(step)?;
        transaction.pragma_update(None, "user_version", number)?;
    }
    transaction.commit()?;
    Ok(())
}

fn user_version(db: &Connection) -> Answer<i64> {
    Ok(db.pragma_query_value(None, "user_version", |row| row.get(0))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The migration up to and including its n-th statement, for every n.
    fn beginnings(step: &str) -> Vec<String> {
        let lines: Vec<_> = step.lines().filter(|line| !line.starts_with("--")).collect();
        let whole = lines.join("\n");
        whole.match_indices(";\n").map(|(at, _)| whole[..=at].to_owned()).collect()
    }

    fn memory() -> Connection {
        let db = Connection::open_in_memory().unwrap();
        seal::register(&db).unwrap();
        db
    }

    #[test]
    fn a_step_that_breaks_off_anywhere_leaves_nothing() {
        for (taken, step) in STEPS.iter().enumerate() {
            for beginning in beginnings(step) {
                let db = memory();
                migrate_with(&db, &STEPS[..taken]).unwrap();
                let before = layout(&db).unwrap();
                let broken = format!("{beginning}\nTHIS IS NOT SQL;");
                let steps = [&STEPS[..taken], &[broken.as_str()]].concat();
                assert!(migrate_with(&db, &steps).is_err());
                assert_eq!(layout(&db).unwrap(), before);
                assert_eq!(user_version(&db).unwrap(), taken as i64);
                migrate(&db).unwrap();
                assert_eq!(version(&db).unwrap(), NEWEST);
            }
        }
    }

    #[test]
    fn references_are_asked_again_after_a_step() {
        let db = memory();
        assert!(migrate_with(&db, &["THIS IS NOT SQL;"]).is_err());
        migrate(&db).unwrap();
        let asked: bool = db.pragma_query_value(None, "foreign_keys", |row| row.get(0)).unwrap();
        assert!(asked);
    }

    #[test]
    fn a_second_run_changes_nothing() {
        let db = memory();
        migrate(&db).unwrap();
        let before = layout(&db).unwrap();
        migrate(&db).unwrap();
        assert_eq!(layout(&db).unwrap(), before);
    }

    #[test]
    fn a_newer_schema_is_refused() {
        let db = Connection::open_in_memory().unwrap();
        db.pragma_update(None, "user_version", NEWEST + 1).unwrap();
        let refused = migrate(&db).map_err(StoreError::from);
        assert_eq!(refused, Err(StoreError::NewerSchema { found: NEWEST + 1, known: NEWEST }));
    }

    #[test]
    fn a_schema_that_nobody_writes_is_damage() {
        for number in [NEWEST + (2 << 24), NEWEST + (1 << 16), -2] {
            let db = Connection::open_in_memory().unwrap();
            db.pragma_update(None, "user_version", number).unwrap();
            let refused = migrate(&db).map_err(StoreError::from);
            assert!(matches!(refused, Err(StoreError::Corrupt(_))), "{number}: {refused:?}");
        }
    }
}

//! The schema and its steps.
//!
//! A step is a numbered SQL file. It runs in one transaction with the new
//! version number, so a file is always at exactly one known schema.

use lore_store::StoreError;
use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::fault::{Answer, Fault};

/// Every step, oldest first. Released steps never change; new ones are added below.
const STEPS: &[&str] = &[
    include_str!("../migrations/0001_start.sql"),
    include_str!("../migrations/0002_records.sql"),
    include_str!("../migrations/0003_search.sql"),
    include_str!("../migrations/0004_log_heads.sql"),
    include_str!("../migrations/0005_change_visibility.sql"),
];

/// The newest schema this program knows.
pub(crate) const NEWEST: i64 = STEPS.len() as i64;

/// Brings the database to the newest schema. Safe when several processes do it at once.
pub(crate) fn migrate(db: &Connection) -> Answer<()> {
    migrate_with(db, STEPS)
}

/// The schema of the database; fails when it is newer than this program.
pub(crate) fn version(db: &Connection) -> Answer<i64> {
    let found = user_version(db)?;
    if found > NEWEST {
        return Err(Fault::Refused(StoreError::NewerSchema { found, known: NEWEST }));
    }
    Ok(found)
}

fn migrate_with(db: &Connection, steps: &[&str]) -> Answer<()> {
    version(db)?;
    for (number, step) in (1_i64..).zip(steps) {
        if user_version(db)? < number {
            take_step(db, number, step)?;
        }
    }
    Ok(())
}

/// Another process may take the same step: whoever gets the lock second finds it done.
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

    fn objects(db: &Connection) -> i64 {
        db.query_row("SELECT count(*) FROM sqlite_schema", (), |row| row.get(0)).unwrap()
    }

    /// The step up to and including its n-th statement, for every n.
    fn beginnings(step: &str) -> Vec<String> {
        let lines: Vec<_> = step.lines().filter(|line| !line.starts_with("--")).collect();
        let whole = lines.join("\n");
        whole.match_indices(";\n").map(|(at, _)| whole[..=at].to_owned()).collect()
    }

    #[test]
    fn a_step_that_breaks_off_anywhere_leaves_nothing() {
        let beginnings = beginnings(STEPS[0]);
        assert!(beginnings.len() > 15, "{}", beginnings.len());
        for beginning in beginnings {
            let db = Connection::open_in_memory().unwrap();
            let broken = format!("{beginning}\nTHIS IS NOT SQL;");
            assert!(migrate_with(&db, &[&broken]).is_err());
            assert_eq!((objects(&db), user_version(&db).unwrap()), (0, 0));
            migrate(&db).unwrap();
            assert_eq!(version(&db).unwrap(), NEWEST);
        }
    }

    #[test]
    fn a_second_run_changes_nothing() {
        let db = Connection::open_in_memory().unwrap();
        migrate(&db).unwrap();
        let before = objects(&db);
        migrate(&db).unwrap();
        assert_eq!(objects(&db), before);
    }

    #[test]
    fn a_newer_schema_is_refused() {
        let db = Connection::open_in_memory().unwrap();
        db.pragma_update(None, "user_version", NEWEST + 1).unwrap();
        let refused = migrate(&db).map_err(StoreError::from);
        assert_eq!(refused, Err(StoreError::NewerSchema { found: NEWEST + 1, known: NEWEST }));
    }
}

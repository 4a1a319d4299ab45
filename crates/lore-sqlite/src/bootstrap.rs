//! Initial content of a new store: the local principal and their first world.

use lore_core::{Effects, Principal};
use lore_store::Origin;
use rusqlite::{Connection, Transaction, TransactionBehavior, params};

use crate::directory;
use crate::fault::Answer;

/// The name of the local principal.
const OWNER: &str = "owner";
/// The name of the first world.
const FIRST_WORLD: &str = "Main";

/// Creates the local principal and the first world unless they exist. Safe when several processes
/// do it at once.
pub(crate) fn settle(db: &Connection, effects: &Effects) -> Answer<()> {
    if has_owner(db)? {
        return Ok(());
    }
    let transaction = Transaction::new_unchecked(db, TransactionBehavior::Immediate)?;
    if !has_owner(&transaction)? {
        let sql = "INSERT INTO principal (id, name, name_key) VALUES (?1, ?2, ?2)";
        transaction.execute(sql, params![Principal::LOCAL.0, OWNER])?;
        let origin = Origin::new("open", "");
        let (uid, now) = (effects.uid(), effects.now());
        let world = directory::create_world(
            &transaction,
            Principal::LOCAL,
            uid,
            FIRST_WORLD,
            &origin,
            now,
        )?;
        directory::set_default_world(&transaction, Principal::LOCAL, world.id)?;
    }
    transaction.commit()?;
    Ok(())
}

fn has_owner(db: &Connection) -> Answer<bool> {
    Ok(db.prepare("SELECT 1 FROM principal WHERE id = ?1")?.exists([Principal::LOCAL.0])?)
}

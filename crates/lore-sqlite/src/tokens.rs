//! Access tokens as rows. The secret never gets here, only its hash.

use lore_core::names::name_key;
use lore_core::{PrincipalId, Role, Timestamp, TokenId, Viewer, WorldId};
use lore_store::{NewToken, Origin, StoreError, StoreResult, StoredToken, TokenInfo};
use rusqlite::{Connection, params};
use serde_json::json;

use crate::audit::{self, Author};
use crate::fault::{Answer, invalid, missing};
use crate::rows::{self, Fields};

/// The columns that [`info`] reads.
const INFO: &str = "t.id, t.public_id, p.name, t.role, t.created_at, t.revoked_at
    FROM token t JOIN principal p ON p.id = t.principal";

/// Fails unless the viewer owns their world.
pub(crate) fn only_owner(viewer: &Viewer, action: &str) -> StoreResult<()> {
    if viewer.role == Role::Owner {
        return Ok(());
    }
    Err(StoreError::Forbidden { role: viewer.role, action: action.into() })
}

/// Creates a token, and its principal if there is none of that name.
pub(crate) fn create(db: &Connection, viewer: &Viewer, token: &NewToken) -> Answer<TokenInfo> {
    let principal = principal_named(db, &token.principal)?;
    let at = rows::micros(token.at);
    db.prepare_cached(
        "INSERT INTO token (public_id, secret_hash, principal, world, role, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?
    .execute(params![
        token.public_id,
        token.secret_hash,
        principal,
        viewer.world.0,
        token.role.as_str(),
        at
    ])?;
    let id = TokenId(db.last_insert_rowid());
    log(db, viewer, at, "create_token", id)?;
    by_id(db, viewer.world, id)
}

/// The tokens of a world, oldest first.
pub(crate) fn of_world(db: &Connection, world: WorldId) -> Answer<Vec<TokenInfo>> {
    let sql = format!("SELECT {INFO} WHERE t.world = ?1 ORDER BY t.id");
    let mut statement = db.prepare_cached(&sql)?;
    rows::all(statement.query([world.0])?, info)
}

/// Revokes a token. Revoking it again changes nothing.
pub(crate) fn revoke(db: &Connection, viewer: &Viewer, id: TokenId, at: Timestamp) -> Answer<()> {
    if by_id(db, viewer.world, id)?.revoked_at.is_some() {
        return Ok(());
    }
    let at = rows::micros(at);
    db.prepare_cached("UPDATE token SET revoked_at = ?2 WHERE id = ?1")?
        .execute(params![id.0, at])?;
    log(db, viewer, at, "revoke_token", id)
}

/// An unrevoked token by its public id.
pub(crate) fn by_public_id(db: &Connection, public_id: &str) -> Answer<Option<StoredToken>> {
    let sql = "SELECT id, secret_hash, principal, world, role FROM token
               WHERE public_id = ?1 AND revoked_at IS NULL";
    let mut statement = db.prepare_cached(sql)?;
    rows::first(statement.query([public_id])?, |row| {
        let mut fields = Fields::of(row);
        Ok(StoredToken {
            id: TokenId(fields.take()?),
            secret_hash: fields.hash()?,
            principal: PrincipalId(fields.take()?),
            world: WorldId(fields.take()?),
            role: fields.role()?,
        })
    })
}

/// Whether a token was ever created.
pub(crate) fn any(db: &Connection) -> Answer<bool> {
    Ok(db.prepare_cached("SELECT 1 FROM token")?.exists(())?)
}

fn principal_named(db: &Connection, name: &str) -> Answer<i64> {
    let name = name.trim();
    if name.is_empty() {
        return Err(invalid("a principal's name is empty"));
    }
    let key = name_key(name);
    db.prepare_cached(
        "INSERT INTO principal (name, name_key) VALUES (?1, ?2) ON CONFLICT (name_key) DO NOTHING",
    )?
    .execute(params![name, key])?;
    let sql = "SELECT id FROM principal WHERE name_key = ?1";
    Ok(db.prepare_cached(sql)?.query_row([key], |row| row.get(0))?)
}

fn by_id(db: &Connection, world: WorldId, id: TokenId) -> Answer<TokenInfo> {
    let sql = format!("SELECT {INFO} WHERE t.world = ?1 AND t.id = ?2");
    let mut statement = db.prepare_cached(&sql)?;
    rows::first(statement.query([world.0, id.0])?, info)?
        .ok_or_else(|| missing(format!("token {id}")))
}

fn info(row: &rusqlite::Row<'_>) -> Answer<TokenInfo> {
    let mut fields = Fields::of(row);
    Ok(TokenInfo {
        id: TokenId(fields.take()?),
        public_id: fields.take()?,
        principal: fields.take()?,
        role: fields.role()?,
        created_at: fields.moment()?,
        revoked_at: fields.maybe_moment()?,
    })
}

/// Writes an audit entry. The trait passes no origin for tokens, so the operation stands for it.
fn log(db: &Connection, viewer: &Viewer, at: i64, op: &str, id: TokenId) -> Answer<()> {
    let author = Author { world: viewer.world.0, principal: viewer.principal.0, at };
    audit::write(db, author, &Origin::new(op, ""), vec![json!({ "op": op, "id": id.0 })])
}

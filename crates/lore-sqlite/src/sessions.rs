//! The `Sessions` trait: protocol sessions as rows.

use async_trait::async_trait;
use lore_core::{PrincipalId, Timestamp};
use lore_store::{SessionRecord, Sessions, StoreError, StoreResult};
use rusqlite::{Connection, params};

use crate::fault::{Answer, missing};
use crate::rows::{self, Fields};
use crate::store::SqliteStore;

#[async_trait]
impl Sessions for SqliteStore {
    async fn save_session(&self, session: SessionRecord) -> StoreResult<()> {
        self.write(move |db| save(db, &session)).await
    }

    async fn session(
        &self,
        principal: PrincipalId,
        key: &str,
    ) -> StoreResult<Option<SessionRecord>> {
        let key = key.to_owned();
        self.glance(move |db| load(db, principal, &key)).await
    }

    async fn touch_session(&self, key: &str, at: Timestamp) -> StoreResult<()> {
        let key = key.to_owned();
        self.write(move |db| {
            let sql = "UPDATE session SET seen_at = ?2 WHERE key = ?1";
            found(db.prepare_cached(sql)?.execute(params![key, rows::micros(at)])?)
        })
        .await
    }

    async fn set_subscriptions(&self, key: &str, uris: Vec<String>) -> StoreResult<()> {
        let key = key.to_owned();
        self.write(move |db| {
            let sql = "UPDATE session SET subscriptions = ?2 WHERE key = ?1";
            found(db.prepare_cached(sql)?.execute(params![key, list(&uris)])?)
        })
        .await
    }

    async fn delete_session(&self, key: &str) -> StoreResult<()> {
        let key = key.to_owned();
        self.write(move |db| {
            db.prepare_cached("DELETE FROM session WHERE key = ?1")?.execute([key])?;
            Ok(())
        })
        .await
    }

    async fn purge_sessions(&self, before: Timestamp) -> StoreResult<u64> {
        self.write(move |db| {
            let sql = "DELETE FROM session WHERE seen_at < ?1";
            Ok(db.prepare_cached(sql)?.execute([rows::micros(before)])? as u64)
        })
        .await
    }
}

/// Stores a session. A key belongs to its first principal; nobody else can take it over.
fn save(db: &Connection, session: &SessionRecord) -> Answer<()> {
    let sql = "INSERT INTO session (key, principal, opening, subscriptions, seen_at)
               VALUES (?1, ?2, ?3, ?4, ?5)
               ON CONFLICT (key) DO UPDATE SET opening = excluded.opening,
                 subscriptions = excluded.subscriptions, seen_at = excluded.seen_at
               WHERE principal = excluded.principal";
    let stored = db.prepare_cached(sql)?.execute(params![
        session.key,
        session.principal.0,
        session.opening,
        list(&session.subscriptions),
        rows::micros(session.seen_at)
    ])?;
    if stored == 0 {
        return Err(StoreError::Exists("a session with this key".into()).into());
    }
    Ok(())
}

fn load(db: &Connection, principal: PrincipalId, key: &str) -> Answer<Option<SessionRecord>> {
    let sql = "SELECT key, principal, opening, subscriptions, seen_at FROM session
               WHERE key = ?1 AND principal = ?2";
    let mut statement = db.prepare_cached(sql)?;
    rows::first(statement.query(params![key, principal.0])?, |row| {
        let mut fields = Fields::of(row);
        Ok(SessionRecord {
            key: fields.take()?,
            principal: PrincipalId(fields.take()?),
            opening: fields.take()?,
            subscriptions: fields.strings()?,
            seen_at: fields.moment()?,
        })
    })
}

fn list(uris: &[String]) -> String {
    serde_json::Value::from(uris).to_string()
}

fn found(changed: usize) -> Answer<()> {
    if changed == 0 { Err(missing("the session")) } else { Ok(()) }
}

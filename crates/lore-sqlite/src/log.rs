//! The `Log` trait: the change log, the audit log and stored answers of idempotent requests.

use async_trait::async_trait;
use lore_core::{Timestamp, Viewer};
use lore_store::{AuditEntry, ChangeEntry, Log, StoreError, StoreResult};
use rusqlite::params;
use tokio::sync::watch;

use crate::store::{SqliteStore, capped};
use crate::{audit, changes, rows};

#[async_trait]
impl Log for SqliteStore {
    async fn answered(
        &self,
        viewer: &Viewer,
        scope: &str,
        key: &str,
    ) -> StoreResult<Option<String>> {
        let viewer = *viewer;
        let (scope, key) = (scope.to_owned(), key.to_owned());
        self.glance(move |db| {
            // The column got its name when scopes were tools.
            let sql = "SELECT answer FROM answered
                       WHERE principal = ?1 AND world = ?2 AND tool = ?3 AND key = ?4";
            let mut statement = db.prepare_cached(sql)?;
            let parameters = params![viewer.principal.0, viewer.world.0, scope, key];
            rows::first(statement.query(parameters)?, |row| Ok(row.get(0)?))
        })
        .await
    }

    async fn forget_answers(&self, before: Timestamp) -> StoreResult<u64> {
        self.write(move |db| {
            let sql = "DELETE FROM answered WHERE at < ?1";
            Ok(db.prepare_cached(sql)?.execute([rows::micros(before)])? as u64)
        })
        .await
    }

    async fn changes(
        &self,
        viewer: &Viewer,
        after: i64,
        limit: usize,
    ) -> StoreResult<Vec<ChangeEntry>> {
        let viewer = *viewer;
        self.read(move |db| changes::read(db, &viewer, after, capped(limit))).await
    }

    async fn sequence(&self) -> StoreResult<i64> {
        self.read(changes::end).await
    }

    fn watch(&self) -> watch::Receiver<i64> {
        self.writer().watch()
    }

    async fn audit(
        &self,
        viewer: &Viewer,
        before: Option<i64>,
        limit: usize,
    ) -> StoreResult<Vec<AuditEntry>> {
        if !viewer.sees_gm_side() {
            let action = "read the audit log".into();
            return Err(StoreError::Forbidden { role: viewer.role, action });
        }
        let viewer = *viewer;
        self.read(move |db| audit::read(db, &viewer, before, capped(limit))).await
    }
}

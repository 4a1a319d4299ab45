//! The change log and the audit log, as the traits ask for them.

use async_trait::async_trait;
use lore_core::Viewer;
use lore_store::{AuditEntry, ChangeEntry, Log, StoreError, StoreResult};
use tokio::sync::watch;

use crate::store::{SqliteStore, capped};
use crate::{audit, changes};

#[async_trait]
impl Log for SqliteStore {
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

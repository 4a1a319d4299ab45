//! The `Maintenance` trait: checks, backups and repairs.
//!
//! Checks and backups open their own connection, so that a long one does not delay reads. Repairs
//! write, so they go through the writer's queue like every other write.

use std::path::Path;

use async_trait::async_trait;
use lore_store::{Health, Maintenance, StoreResult};

use crate::pool::run_blocking;
use crate::store::SqliteStore;
use crate::{backup, check, docs, seal};

#[async_trait]
impl Maintenance for SqliteStore {
    async fn check(&self) -> StoreResult<Health> {
        let path = self.path().to_owned();
        run_blocking(move || check::health(&path)).await
    }

    async fn rebuild_index(&self) -> StoreResult<u64> {
        // What search reads is found by indexes of the database, so these come first.
        let reindexed = self.write(|db| Ok(db.execute_batch("REINDEX")?)).await;
        let (mut node, mut documents) = (0, 0);
        // In several transactions, so that others can write in between.
        while let Some((last, written)) =
            self.write(move |db| docs::rebuild(db, node, docs::REBUILT_AT_ONCE)).await?
        {
            node = last;
            documents += written;
        }
        reindexed.map(|()| documents)
    }

    async fn accept_damage(&self) -> StoreResult<u64> {
        Ok(self.write(|db| seal::renew_all(db)).await? as u64)
    }

    async fn backup(&self, target: &Path) -> StoreResult<()> {
        let (path, target) = (self.path().to_owned(), target.to_owned());
        run_blocking(move || backup::copy(&path, &target)).await
    }
}

//! The pool of read-only connections, lent to blocking tasks.
//!
//! Write-ahead mode lets them read while the writer writes. Each read sees every commit that was
//! acknowledged before it began.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use lore_store::{LeftOut, StoreError, StoreResult};
use parking_lot::Mutex;
use rusqlite::Connection;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::connection;
use crate::fault::Answer;

/// A fixed number of read-only connections.
pub(crate) struct Pool {
    idle: Arc<Mutex<Vec<Connection>>>,
    permits: Arc<Semaphore>,
    patience: Duration,
}

impl Pool {
    /// Opens `size` connections, at least one.
    pub(crate) fn open(path: &Path, size: usize, patience: Duration) -> StoreResult<Self> {
        let size = size.max(1);
        let idle = (0..size).map(|_| connection::reader(path)).collect::<Answer<Vec<_>>>()?;
        Ok(Self {
            idle: Arc::new(Mutex::new(idle)),
            permits: Arc::new(Semaphore::new(size)),
            patience,
        })
    }

    /// Runs `work` on a free connection, on a thread for blocking work.
    pub(crate) async fn read<T, F>(&self, work: F) -> StoreResult<T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Answer<T> + Send + 'static,
    {
        let lease = self.lease().await?;
        let notes = LeftOut::here();
        run_blocking(move || match notes {
            Some(notes) => notes.during_sync(|| lease.with(work)),
            None => lease.with(work),
        })
        .await
    }

    /// Runs `work` on the current thread if a connection is free, otherwise like [`Pool::read`].
    ///
    /// For reads of a few rows by key, where switching threads costs more than the read itself. Not
    /// for anything that may read many rows.
    pub(crate) async fn glance<T, F>(&self, work: F) -> StoreResult<T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Answer<T> + Send + 'static,
    {
        let Ok(permit) = Arc::clone(&self.permits).try_acquire_owned() else {
            return self.read(work).await;
        };
        let lease = self.borrow(permit)?;
        let looked = catch_unwind(AssertUnwindSafe(|| lease.with(work)));
        let panicked = |_| Err(StoreError::Failed("a read did not finish".into()).into());
        looked.unwrap_or_else(panicked).map_err(StoreError::from)
    }

    /// Closes the idle connections. Connections in use are closed when they are returned.
    pub(crate) fn close(&self) {
        self.permits.close();
        self.idle.lock().clear();
    }

    async fn lease(&self) -> StoreResult<Lease> {
        let permit = Arc::clone(&self.permits).acquire_owned();
        let permit = tokio::time::timeout(self.patience, permit)
            .await
            .map_err(|_| StoreError::Busy)?
            .map_err(|_| closed())?;
        self.borrow(permit)
    }

    fn borrow(&self, permit: OwnedSemaphorePermit) -> StoreResult<Lease> {
        let db = self.idle.lock().pop().ok_or_else(closed)?;
        Ok(Lease { db: Some(db), idle: Arc::clone(&self.idle), _permit: permit })
    }
}

/// Runs blocking work and turns a panic in it into an error.
pub(crate) async fn run_blocking<T, F>(work: F) -> StoreResult<T>
where
    T: Send + 'static,
    F: FnOnce() -> Answer<T> + Send + 'static,
{
    match tokio::task::spawn_blocking(work).await {
        Ok(answer) => answer.map_err(StoreError::from),
        Err(error) => Err(StoreError::Failed(format!("a read did not finish ({error})"))),
    }
}

fn closed() -> StoreError {
    StoreError::Failed("the store is closed".into())
}

/// A borrowed connection. It is returned even if the borrower panics or is cancelled.
struct Lease {
    db: Option<Connection>,
    idle: Arc<Mutex<Vec<Connection>>>,
    _permit: OwnedSemaphorePermit,
}

impl Lease {
    fn with<T>(self, work: impl FnOnce(&Connection) -> Answer<T>) -> Answer<T> {
        let db = self.db.as_ref().ok_or_else(closed)?;
        work(db)
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.idle.lock().extend(self.db.take());
    }
}

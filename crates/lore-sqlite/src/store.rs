//! The store as a whole: opening it, and access to its readers and its writer.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use lore_core::{Effects, Viewer};
use lore_store::{Batch, Committed, Store, StoreResult, StoreStats};
use rusqlite::Connection;

use crate::fault::Answer;
use crate::lists::Lists;
use crate::pool::Pool;
use crate::search::Library;
use crate::slate::Slate;
use crate::writer::{WriteCounts, Writer};
use crate::{bootstrap, check, commit, connection, docs, file, schema};

/// Most rows any call returns.
const MOST_ROWS: usize = 10_000;

/// Options for running a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// How many reads can run at the same time.
    pub readers: usize,
    /// How many writes can wait in the queue.
    pub queue: usize,
    /// How long a call waits for a free reader or a place in the queue before it fails as busy.
    pub patience: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self { readers: 4, queue: 1_024, patience: Duration::from_secs(5) }
    }
}

/// A store in one SQLite file.
///
/// Dropping it finishes the waiting writes, checkpoints the write-ahead log into the file and
/// closes it. That may block for a moment.
pub struct SqliteStore {
    path: PathBuf,
    readers: Pool,
    writer: Writer,
    library: Arc<Library>,
    lists: Arc<Lists>,
}

impl SqliteStore {
    /// Opens the store at `path`. Creates the file and its directory if they do not exist.
    ///
    /// Blocks; call it before the server starts or from a blocking task. A file that is not ours is
    /// refused and left unchanged.
    pub fn open(path: &Path, options: Options, effects: &Effects) -> StoreResult<Self> {
        connection::check_library()?;
        let path = file::prepare(path)?;
        let db = connection::writer(&path)?;
        schema::migrate(&db)?;
        bootstrap::settle(&db, effects)?;
        docs::settle(&db)?;
        let readers = Pool::open(&path, options.readers, options.patience)?;
        let writer = Writer::start(&path, db, options.queue, options.patience)?;
        Ok(Self { path, readers, writer, library: Arc::default(), lists: Arc::default() })
    }

    /// Checks a file that may become the store, such as a backup, without changing it.
    ///
    /// Fails unless the file is ours, undamaged and of a schema this program knows. Blocks.
    pub fn verify_file(path: &Path) -> StoreResult<StoreStats> {
        check::verify_file(path)
    }

    /// How much was written since the store was opened.
    pub fn write_counts(&self) -> WriteCounts {
        self.writer.counts()
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn library(&self) -> &Arc<Library> {
        &self.library
    }

    pub(crate) fn lists(&self) -> &Arc<Lists> {
        &self.lists
    }

    pub(crate) fn writer(&self) -> &Writer {
        &self.writer
    }

    /// Runs a read on a free connection.
    pub(crate) async fn read<T, F>(&self, work: F) -> StoreResult<T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Answer<T> + Send + 'static,
    {
        self.readers.read(work).await
    }

    /// Runs a read of a few rows by key; see [`Pool::glance`].
    pub(crate) async fn glance<T, F>(&self, work: F) -> StoreResult<T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Answer<T> + Send + 'static,
    {
        self.readers.glance(work).await
    }

    /// Runs a read of `rows` rows by key, with [`Pool::glance`] if they are few.
    pub(crate) async fn read_up_to<T, F>(&self, rows: usize, work: F) -> StoreResult<T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Answer<T> + Send + 'static,
    {
        const FEW: usize = 64;
        if rows <= FEW { self.glance(work).await } else { self.read(work).await }
    }

    /// Runs a write in the next transaction.
    pub(crate) async fn write<T, F>(&self, work: F) -> StoreResult<T>
    where
        T: Send + 'static,
        F: FnOnce(&Slate<'_>) -> Answer<T> + Send + 'static,
    {
        self.writer.run(work).await
    }
}

#[async_trait]
impl Store for SqliteStore {
    async fn commit(&self, viewer: &Viewer, batch: Batch) -> StoreResult<Committed> {
        let viewer = *viewer;
        self.write(move |slate| commit::commit(slate, &viewer, &batch)).await
    }
}

impl Drop for SqliteStore {
    fn drop(&mut self) {
        // Readers first, so that the writer closes last and can checkpoint the whole log.
        self.readers.close();
    }
}

/// The SQL limit for a page length; 0 means as many as any call returns.
pub(crate) fn limit_of(limit: usize) -> i64 {
    if limit == 0 { MOST_ROWS as i64 } else { capped(limit) }
}

/// A number of rows, capped at the most any call returns.
pub(crate) fn capped(limit: usize) -> i64 {
    limit.min(MOST_ROWS) as i64
}

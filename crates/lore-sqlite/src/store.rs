//! The store as a whole: opening it, and the way to its readers and its writer.

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

/// How a store is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// How many reads run at the same time.
    pub readers: usize,
    /// How many writes may wait.
    pub queue: usize,
    /// How long a call waits for a place before it answers "busy".
    pub patience: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self { readers: 4, queue: 1_024, patience: Duration::from_secs(5) }
    }
}

/// A store in one SQLite file.
///
/// Dropping it finishes the waiting writes, folds the write-ahead log into the
/// file and closes it; that may block for a moment.
pub struct SqliteStore {
    path: PathBuf,
    readers: Pool,
    writer: Writer,
    library: Arc<Library>,
    lists: Arc<Lists>,
}

impl SqliteStore {
    /// Opens the store at `path`, making it and its directory if there is none.
    ///
    /// Blocks; call it before the server starts or from a blocking task. A file
    /// that is not ours is refused and left untouched.
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
    /// Fails unless it is ours, whole and of a schema this program knows. Blocks.
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

    /// Reads on a free connection.
    pub(crate) async fn read<T, F>(&self, work: F) -> StoreResult<T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Answer<T> + Send + 'static,
    {
        self.readers.read(work).await
    }

    /// Reads a few rows by key; see [`Pool::glance`].
    pub(crate) async fn glance<T, F>(&self, work: F) -> StoreResult<T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Answer<T> + Send + 'static,
    {
        self.readers.glance(work).await
    }

    /// Reads so many rows by key: a few of them at a glance.
    pub(crate) async fn read_up_to<T, F>(&self, rows: usize, work: F) -> StoreResult<T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Answer<T> + Send + 'static,
    {
        const FEW: usize = 64;
        if rows <= FEW { self.glance(work).await } else { self.read(work).await }
    }

    /// Writes in the next transaction.
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
        // Readers first: the writer, closing last, can then fold the log away.
        self.readers.close();
    }
}

/// A page's length; 0 asks for the most there is.
pub(crate) fn limit_of(limit: usize) -> i64 {
    if limit == 0 { MOST_ROWS as i64 } else { capped(limit) }
}

/// A number of rows, as far as any call goes.
pub(crate) fn capped(limit: usize) -> i64 {
    limit.min(MOST_ROWS) as i64
}

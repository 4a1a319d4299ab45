//! The writer thread, with group commit.
//!
//! Jobs wait in a bounded queue. The thread takes the waiting jobs, at most [`GROUP`] at a time,
//! runs each in a savepoint of one transaction, and answers them after the commit is on disk: one
//! `fsync` serves many callers. A job that fails or panics loses only its own changes. No job is
//! ever reported as successful before its commit.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use lore_store::{StoreError, StoreResult};
use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot, watch};

use crate::fault::{Answer, Fault, damaged, io, told};
use crate::slate::Slate;
use crate::{changes, connection, schema};

/// Most jobs in one transaction. Larger groups made each job wait longer without more throughput.
const GROUP: usize = 128;

/// How much a store has written since it was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WriteCounts {
    /// Committed transactions; each one waited for the disk once.
    pub transactions: u64,
    /// Jobs that succeeded in them.
    pub jobs: u64,
}

/// Handle of the writer thread. Dropping it finishes the queued jobs, then ends the thread.
pub(crate) struct Writer {
    queue: Option<mpsc::Sender<Box<dyn Job>>>,
    thread: Option<JoinHandle<()>>,
    patience: Duration,
    end: watch::Receiver<i64>,
    counts: Arc<Counts>,
}

impl Writer {
    /// Starts the thread. `db` is the connection it writes with.
    pub(crate) fn start(
        path: &Path,
        db: Connection,
        queue: usize,
        patience: Duration,
    ) -> StoreResult<Self> {
        let (sender, jobs) = mpsc::channel(queue.max(1));
        let (publish, end) = watch::channel(changes::end(&db)?);
        let counts = Arc::new(Counts::default());
        let desk =
            Desk { path: path.to_owned(), db: Some(db), publish, counts: Arc::clone(&counts) };
        let thread = std::thread::Builder::new()
            .name("lore-writer".into())
            .spawn(move || desk.work(jobs))
            .map_err(|e| io("starting the writer", &e))?;
        Ok(Self { queue: Some(sender), thread: Some(thread), patience, end, counts })
    }

    /// Runs `work` in the next transaction and returns after the commit is durable.
    pub(crate) async fn run<T, F>(&self, work: F) -> StoreResult<T>
    where
        T: Send + 'static,
        F: FnOnce(&Slate<'_>) -> Answer<T> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let task = Box::new(Task { work: Some(work), outcome: None, reply });
        let queue = self.queue.as_ref().ok_or_else(stopped)?;
        queue.send_timeout(task, self.patience).await.map_err(|refused| match refused {
            mpsc::error::SendTimeoutError::Timeout(_) => StoreError::Busy,
            mpsc::error::SendTimeoutError::Closed(_) => stopped(),
        })?;
        answer.await.unwrap_or_else(|_| Err(stopped()))
    }

    /// A receiver for the end of the change log after each commit.
    pub(crate) fn watch(&self) -> watch::Receiver<i64> {
        self.end.clone()
    }

    /// How much was written so far.
    pub(crate) fn counts(&self) -> WriteCounts {
        WriteCounts {
            transactions: self.counts.transactions.load(Ordering::Relaxed),
            jobs: self.counts.jobs.load(Ordering::Relaxed),
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        drop(self.queue.take());
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the writer thread ended in a panic");
        }
    }
}

fn stopped() -> StoreError {
    StoreError::Failed("the writer has stopped".into())
}

#[derive(Default)]
struct Counts {
    transactions: AtomicU64,
    jobs: AtomicU64,
}

/// A unit of work. Its result type is known only to the caller, so it is erased here.
trait Job: Send {
    /// Does the work and remembers the result; returns whether to keep its changes.
    fn run(&mut self, slate: &Slate<'_>) -> Verdict;
    /// Sends the remembered result to the caller. It is no error if the caller has gone.
    fn answer(self: Box<Self>);
    /// Tells the caller that the whole transaction failed.
    fn lose(self: Box<Self>, why: StoreError);
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Keep,
    Undo,
}

struct Task<T, F> {
    work: Option<F>,
    outcome: Option<StoreResult<T>>,
    reply: oneshot::Sender<StoreResult<T>>,
}

impl<T, F> Job for Task<T, F>
where
    T: Send,
    F: FnOnce(&Slate<'_>) -> Answer<T> + Send,
{
    fn run(&mut self, slate: &Slate<'_>) -> Verdict {
        let Some(work) = self.work.take() else { return Verdict::Undo };
        // Safe to continue after a panic: the savepoint is rolled back, the slate discards the
        // job's moves and the job is never run again, so nothing half done is used.
        let outcome = catch_unwind(AssertUnwindSafe(|| work(slate)))
            .unwrap_or_else(|_| Err(StoreError::Failed("a write panicked".into()).into()));
        let verdict = if outcome.is_ok() { Verdict::Keep } else { Verdict::Undo };
        self.outcome = Some(outcome.map_err(StoreError::from));
        verdict
    }

    fn answer(self: Box<Self>) {
        let outcome = self.outcome.unwrap_or_else(|| Err(stopped()));
        let _gone = self.reply.send(outcome);
    }

    fn lose(self: Box<Self>, why: StoreError) {
        // A job that failed by itself keeps its own error.
        let outcome = self.outcome.filter(Result::is_err).unwrap_or(Err(why));
        let _gone = self.reply.send(outcome);
    }
}

/// The state that the writer thread owns.
struct Desk {
    path: PathBuf,
    /// `None` while the database could not be reopened after a failure.
    db: Option<Connection>,
    publish: watch::Sender<i64>,
    counts: Arc<Counts>,
}

impl Desk {
    fn work(mut self, mut jobs: mpsc::Receiver<Box<dyn Job>>) {
        while let Some(first) = jobs.blocking_recv() {
            let mut group = vec![first];
            while group.len() < GROUP
                && let Ok(next) = jobs.try_recv()
            {
                group.push(next);
            }
            self.settle(group);
        }
        self.close();
    }

    /// Commits a group of jobs and answers each of them.
    fn settle(&mut self, mut group: Vec<Box<dyn Job>>) {
        match self.commit(&mut group) {
            Ok(end) => {
                self.publish.send_if_modified(|known| std::mem::replace(known, end) != end);
                group.into_iter().for_each(Job::answer);
            }
            Err(fault) => {
                self.distrust(&fault);
                let why = StoreError::from(fault);
                group.into_iter().for_each(|job| job.lose(why.clone()));
            }
        }
    }

    /// Commits a group, and returns the end of the change log afterwards.
    fn commit(&mut self, group: &mut [Box<dyn Job>]) -> Answer<i64> {
        let db = match &self.db {
            Some(db) => db,
            None => self.db.insert(reopen(&self.path)?),
        };
        execute(db, "BEGIN IMMEDIATE")?;
        let slate = Slate::new(db);
        let mut kept = 0;
        for job in group.iter_mut() {
            kept += u64::from(run_apart(&slate, job.as_mut())? == Verdict::Keep);
        }
        let end = slate.settle()?;
        execute(db, "COMMIT").map_err(not_committed)?;
        self.counts.transactions.fetch_add(1, Ordering::Relaxed);
        self.counts.jobs.fetch_add(kept, Ordering::Relaxed);
        Ok(end)
    }

    /// Reopens the database after a failed transaction, because neither the connection's memory nor
    /// the disk can be trusted then. The exception is a lock held by another process, which says
    /// nothing about the disk.
    fn distrust(&mut self, fault: &Fault) {
        let Some(db) = self.db.take() else { return };
        if !db.is_autocommit()
            && let Err(error) = execute(&db, "ROLLBACK")
        {
            tracing::warn!(%error, "a failed transaction could not be rolled back");
        }
        if matches!(fault, Fault::Engine(error) if told(error) == StoreError::Busy) {
            self.db = Some(db);
            return;
        }
        tracing::error!(?fault, "a transaction failed; the connection is opened anew");
        drop(db);
        self.db = reopen(&self.path).map_err(|fault| tracing::error!(?fault, "reopening")).ok();
    }

    /// Leaves a single file without a log beside it, unless another process has it open.
    fn close(self) {
        let Some(db) = self.db else { return };
        let truncated = db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |_| Ok(()));
        if let Err(error) = truncated {
            tracing::warn!(%error, "the last checkpoint failed; the next start does it");
        }
        if let Err((_, error)) = db.close() {
            tracing::warn!(%error, "the writer's connection did not close");
        }
    }
}

/// Makes sure that an error of the commit is not reported as a mistake of a job.
fn not_committed(error: rusqlite::Error) -> Fault {
    match told(&error) {
        StoreError::Busy | StoreError::Disk(_) | StoreError::ReadOnly => Fault::Engine(error),
        other => Fault::Refused(StoreError::Failed(format!("nothing was committed: {other}"))),
    }
}

/// Runs a job in a savepoint, so that rolling it back does not affect the others. An error means
/// that the whole transaction is lost.
fn run_apart(slate: &Slate<'_>, job: &mut dyn Job) -> Answer<Verdict> {
    execute(slate, "SAVEPOINT job")?;
    let verdict = job.run(slate);
    if slate.is_autocommit() {
        // SQLite rolls back the whole transaction when the disk fails or is full.
        return Err(StoreError::Disk("is full or failed while writing".into()).into());
    }
    match verdict {
        Verdict::Keep => slate.keep_job(),
        Verdict::Undo => {
            execute(slate, "ROLLBACK TO job")?;
            slate.forget_job();
        }
    }
    execute(slate, "RELEASE job")?;
    Ok(verdict)
}

fn execute(db: &Connection, sql: &str) -> rusqlite::Result<()> {
    db.prepare_cached(sql)?.execute(()).map(drop)
}

/// Opens the database again after a failure, and checks that it is intact.
fn reopen(path: &Path) -> Answer<Connection> {
    let db = connection::writer(path)?;
    schema::version(&db)?;
    let verdict: String = db.query_row("PRAGMA quick_check(1)", (), |row| row.get(0))?;
    if verdict != "ok" {
        return Err(damaged(verdict));
    }
    Ok(db)
}

#[cfg(test)]
mod tests;

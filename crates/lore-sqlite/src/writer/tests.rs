//! The writer thread under good and bad jobs.

use std::sync::mpsc as std_mpsc;

use futures::future::join_all;
use tempfile::TempDir;

use super::*;
use crate::fault::invalid;
use crate::file;

/// A writer on a fresh file with one table `t`.
struct Bench {
    home: TempDir,
    writer: Option<Writer>,
}

impl Bench {
    fn new(queue: usize, patience: Duration) -> Self {
        let home = tempfile::tempdir().unwrap();
        let path = file::prepare(&home.path().join("w.sqlite")).unwrap();
        let db = connection::writer(&path).unwrap();
        schema::migrate(&db).unwrap();
        db.execute_batch("CREATE TABLE t (x, p INTEGER REFERENCES principal (id));").unwrap();
        let writer = Writer::start(&path, db, queue, patience).unwrap();
        Self { home, writer: Some(writer) }
    }

    fn path(&self) -> PathBuf {
        self.home.path().join("w.sqlite")
    }

    fn writer(&self) -> &Writer {
        self.writer.as_ref().unwrap()
    }

    fn rows(&self) -> i64 {
        let db = connection::reader(&self.path()).unwrap();
        db.query_row("SELECT count(*) FROM t", (), |row| row.get(0)).unwrap()
    }

    /// Keeps the thread busy until the returned sender is dropped, so that
    /// whatever is queued meanwhile forms one group.
    async fn hold(&self) -> (std_mpsc::Sender<()>, impl Future<Output = StoreResult<()>>) {
        let (release, held) = std_mpsc::channel::<()>();
        let (begun, begin) = oneshot::channel();
        let mut job = Box::pin(self.writer().run(move |_| {
            let _ = begun.send(());
            let _ = held.recv();
            Ok(())
        }));
        assert!(futures::poll!(job.as_mut()).is_pending());
        begin.await.unwrap();
        (release, job)
    }
}

fn insert(db: &Slate<'_>) -> Answer<()> {
    db.execute("INSERT INTO t (x) VALUES (1)", ())?;
    Ok(())
}

/// Fails only at the commit, when the deferred foreign key is checked.
fn insert_dangling(db: &Slate<'_>) -> Answer<()> {
    db.execute_batch("PRAGMA defer_foreign_keys = ON; INSERT INTO t (x, p) VALUES (1, 99);")?;
    Ok(())
}

const PATIENT: Duration = Duration::from_secs(5);

#[tokio::test]
async fn jobs_that_wait_together_share_a_transaction() {
    let bench = Bench::new(256, PATIENT);
    let (release, held) = bench.hold().await;
    let mut jobs: Vec<_> = (0..100).map(|_| Box::pin(bench.writer().run(insert))).collect();
    for job in &mut jobs {
        assert!(futures::poll!(job.as_mut()).is_pending());
    }
    drop(release);
    held.await.unwrap();
    assert!(join_all(jobs).await.into_iter().all(|answer| answer.is_ok()));
    assert_eq!(bench.writer().counts(), WriteCounts { transactions: 2, jobs: 101 });
    assert_eq!(bench.rows(), 100);
}

#[tokio::test]
async fn bad_jobs_do_not_hurt_their_neighbours() {
    let bench = Bench::new(256, PATIENT);
    let (release, held) = bench.hold().await;
    let mut good: Vec<_> = (0..10).map(|_| Box::pin(bench.writer().run(insert))).collect();
    let mut refused = Box::pin(bench.writer().run::<(), _>(|db| {
        insert(db)?;
        Err(invalid("no"))
    }));
    let mut panicked = Box::pin(bench.writer().run::<(), _>(|db| {
        insert(db)?;
        panic!("on purpose")
    }));
    for job in &mut good[..5] {
        assert!(futures::poll!(job.as_mut()).is_pending());
    }
    assert!(futures::poll!(refused.as_mut()).is_pending());
    assert!(futures::poll!(panicked.as_mut()).is_pending());
    drop(release);
    held.await.unwrap();
    assert!(join_all(good).await.into_iter().all(|answer| answer.is_ok()));
    assert_eq!(refused.await, Err(StoreError::Invalid("no".into())));
    assert_eq!(panicked.await, Err(StoreError::Failed("a write panicked".into())));
    assert_eq!(bench.rows(), 10);
}

#[tokio::test]
async fn a_failed_commit_is_a_failure_for_the_whole_group_and_only_for_it() {
    let bench = Bench::new(256, PATIENT);
    let (release, held) = bench.hold().await;
    let mut jobs = [Box::pin(bench.writer().run(insert)), Box::pin(bench.writer().run(insert))];
    let mut bad = Box::pin(bench.writer().run(insert_dangling));
    assert!(futures::poll!(jobs[0].as_mut()).is_pending());
    assert!(futures::poll!(bad.as_mut()).is_pending());
    assert!(futures::poll!(jobs[1].as_mut()).is_pending());
    drop(release);
    held.await.unwrap();
    assert!(bad.await.is_err());
    assert!(join_all(jobs).await.into_iter().all(|answer| answer.is_err()));
    assert_eq!(bench.rows(), 0);
    bench.writer().run(insert).await.unwrap();
    assert_eq!(bench.rows(), 1);
}

#[tokio::test]
async fn a_full_disk_is_reported_and_survived() {
    let bench = Bench::new(256, PATIENT);
    let tight = |db: &Slate<'_>| -> Answer<()> {
        let pages: i64 = db.query_row("PRAGMA page_count", (), |row| row.get(0))?;
        db.query_row(&format!("PRAGMA max_page_count = {pages}"), (), |_| Ok(()))?;
        Ok(())
    };
    bench.writer().run(tight).await.unwrap();
    let fill = |db: &Slate<'_>| -> Answer<()> {
        db.execute("INSERT INTO t (x) VALUES (zeroblob(1000000))", ())?;
        Ok(())
    };
    let full = bench.writer().run(fill).await;
    assert_eq!(full, Err(StoreError::Disk("is full".into())));
    let roomy = |db: &Slate<'_>| -> Answer<()> {
        Ok(db.query_row("PRAGMA max_page_count = 1000000", (), |_| Ok(()))?)
    };
    bench.writer().run(roomy).await.unwrap();
    bench.writer().run(fill).await.unwrap();
    assert_eq!(bench.rows(), 1);
}

#[tokio::test]
async fn a_writer_without_a_connection_tries_again() {
    let bench = Bench::new(256, PATIENT);
    bench.writer().run(insert).await.unwrap();
    let (here, away) = (bench.path(), bench.home.path().join("away"));
    let (from, to) = (here.clone(), away.clone());
    let broken = bench.writer().run(move |db| {
        std::fs::rename(&from, &to).unwrap();
        insert_dangling(db)
    });
    assert!(broken.await.is_err());
    assert!(matches!(bench.writer().run(insert).await, Err(StoreError::Failed(_))));
    std::fs::rename(&away, &here).unwrap();
    bench.writer().run(insert).await.unwrap();
    assert_eq!(bench.rows(), 2);
}

#[tokio::test]
async fn a_full_queue_says_busy_after_a_while() {
    let bench = Bench::new(1, Duration::from_millis(30));
    let (release, held) = bench.hold().await;
    let mut waiting = Box::pin(bench.writer().run(insert));
    assert!(futures::poll!(waiting.as_mut()).is_pending());
    assert_eq!(bench.writer().run(insert).await, Err(StoreError::Busy));
    drop(release);
    held.await.unwrap();
    waiting.await.unwrap();
    assert_eq!(bench.rows(), 1);
}

#[tokio::test]
async fn dropping_the_writer_finishes_the_queue_even_for_callers_who_left() {
    let mut bench = Bench::new(256, PATIENT);
    let (release, held) = bench.hold().await;
    let mut jobs: Vec<_> = (0..20).map(|_| Box::pin(bench.writer().run(insert))).collect();
    for job in &mut jobs {
        assert!(futures::poll!(job.as_mut()).is_pending());
    }
    drop((jobs, held));
    drop(release);
    drop(bench.writer.take());
    let log = bench.home.path().join("w.sqlite-wal");
    assert!(!log.exists(), "the log is folded into the file");
    assert_eq!(bench.rows(), 20);
}

#[tokio::test]
async fn another_process_that_holds_the_lock_makes_it_busy() {
    let bench = Bench::new(256, PATIENT);
    bench.writer().run(|db| Ok(db.busy_timeout(Duration::ZERO)?)).await.unwrap();
    let other = connection::writer(&bench.path()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert_eq!(bench.writer().run(insert).await, Err(StoreError::Busy));
    other.execute_batch("COMMIT").unwrap();
    bench.writer().run(insert).await.unwrap();
    assert_eq!(bench.rows(), 1);
}

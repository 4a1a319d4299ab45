//! Marks of running scans. While a repository is being scanned, the stored data is a mix of old and
//! new, and no query is answered from it.
//!
//! The mark is stored with the repository, so that other programs see it too. It is removed when
//! the scan ends. A cancelled scan records that in its mark. If a program was killed, others
//! consider its scan dead some time after its last heartbeat.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use lore_core::Effects;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use super::repository::Repository;
use crate::App;

/// How long after its last heartbeat a scan counts as running.
const ALIVE: Duration = Duration::from_secs(60);
/// How often a scan writes a heartbeat.
pub(super) const SIGN: Duration = Duration::from_secs(15);
/// How long to wait for scans that were told to stop.
const PATIENCE: Duration = Duration::from_secs(5);

/// The mark of a scan that was started and not completed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// The id of the scan.
    pub(super) id: String,
    /// When it started.
    pub begun: String,
    /// Its last heartbeat, in seconds since the Unix epoch.
    seen: i64,
    /// What it is doing.
    #[serde(default)]
    pub(super) stage: Stage,
    /// Whether it was cancelled.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    given_up: bool,
}

/// What a scan is currently doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Stage {
    /// Git is fetching the repository; the stored data is unchanged.
    Fetching,
    /// Files are being read, and the stored data changes.
    #[default]
    Reading,
}

impl Mark {
    /// Creates a mark for a scan that starts now.
    pub(super) fn new(effects: &Effects, stage: Stage) -> Self {
        let now = effects.now();
        Self {
            id: effects.uid().to_string(),
            begun: now.to_string(),
            seen: now.as_second(),
            stage,
            given_up: false,
        }
    }

    /// Whether both marks belong to the same scan.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.id == other.id
    }

    /// Returns the mark as that of a cancelled scan.
    pub(super) fn given_up(&self) -> Self {
        Self { given_up: true, ..self.clone() }
    }

    /// Whether the next heartbeat is due.
    pub(super) fn is_due(&self, now: Timestamp) -> bool {
        now.as_second().saturating_sub(self.seen) >= i64::try_from(SIGN.as_secs()).unwrap_or(0)
    }

    /// Returns the mark with a new heartbeat.
    pub(super) fn renewed(&self, stage: Stage, now: Timestamp) -> Self {
        Self { seen: now.as_second(), stage, ..self.clone() }
    }
}

/// The status of a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It was not scanned yet.
    Pending,
    /// Git is fetching it.
    Cloning,
    /// It is being scanned.
    Scanning,
    /// A scan was cancelled: the stored data is a mix of old and new.
    Interrupted,
    /// The last scan failed.
    Failed,
    /// It is as the last scan found it.
    Scanned,
}

impl Repository {
    /// Returns its current status.
    pub fn standing(&self, app: &App) -> Standing {
        let kept = &self.kept;
        match (&kept.scan, &kept.error, &kept.last_scan) {
            (Some(mark), _, _) if app.code.scans.is_going_on(mark, app.effects.now()) => {
                match mark.stage {
                    Stage::Fetching => Standing::Cloning,
                    Stage::Reading => Standing::Scanning,
                }
            }
            (Some(mark), _, _) if mark.stage == Stage::Reading => Standing::Interrupted,
            (_, Some(_), _) => Standing::Failed,
            (_, None, Some(_)) => Standing::Scanned,
            (_, None, None) => Standing::Pending,
        }
    }
}

/// The scans of this program.
#[derive(Default)]
pub(super) struct Scans {
    known: Mutex<Known>,
    /// How many are running or have not yet recorded that they were cancelled.
    busy: Arc<watch::Sender<usize>>,
    stopping: watch::Sender<bool>,
}

#[derive(Default)]
struct Known {
    running: usize,
    /// Ids of marks that this program wrote and has not removed.
    going_on: HashSet<String>,
    /// Ids of marks that cancelled scans left behind.
    given_up: HashSet<String>,
}

impl Scans {
    /// Whether any scan is running.
    pub(super) fn is_any(&self) -> bool {
        self.known.lock().running > 0
    }

    /// Whether the scan with this mark is running, in this program or another.
    fn is_going_on(&self, mark: &Mark, now: Timestamp) -> bool {
        if mark.given_up {
            return false;
        }
        let known = self.known.lock();
        if known.going_on.contains(&mark.id) || known.given_up.contains(&mark.id) {
            return known.going_on.contains(&mark.id);
        }
        let silent = now.as_second().saturating_sub(mark.seen);
        silent < i64::try_from(ALIVE.as_secs()).unwrap_or(i64::MAX)
    }

    /// Registers a scan, until the returned guard is dropped.
    pub(super) fn begin(&self) -> Running<'_> {
        self.known.lock().running += 1;
        Running { scans: self, mark: Mutex::new(None), busy: Busy::new(&self.busy) }
    }

    /// Runs a future unless scans are told to stop; then it is cancelled and the result is `None`.
    pub(super) async fn unless_stopped<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        let mut stopping = self.stopping.subscribe();
        tokio::select! {
            biased;
            _ = stopping.wait_for(|stopping| *stopping) => None,
            done = work => Some(done),
        }
    }

    /// Cancels running scans and waits until that is recorded.
    pub(super) async fn stop(&self) {
        self.stopping.send_replace(true);
        let mut busy = self.busy.subscribe();
        // A scan that takes longer sends no more heartbeats, so that others consider it dead after
        // a while.
        let _ = tokio::time::timeout(PATIENCE, busy.wait_for(|busy| *busy == 0)).await;
    }
}

/// Counts as unfinished work of scans until it is dropped.
pub(super) struct Busy(Arc<watch::Sender<usize>>);

impl Busy {
    fn new(count: &Arc<watch::Sender<usize>>) -> Self {
        count.send_modify(|count| *count += 1);
        Self(Arc::clone(count))
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}

/// A running scan.
pub(super) struct Running<'s> {
    scans: &'s Scans,
    mark: Mutex<Option<Mark>>,
    busy: Busy,
}

impl Running<'_> {
    /// Returns a guard for work that remains after this scan.
    pub(super) fn busy(&self) -> Busy {
        Busy::new(&self.busy.0)
    }

    /// Returns the mark of this scan, if it has one.
    pub(super) fn mark(&self) -> Option<Mark> {
        self.mark.lock().clone()
    }

    /// Sets the mark of this scan.
    pub(super) fn set(&self, mark: Mark) {
        self.scans.known.lock().going_on.insert(mark.id.clone());
        *self.mark.lock() = Some(mark);
    }

    /// Clears the mark after it was removed from the store.
    pub(super) fn clear(&self) {
        if let Some(mark) = self.mark.lock().take() {
            self.scans.known.lock().going_on.remove(&mark.id);
        }
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let left = self.mark.lock().take();
        let mut known = self.scans.known.lock();
        known.running -= 1;
        if let Some(mark) = left {
            known.going_on.remove(&mark.id);
            known.given_up.insert(mark.id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_counts_until_its_scan_ended_or_fell_silent() {
        let effects = Effects::fixed(Timestamp::from_second(1_000_000).unwrap(), 1);
        let (here, elsewhere) = (Scans::default(), Scans::default());
        let mark = Mark::new(&effects, Stage::Reading);
        let after = |seconds: i64| Timestamp::from_second(1_000_000 + seconds).unwrap();
        let running = here.begin();
        running.set(mark.clone());
        assert!(here.is_going_on(&mark, after(1_000)), "who scans knows that it does");
        assert!(elsewhere.is_going_on(&mark, after(30)));
        assert!(!elsewhere.is_going_on(&mark, after(100)), "killed, as far as others can tell");
        assert!(elsewhere.is_going_on(&mark.renewed(Stage::Reading, after(90)), after(100)));
        assert!(!elsewhere.is_going_on(&mark.given_up(), after(1)), "it says so itself");
        drop(running);
        assert!(!here.is_going_on(&mark, after(1)), "given up");
        assert!(!here.is_any());
    }
}

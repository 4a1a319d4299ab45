//! Marks of scans that go on: as long as a repository is being written, what is kept of it is
//! neither as it was nor as it will be, and no question is answered from it.
//!
//! A mark is kept with the repository, so that other programs see it as well. It ends with
//! the scan. A scan that is broken off says so in it; of a program that was killed, others
//! believe it some time after its last sign of life.

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

/// How long after its last sign of life a scan counts as going on.
const ALIVE: Duration = Duration::from_secs(60);
/// How often a scan gives a sign of life.
pub(super) const SIGN: Duration = Duration::from_secs(15);
/// How long it is waited for scans that were told to stop.
const PATIENCE: Duration = Duration::from_secs(5);

/// A scan that was begun and not ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// Which scan it is.
    pub(super) id: String,
    /// When it began to change what is kept.
    pub begun: String,
    /// Its last sign of life, in seconds.
    seen: i64,
    /// What it is doing.
    #[serde(default)]
    pub(super) stage: Stage,
    /// Whether it was broken off.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    given_up: bool,
}

/// What a scan is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Stage {
    /// Git brings the repository here; what is kept of it is as it was.
    Fetching,
    /// Files are read, and what is kept of them is changed.
    #[default]
    Reading,
}

impl Mark {
    /// A mark for a scan that begins now.
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

    /// Whether it is that of the same scan.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.id == other.id
    }

    /// The same scan, which was broken off.
    pub(super) fn given_up(&self) -> Self {
        Self { given_up: true, ..self.clone() }
    }

    /// Whether it is time for another sign of life.
    pub(super) fn is_due(&self, now: Timestamp) -> bool {
        now.as_second().saturating_sub(self.seen) >= i64::try_from(SIGN.as_secs()).unwrap_or(0)
    }

    /// The same scan, which is still going on.
    pub(super) fn renewed(&self, stage: Stage, now: Timestamp) -> Self {
        Self { seen: now.as_second(), stage, ..self.clone() }
    }
}

/// How a repository stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It was not scanned yet.
    Pending,
    /// Git is bringing it here.
    Cloning,
    /// It is being read.
    Scanning,
    /// A scan was broken off: some of it is as it is now, some as it was.
    Interrupted,
    /// The last scan failed.
    Failed,
    /// It is as the last scan found it.
    Scanned,
}

impl Repository {
    /// How it stands by now.
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
    /// How many are going on, or have not yet left word that they were given up.
    busy: Arc<watch::Sender<usize>>,
    stopping: watch::Sender<bool>,
}

#[derive(Default)]
struct Known {
    running: usize,
    /// Marks that this program made and has not taken away.
    going_on: HashSet<String>,
    /// Marks that it left behind when a scan was given up.
    given_up: HashSet<String>,
}

impl Scans {
    /// Whether any is going on.
    pub(super) fn is_any(&self) -> bool {
        self.known.lock().running > 0
    }

    /// Whether the scan with this mark is going on, here or in another program.
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

    /// Counts a scan, for as long as what is returned is kept.
    pub(super) fn begin(&self) -> Running<'_> {
        self.known.lock().running += 1;
        Running { scans: self, mark: Mutex::new(None), busy: Busy::new(&self.busy) }
    }

    /// Does something, unless scans are to stop: then it is broken off, and there is nothing.
    pub(super) async fn unless_stopped<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        let mut stopping = self.stopping.subscribe();
        tokio::select! {
            biased;
            _ = stopping.wait_for(|stopping| *stopping) => None,
            done = work => Some(done),
        }
    }

    /// Breaks off what is going on, and waits until it has left word of that.
    pub(super) async fn stop(&self) {
        self.stopping.send_replace(true);
        let mut busy = self.busy.subscribe();
        // Whoever takes longer is silent from now on, and after a while given up by others.
        let _ = tokio::time::timeout(PATIENCE, busy.wait_for(|busy| *busy == 0)).await;
    }
}

/// Counts as something that scans have to do, for as long as it is kept.
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

/// A scan that goes on.
pub(super) struct Running<'s> {
    scans: &'s Scans,
    mark: Mutex<Option<Mark>>,
    busy: Busy,
}

impl Running<'_> {
    /// For what is still to be done when this scan is over.
    pub(super) fn busy(&self) -> Busy {
        Busy::new(&self.busy.0)
    }

    /// The mark of this scan, if it has one.
    pub(super) fn mark(&self) -> Option<Mark> {
        self.mark.lock().clone()
    }

    /// This scan has this mark from now on.
    pub(super) fn set(&self, mark: Mark) {
        self.scans.known.lock().going_on.insert(mark.id.clone());
        *self.mark.lock() = Some(mark);
    }

    /// The mark was taken away.
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

//! Scans a folder: parses files that changed, skips those that did not, and reports removed ones.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::panic::catch_unwind;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};

use crate::extract::{Budget, Unread, extract_within};
use crate::facts::FileFacts;
use crate::folder::{self, FolderError, SourceLimits};

/// A new or changed file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// What the file defines, imports and calls.
    pub facts: FileFacts,
    /// The whole text.
    pub text: String,
}

/// The result of a scan.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ScanReport {
    /// The files that were parsed because they are new or changed.
    pub parsed: Vec<String>,
    /// The number of unchanged files.
    pub unchanged: usize,
    /// Files that were known but no longer exist or can no longer be read.
    pub removed: Vec<String>,
    /// Files that were skipped, each with the reason.
    pub skipped: Vec<(String, String)>,
}

/// The input of a scan.
pub struct ScanJob<'j> {
    /// The root folder.
    pub root: &'j Path,
    /// The content hashes of all known files, by path.
    pub known: &'j BTreeMap<String, String>,
    /// The limits.
    pub limits: SourceLimits,
    /// Set by another thread to cancel the scan.
    pub cancel: &'j AtomicBool,
    /// Called with the number of files done and the number of all files.
    pub progress: &'j (dyn Fn(usize, usize) + Sync),
}

/// Scans a folder. `take` gets each new or changed file, in no particular order and from several
/// threads. A thread reads no further file while its `take` is running. If `take` returns `Break`,
/// the scan is cancelled.
pub fn scan_folder(
    job: &ScanJob<'_>,
    take: &(dyn Fn(Source) -> ControlFlow<()> + Sync),
) -> Result<ScanReport, FolderError> {
    let listing = folder::list(job.root, &job.limits, job.cancel)?;
    let enough = AtomicBool::new(false);
    let outcomes = Work { job, paths: &listing.paths, take, enough: &enough }.run()?;
    if job.cancel.load(Ordering::Relaxed) || enough.load(Ordering::Relaxed) {
        return Err(FolderError::Cancelled);
    }
    let mut report = ScanReport { skipped: listing.skipped, ..ScanReport::default() };
    let mut gone: BTreeMap<&str, &str> =
        job.known.iter().map(|(path, hash)| (path.as_str(), hash.as_str())).collect();
    for (path, outcome) in outcomes {
        match outcome {
            Outcome::Same => report.unchanged += 1,
            Outcome::Parsed => report.parsed.push(path.to_owned()),
            Outcome::Skipped(why) => {
                report.skipped.push((path.to_owned(), why));
                continue;
            }
        }
        gone.remove(path);
    }
    report.parsed.sort();
    report.skipped.sort();
    report.removed = gone.into_keys().map(str::to_owned).collect();
    Ok(report)
}

/// Returns the hash that is used to detect changes of a file.
pub fn content_hash(content: &[u8]) -> String {
    let hash = HEXLOWER.encode(&Sha256::digest(content));
    hash.get(..32).unwrap_or_default().to_owned()
}

enum Outcome {
    Same,
    Parsed,
    Skipped(String),
}

struct Work<'w> {
    job: &'w ScanJob<'w>,
    paths: &'w [String],
    take: &'w (dyn Fn(Source) -> ControlFlow<()> + Sync),
    enough: &'w AtomicBool,
}

impl<'w> Work<'w> {
    /// Processes all files in parallel, because they are independent of each other.
    fn run(&self) -> Result<Vec<(&'w str, Outcome)>, FolderError> {
        let threads = thread::available_parallelism().map_or(1, usize::from).min(8);
        let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
        thread::scope(|scope| {
            let workers: Vec<_> =
                (0..threads).map(|_| scope.spawn(|| self.take_turns(&next, &done))).collect();
            let mut outcomes = Vec::with_capacity(self.paths.len());
            for worker in workers {
                // A panic of the parser is caught per file; this one came from the caller's code.
                outcomes.extend(worker.join().map_err(|_| FolderError::Incomplete)?);
            }
            Ok(outcomes)
        })
    }

    fn take_turns(&self, next: &AtomicUsize, done: &AtomicUsize) -> Vec<(&'w str, Outcome)> {
        let mut outcomes = Vec::new();
        let stopped =
            || self.job.cancel.load(Ordering::Relaxed) || self.enough.load(Ordering::Relaxed);
        while let Some(path) = self.paths.get(next.fetch_add(1, Ordering::Relaxed)) {
            if stopped() {
                break;
            }
            outcomes.push((path.as_str(), self.file(path)));
            (self.job.progress)(done.fetch_add(1, Ordering::Relaxed) + 1, self.paths.len());
        }
        outcomes
    }

    fn file(&self, path: &str) -> Outcome {
        let text = match folder::read(self.job.root, path, &self.job.limits) {
            Ok(text) => text,
            Err(why) => return Outcome::Skipped(why),
        };
        let hash = content_hash(text.as_bytes());
        if self.job.known.get(path) == Some(&hash) {
            return Outcome::Same;
        }
        let budget =
            Budget { cancel: Some(self.job.cancel), time: Some(self.job.limits.file_time) };
        // A panic in the parser must not end the scan.
        match catch_unwind(|| extract_within(path, &text, budget)) {
            Ok(Ok(facts)) => {
                if (self.take)(Source { facts, text }).is_break() {
                    self.enough.store(true, Ordering::Relaxed);
                }
                Outcome::Parsed
            }
            Ok(Err(why @ (Unread::Cancelled | Unread::TooSlow(_)))) => {
                Outcome::Skipped(why.to_string())
            }
            Err(_) => Outcome::Skipped("it made the parser fail".to_owned()),
        }
    }
}

//! Scanning a folder: parse what changed, keep what did not, forget what is gone.

use std::collections::BTreeMap;
use std::panic::catch_unwind;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};

use crate::extract::extract;
use crate::facts::FileFacts;
use crate::folder::{self, FolderError, SourceLimits};

/// All facts of a folder, and what it took to know them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Scan {
    /// The facts of every file, by path.
    pub files: BTreeMap<String, FileFacts>,
    /// What was done.
    pub report: ScanReport,
}

/// What a scan did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ScanReport {
    /// Files that were parsed, because they are new or different.
    pub parsed: Vec<String>,
    /// How many stayed as they were.
    pub unchanged: usize,
    /// Files that are gone.
    pub removed: Vec<String>,
    /// Files that were left out, and why.
    pub skipped: Vec<(String, String)>,
}

/// Scans a folder, given the facts of the last scan.
///
/// `progress` is told how many of how many files are done.
pub fn scan_folder(
    root: &Path,
    before: BTreeMap<String, FileFacts>,
    limits: &SourceLimits,
    cancel: &AtomicBool,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<Scan, FolderError> {
    let listing = folder::list(root, limits)?;
    let paths = listing.paths;
    let work = Work { root, paths: &paths, before: &before, limits, cancel, progress };
    let outcomes = work.run();
    if cancel.load(Ordering::Relaxed) {
        return Err(FolderError::Cancelled);
    }
    let mut scan = Scan::default();
    scan.report.skipped = listing.skipped;
    let mut before = before;
    for (path, outcome) in outcomes {
        let known = before.remove(&path);
        match (outcome, known) {
            (Outcome::Same, Some(facts)) => {
                scan.report.unchanged += 1;
                scan.files.insert(path, facts);
            }
            (Outcome::Parsed(facts), _) => {
                scan.report.parsed.push(path.clone());
                scan.files.insert(path, *facts);
            }
            (Outcome::Skipped(why), _) => scan.report.skipped.push((path, why)),
            (Outcome::Same, None) => {}
        }
    }
    scan.report.removed = before.into_keys().collect();
    Ok(scan)
}

/// The hash by which changes of a file are seen.
pub fn content_hash(content: &[u8]) -> String {
    let hash = HEXLOWER.encode(&Sha256::digest(content));
    hash.get(..32).unwrap_or_default().to_owned()
}

enum Outcome {
    Same,
    Parsed(Box<FileFacts>),
    Skipped(String),
}

struct Work<'w> {
    root: &'w Path,
    paths: &'w [String],
    before: &'w BTreeMap<String, FileFacts>,
    limits: &'w SourceLimits,
    cancel: &'w AtomicBool,
    progress: &'w (dyn Fn(usize, usize) + Sync),
}

impl Work<'_> {
    /// Files are independent: as many threads as there are cores.
    fn run(&self) -> Vec<(String, Outcome)> {
        let threads = thread::available_parallelism().map_or(1, usize::from).min(8);
        let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
        thread::scope(|scope| {
            let workers: Vec<_> =
                (0..threads).map(|_| scope.spawn(|| self.take_turns(&next, &done))).collect();
            workers.into_iter().filter_map(|worker| worker.join().ok()).flatten().collect()
        })
    }

    fn take_turns(&self, next: &AtomicUsize, done: &AtomicUsize) -> Vec<(String, Outcome)> {
        let mut outcomes = Vec::new();
        while let Some(path) = self.paths.get(next.fetch_add(1, Ordering::Relaxed)) {
            if self.cancel.load(Ordering::Relaxed) {
                break;
            }
            outcomes.push((path.clone(), self.file(path)));
            (self.progress)(done.fetch_add(1, Ordering::Relaxed) + 1, self.paths.len());
        }
        outcomes
    }

    fn file(&self, path: &str) -> Outcome {
        let source = match folder::read(self.root, path, self.limits) {
            Ok(source) => source,
            Err(why) => return Outcome::Skipped(why),
        };
        let hash = content_hash(source.as_bytes());
        if self.before.get(path).is_some_and(|facts| facts.content_hash == hash) {
            return Outcome::Same;
        }
        // One bad file must not stop the scan.
        match catch_unwind(|| extract(path, &source)) {
            Ok(facts) => Outcome::Parsed(Box::new(facts)),
            Err(_) => Outcome::Skipped("it made the parser fail".to_owned()),
        }
    }
}

//! Scanning repositories: reads changed files and deletes those that are gone.
//!
//! A scan stops when its future is dropped. What it stored until then stays, and the next scan
//! continues from there.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use lore_code::{Remote, ScanJob, ScanReport, Source};
use lore_core::{Error, Result, Role};
use tokio::runtime::Handle;
use tokio::sync::mpsc::{Receiver, channel};
use tokio::time::timeout;

use super::keep::{self, KeptFile, Reading};
use super::mark::{Mark, Running, SIGN, Stage};
use super::origin::{self, Origin};
use super::repository::{self, Counts, Kept, Repository};
use super::{Stop, graph};
use crate::knowledge::librarian::Librarian;

/// Most files waiting to be stored.
const WAITING_MAX: usize = 64;

/// Callback for progress: files done, files in total, name of the repository.
pub type Progress<'p> = &'p (dyn Fn(usize, usize, &str) + Send + Sync);

/// The result of scanning one of several repositories.
#[derive(Debug, Clone)]
pub struct Scanned {
    /// The repository.
    pub repo: String,
    /// What was done, or the error.
    pub outcome: std::result::Result<Done, Error>,
}

/// What a scan did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Done {
    /// The commit the repository is at.
    pub head: Option<String>,
    /// Number of files that were read.
    pub parsed: usize,
    /// Number of files that are gone.
    pub removed: usize,
    /// Skipped files with the reasons.
    pub skipped: Vec<(String, String)>,
    /// What is stored now.
    pub counts: Counts,
}

/// A file of a repository.
#[derive(Debug, Clone)]
pub struct SourceFile {
    /// The repository.
    pub repo: String,
    /// Its path.
    pub path: String,
    /// The hash of its content.
    pub hash: String,
    /// Number of lines.
    pub lines: u64,
    /// Size in bytes.
    pub bytes: u64,
    /// Number of functions, classes, interfaces and modules.
    pub entities: usize,
    /// When it was read.
    pub scanned_at: String,
}

/// Scans one repository.
pub async fn scan(librarian: &Librarian, name: &str, progress: Progress<'_>) -> Result<Done> {
    librarian.viewer.require(Role::Gm)?;
    let known = found(librarian, name).await?;
    scan_known(librarian, &known, progress).await
}

async fn found(librarian: &Librarian, name: &str) -> Result<Repository> {
    repository::find(librarian, name).await?.ok_or_else(|| {
        let hint = "github_scan with action status lists them; `lorewell scan` adds one";
        Error::not_found(format!("the repository {name:?}"), hint)
    })
}

/// Scans every repository. One that fails does not affect the others.
pub async fn scan_all(librarian: &Librarian, progress: Progress<'_>) -> Result<Vec<Scanned>> {
    librarian.viewer.require(Role::Gm)?;
    let mut results = Vec::new();
    let known = repository::repositories(librarian).await?;
    let whole = Whole { told: AtomicUsize::default(), progress };
    let mut rest = known.as_slice();
    while let Some((known, later)) = rest.split_first() {
        rest = later;
        let before = whole.told.load(Ordering::Relaxed);
        // For repositories still to come, the number of files is known from the previous scan.
        let to_come: usize = later.iter().map(|known| known.kept.counts.files).sum();
        let step = |done: usize, total: usize, repo: &str| {
            whole.tell(before + done, before + total + to_come, repo);
        };
        let outcome = scan_known(librarian, known, &step).await;
        results.push(Scanned { repo: known.kept.name.clone(), outcome });
    }
    Ok(results)
}

/// Reports several scans as one progress that never goes backwards.
struct Whole<'p> {
    told: AtomicUsize,
    progress: Progress<'p>,
}

impl Whole<'_> {
    fn tell(&self, done: usize, total: usize, repo: &str) {
        let told = self.told.fetch_max(done, Ordering::Relaxed).max(done);
        (self.progress)(told, total.max(told), repo);
    }
}

/// Returns the stored files of one repository, or of all.
pub async fn files(librarian: &Librarian, repo: Option<&str>) -> Result<Vec<SourceFile>> {
    let names = match repo {
        Some(name) => vec![name.to_owned()],
        None => {
            let known = repository::repositories(librarian).await?.into_iter();
            known.map(|known| known.kept.name).collect()
        }
    };
    let mut found = Vec::new();
    for repo in names {
        let kept = keep::known(librarian, &repo).await?.into_values();
        found.extend(kept.map(|file| SourceFile {
            repo: repo.clone(),
            path: file.path,
            hash: file.hash,
            lines: file.lines,
            bytes: file.bytes,
            entities: file.entities,
            scanned_at: file.scanned_at,
        }));
    }
    Ok(found)
}

/// Scans a repository and records the outcome with it.
pub(super) async fn scan_known(
    librarian: &Librarian,
    known: &Repository,
    progress: Progress<'_>,
) -> Result<Done> {
    let code = &librarian.app.code;
    let _turn = code.turn.lock().await;
    let running = code.scans.begin();
    // It may have been scanned or removed while this call waited for its turn.
    let known = &found(librarian, &known.kept.name).await?;
    let scan = Scan { librarian, known, running };
    match code.scans.unless_stopped(scan.run(progress)).await {
        Some(Ok(done)) => Ok(done),
        Some(Err(error)) => Err(scan.failed(error).await?),
        None => Err(Error::Cancelled),
    }
}

/// A running scan.
struct Scan<'s> {
    librarian: &'s Librarian,
    known: &'s Repository,
    running: Running<'s>,
}

impl Drop for Scan<'_> {
    /// Records that the scan was cancelled if it ends early, so that nobody waits for its next
    /// heartbeat.
    fn drop(&mut self) {
        let (Some(mark), Ok(runtime)) = (self.running.mark(), Handle::try_current()) else {
            return;
        };
        let (librarian, busy) = (self.librarian.clone(), self.running.busy());
        let name = self.known.kept.name.clone();
        runtime.spawn(async move {
            if let Err(error) = note_given_up(&librarian, &name, &mark).await {
                tracing::warn!(
                    code = error.code().meaning().name,
                    "it was not noted that a scan was given up"
                );
            }
            drop(busy);
        });
    }
}

impl Scan<'_> {
    async fn run(&self, progress: Progress<'_>) -> Result<Done> {
        let (librarian, stop) = (self.librarian, Stop::default());
        let repo = &self.known.kept.name;
        let (root, head) = self.fetched(&stop).await?;
        let files = keep::known(librarian, repo).await?;
        let report = self.read_folder(&files, root, &stop, progress).await?;
        let gone: Vec<_> = report.removed.iter().filter_map(|path| files.get(path)).collect();
        self.end(&gone, head.clone()).await?;
        let counts = self.counted().await?;
        let ScanReport { parsed, removed, skipped, .. } = report;
        Ok(Done { head, parsed: parsed.len(), removed: removed.len(), skipped, counts })
    }

    /// Fetches the repository if it is remote. Returns the folder to read and the commit.
    async fn fetched(&self, stop: &Stop) -> Result<(PathBuf, Option<String>)> {
        let source = source(self.librarian, self.known, stop);
        if matches!(self.known.kept.origin, Origin::Folder(_)) {
            return source.await;
        }
        let mut source = pin!(source);
        loop {
            self.show_life(Stage::Fetching).await?;
            if let Ok(fetched) = timeout(SIGN, &mut source).await {
                return fetched;
            }
        }
    }

    /// Deletes the files that are gone and records the end of the scan, as far as possible in the
    /// same commit, so that a query sees either the old or the new state.
    async fn end(&self, gone: &[&KeptFile], head: Option<String>) -> Result<()> {
        let librarian = self.librarian;
        let (first, last) = gone.split_at(gone.len().saturating_sub(keep::CHANGES_MAX));
        if !first.is_empty() {
            self.show_life(Stage::Reading).await?;
            keep::forget(librarian, first.iter().map(|file| file.node)).await?;
        }
        let old = &self.known.kept;
        let kept = Kept {
            last_scan: Some(librarian.app.effects.now().to_string()),
            head,
            scans: old.scans + 1,
            error: None,
            scan: None,
            failures: 0,
            ..old.clone()
        };
        let forgotten = last.iter().map(|file| keep::forgotten(file.node)).collect();
        match repository::note_with(librarian, self.known, &kept, forgotten).await {
            Ok(()) => {}
            // One of them was deleted meanwhile.
            Err(Error::NotFound { .. }) => {
                keep::forget(librarian, last.iter().map(|file| file.node)).await?;
                repository::note(librarian, self.known, &kept).await?;
            }
            Err(other) => return Err(other),
        }
        self.running.clear();
        Ok(())
    }

    /// Counts what is stored now, using the new graph, and records it.
    async fn counted(&self) -> Result<Counts> {
        let (librarian, repo) = (self.librarian, &self.known.kept.name);
        let graph = graph::renewed(&librarian.app, &librarian.viewer).await?;
        let counts = keep::counts(librarian, repo, graph.edges_of(repo)).await?;
        if counts != self.known.kept.counts {
            let now = found(librarian, repo).await?;
            repository::note(librarian, &now, &Kept { counts, ..now.kept.clone() }).await?;
        }
        Ok(counts)
    }

    /// Records why the scan failed, and returns the error.
    async fn failed(&self, error: Error) -> Result<Error> {
        let (librarian, old) = (self.librarian, &self.known.kept);
        // Another program removed the repository meanwhile: also delete what was just read.
        let Some(now) = repository::find(librarian, &old.name).await? else {
            let left = keep::known(librarian, &old.name).await?;
            keep::forget(librarian, left.values().map(|file| file.node)).await?;
            return Ok(error);
        };
        let kept = Kept {
            last_scan: Some(librarian.app.effects.now().to_string()),
            error: Some(error.to_string()),
            failures: old.failures.saturating_add(1),
            scan: None,
            counts: match now.kept.scan {
                Some(_) => keep::counts(librarian, &old.name, old.counts.edges).await?,
                None => now.kept.counts,
            },
            ..now.kept.clone()
        };
        repository::note(librarian, &now, &kept).await?;
        self.running.clear();
        Ok(error)
    }

    /// Writes the mark of the scan if the stage changed or a heartbeat is due. Returns the scan's
    /// id.
    async fn show_life(&self, stage: Stage) -> Result<String> {
        let effects = &self.librarian.app.effects;
        let mark = match self.running.mark() {
            Some(mark) if mark.stage == stage && !mark.is_due(effects.now()) => return Ok(mark.id),
            Some(mark) => mark.renewed(stage, effects.now()),
            None => Mark::new(effects, stage),
        };
        self.running.set(mark.clone());
        let id = mark.id.clone();
        let kept = Kept { scan: Some(mark), ..self.known.kept.clone() };
        repository::note(self.librarian, self.known, &kept).await?;
        Ok(id)
    }

    /// Whether stored data may have been changed already.
    fn is_changing(&self) -> bool {
        self.running.mark().is_some_and(|mark| mark.stage == Stage::Reading)
    }

    /// Reads a folder on separate threads and stores the files as they arrive.
    async fn read_folder(
        &self,
        files: &BTreeMap<String, KeptFile>,
        root: PathBuf,
        stop: &Stop,
        progress: Progress<'_>,
    ) -> Result<ScanReport> {
        let repo = &self.known.kept.name;
        let known: BTreeMap<String, String> =
            files.iter().map(|(path, file)| (path.clone(), file.hash.clone())).collect();
        let limits = self.librarian.app.code.settings.sources;
        let (send, receive) = channel::<Source>(WAITING_MAX);
        let (flag, done) = (stop.flag(), Arc::new(Far::default()));
        let far = Arc::clone(&done);
        let scan = blocking(move || {
            let progress = |done: usize, total: usize| far.set(done, total);
            let job =
                ScanJob { root: &root, known: &known, limits, cancel: &flag, progress: &progress };
            let take = |source| match send.blocking_send(source) {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            };
            lore_code::scan_folder(&job, &take).map_err(origin::no_folder)
        });
        let keep = self.keep_all(files, receive, |sources| {
            let (done, total) = done.get();
            progress(done.saturating_sub(sources), total, repo);
        });
        let (scanned, kept) = futures::join!(scan, keep);
        kept?;
        let report = scanned?;
        let (_, total) = done.get();
        progress(total, total, repo);
        Ok(report)
    }

    /// Stores files as they arrive, in batches of whatever is available.
    async fn keep_all(
        &self,
        files: &BTreeMap<String, KeptFile>,
        mut receive: Receiver<Source>,
        report: impl Fn(usize),
    ) -> Result<()> {
        let repo = &self.known.kept.name;
        let mut sources = Vec::with_capacity(WAITING_MAX);
        loop {
            match timeout(SIGN, receive.recv_many(&mut sources, WAITING_MAX)).await {
                Ok(0) => return Ok(()),
                Ok(_) => {
                    let run = self.show_life(Stage::Reading).await?;
                    report(sources.len());
                    let reading = Reading { repo, run: &run };
                    let new = std::mem::take(&mut sources);
                    keep::keep(self.librarian, &reading, files, new).await?;
                }
                // Nothing arrived for a while, but the stored data is still a mix of old and new.
                Err(_) if self.is_changing() => drop(self.show_life(Stage::Reading).await?),
                Err(_) => {}
            }
        }
    }
}

/// Records that a scan was cancelled, unless another one has started since.
async fn note_given_up(librarian: &Librarian, name: &str, mark: &Mark) -> Result<()> {
    let _turn = librarian.app.code.turn.lock().await;
    let Some(known) = repository::find(librarian, name).await? else { return Ok(()) };
    let Some(left) = known.kept.scan.as_ref().filter(|left| left.is_same(mark)) else {
        return Ok(());
    };
    let scan = match left.stage {
        // The stored data is unchanged.
        Stage::Fetching => None,
        Stage::Reading => Some(left.given_up()),
    };
    repository::note(librarian, &known, &Kept { scan, ..known.kept.clone() }).await
}

/// Returns the folder of a repository on this machine, after fetching it if it is remote, and its
/// commit.
async fn source(
    librarian: &Librarian,
    known: &Repository,
    stop: &Stop,
) -> Result<(PathBuf, Option<String>)> {
    let limits = librarian.app.code.settings.git;
    let copy = repository::copy_of(librarian, &known.node);
    let (kept, flag) = (known.kept.clone(), stop.flag());
    let at = origin::addresses(librarian, &kept.origin).await?;
    let listed = librarian.app.code.settings.paths.clone();
    blocking(move || match &kept.origin {
        Origin::Folder(path) => {
            let root = origin::folder_now(&kept, path, &listed)?;
            let head = lore_code::head(&root, &flag).ok();
            Ok((root, head))
        }
        Origin::Remote { address, branch } => {
            let copy = copy.ok_or_else(|| Error::Precondition {
                message: "this server keeps no copies of repositories".into(),
                hint: "scan it with the server that added it".into(),
            })?;
            let remote = Remote { address, branch: branch.as_deref(), at: &at };
            let done = lore_code::sync(remote, &copy, &limits, &flag);
            let head = done.map_err(origin::refused)?.head;
            Ok((copy, Some(head)))
        }
    })
    .await
}

/// Runs blocking work on a separate thread.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|_| Error::Bug { what: "a scan".into() })?
}

/// The progress of a scan, shared between threads.
#[derive(Default)]
struct Far {
    done: AtomicUsize,
    total: AtomicUsize,
}

impl Far {
    fn set(&self, done: usize, total: usize) {
        self.done.fetch_max(done, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
    }

    fn get(&self) -> (usize, usize) {
        (self.done.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed))
    }
}

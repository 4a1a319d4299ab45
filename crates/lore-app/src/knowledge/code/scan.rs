//! Scanning repositories: what changed is read, what is gone is forgotten.
//!
//! A scan that is dropped, for whatever reason, stops; what it kept until then is kept, and
//! the next one goes on from there.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use lore_code::{Remote, ScanJob, ScanReport, Source};
use lore_core::{Error, Result, Role};
use tokio::sync::mpsc::{Receiver, channel};

use super::keep::{self, KeptFile};
use super::repository::{self, Counts, Kept, Origin, Repository};
use super::{Stop, graph};
use crate::knowledge::librarian::Librarian;

/// How many files wait at most to be kept.
const WAITING_MAX: usize = 64;

/// Is told how many of how many files are done, and of which repository.
pub type Progress<'p> = &'p (dyn Fn(usize, usize, &str) + Send + Sync);

/// What became of the scan of a repository.
#[derive(Debug, Clone)]
pub struct Scanned {
    /// The repository.
    pub repo: String,
    /// What was done, or why it was not.
    pub outcome: std::result::Result<Done, Error>,
}

/// What a scan did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Done {
    /// The commit the repository is at.
    pub head: Option<String>,
    /// Files that were read anew.
    pub parsed: usize,
    /// Files that are gone.
    pub removed: usize,
    /// Files that were left out, and why.
    pub skipped: Vec<(String, String)>,
    /// What there is now.
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
    /// Lines.
    pub lines: u64,
    /// Bytes.
    pub bytes: u64,
    /// Functions, classes, interfaces and modules in it.
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

/// Scans every repository; one that fails does not keep the others from it.
pub async fn scan_all(librarian: &Librarian, progress: Progress<'_>) -> Result<Vec<Scanned>> {
    librarian.viewer.require(Role::Gm)?;
    let mut results = Vec::new();
    for known in repository::repositories(librarian).await? {
        let outcome = scan_known(librarian, &known, progress).await;
        results.push(Scanned { repo: known.kept.name, outcome });
    }
    Ok(results)
}

/// The files that are kept of one repository, or of all.
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

/// Scans a repository, and notes with it how that went.
pub(super) async fn scan_known(
    librarian: &Librarian,
    known: &Repository,
    progress: Progress<'_>,
) -> Result<Done> {
    let code = &librarian.app.code;
    let _turn = code.turn.lock().await;
    let _running = Running::new(&code.running);
    // It may have been scanned or forgotten while others had their turn.
    let known = &found(librarian, &known.kept.name).await?;
    let outcome = read(librarian, known, progress).await;
    let old = &known.kept;
    let last_scan = Some(librarian.app.effects.now().to_string());
    let kept = match &outcome {
        Ok(done) => Kept {
            last_scan,
            head: done.head.clone(),
            counts: done.counts,
            scans: old.scans + 1,
            error: None,
            failures: 0,
            ..old.clone()
        },
        Err(error) => Kept {
            last_scan,
            error: Some(error.to_string()),
            failures: old.failures.saturating_add(1),
            ..old.clone()
        },
    };
    match repository::note(librarian, known, kept).await {
        Ok(()) => outcome,
        Err(error) => {
            // Another program forgot it meanwhile: then so must be what was just read.
            if repository::find(librarian, &old.name).await?.is_none() {
                let left = keep::known(librarian, &old.name).await?;
                keep::forget(librarian, left.values().map(|file| file.node)).await?;
            }
            Err(error)
        }
    }
}

async fn read(librarian: &Librarian, known: &Repository, progress: Progress<'_>) -> Result<Done> {
    let stop = Stop::default();
    let repo = &known.kept.name;
    let (root, head) = source(librarian, known, &stop).await?;
    let files = keep::known(librarian, repo).await?;
    let report = read_folder(librarian, repo, &files, root, &stop, progress).await?;
    let gone = report.removed.iter().filter_map(|path| files.get(path));
    keep::forget(librarian, gone.map(|file| file.node)).await?;
    let counts = counts(librarian, repo).await?;
    let ScanReport { parsed, removed, skipped, .. } = report;
    Ok(Done { head, parsed: parsed.len(), removed: removed.len(), skipped, counts })
}

/// The folder to read, up to date, and the commit it is at.
async fn source(
    librarian: &Librarian,
    known: &Repository,
    stop: &Stop,
) -> Result<(PathBuf, Option<String>)> {
    let limits = librarian.app.code.settings.git;
    let copy = repository::copy_of(librarian, &known.node);
    let (kept, flag) = (known.kept.clone(), stop.flag());
    let at = repository::addresses(librarian, &kept.origin).await?;
    let listed = librarian.app.code.settings.paths.clone();
    blocking(move || match &kept.origin {
        Origin::Folder(path) => {
            let root = repository::folder_now(&kept, path, &listed)?;
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
            let head = done.map_err(repository::refused)?.head;
            Ok((copy, Some(head)))
        }
    })
    .await
}

/// Reads a folder on threads of its own and keeps what it says as it comes.
async fn read_folder(
    librarian: &Librarian,
    repo: &str,
    files: &BTreeMap<String, KeptFile>,
    root: PathBuf,
    stop: &Stop,
    progress: Progress<'_>,
) -> Result<ScanReport> {
    let known: BTreeMap<String, String> =
        files.iter().map(|(path, file)| (path.clone(), file.hash.clone())).collect();
    let limits = librarian.app.code.settings.sources;
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
        lore_code::scan_folder(&job, &take).map_err(repository::no_folder)
    });
    let keep = keep_all(librarian, repo, files, receive, |sources| {
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

/// Keeps files as they come, as many at once as are there.
async fn keep_all(
    librarian: &Librarian,
    repo: &str,
    files: &BTreeMap<String, KeptFile>,
    mut receive: Receiver<Source>,
    report: impl Fn(usize),
) -> Result<()> {
    let mut sources = Vec::with_capacity(WAITING_MAX);
    while receive.recv_many(&mut sources, WAITING_MAX).await > 0 {
        report(sources.len());
        keep::keep(librarian, repo, files, std::mem::take(&mut sources)).await?;
    }
    Ok(())
}

/// What there is of a repository, by the graph that is asked from now on.
async fn counts(librarian: &Librarian, repo: &str) -> Result<Counts> {
    let graph = graph::renewed(&librarian.app, &librarian.viewer).await?;
    let files = keep::known(librarian, repo).await?;
    Ok(Counts {
        files: files.len(),
        entities: files.values().map(|file| file.entities).sum(),
        chunks: files.values().map(|file| file.chunks).sum(),
        edges: graph.edges_of(repo),
    })
}

/// Disks and parsers may take their time, so the work is done beside everything else.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|_| Error::Bug { what: "a scan".into() })?
}

/// How far a scan is.
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

/// Counts a scan for as long as it goes on.
struct Running<'c>(&'c AtomicUsize);

impl<'c> Running<'c> {
    fn new(count: &'c AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

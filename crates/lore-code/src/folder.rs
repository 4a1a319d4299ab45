//! Reads a source tree: which files count, and their text.
//!
//! The only place in this crate that reads files. Links are not followed, so that nothing outside
//! the folder is read. Pipes and devices are not read because they may never end.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ignore::{DirEntry, WalkBuilder};

use crate::ignore_rules::IgnoreRules;
use crate::language::Language;

/// The limits of a scan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SourceLimits {
    /// The largest file that is read, in bytes.
    pub file_bytes: u64,
    /// The most files of a folder. A folder with more is refused.
    pub files: usize,
    /// The most files and folders that are visited in search of them.
    pub entries: usize,
    /// The longest time for parsing a file; files that take longer are skipped.
    pub file_time: Duration,
}

impl Default for SourceLimits {
    fn default() -> Self {
        Self {
            file_bytes: 500_000,
            files: 100_000,
            entries: 1_000_000,
            file_time: Duration::from_secs(10),
        }
    }
}

/// Why a folder could not be scanned.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FolderError {
    /// The folder does not exist.
    #[error("{0:?} is not a folder")]
    NotAFolder(String),
    /// It is a bare git repository, which contains no source files.
    #[error("{0:?} is a bare repository, which holds no files")]
    Bare(String),
    /// It contains more files than allowed.
    #[error("there are more than {0} files")]
    TooMany(usize),
    /// Part of the work was lost, so the files of that part cannot be told from removed ones.
    #[error("the scan failed partway through; nothing was changed")]
    Incomplete,
    /// The scan was cancelled.
    #[error("the scan was cancelled")]
    Cancelled,
}

/// Resolves a path to a folder, without links and dots.
pub fn resolve(path: &Path) -> Result<PathBuf, FolderError> {
    let missing = || FolderError::NotAFolder(path.display().to_string());
    let whole = fs::canonicalize(path).map_err(|_| missing())?;
    if !whole.is_dir() {
        return Err(missing());
    }
    let is_bare = whole.join("HEAD").is_file()
        && ["objects", "refs"].iter().all(|part| whole.join(part).is_dir());
    match is_bare {
        true => Err(FolderError::Bare(path.display().to_string())),
        false => Ok(whole),
    }
}

/// The source files of a folder, sorted by path, and the skipped ones with reasons.
pub(crate) struct Listing {
    pub(crate) paths: Vec<String>,
    pub(crate) skipped: Vec<(String, String)>,
}

/// Folders with generated files or third-party code.
const SKIPPED_FOLDERS: [&str; 10] = [
    "node_modules",
    "venv",
    "env",
    "dist",
    "build",
    "target",
    "__pycache__",
    "vendor",
    "third_party",
    "site-packages",
];

/// Files without code that are listed all the same.
const OTHER_ENDINGS: [&str; 10] =
    ["md", "yaml", "yml", "json", "toml", "css", "html", "cfg", "ini", "proto"];
const OTHER_NAMES: [&str; 3] = ["Dockerfile", "Makefile", "Procfile"];

/// Lists the source files of a folder, except ignored ones and other mounted file systems.
pub(crate) fn list(
    root: &Path,
    limits: &SourceLimits,
    cancel: &AtomicBool,
) -> Result<Listing, FolderError> {
    if !root.is_dir() {
        return Err(FolderError::NotAFolder(root.display().to_string()));
    }
    let mut listing = Listing { paths: Vec::new(), skipped: Vec::new() };
    let mut walk = WalkBuilder::new(root);
    // Ignore rules are read by `IgnoreRules`, because a file with their name may be a pipe that
    // never ends.
    walk.standard_filters(false).hidden(true).follow_links(false);
    let (rules, device) = (Arc::new(IgnoreRules::of(root)), device_of(root));
    walk.filter_entry(move |entry| {
        let is_here = || device_of(entry.path()) == device;
        entry.depth() == 0 || !is_foreign(entry, &rules) && (!is_folder(entry) || is_here())
    });
    for (place, entry) in walk.build().enumerate() {
        if cancel.load(Ordering::Relaxed) {
            return Err(FolderError::Cancelled);
        }
        if place > limits.entries {
            return Err(FolderError::TooMany(limits.entries));
        }
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                listing.skipped.push((String::new(), error.to_string()));
                continue;
            }
        };
        let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
        let (path, is_text) = relative(root, entry.path());
        if !is_file || !counts(&path) {
            continue;
        }
        if !is_text {
            listing.skipped.push((path, "its name is not UTF-8".to_owned()));
            continue;
        }
        listing.paths.push(path);
        if listing.paths.len() > limits.files {
            return Err(FolderError::TooMany(limits.files));
        }
    }
    listing.paths.sort();
    Ok(listing)
}

/// Reads the text of a file; the error is the reason for skipping it.
pub(crate) fn read(root: &Path, path: &str, limits: &SourceLimits) -> Result<String, String> {
    read_plain(&root.join(path), limits.file_bytes)
}

/// Reads the text of a regular file up to a size; the error is the reason for skipping it.
pub(crate) fn read_plain(file: &Path, most: u64) -> Result<String, String> {
    let meta = fs::symlink_metadata(file).map_err(|error| error.to_string())?;
    if !meta.is_file() {
        return Err("it is no plain file".to_owned());
    }
    if meta.len() > most {
        return Err(format!("it has {} bytes, more than {most}", meta.len()));
    }
    let mut bytes = Vec::new();
    // The file may have grown since its size was read.
    let opened = File::open(file).map_err(|error| error.to_string())?;
    opened.take(most).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())
}

fn is_foreign(entry: &DirEntry, rules: &IgnoreRules) -> bool {
    let name = entry.file_name().to_string_lossy();
    let is_folder = is_folder(entry);
    is_folder && SKIPPED_FOLDERS.contains(&&*name) || rules.excludes(entry.path(), is_folder)
}

fn is_folder(entry: &DirEntry) -> bool {
    entry.file_type().is_some_and(|kind| kind.is_dir())
}

/// Returns the device a folder is stored on. The walker's own check is not used: it would leave out
/// the rest of a folder after an entry that is both mounted and skipped.
#[cfg(unix)]
fn device_of(folder: &Path) -> Option<u64> {
    fs::symlink_metadata(folder).ok().map(|meta| std::os::unix::fs::MetadataExt::dev(&meta))
}

/// Always `None`: the device is not available on this platform.
#[cfg(not(unix))]
fn device_of(_: &Path) -> Option<u64> {
    None
}

/// Returns the path relative to the root with `/`, and whether it is valid UTF-8.
fn relative(root: &Path, path: &Path) -> (String, bool) {
    let inside = path.strip_prefix(root).unwrap_or(path);
    let parts: Vec<_> = inside.iter().map(|part| part.to_string_lossy()).collect();
    (parts.join("/"), inside.to_str().is_some())
}

fn counts(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    Language::of(path).is_some()
        || OTHER_ENDINGS.iter().any(|other| ending.eq_ignore_ascii_case(other))
        || OTHER_NAMES.contains(&name)
}

//! Reading a source tree: which files count, and their text.
//!
//! The only place of this crate that reads files. Links are not followed, so that
//! nothing outside the folder is read, and neither are pipes and devices, which may never
//! end.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ignore::{DirEntry, WalkBuilder};

use crate::language::Language;
use crate::rules::Rules;

/// How much is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SourceLimits {
    /// Bytes of one file; larger ones are left out.
    pub file_bytes: u64,
    /// Files of a folder.
    pub files: usize,
    /// Files and folders that are looked at to find them.
    pub entries: usize,
    /// How long reading one file may take; those that take longer are left out.
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
    /// There is no such folder.
    #[error("{0:?} is no folder")]
    NotAFolder(String),
    /// It is what git keeps of a repository, without its files.
    #[error("{0:?} is a bare repository, which holds no files")]
    Bare(String),
    /// It holds more than allowed.
    #[error("there are more than {0} files")]
    TooMany(usize),
    /// Somebody stopped the scan.
    #[error("the scan was cancelled")]
    Cancelled,
}

/// The folder a path leads to, without links and dots.
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

/// The files that count, by path, and those left out.
pub(crate) struct Listing {
    pub(crate) paths: Vec<String>,
    pub(crate) skipped: Vec<(String, String)>,
}

/// Folders that hold what others made.
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

/// Files that are no code but belong to the sources.
const OTHER_ENDINGS: [&str; 10] =
    ["md", "yaml", "yml", "json", "toml", "css", "html", "cfg", "ini", "proto"];
const OTHER_NAMES: [&str; 3] = ["Dockerfile", "Makefile", "Procfile"];

/// Lists the files of a folder, leaving out what its `.gitignore` leaves out, and what is
/// mounted into it.
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
    // Rules are read by ourselves: what has their name may be a pipe that never ends.
    walk.standard_filters(false).hidden(true).follow_links(false);
    let (rules, device) = (Arc::new(Rules::of(root)), device_of(root));
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
            listing.skipped.push((path, "its name is no text in UTF-8".to_owned()));
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

/// The text of a file, or why it has none.
pub(crate) fn read(root: &Path, path: &str, limits: &SourceLimits) -> Result<String, String> {
    read_plain(&root.join(path), limits.file_bytes)
}

/// The text of a plain file that is not too large, or why it has none.
pub(crate) fn read_plain(file: &Path, most: u64) -> Result<String, String> {
    let meta = fs::symlink_metadata(file).map_err(|error| error.to_string())?;
    if !meta.is_file() {
        return Err("it is no plain file".to_owned());
    }
    if meta.len() > most {
        return Err(format!("it has {} bytes, more than {most}", meta.len()));
    }
    let mut bytes = Vec::new();
    // It may have grown since.
    let opened = File::open(file).map_err(|error| error.to_string())?;
    opened.take(most).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    String::from_utf8(bytes).map_err(|_| "it is no text in UTF-8".to_owned())
}

fn is_foreign(entry: &DirEntry, rules: &Rules) -> bool {
    let name = entry.file_name().to_string_lossy();
    let is_folder = is_folder(entry);
    is_folder && SKIPPED_FOLDERS.contains(&&*name) || rules.leave_out(entry.path(), is_folder)
}

fn is_folder(entry: &DirEntry) -> bool {
    entry.file_type().is_some_and(|kind| kind.is_dir())
}

/// What a folder is stored on. Asked for here and not by the walk, which would leave out all
/// the rest of a folder after one that is both mounted and skipped.
#[cfg(unix)]
fn device_of(folder: &Path) -> Option<u64> {
    fs::symlink_metadata(folder).ok().map(|meta| std::os::unix::fs::MetadataExt::dev(&meta))
}

/// What a folder is stored on; not told there.
#[cfg(not(unix))]
fn device_of(_: &Path) -> Option<u64> {
    None
}

/// A path from the root with `/`, and whether that is really its name.
fn relative(root: &Path, path: &Path) -> (String, bool) {
    let inside = path.strip_prefix(root).unwrap_or(path);
    let parts: Vec<_> = inside.iter().map(|part| part.to_string_lossy()).collect();
    (parts.join("/"), inside.to_str().is_some())
}

fn counts(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    Language::of(path).is_some() || OTHER_ENDINGS.contains(&ending) || OTHER_NAMES.contains(&name)
}

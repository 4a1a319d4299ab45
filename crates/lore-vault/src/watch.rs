//! Reports changes made to notes by other programs.
//!
//! The watcher uses the path of the folder, not its handle, so its reports are only hints: the
//! notes are then read through the handle.

use std::io;
use std::path::Path;
use std::time::Duration;

use notify::event::{EventKind, ModifyKind, RemoveKind, RenameMode};
use notify::{Config, RecommendedWatcher, RecursiveMode};
use notify_debouncer_full::{
    DebounceEventResult, DebouncedEvent, Debouncer, RecommendedCache, new_debouncer_opt,
};

use crate::error::VaultError;
use crate::path::{FolderPath, NotePath};
use crate::vault::Vault;

/// A change of the notes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// A note is new or has a new text.
    Written(NotePath),
    /// A note was removed.
    Removed(NotePath),
    /// A note was renamed and is still the same note.
    Renamed {
        /// Its old path.
        from: NotePath,
        /// Its new path.
        to: NotePath,
    },
    /// A folder was created or removed with all notes in it.
    Folder(FolderPath),
    /// A folder was renamed, and with it all notes in it.
    FolderRenamed {
        /// Its old path.
        from: FolderPath,
        /// Its new path.
        to: FolderPath,
    },
    /// A change may have been missed: examine everything again.
    Unknown,
}

/// A running watcher; dropping it ends the watch.
pub struct Watch {
    _debouncer: Watcher,
}

type Watcher = Debouncer<RecommendedWatcher, RecommendedCache>;

/// How long changes are collected, because editors save in several steps.
const QUIET: Duration = Duration::from_millis(300);

impl Vault {
    /// Watches the vault and calls `tell` with changes, in order, from a separate thread.
    pub fn watch(
        &self,
        mut tell: impl FnMut(Change) + Send + 'static,
    ) -> Result<Watch, VaultError> {
        // The vault itself may be a link; below it, none is followed.
        let path = self.ambient_path();
        let root = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let inside = root.clone();
        let handler = move |result: DebounceEventResult| match result {
            Ok(events) => {
                events.iter().flat_map(|event| changes(event, &inside)).for_each(&mut tell);
            }
            Err(errors) => {
                tracing::warn!(count = errors.len(), "the vault's watcher missed something");
                tell(Change::Unknown);
            }
        };
        let unavailable = |error: notify::Error| {
            tracing::debug!(code = kind(&error), "the vault cannot be watched");
            VaultError::Unavailable { reason: "changes cannot be watched".into() }
        };
        // A link could lead to the whole file system.
        let config = Config::default().with_follow_symlinks(false);
        let cache = RecommendedCache::new();
        let mut debouncer =
            new_debouncer_opt::<_, RecommendedWatcher, _>(QUIET, None, handler, cache, config)
                .map_err(unavailable)?;
        watch_below(&mut debouncer, &root).map_err(unavailable)?;
        Ok(Watch { _debouncer: debouncer })
    }
}

/// Watches a folder and all below. Folders that may not be read are left out: the watcher stops at
/// the first of them, so what it has not reached is watched folder by folder.
fn watch_below(watcher: &mut Watcher, folder: &Path) -> notify::Result<()> {
    match watcher.watch(folder, RecursiveMode::Recursive) {
        Err(error) if is_denied(&error) => {}
        done => return done,
    }
    let Ok(entries) = folder.read_dir() else { return Ok(()) };
    for entry in entries.flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            watch_below(watcher, &entry.path())?;
        }
    }
    Ok(())
}

/// The kind of an error, which, unlike its text, names no path.
fn kind(error: &notify::Error) -> &'static str {
    match &error.kind {
        notify::ErrorKind::Io(_) => "IO",
        notify::ErrorKind::PathNotFound => "NOT_FOUND",
        notify::ErrorKind::MaxFilesWatch => "TOO_MANY_FOLDERS",
        _ => "OTHER",
    }
}

fn is_denied(error: &notify::Error) -> bool {
    match &error.kind {
        notify::ErrorKind::Io(error) => error.kind() == io::ErrorKind::PermissionDenied,
        _ => false,
    }
}

fn changes(event: &DebouncedEvent, root: &Path) -> Vec<Change> {
    if event.need_rescan() {
        return vec![Change::Unknown];
    }
    match (event.kind, event.paths.as_slice()) {
        (EventKind::Modify(ModifyKind::Name(RenameMode::Both)), [from, to]) => {
            renamed(from, to, root).into_iter().collect()
        }
        (EventKind::Remove(RemoveKind::File), paths) => {
            paths.iter().filter_map(|path| note(path, root)).map(Change::Removed).collect()
        }
        (EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(RenameMode::From)), paths) => {
            paths.iter().filter_map(|path| removed(path, root)).collect()
        }
        (EventKind::Create(_) | EventKind::Modify(ModifyKind::Name(_)), paths) => {
            paths.iter().filter_map(|path| arrived(path, root)).collect()
        }
        // Access events are ignored, or our own reads would wake us.
        (EventKind::Modify(_), paths) => {
            paths.iter().filter_map(|path| note(path, root)).map(Change::Written).collect()
        }
        _ => Vec::new(),
    }
}

/// Handles a new path. A new folder may already contain notes, for which there are no events.
fn arrived(path: &Path, root: &Path) -> Option<Change> {
    if path.is_dir() {
        return folder(path, root).map(Change::Folder);
    }
    note(path, root).map(Change::Written)
}

/// Handles a removed path. If it was a folder, there are no events for its notes.
fn removed(path: &Path, root: &Path) -> Option<Change> {
    let note = note(path, root).map(Change::Removed);
    note.or_else(|| folder(path, root).map(Change::Folder))
}

/// Handles a rename. A rename from a hidden name is usually an editor saving a note, one to a
/// hidden name a note being discarded.
fn renamed(from: &Path, to: &Path, root: &Path) -> Option<Change> {
    match (note(from, root), note(to, root)) {
        (Some(from), Some(to)) => Some(Change::Renamed { from, to }),
        (None, Some(to)) => Some(Change::Written(to)),
        (Some(from), None) => Some(Change::Removed(from)),
        (None, None) if to.is_dir() => {
            let (from, to) = (folder(from, root)?, folder(to, root)?);
            Some(Change::FolderRenamed { from, to })
        }
        (None, None) => None,
    }
}

fn note(path: &Path, root: &Path) -> Option<NotePath> {
    let folder = folder(path.parent()?, root)?;
    NotePath::found(&folder, path.file_name()?.to_str()?)
}

fn folder(path: &Path, root: &Path) -> Option<FolderPath> {
    let names = path.strip_prefix(root).ok()?.iter();
    names
        .map(|name| name.to_str())
        .try_fold(FolderPath::default(), |folder, name| folder.below(name?))
}

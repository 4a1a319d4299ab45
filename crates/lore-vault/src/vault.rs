//! Reads, writes and lists notes through the handle of the vault's folder.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use cap_fs_ext::{DirExt, FollowSymlinks, MetadataExt, OpenOptionsFollowExt, OpenOptionsSyncExt};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, Metadata, OpenOptions};
use lore_core::Effects;

use crate::LARGEST_NOTE;
use crate::encoding::{self, Decoded, Encoding};
use crate::error::VaultError;
use crate::frontmatter;
use crate::path::{FolderPath, NotePath};

/// The notes folder.
pub struct Vault {
    root: Dir,
    path: PathBuf,
    effects: Effects,
}

/// What a write does with the frontmatter of the note it replaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Frontmatter {
    /// Keeps it, unless the new text has its own.
    Keep,
    /// Replaces the whole note.
    Replace,
}

/// The result of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    /// The note is new.
    Created,
    /// The note was replaced.
    Replaced,
    /// The note was replaced, and its frontmatter was kept.
    KeptFrontmatter,
}

/// A note on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The path.
    pub path: NotePath,
    /// The identity of the file, which stays the same if it is renamed.
    pub identity: Identity,
    /// Its size in bytes.
    pub bytes: u64,
    /// The modification time, if known.
    pub modified: Option<SystemTime>,
}

/// The notes that were found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// The notes, sorted by path.
    pub notes: Vec<Note>,
    /// Folders that could not be read. What is in them and below is unknown.
    pub closed: Vec<FolderPath>,
}

impl Listing {
    /// Whether a note at this path may be there although it is not listed.
    pub fn may_hide(&self, path: &str) -> bool {
        self.closed.iter().any(|folder| folder.holds(path))
    }
}

/// Identifies a file, whatever its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Identity {
    device: u64,
    file: u64,
}

/// The most notes in a vault.
const MOST_NOTES: usize = 200_000;
/// The prefix of temporary files.
const TEMPORARY: &str = ".lorewell-";

impl Vault {
    /// Opens the folder at `path`, which must exist.
    pub fn open(path: &Path, effects: Effects) -> Result<Self, VaultError> {
        let root = Dir::open_ambient_dir(path, ambient_authority());
        let root = root.map_err(|error| match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
                VaultError::FolderNotFound { path: path.display().to_string() }
            }
            _ => VaultError::io(&error),
        })?;
        Ok(Self { root, path: path.to_owned(), effects })
    }

    /// Whether the opened folder is still the one at its path. A restore or a sync may have put
    /// another one there.
    pub fn is_in_place(&self) -> bool {
        let identity = |folder: &Dir| {
            let metadata = folder.dir_metadata().ok()?;
            Some((MetadataExt::dev(&metadata), MetadataExt::ino(&metadata)))
        };
        let there = Dir::open_ambient_dir(&self.path, ambient_authority()).ok();
        there.as_ref().and_then(identity).is_some_and(|there| identity(&self.root) == Some(there))
    }

    pub(crate) fn ambient_path(&self) -> &Path {
        &self.path
    }

    /// Returns the text of a note. What cannot be read in it is replaced.
    pub fn read(&self, path: &NotePath) -> Result<String, VaultError> {
        self.read_decoded(path).map(|note| note.text)
    }

    /// Returns the text of a note, and how it is stored.
    pub fn read_decoded(&self, path: &NotePath) -> Result<Decoded, VaultError> {
        let missing = || VaultError::NoteNotFound { path: path.to_string() };
        let folder = self.folder(&path.folder())?.ok_or_else(missing)?;
        self.read_in(&folder, path)?.map(|(note, _)| note).ok_or_else(missing)
    }

    /// Writes a note and creates its folders. When this returns, the note is durable. Fails if the
    /// note there has an unknown encoding and what could not be read in it would be lost.
    pub fn write(
        &self,
        path: &NotePath,
        text: &str,
        frontmatter: Frontmatter,
    ) -> Result<Written, VaultError> {
        if !self.exists(path)? {
            path.check_portable()?;
        }
        let folder = self.make_folder(path)?;
        let old = self.read_in(&folder, path)?;
        let kept = match (&old, frontmatter) {
            (Some((old, _)), Frontmatter::Keep) => frontmatter::keep(&old.text, text),
            _ => None,
        };
        let new = kept.as_deref().unwrap_or(text);
        if u64::try_from(new.len()).unwrap_or(u64::MAX) > LARGEST_NOTE {
            return Err(VaultError::TooLarge { path: path.to_string() });
        }
        if old.as_ref().is_some_and(|(old, _)| would_lose(old, new)) {
            return Err(VaultError::UnknownEncoding { path: path.to_string() });
        }
        self.replace(&folder, path, new, old.as_ref().map(|(_, metadata)| metadata))
            .map_err(|error| VaultError::io(&error))?;
        Ok(match (old, kept) {
            (None, _) => Written::Created,
            (Some(_), None) => Written::Replaced,
            (Some(_), Some(_)) => Written::KeptFrontmatter,
        })
    }

    /// Creates an empty note unless the path is taken, and returns whether it was free. If several
    /// callers want a path at the same time, one gets it.
    pub fn reserve(&self, path: &NotePath) -> Result<bool, VaultError> {
        if self.exists(path)? {
            return Ok(false);
        }
        path.check_portable()?;
        let folder = self.make_folder(path)?;
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).follow(FollowSymlinks::No);
        match folder.open_with(path.file_name(), &options) {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(VaultError::io(&error)),
        }
    }

    /// Returns the file names of the notes in a folder, sorted, without those in subfolders.
    pub fn list(&self, folder: &FolderPath) -> Result<Vec<String>, VaultError> {
        let missing = || VaultError::FolderNotFound { path: folder.to_string() };
        let handle = self.folder(folder)?.ok_or_else(missing)?;
        let mut found = Found::default();
        found.add(&handle, folder, MOST_NOTES)?;
        let mut names: Vec<_> =
            found.notes.into_iter().map(|note| note.path.file_name().to_owned()).collect();
        names.sort();
        Ok(names)
    }

    /// Returns all notes of the vault. Links and hidden folders are left out.
    pub fn notes(&self) -> Result<Listing, VaultError> {
        self.notes_below(&FolderPath::default())
    }

    /// Returns all notes in a folder and below; none if the folder does not exist.
    pub fn notes_below(&self, folder: &FolderPath) -> Result<Listing, VaultError> {
        self.collect(folder, MOST_NOTES)
    }

    /// Returns up to `most` notes; fails if there are more.
    fn collect(&self, folder: &FolderPath, most: usize) -> Result<Listing, VaultError> {
        let mut found = self.walk(folder, most, |_| {})?;
        found.notes.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(Listing { notes: found.notes, closed: found.closed })
    }

    /// Removes temporary files that killed writers left behind, as far as that is possible.
    /// `before` should be old enough that nobody is still writing.
    pub fn remove_leftovers(&self, before: SystemTime) -> Result<usize, VaultError> {
        let mut removed = 0;
        let remove = |handle: &Dir| removed += remove_temporary(handle, before).unwrap_or_default();
        self.walk(&FolderPath::default(), MOST_NOTES, remove)?;
        Ok(removed)
    }

    /// Goes through a folder and all below. A folder below that cannot be read does not affect the
    /// others.
    fn walk(
        &self,
        start: &FolderPath,
        most: usize,
        mut visit: impl FnMut(&Dir),
    ) -> Result<Found, VaultError> {
        let mut found = Found { folders: vec![start.clone()], ..Found::default() };
        while let Some(folder) = found.folders.pop() {
            let looked = self.folder(&folder).and_then(|handle| {
                // A folder may disappear while others are being read.
                let Some(handle) = handle else { return Ok(()) };
                visit(&handle);
                found.add(&handle, &folder, most)
            });
            match looked {
                Ok(()) => {}
                Err(error @ VaultError::TooManyNotes { .. }) => return Err(error),
                Err(error) if folder == *start => return Err(error),
                Err(_) => found.closed.push(folder),
            }
        }
        Ok(found)
    }

    /// Opens a folder by walking down from the root, one folder at a time and refusing links, so
    /// that a folder swapped at any moment cannot lead elsewhere.
    fn folder(&self, path: &FolderPath) -> Result<Option<Dir>, VaultError> {
        let mut handle = self.root.try_clone().map_err(|error| VaultError::io(&error))?;
        for name in path.names() {
            handle = match handle.open_dir_nofollow(name) {
                Ok(below) => below,
                Err(error) if is_missing(&error) => return Ok(None),
                Err(error) => return Err(unopened(&handle, name, path.to_string(), &error)),
            };
        }
        Ok(Some(handle))
    }

    fn make_folder(&self, path: &NotePath) -> Result<Dir, VaultError> {
        let mut handle = self.root.try_clone().map_err(|error| VaultError::io(&error))?;
        for name in path.folder().names() {
            match handle.create_dir(name) {
                Ok(()) => sync(&handle).map_err(|error| VaultError::io(&error))?,
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(VaultError::io(&error)),
            }
            let below = handle.open_dir_nofollow(name);
            handle = below.map_err(|error| unopened(&handle, name, path.to_string(), &error))?;
        }
        Ok(handle)
    }

    fn exists(&self, path: &NotePath) -> Result<bool, VaultError> {
        let folder = self.folder(&path.folder())?;
        Ok(folder.is_some_and(|folder| folder.symlink_metadata(path.file_name()).is_ok()))
    }

    /// Returns a note in an open folder; `None` if it does not exist.
    fn read_in(
        &self,
        folder: &Dir,
        path: &NotePath,
    ) -> Result<Option<(Decoded, Metadata)>, VaultError> {
        let not_a_note = || VaultError::NotANote { path: path.to_string() };
        let mut options = OpenOptions::new();
        // Opening must neither follow a link nor wait for the other end of a pipe.
        options.read(true).follow(FollowSymlinks::No).nonblock(true);
        let file = match folder.open_with(path.file_name(), &options) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => {
                return Err(unopened(folder, path.file_name(), path.to_string(), &error));
            }
        };
        let metadata = file.metadata().map_err(|error| VaultError::io(&error))?;
        if !is_plain(&metadata) {
            return Err(not_a_note());
        }
        let note = read_bounded(file).map_err(|error| VaultError::io(&error))?;
        let note = note.ok_or_else(|| VaultError::Giant { path: path.to_string() })?;
        Ok(Some((note, metadata)))
    }

    /// Atomically replaces a file by a new one.
    fn replace(
        &self,
        folder: &Dir,
        path: &NotePath,
        text: &str,
        old: Option<&Metadata>,
    ) -> io::Result<()> {
        let temporary = format!("{TEMPORARY}{}.tmp", self.effects.uid());
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).follow(FollowSymlinks::No);
        let mut file = folder.open_with(&temporary, &options)?;
        let written = (|| {
            if let Some(old) = old {
                file.set_permissions(old.permissions())?;
            }
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
            folder.rename(&temporary, folder, path.file_name())?;
            sync(folder)
        })();
        if written.is_err() {
            // An error here would hide the first one, which matters.
            let _ = folder.remove_file(&temporary);
        }
        written
    }
}

/// Whether a file is regular and has no second hard link, which could be outside the vault. No link
/// at all means that the file was replaced a moment ago and the old text is read.
fn is_plain(metadata: &Metadata) -> bool {
    metadata.is_file() && MetadataExt::nlink(metadata) <= 1
}

/// Why something that exists could not be opened: the system refuses or fails, or it is of the
/// wrong kind, such as a link.
fn unopened(folder: &Dir, name: &str, path: String, error: &io::Error) -> VaultError {
    if error.kind() == io::ErrorKind::PermissionDenied {
        return VaultError::Denied { path };
    }
    let is_of_a_kind = |metadata: Metadata| metadata.is_dir() || metadata.is_file();
    match folder.symlink_metadata(name).is_ok_and(is_of_a_kind) {
        true => VaultError::io(error),
        false => VaultError::NotANote { path },
    }
}

fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound)
}

/// Makes the entries of a folder durable. The handle itself cannot be synced, but a file opened
/// through it can.
fn sync(folder: &Dir) -> io::Result<()> {
    folder.open(".")?.sync_all()
}

/// Whether writing a new text over a note loses what could not be read in it: because the new text
/// has its replacements, or because it is not known whether the note has frontmatter.
fn would_lose(old: &Decoded, new: &str) -> bool {
    let is_no_text = || old.text.contains('\0');
    old.encoding == Encoding::Unknown && (new.contains(char::REPLACEMENT_CHARACTER) || is_no_text())
}

/// Reads a file up to the size limit; `None` if it is larger.
fn read_bounded(file: File) -> io::Result<Option<Decoded>> {
    let mut bytes = Vec::new();
    file.take(LARGEST_NOTE + 1).read_to_end(&mut bytes)?;
    if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > LARGEST_NOTE {
        return Ok(None);
    }
    Ok(Some(encoding::decode(bytes)))
}

/// Notes that were found, folders still to be searched, and those that could not be.
#[derive(Default)]
struct Found {
    notes: Vec<Note>,
    folders: Vec<FolderPath>,
    closed: Vec<FolderPath>,
}

impl Found {
    /// Adds the notes and folders in a folder. Fails if there are more than `most` notes in all,
    /// because a list that was cut short would pass for the whole.
    fn add(&mut self, handle: &Dir, folder: &FolderPath, most: usize) -> Result<(), VaultError> {
        for entry in handle.entries().map_err(|error| VaultError::io(&error))? {
            let entry = entry.map_err(|error| VaultError::io(&error))?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            // The kind of the entry itself: a link counts as a link, whatever it leads to.
            let metadata = match handle.symlink_metadata(&name) {
                Ok(metadata) => metadata,
                Err(error) if is_missing(&error) => continue,
                Err(_) => {
                    self.closed.push(folder.clone());
                    continue;
                }
            };
            if metadata.is_dir() {
                self.folders.extend(folder.below(&name));
            } else if is_plain(&metadata) {
                self.notes.extend(NotePath::found(folder, &name).map(|path| note(path, &metadata)));
            }
            if self.notes.len() > most {
                return Err(VaultError::TooManyNotes { most });
            }
        }
        Ok(())
    }
}

fn note(path: NotePath, metadata: &Metadata) -> Note {
    let identity =
        Identity { device: MetadataExt::dev(metadata), file: MetadataExt::ino(metadata) };
    let modified = metadata.modified().ok().map(cap_std::time::SystemTime::into_std);
    Note { path, identity, bytes: metadata.len(), modified }
}

fn remove_temporary(handle: &Dir, before: SystemTime) -> io::Result<usize> {
    let mut removed = 0;
    for entry in handle.entries()? {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        let Ok(metadata) = handle.symlink_metadata(&name) else { continue };
        let old = metadata.modified().is_ok_and(|modified| modified.into_std() < before);
        let is_leftover = name.starts_with(TEMPORARY) && name.ends_with(".tmp");
        if is_leftover && metadata.is_file() && old && handle.remove_file(&name).is_ok() {
            removed += 1;
        }
    }
    Ok(removed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vault_with_too_many_notes_is_refused_whole() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.md", "b.md", "other.txt", "more.txt"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        std::fs::create_dir(folder.path().join("below")).unwrap();
        std::fs::write(folder.path().join("below/c.md"), "").unwrap();
        let vault = Vault::open(folder.path(), Effects::system()).unwrap();
        let count = |most| {
            let found = vault.collect(&FolderPath::default(), most);
            found.map(|listing| listing.notes.len())
        };
        assert_eq!(count(3), Ok(3));
        for most in [0, 1, 2] {
            assert_eq!(count(most), Err(VaultError::TooManyNotes { most }));
        }
        let error = lore_core::Error::from(VaultError::TooManyNotes { most: 2 });
        assert!(error.to_string().contains("2 notes"), "{error}");
    }
}

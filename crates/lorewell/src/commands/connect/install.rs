//! Changes a file that belongs to another program, with a backup and an atomic replacement.

use std::fs::{self, Permissions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use tempfile::NamedTempFile;

/// What happened to the file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The entry was already there.
    Unchanged,
    /// The file did not exist and was created.
    Created,
    /// The file was changed; the old one is kept as a backup.
    Changed { backup: PathBuf },
}

impl Outcome {
    /// Describes the outcome for people.
    pub(super) fn report(&self, name: &str, file: &Path) -> String {
        let file = file.display();
        match self {
            Self::Unchanged => format!("{file} has {name} already; nothing was changed"),
            Self::Created => format!("wrote {file} with {name}"),
            Self::Changed { backup } => {
                format!("put {name} into {file}; the old file is kept as {}", backup.display())
            }
        }
    }
}

/// Lets `edit` change the text of a file; `edit` returns `None` to leave it alone.
pub(super) fn install(
    file: &Path,
    edit: impl FnOnce(&str) -> Result<Option<String>>,
) -> Result<Outcome> {
    // A symbolic link stays one: its target is changed.
    let file = &fs::canonicalize(file).unwrap_or_else(|_| file.to_path_buf());
    let old = read(file)?;
    let Some(new) = edit(old.as_deref().unwrap_or_default())? else {
        return Ok(Outcome::Unchanged);
    };
    let Some(old) = old else {
        replace(file, &new, None)?;
        return Ok(Outcome::Created);
    };
    let permissions = fs::metadata(file).context("its permissions cannot be read")?.permissions();
    let backup = back_up(file, &old, &permissions)?;
    replace(file, &new, Some(&permissions))?;
    Ok(Outcome::Changed { backup })
}

fn read(file: &Path) -> Result<Option<String>> {
    match fs::read_to_string(file) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("{} cannot be read", file.display())),
    }
}

/// Copies the old text beside the file, under the first free backup name.
fn back_up(file: &Path, text: &str, permissions: &Permissions) -> Result<PathBuf> {
    for number in 1..1000 {
        let backup = backup_name(file, number);
        match staged(file, text, Some(permissions))?.persist_noclobber(&backup) {
            Ok(_) => return Ok(backup),
            Err(error) if error.error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => {
                return Err(error.error)
                    .with_context(|| format!("{} cannot be written", backup.display()));
            }
        }
    }
    bail!("{} has a thousand backups: remove some", file.display())
}

fn backup_name(file: &Path, number: u32) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".bak");
    if number > 1 {
        name.push(format!("-{number}"));
    }
    PathBuf::from(name)
}

/// Replaces the file atomically: a reader sees the old or the new text, never a part of one.
fn replace(file: &Path, text: &str, permissions: Option<&Permissions>) -> Result<()> {
    let written = staged(file, text, permissions)?;
    written.persist(file).with_context(|| format!("{} cannot be written", file.display()))?;
    sync_folder(file);
    Ok(())
}

/// Writes the text to a temporary file beside `file` and syncs it to disk.
fn staged(file: &Path, text: &str, permissions: Option<&Permissions>) -> Result<NamedTempFile> {
    let stage = || -> std::io::Result<NamedTempFile> {
        let folder = file.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder)?;
        let mut staged = temporary(folder)?;
        staged.write_all(text.as_bytes())?;
        if let Some(permissions) = permissions {
            staged.as_file().set_permissions(permissions.clone())?;
        }
        staged.as_file().sync_all()?;
        Ok(staged)
    };
    stage().with_context(|| format!("nothing can be written beside {}", file.display()))
}

/// Creates a temporary file with the default permissions of a new file, rather than 0600.
#[cfg(unix)]
fn temporary(folder: &Path) -> std::io::Result<NamedTempFile> {
    use std::os::unix::fs::PermissionsExt;
    tempfile::Builder::new().permissions(Permissions::from_mode(0o666)).tempfile_in(folder)
}

#[cfg(not(unix))]
fn temporary(folder: &Path) -> std::io::Result<NamedTempFile> {
    NamedTempFile::new_in(folder)
}

/// Syncs the folder so that the renaming survives a crash. Where folders cannot be synced, the
/// file's contents still are.
fn sync_folder(file: &Path) {
    if let Some(folder) = file.parent().and_then(|folder| fs::File::open(folder).ok()) {
        folder.sync_all().ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(text: &'static str) -> impl FnOnce(&str) -> Result<Option<String>> {
        move |_| Ok(Some(text.to_owned()))
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_new_file_gets_its_folders_and_no_backup() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a/b/c.json");
        assert_eq!(install(&file, set("new")).unwrap(), Outcome::Created);
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
        assert_eq!(names(file.parent().unwrap()), ["c.json"]);
    }

    #[test]
    fn backups_are_never_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("c.json");
        for text in ["one", "two", "three", "four"] {
            install(&file, set(text)).unwrap();
        }
        assert_eq!(names(folder.path()), ["c.json", "c.json.bak", "c.json.bak-2", "c.json.bak-3"]);
        let kept = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
        assert_eq!(kept("c.json.bak"), "one");
        assert_eq!(kept("c.json.bak-2"), "two");
        assert_eq!(kept("c.json.bak-3"), "three");
        assert_eq!(kept("c.json"), "four");
    }

    #[test]
    fn nothing_is_touched_without_a_change_or_on_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("c.json");
        fs::write(&file, "old").unwrap();
        assert_eq!(install(&file, |_| Ok(None)).unwrap(), Outcome::Unchanged);
        install(&file, |_| bail!("no")).unwrap_err();
        fs::write(&file, b"\xff").unwrap();
        install(&file, set("new")).unwrap_err();
        assert_eq!(fs::read(&file).unwrap(), b"\xff");
        assert_eq!(names(folder.path()), ["c.json"]);
    }

    #[test]
    #[cfg(unix)]
    fn permissions_and_links_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("real.json"), folder.path().join("link.json"));
        fs::write(&file, "old").unwrap();
        fs::set_permissions(&file, Permissions::from_mode(0o640)).unwrap();
        symlink(&file, &link).unwrap();
        let Outcome::Changed { backup } = install(&link, set("new")).unwrap() else {
            panic!("it was there");
        };
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&file), mode(&backup)), (0o640, 0o640));
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
    }
}

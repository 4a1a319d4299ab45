//! Where repositories come from: who may add which source, and how a repository is named.

use std::net::IpAddr;
use std::path::{Path, PathBuf};

use lore_code::{FolderError, GitError, Remote};
use lore_core::names::checked_name;
use lore_core::{Error, Result};
use serde::{Deserialize, Serialize};

use super::repository::{Kept, NewRepository};
use crate::access::Presence;
use crate::knowledge::librarian::Librarian;

/// The location of a repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// A folder on this machine, which is read in place.
    Folder(PathBuf),
    /// A remote repository.
    Remote {
        /// Its address.
        address: String,
        /// The branch to read; the default branch if absent.
        branch: Option<String>,
    },
}

/// Returns the location of a source, if the caller may have it read.
pub(super) fn origin(librarian: &Librarian, new: &NewRepository) -> Result<Origin> {
    let source = new.source.trim();
    if source.is_empty() {
        let hint = "give an address such as https://github.com/owner/name, or a folder";
        return Err(Error::invalid("repo_url", "is empty", hint));
    }
    let path = source.strip_prefix("file://").unwrap_or(source);
    let branch = new.branch.as_deref().map(str::trim).filter(|branch| !branch.is_empty());
    if Path::new(path).is_absolute() {
        let found = folder(librarian, Path::new(path))?;
        return match branch {
            Some(_) => Err(Error::invalid(
                "branch",
                "is for addresses: a folder is read as it is",
                "leave it out, and check the branch out in the folder before it is scanned",
            )),
            None => Ok(Origin::Folder(found)),
        };
    }
    lore_code::check(Remote { address: source, branch, at: &[] }).map_err(refused)?;
    if librarian.app.code.settings.copies.is_none() {
        return Err(Error::Precondition {
            message: "this server keeps no copies of repositories".into(),
            hint: "give a folder on its machine".into(),
        });
    }
    match source.starts_with("https://") {
        true => drop(librarian.web()?.check(source).map_err(not_public)?),
        // This machine's keys may open more than the caller is entitled to.
        false => local_only(librarian, "repositories by ssh")?,
    }
    Ok(Origin::Remote { address: source.to_owned(), branch: branch.map(str::to_owned) })
}

/// Returns the folder at a path, if the caller may have it read.
fn folder(librarian: &Librarian, path: &Path) -> Result<PathBuf> {
    // Callers who may not read a folder must not learn whether it exists.
    if librarian.presence == Presence::Here {
        return lore_code::resolve(path).map_err(no_folder);
    }
    let found = lore_code::resolve(path).ok();
    let found = found.filter(|found| is_listed(&librarian.app.code.settings.paths, found));
    found.map_or_else(|| local_only(librarian, "this folder").map(|()| path.to_owned()), Ok)
}

/// Whether a folder is inside one that the configuration lists.
fn is_listed(listed: &[PathBuf], folder: &Path) -> bool {
    let listed = listed.iter().filter_map(|listed| lore_code::resolve(listed).ok());
    listed.into_iter().any(|listed| folder.starts_with(listed))
}

/// Returns the folder of a repository, if it is still the one that was added and may still be read:
/// it may have become a link, and the configuration may have changed.
pub(super) fn folder_now(kept: &Kept, path: &Path, listed: &[PathBuf]) -> Result<PathBuf> {
    let now = lore_code::resolve(path).map_err(no_folder)?;
    if now != path {
        return Err(Error::Precondition {
            message: "the folder is a link to another one by now".into(),
            hint: "remove the repository, and add the folder that is meant".into(),
        });
    }
    if kept.guarded && !is_listed(listed, &now) {
        return Err(Error::Forbidden {
            action: "the folder is no longer one that others than the person at the machine may \
                     have read"
                .into(),
            hint: "list it as `paths` under [code] in lorewell.toml, or remove the repository and \
                   have `lorewell scan` add it again"
                .into(),
        });
    }
    Ok(now)
}

/// Returns the IP addresses of the host of a repository, for git. They are checked on each use,
/// because a name that was public when it was added may point elsewhere by now.
pub(super) async fn addresses(librarian: &Librarian, origin: &Origin) -> Result<Vec<IpAddr>> {
    match origin {
        Origin::Remote { address, .. } if address.starts_with("https://") => {
            librarian.web()?.addresses(address).await.map_err(not_public)
        }
        _ => Ok(Vec::new()),
    }
}

/// Rephrases an error of the web check, which speaks of pages.
fn not_public(error: Error) -> Error {
    match error {
        Error::Invalid { problem, .. } => {
            let hint = "give the https address of a public repository, or a folder";
            Error::invalid("repo_url", problem, hint)
        }
        other => other,
    }
}

fn local_only(librarian: &Librarian, what: &str) -> Result<()> {
    if librarian.presence == Presence::Here {
        return Ok(());
    }
    Err(Error::Forbidden {
        action: format!("{what} may only be added by the person at the machine"),
        hint: "have `lorewell scan` run there, or the folder listed as `paths` under [code] in \
               lorewell.toml"
            .into(),
    })
}

pub(super) fn no_folder(error: FolderError) -> Error {
    match error {
        FolderError::Cancelled => Error::Cancelled,
        FolderError::Incomplete => Error::Bug { what: "the scan of a repository".into() },
        FolderError::TooMany(most) => {
            Error::TooLarge { what: "the repository".into(), limit: format!("{most} files") }
        }
        FolderError::Bare(_) => Error::invalid(
            "repo_url",
            error.to_string(),
            "clone it, and give the folder of the clone",
        ),
        other => Error::invalid("repo_url", other.to_string(), "give a folder that exists"),
    }
}

pub(super) fn refused(error: GitError) -> Error {
    match error {
        GitError::Cancelled => Error::Cancelled,
        GitError::Refused(why) => Error::invalid(
            "repo_url",
            format!("is refused: {why}"),
            "use https://host/owner/name, or a folder's absolute path",
        ),
        GitError::NoBranch(_) => Error::invalid(
            "branch",
            format!("is refused: {error}"),
            "use a name of letters, digits and -_./+#, such as main, or leave it out",
        ),
        GitError::TooLarge(most) => {
            Error::TooLarge { what: "the repository".into(), limit: format!("{most} bytes") }
        }
        GitError::TooSlow(_) => Error::Precondition {
            message: error.to_string(),
            hint:
                "check that the address can be reached from this machine, and that its key works \
                   without a question; then scan again"
                    .into(),
        },
        other => Error::Precondition {
            message: other.to_string(),
            hint: "check the address and the branch, and that git is installed".into(),
        },
    }
}

/// Returns the default name of a repository.
pub(super) fn name_of(origin: &Origin) -> String {
    match origin {
        Origin::Folder(path) => {
            path.file_name().map_or_else(|| "root".into(), |name| name.to_string_lossy().into())
        }
        Origin::Remote { address, .. } => {
            let path = address.trim_end_matches('/').trim_end_matches(".git");
            let parts: Vec<&str> = path.rsplit(['/', ':']).take(2).collect();
            parts.into_iter().rev().collect::<Vec<_>>().join("/")
        }
    }
}

/// Checks that a name can be used in addresses and RIDs.
pub(super) fn checked(name: &str) -> Result<String> {
    let name = checked_name("repo_name", name)?;
    let plain = |letter: char| letter.is_alphanumeric() || "-_./+ ".contains(letter);
    let fits = name.chars().all(plain)
        && !name.starts_with(['-', '/', '.'])
        && !name.split('/').any(|part| part == "..");
    if fits {
        return Ok(name);
    }
    Err(Error::invalid(
        "repo_name",
        "has characters that names of repositories do not have",
        "use a name such as owner/name",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_is_called_after_its_source() {
        let remote =
            |address: &str| name_of(&Origin::Remote { address: address.to_owned(), branch: None });
        assert_eq!(remote("https://github.com/DarrenZal/Octo.git"), "DarrenZal/Octo");
        assert_eq!(remote("git@github.com:owner/name"), "owner/name");
        assert_eq!(name_of(&Origin::Folder("/srv/code/lorewell".into())), "lorewell");
    }

    #[test]
    fn names_are_plain() {
        for bad in ["", "-x", "../x", "a/../b", "a:b", "a\nb", "/a"] {
            assert!(checked(bad).is_err(), "{bad:?}");
        }
        assert_eq!(checked(" owner/name.rs ").unwrap(), "owner/name.rs");
    }
}

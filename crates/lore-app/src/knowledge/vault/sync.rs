//! Synchronising stored notes with the vault: moved, new, changed and deleted notes.

use std::collections::{HashMap, HashSet};

use lore_core::{Error, Result};
use lore_vault::{FolderPath, Listing, NotePath};
use serde_json::Value;

use super::note::{self, Note};
use super::{files, moved_by_copying, moved_by_deleting, note_lists, stored_notes};
use crate::knowledge::documents::shelve;
use crate::knowledge::entities::uri;
use crate::knowledge::librarian::Librarian;
use crate::knowledge::merge::unmerge;
use crate::knowledge::relations::waiting;

/// How many rounds to make if notes change while they are being read.
const ROUNDS_MAX: usize = 3;

/// Synchronises all notes and returns their number.
pub(super) async fn sync_all(
    librarian: &Librarian,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<usize> {
    sync(librarian, &FolderPath::default(), progress).await
}

/// Synchronises the notes in a folder and below, and returns their number. A note that cannot be
/// stored does not affect the others.
pub(super) async fn sync(
    librarian: &Librarian,
    folder: &FolderPath,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<usize> {
    unmerge::finish_all(librarian).await?;
    let mut total = 0;
    for _ in 0..ROUNDS_MAX {
        let round = look_round(librarian, folder, progress).await?;
        total = round.notes;
        if round.changed == 0 {
            break;
        }
    }
    waiting::settle_all(librarian).await?;
    Ok(total)
}

/// The result of one round through the notes of a folder.
struct Round {
    notes: usize,
    /// How many notes changed meanwhile or have to be read again. They are left for the next round,
    /// because what a note is about depends on all other notes being up to date.
    changed: usize,
}

async fn look_round(
    librarian: &Librarian,
    folder: &FolderPath,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<Round> {
    let place = folder.clone();
    let listing = files::on_disk(librarian, move |vault| vault.notes_below(&place)).await?;
    let notes = &listing.notes;
    progress(0, notes.len());
    let mut fresh = HashMap::new();
    for note in notes {
        if let Some(digest) = unkept(librarian, &note.path).await {
            fresh.insert(note.path.to_string(), digest);
        }
    }
    let mut kept = Kept { paths: kept(librarian).await? };
    kept.paths.retain(|path, _| folder.holds(path));
    let present = present(&listing, &kept);
    for note in notes {
        if let Some(digest) = fresh.get(&note.path.to_string()) {
            told(kept.follow(librarian, &note.path, digest, &present, &fresh).await);
        }
    }
    // Register all entities first, so that notes can refer to entities whose notes come later.
    // Known notes come before new ones, which may take over a name the known ones have given up.
    let (known, new): (Vec<_>, Vec<_>) =
        notes.iter().partition(|note| kept.paths.contains_key(&note.path.to_string()));
    for note in known.into_iter().chain(new) {
        if let Some(digest) = fresh.get(&note.path.to_string()) {
            welcomed(librarian, &note.path, digest).await;
        }
    }
    let mut changed = 0;
    for (done, note) in notes.iter().enumerate() {
        if let Some(digest) = fresh.get(&note.path.to_string()) {
            let other = kept_unless_changed(librarian, &note.path, digest).await;
            changed += usize::from(other);
        }
        progress(done + 1, notes.len());
    }
    for path in kept.paths.keys().filter(|path| !present.contains(*path)) {
        removed(librarian, path).await;
    }
    // Notes that link to a name which changed hands have to be read again.
    changed += librarian.catalogue().await?.stale().len();
    Ok(Round { notes: notes.len(), changed })
}

/// Returns the paths of the notes that are in the vault, with the stored notes of which that cannot
/// be seen.
fn present(listing: &Listing, kept: &Kept) -> HashSet<String> {
    if !listing.closed.is_empty() {
        tracing::warn!(count = listing.closed.len(), "folders of the vault could not be read");
    }
    let seen = listing.notes.iter().map(|note| note.path.to_string());
    let unseen = kept.paths.keys().filter(|path| listing.may_hide(path)).cloned();
    seen.chain(unseen).collect()
}

/// Returns the digest of a note if it is not stored in its current form.
async fn unkept(librarian: &Librarian, path: &NotePath) -> Option<String> {
    let work = async {
        let text = read(librarian, path).await?;
        let kept = stored_notes::is_kept(librarian, path, &text).await?;
        Ok((!kept).then(|| stored_notes::digest(&text)))
    };
    work.await.unwrap_or_else(|error| {
        told(Err(error));
        None
    })
}

/// The stored notes of a folder.
struct Kept {
    /// Their paths, with the digests of their texts.
    paths: HashMap<String, String>,
}

impl Kept {
    /// Recognises moved notes. A note at a new path continues the one that had this text elsewhere,
    /// if that one is gone or has another text now. Two notes may also have swapped their paths.
    async fn follow(
        &mut self,
        librarian: &Librarian,
        path: &NotePath,
        digest: &String,
        present: &HashSet<String>,
        fresh: &HashMap<String, String>,
    ) -> Result<()> {
        let here = path.to_string();
        let left = |from: &String| match fresh.get(from) {
            Some(now) => now != digest,
            None => !present.contains(from),
        };
        let said_so =
            |(from, old): &(&String, &String)| *old == digest && **from != here && left(from);
        let mut from: Vec<String> =
            self.paths.iter().filter(said_so).map(|(from, _)| from.clone()).collect();
        from.sort();
        let came = |path: &&String| !self.paths.contains_key(*path);
        let alike = fresh.iter().filter(|(_, other)| *other == digest).map(|(path, _)| path);
        let rivals = alike.filter(came).count();
        let Some(from) = the_same(&from, &here, rivals) else {
            let is_new = !self.paths.contains_key(&here) && rivals <= 1;
            if is_new && let Some(text) = unchanged(librarian, path, digest).await? {
                moved_by_deleting::came_back(librarian, path, &text).await?;
            }
            return Ok(());
        };
        if !self.paths.contains_key(&here) {
            if moved(librarian, &from, &here).await {
                self.paths.remove(&from);
                self.paths.insert(here, digest.clone());
            }
        } else if present.contains(&from)
            && exchanged(librarian, path, &NotePath::parse(&from)?).await?
            && let Some(other) = self.paths.insert(here, digest.clone())
        {
            self.paths.insert(from, other);
        }
        Ok(())
    }
}

/// Decides which of several vanished notes with the same text a new note at `here` continues: the
/// one with the same file name, or the only one if no more than one such note `came`.
pub(super) fn the_same(went: &[String], here: &str, came: usize) -> Option<String> {
    let mut called_so = went.iter().filter(|path| note::last(path) == note::last(here));
    match (called_so.next(), called_so.next(), went) {
        (Some(one), None, _) => Some(one.clone()),
        (None, _, [one]) if came <= 1 => Some(one.clone()),
        _ => None,
    }
}

/// Registers the entity of a note, unless the note changed since it had this digest.
async fn welcomed(librarian: &Librarian, path: &NotePath, digest: &str) {
    let work = async {
        if let Some(text) = unchanged(librarian, path, digest).await? {
            stored_notes::introduce(librarian, path, &Note::read(&text)).await?;
        }
        Ok(())
    };
    told(work.await);
}

/// Stores a note, unless it changed since it had this digest. Returns whether it changed.
async fn kept_unless_changed(librarian: &Librarian, path: &NotePath, digest: &str) -> bool {
    let work = async {
        match unchanged(librarian, path, digest).await? {
            Some(text) => stored_notes::keep(librarian, path, &text).await.map(|()| false),
            None => Ok(true),
        }
    };
    work.await.unwrap_or_else(|error| {
        told(Err(error));
        false
    })
}

/// Returns the text of a note, unless it changed since it had this digest.
async fn unchanged(librarian: &Librarian, path: &NotePath, digest: &str) -> Result<Option<String>> {
    let text = read(librarian, path).await?;
    Ok(Some(text).filter(|text| stored_notes::digest(text) == digest))
}

/// Whether two notes swapped their paths. If so, their documents are swapped too.
pub(super) async fn exchanged(
    librarian: &Librarian,
    one: &NotePath,
    other: &NotePath,
) -> Result<bool> {
    let (first, second) = (read(librarian, one).await?, read(librarian, other).await?);
    let crossed = stored_notes::says(librarian, one, &second).await?
        && stored_notes::says(librarian, other, &first).await?;
    if crossed {
        exchange(librarian, &one.to_string(), &other.to_string()).await?;
    }
    Ok(crossed)
}

/// Swaps the documents of two notes.
async fn exchange(librarian: &Librarian, one: &str, other: &str) -> Result<()> {
    // No note can have this path: hidden folders are not part of the vault.
    let aside = format!(".exchanged/{one}");
    for (from, to) in [(one, aside.as_str()), (other, one), (aside.as_str(), other)] {
        stored_notes::follow(librarian, from, to).await?;
    }
    Ok(())
}

/// Moves the document of a note to another path. Returns whether that succeeded.
pub(super) async fn moved(librarian: &Librarian, from: &str, to: &str) -> bool {
    stored_notes::follow(librarian, from, to).await.unwrap_or_else(|error| {
        tracing::info!(code = error.code().meaning().name, "a note that moved was not followed");
        false
    })
}

/// Stores a note that is new or was changed.
pub(super) async fn written(librarian: &Librarian, path: &NotePath) {
    let work = async {
        let text = read(librarian, path).await?;
        came(librarian, path, &text).await?;
        stored_notes::keep(librarian, path, &text).await
    };
    told(work.await);
}

/// If a note is new at its path and has the text of one that is gone, takes it to be that one.
async fn came(librarian: &Librarian, path: &NotePath, text: &str) -> Result<()> {
    let here = path.to_string();
    if shelve::shelved(librarian, &stored_notes::rid(&here)).await?.is_some() {
        return Ok(());
    }
    let mut went = librarian.catalogue().await?.notes_saying(&stored_notes::digest(text));
    let mut present = HashSet::new();
    for from in &went {
        if !matches!(read(librarian, &NotePath::parse(from)?).await, Err(Error::NotFound { .. })) {
            present.insert(from.clone());
        }
    }
    went.retain(|from| !present.contains(from));
    match the_same(&went, &here, 1) {
        Some(from) => {
            moved(librarian, &from, &here).await;
        }
        None => {
            moved_by_deleting::came_back(librarian, path, text).await?;
        }
    }
    Ok(())
}

pub(super) async fn read(librarian: &Librarian, path: &NotePath) -> Result<String> {
    let place = path.clone();
    files::on_disk(librarian, move |vault| vault.read(&place)).await
}

fn told(outcome: Result<()>) {
    if let Err(error) = outcome {
        tracing::info!(code = error.code().meaning().name, "a note was not kept");
    }
}

/// Deletes the document of a note that is gone, unless the note was moved.
pub(super) async fn removed(librarian: &Librarian, path: &str) {
    let work = async {
        match moved_by_copying::taken_over(librarian, path).await? {
            true => Ok(()),
            false => moved_by_deleting::gone(librarian, path).await,
        }
    };
    if let Err(error) = work.await {
        tracing::info!(
            code = error.code().meaning().name,
            "a note that is gone was not taken away"
        );
    }
}

/// Returns the paths of all stored notes, with the digests of their texts.
async fn kept(librarian: &Librarian) -> Result<HashMap<String, String>> {
    let mut kept = HashMap::new();
    for node in note_lists::documents(librarian).await? {
        let digest = node.properties.get(shelve::DIGEST).and_then(Value::as_str);
        if let Some(path) = uri::of_document(&node).strip_prefix(stored_notes::PREFIX) {
            kept.insert(path.to_owned(), digest.unwrap_or_default().to_owned());
        }
    }
    Ok(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_notes_in_a_folder_that_cannot_be_read_are_not_gone() {
        let closed = vec![FolderPath::parse("Shut").unwrap()];
        let listing = Listing { notes: Vec::new(), closed };
        let stored = ["Shut/Ada.md", "Shut/Below/Bo.md", "Open/Cy.md"];
        let paths = stored.map(|path| (path.to_owned(), String::new())).into();
        let mut present: Vec<_> = present(&listing, &Kept { paths }).into_iter().collect();
        present.sort();
        assert_eq!(present, stored[..2]);
    }
}

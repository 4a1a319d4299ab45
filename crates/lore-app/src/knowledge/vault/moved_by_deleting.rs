//! Recognises notes that were moved by deleting them and writing them elsewhere some time later.
//!
//! Deleted notes are remembered for a while by the digest of their text. A new note with the same
//! text is taken to be the deleted one, and its entity to be the same, restored from the bin if
//! necessary. Under another file name, the text must be of no third note and not a mere template.

use std::collections::HashMap;

use lore_core::{Result, Timestamp, Uid};
use lore_store::{Change, NodeRef, StoreError};
use lore_vault::NotePath;

use super::moved_by_copying::MOVING_MAX;
use super::note::Note;
use super::stored_notes;
use super::sync::the_same;
use crate::knowledge::documents::shelve;
use crate::knowledge::entities::{self, uri};
use crate::knowledge::librarian::Librarian;
use crate::knowledge::merge::bin;

/// Most notes that are remembered.
const REMEMBERED_MAX: usize = 10_000;

/// Recently deleted notes, by the digest of their text.
#[derive(Default)]
pub(super) struct Departed {
    notes: HashMap<String, Vec<Gone>>,
    count: usize,
}

/// A deleted note.
struct Gone {
    path: String,
    document: Uid,
    /// The URI of the entity it was about.
    about: Option<String>,
    at: Timestamp,
}

impl Departed {
    fn remember(&mut self, digest: String, gone: Gone) {
        if self.count >= REMEMBERED_MAX {
            self.forget(gone.at);
        }
        if self.count < REMEMBERED_MAX {
            self.count += 1;
            self.notes.entry(digest).or_default().push(gone);
        }
    }

    /// Drops notes that were deleted too long ago.
    fn forget(&mut self, now: Timestamp) {
        self.notes.values_mut().for_each(|some| some.retain(|gone| gone.is_recent(now)));
        self.notes.retain(|_, some| !some.is_empty());
        self.count = self.notes.values().map(Vec::len).sum();
    }

    /// Whether a note with this digest was deleted recently.
    pub(super) fn knows(&self, digest: &str, librarian: &Librarian) -> bool {
        let now = librarian.app.effects.now();
        self.notes.get(digest).is_some_and(|some| some.iter().any(|gone| gone.is_recent(now)))
    }

    /// Removes and returns the recently deleted note that the one at `here` continues, if any.
    /// `came` is as in [`the_same`].
    fn take(&mut self, digest: &str, here: &str, came: usize, now: Timestamp) -> Option<Gone> {
        let some = self.notes.get_mut(digest)?;
        some.retain(|gone| gone.is_recent(now));
        let paths: Vec<String> = some.iter().map(|gone| gone.path.clone()).collect();
        let from = the_same(&paths, here, came)?;
        let place = some.iter().position(|gone| gone.path == from)?;
        self.count = self.count.saturating_sub(1);
        Some(some.swap_remove(place))
    }
}

impl Gone {
    fn is_recent(&self, now: Timestamp) -> bool {
        now.duration_since(self.at).unsigned_abs() <= MOVING_MAX
    }
}

/// Deletes the document of a deleted note, and remembers the note for a while.
pub(super) async fn gone(librarian: &Librarian, path: &str) -> Result<()> {
    let document = shelve::shelved(librarian, &stored_notes::rid(path)).await?;
    stored_notes::forget(librarian, path).await?;
    let digest = document.as_ref().and_then(|node| stored_notes::property(node, shelve::DIGEST));
    if let Some((document, digest)) = document.as_ref().zip(digest) {
        let about = stored_notes::told(document).map(|told| told.about.to_owned());
        let (path, at) = (path.to_owned(), librarian.app.effects.now());
        let gone = Gone { path, document: document.uid, about, at };
        librarian.app.notes.departed.lock().remember(digest.to_owned(), gone);
    }
    Ok(())
}

/// Treats a new note as the continuation of a recently deleted one with the same text. Returns
/// whether it is one. Notes without a body never count, because they are all alike.
pub(super) async fn came_back(librarian: &Librarian, path: &NotePath, text: &str) -> Result<bool> {
    let note = Note::read(text);
    if note.body.trim().is_empty() {
        return Ok(false);
    }
    let (here, now) = (path.to_string(), librarian.app.effects.now());
    let digest = stored_notes::digest(text);
    let came = match note.is_distinct() {
        true => librarian.catalogue().await?.notes_saying(&digest).len() + 1,
        false => usize::MAX,
    };
    let gone = librarian.app.notes.departed.lock().take(&digest, &here, came, now);
    // A note that returns to its old path is recognised by that path.
    let Some(gone) = gone.filter(|gone| gone.path != here) else { return Ok(false) };
    if !taken_out(librarian, gone.document).await? {
        return Ok(false);
    }
    if let Some(about) = &gone.about
        && entities::by_uri(librarian, about).await?.is_none()
    {
        // What was merged into another comes back as part of that one.
        let whole = bin::survivor(librarian, about).await?.map(|node| node.uid);
        if let Some(uid) = whole.or_else(|| uri::derived_uid(&librarian.viewer, about)) {
            taken_out(librarian, uid).await?;
        }
    }
    if !stored_notes::follow(librarian, &gone.path, &here).await? {
        return Ok(false);
    }
    stored_notes::read_anew(librarian, path).await?;
    Ok(true)
}

/// Restores a node from the bin. Returns whether that succeeded.
async fn taken_out(librarian: &Librarian, uid: Uid) -> Result<bool> {
    let back = librarian.batch().change(Change::RestoreNode(NodeRef::Uid(uid)));
    match librarian.app.commit(&librarian.viewer, back).await {
        Ok(_) => Ok(true),
        Err(StoreError::NotFound(_) | StoreError::Conflict(_)) => Ok(false),
        Err(other) => Err(other.into()),
    }
}

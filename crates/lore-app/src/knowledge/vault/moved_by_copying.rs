//! Recognises notes that were moved by copying: sync clients, slow editors and moves between disks
//! write the copy first and delete the original some time later.
//!
//! While both exist, they are two notes. A deleted note counts as moved only if exactly one copy of
//! it was created a short while ago. Under another file name, the text must not be a mere template:
//! two notes made from one template are about two things.

use std::time::Duration;

use lore_core::{Node, Result, Timestamp};
use lore_vault::NotePath;
use serde_json::{Value, json};

use super::note::{self, Note};
use super::stored_notes;
use super::sync::read;
use crate::knowledge::documents::shelve;
use crate::knowledge::entities::vouching::INTRODUCED_BY;
use crate::knowledge::entities::{self, uri};
use crate::knowledge::librarian::Librarian;
use crate::knowledge::merge;

/// Longest time between copying a note and deleting the original for it to count as a move.
pub(super) const MOVING_MAX: Duration = Duration::from_secs(600);

/// The reason logged when the entity of the copy is merged into that of the original.
const MOVED: &str = "its note was moved";

/// Treats the copy of a deleted note as that note, if it was moved. Returns whether it was.
pub(super) async fn taken_over(librarian: &Librarian, gone: &str) -> Result<bool> {
    let Some(original) = shelve::shelved(librarian, &stored_notes::rid(gone)).await? else {
        return Ok(false);
    };
    let Some((path, text)) = copy_of(librarian, &original, gone).await? else { return Ok(false) };
    let here = path.to_string();
    let Some(copy) = shelve::shelved(librarian, &stored_notes::rid(&here)).await? else {
        return Ok(false);
    };
    stored_notes::forget(librarian, &here).await?;
    stored_notes::follow(librarian, gone, &here).await?;
    made_one(librarian, &copy, &original).await?;
    stored_notes::keep(librarian, &path, &text).await?;
    Ok(true)
}

/// Returns the only copy of a note, if it was created recently. Notes without a body never count,
/// because they are all alike.
async fn copy_of(
    librarian: &Librarian,
    original: &Node,
    gone: &str,
) -> Result<Option<(NotePath, String)>> {
    let digest = original.properties.get(shelve::DIGEST).and_then(Value::as_str);
    let mut same = librarian.catalogue().await?.notes_saying(digest.unwrap_or_default());
    same.retain(|path| path != gone);
    let [path] = same.as_slice() else { return Ok(None) };
    let Some(copy) = shelve::shelved(librarian, &stored_notes::rid(path)).await? else {
        return Ok(None);
    };
    let (made, first) = (copy.created.at, original.created.at);
    if made < first || age(librarian, made) > MOVING_MAX {
        return Ok(None);
    }
    let was_shared =
        digest.is_some_and(|digest| librarian.app.notes.departed.lock().knows(digest, librarian));
    let path = NotePath::parse(path)?;
    let text = read(librarian, &path).await?;
    let is_copy =
        is_called_alike(gone, &path.to_string()) || Note::read(&text).is_distinct() && !was_shared;
    let says_something = !Note::read(&text).body.trim().is_empty();
    let is_same = Some(stored_notes::digest(&text).as_str()) == digest;
    Ok((is_copy && says_something && is_same).then_some((path, text)))
}

/// Whether two notes have the same file name.
fn is_called_alike(one: &str, other: &str) -> bool {
    note::last(one) == note::last(other)
}

fn age(librarian: &Librarian, made: Timestamp) -> Duration {
    librarian.app.effects.now().duration_since(made).unsigned_abs()
}

/// Merges the entity that the copy introduced into that of the original. It still exists only if
/// something else refers to it; otherwise it was deleted with the copy.
async fn made_one(librarian: &Librarian, copy: &Node, original: &Node) -> Result<()> {
    let (Some(made), Some(first)) = (stored_notes::told(copy), stored_notes::told(original)) else {
        return Ok(());
    };
    let (made, first) = (made.about.to_owned(), first.about.to_owned());
    let (made, first) =
        (entities::by_uri(librarian, &made).await?, entities::by_uri(librarian, &first).await?);
    let (Some(made), Some(first)) = (made, first) else { return Ok(()) };
    let by_copy = Some(&json!(uri::of_document(copy)));
    if made.node.id != first.node.id && made.node.properties.get(INTRODUCED_BY) == by_copy {
        merge::merge(librarian, &made.uri, &first.uri, MOVED).await?;
    }
    Ok(())
}

//! What a note was not taken for, although somebody probably meant it: told when the note is
//! written, and listed until it is corrected.
//!
//! Warnings are kept with the document of the note, which may be shared with others. They must
//! never tell of anything but the note itself.

use lore_core::{Error, Node, Result};
use lore_vault::NotePath;
use serde_json::{Value, json};

use super::note::Note;
use super::stored_notes::PREFIX;
use super::{note_lists, note_names};
use crate::knowledge::entities::uri;
use crate::knowledge::librarian::Librarian;

/// The property of a note's document that holds the warnings.
pub(super) const WARNINGS: &str = "warnings";
/// Most warnings about a note.
const WARNINGS_MAX: usize = 20;

/// Returns the warnings about the text of a note.
pub(super) fn of(path: &NotePath, note: &Note<'_>, text: &str) -> Vec<String> {
    let lost = text.contains(char::REPLACEMENT_CHARACTER).then(|| {
        "some characters could not be read and show as \u{fffd}; save it as UTF-8".to_owned()
    });
    let broken = note.broken().iter().map(super::properties::Broken::told);
    let is_about = note.type_name().is_some();
    let names = is_about.then(|| note_names::given(path, note).left_out).into_iter().flatten();
    broken.chain(names).chain(lost).collect()
}

/// Warns if another note of the same name is about the same entity, unless this one says by a URI
/// that it means that entity.
pub(super) async fn of_second(
    librarian: &Librarian,
    path: &NotePath,
    note: &Note<'_>,
    uri: &str,
) -> Result<Option<String>> {
    let catalogue = librarian.catalogue().await?;
    let is_second =
        note.first("uri").is_none() && catalogue.has_second_note(&path.to_string(), uri);
    Ok(is_second.then(|| {
        format!(
            "another note called {} is taken to be about the same entity; if they are two, give \
             one of the notes a `uri` of its own or another `@type`, and if they are one, give \
             this note the `uri` of the entity",
            path.title()
        )
    }))
}

/// Warns that no entity was registered for a note, or that what the note is about stays what it was.
pub(super) fn of_entity(error: &Error, stays: bool) -> String {
    let what = if stays { "its entity keeps its names" } else { "it is about no entity" };
    match error {
        // The hint names others.
        Error::Precondition { message, .. } => format!(
            "{what}, because {message}; say which by a `uri` in the note: that of a known one, or \
             one of its own for somebody new"
        ),
        other => format!("{what}, because {other}"),
    }
}

/// Returns warnings as a document property.
pub(super) fn kept(warnings: &[String]) -> Option<(String, Value)> {
    let some: Vec<&String> = warnings.iter().take(WARNINGS_MAX).collect();
    (!some.is_empty()).then(|| (WARNINGS.to_owned(), json!(some)))
}

/// Returns the warnings that are kept with a document.
pub(super) fn told(document: &Node) -> Vec<String> {
    let kept = document.properties.get(WARNINGS).and_then(Value::as_array);
    kept.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Returns the warnings about all stored notes, each with the path of its note.
pub async fn note_warnings(librarian: &Librarian) -> Result<Vec<String>> {
    let mut all = Vec::new();
    for node in note_lists::documents(librarian).await? {
        let rid = uri::of_document(&node);
        let path = rid.strip_prefix(PREFIX).unwrap_or(&rid);
        all.extend(told(&node).iter().map(|warning| format!("{path}: {warning}")));
    }
    all.sort();
    Ok(all)
}

//! Lists of the stored notes: all, those about entities, and those about a web page.

use lore_core::{Node, Result};
use lore_store::NodeQuery;

use super::stored_notes::{KIND, PREFIX, property, subject_of};
use crate::knowledge::documents::URL;
use crate::knowledge::entities::{Entity, uri};
use crate::knowledge::librarian::Librarian;
use crate::play::word;

/// A note and the entity it is about.
#[derive(Debug, Clone)]
pub struct NoteOf {
    /// The RID of the note.
    pub rid: String,
    /// Its path in the vault.
    pub path: String,
    /// The entity.
    pub entity: Entity,
}

/// Returns the notes about entities, in order of creation.
pub async fn notes_of_entities(librarian: &Librarian) -> Result<Vec<NoteOf>> {
    let mut found = Vec::new();
    for node in documents(librarian).await? {
        let rid = uri::of_document(&node);
        let path = rid.strip_prefix(PREFIX).unwrap_or(&rid).to_owned();
        let subject = subject_of(librarian, Some(&node)).await?;
        found.extend(subject.map(|subject| NoteOf { rid, path, entity: subject.entity }));
    }
    Ok(found)
}

/// Returns the documents of all stored notes.
pub(super) async fn documents(librarian: &Librarian) -> Result<Vec<Node>> {
    let mut found = Vec::new();
    let mut after = None;
    loop {
        let query = NodeQuery { kinds: vec![word(KIND)?], after, ..NodeQuery::default() };
        let page = librarian.app.store.find_nodes(&librarian.viewer, query).await?;
        found.extend(page.items);
        after = page.next;
        if after.is_none() {
            return Ok(found);
        }
    }
}

/// Returns the paths of the notes about a web page.
pub(in crate::knowledge) async fn about_page(
    librarian: &Librarian,
    url: &str,
) -> Result<Vec<String>> {
    // Long addresses are truncated in properties, so a prefix has to do.
    let says_so = |node: &Node| {
        let told = property(node, URL);
        told.is_some_and(|told| !told.is_empty() && url.starts_with(told))
    };
    let notes = documents(librarian).await?.into_iter().filter(says_so);
    let rids = notes.map(|node| uri::of_document(&node));
    Ok(rids.filter_map(|rid| rid.strip_prefix(PREFIX).map(str::to_owned)).collect())
}

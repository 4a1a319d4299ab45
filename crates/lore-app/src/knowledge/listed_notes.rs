//! The notes that are kept: all, those about entities, and those about a page of the web.

use lore_core::{Node, Result};
use lore_store::NodeQuery;

use super::documents::URL;
use super::entities::Entity;
use super::kept_notes::{KIND, PREFIX, property, subject_of};
use super::librarian::Librarian;
use super::uri;
use crate::play::word;

/// A note and the entity it is about.
#[derive(Debug, Clone)]
pub struct NoteOf {
    /// What the note is called.
    pub rid: String,
    /// Where it is in the vault.
    pub path: String,
    /// The entity.
    pub entity: Entity,
}

/// The notes that are about an entity, in the order they came.
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

/// Every note that is kept.
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

/// The paths of the notes that say they are about a page of the web.
pub(super) async fn about_page(librarian: &Librarian, url: &str) -> Result<Vec<String>> {
    // A long address is kept only as far as values of properties go.
    let says_so = |node: &Node| {
        let told = property(node, URL);
        told.is_some_and(|told| !told.is_empty() && url.starts_with(told))
    };
    let notes = documents(librarian).await?.into_iter().filter(says_so);
    let rids = notes.map(|node| uri::of_document(&node));
    Ok(rids.filter_map(|rid| rid.strip_prefix(PREFIX).map(str::to_owned)).collect())
}

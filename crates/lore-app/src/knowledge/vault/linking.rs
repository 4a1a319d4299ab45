//! Reading notes again whose links lead elsewhere now.
//!
//! What a link leads to is decided when the note is read. When an entity gets or loses a name, or
//! changes its type, the notes that link to this name are marked as stale in the store. The vault
//! watcher reads them again later. The marks survive restarts.

use std::collections::{BTreeSet, HashMap, HashSet};

use lore_core::{Error, Node, NodeId, Result};
use lore_store::{Change, Expect, NodePatch, NodeRef};
use lore_vault::NotePath;
use serde_json::{Value, json};

use super::{note, stored_notes, sync};
use crate::knowledge::entities::{Entity, uri};
use crate::knowledge::librarian::Librarian;
use crate::knowledge::merge::unmerge;
use crate::knowledge::relations::{NewRelation, around, by_notes, waiting};

/// The property of a note's document that holds the names its relations lead to.
pub(super) const LINKS: &str = "links";
/// The property of a note's document that marks it to be read again.
pub(super) const STALE: &str = "stale";
/// How many notes are read again before the vault watcher looks for other work.
const READ_AT_ONCE: usize = 100;
/// How many notes are marked in one batch.
const MARKED_AT_ONCE: usize = 500;

/// Names whose meaning changed.
pub(in crate::knowledge) enum Turned {
    /// The entity got these names.
    Come(Vec<String>),
    /// The entity lost these names, or changed its type.
    Gone(Vec<String>),
}

/// Returns the names that relations lead to, as a document property.
pub(super) fn kept(items: &[NewRelation]) -> Option<(String, Value)> {
    let ends = items.iter().flat_map(|item| [&item.subject, &item.object]);
    let names = ends.filter(|end| !end.starts_with(uri::PREFIX)).map(|end| note::last(end));
    let mut keys: Vec<String> = names.map(waiting::key).collect();
    keys.sort();
    keys.dedup();
    (!keys.is_empty()).then(|| (LINKS.to_owned(), json!(keys)))
}

/// Returns the names that relations of a document lead to, normalised for comparison.
fn names_of(node: &Node) -> Vec<String> {
    let keys = node.properties.get(LINKS).and_then(Value::as_array);
    keys.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Whether a document is marked to be read again.
pub(super) fn is_stale(node: &Node) -> bool {
    node.properties.contains_key(STALE)
}

/// Index of the names that notes link to, as far as a viewer sees them.
#[derive(Default)]
pub(in crate::knowledge) struct Links {
    names: HashMap<NodeId, Vec<String>>,
    notes: HashMap<String, BTreeSet<NodeId>>,
    pub(in crate::knowledge) stale: BTreeSet<NodeId>,
    /// Entities with an unfinished unmerge: the notes about them are still to be read again.
    pub(in crate::knowledge) parting: BTreeSet<NodeId>,
}

impl Links {
    /// Adds a node, if it is a note with links, is stale or has an unfinished unmerge.
    pub(in crate::knowledge) fn learn(&mut self, node: &Node) {
        let names = names_of(node);
        for name in &names {
            self.notes.entry(name.clone()).or_default().insert(node.id);
        }
        if !names.is_empty() {
            self.names.insert(node.id, names);
        }
        if node.properties.contains_key(STALE) {
            self.stale.insert(node.id);
        }
        if unmerge::is_unfinished(node) {
            self.parting.insert(node.id);
        }
    }

    /// Removes a node.
    pub(in crate::knowledge) fn forget(&mut self, id: NodeId) {
        self.stale.remove(&id);
        self.parting.remove(&id);
        for name in self.names.remove(&id).unwrap_or_default() {
            let left = self.notes.get_mut(&name).map(|notes| {
                notes.remove(&id);
                notes.len()
            });
            if left == Some(0) {
                self.notes.remove(&name);
            }
        }
    }

    /// Returns the notes that link to one of these names.
    pub(in crate::knowledge) fn leading_to(&self, keys: &[String]) -> Vec<NodeId> {
        let notes = keys.iter().filter_map(|key| self.notes.get(key)).flatten();
        let notes: BTreeSet<NodeId> = notes.copied().collect();
        notes.into_iter().collect()
    }
}

/// Marks the notes that link to changed names to be read again. Failures are only logged: they are
/// not the fault of whoever changed the names.
pub(in crate::knowledge) async fn turned(librarian: &Librarian, entity: &Entity, names: &Turned) {
    if let Err(error) = mark_linking(librarian, entity, names).await {
        tracing::info!(code = error.code().meaning().name, node = %entity.node.id, "notes that link to it were not marked");
    }
}

async fn mark_linking(librarian: &Librarian, entity: &Entity, names: &Turned) -> Result<()> {
    let (Turned::Come(given) | Turned::Gone(given)) = names;
    let keys: Vec<String> = given.iter().map(|name| waiting::key(name)).collect();
    let (mut notes, waiting) = {
        let catalogue = librarian.catalogue().await?;
        (catalogue.linking_to(&keys), catalogue.waiting_for(&keys))
    };
    if matches!(names, Turned::Come(_)) && !notes.is_empty() {
        // Relations waiting for the name are settled anyway, and notes that already state a
        // relation of this entity need no rereading.
        notes.retain(|note| !waiting.contains(note));
        let edges = around(librarian, &[entity.node.id], &[]).await?;
        let telling: HashSet<String> = edges.iter().flat_map(by_notes::tellers).collect();
        let nodes = librarian.app.store.nodes(&librarian.viewer, &notes).await?;
        let silent = nodes.iter().filter(|node| !telling.contains(&uri::of_document(node)));
        notes = silent.map(|node| node.id).collect();
    }
    for some in notes.chunks(MARKED_AT_ONCE) {
        mark(librarian, some).await?;
    }
    Ok(())
}

async fn mark(librarian: &Librarian, notes: &[NodeId]) -> Result<()> {
    let (store, viewer) = (&librarian.app.store, &librarian.viewer);
    let mut batch = librarian.batch();
    for mut node in store.nodes(viewer, notes).await? {
        if node.properties.insert(STALE.into(), json!(true)).is_some() {
            continue;
        }
        let patch = NodePatch {
            // Writing the name, even unchanged, makes catalogues read the node again.
            name: Some(node.name),
            properties: Some(node.properties),
            ..NodePatch::default()
        };
        let change = Change::UpdateNode(NodeRef::Id(node.id), Expect::Any, patch);
        batch = batch.change(change);
    }
    match batch.changes.is_empty() {
        true => Ok(()),
        false => Ok(store.commit(viewer, batch).await.map(drop)?),
    }
}

/// Reads up to [`READ_AT_ONCE`] of the marked notes again.
pub(super) async fn read_marked(librarian: &Librarian) {
    let marked = librarian.catalogue().await.map(|catalogue| catalogue.stale());
    let Ok(marked) = marked else { return };
    for id in marked.into_iter().take(READ_AT_ONCE) {
        if let Err(error) = read_again(librarian, id).await {
            tracing::info!(code = error.code().meaning().name, "a note was not read again");
        }
    }
}

async fn read_again(librarian: &Librarian, id: NodeId) -> Result<()> {
    let node = librarian.app.store.nodes(&librarian.viewer, &[id]).await?.pop();
    let rid = node.map(|node| uri::of_document(&node)).unwrap_or_default();
    let Some(path) = rid.strip_prefix(stored_notes::PREFIX) else { return Ok(()) };
    let path = NotePath::parse(path)?;
    match sync::read(librarian, &path).await {
        Ok(text) => stored_notes::read_anew(librarian, &path, &text).await,
        // The vault watcher deletes its document.
        Err(Error::NotFound { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}

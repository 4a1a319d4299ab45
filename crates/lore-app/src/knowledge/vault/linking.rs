//! Reading notes again whose links lead elsewhere now.
//!
//! What a link leads to is decided when the note is read. When an entity gets or loses a name, or
//! changes its type, the notes that link to this name are marked as stale in the store. The vault
//! watcher reads them again later. The marks survive restarts.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::time::Duration;

use lore_core::names::name_key;
use lore_core::{Node, NodeId, Result, Timestamp};
use lore_store::{Change, Expect, NodePatch, NodeRef};
use lore_vault::NotePath;
use serde_json::{Value, json};

use super::{links, note, stored_notes, sync};
use crate::knowledge::entities::{self, Entity, uri};
use crate::knowledge::librarian::Librarian;
use crate::knowledge::merge::unmerge;
use crate::knowledge::relations::{NewRelation, around, by_notes, waiting};

/// The property of a note's document that holds the names its relations and links lead to.
pub(super) const LINKS: &str = "links";
/// The property of a note's document that marks it to be read again.
pub(super) const STALE: &str = "stale";
/// How many notes are read again before the vault watcher looks for other work.
const READ_AT_ONCE: usize = 100;
/// How many notes are marked in one batch.
const MARKED_AT_ONCE: usize = 500;
/// Most names that are kept for a note.
const NAMES_MAX: usize = 1_000;

/// Names whose meaning changed.
pub(in crate::knowledge) enum Turned {
    /// The entity got these names.
    Come(Vec<String>),
    /// The entity lost these names, or changed its type.
    Gone(Vec<String>),
}

/// Returns the names that relations and the links in a text lead to, as a document property.
pub(super) fn kept(items: &[NewRelation], text: &str) -> Option<(String, Value)> {
    let ends = items.iter().flat_map(|item| [item.subject.clone(), item.object.clone()]);
    let targets = ends.chain(links::targets(text));
    let named = targets.filter(|target| !target.starts_with(uri::PREFIX));
    let keys: BTreeSet<String> = named
        .flat_map(|target| {
            let address = target.starts_with(['.', '/']).then(|| at_address(note::last(&target)));
            std::iter::once(waiting::key(note::last(&target))).chain(address)
        })
        .collect();
    let keys: Vec<String> = keys.into_iter().take(NAMES_MAX).collect();
    (!keys.is_empty()).then(|| (LINKS.to_owned(), json!(keys)))
}

/// The key of a name to which a link leads by its address alone. The text of the note need not say
/// the name, so the name is not found there when it becomes known.
fn at_address(name: &str) -> String {
    format!("./{}", waiting::key(name))
}

/// Returns relations stated by the note at a path, with the paths they lead to as seen from the
/// root of the vault.
pub(super) async fn placed(
    librarian: &Librarian,
    path: &NotePath,
    mut items: Vec<NewRelation>,
) -> Result<Vec<NewRelation>> {
    let (from, catalogue) = (path.to_string(), librarian.catalogue().await?);
    for end in items.iter_mut().flat_map(|item| [&mut item.subject, &mut item.object]) {
        *end = links::placed(end, &from, |path| catalogue.is_note(path));
    }
    Ok(items)
}

/// After a note about an entity came or moved here: completes relations that wait for it by its file
/// name, and lets other notes be read again that link to this name. Those that link by a name that
/// is the entity's alone know already whom they mean, unless they link by an address.
pub(super) async fn came(librarian: &Librarian, path: &NotePath, entity: &Entity) -> Result<()> {
    let title = path.title();
    let mut names = std::iter::once(&entity.node.name).chain(&entity.node.aliases);
    let is_named = names.any(|name| name_key(name) == name_key(title));
    if !is_named {
        waiting::settle(librarian, entity).await;
    }
    if !is_named || entities::exactly_named(librarian, title).await?.len() > 1 {
        turned(librarian, entity, &Turned::Come(vec![title.to_owned()])).await;
    }
    let addressing = librarian.catalogue().await?.linking_to(&[at_address(title)]);
    for some in addressing.chunks(MARKED_AT_ONCE) {
        mark(librarian, some).await?;
    }
    Ok(())
}

/// Returns the names that a document links to, normalised for comparison.
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

/// Marks notes to be read again.
pub(super) async fn mark(librarian: &Librarian, notes: &[NodeId]) -> Result<()> {
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

/// Reads up to [`READ_AT_ONCE`] of the marked notes again, leaving out those in `later` whose time
/// has not come.
pub(super) async fn read_marked(librarian: &Librarian, later: &mut Later) {
    let marked = librarian.catalogue().await.map(|catalogue| catalogue.stale());
    let Ok(marked) = marked else { return };
    for id in later.due(&marked, librarian.app.effects.now()) {
        match read_again(librarian, id).await {
            Ok(()) => later.is_read(id),
            Err(error) => {
                tracing::info!(code = error.code().meaning().name, node = %id, "a note was not read again");
                later.put_off(id, librarian.app.effects.now());
            }
        }
    }
}

async fn read_again(librarian: &Librarian, id: NodeId) -> Result<()> {
    let node = librarian.app.store.nodes(&librarian.viewer, &[id]).await?.pop();
    let rid = node.map(|node| uri::of_document(&node)).unwrap_or_default();
    let Some(path) = rid.strip_prefix(stored_notes::PREFIX) else { return Ok(()) };
    let path = NotePath::parse(path)?;
    // One that is gone stays marked until the vault watcher deletes its document.
    sync::read(librarian, &path).await?;
    stored_notes::read_anew(librarian, &path).await
}

/// Marked notes that could not be read, and when to try them again. Each is tried less and less
/// often, so that they neither fill the log nor keep the others waiting.
#[derive(Default)]
pub(super) struct Later {
    notes: HashMap<NodeId, PutOff>,
}

struct PutOff {
    wait: Duration,
    since: Timestamp,
}

impl Later {
    /// Returns the marked notes to be read now, up to [`READ_AT_ONCE`].
    fn due(&mut self, marked: &[NodeId], now: Timestamp) -> Vec<NodeId> {
        let marks: HashSet<&NodeId> = marked.iter().collect();
        self.notes.retain(|id, _| marks.contains(id));
        let waits = |id: &&NodeId| {
            let put_off = self.notes.get(id);
            put_off.is_some_and(|one| now.duration_since(one.since).unsigned_abs() < one.wait)
        };
        marked.iter().filter(|id| !waits(id)).take(READ_AT_ONCE).copied().collect()
    }

    fn is_read(&mut self, id: NodeId) {
        self.notes.remove(&id);
    }

    fn put_off(&mut self, id: NodeId, now: Timestamp) {
        let last = self.notes.get(&id).map_or(Duration::ZERO, |one| one.wait);
        let wait = last.saturating_mul(2).clamp(WAIT_MIN, WAIT_MAX);
        self.notes.insert(id, PutOff { wait, since: now });
    }
}

/// The first and the longest pause before a note that could not be read is tried again.
const WAIT_MIN: Duration = Duration::from_secs(2);
const WAIT_MAX: Duration = Duration::from_secs(3_600);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_that_cannot_be_read_are_tried_less_and_less_often_and_hold_nobody_up() {
        let at = |second: i64| Timestamp::from_second(second).unwrap();
        let marked: Vec<NodeId> = (0..150).map(NodeId).collect();
        let mut later = Later::default();
        let first = later.due(&marked, at(0));
        assert_eq!(first, marked[..READ_AT_ONCE]);
        first.iter().for_each(|id| later.put_off(*id, at(0)));
        assert_eq!(later.due(&marked, at(1)), marked[READ_AT_ONCE..]);
        let tried = |later: &mut Later, second: i64| {
            let is_due = later.due(&marked[..1], at(second)) == marked[..1];
            if is_due {
                later.put_off(marked[0], at(second));
            }
            is_due
        };
        let often = (1..86_400).filter(|second| tried(&mut later, *second)).count();
        assert!((20..50).contains(&often), "{often}");
        later.due(&[], at(86_400));
        assert_eq!(later.due(&marked[..1], at(86_400)), marked[..1], "marked anew");
    }
}

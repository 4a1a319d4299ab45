//! Two entities that were merged and part again: whose names and edges are whose.
//!
//! What the merge gave is in the log. What came since is the other's where it was told under
//! the other's name.

use lore_core::{Edge, Event, Node, Result, Uid};
use lore_store::{Bin, Change, EdgeRef, Expect, NameMatch, NewEdge, NodeQuery, NodeRef};
use serde_json::{Value, json};

use super::entities::Entity;
use super::librarian::Librarian;
use super::log::{self, ALIAS_ADDED, ALIAS_REMOVED, Given, OF};
use super::note_names::SAYS_SO_NO_MORE;
use super::relations::{MENTIONS, OBJECT_AS, SUBJECT_AS};
use super::spotter;

/// Names that came after the merge, which is the entry `sequence`, and are those of the entity
/// that was merged.
pub(super) fn gained(events: &[Event], sequence: i64, uri: &str) -> Vec<String> {
    let added =
        events.iter().filter(|event| event.sequence > sequence && event.kind == ALIAS_ADDED);
    let details = added.map(log::details).filter(|told| told.get(OF) == Some(&json!(uri)));
    details.filter_map(|told| Some(told.get("alias")?.as_str()?.to_owned())).collect()
}

/// Names that the note of the entity that was merged gave up after the merge.
pub(super) fn lost(events: &[Event], sequence: i64) -> Vec<String> {
    let later = events.iter().filter(|event| event.sequence > sequence);
    let removed = later.filter(|event| event.kind == ALIAS_REMOVED);
    let by_note = removed.filter(|event| log::reason(event) == SAYS_SO_NO_MORE);
    let details = by_note.map(log::details);
    details.filter_map(|told| Some(told.get("alias")?.as_str()?.to_owned())).collect()
}

/// The entity that was merged, as it lies in the bin.
pub(super) async fn gone(librarian: &Librarian, given: &Given) -> Result<Option<Node>> {
    let query = NodeQuery {
        name: Some(NameMatch::Exact(given.name.clone())),
        bin: Bin::Deleted,
        ..NodeQuery::default()
    };
    let page = librarian.app.store.find_nodes(&librarian.viewer, query).await?;
    Ok(page.items.into_iter().find(|node| node.uid.to_string() == given.uid))
}

/// Two entities that part again: whose edges are whose.
pub(super) struct Parting<'a> {
    pub(super) kept: &'a Entity,
    /// Every name of the one that was kept.
    pub(super) stays: Vec<String>,
    pub(super) uid: Uid,
    /// Names of the other that came since.
    pub(super) gained: Vec<String>,
    pub(super) given: &'a Given,
}

impl Parting<'_> {
    /// Takes back the edges that the merge gave, and gives the other what came since and is
    /// its own by name.
    pub(super) async fn edges(&self, librarian: &Librarian) -> Result<Vec<Change>> {
        let mut changes = Vec::new();
        for edge in log::edges_of(librarian, self.kept.node.id).await? {
            let (source, kind, target) = log::ends(&edge);
            let moved = self.given.edges.contains(&(source.0, kind, target.0));
            let others = !moved && self.is_others(librarian, &edge).await?;
            if moved || others {
                changes.push(Change::DeleteEdge(EdgeRef::Id(edge.id), Expect::Any));
            }
            if others {
                changes.push(self.given_back(edge));
            }
        }
        Ok(changes)
    }

    /// Whether an edge is told of the other by its name, or leads from a document that
    /// mentions the other and not the one that was kept.
    async fn is_others(&self, librarian: &Librarian, edge: &Edge) -> Result<bool> {
        if edge.kind.as_str() != MENTIONS {
            let end = if edge.source == self.kept.node.id { SUBJECT_AS } else { OBJECT_AS };
            let called = edge.properties.get(end).and_then(Value::as_str);
            return Ok(called.is_some_and(|name| self.names().any(|own| own == name)));
        }
        let said: String = log::texts_of(librarian, edge.source)
            .await?
            .into_iter()
            .map(|text| text.body + "\n")
            .collect();
        let count = |names: Vec<&str>| spotter::count(&names, &said);
        let of_kept = count(self.stays.iter().map(String::as_str).collect());
        Ok(of_kept == 0 && count(self.names().collect()) > 0)
    }

    /// What the other is called, its URI included.
    fn names(&self) -> impl Iterator<Item = &str> {
        let own = [&self.given.uri, &self.given.name].into_iter();
        own.chain(&self.given.aliases).chain(&self.gained).map(String::as_str)
    }

    fn given_back(&self, edge: Edge) -> Change {
        let place = |end| match end == self.kept.node.id {
            true => NodeRef::Uid(self.uid),
            false => NodeRef::Id(end),
        };
        Change::PutEdge(NewEdge {
            source: place(edge.source),
            target: place(edge.target),
            kind: edge.kind,
            weight: edge.weight,
            visibility: edge.visibility,
            properties: edge.properties,
        })
    }
}

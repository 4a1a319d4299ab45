//! Who vouches for an entity and its names besides vault notes.
//!
//! What a note says holds only while the note says it. An entity that somebody registered stays,
//! and so does a name that somebody gave, whether or not a note says the same before or after.

use std::collections::BTreeSet;

use lore_core::names::is_same_name;
use lore_core::{Node, NodeId, Properties, Result};
use lore_store::{Bin, Change, Direction, Expect, NodeRef};
use serde_json::{Value, json};

use crate::knowledge::entities::{self, Entity};
use crate::knowledge::librarian::Librarian;
use crate::knowledge::merge;
use crate::knowledge::relations::{EDGES_MAX, MENTIONS};
use crate::knowledge::vault::stored_notes;
use crate::play::word;

/// The property that holds the RID of the note that introduced an entity. It is removed once
/// somebody else registers the entity.
pub(in crate::knowledge) const INTRODUCED_BY: &str = "introduced_by";
/// The property that holds the names given by somebody other than a note.
const NAMES_GIVEN: &str = "names_given";
/// How many edges are read to find out whether anything else refers to an entity.
const FEW: usize = 10;

/// Who registers an entity or gives it a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Giver<'a> {
    /// A person or program; permanent.
    Anybody,
    /// The note with this RID, for as long as it says so.
    Note(&'a str),
}

impl Giver<'_> {
    /// Returns the properties of an entity that this giver registers with these names.
    pub(super) fn noted(self, mut properties: Properties, names: &[String]) -> Properties {
        match self {
            Self::Anybody => {
                properties.remove(INTRODUCED_BY);
                given(properties, names)
            }
            Self::Note(rid) => {
                properties.insert(INTRODUCED_BY.into(), json!(rid));
                properties
            }
        }
    }
}

/// Whether a note introduced an entity and nobody else registered it.
pub(super) fn is_introduced(node: &Node) -> bool {
    node.properties.contains_key(INTRODUCED_BY)
}

/// Returns the names given to an entity by somebody other than a note.
pub(in crate::knowledge) fn names_given(node: &Node) -> Vec<String> {
    listed(&node.properties)
}

/// Whether a name was given by somebody other than a note.
pub(in crate::knowledge) fn is_given(node: &Node, name: &str) -> bool {
    names_given(node).iter().any(|known| is_same_name(known, name))
}

/// Adds names to those given by somebody other than a note.
pub(super) fn given(mut properties: Properties, names: &[String]) -> Properties {
    let mut all = listed(&properties);
    for name in names {
        if !all.iter().any(|known| is_same_name(known, name)) {
            all.push(name.clone());
        }
    }
    if !all.is_empty() {
        properties.insert(NAMES_GIVEN.into(), json!(all));
    }
    properties
}

/// Replaces the names given by somebody other than a note.
pub(in crate::knowledge) fn with_given(mut properties: Properties, names: &[String]) -> Properties {
    properties.remove(NAMES_GIVEN);
    given(properties, names)
}

/// Removes a name from those given by somebody other than a note.
pub(super) fn taken(mut properties: Properties, name: &str) -> Properties {
    let mut left = listed(&properties);
    left.retain(|known| !is_same_name(known, name));
    match left.is_empty() {
        true => properties.remove(NAMES_GIVEN),
        false => properties.insert(NAMES_GIVEN.into(), json!(left)),
    };
    properties
}

fn listed(properties: &Properties) -> Vec<String> {
    let names = properties.get(NAMES_GIVEN).and_then(Value::as_array);
    names.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Returns the entities a document mentions.
pub(in crate::knowledge) async fn mentioned_by(
    librarian: &Librarian,
    document: Option<&Node>,
) -> Result<BTreeSet<NodeId>> {
    let Some(document) = document else { return Ok(BTreeSet::new()) };
    let (store, viewer, kinds) = (&librarian.app.store, &librarian.viewer, [word(MENTIONS)?]);
    let out = Direction::Out;
    let edges = store.neighbours(viewer, &[document.id], out, &kinds, EDGES_MAX).await?;
    Ok(edges.into_iter().map(|edge| edge.target).collect())
}

/// Deletes those of these entities that a note introduced and to which nothing refers any more.
pub(in crate::knowledge) async fn forget_unmentioned(
    librarian: &Librarian,
    spoken_of: &BTreeSet<NodeId>,
) -> Result<()> {
    let ids: Vec<NodeId> = spoken_of.iter().copied().collect();
    let introduced = |entity: &Entity| entity.node.properties.contains_key(INTRODUCED_BY);
    for entity in librarian.entities(&ids).await?.into_iter().filter(introduced) {
        stored_notes::forget_unsaid(librarian, &entity.uri).await?;
    }
    Ok(())
}

/// Deletes an entity that a note introduced if nothing else refers to it. `note` is the document of
/// that note, if it still exists.
pub(in crate::knowledge) async fn forget_introduced(
    librarian: &Librarian,
    uri: &str,
    note: Option<NodeId>,
) -> Result<()> {
    let Some(entity) = entities::by_uri(librarian, uri).await? else { return Ok(()) };
    let (store, viewer, id) = (&librarian.app.store, &librarian.viewer, entity.node.id);
    let edges = store.neighbours(viewer, &[id], Direction::Both, &[], FEW).await?;
    let texts = store.texts_of(viewer, id, Bin::Live).await?;
    // An entity with others merged into it is still needed to unmerge them.
    let alone = edges.iter().all(|edge| Some(edge.source) == note)
        && texts.is_empty()
        && merge::same_as(&entity.node).is_empty();
    if !alone || !entity.node.properties.contains_key(INTRODUCED_BY) {
        return Ok(());
    }
    let expect = Expect::Version(entity.node.version);
    let gone = Change::DeleteNode(NodeRef::Id(id), expect);
    librarian.app.commit(viewer, librarian.batch().change(gone)).await?;
    Ok(())
}

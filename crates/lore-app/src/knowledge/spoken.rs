//! Who speaks of an entity besides its notes.
//!
//! What a note says holds for as long as it says so. What somebody registered stays, and so does
//! a name that somebody gave, whether a note says the same before or after.

use std::collections::BTreeSet;

use lore_core::names::name_key;
use lore_core::{Node, NodeId, Properties, Result};
use lore_store::{Bin, Change, Direction, Expect, NodeRef};
use serde_json::{Value, json};

use super::entities::{self, Entity};
use super::librarian::Librarian;
use super::relations::{EDGES_MAX, MENTIONS};
use super::{kept_notes, log};
use crate::play::word;

/// The property that holds the note which made an entity known, as long as nobody else did.
pub(super) const INTRODUCED_BY: &str = "introduced_by";
/// The property that holds the names that somebody gave an entity who is no note.
const NAMES_GIVEN: &str = "names_given";
/// So many edges tell whether somebody else speaks of an entity.
const FEW: usize = 10;

/// Who makes an entity known or gives it a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Giver<'a> {
    /// Somebody, for good.
    Anybody,
    /// A note, for as long as it says so.
    Note(&'a str),
}

impl Giver<'_> {
    /// What is kept with an entity that was made known so and got these names.
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

/// Whether a note made an entity known, and nobody else did.
pub(super) fn is_introduced(node: &Node) -> bool {
    node.properties.contains_key(INTRODUCED_BY)
}

/// The names that somebody gave an entity.
pub(super) fn names_given(node: &Node) -> Vec<String> {
    listed(&node.properties)
}

/// Whether somebody gave an entity a name.
pub(super) fn is_given(node: &Node, name: &str) -> bool {
    names_given(node).iter().any(|known| name_key(known) == name_key(name))
}

/// Properties of an entity that somebody gave these names.
pub(super) fn given(mut properties: Properties, names: &[String]) -> Properties {
    let mut all = listed(&properties);
    for name in names {
        if !all.iter().any(|known| name_key(known) == name_key(name)) {
            all.push(name.clone());
        }
    }
    if !all.is_empty() {
        properties.insert(NAMES_GIVEN.into(), json!(all));
    }
    properties
}

/// Properties of an entity that somebody gave these names, and no others.
pub(super) fn with_given(mut properties: Properties, names: &[String]) -> Properties {
    properties.remove(NAMES_GIVEN);
    given(properties, names)
}

/// Properties of an entity that somebody took a name from.
pub(super) fn taken(mut properties: Properties, name: &str) -> Properties {
    let mut left = listed(&properties);
    left.retain(|known| name_key(known) != name_key(name));
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

/// Whom a document mentions.
pub(super) async fn mentioned_by(
    librarian: &Librarian,
    document: Option<&Node>,
) -> Result<BTreeSet<NodeId>> {
    let Some(document) = document else { return Ok(BTreeSet::new()) };
    let (store, viewer, kinds) = (&librarian.app.store, &librarian.viewer, [word(MENTIONS)?]);
    let out = Direction::Out;
    let edges = store.neighbours(viewer, &[document.id], out, &kinds, EDGES_MAX).await?;
    Ok(edges.into_iter().map(|edge| edge.target).collect())
}

/// Takes those away whom a note spoke of as the last: notes made them known and are gone, and
/// nobody else speaks of them.
pub(super) async fn forget_unmentioned(
    librarian: &Librarian,
    spoken_of: &BTreeSet<NodeId>,
) -> Result<()> {
    let ids: Vec<NodeId> = spoken_of.iter().copied().collect();
    let introduced = |entity: &Entity| entity.node.properties.contains_key(INTRODUCED_BY);
    for entity in librarian.entities(&ids).await?.into_iter().filter(introduced) {
        kept_notes::forget_unsaid(librarian, &entity.uri).await?;
    }
    Ok(())
}

/// Puts an entity into the bin that a note made known, where nothing but that note, which is
/// the document `note` as long as there is one, speaks of it.
pub(super) async fn forget_introduced(
    librarian: &Librarian,
    uri: &str,
    note: Option<NodeId>,
) -> Result<()> {
    let Some(entity) = entities::by_uri(librarian, uri).await? else { return Ok(()) };
    let (store, viewer, id) = (&librarian.app.store, &librarian.viewer, entity.node.id);
    let edges = store.neighbours(viewer, &[id], Direction::Both, &[], FEW).await?;
    let texts = store.texts_of(viewer, id, Bin::Live).await?;
    // Who is several for now is still asked for when they part.
    let alone = edges.iter().all(|edge| Some(edge.source) == note)
        && texts.is_empty()
        && log::same_as(&entity.node).is_empty();
    if !alone || !entity.node.properties.contains_key(INTRODUCED_BY) {
        return Ok(());
    }
    let expect = Expect::Version(entity.node.version);
    let gone = Change::DeleteNode(NodeRef::Id(id), expect);
    librarian.app.commit(viewer, librarian.batch().change(gone)).await?;
    Ok(())
}

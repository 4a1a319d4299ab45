//! The names a viewer knows, in memory: for resolving, for spotting, and for URIs.

use std::collections::HashMap;

use lore_core::{Node, NodeId, Text};
use lore_resolve::{Profile, Query, Resolution, Resolver};

use super::entities::Entity;
use super::known_notes::KnownNotes;
use super::linking::Links;
use super::ontology::EntityType;
use super::spotter::{Spotted, Spotter};
use super::tuning::{self, Tuning};
use super::{log, uri, waiting};
use crate::views::{Learn, Views};

/// The catalogues of all viewers.
pub type Catalogues = Views<Catalogue>;

/// What one viewer knows by name.
#[derive(Default)]
pub struct Catalogue {
    resolver: Resolver<NodeId>,
    entities: HashMap<NodeId, Card>,
    /// By what stays of their URIs.
    by_uri: HashMap<String, NodeId>,
    /// What was merged into others, by its number.
    by_number: HashMap<i64, NodeId>,
    notes: KnownNotes,
    /// What notes say of types.
    tuning: HashMap<NodeId, Tuning>,
    /// The notes whose relations wait for somebody of a name.
    waiting: HashMap<NodeId, Vec<String>>,
    /// The notes whose relations lead to a name, and those that are to be read again.
    links: Links,
    spotter: Option<Spotter>,
}

/// What is kept of an entity.
struct Card {
    entity_type: EntityType,
    names: Vec<String>,
    uris: Vec<String>,
    numbers: Vec<i64>,
}

impl Catalogue {
    /// Who may be meant by a name.
    pub(super) fn resolve(&self, query: &Query<'_, NodeId>) -> Resolution<NodeId> {
        self.resolver.resolve(query)
    }

    /// How names of a type are compared.
    pub(super) fn profile(&self, entity_type: EntityType) -> Profile {
        self.resolver.profile(entity_type.as_str())
    }

    /// The type that a word means: by its own name, as a note says, or as is usual.
    pub(super) fn type_called(&self, text: &str) -> Option<EntityType> {
        let told = self.tuning.values().filter(|tuning| tuning.is_meant_by(text));
        let told = told.map(|tuning| tuning.entity_type).min();
        EntityType::named(text).or(told).or_else(|| EntityType::read(text))
    }

    /// The folder of the notes of a type.
    pub(super) fn folder(&self, entity_type: EntityType) -> String {
        let about = self.tuning.values().filter(|tuning| tuning.entity_type == entity_type);
        let told = about.filter_map(|tuning| tuning.folder.as_deref()).min();
        told.unwrap_or(entity_type.folder()).to_owned()
    }

    /// The entity with this URI, or what it was merged into.
    pub(super) fn by_uri(&self, uri: &str) -> Option<NodeId> {
        self.by_uri.get(&uri::anchor(uri)).copied()
    }

    /// What the entity with this number was merged into.
    pub(super) fn by_number(&self, number: i64) -> Option<NodeId> {
        self.by_number.get(&number).copied()
    }

    /// Whether others were merged into an entity.
    pub(super) fn is_several(&self, id: NodeId) -> bool {
        self.entities.get(&id).is_some_and(|card| card.uris.len() > 1)
    }

    /// The entity whose note a link leads to, if it leads to one, and what of the URI says whom the
    /// note is about. Where it leads to several, the one of the `wanted` types.
    pub(super) fn linked(&self, target: &str, wanted: &[EntityType]) -> Option<(NodeId, String)> {
        let found = self.notes.linked(target).into_iter();
        let found: Vec<(NodeId, &str)> =
            found.filter_map(|anchor| Some((*self.by_uri.get(anchor)?, anchor))).collect();
        let fits = |(id, _): &&(NodeId, &str)| {
            self.entities.get(id).is_some_and(|card| wanted.contains(&card.entity_type))
        };
        let fitting: Vec<&(NodeId, &str)> = found.iter().filter(fits).collect();
        let (node, anchor) = match (found.as_slice(), fitting.as_slice()) {
            ([one], _) => *one,
            (_, [one]) => **one,
            _ => return None,
        };
        Some((node, anchor.to_owned()))
    }

    /// The paths of the notes about entities that say what has this digest.
    pub(super) fn notes_saying(&self, digest: &str) -> Vec<String> {
        self.notes.saying(digest)
    }

    /// What the files of the notes about an entity are called.
    pub(super) fn titles_of(&self, entity: &Entity) -> Vec<String> {
        let card = self.entities.get(&entity.node.id);
        let titles = card.into_iter().flat_map(|card| self.notes.titles_of(&card.uris));
        titles.map(str::to_owned).collect()
    }

    /// The notes with relations that wait for one of these names.
    pub(super) fn waiting_for(&self, keys: &[String]) -> Vec<NodeId> {
        let waits = |names: &[String]| names.iter().any(|name| keys.contains(name));
        let notes = self.waiting.iter().filter(|(_, names)| waits(names));
        notes.map(|(note, _)| *note).collect()
    }

    /// The notes with relations that wait.
    pub(super) fn waiting(&self) -> Vec<NodeId> {
        self.waiting.keys().copied().collect()
    }

    /// The notes with relations that lead to one of these names.
    pub(super) fn linking_to(&self, keys: &[String]) -> Vec<NodeId> {
        self.links.leading_to(keys)
    }

    /// The notes that are to be read again.
    pub(super) fn stale(&self) -> Vec<NodeId> {
        self.links.stale.iter().copied().collect()
    }

    /// The entities from which others parted, which is not finished.
    pub(super) fn parting(&self) -> Vec<NodeId> {
        self.links.parting.iter().copied().collect()
    }

    /// What a text mentions, with how often and where first.
    pub(super) fn spot(&mut self, text: &str) -> Vec<(NodeId, Spotted)> {
        self.spot_beside(text, &[])
    }

    /// The same where some are known to be meant: of those who share a name, they are.
    pub(super) fn spot_beside(&mut self, text: &str, meant: &[NodeId]) -> Vec<(NodeId, Spotted)> {
        let (entities, notes) = (&self.entities, &self.notes);
        let spotter = self.spotter.get_or_insert_with(|| {
            let names = entities.iter().flat_map(|(node, card)| {
                let names = card.names.iter().chain(notes.names_of(&card.uris));
                names.map(|name| (*node, name.clone()))
            });
            Spotter::new(names)
        });
        spotter.spot(text, meant).into_iter().collect()
    }

    /// Makes an entity known by its own names and by those that notes have for it.
    fn call(&mut self, id: NodeId) {
        self.spotter = None;
        let Some(card) = self.entities.get(&id) else { return };
        let Some((name, more)) = card.names.split_first() else { return };
        let aliases: Vec<String> =
            more.iter().chain(self.notes.names_of(&card.uris)).cloned().collect();
        self.resolver.insert(id, card.entity_type.as_str(), name, &aliases);
    }

    /// The names of an entity that a note is about may be others now.
    fn call_again(&mut self, anchor: Option<String>) {
        if let Some(id) = anchor.and_then(|anchor| self.by_uri.get(&anchor).copied()) {
            self.call(id);
        }
    }
}

impl Learn for Catalogue {
    fn learn(&mut self, node: Node, _texts: Vec<Text>) {
        if let Some(tuning) = tuning::of(&node) {
            self.resolver.set_profile(tuning.entity_type.as_str(), tuning.profile.clone());
            self.tuning.insert(node.id, tuning);
        }
        let awaited = waiting::names_of(&node);
        if !awaited.is_empty() {
            self.waiting.insert(node.id, awaited);
        }
        self.links.learn(&node);
        let about = self.notes.learn(&node);
        self.call_again(about);
        let Some(entity) = Entity::of(node) else { return };
        let id = entity.node.id;
        let uris = std::iter::once(entity.uri).chain(log::same_as(&entity.node));
        let uris: Vec<String> = uris.map(|known| uri::anchor(&known)).collect();
        self.by_uri.extend(uris.iter().map(|uri| (uri.clone(), id)));
        let numbers = log::same_numbers(&entity.node);
        self.by_number.extend(numbers.iter().map(|number| (*number, id)));
        let names = std::iter::once(entity.node.name).chain(entity.node.aliases).collect();
        self.entities.insert(id, Card { entity_type: entity.entity_type, names, uris, numbers });
        self.call(id);
    }

    fn forget(&mut self, id: NodeId) {
        self.waiting.remove(&id);
        self.links.forget(id);
        let about = self.notes.forget(id);
        self.call_again(about);
        if let Some(tuning) = self.tuning.remove(&id) {
            let name = tuning.entity_type.as_str();
            self.resolver.set_profile(name, Profile::of(name));
        }
        let Some(card) = self.entities.remove(&id) else { return };
        self.resolver.remove(&id);
        self.by_number.retain(|number, node| *node != id || !card.numbers.contains(number));
        for uri in &card.uris {
            // Another node may have taken the URI over meanwhile.
            if self.by_uri.get(uri) == Some(&id) {
                self.by_uri.remove(uri);
            }
        }
        self.spotter = None;
    }
}

//! The in-memory index of the names one viewer sees: for resolving names, spotting them in texts,
//! and looking up URIs.

use std::collections::HashMap;

use lore_core::{Node, NodeId, Text};
use lore_resolve::{Profile, Query, Resolution, Resolver};

use super::spotter::{Spotted, Spotter};
use super::tuning::{self, Tuning};
use crate::knowledge::entities::{Entity, EntityType, uri};
use crate::knowledge::merge;
use crate::knowledge::relations::waiting;
use crate::knowledge::vault::linking::Links;
use crate::knowledge::vault::note_index::NoteIndex;
use crate::views::{Learn, Views};

/// The catalogues of all viewers.
pub type Catalogues = Views<Catalogue>;

/// The names one viewer sees.
#[derive(Default)]
pub struct Catalogue {
    resolver: Resolver<NodeId>,
    entities: HashMap<NodeId, Card>,
    /// By the stable part of their URIs (see [`uri::anchor`]).
    by_uri: HashMap<String, NodeId>,
    /// The node that an entity was merged into, by the number of the merged entity.
    by_number: HashMap<i64, NodeId>,
    notes: NoteIndex,
    /// Settings for types that notes define.
    tuning: HashMap<NodeId, Tuning>,
    /// The names that the relations of each note wait for.
    waiting: HashMap<NodeId, Vec<String>>,
    /// The names that the relations of notes lead to, and the notes to be read again.
    links: Links,
    spotter: Option<Spotter>,
}

/// What is stored about an entity.
struct Card {
    entity_type: EntityType,
    names: Vec<String>,
    uris: Vec<String>,
    numbers: Vec<i64>,
}

impl Catalogue {
    /// Returns the entities a name may refer to.
    pub(in crate::knowledge) fn resolve(&self, query: &Query<'_, NodeId>) -> Resolution<NodeId> {
        self.resolver.resolve(query)
    }

    /// Returns how names of a type are compared.
    pub(super) fn profile(&self, entity_type: EntityType) -> Profile {
        self.resolver.profile(entity_type.as_str())
    }

    /// Returns the type a word stands for: by the type's own name, by a note, or by a common
    /// synonym.
    pub(in crate::knowledge) fn type_called(&self, text: &str) -> Option<EntityType> {
        let told = self.tuning.values().filter(|tuning| tuning.is_meant_by(text));
        let told = told.map(|tuning| tuning.entity_type).min();
        EntityType::named(text).or(told).or_else(|| EntityType::read(text))
    }

    /// Returns the vault folder for notes of a type.
    pub(super) fn folder(&self, entity_type: EntityType) -> String {
        let about = self.tuning.values().filter(|tuning| tuning.entity_type == entity_type);
        let told = about.filter_map(|tuning| tuning.folder.as_deref()).min();
        told.unwrap_or(entity_type.folder()).to_owned()
    }

    /// Returns the entity with this URI, or the one it was merged into.
    pub(in crate::knowledge) fn by_uri(&self, uri: &str) -> Option<NodeId> {
        self.by_uri.get(&uri::anchor(uri)).copied()
    }

    /// Returns what the entity with this number was merged into.
    pub(in crate::knowledge) fn by_number(&self, number: i64) -> Option<NodeId> {
        self.by_number.get(&number).copied()
    }

    /// Whether others were merged into an entity.
    pub(in crate::knowledge) fn is_several(&self, id: NodeId) -> bool {
        self.entities.get(&id).is_some_and(|card| card.uris.len() > 1)
    }

    /// Returns the entity whose note a link leads to, and the anchor (stable part) of the URI that
    /// the note uses for it. If the link fits several notes, the only one about an entity of the
    /// `wanted` types counts.
    pub(in crate::knowledge) fn linked(
        &self,
        target: &str,
        wanted: &[EntityType],
    ) -> Option<(NodeId, String)> {
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

    /// Whether there is a note about an entity at exactly this path.
    pub(in crate::knowledge) fn is_note(&self, path: &str) -> bool {
        self.notes.is_at(path)
    }

    /// Whether another note than the one at a path has its file name and is about the entity with
    /// this URI.
    pub(in crate::knowledge) fn has_second_note(&self, path: &str, uri: &str) -> bool {
        self.notes.has_second(path, &uri::anchor(uri))
    }

    /// Returns the paths of the notes about entities whose text has this digest.
    pub(in crate::knowledge) fn notes_saying(&self, digest: &str) -> Vec<String> {
        self.notes.saying(digest)
    }

    /// Returns the file names of the notes about an entity.
    pub(in crate::knowledge) fn titles_of(&self, entity: &Entity) -> Vec<String> {
        let card = self.entities.get(&entity.node.id);
        let titles = card.into_iter().flat_map(|card| self.notes.titles_of(&card.uris));
        titles.map(str::to_owned).collect()
    }

    /// Returns the notes with relations that wait for one of these names.
    pub(in crate::knowledge) fn waiting_for(&self, keys: &[String]) -> Vec<NodeId> {
        let waits = |names: &[String]| names.iter().any(|name| keys.contains(name));
        let notes = self.waiting.iter().filter(|(_, names)| waits(names));
        notes.map(|(note, _)| *note).collect()
    }

    /// Returns the notes with waiting relations.
    pub(in crate::knowledge) fn waiting(&self) -> Vec<NodeId> {
        self.waiting.keys().copied().collect()
    }

    /// Returns the notes with relations that lead to one of these names.
    pub(in crate::knowledge) fn linking_to(&self, keys: &[String]) -> Vec<NodeId> {
        self.links.leading_to(keys)
    }

    /// Returns the notes to be read again.
    pub(in crate::knowledge) fn stale(&self) -> Vec<NodeId> {
        self.links.stale.iter().copied().collect()
    }

    /// Returns the entities with an unfinished unmerge.
    pub(in crate::knowledge) fn parting(&self) -> Vec<NodeId> {
        self.links.parting.iter().copied().collect()
    }

    /// Returns the entities a text mentions, with the number of mentions and the first context.
    pub(in crate::knowledge) fn spot(&mut self, text: &str) -> Vec<(NodeId, Spotted)> {
        self.spot_beside(text, &[])
    }

    /// Like [`Self::spot`]. A name shared by several entities counts only for those in `meant`, if
    /// any of them is.
    pub(in crate::knowledge) fn spot_beside(
        &mut self,
        text: &str,
        meant: &[NodeId],
    ) -> Vec<(NodeId, Spotted)> {
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

    /// Adds an entity to the resolver under its own names and those that notes give it.
    fn call(&mut self, id: NodeId) {
        self.spotter = None;
        let Some(card) = self.entities.get(&id) else { return };
        let Some((name, more)) = card.names.split_first() else { return };
        let aliases: Vec<String> =
            more.iter().chain(self.notes.names_of(&card.uris)).cloned().collect();
        self.resolver.insert(id, card.entity_type.as_str(), name, &aliases);
    }

    /// Updates the names of the entity that a note gave other names.
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
        let uris = std::iter::once(entity.uri).chain(merge::same_as(&entity.node));
        let uris: Vec<String> = uris.map(|known| uri::anchor(&known)).collect();
        self.by_uri.extend(uris.iter().map(|uri| (uri.clone(), id)));
        let numbers = merge::same_numbers(&entity.node);
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

#[cfg(test)]
mod tests {
    use lore_core::{Principal, Properties, Role, Uid, Viewer, WorldId};
    use lore_store::NewNode;
    use serde_json::{Value, json};

    use super::*;

    fn node(number: i64, kind: &str, name: &str, properties: Value) -> Node {
        let viewer = Viewer { principal: Principal::LOCAL, world: WorldId(1), role: Role::Owner };
        let uid = Uid::from_bytes(&[u8::try_from(number).unwrap(); 16]).unwrap();
        let properties: Properties = serde_json::from_value(properties).unwrap();
        let new =
            NewNode { properties, ..NewNode::new(uid, crate::play::word(kind).unwrap(), name) };
        let node = crate::preview::preview(&viewer, &new, lore_core::Timestamp::UNIX_EPOCH);
        Node { id: NodeId(number), number, ..node }
    }

    #[test]
    fn only_notes_that_give_names_have_the_names_learned_again() {
        let mut known = Catalogue::default();
        let uri = "orn:personal-koi.entity:person-ada-holt-1";
        known.learn(node(1, "person", "Ada Holt", json!({ "koi_uri": uri })), Vec::new());
        assert_eq!(known.spot("Ada Holt sails.").len(), 1);
        let note = |more: Value| {
            let mut properties = json!({ "rid": "vault:Ada.md", "about": uri, "digest": "1" });
            properties.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            node(2, "vault_note", "Ada", properties)
        };
        known.learn(note(json!({})), Vec::new());
        assert_eq!(known.notes_saying("1").len(), 1);
        known.forget(NodeId(2));
        assert!(known.spotter.is_some(), "no name changed");
        known.learn(note(json!({ "aside": ["Addie"] })), Vec::new());
        assert_eq!(known.spot("Addie sails.").len(), 1);
        known.forget(NodeId(2));
        assert_eq!(known.spot("Addie sails.").len(), 0);
    }
}

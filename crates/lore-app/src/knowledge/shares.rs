//! Whose names are whose, among entities that are one for now.
//!
//! A merge gives one entity the names of another. What comes and goes since is the other's where
//! it was told under the other's URI, which the log says.

use lore_core::names::name_key;
use lore_core::{Event, Node, Result};
use serde_json::Value;

use super::entities::Entity;
use super::entries::{self, ALIAS_ADDED, ALIAS_REMOVED, GIVEN, MERGED, OF, RENAMED, RETYPED};
use super::librarian::Librarian;
use super::log::{self, Given};
use super::ontology::EntityType;
use super::{parting, spoken, uri};

/// Who of those that are one entity now has which names.
pub(super) struct Shares {
    /// The names of the entity itself, but for the first.
    pub(super) own: Vec<String>,
    /// What was merged into it and has not parted, the last first.
    pub(super) merged: Vec<Share>,
    /// What happened to the entity, the last first.
    pub(super) events: Vec<Event>,
}

/// Something that was merged into another entity.
pub(super) struct Share {
    /// The entry of the merge.
    pub(super) merge: Event,
    /// What the merge gave.
    pub(super) given: Given,
    /// What was merged, as it lies in the bin.
    pub(super) node: Option<Node>,
    /// The names it has now, but for the first.
    pub(super) names: Vec<String>,
}

impl Shares {
    /// Those that are this entity.
    pub(super) async fn of(librarian: &Librarian, entity: &Entity) -> Result<Self> {
        let aliases = entity.node.aliases.clone();
        if log::same_as(&entity.node).is_empty() {
            return Ok(Self { own: aliases, merged: Vec::new(), events: Vec::new() });
        }
        let events = entries::events(librarian, entity.node.id).await?;
        let mut merged = Vec::new();
        for (merge, given) in open(&events) {
            let node = parting::gone(librarian, &given).await?;
            let names = node.as_ref().map_or_else(|| given.aliases.clone(), |n| n.aliases.clone());
            let told = since(&events, merge.sequence).filter(|event| given.is_told_of(event));
            let names = told.fold(names, retold);
            merged.push(Share { merge: merge.clone(), given, node, names });
        }
        let own = own(&aliases, &merged, &events);
        Ok(Self { own, merged, events })
    }

    /// Which of those that were merged a URI means, itself or what had been merged into it, with
    /// the URI as it is kept; none where it is the entity's own.
    pub(super) fn meant(&self, uri: &str) -> Option<(&Share, &String)> {
        let anchor = uri::anchor(uri);
        self.merged.iter().find_map(|share| {
            let own = share.given.uris.iter().find(|own| uri::anchor(own) == anchor)?;
            Some((share, own))
        })
    }

    /// All names but `first`, which the entity has, as they are without one of those that were
    /// merged.
    pub(super) fn without(&self, parted: &Share, first: &str) -> Vec<String> {
        let stay = self.merged.iter().filter(|share| share.given.uid != parted.given.uid);
        let theirs = stay.flat_map(|share| share.names.iter().chain([&share.given.name]));
        let mut names: Vec<String> = Vec::new();
        for name in self.own.iter().chain(theirs) {
            if !is(name, first) && !names.iter().any(|known| is(known, name)) {
                names.push(name.clone());
            }
        }
        names
    }

    /// The URI of whom something is told by a name or URI, where that was merged into the entity,
    /// which goes by `first` itself.
    pub(super) fn told_of(&self, called: &str, first: &str) -> Option<&String> {
        match called.starts_with(uri::PREFIX) {
            true => self.meant(called).map(|(_, of)| of),
            false if is(called, first) => None,
            false => self.owner("", called),
        }
    }

    /// What one of those that are one is, by the URI of what was merged, or else the entity itself,
    /// which is shown as `shown`.
    pub(super) fn type_of(&self, of: Option<&String>, shown: EntityType) -> EntityType {
        let share = of.and_then(|of| self.merged.iter().find(|one| one.given.uris.contains(of)));
        // They were of one type when they were merged.
        let Some(first) = share.or(self.merged.last()) else { return shown };
        let later = since(&self.events, first.merge.sequence);
        let own = later.filter(|event| match share {
            Some(share) => share.given.is_told_of(event),
            None => told_of(event).is_none(),
        });
        let told = own.filter(|event| event.kind == RETYPED).last().and_then(type_told);
        told.or_else(|| EntityType::of(first.node.as_ref()?)).unwrap_or(shown)
    }

    /// How many of those that are one have a name.
    pub(super) fn owners(&self, name: &str) -> usize {
        let own = usize::from(self.own.iter().any(|own| is(own, name)));
        own + self.merged.iter().filter(|share| share.has(name)).count()
    }

    /// The URI of who has a name and was merged: whom a URI means, or else whoever has it.
    pub(super) fn owner(&self, uri: &str, name: &str) -> Option<&String> {
        let meant = self.meant(uri).filter(|(share, _)| share.has(name));
        let is_own = self.own.iter().any(|own| is(own, name));
        meant.map(|(_, uri)| uri).or_else(|| match is_own {
            true => None,
            false => self.merged.iter().find(|share| share.has(name)).map(|one| &one.given.uri),
        })
    }
}

impl Share {
    /// Whether it goes by a name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.names.iter().chain([&self.given.name]).any(|own| is(own, name))
    }

    /// The names that somebody gave it who is no note.
    pub(super) fn names_given(&self, events: &[Event]) -> Vec<String> {
        let names = self.node.as_ref().map(spoken::names_given).unwrap_or_default();
        let changes = |event: &&Event| match event.kind.as_str() {
            ALIAS_ADDED => entries::details(event).get(GIVEN) == Some(&Value::Bool(true)),
            kind => kind == ALIAS_REMOVED,
        };
        self.told(events).filter(changes).fold(names, retold)
    }

    /// Whether the merge gave the other a name.
    fn gave(&self, name: &str) -> bool {
        self.given.aliases.iter().any(|alias| is(alias, name))
    }

    /// What was told of it since it was merged, the first first.
    pub(super) fn told<'a>(&'a self, events: &'a [Event]) -> impl Iterator<Item = &'a Event> {
        let later = since(events, self.merge.sequence);
        later.filter(|event| self.given.is_told_of(event))
    }
}

/// The merges that were not undone, the last first.
fn open(events: &[Event]) -> impl Iterator<Item = (&Event, Given)> {
    let undone = |merge: &Event| events.iter().any(|event| event.settles == Some(merge.sequence));
    let merges = events.iter().filter(|event| event.kind == MERGED);
    let open = merges.filter(move |event| !undone(event));
    open.filter_map(|event| Some((event, serde_json::from_value(entries::details(event)).ok()?)))
}

/// What came after an entry, the first first. The log has the last first.
fn since(events: &[Event], sequence: i64) -> impl Iterator<Item = &Event> {
    events.iter().rev().filter(move |event| event.sequence > sequence)
}

/// The names of the entity itself: those it had when it was last merged with another, and what was
/// told of it since; and whatever came through other doors and is nobody else's.
fn own(aliases: &[String], merged: &[Share], events: &[Event]) -> Vec<String> {
    let Some(last) = merged.first() else { return aliases.to_vec() };
    let later = || since(events, last.merge.sequence);
    let of_itself = later().filter(|event| told_of(event).is_none());
    let told = of_itself.fold(last.given.stays.clone().unwrap_or_default(), retold);
    let of_others = |event: &&Event| event.kind == ALIAS_REMOVED && told_of(event).is_some();
    let lost: Vec<String> = later().filter(of_others).filter_map(alias).collect();
    let was_told = |name: &String| told.iter().any(|own| is(own, name));
    let others = |name: &String| merged.iter().any(|share| share.has(name) || share.gave(name));
    let shown = aliases.iter().filter(|name| was_told(name) || !others(name));
    let hidden = told.iter().filter(|name| {
        let is_name = |other: &String| is(other, name);
        lost.iter().any(is_name) && !aliases.iter().any(is_name)
    });
    shown.chain(hidden).cloned().collect()
}

/// Names after an entry of the log.
fn retold(mut names: Vec<String>, event: &Event) -> Vec<String> {
    let text = |key: &str| entries::details(event).get(key)?.as_str().map(str::to_owned);
    let (gone, come) = match event.kind.as_str() {
        ALIAS_ADDED => (None, text("alias")),
        ALIAS_REMOVED => (text("alias"), None),
        RENAMED => (text("to"), text("from")),
        _ => (None, None),
    };
    names.retain(|name| !gone.iter().any(|gone| is(gone, name)));
    names.extend(come.filter(|come| !names.iter().any(|name| is(name, come))));
    names
}

/// The URI of what was merged and an entry is about.
pub(super) fn told_of(event: &Event) -> Option<String> {
    entries::details(event).get(OF).and_then(Value::as_str).map(str::to_owned)
}

/// What an entry says that something is.
pub(super) fn type_told(event: &Event) -> Option<EntityType> {
    entries::details(event).get("to").and_then(Value::as_str).and_then(EntityType::read)
}

fn alias(event: &Event) -> Option<String> {
    entries::details(event).get("alias").and_then(Value::as_str).map(str::to_owned)
}

fn is(one: &str, other: &str) -> bool {
    name_key(one) == name_key(other)
}

//! Whose names are whose, among entities that are one for now.
//!
//! A merge gives one entity the names of another. What comes and goes since is the other's where
//! it was told under the other's URI, which the log says.

use futures::FutureExt;
use futures::future::BoxFuture;
use lore_core::names::name_key;
use lore_core::{Event, Node, Result, Text, Timestamp};
use lore_store::Bin;
use serde_json::Value;

use super::entities::Entity;
use super::entries::{
    self, ALIAS_ADDED, ALIAS_REMOVED, DESCRIBED, GIVEN, MERGED, OF, RENAMED, RETYPED,
};
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
    /// The names of itself, as they are now, but for the first.
    pub(super) own: Vec<String>,
    /// What had been merged into it, the last first.
    parts: Vec<Share>,
    /// What was told of it and of its parts since it was merged, the first first.
    pub(super) told: Vec<Event>,
}

/// One that parts from an entity, with those that were merged into it since.
pub(super) struct Party<'a> {
    pub(super) main: &'a Share,
    /// The first first.
    pub(super) joined: Vec<&'a Share>,
}

impl Shares {
    /// Those that are this entity.
    pub(super) async fn of(librarian: &Librarian, entity: &Entity) -> Result<Self> {
        let aliases = entity.node.aliases.clone();
        if log::same_as(&entity.node).is_empty() {
            return Ok(Self { own: aliases, merged: Vec::new(), events: Vec::new() });
        }
        let events = entries::events(librarian, entity.node.id, Bin::Live).await?;
        let merged = merged(librarian, &events, &[]).await?;
        let own = own(&aliases, &merged, &events);
        Ok(Self { own, merged, events })
    }

    /// Everybody that was merged into the entity, and into those.
    pub(super) fn everybody(&self) -> Vec<&Share> {
        let mut all: Vec<&Share> = self.merged.iter().collect();
        let mut next = 0;
        while let Some(share) = all.get(next) {
            let parts = share.parts.iter();
            all.extend(parts);
            next += 1;
        }
        all
    }

    /// Which of those that were merged a URI means, itself or what had been merged into it, with
    /// the URI as it is kept; none where it is the entity's own.
    pub(super) fn meant(&self, uri: &str) -> Option<(&Share, &String)> {
        meant(&self.merged, &uri::anchor(uri))
    }

    /// The URI of whom a text of the entity is, where that was merged into it.
    pub(super) fn teller_of(&self, text: &Text) -> Option<String> {
        let uid = text.uid.to_string();
        let share = self.merged.iter().find(|share| share.given.texts.contains(&uid));
        let described = |event: &&Event| {
            event.kind == DESCRIBED
                && entries::details(event).get("text").and_then(Value::as_str) == Some(&uid)
        };
        let told = || self.events.iter().find(described).and_then(told_of);
        share.map(|share| share.given.uri.clone()).or_else(told)
    }

    /// The one that parts when a URI does, with those that were merged into it since.
    pub(super) fn party(&self, uri: &str) -> Option<Party<'_>> {
        let anchor = uri::anchor(uri);
        let main = self.merged.iter().find(|share| uri::anchor(&share.given.uri) == anchor)?;
        let mut party = Party { main, joined: Vec::new() };
        for share in self.merged.iter().rev() {
            if share.given.of.as_ref().is_some_and(|of| party.has_uri(of)) {
                party.joined.push(share);
            }
        }
        Some(party)
    }

    /// All names but `first`, which the entity has, as they are without some of those that were
    /// merged.
    pub(super) fn without(&self, parted: &Party<'_>, first: &str) -> Vec<String> {
        let stay = self.merged.iter().filter(|share| !parted.has_uri(&share.given.uri));
        let theirs = stay.flat_map(Share::called);
        distinct(self.own.iter().cloned().chain(theirs), first)
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
        let share = of.and_then(|of| self.meant(of)).map(|(share, _)| share);
        // They were of one type when they were merged.
        let Some(first) = share.or(self.merged.last()) else { return shown };
        let retyped = |event: &&Event| event.kind == RETYPED;
        let told = match share {
            Some(share) => share.told_of_itself().filter(retyped).last(),
            None => {
                let later = since(&self.events, first.merge.sequence);
                later.filter(|event| told_of(event).is_none()).filter(retyped).last()
            }
        };
        let told = told.and_then(type_told);
        told.or_else(|| EntityType::of(first.node.as_ref()?)).unwrap_or(shown)
    }

    /// Whether the entity itself, which goes by `first`, has a name.
    pub(super) fn has(&self, name: &str, first: &str) -> bool {
        is(name, first) || self.own.iter().any(|own| is(own, name))
    }

    /// How many of those that are one have a name.
    pub(super) fn owners(&self, name: &str) -> usize {
        let own = usize::from(self.own.iter().any(|own| is(own, name)));
        own + self.merged.iter().map(|share| share.owners(name)).sum::<usize>()
    }

    /// The URI of who has a name and was merged: whom a URI means, or else whoever has it.
    pub(super) fn owner(&self, uri: &str, name: &str) -> Option<&String> {
        let meant = self.meant(uri).and_then(|(share, _)| share.owner(name));
        let is_own = self.own.iter().any(|own| is(own, name));
        meant.or_else(|| match is_own {
            true => None,
            false => self.merged.iter().find_map(|share| share.owner(name)),
        })
    }
}

fn meant<'a>(merged: &'a [Share], anchor: &str) -> Option<(&'a Share, &'a String)> {
    merged.iter().find_map(|share| {
        let own = share.given.uris.iter().find(|own| uri::anchor(own) == anchor)?;
        Some(meant(&share.parts, anchor).unwrap_or((share, own)))
    })
}

/// What was merged into something whose log is `events`, the last first, with what was told of each
/// there and `later` elsewhere.
fn merged<'a>(
    librarian: &'a Librarian,
    events: &'a [Event],
    later: &'a [Event],
) -> BoxFuture<'a, Result<Vec<Share>>> {
    async move {
        let mut merged = Vec::new();
        for (merge, given) in open(events) {
            let told = since(events, merge.sequence).chain(later);
            let told = told.filter(|event| given.is_told_of(event)).cloned().collect();
            merged.push(share(librarian, merge.clone(), given, told).await?);
        }
        Ok(merged)
    }
    .boxed()
}

async fn share(
    librarian: &Librarian,
    merge: Event,
    given: Given,
    told: Vec<Event>,
) -> Result<Share> {
    let node = parting::gone(librarian, &given).await?;
    let events = match &node {
        Some(node) if !log::same_as(node).is_empty() => {
            entries::events(librarian, node.id, Bin::Deleted).await?
        }
        _ => Vec::new(),
    };
    let parts = merged(librarian, &events, &told).await?;
    let aliases = node.as_ref().map_or(&given.aliases, |node| &node.aliases);
    let had = own(aliases, &parts, &events);
    let share = Share { merge, given, node, own: Vec::new(), parts, told };
    let own = share.told_of_itself().fold(had, retold);
    Ok(Share { own, ..share })
}

impl Party<'_> {
    /// Everybody of them, the one that parts first.
    pub(super) fn all(&self) -> impl Iterator<Item = &Share> {
        std::iter::once(self.main).chain(self.joined.iter().copied())
    }

    /// Whether a URI is that of one of them, or of what had been merged into one.
    pub(super) fn has_uri(&self, uri: &str) -> bool {
        self.all().any(|share| share.given.uris.iter().any(|own| own == uri))
    }

    /// What was told of one of them since the first was merged, the first first.
    pub(super) fn told<'s>(&'s self, shares: &'s Shares) -> impl Iterator<Item = &'s Event> {
        let later = since(&shares.events, self.main.merge.sequence);
        later.filter(|event| told_of(event).is_some_and(|of| self.has_uri(&of)))
    }

    /// The one that an entry tells to have been merged into the one that parts.
    pub(super) fn merged_by(&self, merge: &Event) -> Option<&Share> {
        self.joined.iter().copied().find(|share| share.merge.sequence == merge.sequence)
    }

    /// All names of the one that parts, but for the first.
    pub(super) fn names(&self) -> Vec<String> {
        let names = self.main.names().into_iter();
        let all = names.chain(self.joined.iter().flat_map(|share| share.called()));
        distinct(all, &self.main.given.name)
    }
}

impl Share {
    /// When it was merged. Its entry may have come to this log later, from that of another.
    pub(super) fn merged_at(&self) -> Timestamp {
        let before = self.given.at.as_ref().and_then(|at| at.parse().ok());
        before.unwrap_or(self.merge.at)
    }

    /// Whether itself goes by a name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.own.iter().chain([&self.given.name]).any(|own| is(own, name))
    }

    /// All names but the first: its own, and those of its parts.
    pub(super) fn names(&self) -> Vec<String> {
        let parts = self.parts.iter().flat_map(Self::called);
        distinct(self.own.iter().cloned().chain(parts), &self.given.name)
    }

    /// All names.
    pub(super) fn called(&self) -> Vec<String> {
        std::iter::once(self.given.name.clone()).chain(self.names()).collect()
    }

    /// The names that somebody gave it who is no note.
    pub(super) fn names_given(&self) -> Vec<String> {
        let names = self.node.as_ref().map(spoken::names_given).unwrap_or_default();
        let changes = |event: &&Event| match event.kind.as_str() {
            ALIAS_ADDED => entries::details(event).get(GIVEN) == Some(&Value::Bool(true)),
            kind => kind == ALIAS_REMOVED,
        };
        self.told_of_itself().filter(changes).fold(names, retold)
    }

    /// What was told of itself since it was merged, the first first.
    pub(super) fn told_of_itself(&self) -> impl Iterator<Item = &Event> {
        let is_of_part =
            |event: &&Event| self.parts.iter().any(|part| part.given.is_told_of(event));
        self.told.iter().filter(move |event| !is_of_part(event))
    }

    /// The URI of who of it has a name.
    fn owner(&self, name: &str) -> Option<&String> {
        let of_part = || self.parts.iter().find_map(|part| part.owner(name));
        self.has(name).then_some(&self.given.uri).or_else(of_part)
    }

    fn owners(&self, name: &str) -> usize {
        let of_parts: usize = self.parts.iter().map(|part| part.owners(name)).sum();
        usize::from(self.has(name)) + of_parts
    }

    /// Whether the merge gave the other a name.
    fn gave(&self, name: &str) -> bool {
        self.given.aliases.iter().any(|alias| is(alias, name))
    }
}

/// Names, each once, without `first`.
fn distinct(all: impl Iterator<Item = String>, first: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in all {
        if !is(&name, first) && !names.iter().any(|known| is(known, &name)) {
            names.push(name);
        }
    }
    names
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
    let others =
        |name: &String| merged.iter().any(|share| share.owners(name) > 0 || share.gave(name));
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

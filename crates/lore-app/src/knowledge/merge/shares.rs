//! Shares: what each entity contributes to a merged entity.
//!
//! A merge soft-deletes one entity and gives its names to another, the survivor. A share records
//! what one merged entity contributed. Names and types that change after the merge belong to the
//! merged entity if the change was made under its URI, which the survivor's log records; otherwise
//! they belong to the survivor. Unmerging ("parting") relies on this to give each entity back its
//! own.

use futures::FutureExt;
use futures::future::BoxFuture;
use lore_core::names::is_same_name;
use lore_core::{Event, Node, Result, Text, Timestamp};
use lore_store::Bin;
use serde_json::Value;

use crate::knowledge::entities::history::{
    self, ALIAS_ADDED, ALIAS_REMOVED, DESCRIBED, GIVEN, MERGED, OF, RENAMED, RETYPED,
};
use crate::knowledge::entities::{Entity, EntityType, uri, vouching};
use crate::knowledge::librarian::Librarian;
use crate::knowledge::merge::{self, Given, unmerge};

/// Who has which names within one merged entity.
pub(in crate::knowledge) struct Shares {
    /// The survivor's own aliases (all its names except the primary one).
    pub(in crate::knowledge) own: Vec<String>,
    /// The entities merged into it and not separated since, newest merge first.
    pub(in crate::knowledge) merged: Vec<Share>,
    /// The survivor's log, newest first. Empty if nothing was merged into it.
    pub(in crate::knowledge) events: Vec<Event>,
}

/// One entity that was merged into another.
pub(in crate::knowledge) struct Share {
    /// The log entry of the merge.
    pub(in crate::knowledge) merge: Event,
    /// What the merge gave to the survivor.
    pub(in crate::knowledge) given: Given,
    /// The merged entity's node in the bin; `None` if it cannot be found there.
    pub(in crate::knowledge) node: Option<Node>,
    /// Its own current aliases, without those of its parts.
    pub(in crate::knowledge) own: Vec<String>,
    /// Entities that had been merged into it before, newest merge first.
    parts: Vec<Share>,
    /// Log entries about it or its parts since it was merged, oldest first.
    pub(in crate::knowledge) told: Vec<Event>,
}

/// A merged entity that is to become separate again (the departing entity), with its companions.
pub(super) struct Party<'a> {
    pub(super) main: &'a Share,
    /// Its companions: what was merged into it while it was itself merged. Oldest merge first.
    pub(super) joined: Vec<&'a Share>,
}

impl Shares {
    /// Reads the shares of an entity from its log and from the bin.
    pub(in crate::knowledge) async fn of(librarian: &Librarian, entity: &Entity) -> Result<Self> {
        let aliases = entity.node.aliases.clone();
        if merge::same_as(&entity.node).is_empty() {
            return Ok(Self { own: aliases, merged: Vec::new(), events: Vec::new() });
        }
        let events = history::events(librarian, entity.node.id, Bin::Live).await?;
        let merged = merged(librarian, &events).await?;
        let own = own(&aliases, &merged, &events);
        Ok(Self { own, merged, events })
    }

    /// Returns every entity merged into this one, directly or through another merged entity.
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

    /// Returns the merged entity that a URI refers to, directly or as a part of another, and that
    /// URI as it was recorded. `None` if the URI is the survivor's own.
    pub(in crate::knowledge) fn meant(&self, uri: &str) -> Option<(&Share, &String)> {
        meant(&self.merged, &uri::anchor(uri))
    }

    /// Returns the URI of the merged entity that a text belongs to, or `None` if it is the
    /// survivor's.
    pub(in crate::knowledge) fn teller_of(&self, text: &Text) -> Option<String> {
        let uid = text.uid.to_string();
        let share = self.merged.iter().find(|share| share.given.texts.contains(&uid));
        let described = |event: &&Event| {
            event.kind == DESCRIBED
                && history::details(event).get("text").and_then(Value::as_str) == Some(&uid)
        };
        let told = || self.events.iter().find(described).and_then(entity_of);
        share.map(|share| share.given.uri.clone()).or_else(told)
    }

    /// Returns what leaves when the entity with this URI is unmerged: it and its companions. `None`
    /// if nothing with this URI was merged directly into the survivor.
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

    /// Returns the aliases the survivor keeps once `parted` has left. `first` is its primary name.
    pub(super) fn without(&self, parted: &Party<'_>, first: &str) -> Vec<String> {
        let stay = self.merged.iter().filter(|share| !parted.has_uri(&share.given.uri));
        let theirs = stay.flat_map(Share::called);
        distinct(self.own.iter().cloned().chain(theirs), first)
    }

    /// Returns the URI of the merged entity that `called`, a name or URI, refers to. `None` if it
    /// refers to the survivor, whose primary name is `first`.
    pub(in crate::knowledge) fn meant_by(&self, called: &str, first: &str) -> Option<&String> {
        match called.starts_with(uri::PREFIX) {
            true => self.meant(called).map(|(_, of)| of),
            false if is_same_name(called, first) => None,
            false => self.first_named(called).or_else(|| self.owner("", called)),
        }
    }

    /// Returns the URI of the merged entity whose primary name this is. It comes before those that
    /// have the name as an alias, as it does where nothing is merged.
    fn first_named(&self, name: &str) -> Option<&String> {
        let named =
            self.everybody().into_iter().find(|share| is_same_name(&share.given.name, name));
        named.map(|share| &share.given.uri)
    }

    /// Whether the entity within `node` that a URI refers to has this name as an alias. The
    /// survivor does not show an alias of a merged entity that is its own primary name.
    pub(in crate::knowledge) fn is_alias(&self, node: &Node, uri: &str, name: &str) -> bool {
        let aliases = self.meant(uri).map_or(&node.aliases, |(share, _)| &share.own);
        aliases.iter().any(|alias| is_same_name(alias, name))
    }

    /// Returns the type of the merged entity with the URI `of`, or of the survivor if `of` is
    /// `None`. `shown` is the type the merged whole currently has, used if nothing else is known.
    pub(in crate::knowledge) fn type_of(
        &self,
        of: Option<&String>,
        shown: EntityType,
    ) -> EntityType {
        let share = of.and_then(|of| self.meant(of)).map(|(share, _)| share);
        // Only entities of the same type can be merged, so the oldest share also tells the
        // survivor's type.
        let Some(first) = share.or(self.merged.last()) else { return shown };
        let retyped = |event: &&Event| event.kind == RETYPED;
        let told = match share {
            Some(share) => share.told_of_itself().filter(retyped).last(),
            None => {
                let later = since(&self.events, first.merge.sequence);
                later.filter(|event| entity_of(event).is_none()).filter(retyped).last()
            }
        };
        let told = told.and_then(type_told);
        told.or_else(|| EntityType::of(first.node.as_ref()?)).unwrap_or(shown)
    }

    /// Whether the survivor itself has this name. `first` is its primary name.
    pub(in crate::knowledge) fn has(&self, name: &str, first: &str) -> bool {
        is_same_name(name, first) || self.own.iter().any(|own| is_same_name(own, name))
    }

    /// Counts the entities within this one that have this name, not counting the survivor's primary
    /// name.
    pub(in crate::knowledge) fn owners(&self, name: &str) -> usize {
        let own = usize::from(self.own.iter().any(|own| is_same_name(own, name)));
        own + self.merged.iter().map(|share| share.owners(name)).sum::<usize>()
    }

    /// Returns the URI of the merged entity that has this name: the one `uri` refers to if it has
    /// the name, otherwise any other. `None` if the name is the survivor's own alias or nobody's.
    pub(in crate::knowledge) fn owner(&self, uri: &str, name: &str) -> Option<&String> {
        let meant = self.meant(uri).and_then(|(share, _)| share.owner(name));
        let is_own = self.own.iter().any(|own| is_same_name(own, name));
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

/// Reads the shares that a log (`events`, newest first) records, newest merge first, as far as that
/// log tells.
fn merged<'a>(librarian: &'a Librarian, events: &'a [Event]) -> BoxFuture<'a, Result<Vec<Share>>> {
    async move {
        let mut merged = Vec::new();
        for (merge, given) in open(events) {
            let mut share = share(librarian, merge.clone(), given).await?;
            share.hear(since(events, merge.sequence));
            merged.push(share);
        }
        Ok(merged)
    }
    .boxed()
}

/// Returns a merged entity as it was when it was merged.
async fn share(librarian: &Librarian, merge: Event, given: Given) -> Result<Share> {
    let node = unmerge::gone(librarian, &given).await?;
    let events = match &node {
        Some(node) if !merge::same_as(node).is_empty() => {
            history::events(librarian, node.id, Bin::Deleted).await?
        }
        _ => Vec::new(),
    };
    let parts = merged(librarian, &events).await?;
    let aliases = node.as_ref().map_or(&given.aliases, |node| &node.aliases);
    let own = own(aliases, &parts, &events);
    Ok(Share { merge, given, node, own, parts, told: Vec::new() })
}

impl Party<'_> {
    /// Returns the departing entity, then its companions.
    pub(super) fn all(&self) -> impl Iterator<Item = &Share> {
        std::iter::once(self.main).chain(self.joined.iter().copied())
    }

    /// Whether a URI belongs to one of them or to anything merged into one of them earlier.
    pub(super) fn has_uri(&self, uri: &str) -> bool {
        self.all().any(|share| share.given.uris.iter().any(|own| own == uri))
    }

    /// Returns the log entries about any of them since the departing entity was merged, oldest
    /// first.
    pub(super) fn told<'s>(&'s self, shares: &'s Shares) -> impl Iterator<Item = &'s Event> {
        let later = since(&shares.events, self.main.merge.sequence);
        later.filter(|event| entity_of(event).is_some_and(|of| self.has_uri(&of)))
    }

    /// Returns the companion whose merge this log entry records, unless that merge was undone.
    pub(super) fn merged_by(&self, merge: &Event) -> Option<&Share> {
        self.joined.iter().copied().find(|share| share.merge.sequence == merge.sequence)
    }

    /// Returns the aliases of the departing entity, including all names of its companions.
    pub(super) fn names(&self) -> Vec<String> {
        let names = self.main.names().into_iter();
        let all = names.chain(self.joined.iter().flat_map(|share| share.called()));
        distinct(all, &self.main.given.name)
    }
}

impl Share {
    /// Applies the log entries about it or its parts, oldest first, among entries that are younger
    /// than all it knows.
    fn hear<'e>(&mut self, events: impl Iterator<Item = &'e Event>) {
        let told: Vec<&Event> = events.filter(|event| self.given.is_told_of(event)).collect();
        let is_of_part = |event: &Event| self.parts.iter().any(|part| part.given.is_told_of(event));
        let of_itself = told.iter().copied().filter(|event| !is_of_part(event));
        self.own = of_itself.fold(std::mem::take(&mut self.own), retold);
        for part in &mut self.parts {
            part.hear(told.iter().copied());
        }
        self.told.extend(told.into_iter().cloned());
    }

    /// Returns when it was merged. The log entry can be younger than that, because unmerging copies
    /// entries to the log of the departing entity.
    pub(super) fn merged_at(&self) -> Timestamp {
        let before = self.given.at.as_ref().and_then(|at| at.parse().ok());
        before.unwrap_or(self.merge.at)
    }

    /// Whether this entity itself, without its parts, has this name.
    pub(in crate::knowledge) fn has(&self, name: &str) -> bool {
        self.own.iter().chain([&self.given.name]).any(|own| is_same_name(own, name))
    }

    /// Returns all its aliases: its own and every name of its parts.
    pub(super) fn names(&self) -> Vec<String> {
        let parts = self.parts.iter().flat_map(Self::called);
        distinct(self.own.iter().cloned().chain(parts), &self.given.name)
    }

    /// Returns all its names, the primary one first.
    pub(super) fn called(&self) -> Vec<String> {
        std::iter::once(self.given.name.clone()).chain(self.names()).collect()
    }

    /// Returns the names it was given by somebody, as opposed to a vault note.
    pub(in crate::knowledge) fn names_given(&self) -> Vec<String> {
        let names = self.node.as_ref().map(vouching::names_given).unwrap_or_default();
        let changes = |event: &&Event| match event.kind.as_str() {
            ALIAS_ADDED => history::details(event).get(GIVEN) == Some(&Value::Bool(true)),
            kind => kind == ALIAS_REMOVED,
        };
        self.told_of_itself().filter(changes).fold(names, retold)
    }

    /// Returns the log entries about itself, not its parts, since it was merged; oldest first.
    pub(in crate::knowledge) fn told_of_itself(&self) -> impl Iterator<Item = &Event> {
        let is_of_part =
            |event: &&Event| self.parts.iter().any(|part| part.given.is_told_of(event));
        self.told.iter().filter(move |event| !is_of_part(event))
    }

    /// Returns the URI of the entity within this share that has this name.
    fn owner(&self, name: &str) -> Option<&String> {
        let of_part = || self.parts.iter().find_map(|part| part.owner(name));
        self.has(name).then_some(&self.given.uri).or_else(of_part)
    }

    fn owners(&self, name: &str) -> usize {
        let of_parts: usize = self.parts.iter().map(|part| part.owners(name)).sum();
        usize::from(self.has(name)) + of_parts
    }

    /// Whether the merge gave this name to the survivor.
    fn gave(&self, name: &str) -> bool {
        self.given.aliases.iter().any(|alias| is_same_name(alias, name))
    }
}

/// Removes duplicates and `first` from a list of names.
fn distinct(all: impl Iterator<Item = String>, first: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in all {
        if !is_same_name(&name, first) && !names.iter().any(|known| is_same_name(known, &name)) {
            names.push(name);
        }
    }
    names
}

/// Returns the merges that were not undone, newest first.
fn open(events: &[Event]) -> impl Iterator<Item = (&Event, Given)> {
    let undone = |merge: &Event| events.iter().any(|event| event.settles == Some(merge.sequence));
    let merges = events.iter().filter(|event| event.kind == MERGED);
    let open = merges.filter(move |event| !undone(event));
    open.filter_map(|event| Some((event, serde_json::from_value(history::details(event)).ok()?)))
}

/// Returns the entries after `sequence`, oldest first. The log itself is newest first.
fn since(events: &[Event], sequence: i64) -> impl Iterator<Item = &Event> {
    events.iter().rev().filter(move |event| event.sequence > sequence)
}

/// Works out an entity's own aliases when others are merged into it.
///
/// They are the aliases it had at the latest merge, changed by the log entries about it since.
/// Added to them are aliases that came through other toolsets without a log entry, if no merged
/// entity has them. An own alias also counts if the node lost it only because the same name was
/// removed from a merged entity.
fn own(aliases: &[String], merged: &[Share], events: &[Event]) -> Vec<String> {
    let Some(last) = merged.first() else { return aliases.to_vec() };
    let later = || since(events, last.merge.sequence);
    let of_itself = later().filter(|event| entity_of(event).is_none());
    let told = of_itself.fold(last.given.stays.clone().unwrap_or_default(), retold);
    let of_others = |event: &&Event| event.kind == ALIAS_REMOVED && entity_of(event).is_some();
    let lost: Vec<String> = later().filter(of_others).filter_map(alias).collect();
    let was_told = |name: &String| told.iter().any(|own| is_same_name(own, name));
    let others =
        |name: &String| merged.iter().any(|share| share.owners(name) > 0 || share.gave(name));
    let shown = aliases.iter().filter(|name| was_told(name) || !others(name));
    let hidden = told.iter().filter(|name| {
        let is_name = |other: &String| is_same_name(other, name);
        lost.iter().any(is_name) && !aliases.iter().any(is_name)
    });
    shown.chain(hidden).cloned().collect()
}

/// Applies one log entry to a list of aliases.
fn retold(mut names: Vec<String>, event: &Event) -> Vec<String> {
    let text = |key: &str| history::details(event).get(key)?.as_str().map(str::to_owned);
    let (gone, come) = match event.kind.as_str() {
        ALIAS_ADDED => (None, text("alias")),
        ALIAS_REMOVED => (text("alias"), None),
        RENAMED => (text("to"), text("from")),
        _ => (None, None),
    };
    names.retain(|name| !gone.iter().any(|gone| is_same_name(gone, name)));
    names.extend(come.filter(|come| !names.iter().any(|name| is_same_name(name, come))));
    names
}

/// Returns the URI of the merged entity that a log entry is about; `None` if it is the survivor.
pub(super) fn entity_of(event: &Event) -> Option<String> {
    history::details(event).get(OF).and_then(Value::as_str).map(str::to_owned)
}

/// Returns the type that a log entry says an entity changed to.
pub(super) fn type_told(event: &Event) -> Option<EntityType> {
    history::details(event).get("to").and_then(Value::as_str).and_then(EntityType::read)
}

fn alias(event: &Event) -> Option<String> {
    history::details(event).get("alias").and_then(Value::as_str).map(str::to_owned)
}

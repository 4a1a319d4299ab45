//! Unmerging: copying log entries about the departing entity from the survivor's log into its own
//! (terms: see `unmerge`).

use lore_core::names::name_key;
use lore_core::{Event, Node};
use lore_store::Change;
use serde_json::{Value, json};

use super::edges::Parting;
use crate::knowledge::entities::Entity;
use crate::knowledge::entities::history::{self, Entry, MERGED, OF};
use crate::knowledge::librarian::Librarian;
use crate::knowledge::merge::Triple;
use crate::knowledge::merge::shares::{Party, Share, Shares};

/// The log entries to hand over to the departing entity.
pub(super) struct HandedOver<'a> {
    pub(super) librarian: &'a Librarian,
    /// The departing entity, as it is in the bin.
    pub(super) node: &'a Node,
    pub(super) party: &'a Party<'a>,
    pub(super) parting: &'a Parting<'a>,
}

impl HandedOver<'_> {
    /// Returns the changes that append the entries to its log.
    pub(super) fn changes(&self, shares: &Shares) -> Vec<Change> {
        self.party.told(shares).filter_map(|event| self.entry(event)).collect()
    }

    fn entry(&self, event: &Event) -> Option<Change> {
        let (details, behind) = match event.kind.as_str() {
            // An undone merge belongs to no companion, so it is not handed over.
            MERGED => self.merge(self.party.merged_by(event)?, event),
            _ => (history::details(event), Value::Null),
        };
        let reason = history::reason(self.librarian, event);
        let entry = Entry::of_one(&event.kind, &reason, self.of_others(details));
        let entry = Entry { behind, beside: event.visibility, ..entry };
        Some(history::append(self.librarian, self.node, entry, None))
    }

    /// Removes the [`OF`] detail where it names the departing entity: in its own log that is
    /// implied.
    fn of_others(&self, mut details: Value) -> Value {
        let own = Entity::of(self.node.clone()).map(|entity| json!(entity.uri));
        if let Some(details) = details.as_object_mut()
            && details.get(OF) == own.as_ref()
        {
            details.remove(OF);
        }
        details
    }

    /// Rewrites a merge entry as if the companion had been merged directly into the departing
    /// entity.
    fn merge(&self, share: &Share, event: &Event) -> (Value, Value) {
        let (mut details, mut behind) = history::halves(event);
        for half in [&mut details, &mut behind] {
            self.regroup(half);
        }
        if let Some(details) = details.as_object_mut() {
            details.entry("edges").or_insert(json!([]));
            details.insert("aliases".into(), json!(self.fresh(share)));
            details.insert("stays".into(), json!(self.party.main.own));
            details.insert("at".into(), json!(share.merged_at().to_string()));
        }
        (details, behind)
    }

    /// Returns the names that the merge of a companion adds to the departing entity.
    fn fresh(&self, share: &Share) -> Vec<String> {
        let known: Vec<String> =
            self.party.main.called().iter().map(|name| name_key(name)).collect();
        let aliases = share.node.as_ref().map_or(&share.given.aliases, |node| &node.aliases);
        let names = std::iter::once(&share.given.name).chain(aliases);
        names.filter(|name| !known.contains(&name_key(name))).cloned().collect()
    }

    /// Replaces the survivor by the departing entity in the edges that a merge entry lists.
    fn regroup(&self, half: &mut Value) {
        let Some(fields) = half.as_object_mut() else { return };
        let take = |value: Option<Value>| -> Vec<Triple> {
            value.and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default()
        };
        let all = take(fields.remove("edges")).into_iter().chain(take(fields.remove("shared")));
        let all: Vec<Triple> =
            all.map(|triple| self.parting.placed(triple, self.node.id)).collect();
        self.add(half, all);
    }

    /// Lists edges as `shared` if the departing entity has them in the bin too, otherwise as
    /// `edges` that the merge gave it.
    fn add(&self, half: &mut Value, triples: Vec<Triple>) {
        for triple in triples {
            let list = if self.parting.has(&triple) { "shared" } else { "edges" };
            let known = half.as_object_mut().map(|fields| fields.entry(list).or_insert(json!([])));
            if let Some(Value::Array(known)) = known {
                known.push(json!(triple));
            }
        }
    }
}

//! The common base of a three-way merge, for records that were exported here and come back: the
//! state at export, or what was last taken over from the edited export.

use std::collections::{BTreeSet, HashMap};

use lore_core::{Node, Timestamp, Uid};
use serde_json::{Value, json};

use super::super::call::MemoryCall;
use super::super::kinds::SOURCE_TAKEN;
use super::super::refusal::Reply;
use super::identity::{Identities, Identity, own_id, place_print};
use super::state::State;
use super::{Load, Record, Tie};

/// The number of nodes read at once.
const PAGE: usize = 500;

/// The bases of the records that come back to the node they were exported from, by key.
pub(super) struct Bases<'a>(HashMap<&'a str, Base>);

/// The base of a record, and what it says now.
pub(super) struct Base {
    /// The last known state.
    pub(super) state: State,
    /// The state of the record now.
    pub(super) now: State,
    /// Whether the record is unchanged since it was exported or last taken over.
    pub(super) is_known: bool,
}

impl<'a> Bases<'a> {
    pub(super) async fn of(
        call: &MemoryCall,
        load: &'a Load,
        identities: &Identities,
    ) -> Reply<Bases<'a>> {
        let mut ties: HashMap<&str, Vec<&Tie>> = HashMap::new();
        load.ties.iter().for_each(|tie| ties.entry(&tie.from).or_default().push(tie));
        let returning: Vec<(Uid, &Record, &State)> = load
            .records
            .iter()
            .filter_map(|record| {
                Some((itself(identities, record)?, record, record.state.as_ref()?))
            })
            .collect();
        let mut bases = HashMap::new();
        for page in returning.chunks(PAGE) {
            let uids: Vec<Uid> = page.iter().map(|(uid, ..)| *uid).collect();
            let nodes = call.app.store.nodes_by_uid(&call.viewer, &uids).await?;
            let nodes: HashMap<Uid, Node> =
                nodes.into_iter().map(|node| (node.uid, node)).collect();
            for (uid, record, written) in page {
                let ties = ties.get(record.key.as_str()).map(Vec::as_slice).unwrap_or_default();
                let mut now = State::said(record, ties.iter().copied());
                // JSON lines without any relations say nothing about links.
                if load.ties.is_empty() && !load.keys_are_places {
                    now.links.clone_from(&written.links);
                }
                let taken = nodes.get(uid).and_then(|node| Taken::of(node, written));
                let taken = taken.filter(|taken| taken.is_from(load));
                bases.insert(record.key.as_str(), Base::new(record, written, taken, now));
            }
        }
        Ok(Self(bases))
    }

    pub(super) fn get(&self, key: &str) -> Option<&Base> {
        self.0.get(key)
    }

    /// Returns the links of each record that were removed by hand.
    pub(super) fn unlinked(&self) -> impl Iterator<Item = (&str, BTreeSet<&String>)> {
        self.0.iter().filter(|(_, base)| !base.is_known).filter_map(|(key, base)| {
            let gone: BTreeSet<&String> = base.state.links.difference(&base.now.links).collect();
            (!gone.is_empty()).then_some((*key, gone))
        })
    }
}

impl Base {
    fn new(record: &Record, written: &State, taken: Option<Taken>, now: State) -> Self {
        let is_taken = taken.as_ref().is_some_and(|taken| taken.state.says_the_same(&now));
        // An edit that was reverted by hand after it was taken over is an edit again.
        let is_undone = taken.as_ref().is_some_and(|taken| record.written > taken.at);
        let is_known = is_taken || written.says_the_same(&now) && !is_undone;
        let state = taken.map_or_else(|| written.clone(), |taken| taken.state);
        Self { state, now, is_known }
    }
}

/// Returns the node that a record was exported from, if it is in this world.
fn itself(identities: &Identities, record: &Record) -> Option<Uid> {
    let Some(Identity::Settled(uid)) = identities.get(&record.key) else { return None };
    own_id(&record.key).filter(|own| *own == uid)
}

/// What was last taken over from an edited export. It is stored as a property of the node.
pub(super) struct Taken {
    /// The state that was taken over.
    pub(super) state: State,
    /// When it was taken over.
    at: Option<Timestamp>,
    /// A fingerprint of the export's place. Other copies of the export may be edited differently.
    place: Option<String>,
}

impl Taken {
    /// Reads what was last taken over from this export, in whatever place.
    pub(super) fn of(node: &Node, written: &State) -> Option<Self> {
        let note = node.properties.get(SOURCE_TAKEN)?;
        let part = |name: &str| note.get(name).and_then(Value::as_str);
        let is_of_it = part("of")? == written.print();
        let place = part("place").map(str::to_owned);
        let at = part("at").and_then(|at| at.parse().ok());
        let state = State::read(note.get("state")?)?;
        is_of_it.then_some(Self { state, at, place })
    }

    /// The value of the property.
    pub(super) fn note(load: &Load, written: &State, state: &State, at: Timestamp) -> Value {
        let place = load.place.as_deref().map(place_print);
        let of = written.print();
        json!({ "of": of, "place": place, "at": at.to_string(), "state": state.write() })
    }

    fn is_from(&self, load: &Load) -> bool {
        self.place == load.place.as_deref().map(place_print)
    }
}

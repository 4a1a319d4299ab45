//! What a record is compared with that was exported here and comes back: what the export said of
//! it, or what was taken over from it since.

use std::collections::{BTreeSet, HashMap};

use lore_core::{Node, Timestamp, Uid};
use serde_json::{Value, json};

use super::super::keeper::Keeper;
use super::super::kinds::SOURCE_TAKEN;
use super::super::refusal::Reply;
use super::identity::{Identities, Identity, own_id, place_print};
use super::state::State;
use super::{Load, Record, Tie};

/// How many nodes are looked at together.
const PAGE: usize = 500;

/// The records of a load that come back to the nodes they were exported from, by key.
pub(super) struct Bases<'a>(HashMap<&'a str, Base>);

/// A record that comes back, and what it was.
pub(super) struct Base {
    /// What was last known of it.
    pub(super) state: State,
    /// What it says now.
    pub(super) now: State,
    /// Whether it is as it was written, or as it was taken over.
    pub(super) is_known: bool,
}

impl<'a> Bases<'a> {
    pub(super) async fn of(
        keeper: &Keeper,
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
            let nodes = keeper.app.store.nodes_by_uid(&keeper.viewer, &uids).await?;
            let nodes: HashMap<Uid, Node> =
                nodes.into_iter().map(|node| (node.uid, node)).collect();
            for (uid, record, written) in page {
                let ties = ties.get(record.key.as_str()).map(Vec::as_slice).unwrap_or_default();
                let mut now = State::said(record, ties.iter().copied());
                // Lines that are only of things say nothing of what joins them.
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

    /// The links of each record that were taken out by hand.
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
        // Who changes something back by hand does so after it was taken over.
        let is_undone = taken.as_ref().is_some_and(|taken| record.written > taken.at);
        let is_known = is_taken || written.says_the_same(&now) && !is_undone;
        let state = taken.map_or_else(|| written.clone(), |taken| taken.state);
        Self { state, now, is_known }
    }
}

/// The node that a record was exported from, if it is one of this world.
fn itself(identities: &Identities, record: &Record) -> Option<Uid> {
    let Some(Identity::Settled(uid)) = identities.get(&record.key) else { return None };
    own_id(&record.key).filter(|own| *own == uid)
}

/// What was taken over from an export that somebody changed by hand, as a node notes it.
pub(super) struct Taken {
    /// What it said then.
    pub(super) state: State,
    /// When that was.
    at: Option<Timestamp>,
    /// Where the export lies: another copy of it goes its own ways.
    place: Option<String>,
}

impl Taken {
    /// What was last taken over from this export, wherever it lies.
    pub(super) fn of(node: &Node, written: &State) -> Option<Self> {
        let note = node.properties.get(SOURCE_TAKEN)?;
        let part = |name: &str| note.get(name).and_then(Value::as_str);
        let is_of_it = part("of")? == written.print();
        let place = part("place").map(str::to_owned);
        let at = part("at").and_then(|at| at.parse().ok());
        let state = State::read(note.get("state")?)?;
        is_of_it.then_some(Self { state, at, place })
    }

    /// How a node notes it.
    pub(super) fn note(load: &Load, written: &State, state: &State, at: Timestamp) -> Value {
        let place = load.place.as_deref().map(place_print);
        let of = written.print();
        json!({ "of": of, "place": place, "at": at.to_string(), "state": state.write() })
    }

    fn is_from(&self, load: &Load) -> bool {
        self.place == load.place.as_deref().map(place_print)
    }
}

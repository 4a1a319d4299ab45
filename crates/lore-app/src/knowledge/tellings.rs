//! Of whom a relation is told, and by whom, each telling for itself.
//!
//! Entities that are one for a while share the edges of the one that was kept. So that each has its
//! own when they part, an edge keeps the tellings it is made of: whom each joins, and what the edge
//! between those two would hold alone. It shows what the first holds.

use lore_core::{Edge, NodeId, Properties};
use lore_store::{Change, EdgePatch, EdgeRef, Expect};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::relations::{OBJECT_AS, SOURCE, SOURCE_RID, SUBJECT_AS, TOLD_BY, called_at};
use super::told::SAID_TOO;

/// The property that holds the tellings of an edge, unless it is told once, of its ends themselves.
const TELLINGS: &str = "tellings";
/// The properties that say where a telling comes from.
const ORIGIN: [&str; 4] = [SOURCE, SOURCE_RID, TOLD_BY, SAID_TOO];
/// Most tellings that are remembered for an edge.
const TELLINGS_MAX: usize = 100;

/// That somebody tells how two are related.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Telling {
    /// The URI of whom it is told, where that was merged into the entity there; else empty.
    pub(super) subject: String,
    /// The same at the other end.
    pub(super) object: String,
    pub(super) confidence: f64,
    /// Where it comes from, as properties of an edge say it.
    pub(super) origin: Properties,
}

impl Telling {
    /// Of whom it is told at an end of its edge.
    pub(super) fn at(&self, edge: &Edge, end: NodeId) -> &str {
        if edge.source == end { &self.subject } else { &self.object }
    }

    /// The same, told of somebody else at an end of its edge.
    pub(super) fn told_of(mut self, edge: &Edge, end: NodeId, of: &str) -> Self {
        let place = if edge.source == end { &mut self.subject } else { &mut self.object };
        of.clone_into(place);
        self
    }

    /// Whether both are told of the same two.
    pub(super) fn is_of_same(&self, other: &Self) -> bool {
        self.subject == other.subject && self.object == other.object
    }
}

/// The tellings of an edge.
pub(super) fn of(edge: &Edge) -> Vec<Telling> {
    let kept = edge.properties.get(TELLINGS).cloned();
    let kept = kept.and_then(|kept| serde_json::from_value(kept).ok());
    kept.unwrap_or_else(|| in_one(edge))
}

/// The tellings of an edge that does not keep them apart. In former times it held whom it joins in
/// two lists.
fn in_one(edge: &Edge) -> Vec<Telling> {
    let held = |key: &&str| Some(((*key).to_owned(), edge.properties.get(*key)?.clone()));
    let origin: Properties = ORIGIN.iter().filter_map(held).collect();
    let telling = |subject: &str, object: &str| Telling {
        subject: subject.to_owned(),
        object: object.to_owned(),
        confidence: edge.weight,
        origin: origin.clone(),
    };
    let objects = called_at(edge, edge.target);
    let subjects = called_at(edge, edge.source).into_iter();
    let pairs = subjects.flat_map(|subject| objects.iter().map(move |object| (subject, *object)));
    pairs.map(|(subject, object)| telling(subject, object)).collect()
}

/// Tellings of an edge, where those of whoever is at an end itself go by a URI from now on.
pub(super) fn named(told: Vec<Telling>, edge: &Edge, end: NodeId, uri: &str) -> Vec<Telling> {
    let named = |one: Telling| match one.at(edge, end).is_empty() {
        true => one.told_of(edge, end, uri),
        false => one,
    };
    told.into_iter().map(named).collect()
}

/// Adds tellings of whom none told so yet.
pub(super) fn add(tellings: &mut Vec<Telling>, more: impl IntoIterator<Item = Telling>) {
    for one in more {
        let is_known = tellings.iter().any(|known| known.is_of_same(&one));
        if !is_known && tellings.len() < TELLINGS_MAX {
            tellings.push(one);
        }
    }
}

/// How sure an edge is and what it holds, where it is made of tellings and holds `besides`.
pub(super) fn held(besides: &Properties, tellings: &[Telling]) -> Option<(f64, Properties)> {
    let first = tellings.first()?;
    let mut properties = besides.clone();
    for key in ORIGIN.into_iter().chain([TELLINGS, SUBJECT_AS, OBJECT_AS]) {
        properties.shift_remove(key);
    }
    properties.extend(first.origin.clone());
    let is_of_ends = first.subject.is_empty() && first.object.is_empty();
    if tellings.len() > 1 || !is_of_ends {
        properties.insert(TELLINGS.into(), json!(tellings));
    }
    Some((first.confidence, properties))
}

/// An edge that is made of other tellings now. Without any it goes.
pub(super) fn retold(edge: &Edge, tellings: &[Telling]) -> Option<Change> {
    let (id, version) = (EdgeRef::Id(edge.id), Expect::Version(edge.version));
    let Some((weight, properties)) = held(&edge.properties, tellings) else {
        return Some(Change::DeleteEdge(id, version));
    };
    let is_same = properties == edge.properties && weight.total_cmp(&edge.weight).is_eq();
    let patch =
        EdgePatch { weight: Some(weight), properties: Some(properties), ..EdgePatch::default() };
    (!is_same).then_some(Change::UpdateEdge(id, version, patch))
}

//! Tellings: one telling is one statement that two entities are related, with its sources.
//!
//! While entities are merged, they share the survivor's edges. So that each gets its own back when
//! they are unmerged, an edge keeps the tellings it is made of: which two entities each one is
//! about, and what an edge between just these two would hold. The edge itself shows the weight and
//! origin of its first telling.

use lore_core::{Edge, NodeId, Properties};
use lore_store::{Change, EdgePatch, EdgeRef, Expect};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::by_notes::SAID_TOO;
use super::{OBJECT_AS, SOURCE, SOURCE_RID, SUBJECT_AS, TOLD_BY, called_at};

/// The property that holds the tellings of an edge. Absent if the edge has a single telling, which
/// is about the nodes at its ends themselves.
const TELLINGS: &str = "tellings";
/// The properties that say where a telling comes from.
const ORIGIN: [&str; 4] = [SOURCE, SOURCE_RID, TOLD_BY, SAID_TOO];

/// One statement that two entities are related.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(in crate::knowledge) struct Telling {
    /// The URI of the entity it is about, if that was merged into the edge's source node; empty if
    /// it is the source node itself.
    pub(in crate::knowledge) subject: String,
    /// The same for the target node.
    pub(in crate::knowledge) object: String,
    pub(in crate::knowledge) confidence: f64,
    /// Where it comes from, as the edge properties listed in [`ORIGIN`].
    pub(in crate::knowledge) origin: Properties,
}

impl Telling {
    /// Returns whom it is about at one end of its edge: a URI, or empty for the node itself.
    pub(in crate::knowledge) fn at(&self, edge: &Edge, end: NodeId) -> &str {
        if edge.source == end { &self.subject } else { &self.object }
    }

    /// Changes whom it is about at one end of its edge.
    pub(in crate::knowledge) fn about(mut self, edge: &Edge, end: NodeId, of: &str) -> Self {
        let place = if edge.source == end { &mut self.subject } else { &mut self.object };
        of.clone_into(place);
        self
    }

    /// Whether both tellings are about the same two entities.
    pub(super) fn is_of_same(&self, other: &Self) -> bool {
        self.subject == other.subject && self.object == other.object
    }
}

/// Returns the tellings of an edge.
pub(in crate::knowledge) fn of(edge: &Edge) -> Vec<Telling> {
    let kept = edge.properties.get(TELLINGS).cloned();
    let kept = kept.and_then(|kept| serde_json::from_value(kept).ok());
    kept.unwrap_or_else(|| in_one(edge))
}

/// Derives the tellings of an edge that stores none. Older versions stored the entities at each end
/// in two lists; every pair of them becomes a telling.
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

/// Writes `uri` into the tellings that are about the node at `end` itself. A merge uses this before
/// it moves an edge to the survivor.
pub(in crate::knowledge) fn named(
    told: Vec<Telling>,
    edge: &Edge,
    end: NodeId,
    uri: &str,
) -> Vec<Telling> {
    let named = |one: Telling| match one.at(edge, end).is_empty() {
        true => one.about(edge, end, uri),
        false => one,
    };
    told.into_iter().map(named).collect()
}

/// Adds tellings about pairs of entities that have none yet.
pub(in crate::knowledge) fn add(
    tellings: &mut Vec<Telling>,
    more: impl IntoIterator<Item = Telling>,
) {
    for one in more {
        let is_known = tellings.iter().any(|known| known.is_of_same(&one));
        if !is_known {
            tellings.push(one);
        }
    }
}

/// Returns the weight and properties of an edge made of these tellings. Properties of `besides`
/// that do not describe tellings are kept. `None` without any telling.
pub(in crate::knowledge) fn held(
    besides: &Properties,
    tellings: &[Telling],
) -> Option<(f64, Properties)> {
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

/// Returns the change that makes an edge consist of these tellings: `None` if it already does, and
/// its deletion if there are none.
pub(in crate::knowledge) fn retold(edge: &Edge, tellings: &[Telling]) -> Option<Change> {
    let (id, version) = (EdgeRef::Id(edge.id), Expect::Version(edge.version));
    let Some((weight, properties)) = held(&edge.properties, tellings) else {
        return Some(Change::DeleteEdge(id, version));
    };
    let is_same = properties == edge.properties && weight.total_cmp(&edge.weight).is_eq();
    let patch =
        EdgePatch { weight: Some(weight), properties: Some(properties), ..EdgePatch::default() };
    (!is_same).then_some(Change::UpdateEdge(id, version, patch))
}

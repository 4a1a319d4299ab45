//! Unmerging: dividing relations between the survivor and the departing entity by their tellings
//! (statements by one source; terms: see `unmerge`).

use std::collections::{BTreeMap, HashSet};

use lore_core::{Edge, NodeId};
use lore_store::{Change, NewEdge, NodeRef};

use super::edges::{Parting, triple};
use crate::knowledge::merge::{self, Triple};
use crate::knowledge::relations::is_relation;
use crate::knowledge::relations::tellings::{self, Telling};

/// Relations of the departing entity: for each place an edge to copy and the tellings it gets.
type Regrouped = BTreeMap<Triple, (Edge, Vec<Telling>)>;

/// Which entity a URI belongs to after the unmerge.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Kept,
    Other,
    Neither,
}

impl Parting<'_> {
    /// Divides the survivor's relations (`live`) between it and the departing entity (`other`).
    /// Returns the changes, and which of the departing entity's edges they already cover.
    pub(super) fn relations(&self, live: &[Edge], other: NodeId) -> (Vec<Change>, HashSet<Triple>) {
        let (mut changes, mut regrouped) = (Vec::new(), Regrouped::new());
        for edge in live {
            let (theirs, stay) = self.shared_out(edge);
            changes.extend(tellings::retold(edge, &stay));
            join(&mut regrouped, self.placed(triple(edge), other), edge, theirs);
        }
        for (of, edge) in self.aside.iter().filter(|(_, edge)| is_relation(edge)) {
            let mut stay = Vec::new();
            for telling in tellings::of(edge) {
                match self.between(edge, &telling, other) {
                    Some((place, telling)) => {
                        join(&mut regrouped, place, edge, vec![telling]);
                    }
                    None => stay.push(telling),
                }
            }
            match *of == self.party.main.given.uri {
                true => join(&mut regrouped, triple(edge), edge, stay),
                false => changes.extend(tellings::retold(edge, &stay)),
            }
        }
        let settled = regrouped.keys().cloned().collect();
        changes.extend(regrouped.into_iter().filter_map(|(place, (like, told))| {
            match self.own.get(&place) {
                Some(own) => tellings::retold(own, &told),
                None => put(&like, place, &told),
            }
        }));
        (changes, settled)
    }

    /// Splits the tellings of a survivor's edge into those about the departing entity, rewritten to
    /// be its own, and the rest.
    fn shared_out(&self, edge: &Edge) -> (Vec<Telling>, Vec<Telling>) {
        let kept = self.kept.node.id;
        let is_theirs = |one: &Telling| self.party.has_uri(one.at(edge, kept));
        let (theirs, stay): (Vec<Telling>, Vec<Telling>) =
            tellings::of(edge).into_iter().partition(is_theirs);
        let of = |one: &Telling| shown(one.at(edge, kept), &self.party.main.given.uri).to_owned();
        let theirs = theirs.into_iter().map(|one| {
            let of = of(&one);
            one.told_of(edge, kept, &of)
        });
        (theirs.collect(), stay)
    }

    /// Returns the place and the form of a telling between two merged entities, if the unmerge puts
    /// its ends on different sides.
    fn between(&self, edge: &Edge, telling: &Telling, other: NodeId) -> Option<(Triple, Telling)> {
        let subject = self.told_at(edge, edge.source, telling)?;
        let object = self.told_at(edge, edge.target, telling)?;
        let kept = self.kept.node.id;
        let (source, target) = match (self.side(subject), self.side(object)) {
            (Side::Other, Side::Kept) => (other, kept),
            (Side::Kept, Side::Other) => (kept, other),
            _ => return None,
        };
        let itself = |end: NodeId| match end == kept {
            true => &self.kept.uri,
            false => &self.party.main.given.uri,
        };
        let telling = Telling {
            subject: shown(subject, itself(source)).to_owned(),
            object: shown(object, itself(target)).to_owned(),
            ..telling.clone()
        };
        Some(((source.0, edge.kind.to_string(), target.0), telling))
    }

    /// Returns the URI of the entity that a telling is about at one end of its edge.
    fn told_at<'t>(&'t self, edge: &Edge, end: NodeId, telling: &'t Telling) -> Option<&'t str> {
        match telling.at(edge, end) {
            "" => self.uris.get(&end).map(String::as_str),
            of => Some(of),
        }
    }

    fn side(&self, uri: &str) -> Side {
        let is_kept =
            || uri == self.kept.uri || merge::same_as(&self.kept.node).iter().any(|of| of == uri);
        match self.party.has_uri(uri) {
            true => Side::Other,
            false if is_kept() => Side::Kept,
            false => Side::Neither,
        }
    }
}

/// Returns a URI as a telling stores it: empty if it is that of the entity at that end (`itself`).
fn shown<'u>(uri: &'u str, itself: &str) -> &'u str {
    if uri == itself { "" } else { uri }
}

/// Adds tellings to the edge at a place.
fn join(regrouped: &mut Regrouped, place: Triple, like: &Edge, told: Vec<Telling>) {
    let (_, all) = regrouped.entry(place).or_insert_with(|| (like.clone(), Vec::new()));
    tellings::add(all, told);
}

/// Creates an edge like another, with other ends and tellings. `None` without any telling.
fn put(like: &Edge, (source, _, target): Triple, told: &[Telling]) -> Option<Change> {
    let (weight, properties) = tellings::held(&like.properties, told)?;
    Some(Change::PutEdge(NewEdge {
        source: NodeRef::Id(NodeId(source)),
        target: NodeRef::Id(NodeId(target)),
        kind: like.kind.clone(),
        weight,
        visibility: like.visibility,
        properties,
    }))
}

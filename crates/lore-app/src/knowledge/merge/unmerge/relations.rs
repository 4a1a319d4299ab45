//! Unmerging: dividing relations between the survivor and the departing entity by their tellings
//! (statements by one source; terms: see `unmerge`).

use std::collections::{BTreeMap, HashSet};

use lore_core::{Edge, NodeId, Properties};
use lore_store::{Change, EdgePatch, EdgeRef, Expect, NewEdge, NodeRef};

use super::edges::{Held, Parting, Place, place, triple};
use super::given_back::{self, Stood};
use crate::knowledge::entities::history::stricter;
use crate::knowledge::librarian::Librarian;
use crate::knowledge::merge::{self, Triple};
use crate::knowledge::relations::is_relation;
use crate::knowledge::relations::tellings::{self, Telling};

/// Relations of the departing entity.
type Regrouped = BTreeMap<Place, Regroup>;

/// A relation of the departing entity.
struct Regroup {
    told: Vec<Telling>,
    /// An edge that it is made of.
    like: Edge,
    /// For whom that edge stood, if it is the survivor's.
    stood: Option<Stood>,
}

/// Which entity a URI belongs to after the unmerge.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Kept,
    Other,
    Neither,
}

impl Parting<'_> {
    /// Divides the survivor's relations between it and the departing entity (`other`).
    /// Returns the changes, and which of the departing entity's edges they already cover.
    pub(super) fn relations(
        &self,
        librarian: &Librarian,
        held: &Held,
        other: NodeId,
    ) -> (Vec<Change>, HashSet<Place>) {
        let (mut changes, mut regrouped) = (Vec::new(), Regrouped::new());
        for edge in held.edges.iter().filter(|edge| is_relation(edge)) {
            let (theirs, stay) = self.shared_out(edge);
            changes.extend(tellings::retold(edge, &stay));
            let stood = Some(self.stood(edge, &stay));
            join(&mut regrouped, self.place(edge, other), edge, theirs, stood);
        }
        for (of, edge) in self.aside.iter().filter(|(_, edge)| is_relation(edge)) {
            let mut stay = Vec::new();
            for telling in tellings::of(edge) {
                match self.between(edge, &telling, other) {
                    Some((triple, telling)) => {
                        let place = (triple, place(edge).1);
                        join(&mut regrouped, place, edge, vec![telling], None);
                    }
                    None => stay.push(telling),
                }
            }
            match *of == self.party.main.given.uri {
                true => join(&mut regrouped, place(edge), edge, stay, None),
                false => changes.extend(tellings::retold(edge, &stay)),
            }
        }
        let settled = regrouped.keys().cloned().collect();
        changes.extend(regrouped.into_iter().filter_map(|(place, regroup)| {
            match self.own.get(&place) {
                Some(own) => self.back(own, &regroup),
                None => self.put(librarian, &place, &regroup),
            }
        }));
        (changes, settled)
    }

    /// Tells for whom an edge of the survivor stood, of which these tellings `stay`.
    fn stood(&self, edge: &Edge, stay: &[Telling]) -> Stood {
        let was_given = || self.party.all().any(|one| one.given.edges.contains(&triple(edge)));
        let is_newer = || edge.created.at > self.party.main.merged_at();
        match stay.is_empty() && (was_given() || is_newer()) {
            true => Stood::ForOne,
            false => Stood::ForBoth,
        }
    }

    /// Gives a relation of the departing entity back what stood for it.
    fn back(&self, own: &Edge, regroup: &Regroup) -> Option<Change> {
        let Regroup { told, like, stood } = regroup;
        let Some(stood) = *stood else { return tellings::retold(own, told) };
        let visibility = given_back::visibility(Some(self.was(own)), like.visibility, stood);
        let besides = match stood {
            Stood::ForOne => &like.properties,
            Stood::ForBoth => &own.properties,
        };
        let (weight, properties) = tellings::held(besides, told)?;
        let is_same = properties == own.properties && weight.total_cmp(&own.weight).is_eq();
        let (weight, properties) = (Some(weight), Some(properties));
        let patch = EdgePatch { weight, visibility, properties };
        let back = Change::UpdateEdge(EdgeRef::Id(own.id), Expect::Version(own.version), patch);
        (!is_same || visibility.is_some()).then_some(back)
    }

    /// Creates a relation of the departing entity, which it did not have before it was merged.
    /// Where the survivor has the relation too, only the tellings are the other's.
    fn put(
        &self,
        librarian: &Librarian,
        place: &Place,
        Regroup { told, like, stood }: &Regroup,
    ) -> Option<Change> {
        let (visibility, besides) = match (stood, self.brought.get(place)) {
            (Some(Stood::ForBoth), Some(own)) => {
                (stricter(like.visibility, own.visibility), &own.properties)
            }
            (Some(Stood::ForBoth), None) => {
                (stricter(like.visibility, librarian.visibility()), &Properties::new())
            }
            (Some(Stood::ForOne) | None, _) => (like.visibility, &like.properties),
        };
        let (weight, properties) = tellings::held(besides, told)?;
        let (source, _, target) = &place.0;
        Some(Change::PutEdge(NewEdge {
            source: NodeRef::Id(NodeId(*source)),
            target: NodeRef::Id(NodeId(*target)),
            kind: like.kind.clone(),
            weight,
            visibility,
            properties,
        }))
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
            one.about(edge, kept, &of)
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

/// Adds tellings to the relation at a place.
fn join(
    regrouped: &mut Regrouped,
    place: Place,
    like: &Edge,
    more: Vec<Telling>,
    stood: Option<Stood>,
) {
    if more.is_empty() {
        return;
    }
    let new = || Regroup { told: Vec::new(), like: like.clone(), stood };
    let known = regrouped.entry(place).or_insert_with(new);
    tellings::add(&mut known.told, more);
}

//! Two entities that were merged and part again: whose relations are whose.

use std::collections::{BTreeMap, HashSet};

use lore_core::{Edge, NodeId};
use lore_store::{Change, NewEdge, NodeRef};

use super::log::{self, Triple};
use super::parted_edges::{Parting, triple};
use super::relations::is_relation;
use super::tellings::{self, Telling};

/// Relations that the one that parts gets: one that is like each, and what it is made of.
type Regrouped = BTreeMap<Triple, (Edge, Vec<Telling>)>;

/// To which of both a URI leads when they have parted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Kept,
    Other,
    Neither,
}

impl Parting<'_> {
    /// Gives both the relations that are told of them, and says which of the other are done with.
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

    /// What an edge of the one that was kept tells of the other, as the other's, and the rest.
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

    /// Where a telling of two that were one belongs, if they are of both that part; and as what.
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

    /// The URI of whom a telling is at an end of its edge.
    fn told_at<'t>(&'t self, edge: &Edge, end: NodeId, telling: &'t Telling) -> Option<&'t str> {
        match telling.at(edge, end) {
            "" => self.uris.get(&end).map(String::as_str),
            of => Some(of),
        }
    }

    fn side(&self, uri: &str) -> Side {
        let is_kept =
            || uri == self.kept.uri || log::same_as(&self.kept.node).iter().any(|of| of == uri);
        match self.party.has_uri(uri) {
            true => Side::Other,
            false if is_kept() => Side::Kept,
            false => Side::Neither,
        }
    }
}

/// A URI as a telling holds it, where the one at that end goes by `itself`.
fn shown<'u>(uri: &'u str, itself: &str) -> &'u str {
    if uri == itself { "" } else { uri }
}

/// Adds what is told to an edge.
fn join(regrouped: &mut Regrouped, place: Triple, like: &Edge, told: Vec<Telling>) {
    let (_, all) = regrouped.entry(place).or_insert_with(|| (like.clone(), Vec::new()));
    tellings::add(all, told);
}

/// An edge like another but for its ends and what it is made of.
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

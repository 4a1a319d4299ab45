//! Unmerging: dividing mentions between the survivor and the departing entity, both those that name
//! the survivor and those in its own texts (terms: see `unmerge`).

use std::collections::HashSet;

use lore_core::{Edge, EdgeKind, Node, NodeId, Properties, Result, Text, Visibility};
use lore_store::{Bin, Change, EdgePatch, EdgeRef, Expect, NewEdge, NodeRef};

use super::edges::{Held, Parting, Place, ended, triple};
use super::everybody::Everybody;
use super::given_back::{self, Stood};
use crate::knowledge::documents::shelve;
use crate::knowledge::merge::mentioned::Mentioned;
use crate::knowledge::merge::named::numbers_in;
use crate::knowledge::merge::{self, Triple};
use crate::knowledge::relations::{MENTIONS, is_relation};
use crate::play::word;

/// What a mention is on each side; `None` where that side has no such mention.
struct Parts {
    stays: Option<Part>,
    theirs: Option<Part>,
}

/// The properties a mention gets, and who may see it; `None` if texts do not say.
struct Part {
    properties: Properties,
    seen: Option<Visibility>,
}

impl Parting<'_> {
    /// Divides the survivor's mentions between it and the departing entity (`other`).
    /// Returns the changes, and which of the departing entity's edges they already cover.
    pub(super) async fn mentions(
        &self,
        everybody: &Everybody<'_>,
        held: &Held,
        other: NodeId,
    ) -> Result<(Vec<Change>, HashSet<Place>)> {
        let (mut changes, mut settled) = (Vec::new(), HashSet::new());
        for edge in held.edges.iter().filter(|edge| !is_relation(edge)) {
            let Parts { stays, theirs } = self.parts(everybody, edge, held).await?;
            let place = self.place(edge, other);
            // A document in the bin cannot be joined to anything. If it comes back, it is read
            // again.
            if held.is_binned(edge) && theirs.is_some() && !self.own.contains_key(&place) {
                continue;
            }
            let stood = if stays.is_some() { Stood::ForBoth } else { Stood::ForOne };
            changes.extend(match stays {
                Some(Part { properties, seen }) => with(edge, properties, seen),
                None => Some(ended(edge)),
            });
            let Some(Part { properties, seen }) = theirs else { continue };
            changes.extend(match self.own.get(&place) {
                Some(own) => {
                    let (now, stood) = match seen {
                        Some(seen) => (seen, Stood::ForOne),
                        None => (edge.visibility, stood),
                    };
                    let back = given_back::visibility(Some(self.was(own)), now, stood);
                    with(own, properties, back)
                }
                None => Some(put(edge, &place.0, properties, seen.unwrap_or(edge.visibility))),
            });
            settled.insert(place);
        }
        for (triple, visibility) in self.of_each_other(other) {
            let known = self.own.iter().find(|((known, _), _)| *known == triple);
            match known {
                Some((place, own)) => {
                    let was = Some(self.was(own));
                    let back = given_back::visibility(was, visibility, Stood::ForOne);
                    changes.extend(with(own, own.properties.clone(), back));
                    settled.insert(place.clone());
                }
                None => changes.push(put_new(&triple, visibility)?),
            }
        }
        Ok((changes, settled))
    }

    /// Decides to which side a mention belongs. Texts written here are searched for the numbers of
    /// both entities; if they contain none, what the mention itself records decides.
    async fn parts(&self, everybody: &Everybody<'_>, edge: &Edge, held: &Held) -> Result<Parts> {
        let nodes = &held.nodes;
        let (numbers_kept, numbers_other) = self.numbers();
        let said = if edge.source == self.kept.node.id {
            let numbers = nodes.get(&edge.target).map(merge::numbers).unwrap_or_default();
            (seen(self.texts.staying(), &numbers), seen(self.texts.texts(), &numbers))
        } else {
            match nodes.get(&edge.source) {
                Some(page) if has_texts(page) && !held.is_binned(edge) => {
                    let texts = everybody.texts(page.id, Bin::Live).await?;
                    (seen(&texts, &numbers_kept), seen(&texts, &numbers_other))
                }
                _ => (None, None),
            }
        };
        Ok(match said {
            // No text contains a number of either entity, or the source is a document.
            (None, None) => self.as_said(edge),
            (stays, theirs) => {
                let properties = || Mentioned::itself().kept(&edge.properties);
                let part = |seen| Part { properties: properties(), seen: Some(seen) };
                Parts { stays: stays.map(part), theirs: theirs.map(part) }
            }
        })
    }

    /// Divides a mention by the entities it records itself.
    fn as_said(&self, edge: &Edge) -> Parts {
        if edge.source == self.kept.node.id {
            let is_theirs = self.party.all().any(|share| share.given.edges.contains(&triple(edge)));
            let part = || Part { properties: edge.properties.clone(), seen: None };
            return Parts { stays: (!is_theirs).then(part), theirs: is_theirs.then(part) };
        }
        let (theirs, stays) = Mentioned::of(edge).split(|of| self.party.has_uri(of));
        let theirs = theirs.renamed(&self.party.main.given.uri, "");
        let kept = |one: Mentioned| {
            let properties = (!one.is_nobody()).then(|| one.kept(&edge.properties))?;
            Some(Part { properties, seen: None })
        };
        Parts { stays: kept(stays), theirs: kept(theirs) }
    }

    /// Returns the mentions that the two entities make of each other, with their visibility. These
    /// had no edge while the two were merged.
    fn of_each_other(&self, other: NodeId) -> Vec<(Triple, Visibility)> {
        let (numbers_kept, numbers_other) = self.numbers();
        let kept = self.kept.node.id;
        let ways = [
            (kept, other, self.texts.staying(), numbers_other),
            (other, kept, self.texts.texts(), numbers_kept),
        ];
        let mentioned = ways.into_iter().filter_map(|(source, target, texts, numbers)| {
            let visibility = seen(texts, &numbers)?;
            Some(((source.0, MENTIONS.to_owned(), target.0), visibility))
        });
        mentioned.collect()
    }

    /// Returns the numbers of the survivor and those of the departing entity and its companions.
    fn numbers(&self) -> (Vec<i64>, Vec<i64>) {
        let nodes = self.party.all().filter_map(|share| share.node.as_ref());
        let others: Vec<i64> = nodes.flat_map(merge::numbers).collect();
        let mut own = merge::numbers(&self.kept.node);
        own.retain(|number| !others.contains(number));
        (own, others)
    }
}

/// Whether the texts of a node say whom it mentions. What a document mentions was found out when it
/// was read.
fn has_texts(node: &Node) -> bool {
    !node.properties.contains_key(shelve::DIGEST)
}

fn has_any(text: &str, numbers: &[i64]) -> bool {
    let found = numbers_in(text);
    numbers.iter().any(|number| found.contains(number))
}

/// Returns who may see a mention that these texts make by one of these numbers: everybody who may
/// read one of them. `None` if none does.
fn seen<'t>(texts: impl IntoIterator<Item = &'t Text>, numbers: &[i64]) -> Option<Visibility> {
    let mentioning = texts.into_iter().filter(|text| has_any(&text.body, numbers));
    let seen: Vec<Visibility> = mentioning.map(|text| text.visibility).collect();
    let open = seen.iter().find(|one| **one == Visibility::Members);
    open.or(seen.first()).copied()
}

/// Updates a mention if that changes anything.
fn with(edge: &Edge, properties: Properties, seen: Option<Visibility>) -> Option<Change> {
    let visibility = seen.filter(|seen| *seen != edge.visibility);
    let is_same = properties == edge.properties && visibility.is_none();
    let properties = Some(properties);
    let patch = EdgePatch { properties, visibility, ..EdgePatch::default() };
    let change = Change::UpdateEdge(EdgeRef::Id(edge.id), Expect::Version(edge.version), patch);
    (!is_same).then_some(change)
}

/// Creates a mention with the kind and weight of `like` at other ends.
fn put(
    like: &Edge,
    (source, _, target): &Triple,
    properties: Properties,
    visibility: Visibility,
) -> Change {
    Change::PutEdge(NewEdge {
        source: NodeRef::Id(NodeId(*source)),
        target: NodeRef::Id(NodeId(*target)),
        kind: like.kind.clone(),
        weight: like.weight,
        visibility,
        properties,
    })
}

fn put_new((source, _, target): &Triple, visibility: Visibility) -> Result<Change> {
    let kind: EdgeKind = word(MENTIONS)?;
    Ok(Change::PutEdge(NewEdge {
        source: NodeRef::Id(NodeId(*source)),
        target: NodeRef::Id(NodeId(*target)),
        kind,
        weight: 1.0,
        visibility,
        properties: Properties::new(),
    }))
}

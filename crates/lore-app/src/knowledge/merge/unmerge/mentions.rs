//! Unmerging: dividing mentions between the survivor and the departing entity, both those that name
//! the survivor and those in its own texts (terms: see `unmerge`).

use std::collections::{HashMap, HashSet};

use lore_core::{Edge, EdgeKind, Node, NodeId, Properties, Result, Text, Visibility};
use lore_store::{Change, NewEdge, NodeRef};

use super::edges::{Parting, ended, triple};
use crate::knowledge::documents::shelve;
use crate::knowledge::librarian::Librarian;
use crate::knowledge::merge::mentioned::Mentioned;
use crate::knowledge::merge::named::numbers_in;
use crate::knowledge::merge::{self, Triple};
use crate::knowledge::relations::{MENTIONS, by_notes};
use crate::play::word;

/// The properties a mention gets on each side; `None` where that side has no such mention.
struct Parts {
    stays: Option<Properties>,
    theirs: Option<Properties>,
}

impl Parting<'_> {
    /// Divides the survivor's mentions (`live`) between it and the departing entity (`other`).
    /// Returns the changes, and which of the departing entity's edges they already cover.
    pub(super) async fn mentions(
        &self,
        librarian: &Librarian,
        live: &[Edge],
        other: NodeId,
    ) -> Result<(Vec<Change>, HashSet<Triple>)> {
        let nodes = self.beyond(librarian, live).await?;
        let (mut changes, mut settled) = (Vec::new(), HashSet::new());
        for edge in live {
            let parts = self.parts(librarian, edge, &nodes).await?;
            let place = self.placed(triple(edge), other);
            changes.extend(match parts.stays {
                Some(properties) => with(edge, properties),
                None => Some(ended(edge)),
            });
            if let Some(properties) = parts.theirs {
                changes.extend(match self.own.get(&place) {
                    Some(own) => with(own, properties),
                    None => Some(put(edge, &place, properties)),
                });
                settled.insert(place);
            }
        }
        for (place, visibility) in self.of_each_other(other) {
            if !self.has(&place) {
                changes.push(put_new(&place, visibility)?);
            }
            settled.insert(place);
        }
        Ok((changes, settled))
    }

    /// Returns the nodes at both ends of the edges.
    async fn beyond(&self, librarian: &Librarian, live: &[Edge]) -> Result<HashMap<NodeId, Node>> {
        let ids: Vec<NodeId> = live.iter().flat_map(|edge| [edge.source, edge.target]).collect();
        let nodes = librarian.app.store.nodes(&librarian.viewer, &ids).await?;
        Ok(nodes.into_iter().map(|node| (node.id, node)).collect())
    }

    /// Decides to which side a mention belongs. Texts written here are searched for the numbers of
    /// both entities; if they contain none, what the mention itself records decides.
    async fn parts(
        &self,
        librarian: &Librarian,
        edge: &Edge,
        nodes: &HashMap<NodeId, Node>,
    ) -> Result<Parts> {
        let (numbers_kept, numbers_other) = self.numbers();
        let said = if edge.source == self.kept.node.id {
            let numbers = nodes.get(&edge.target).map(merge::numbers).unwrap_or_default();
            let mentions = |texts: &[&Text]| texts.iter().any(|text| has_any(&text.body, &numbers));
            (mentions(&self.texts.staying()), mentions(&self.texts.texts()))
        } else {
            match nodes.get(&edge.source) {
                Some(page) if !page.properties.contains_key(shelve::DIGEST) => {
                    let texts = merge::texts_of(librarian, page.id).await?;
                    let mentions =
                        |numbers: &[i64]| texts.iter().any(|text| has_any(&text.body, numbers));
                    (mentions(&numbers_kept), mentions(&numbers_other))
                }
                _ => (false, false),
            }
        };
        Ok(match said {
            // No text contains a number of either entity, or the source is a document.
            (false, false) => self.as_said(edge),
            (stays, theirs) => {
                let itself = || Mentioned::itself().kept(&edge.properties);
                Parts { stays: stays.then(itself), theirs: theirs.then(itself) }
            }
        })
    }

    /// Divides a mention by the entities it records itself.
    fn as_said(&self, edge: &Edge) -> Parts {
        if edge.source == self.kept.node.id {
            let is_theirs = self.party.all().any(|share| share.given.edges.contains(&triple(edge)));
            let (theirs, stays) = (is_theirs.then(|| edge.properties.clone()), !is_theirs);
            return Parts { stays: stays.then(|| edge.properties.clone()), theirs };
        }
        let (theirs, stays) = Mentioned::of(edge).split(|of| self.party.has_uri(of));
        let theirs = theirs.renamed(&self.party.main.given.uri, "");
        let kept = |one: Mentioned| (!one.is_nobody()).then(|| one.kept(&edge.properties));
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
            let mentioning = texts.into_iter().filter(|text| has_any(&text.body, &numbers));
            let seen: Vec<Visibility> = mentioning.map(|text| text.visibility).collect();
            let open = seen.iter().find(|one| **one == Visibility::Members);
            let visibility = *open.or(seen.first())?;
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

fn has_any(text: &str, numbers: &[i64]) -> bool {
    let found = numbers_in(text);
    numbers.iter().any(|number| found.contains(number))
}

/// Updates the properties of a mention if they differ.
fn with(edge: &Edge, properties: Properties) -> Option<Change> {
    (properties != edge.properties).then(|| by_notes::with(edge, properties))
}

/// Creates a mention with the kind, weight and visibility of `like` at other ends.
fn put(like: &Edge, (source, _, target): &Triple, properties: Properties) -> Change {
    Change::PutEdge(NewEdge {
        source: NodeRef::Id(NodeId(*source)),
        target: NodeRef::Id(NodeId(*target)),
        kind: like.kind.clone(),
        weight: like.weight,
        visibility: like.visibility,
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

//! Two entities that were merged and part again: whose edges are whose.

use std::collections::{BTreeSet, HashMap};

use lore_core::{Edge, Node, NodeId, Result, Text, Uid};
use lore_markup::mention::{self, Target};
use lore_store::{Change, EdgeRef, Expect, NewEdge, NodeRef};
use serde_json::json;

use super::entities::Entity;
use super::librarian::Librarian;
use super::log::{self, Triple};
use super::relations::{MENTIONS, called_at, end_key};
use super::shares::Share;
use super::{shelve, spotter, told};

/// Two entities that part.
pub(super) struct Parting<'a> {
    /// The one that was kept.
    pub(super) kept: &'a Entity,
    /// Every name of it.
    pub(super) stays: Vec<String>,
    /// The other.
    pub(super) uid: Uid,
    /// What it brought.
    pub(super) share: &'a Share,
    /// The texts that stay with the one that was kept.
    pub(super) staying: &'a [Text],
    /// Those that go with the other.
    pub(super) leaving: &'a [&'a Text],
}

/// What becomes of the edges of the one that was kept.
#[derive(Default)]
pub(super) struct PartedEdges {
    /// What makes it so.
    pub(super) changes: Vec<Change>,
    /// Edges whose like the other had when it was merged, and would have no more.
    pub(super) ended: Vec<Triple>,
}

/// Whose an edge is.
#[derive(Clone, Copy, Default)]
struct Whose {
    kept: bool,
    other: bool,
}

impl Whose {
    fn is_nobodys(self) -> bool {
        !self.kept && !self.other
    }
}

impl Parting<'_> {
    /// Takes back the edges that the merge gave, and gives the other what came since and is
    /// its own.
    pub(super) async fn edges(&self, librarian: &Librarian) -> Result<PartedEdges> {
        let edges = log::edges_of(librarian, self.kept.node.id).await?;
        let nodes = self.neighbours(librarian, &edges).await?;
        let mut parted = PartedEdges { ended: self.gone(&edges), ..PartedEdges::default() };
        for edge in edges {
            let triple = triple(&edge);
            let moved = self.share.given.edges.contains(&triple);
            let had = moved || self.share.given.shared.contains(&triple);
            let mut whose = match edge.kind.as_str() {
                MENTIONS => self.mention(librarian, &edge, &nodes).await?,
                _ => self.told(&edge),
            };
            if whose.is_nobodys() {
                whose = Whose { kept: !moved, other: moved };
            }
            parted.changes.extend(self.left(&edge, whose));
            match whose.other {
                true if !had => parted.changes.push(self.given_back(edge)),
                // What both are told to be stays so, whatever becomes of one.
                false if had && edge.kind.as_str() == MENTIONS => parted.ended.push(triple),
                _ => {}
            }
        }
        Ok(parted)
    }

    /// What is at the other ends.
    async fn neighbours(
        &self,
        librarian: &Librarian,
        edges: &[Edge],
    ) -> Result<HashMap<NodeId, Node>> {
        let mentions = edges.iter().filter(|edge| edge.kind.as_str() == MENTIONS);
        let ids: Vec<NodeId> = mentions.map(|edge| self.beyond(edge)).collect();
        let nodes = librarian.app.store.nodes(&librarian.viewer, &ids).await?;
        Ok(nodes.into_iter().map(|node| (node.id, node)).collect())
    }

    fn beyond(&self, edge: &Edge) -> NodeId {
        if edge.source == self.kept.node.id { edge.target } else { edge.source }
    }

    /// Edges that the merge gave and that are there no more, and mentions of both that are not.
    fn gone(&self, edges: &[Edge]) -> Vec<Triple> {
        let given = &self.share.given;
        let mentions = given.shared.iter().filter(|(_, kind, _)| kind == MENTIONS);
        let there: Vec<Triple> = edges.iter().map(triple).collect();
        given.edges.iter().chain(mentions).filter(|one| !there.contains(one)).cloned().collect()
    }

    /// Of whom an edge is told.
    fn told(&self, edge: &Edge) -> Whose {
        let key = end_key(edge, self.kept.node.id);
        if !edge.properties.contains_key(key) {
            return Whose::default();
        }
        let told = called_at(edge, self.kept.node.id);
        let (other, kept): (Vec<&str>, Vec<&str>) = told.iter().partition(|of| self.is_other(of));
        Whose { kept: !kept.is_empty(), other: !other.is_empty() }
    }

    /// Who of them mentions something, or is mentioned.
    async fn mention(
        &self,
        librarian: &Librarian,
        edge: &Edge,
        nodes: &HashMap<NodeId, Node>,
    ) -> Result<Whose> {
        let Some(beyond) = nodes.get(&self.beyond(edge)) else { return Ok(Whose::default()) };
        if edge.source == self.kept.node.id {
            let numbers = log::numbers(beyond);
            let kept = self.staying.iter().any(|text| mentions_any(&text.body, &numbers));
            let other = self.leaving.iter().any(|text| mentions_any(&text.body, &numbers));
            return Ok(Whose { kept, other });
        }
        let texts = log::texts_of(librarian, beyond.id).await?;
        let said: String = texts.into_iter().map(|text| text.body + "\n").collect();
        let others = self.share.node.as_ref().map(log::numbers).unwrap_or_default();
        let mut own = log::numbers(&self.kept.node);
        own.retain(|number| !others.contains(number));
        let Whose { mut kept, mut other } = self.told(edge);
        kept |= mentions_any(&said, &own);
        other |= mentions_any(&said, &others);
        // Documents mention by name as well.
        if beyond.properties.contains_key(shelve::DIGEST) {
            let says = |names: Vec<&str>| spotter::count(&names, &said) > 0;
            kept |= says(self.stays.iter().map(String::as_str).collect());
            other |= says(self.names().collect());
        }
        Ok(Whose { kept, other })
    }

    fn is_other(&self, of: &str) -> bool {
        self.names().chain(self.share.given.uris.iter().map(String::as_str)).any(|own| own == of)
    }

    /// What the other is called.
    fn names(&self) -> impl Iterator<Item = &str> {
        let given = &self.share.given;
        let own = std::iter::once(&given.name).chain(&given.aliases).chain(&self.share.names);
        own.map(String::as_str)
    }

    /// Of whom an edge is told that goes with the other: of itself, or of what was merged into it.
    fn own_told<'e>(&self, edge: &'e Edge) -> BTreeSet<&'e str> {
        let given = &self.share.given;
        let is_part = |of: &str| of != given.uri && given.uris.iter().any(|uri| uri == of);
        let told = called_at(edge, self.kept.node.id).into_iter().filter(|of| self.is_other(of));
        told.map(|of| if is_part(of) { of } else { "" }).collect()
    }

    /// What becomes of an edge of the one that was kept.
    fn left(&self, edge: &Edge, whose: Whose) -> Option<Change> {
        if !whose.kept {
            return Some(Change::DeleteEdge(EdgeRef::Id(edge.id), Expect::Any));
        }
        let key = end_key(edge, self.kept.node.id);
        let mut told = called_at(edge, self.kept.node.id);
        told.retain(|of| !self.is_other(of));
        let mut properties = edge.properties.clone();
        match properties.contains_key(key) {
            true if told.is_empty() => drop(properties.shift_remove(key)),
            true => drop(properties.insert(key.into(), json!(told))),
            false => {}
        }
        (properties != edge.properties).then(|| told::with(edge, properties))
    }

    fn given_back(&self, edge: Edge) -> Change {
        let place = |end| match end == self.kept.node.id {
            true => NodeRef::Uid(self.uid),
            false => NodeRef::Id(end),
        };
        let key = end_key(&edge, self.kept.node.id);
        let told = match edge.properties.contains_key(key) {
            true => self.own_told(&edge),
            false => BTreeSet::new(),
        };
        // A relation is of its ends; of a mention it is kept that somebody told it.
        let is_plain =
            told.is_empty() || edge.kind.as_str() != MENTIONS && told == BTreeSet::from([""]);
        let mut properties = edge.properties.clone();
        match is_plain {
            true => drop(properties.shift_remove(key)),
            false => drop(properties.insert(key.into(), json!(told))),
        }
        let (source, target) = (place(edge.source), place(edge.target));
        let (kind, weight, visibility) = (edge.kind, edge.weight, edge.visibility);
        Change::PutEdge(NewEdge { source, target, kind, weight, visibility, properties })
    }
}

fn triple(edge: &Edge) -> Triple {
    let (source, kind, target) = log::ends(edge);
    (source.0, kind, target.0)
}

/// Whether a text mentions what has one of these numbers.
fn mentions_any(text: &str, numbers: &[i64]) -> bool {
    mention::find(text).iter().any(|found| match found.target {
        Target::Entity(number) => numbers.contains(&number),
        Target::Other | Target::New => false,
    })
}

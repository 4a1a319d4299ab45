//! Two entities that were merged and part again: whose edges are whose.

use std::collections::{BTreeSet, HashMap};

use lore_core::{Edge, Node, NodeId, Result, Visibility};
use lore_markup::mention::{self, Target};
use lore_store::{Change, EdgeRef, Expect, NewEdge, NodeRef};
use serde_json::json;

use super::entities::Entity;
use super::librarian::Librarian;
use super::log::{self, Triple};
use super::parted_relations::{Among, is_relation};
use super::parted_texts::Leaving;
use super::relations::{self, EDGES_MAX, MENTIONS, called_at, end_key};
use super::shares::{Party, Share, Shares};
use super::{kept_notes, shelve, spotter, told};

/// Two entities that part.
pub(super) struct Parting<'a> {
    /// The one that was kept.
    pub(super) kept: &'a Entity,
    /// Every name of it.
    stays: Vec<String>,
    /// The other, with those that were merged into it since.
    pub(super) party: &'a Party<'a>,
    /// The texts of both.
    texts: &'a Leaving,
    /// The edges that the other has when it comes out of the bin, by their ends then.
    pub(super) own: HashMap<Triple, Edge>,
    /// Those between the one that was kept and ones that go with the other.
    pub(super) inner: Vec<(String, Edge)>,
    pub(super) among: Among,
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

impl<'a> Parting<'a> {
    pub(super) async fn of(
        librarian: &Librarian,
        kept: &'a Entity,
        stays: Vec<String>,
        (shares, party): (&Shares, &'a Party<'a>),
        texts: &'a Leaving,
    ) -> Result<Self> {
        let own = lost(librarian, party.main).await?;
        let own = own.into_iter().map(|edge| (triple(&edge), edge)).collect();
        let (inner, among) = (Vec::new(), Among::default());
        let mut parting = Self { kept, stays, party, texts, own, inner, among };
        for share in &party.joined {
            let mut edges = lost(librarian, share).await?;
            edges.retain(|edge| parting.is_at_kept(edge));
            edges.retain(|edge| !is_relation(edge) || !parting.told_of_staying(edge).is_empty());
            parting.inner.extend(edges.into_iter().map(|edge| (share.given.uri.clone(), edge)));
        }
        parting.among = Among::of(librarian, &parting, shares).await?;
        Ok(parting)
    }

    /// Takes back the edges that the merge gave, and gives the other what came since and is
    /// its own.
    pub(super) async fn edges(&self, librarian: &Librarian) -> Result<Vec<Change>> {
        let edges = log::edges_of(librarian, self.kept.node.id).await?;
        let nodes = self.neighbours(librarian, &edges).await?;
        let gone: Vec<&Edge> = self.gone(&edges).collect();
        let live = edges.iter().map(|edge| self.placed_triple(triple(edge)));
        let settled = live.chain(gone.iter().map(|edge| triple(edge))).collect();
        let mut changes: Vec<Change> = gone.into_iter().map(ended).collect();
        for edge in &edges {
            match edge.kind.as_str() {
                MENTIONS => {
                    let mut whose = self.mention(librarian, edge, &nodes).await?;
                    if whose.is_nobodys() {
                        let moved = self.moved(&triple(edge));
                        whose = Whose { kept: !moved, other: moved };
                    }
                    changes.extend(self.mention_parts(edge, whose));
                }
                _ => changes.extend(self.relation(edge)),
            }
        }
        let mentions = self.inner.iter().filter(|(_, edge)| !is_relation(edge));
        changes.extend(mentions.filter_map(|(of, edge)| self.inner_mention(of, edge)));
        changes.extend(self.among(&settled));
        Ok(changes)
    }

    /// What becomes of a mention of the one that was kept, and of that of the other.
    fn mention_parts(&self, edge: &Edge, whose: Whose) -> impl Iterator<Item = Change> {
        let own = self.own.get(&self.placed_triple(triple(edge)));
        let given = match (whose.other, own) {
            (true, None) => self.given_back(edge),
            (true, Some(own)) => self.retold(own, edge),
            (false, Some(own)) => Some(ended(own)),
            (false, None) => None,
        };
        self.left(edge, whose).into_iter().chain(given)
    }

    /// Whether the other has an edge of its own.
    pub(super) fn has(&self, triple: &Triple) -> bool {
        self.own.contains_key(triple)
    }

    /// The other in the place of the one that was kept.
    pub(super) fn placed(&self, end: NodeId, other: NodeId) -> NodeId {
        if end == self.kept.node.id { other } else { end }
    }

    /// The edges between the one that was kept and one that goes with the other, as edges of the
    /// other: those that everybody sees, and those that are hidden.
    pub(super) fn inner(&self, share: &Share) -> (Vec<Triple>, Vec<Triple>) {
        let its = self.inner.iter().filter(|(of, _)| *of == share.given.uri);
        let (open, hidden): (Vec<&Edge>, Vec<&Edge>) =
            its.map(|(_, edge)| edge).partition(|edge| edge.visibility == Visibility::Members);
        let moved =
            |edges: Vec<&Edge>| edges.into_iter().map(|edge| self.as_others(edge)).collect();
        (moved(open), moved(hidden))
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

    pub(super) fn beyond(&self, edge: &Edge) -> NodeId {
        if edge.source == self.kept.node.id { edge.target } else { edge.source }
    }

    /// Edges of the other that the merge gave and that are there no more, and those of both that are
    /// not.
    fn gone<'e>(&'e self, edges: &[Edge]) -> impl Iterator<Item = &'e Edge> {
        let given = &self.party.main.given;
        let there: Vec<Triple> = edges.iter().map(triple).collect();
        let is_known = |(_, kind, _): &&Triple| kind == MENTIONS || given.told_of_both;
        let shared = given.shared.iter().filter(is_known);
        let gone = given.edges.iter().chain(shared).filter(move |one| !there.contains(one));
        gone.filter_map(|one| self.own.get(&self.placed_triple(one.clone())))
    }

    /// The one that parts.
    pub(super) fn other(&self) -> NodeId {
        self.party.main.node.as_ref().map_or(self.kept.node.id, |node| node.id)
    }

    /// The ends of an edge of the one that was kept, with the other in its place.
    pub(super) fn placed_triple(&self, (source, kind, target): Triple) -> Triple {
        let place = |end| self.placed(NodeId(end), self.other()).0;
        (place(source), kind, place(target))
    }

    /// The ends of an edge of one that goes with the other, with the other in its place.
    pub(super) fn as_others(&self, edge: &Edge) -> Triple {
        let kept = self.kept.node.id;
        let place = |end: NodeId| if end == kept { end.0 } else { self.other().0 };
        (place(edge.source), edge.kind.to_string(), place(edge.target))
    }

    /// A mention between the one that was kept and one that goes with the other, as the other's.
    fn inner_mention(&self, of: &str, edge: &Edge) -> Option<Change> {
        let node = self.party.main.node.as_ref()?;
        if self.has(&self.as_others(edge)) {
            return None;
        }
        let kept = self.kept.node.id;
        let place = |end: NodeId| match end == kept {
            true => NodeRef::Id(end),
            false => NodeRef::Uid(node.uid),
        };
        let mut properties = edge.properties.clone();
        let end = if edge.source == kept { edge.target } else { edge.source };
        if let Some(told) = relations::told_of(edge, end, of) {
            properties.insert(end_key(edge, end).into(), json!(told));
        }
        Some(Change::PutEdge(NewEdge {
            source: place(edge.source),
            target: place(edge.target),
            kind: edge.kind.clone(),
            weight: edge.weight,
            visibility: edge.visibility,
            properties,
        }))
    }

    /// A mention of the other with those of whom it is told now, as that of the one that was kept says.
    fn retold(&self, own: &Edge, edge: &Edge) -> Option<Change> {
        let end = self.party.main.node.as_ref()?.id;
        let key = end_key(own, end);
        let told = match edge.properties.contains_key(end_key(edge, self.kept.node.id)) {
            true => self.own_told(edge),
            false => BTreeSet::new(),
        };
        let mut properties = own.properties.clone();
        match told.is_empty() {
            true => drop(properties.shift_remove(key)),
            false => drop(properties.insert(key.into(), json!(told))),
        }
        let change = told::with(own, properties.clone());
        (properties != own.properties).then_some(change)
    }

    /// Of whom a mention is told.
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
            return Ok(self.mentioning(beyond));
        }
        let triple = triple(edge);
        match self.is_as_it_was(beyond) && self.had(&triple) {
            true => Ok(Whose { kept: !self.moved(&triple), other: true }),
            false => self.mentioned_by(librarian, edge, beyond).await,
        }
    }

    /// Whose texts mention something.
    fn mentioning(&self, beyond: &Node) -> Whose {
        let numbers = log::numbers(beyond);
        let kept = self.texts.staying.iter().any(|text| mentions_any(&text.body, &numbers));
        let other = self.texts.texts().iter().any(|text| mentions_any(&text.body, &numbers));
        Whose { kept, other }
    }

    /// Whether something is a note that says what it said before the merge. It may mention by more
    /// than its text, and one that says something else is read again when they have parted.
    fn is_as_it_was(&self, beyond: &Node) -> bool {
        beyond.kind.as_str() == kept_notes::KIND && beyond.updated.at < self.party.main.merged_at()
    }

    /// Who is mentioned by something.
    async fn mentioned_by(
        &self,
        librarian: &Librarian,
        edge: &Edge,
        beyond: &Node,
    ) -> Result<Whose> {
        let texts = log::texts_of(librarian, beyond.id).await?;
        let said: String = texts.into_iter().map(|text| text.body + "\n").collect();
        let others: Vec<i64> = self.nodes().flat_map(log::numbers).collect();
        let mut own = log::numbers(&self.kept.node);
        own.retain(|number| !others.contains(number));
        let Whose { mut kept, mut other } = self.told(edge);
        kept |= mentions_any(&said, &own);
        other |= mentions_any(&said, &others);
        // Documents mention by name as well.
        if beyond.properties.contains_key(shelve::DIGEST) {
            let says = |names: Vec<&str>| spotter::count(&names, &said) > 0;
            kept |= says(self.stays.iter().map(String::as_str).collect());
            let names = self.names();
            other |= says(names.iter().map(String::as_str).collect());
        }
        Ok(Whose { kept, other })
    }

    /// Whether a merge gave an edge.
    pub(super) fn moved(&self, triple: &Triple) -> bool {
        self.party.all().any(|share| share.given.edges.contains(triple))
    }

    /// Whether the other had an edge when it was merged.
    fn had(&self, triple: &Triple) -> bool {
        self.moved(triple) || self.party.all().any(|share| share.given.shared.contains(triple))
    }

    pub(super) fn is_other(&self, of: &str) -> bool {
        self.party.has_uri(of) || self.names().iter().any(|own| own == of)
    }

    /// What the other is called.
    fn names(&self) -> Vec<String> {
        let given = self.party.all().flat_map(|share| share.given.aliases.iter().cloned());
        self.party.all().flat_map(Share::called).chain(given).collect()
    }

    fn nodes(&self) -> impl Iterator<Item = &Node> {
        self.party.all().filter_map(|share| share.node.as_ref())
    }

    /// Of whom a mention is told that goes with the other: of itself, or of what was merged into it.
    fn own_told<'e>(&self, edge: &'e Edge) -> BTreeSet<&'e str> {
        let is_part = |of: &str| of != self.party.main.given.uri && self.party.has_uri(of);
        let told = called_at(edge, self.kept.node.id).into_iter().filter(|of| self.is_other(of));
        told.map(|of| if is_part(of) { of } else { "" }).collect()
    }

    /// What becomes of a mention of the one that was kept.
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

    fn given_back(&self, edge: &Edge) -> Option<Change> {
        let uid = self.party.main.node.as_ref()?.uid;
        let place = |end| match end == self.kept.node.id {
            true => NodeRef::Uid(uid),
            false => NodeRef::Id(end),
        };
        let key = end_key(edge, self.kept.node.id);
        let mut properties = edge.properties.clone();
        if properties.shift_remove(key).is_some() {
            let told = self.own_told(edge);
            properties.extend((!told.is_empty()).then(|| (key.to_owned(), json!(told))));
        }
        Some(Change::PutEdge(NewEdge {
            source: place(edge.source),
            target: place(edge.target),
            kind: edge.kind.clone(),
            weight: edge.weight,
            visibility: edge.visibility,
            properties,
        }))
    }
}

/// The edges that something that was merged has when it comes out of the bin.
pub(super) async fn lost(librarian: &Librarian, share: &Share) -> Result<Vec<Edge>> {
    let Some(node) = &share.node else { return Ok(Vec::new()) };
    let store = &librarian.app.store;
    Ok(store.edges_in_bin(&librarian.viewer, node.id, EDGES_MAX).await?)
}

fn ended(edge: &Edge) -> Change {
    Change::DeleteEdge(EdgeRef::Id(edge.id), Expect::Any)
}

pub(super) fn triple(edge: &Edge) -> Triple {
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

//! Unmerging: dividing edges between the survivor and the departing entity (terms: see `unmerge`).
//!
//! Every telling (one source's statement of a relation) and every mention in a document records
//! which entity it is about, and the texts of a page show whom they mention. The division therefore
//! follows from the current data alone, whatever the order of earlier merges and unmerges.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use lore_core::{Edge, Node, NodeId, Result, Visibility};
use lore_store::{Change, EdgeRef, Expect, NodeRef};

use super::everybody::Everybody;
use super::texts::Leaving;
use crate::knowledge::entities::Entity;
use crate::knowledge::entities::history::stricter;
use crate::knowledge::merge::shares::{Party, Share, Shares};
use crate::knowledge::merge::{self, Triple, bin};
use crate::knowledge::relations::is_bookkeeping;

/// An unmerge in progress: the survivor, the departing entity and the edges of both.
pub(super) struct Parting<'a> {
    /// The survivor.
    pub(super) kept: &'a Entity,
    /// The departing entity and its companions.
    pub(super) party: &'a Party<'a>,
    /// The survivor's texts, by whom they belong to.
    pub(super) texts: &'a Leaving,
    /// The edges in the bin that belong to the departing entity's node.
    pub(super) own: BTreeMap<Place, Edge>,
    /// The edges in the bin that belong to its companions, as if they were its own.
    pub(super) brought: BTreeMap<Place, Edge>,
    /// Edges set aside at a merge: they lie in the bin and no edge of the survivor stands for them.
    /// Each comes with the URI of the merged entity it belongs to.
    pub(super) aside: Vec<(String, Edge)>,
    /// The URIs of the survivor and of the entities merged into it, by node.
    pub(super) uris: HashMap<NodeId, String>,
}

/// Where an edge is, and the principal it is private to. What is private to somebody is never
/// joined to what others said.
pub(super) type Place = (Triple, Option<i64>);

/// The survivor's relations and mentions.
pub(super) struct Held {
    pub(super) edges: Vec<Edge>,
    /// Bookkeeping that stands beside them.
    bookkeeping: Vec<Edge>,
    /// The nodes at their ends.
    pub(super) nodes: HashMap<NodeId, Node>,
    /// Those of the nodes that lie in the bin.
    binned: BTreeSet<NodeId>,
}

impl Held {
    /// Whether an end of an edge lies in the bin.
    pub(super) fn is_binned(&self, edge: &Edge) -> bool {
        [edge.source, edge.target].iter().any(|end| self.binned.contains(end))
    }
}

impl<'a> Parting<'a> {
    pub(super) async fn of(
        everybody: &Everybody<'_>,
        kept: &'a Entity,
        (shares, party): (&Shares, &'a Party<'a>),
        texts: &'a Leaving,
    ) -> Result<Self> {
        let own = binned(everybody, party.main).await?;
        let own = own.into_iter().map(|edge| (place(&edge), edge)).collect();
        let mut aside = Vec::new();
        for share in shares.merged.iter().filter(|share| !share.given.aside.is_empty()) {
            let edges = binned(everybody, share).await?.into_iter();
            let edges = edges.filter(|edge| share.given.aside.contains(&edge.id.0));
            aside.extend(edges.map(|edge| (share.given.uri.clone(), edge)));
        }
        let all = shares.everybody().into_iter();
        let merged = all.filter_map(|share| Some((share.node.as_ref()?.id, &share.given.uri)));
        let uris = merged.chain([(kept.node.id, &kept.uri)]);
        let uris = uris.map(|(node, uri)| (node, uri.clone())).collect();
        let brought = brought(everybody, party).await?;
        Ok(Self { kept, party, texts, own, brought, aside, uris })
    }

    /// Returns the changes that give the survivor and the departing entity their own edges.
    pub(super) async fn edges(&self, everybody: &Everybody<'_>) -> Result<Vec<Change>> {
        let Some(other) = self.party.main.node.as_ref().map(|node| node.id) else {
            return Ok(Vec::new());
        };
        let held = self.held(everybody).await?;
        let (mut changes, mut settled) = self.relations(everybody.librarian, &held, other);
        let (further, more) = self.mentions(everybody, &held, other).await?;
        changes.extend(further);
        settled.extend(more);
        changes.extend(self.given_before(&held.bookkeeping));
        let own: Vec<Edge> = self.own.values().cloned().collect();
        let (bookkeeping, _) = bookkeeping(&own, &everybody.nodes(&ends(&own)).await?.0);
        settled.extend(bookkeeping.iter().map(place));
        changes.extend(self.stale(&settled, other));
        Ok(changes.into_iter().flat_map(|change| within_reach(change, &held.binned)).collect())
    }

    /// Reads the survivor's edges, including those whose other end lies in the bin: it may be
    /// restored. Edges of anything that was merged are left out, because they are divided when that
    /// one parts.
    async fn held(&self, everybody: &Everybody<'_>) -> Result<Held> {
        let (librarian, kept) = (everybody.librarian, self.kept.node.id);
        let mut edges = everybody.edges(kept).await?;
        let beyond = |edge: &Edge| if edge.source == kept { edge.target } else { edge.source };
        edges.retain(|edge| !self.uris.contains_key(&beyond(edge)));
        let (mut nodes, mut binned) = everybody.nodes(&ends(&edges)).await?;
        for id in binned.clone() {
            if let Some(node) = nodes.get(&id)
                && bin::is_part(&librarian.app, &librarian.viewer, node).await?
            {
                nodes.remove(&id);
                binned.remove(&id);
            }
        }
        edges.retain(|edge| nodes.contains_key(&beyond(edge)));
        let (bookkeeping, edges) = bookkeeping(&edges, &nodes);
        Ok(Held { edges, bookkeeping, nodes, binned })
    }

    /// Whether the departing entity has such an edge in the bin.
    pub(super) fn has(&self, triple: &Triple) -> bool {
        self.own.keys().any(|(known, _)| known == triple)
    }

    /// Replaces the survivor by the departing entity (`other`) at the ends of an edge.
    pub(super) fn placed(&self, (source, kind, target): Triple, other: NodeId) -> Triple {
        let place = |end: i64| if end == self.kept.node.id.0 { other.0 } else { end };
        (place(source), kind, place(target))
    }

    /// Returns the place that an edge of the survivor has at the departing entity.
    pub(super) fn place(&self, edge: &Edge, other: NodeId) -> Place {
        (self.placed(triple(edge), other), seat(edge.visibility))
    }

    /// Returns who could see what stood for an edge in the bin when the merge made it.
    pub(super) fn was(&self, own: &Edge) -> Visibility {
        let node = self.party.main.node.as_ref();
        node.map_or(own.visibility, |node| stricter(own.visibility, node.visibility))
    }

    /// Deletes bookkeeping that an older version moved to the survivor.
    fn given_before(&self, edges: &[Edge]) -> impl Iterator<Item = Change> {
        let was_given = |edge: &&Edge| self.party.main.given.edges.contains(&triple(edge));
        edges.iter().filter(was_given).map(ended)
    }

    /// Deletes edges of the departing entity that the merge moved to the survivor and that no
    /// source states any more. They would otherwise return from the bin with its node. Edges that
    /// the merge did not touch return unchanged.
    fn stale(&self, settled: &HashSet<Place>, other: NodeId) -> impl Iterator<Item = Change> {
        let given = &self.party.main.given;
        let moved = given.edges.iter().chain(&given.shared);
        let moved: HashSet<Triple> =
            moved.map(|triple| self.placed(triple.clone(), other)).collect();
        let is_stale = move |place: &Place, edge: &Edge| {
            let was_ours = moved.contains(&place.0) || given.aside.contains(&edge.id.0);
            was_ours && !settled.contains(place)
        };
        self.own
            .iter()
            .filter(move |(place, edge)| is_stale(place, edge))
            .map(|(_, edge)| ended(edge))
    }
}

fn ends(edges: &[Edge]) -> BTreeSet<NodeId> {
    edges.iter().flat_map(|edge| [edge.source, edge.target]).collect()
}

/// Separates bookkeeping from the other edges between these nodes.
fn bookkeeping(edges: &[Edge], nodes: &HashMap<NodeId, Node>) -> (Vec<Edge>, Vec<Edge>) {
    edges.iter().cloned().partition(|edge| is_bookkeeping(edge, nodes))
}

/// Returns the edges in the bin that belong to the node of a merged entity.
async fn binned(everybody: &Everybody<'_>, share: &Share) -> Result<Vec<Edge>> {
    let Some(node) = &share.node else { return Ok(Vec::new()) };
    everybody.edges(node.id).await
}

/// Returns the edges of the companions of the departing entity, as if they were its own.
async fn brought(everybody: &Everybody<'_>, party: &Party<'_>) -> Result<BTreeMap<Place, Edge>> {
    let mut brought = BTreeMap::new();
    let Some(other) = party.main.node.as_ref().map(|node| node.id.0) else { return Ok(brought) };
    for share in &party.joined {
        let own = share.node.as_ref().map(|node: &Node| node.id.0);
        for edge in binned(everybody, share).await? {
            let ((source, kind, target), seat) = place(&edge);
            let place = |end| if Some(end) == own { other } else { end };
            brought.insert(((place(source), kind, place(target)), seat), edge);
        }
    }
    Ok(brought)
}

/// Takes the ends of a new edge out of the bin while it is created: the store joins only what is
/// there.
fn within_reach(change: Change, binned: &BTreeSet<NodeId>) -> Vec<Change> {
    let Change::PutEdge(new) = &change else { return vec![change] };
    let ends = [new.source, new.target].into_iter();
    let gone = |end: &NodeRef| matches!(end, NodeRef::Id(id) if binned.contains(id));
    let Some(end) = ends.into_iter().find(gone) else { return vec![change] };
    vec![Change::RestoreNode(end), change, Change::DeleteNode(end, Expect::Any)]
}

pub(super) fn ended(edge: &Edge) -> Change {
    Change::DeleteEdge(EdgeRef::Id(edge.id), Expect::Any)
}

pub(super) fn triple(edge: &Edge) -> Triple {
    let (source, kind, target) = merge::ends(edge);
    (source.0, kind, target.0)
}

pub(super) fn place(edge: &Edge) -> Place {
    (triple(edge), seat(edge.visibility))
}

fn seat(visibility: Visibility) -> Option<i64> {
    match visibility {
        Visibility::Members | Visibility::Gm => None,
        Visibility::Private(who) => Some(who.0),
    }
}

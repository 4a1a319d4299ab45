//! Two entities that were merged and part again: whose edges are whose.
//!
//! Every telling of a relation and every mention by a document says whom it is of, and the texts of
//! a page say whom they mention. So the edges of each follow from what there is now, in whatever
//! order others were merged and parted before.

use std::collections::{BTreeMap, HashMap, HashSet};

use lore_core::{Edge, NodeId, Result};
use lore_store::{Change, EdgeRef, Expect};

use super::entities::Entity;
use super::librarian::Librarian;
use super::log::{self, Triple};
use super::parted_texts::Leaving;
use super::relations::{EDGES_MAX, is_relation};
use super::shares::{Party, Share, Shares};

/// Two entities that part.
pub(super) struct Parting<'a> {
    /// The one that was kept.
    pub(super) kept: &'a Entity,
    /// The other, with those that were merged into it since.
    pub(super) party: &'a Party<'a>,
    /// The texts of both.
    pub(super) texts: &'a Leaving,
    /// The edges that lie in the bin with the other, by their ends.
    pub(super) own: BTreeMap<Triple, Edge>,
    /// Edges of those that are one which are in no edge of the one that was kept, each with the
    /// URI of whom it lies in the bin with.
    pub(super) aside: Vec<(String, Edge)>,
    /// The URIs of those that are one.
    pub(super) uris: HashMap<NodeId, String>,
}

impl<'a> Parting<'a> {
    pub(super) async fn of(
        librarian: &Librarian,
        kept: &'a Entity,
        (shares, party): (&Shares, &'a Party<'a>),
        texts: &'a Leaving,
    ) -> Result<Self> {
        let own = binned(librarian, party.main).await?;
        let own = own.into_iter().map(|edge| (triple(&edge), edge)).collect();
        let mut aside = Vec::new();
        for share in shares.merged.iter().filter(|share| !share.given.aside.is_empty()) {
            let edges = binned(librarian, share).await?.into_iter();
            let edges = edges.filter(|edge| share.given.aside.contains(&edge.id.0));
            aside.extend(edges.map(|edge| (share.given.uri.clone(), edge)));
        }
        let merged = shares.merged.iter();
        let merged = merged.filter_map(|share| Some((share.node.as_ref()?.id, &share.given.uri)));
        let uris = merged.chain([(kept.node.id, &kept.uri)]);
        let uris = uris.map(|(node, uri)| (node, uri.clone())).collect();
        Ok(Self { kept, party, texts, own, aside, uris })
    }

    /// Gives each of both the edges that are its own.
    pub(super) async fn edges(&self, librarian: &Librarian) -> Result<Vec<Change>> {
        let Some(other) = self.party.main.node.as_ref().map(|node| node.id) else {
            return Ok(Vec::new());
        };
        let live = log::edges_of(librarian, self.kept.node.id).await?;
        let (relations, mentions): (Vec<Edge>, Vec<Edge>) = live.into_iter().partition(is_relation);
        let (mut changes, mut settled) = self.relations(&relations, other);
        let (further, more) = self.mentions(librarian, &mentions, other).await?;
        changes.extend(further);
        settled.extend(more);
        changes.extend(self.stale(&settled, other));
        Ok(changes)
    }

    /// Whether an edge lies in the bin with the other.
    pub(super) fn has(&self, triple: &Triple) -> bool {
        self.own.contains_key(triple)
    }

    /// The ends of an edge of the one that was kept, with the other in its place.
    pub(super) fn placed(&self, (source, kind, target): Triple, other: NodeId) -> Triple {
        let place = |end: i64| if end == self.kept.node.id.0 { other.0 } else { end };
        (place(source), kind, place(target))
    }

    /// Takes back edges that lie in the bin with the other, were those of the one that was kept for
    /// a while, and are nobody's now. What was no matter of the merge comes back as it is.
    fn stale(&self, settled: &HashSet<Triple>, other: NodeId) -> impl Iterator<Item = Change> {
        let given = &self.party.main.given;
        let moved = given.edges.iter().chain(&given.shared);
        let moved: HashSet<Triple> =
            moved.map(|triple| self.placed(triple.clone(), other)).collect();
        let is_stale = move |triple: &Triple, edge: &Edge| {
            let was_ours = moved.contains(triple) || given.aside.contains(&edge.id.0);
            was_ours && !settled.contains(triple)
        };
        self.own
            .iter()
            .filter(move |(triple, edge)| is_stale(triple, edge))
            .map(|(_, edge)| ended(edge))
    }
}

/// The edges that lie in the bin with something that was merged.
async fn binned(librarian: &Librarian, share: &Share) -> Result<Vec<Edge>> {
    let Some(node) = &share.node else { return Ok(Vec::new()) };
    let store = &librarian.app.store;
    Ok(store.edges_in_bin(&librarian.viewer, node.id, EDGES_MAX).await?)
}

pub(super) fn ended(edge: &Edge) -> Change {
    Change::DeleteEdge(EdgeRef::Id(edge.id), Expect::Any)
}

pub(super) fn triple(edge: &Edge) -> Triple {
    let (source, kind, target) = log::ends(edge);
    (source.0, kind, target.0)
}

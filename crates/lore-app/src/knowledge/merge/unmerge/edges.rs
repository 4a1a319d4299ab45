//! Unmerging: dividing edges between the survivor and the departing entity (terms: see `unmerge`).
//!
//! Every telling (one source's statement of a relation) and every mention in a document records
//! which entity it is about, and the texts of a page show whom they mention. The division therefore
//! follows from the current data alone, whatever the order of earlier merges and unmerges.

use std::collections::{BTreeMap, HashMap, HashSet};

use lore_core::{Edge, NodeId, Result};
use lore_store::{Change, EdgeRef, Expect};

use super::texts::Leaving;
use crate::knowledge::entities::Entity;
use crate::knowledge::librarian::Librarian;
use crate::knowledge::merge::shares::{Party, Share, Shares};
use crate::knowledge::merge::{self, Triple};
use crate::knowledge::relations::{EDGES_MAX, is_relation};

/// An unmerge in progress: the survivor, the departing entity and the edges of both.
pub(super) struct Parting<'a> {
    /// The survivor.
    pub(super) kept: &'a Entity,
    /// The departing entity and its companions.
    pub(super) party: &'a Party<'a>,
    /// The survivor's texts, by whom they belong to.
    pub(super) texts: &'a Leaving,
    /// The edges in the bin that belong to the departing entity's node, by source, kind and target.
    pub(super) own: BTreeMap<Triple, Edge>,
    /// Edges set aside at a merge: they lie in the bin and no edge of the survivor stands for them.
    /// Each comes with the URI of the merged entity it belongs to.
    pub(super) aside: Vec<(String, Edge)>,
    /// The URIs of the survivor and of the entities merged into it, by node.
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

    /// Returns the changes that give the survivor and the departing entity their own edges.
    pub(super) async fn edges(&self, librarian: &Librarian) -> Result<Vec<Change>> {
        let Some(other) = self.party.main.node.as_ref().map(|node| node.id) else {
            return Ok(Vec::new());
        };
        let live = merge::edges_of(librarian, self.kept.node.id).await?;
        let (relations, mentions): (Vec<Edge>, Vec<Edge>) = live.into_iter().partition(is_relation);
        let (mut changes, mut settled) = self.relations(&relations, other);
        let (further, more) = self.mentions(librarian, &mentions, other).await?;
        changes.extend(further);
        settled.extend(more);
        changes.extend(self.stale(&settled, other));
        Ok(changes)
    }

    /// Whether the departing entity has such an edge in the bin.
    pub(super) fn has(&self, triple: &Triple) -> bool {
        self.own.contains_key(triple)
    }

    /// Replaces the survivor by the departing entity (`other`) at the ends of an edge.
    pub(super) fn placed(&self, (source, kind, target): Triple, other: NodeId) -> Triple {
        let place = |end: i64| if end == self.kept.node.id.0 { other.0 } else { end };
        (place(source), kind, place(target))
    }

    /// Deletes edges of the departing entity that the merge moved to the survivor and that no
    /// source states any more. They would otherwise return from the bin with its node. Edges that
    /// the merge did not touch return unchanged.
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

/// Returns the edges in the bin that belong to the node of a merged entity.
async fn binned(librarian: &Librarian, share: &Share) -> Result<Vec<Edge>> {
    let Some(node) = &share.node else { return Ok(Vec::new()) };
    let store = &librarian.app.store;
    Ok(store.edges_in_bin(&librarian.viewer, node.id, EDGES_MAX).await?)
}

pub(super) fn ended(edge: &Edge) -> Change {
    Change::DeleteEdge(EdgeRef::Id(edge.id), Expect::Any)
}

pub(super) fn triple(edge: &Edge) -> Triple {
    let (source, kind, target) = merge::ends(edge);
    (source.0, kind, target.0)
}

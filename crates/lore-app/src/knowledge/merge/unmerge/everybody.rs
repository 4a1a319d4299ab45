//! Reading what everybody keeps at entities that part (terms: see `unmerge`).
//!
//! What somebody keeps to themselves is divided like everything else, but it is shown to nobody.

use std::collections::{BTreeSet, HashMap};

use lore_core::{Edge, Node, NodeId, Result, Role, Text, Viewer, Visibility};
use lore_store::{Bin, NodeKey};

use crate::knowledge::librarian::Librarian;

/// Everybody who keeps something at the entities: the game master's side, then single principals.
pub(super) struct Everybody<'a> {
    pub(super) librarian: &'a Librarian,
    /// They read with the game master's visibility, because the other end of something private may
    /// have been hidden from them since.
    keepers: Vec<Viewer>,
}

impl<'a> Everybody<'a> {
    pub(super) async fn at(librarian: &'a Librarian, nodes: &[NodeId]) -> Result<Self> {
        let viewer = librarian.viewer;
        let keepers = librarian.app.store.keepers(nodes).await?.into_iter();
        let keepers = keepers
            .filter(|keeper| *keeper != viewer.principal)
            .map(|principal| Viewer { principal, role: Role::Gm, ..viewer });
        Ok(Self { librarian, keepers: keepers.collect() })
    }

    /// Returns the edges of a node, whether or not it and their other ends lie in the bin.
    pub(super) async fn edges(&self, node: NodeId) -> Result<Vec<Edge>> {
        let store = &self.librarian.app.store;
        let mut edges = store.edges_in_bin(&self.librarian.viewer, node, usize::MAX).await?;
        for keeper in &self.keepers {
            let more = store.edges_in_bin(keeper, node, usize::MAX).await?.into_iter();
            edges.extend(more.filter(|edge| is_theirs(edge.visibility, keeper)));
        }
        // Two who keep something may both see an edge between their own nodes.
        let mut known = BTreeSet::new();
        edges.retain(|edge| known.insert(edge.id));
        Ok(edges)
    }

    pub(super) async fn texts(&self, node: NodeId, bin: Bin) -> Result<Vec<Text>> {
        let store = &self.librarian.app.store;
        let mut texts = store.texts_of(&self.librarian.viewer, node, bin).await?;
        for keeper in &self.keepers {
            let more = store.texts_of(keeper, node, bin).await?.into_iter();
            texts.extend(more.filter(|text| is_theirs(text.visibility, keeper)));
        }
        texts.sort_by_key(|text| (text.position, text.id));
        Ok(texts)
    }

    /// Returns the nodes with these ids, and which of them lie in the bin.
    pub(super) async fn nodes(
        &self,
        ids: &BTreeSet<NodeId>,
    ) -> Result<(HashMap<NodeId, Node>, BTreeSet<NodeId>)> {
        let (store, mut nodes) = (&self.librarian.app.store, HashMap::new());
        let everybody = || std::iter::once(&self.librarian.viewer).chain(&self.keepers);
        let mut binned = BTreeSet::new();
        for viewer in everybody() {
            let ids: Vec<NodeId> =
                ids.iter().filter(|id| !nodes.contains_key(*id)).copied().collect();
            let found = store.nodes(viewer, &ids).await?;
            nodes.extend(found.into_iter().map(|node| (node.id, node)));
        }
        for id in ids {
            for viewer in everybody() {
                if nodes.contains_key(id) {
                    break;
                }
                let node = store.node_in_bin(viewer, NodeKey::Id(*id)).await?;
                binned.extend(node.as_ref().map(|_| *id));
                nodes.extend(node.map(|node| (*id, node)));
            }
        }
        Ok((nodes, binned))
    }
}

fn is_theirs(visibility: Visibility, keeper: &Viewer) -> bool {
    visibility == Visibility::Private(keeper.principal)
}

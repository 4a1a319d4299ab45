//! Imports the ties of a load as edges. Edges that were removed here stay removed; edges that were
//! removed in the source are removed here.

use std::collections::{BTreeSet, HashMap, HashSet};

use lore_core::{Edge, Node, NodeId, Uid};
use lore_store::{Change, Direction, EdgeRef, Expect, NewEdge, NodeKey, NodeRef, StoreError};
use serde_json::json;

use super::super::call::MemoryCall;
use super::super::ids::shown;
use super::super::kinds::{Type, edge_type};
use super::super::refusal::Reply;
use super::base::Bases;
use super::identity::{Identities, Identity, SOURCE};
use super::state::link_print;
use super::{LINKS_TO, Load, Tie};

/// A limit on edges per node, higher than any real number.
const MANY: usize = 10_000;

/// An edge, by the uids of its ends and its kind.
type Join = (Uid, Uid, String);

/// The context for importing ties.
pub(super) struct Links<'a> {
    pub(super) call: &'a MemoryCall,
    pub(super) load: &'a Load,
    pub(super) identities: &'a Identities,
    pub(super) bases: &'a Bases<'a>,
    joined: HashSet<Join>,
}

impl<'a> Links<'a> {
    pub(super) async fn of(
        call: &'a MemoryCall,
        load: &'a Load,
        identities: &'a Identities,
        bases: &'a Bases<'a>,
    ) -> Reply<Self> {
        let joined = joined(call, identities).await?;
        Ok(Self { call, load, identities, bases, joined })
    }

    /// Connects two records. Returns `false` if one of them does not exist. An existing edge stays
    /// as it is, and an exported edge that was removed here since is not created again.
    pub(super) async fn tie(&self, tie: &Tie) -> Reply<bool> {
        let uid = |key: &str| self.identities.uid(key);
        let (Some(from), Some(to)) = (uid(&tie.from), uid(&tie.to)) else { return Ok(false) };
        let kind = Type::of(&tie.type_name)?;
        let base = self.bases.get(&tie.from);
        if self.joined.contains(&(from, to, kind.kind.as_str().to_owned()))
            || base.is_some_and(|base| base.state.links.contains(&tie.print()))
        {
            return Ok(true);
        }
        let mut properties = tie.properties.clone();
        kind.note_in(&mut properties);
        if self.load.keys_are_places && tie.type_name == LINKS_TO {
            properties.insert(SOURCE.into(), json!(self.load.label));
        }
        let edge = NewEdge {
            source: NodeRef::Uid(from),
            target: NodeRef::Uid(to),
            kind: kind.kind,
            weight: if tie.weight.is_finite() { tie.weight } else { 1.0 },
            visibility: tie.sharing.visibility(&self.call.viewer),
            properties,
        };
        let mut batch = self.call.batch().change(Change::PutEdge(edge));
        batch.origin.source = Some(self.load.label.clone());
        match self.call.app.commit(&self.call.viewer, batch).await {
            Ok(_) => Ok(true),
            Err(StoreError::NotFound(_) | StoreError::Exists(_)) => Ok(false),
            Err(other) => Err(other.into()),
        }
    }

    /// Removes the edges that were removed in the source.
    pub(super) async fn untie(&self) -> Reply<()> {
        if self.load.keys_are_places {
            self.untie_sourced().await?;
        }
        for (key, gone) in self.bases.unlinked() {
            self.unlink(key, &gone).await?;
        }
        Ok(())
    }

    /// Removes edges that follow from links in the source that are no longer there.
    async fn untie_sourced(&self) -> Reply<()> {
        let uids =
            |tie: &Tie| Some((self.identities.uid(&tie.from)?, self.identities.uid(&tie.to)?));
        let wanted: HashSet<_> = self.load.ties.iter().filter_map(uids).collect();
        for record in &self.load.records {
            let Some(Identity::Sourced(uid)) = self.identities.get(&record.key) else { continue };
            let label = json!(self.load.label);
            let is_stale = |edge: &Edge, end: &Node| {
                edge.kind.as_str() == LINKS_TO
                    && edge.properties.get(SOURCE) == Some(&label)
                    && !wanted.contains(&(uid, end.uid))
            };
            self.take_away(uid, is_stale).await?;
        }
        Ok(())
    }

    /// Removes edges that were removed by hand from an export. JSON lines may be a part of an
    /// export, so they say nothing about edges to nodes they do not contain.
    async fn unlink(&self, key: &str, gone: &BTreeSet<&String>) -> Reply<()> {
        let Some(uid) = self.identities.uid(key) else { return Ok(()) };
        let is_gone = |edge: &Edge, end: &Node| {
            let is_told = self.load.keys_are_places || self.identities.get(&shown(end)).is_some();
            is_told && gone.contains(&link_print(edge_type(edge), &shown(end)))
        };
        self.take_away(uid, is_gone).await
    }

    async fn take_away(
        &self,
        uid: Uid,
        is_stale: impl Fn(&Edge, &Node) -> bool + Send,
    ) -> Reply<()> {
        let (store, viewer) = (&self.call.app.store, &self.call.viewer);
        let Some(node) = store.node(viewer, NodeKey::Uid(uid)).await? else { return Ok(()) };
        let edges = store.neighbours(viewer, &[node.id], Direction::Out, &[], MANY).await?;
        let ends: Vec<_> = edges.iter().map(|edge| edge.target).collect();
        let ends = store.nodes(viewer, &ends).await?;
        let end = |edge: &Edge| ends.iter().find(|end| end.id == edge.target);
        let stale = edges.iter().filter(|edge| end(edge).is_some_and(|end| is_stale(edge, end)));
        let mut batch = self.call.batch();
        let bin = |edge: &Edge| Change::DeleteEdge(EdgeRef::Id(edge.id), Expect::Any);
        batch.changes.extend(stale.map(bin));
        if !batch.changes.is_empty() {
            self.call.app.commit(viewer, batch).await?;
        }
        Ok(())
    }
}

/// Returns the existing edges between the nodes of a load.
async fn joined(call: &MemoryCall, identities: &Identities) -> Reply<HashSet<Join>> {
    /// The number of nodes read at once, and the maximum number of their edges.
    const PAGE: usize = 500;
    const EDGES: usize = 100_000;
    let (store, viewer) = (&call.app.store, &call.viewer);
    let mut here: HashMap<NodeId, Uid> = HashMap::new();
    for uids in identities.uids().chunks(PAGE) {
        let nodes = store.nodes_by_uid(viewer, uids).await?;
        here.extend(nodes.into_iter().map(|node| (node.id, node.uid)));
    }
    let ids: Vec<NodeId> = here.keys().copied().collect();
    let mut joined = HashSet::new();
    for ids in ids.chunks(PAGE) {
        let edges = store.neighbours(viewer, ids, Direction::Out, &[], EDGES).await?;
        let ends = |edge: &Edge| Some((*here.get(&edge.source)?, *here.get(&edge.target)?));
        let join =
            |edge: Edge| ends(&edge).map(|(from, to)| (from, to, edge.kind.as_str().to_owned()));
        joined.extend(edges.into_iter().filter_map(join));
    }
    Ok(joined)
}

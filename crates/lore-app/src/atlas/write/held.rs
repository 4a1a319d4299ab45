//! Hides parts together with their whole: a marker with its map, a note with its section, an era
//! with its timeline.
//!
//! Whoever may not see the whole may not see its parts, whatever their own state says. The store
//! gives a part no more visibility than its wholes, so every door follows the rule without knowing
//! it. The part's own state is kept beside it, for when the whole is shown again.
//!
//! Membership is something else: an article in a category, or a history on a timeline, has its own
//! visibility.

use std::collections::{HashMap, HashSet};

use futures::FutureExt;
use lore_anvil::{Kind, Object};
use lore_core::names::Word;
use lore_core::{Edge, Node, NodeId, Result, Visibility};
use lore_store::{Batch, Change, Direction, Expect, NodePatch, NodeRef, Require};
use serde_json::{Value, json};

use super::input::{State, Written};
use crate::atlas::keys;
use crate::atlas::read::head;
use crate::atlas::source::Atlas;
use crate::play::word;

/// The own field that marks a part as public by itself but hidden with its whole.
pub(in crate::atlas) const OPEN_INSIDE: &str = "openInside";

/// For each node, the kinds of edges by which it is a part of something.
type Parts = HashMap<NodeId, Vec<&'static str>>;

impl Atlas {
    /// Adds to a write of a part the visibility of the wholes it will be in. The batch fails if one
    /// of these changes in the meantime.
    pub(super) async fn covered(
        &self,
        batch: Batch,
        kind: &Word,
        node: Option<&Node>,
        written: &Written,
    ) -> Result<(Batch, Written)> {
        let mut written = written.clone();
        let edges = edges_of(kind);
        let open = node.filter(|node| is_open(node)).map(|_| State::Public);
        if edges.is_empty() || written.state.or(open) != Some(State::Public) {
            if node.is_some_and(|node| head::own(node, OPEN_INSIDE).is_some()) {
                written.own.insert(OPEN_INSIDE.into(), Value::Null);
            }
            return Ok((batch, written));
        }
        let wholes = self.wholes_after(edges, node, &written).await?;
        let at =
            |whole: &Node| Require::NodeAt { node: NodeRef::Id(whole.id), version: whole.version };
        let batch = wholes.iter().map(at).fold(batch, Batch::require);
        written.state = Some(State::Public);
        written.inside = wholes.iter().map(|whole| whole.visibility).find(is_hiding);
        written.own.extend(noted(written.inside));
        Ok((batch, written))
    }

    /// Changes the visibility of a node's parts, at any depth, after a change of its own
    /// visibility.
    pub(super) async fn parts_follow(
        &self,
        batch: Batch,
        whole: &Node,
        visibility: Visibility,
    ) -> Result<Batch> {
        let mut batch = batch;
        let mut now = HashMap::from([(whole.id, visibility)]);
        let mut line = vec![whole.clone()];
        while let Some(whole) = line.pop() {
            let mut parts = self.parts_of(&whole).await?;
            parts.retain(|part| is_open(part) && !now.contains_key(&part.id));
            let edges = parts.iter().map(|part| (part.id, edges_of(&part.kind))).collect();
            let above = self.edges_above(&edges).await?;
            let wholes = self.visibilities_beyond(&above).await?;
            let seen = |id: &NodeId| now.get(id).or_else(|| wholes.get(id)).copied();
            let mut changed = Vec::new();
            for part in parts {
                let own = above.iter().filter(|edge| edge.source == part.id);
                let inside = own.filter_map(|edge| seen(&edge.target)).find(is_hiding);
                if inside.unwrap_or(Visibility::Members) != part.visibility {
                    changed.push((part, inside));
                }
            }
            for (part, inside) in changed {
                batch = batch.change(shown_with(&part, inside));
                now.insert(part.id, inside.unwrap_or(Visibility::Members));
                line.push(part);
            }
        }
        Ok(batch)
    }

    /// Does the same for a node that is already written, because a part may have been added
    /// meanwhile.
    pub(super) async fn settle_parts(&self, id: NodeId) -> Result<()> {
        let plan = || {
            async move {
                let batch = self.scribe.batch();
                let found = self.app().store.nodes(&self.scribe.all_seeing(), &[id]).await?;
                let Some(whole) = found.into_iter().next() else { return Ok((batch, ())) };
                Ok((self.parts_follow(batch, &whole, whole.visibility).await?, ()))
            }
            .boxed()
        };
        if plan().await?.0.changes.is_empty() {
            return Ok(());
        }
        self.scribe.carry_out(plan).await?;
        Ok(())
    }

    /// Keeps the parts of a deleted node as hidden as they are, by removing their marker: once the
    /// whole is gone, nothing says why they were hidden.
    pub(super) async fn left_hidden(&self, whole: &Node) -> Result<Vec<Change>> {
        let mut parts = self.parts_of(whole).await?;
        parts.retain(|part| head::own(part, OPEN_INSIDE).is_some());
        let kept = parts.iter().map(|part| {
            let properties = Some(head::merged(&part.properties, &noted(None)));
            let patch = NodePatch { properties, ..NodePatch::default() };
            Change::UpdateNode(NodeRef::Id(part.id), Expect::Version(part.version), patch)
        });
        Ok(kept.collect())
    }

    /// The wholes that a part will be in after a write.
    async fn wholes_after(
        &self,
        edges: Vec<&'static str>,
        node: Option<&Node>,
        written: &Written,
    ) -> Result<Vec<Node>> {
        let links = written.links.iter().filter(|link| edges.contains(&link.edge));
        let mut ids: Vec<NodeId> =
            links.clone().flat_map(|link| link.targets.iter().map(|target| target.id)).collect();
        let linked: Vec<&str> = links.map(|link| link.edge).collect();
        let kept: Vec<&'static str> =
            edges.into_iter().filter(|edge| !linked.contains(edge)).collect();
        if let Some(node) = node.filter(|_| !kept.is_empty()) {
            let above = self.edges_above(&Parts::from([(node.id, kept)])).await?;
            ids.extend(above.into_iter().map(|edge| edge.target));
        }
        Ok(self.app().store.nodes(&self.scribe.all_seeing(), &ids).await?)
    }

    /// The edges from parts to their wholes.
    async fn edges_above(&self, parts: &Parts) -> Result<Vec<Edge>> {
        let ids: Vec<NodeId> = parts.keys().copied().collect();
        let names = parts.values().flatten().copied();
        let mut above = self.every_edge(&ids, Direction::Out, names).await?;
        above.retain(|edge| {
            let names = parts.get(&edge.source);
            names.is_some_and(|names| names.contains(&edge.kind.as_str()))
        });
        Ok(above)
    }

    /// The direct parts of a node.
    async fn parts_of(&self, whole: &Node) -> Result<Vec<Node>> {
        let is_whole = |holder: Kind| keys::is_of_kind(holder, whole);
        let holders = Kind::ALL.iter().flat_map(|kind| kind.row().holders());
        let names = holders.filter(|(_, holder, _)| is_whole(*holder)).map(|(.., edge)| edge);
        let below = self.every_edge(&[whole.id], Direction::In, names).await?;
        let ids: Vec<NodeId> = below.iter().map(|edge| edge.source).collect();
        let mut parts = self.app().store.nodes(&self.scribe.all_seeing(), &ids).await?;
        parts.retain(|part| {
            let edges = edges_of(&part.kind);
            let mut own = below.iter().filter(|edge| edge.source == part.id);
            own.any(|edge| edges.contains(&edge.kind.as_str()))
        });
        Ok(parts)
    }

    /// Every edge of these kinds, without a limit: a missing edge would reveal something hidden.
    async fn every_edge(
        &self,
        ids: &[NodeId],
        direction: Direction,
        names: impl Iterator<Item = &'static str>,
    ) -> Result<Vec<Edge>> {
        let names: HashSet<&'static str> = names.collect();
        if names.is_empty() || ids.is_empty() {
            return Ok(Vec::new());
        }
        let kinds = names.into_iter().map(word).collect::<Result<Vec<_>>>()?;
        let viewer = self.scribe.all_seeing();
        let store = &self.app().store;
        Ok(store.neighbours(&viewer, ids, direction, &kinds, usize::MAX).await?)
    }

    /// The visibility of the nodes that edges lead to.
    async fn visibilities_beyond(&self, edges: &[Edge]) -> Result<HashMap<NodeId, Visibility>> {
        let ids: Vec<NodeId> = edges.iter().map(|edge| edge.target).collect();
        let nodes = self.app().store.nodes(&self.scribe.all_seeing(), &ids).await?;
        Ok(nodes.into_iter().map(|node| (node.id, node.visibility)).collect())
    }
}

/// Whether a node is public by itself, even if it is hidden with its whole.
pub(in crate::atlas) fn is_open(node: &Node) -> bool {
    node.visibility == Visibility::Members || head::own(node, OPEN_INSIDE) == Some(&json!(true))
}

/// The kinds of edges by which nodes of a kind are parts of something.
fn edges_of(node_kind: &Word) -> Vec<&'static str> {
    let is_it = |kind: &&Kind| keys::node_kinds(**kind).contains(&node_kind.as_str());
    let kinds = Kind::ALL.iter().filter(is_it);
    kinds.flat_map(|kind| kind.row().holders()).map(|(.., edge)| edge).collect()
}

fn is_hiding(visibility: &Visibility) -> bool {
    *visibility != Visibility::Members
}

/// The marker to store with a part that is public by itself: set while its whole is hidden.
fn noted(inside: Option<Visibility>) -> Object {
    let note = inside.map_or(Value::Null, |_| json!(true));
    Object::from_iter([(OPEN_INSIDE.to_owned(), note)])
}

fn shown_with(part: &Node, inside: Option<Visibility>) -> Change {
    let patch = NodePatch {
        visibility: Some(inside.unwrap_or(Visibility::Members)),
        properties: Some(head::merged(&part.properties, &noted(inside))),
        ..NodePatch::default()
    };
    Change::UpdateNode(NodeRef::Id(part.id), Expect::Version(part.version), patch)
}

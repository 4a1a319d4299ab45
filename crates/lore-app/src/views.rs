//! In-memory views: data derived from the nodes of a world that a viewer sees.
//!
//! Each viewer has a view of their own, so that hidden nodes cannot influence an answer. Before
//! every use, a view catches up with what changed in the store.

use std::collections::HashMap;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use lore_core::{Node, NodeId, Result, Text, Viewer};
use lore_store::{Renamed, Store};
use parking_lot::Mutex;
use tokio::sync::OwnedMutexGuard;

use crate::damage::sound_texts;

/// The maximum number of views kept at once. When it is reached, all are dropped and rebuilt on
/// demand.
const KEPT_MAX: usize = 64;
/// How many changed nodes are read at once, without and with their texts.
const STEP: usize = 1_000;
const STEP_WITH_TEXTS: usize = 100;

/// Data derived from the nodes that a viewer sees.
pub trait Learn: Default {
    /// What is read of each node, and which changes are followed.
    const READS: Reads = Reads::Heads;

    /// Whether this node contributes anything. Other nodes are skipped.
    fn concerns(_node: &Node) -> bool {
        true
    }

    /// Adds a node that is not in the view, with its texts if [`Learn::READS`] asks for them.
    fn learn(&mut self, node: Node, texts: Vec<Text>);

    /// Removes a node, if it is in the view.
    fn forget(&mut self, id: NodeId);
}

/// What a view reads of each node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reads {
    /// Name, aliases and the like. Changes of properties alone are not reported; a use case whose
    /// property change matters to a view must report it as a rename.
    Heads,
    /// The texts as well.
    Texts,
}

/// The views of all viewers.
#[derive(Default)]
pub struct Views<T> {
    kept: Mutex<HashMap<Viewer, Arc<tokio::sync::Mutex<View<T>>>>>,
}

/// One viewer's view.
#[derive(Default)]
pub struct View<T> {
    mark: i64,
    known: T,
}

impl<T: Learn> Views<T> {
    /// Returns the viewer's view, brought up to date.
    pub(crate) async fn open(
        &self,
        store: &dyn Store,
        viewer: &Viewer,
    ) -> Result<OwnedMutexGuard<View<T>>> {
        let view = {
            let mut kept = self.kept.lock();
            if kept.len() >= KEPT_MAX && !kept.contains_key(viewer) {
                kept.clear();
            }
            Arc::clone(kept.entry(*viewer).or_default())
        };
        let mut view = view.lock_owned().await;
        view.catch_up(store, viewer).await?;
        Ok(view)
    }
}

impl<T: Learn> View<T> {
    async fn catch_up(&mut self, store: &dyn Store, viewer: &Viewer) -> Result<()> {
        loop {
            let changed = match T::READS {
                Reads::Heads => store.renamed(viewer, self.mark, STEP).await?,
                Reads::Texts => store.rewritten(viewer, self.mark, STEP_WITH_TEXTS).await?,
            };
            if !changed.nodes.is_empty() {
                self.take_in(store, viewer, &changed).await?;
            }
            self.mark = changed.mark;
            if changed.nodes.is_empty() {
                return Ok(());
            }
        }
    }

    async fn take_in(
        &mut self,
        store: &dyn Store,
        viewer: &Viewer,
        changed: &Renamed,
    ) -> Result<()> {
        let nodes = store.nodes(viewer, &changed.nodes).await?;
        let nodes: Vec<Node> = nodes.into_iter().filter(T::concerns).collect();
        let mut texts: HashMap<NodeId, Vec<Text>> = HashMap::new();
        if T::READS == Reads::Texts && !nodes.is_empty() {
            let ids: Vec<NodeId> = nodes.iter().map(|node| node.id).collect();
            for text in sound_texts(store, viewer, &ids).await?.texts {
                texts.entry(text.node).or_default().push(text);
            }
        }
        for id in &changed.nodes {
            self.known.forget(*id);
        }
        for node in nodes {
            let texts = texts.remove(&node.id).unwrap_or_default();
            self.known.learn(node, texts);
        }
        Ok(())
    }
}

impl<T> Deref for View<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.known
    }
}

impl<T> DerefMut for View<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.known
    }
}

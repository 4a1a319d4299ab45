//! What each viewer sees of a world's nodes, kept in memory.
//!
//! Each kind of viewer has a view of their own, so that what is hidden has no influence on
//! an answer. Before every use it catches up with what changed since.

use std::collections::HashMap;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use lore_core::{Node, NodeId, Result, Text, Viewer};
use lore_store::{Renamed, Store};
use parking_lot::Mutex;
use tokio::sync::OwnedMutexGuard;

use crate::damage::sound_texts;

/// Most views kept at once; a viewer whose view was dropped gets a new one.
const KEPT_MAX: usize = 64;
/// How many changed nodes are read at once, and how many with their texts.
const STEP: usize = 1_000;
const STEP_WITH_TEXTS: usize = 100;

/// What is made of the nodes a viewer sees.
pub trait Learn: Default {
    /// What is read of nodes, and whose change is followed.
    const READS: Reads = Reads::Heads;

    /// Whether something is made of a node at all.
    fn concerns(_node: &Node) -> bool {
        true
    }

    /// Takes in a node, which is not known, and its texts as far as they are read.
    fn learn(&mut self, node: Node, texts: Vec<Text>);

    /// Forgets a node, if it is known.
    fn forget(&mut self, id: NodeId);
}

/// What is read of nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reads {
    /// What they are found by. Of a change to properties alone nothing is told: who makes
    /// one that counts tells that the name changed.
    Heads,
    /// Their texts, too.
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
    /// The viewer's view, up to date.
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

//! What each viewer sees of a world's nodes, kept in memory.
//!
//! Each kind of viewer has a view of their own, so that what is hidden has no influence on
//! an answer. Before every use it catches up with what changed since.

use std::collections::HashMap;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use lore_core::{Node, NodeId, Result, Viewer};
use lore_store::Store;
use parking_lot::Mutex;
use tokio::sync::OwnedMutexGuard;

/// Most views kept at once; a viewer whose view was dropped gets a new one.
const KEPT_MAX: usize = 64;
/// How many changed nodes are read at once.
const STEP: usize = 1_000;

/// What is made of the nodes a viewer sees.
pub trait Learn: Default {
    /// Takes in a node, which is not known.
    fn learn(&mut self, node: Node);

    /// Forgets a node, if it is known.
    fn forget(&mut self, id: NodeId);
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
            let renamed = store.renamed(viewer, self.mark, STEP).await?;
            if !renamed.nodes.is_empty() {
                let nodes = store.nodes(viewer, &renamed.nodes).await?;
                for id in &renamed.nodes {
                    self.known.forget(*id);
                }
                for node in nodes {
                    self.known.learn(node);
                }
            }
            self.mark = renamed.mark;
            if renamed.nodes.len() < STEP {
                return Ok(());
            }
        }
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

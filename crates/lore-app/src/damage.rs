//! What is damaged on the disk keeps nothing else from being read.
//!
//! The store refuses what is not as it was written. Whoever asks for one thing is told so; who asks
//! for many gets the others, and the answer, the log and `doctor` name what was left out. Nothing is ever
//! shown in its place, so a node of which a text is damaged is left out as a whole.

use std::collections::HashSet;

use lore_core::{Error, Node, NodeId, Result, Text, Viewer};
use lore_store::{LeftOut, Store, StoreError, StoreResult};

/// Texts of several nodes.
pub(crate) struct Sound {
    /// The texts, by node, of those that have no damaged one.
    pub(crate) texts: Vec<Text>,
    /// The nodes that have one.
    pub(crate) damaged: HashSet<NodeId>,
}

/// The texts of several nodes, as far as they are whole. Damage is looked for by halves, and only
/// once there is some.
pub(crate) async fn sound_texts(
    store: &dyn Store,
    viewer: &Viewer,
    nodes: &[NodeId],
) -> StoreResult<Sound> {
    let mut found = Sound { texts: Vec::new(), damaged: HashSet::new() };
    let mut parts = vec![nodes];
    while let Some(part) = parts.pop() {
        match (store.texts_of_nodes(viewer, part).await, part) {
            (Ok(texts), _) => found.texts.extend(texts),
            (Err(StoreError::Corrupt(what)), [node]) => {
                note(&what);
                found.damaged.insert(*node);
            }
            (Err(StoreError::Corrupt(_)), _) => {
                let (first, second) = part.split_at(part.len() / 2);
                parts.extend([second, first]);
            }
            (Err(other), _) => return Err(other),
        }
    }
    Ok(found)
}

/// One of many, unless it is damaged: then it is left out.
pub(crate) fn spared<T>(found: Result<T>) -> Result<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(Error::Corrupt { what }) => {
            note(&what);
            Ok(None)
        }
        Err(other) => Err(other),
    }
}

/// Tells that something is left out: the log, and whoever asked.
fn note(what: &str) {
    tracing::error!("{what}: it is left out; `lorewell doctor` says how to mend it");
    LeftOut::note(what);
}

/// Leaves out nodes of which a text is damaged.
pub(crate) async fn leave_out(
    store: &dyn Store,
    viewer: &Viewer,
    nodes: &mut Vec<Node>,
) -> StoreResult<()> {
    let ids: Vec<NodeId> = nodes.iter().map(|node| node.id).collect();
    let damaged = sound_texts(store, viewer, &ids).await?.damaged;
    nodes.retain(|node| !damaged.contains(&node.id));
    Ok(())
}

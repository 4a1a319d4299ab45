//! Lets reads of many things go on although some are damaged on disk.
//!
//! The store refuses rows whose checksum (seal) does not match. A request for one such thing fails.
//! A request for many gets the intact ones, and the answer, the log and `doctor` name what was left
//! out. Nothing is ever shown in place of damaged data, so a node with a damaged text is left out
//! entirely.

use std::collections::HashSet;

use lore_core::{Error, Node, NodeId, Result, Text, Viewer};
use lore_store::{LeftOut, Store, StoreError, StoreResult};

/// The texts of several nodes, as far as they are intact.
pub(crate) struct Sound {
    /// All texts of the nodes that have no damaged text.
    pub(crate) texts: Vec<Text>,
    /// The nodes that have a damaged text.
    pub(crate) damaged: HashSet<NodeId>,
}

/// Reads the texts of several nodes and separates out the nodes with damaged texts. One query
/// suffices if all is intact; otherwise damaged nodes are found by bisection.
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

/// Turns a damaged item of a list into `None`, so that the caller can leave it out and go on.
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

/// Records in the log and in the answer to the current call that something was left out.
fn note(what: &str) {
    tracing::error!(damaged = what, "it is left out; `lorewell doctor` says how to mend it");
    LeftOut::note(what);
}

/// Removes nodes that have a damaged text.
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

//! What a batch did.

use lore_core::{EdgeId, NodeId, TextId};

/// What a committed batch did. It is durable when the caller sees this.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Committed {
    /// The last entry the batch wrote to the change log, or the log's end before it.
    pub sequence: i64,
    /// One entry for each change, in order.
    pub applied: Vec<Applied>,
}

/// What one change did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Applied {
    /// A node was made, changed, deleted or restored.
    Node {
        /// The node.
        id: NodeId,
        /// Its number in the world.
        number: i64,
        /// Its number within its kind.
        kind_number: i64,
        /// Its version now.
        version: i64,
    },
    /// A text was made, changed, deleted or restored.
    Text {
        /// The text.
        id: TextId,
        /// Its version now.
        version: i64,
    },
    /// A document was put.
    State {
        /// Its version now; 1 when it is new.
        version: i64,
    },
    /// A log grew.
    Events {
        /// The sequence of the first new entry.
        first: i64,
        /// The sequence of the last new entry.
        last: i64,
    },
    /// Numbers were passed over.
    Numbers,
    /// Accesses were counted.
    Access {
        /// Of how many nodes.
        nodes: usize,
    },
    /// An edge was put, changed, deleted or restored.
    Edge {
        /// The edge.
        id: EdgeId,
        /// Its version now; 1 when it is new.
        version: i64,
    },
}

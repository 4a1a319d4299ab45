//! The result of a committed batch.

use lore_core::{EdgeId, NodeId, TextId};

/// The result of a committed batch. The batch is durable when the caller gets this.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Committed {
    /// The sequence number of the last change log entry that the batch wrote; if it wrote none, the
    /// end of the log.
    pub sequence: i64,
    /// One result for each change, in order.
    pub applied: Vec<Applied>,
}

/// The result of one change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Applied {
    /// A node was created, changed, deleted or restored.
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
    /// A text was created, changed, deleted or restored.
    Text {
        /// The text.
        id: TextId,
        /// Its version now.
        version: i64,
    },
    /// A document was stored.
    State {
        /// Its version now; 1 when it is new.
        version: i64,
    },
    /// Events were appended to a log.
    Events {
        /// The sequence of the first new entry.
        first: i64,
        /// The sequence of the last new entry.
        last: i64,
    },
    /// Numbers were skipped.
    Numbers,
    /// Accesses were counted.
    Access {
        /// The number of nodes counted.
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

//! A reusable set of nodes.

use crate::value::NodeId;

/// A set of nodes, stored as one mark per node of the graph, that can be cleared in constant time.
#[derive(Debug)]
pub(super) struct Marks {
    of_node: Vec<u32>,
    current: u32,
}

impl Marks {
    /// Creates an empty set.
    pub(super) fn new(nodes: usize) -> Self {
        Self { of_node: vec![0; nodes], current: 1 }
    }

    /// Adds a node; false if it is already in the set.
    pub(super) fn insert(&mut self, node: NodeId) -> bool {
        let Some(mark) = self.of_node.get_mut(node.0 as usize) else { return false };
        std::mem::replace(mark, self.current) != self.current
    }

    /// Removes all nodes.
    pub(super) fn wipe(&mut self) {
        if self.current == u32::MAX {
            self.of_node.fill(0);
            self.current = 0;
        }
        self.current += 1;
    }
}

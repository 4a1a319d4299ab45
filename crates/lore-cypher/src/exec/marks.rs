//! Nodes that were seen.

use crate::value::NodeId;

/// A mark for every node of the graph; wiping all of them costs nothing.
#[derive(Debug)]
pub(super) struct Marks {
    of_node: Vec<u32>,
    current: u32,
}

impl Marks {
    /// No node is marked.
    pub(super) fn new(nodes: usize) -> Self {
        Self { of_node: vec![0; nodes], current: 1 }
    }

    /// Marks a node; false when it is marked already.
    pub(super) fn insert(&mut self, node: NodeId) -> bool {
        let Some(mark) = self.of_node.get_mut(node.0 as usize) else { return false };
        std::mem::replace(mark, self.current) != self.current
    }

    /// Takes all marks away.
    pub(super) fn wipe(&mut self) {
        if self.current == u32::MAX {
            self.of_node.fill(0);
            self.current = 0;
        }
        self.current += 1;
    }
}

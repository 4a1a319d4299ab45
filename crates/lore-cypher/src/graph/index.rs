//! An index of nodes by a property, with four bytes per node.

use super::{Columns, KeyId};
use crate::value::{NodeId, Value};

/// The nodes with a string in a property, sorted by that string.
#[derive(Debug)]
pub(crate) struct PropertyIndex {
    key: KeyId,
    nodes: Vec<NodeId>,
}

impl PropertyIndex {
    /// Builds the index.
    pub(super) fn new(key: KeyId, properties: &Columns) -> Self {
        let all = (0..properties.owners()).map(NodeId);
        let mut found: Vec<_> =
            all.filter_map(|node| Some((text(properties, node, key)?, node))).collect();
        found.sort_unstable();
        Self { key, nodes: found.into_iter().map(|(_, node)| node).collect() }
    }

    /// The indexed property.
    pub(crate) fn key(&self) -> KeyId {
        self.key
    }

    pub(super) fn equal<'i>(&'i self, wanted: &str, properties: &Columns) -> &'i [NodeId] {
        let read = |node: &NodeId| text(properties, *node, self.key).unwrap_or_default();
        let start = self.nodes.partition_point(|node| read(node) < wanted);
        let rest = self.nodes.get(start..).unwrap_or_default();
        let length = rest.partition_point(|node| read(node) == wanted);
        rest.get(..length).unwrap_or_default()
    }

    pub(super) fn bytes(&self) -> usize {
        self.nodes.len() * size_of::<NodeId>()
    }
}

fn text(properties: &Columns, node: NodeId, key: KeyId) -> Option<&str> {
    match properties.get(node.0, key)? {
        Value::String(text) => Some(text),
        _ => None,
    }
}

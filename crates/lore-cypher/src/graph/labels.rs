//! Label sets. A node stores the number of its set, because there are few different ones.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{LabelId, Relationship, TypeId};
use crate::value::{NodeId, Value};

/// The label sets of all nodes.
#[derive(Debug, Default)]
pub(super) struct LabelSets {
    of_node: Vec<u32>,
    sets: Vec<LabelSet>,
    numbers: FxHashMap<Vec<LabelId>, u32>,
}

#[derive(Debug)]
struct LabelSet {
    labels: Vec<LabelId>,
    list: Value,
}

/// Statistics about the relationships of a type.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct TypeEnds {
    /// The number of relationships.
    pub(crate) count: usize,
    /// A label that all start nodes have, if one is known.
    pub(crate) start: Option<LabelId>,
    /// A label that all end nodes have, if one is known.
    pub(crate) end: Option<LabelId>,
}

impl LabelSets {
    /// Adds the next node with its labels and their names.
    pub(super) fn push(&mut self, labels: Vec<LabelId>, names: impl Fn(LabelId) -> Arc<str>) {
        let number = match self.numbers.get(&labels) {
            Some(number) => *number,
            None => {
                let list = labels.iter().map(|label| Value::String(names(*label))).collect();
                self.sets.push(LabelSet { labels: labels.clone(), list: Value::list(list) });
                let number = self.sets.len() as u32 - 1;
                self.numbers.insert(labels, number);
                number
            }
        };
        self.of_node.push(number);
    }

    pub(super) fn len(&self) -> usize {
        self.of_node.len()
    }

    pub(super) fn of(&self, node: NodeId) -> &[LabelId] {
        self.set(node).map_or(&[], |set| &set.labels)
    }

    pub(super) fn list(&self, node: NodeId) -> Value {
        self.set(node).map_or_else(Value::default, |set| set.list.clone())
    }

    pub(super) fn has(&self, node: NodeId, label: LabelId) -> bool {
        self.of(node).contains(&label)
    }

    pub(super) fn bytes(&self) -> usize {
        self.of_node.len() * 4
    }

    /// The nodes with each label.
    pub(super) fn by_label(&self, count: usize) -> Vec<Vec<NodeId>> {
        let mut nodes = vec![Vec::new(); count];
        for node in (0..self.len() as u32).map(NodeId) {
            for label in self.of(node) {
                if let Some(with_label) = nodes.get_mut(label.0 as usize) {
                    with_label.push(node);
                }
            }
        }
        nodes
    }

    /// The statistics of each type. At each end, only the first label of the first node is
    /// considered.
    pub(super) fn by_type(&self, count: usize, relationships: &[Relationship]) -> Vec<TypeEnds> {
        let mut types = vec![TypeEnds::default(); count];
        for Relationship { start, end, kind: TypeId(kind) } in relationships {
            let Some(ends) = types.get_mut(*kind as usize) else { continue };
            let first = ends.count == 0;
            ends.count += 1;
            for (common, node) in [(&mut ends.start, *start), (&mut ends.end, *end)] {
                match *common {
                    _ if first => *common = self.of(node).first().copied(),
                    Some(label) if !self.has(node, label) => *common = None,
                    _ => {}
                }
            }
        }
        types
    }

    fn set(&self, node: NodeId) -> Option<&LabelSet> {
        self.sets.get(*self.of_node.get(node.0 as usize)? as usize)
    }
}

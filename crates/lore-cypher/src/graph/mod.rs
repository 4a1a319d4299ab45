//! An immutable graph in memory, optimised for reading.
//!
//! Nodes and relationships are integers. The relationships of a node are contiguous and sorted by
//! type, in one array by start and in one by end. Properties are stored in columns. Label lists and
//! sorted property indexes are the starting points of queries.

mod build;
mod columns;
mod index;
mod labels;
mod names;

use std::borrow::Cow;
use std::sync::Arc;

pub use build::{GraphBuilder, TooLarge};
use columns::Columns;
use index::PropertyIndex;
use labels::{LabelSets, TypeEnds};
use names::Names;

use crate::value::{NodeId, RelId, Value};

/// The number of a label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LabelId(pub(crate) u32);

/// The number of a relationship type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeId(pub(crate) u32);

/// The number of a property key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct KeyId(pub(crate) u32);

/// A graph that does not change.
#[derive(Debug, Default)]
pub struct Graph {
    labels: Names,
    types: Names,
    keys: Names,
    node_labels: LabelSets,
    node_properties: Columns,
    relationships: Vec<Relationship>,
    relationship_properties: Columns,
    derived: Vec<(KeyId, Derived)>,
    outgoing: Runs<Neighbour>,
    incoming: Runs<Neighbour>,
    by_label: Vec<Vec<NodeId>>,
    by_type: Vec<TypeEnds>,
    indexes: Vec<PropertyIndex>,
}

/// Computes a property of a relationship when it is read, so that it takes no memory.
pub type Derived = fn(&Graph, RelId) -> Option<Value>;

/// A stored relationship.
#[derive(Debug, Clone, Copy)]
pub struct Relationship {
    /// The node where it starts.
    pub start: NodeId,
    /// The node where it ends.
    pub end: NodeId,
    /// Its type.
    pub kind: TypeId,
}

/// A relationship seen from one of its nodes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Neighbour {
    pub(crate) relationship: RelId,
    pub(crate) node: NodeId,
    pub(crate) kind: TypeId,
}

impl Graph {
    /// The number of nodes.
    pub fn node_count(&self) -> usize {
        self.node_labels.len()
    }

    /// The number of relationships.
    pub fn relationship_count(&self) -> usize {
        self.relationships.len()
    }

    /// The names of a node's labels.
    pub fn labels(&self, node: NodeId) -> impl Iterator<Item = &Arc<str>> {
        self.node_labels.of(node).iter().filter_map(|label| self.labels.name(label.0))
    }

    /// The properties of a node, with their names.
    pub fn node_properties(&self, node: NodeId) -> impl Iterator<Item = (&Arc<str>, &Value)> {
        self.named(&self.node_properties, node.0)
    }

    /// Returns a property of a node by name.
    pub fn node_value(&self, node: NodeId, name: &str) -> Option<&Value> {
        self.node_property(node, self.key_id(name)?)
    }

    /// Returns the nodes and type of a relationship.
    pub fn relationship(&self, relationship: RelId) -> Option<Relationship> {
        self.relationships.get(relationship.0 as usize).copied()
    }

    /// The name of a relationship's type.
    pub fn type_name(&self, relationship: RelId) -> Option<&Arc<str>> {
        self.types.name(self.relationship(relationship)?.kind.0)
    }

    /// The properties of a relationship, derived ones included, with their names.
    pub fn relationship_properties(
        &self,
        relationship: RelId,
    ) -> impl Iterator<Item = (&Arc<str>, Cow<'_, Value>)> {
        let kept = self.named(&self.relationship_properties, relationship.0);
        let derived = self.derived.iter().filter_map(move |(key, derived)| {
            Some((self.keys.name(key.0)?, Cow::Owned(derived(self, relationship)?)))
        });
        kept.map(|(name, value)| (name, Cow::Borrowed(value))).chain(derived)
    }

    /// Every label with the number of its nodes.
    pub fn label_counts(&self) -> impl Iterator<Item = (&Arc<str>, usize)> {
        self.labels.all().zip(self.by_label.iter().map(Vec::len))
    }

    /// Every relationship type with the number of its relationships.
    pub fn type_counts(&self) -> impl Iterator<Item = (&Arc<str>, usize)> {
        self.types.all().zip(self.by_type.iter().map(|ends| ends.count))
    }

    /// Its approximate size in bytes.
    pub fn bytes(&self) -> usize {
        self.node_properties.bytes()
            + self.relationship_properties.bytes()
            + self.node_labels.bytes()
            + self.outgoing.bytes()
            + self.incoming.bytes()
            + self.relationships.len() * size_of::<Relationship>()
            + self.by_label.iter().map(|nodes| nodes.len() * 4).sum::<usize>()
            + self.indexes.iter().map(PropertyIndex::bytes).sum::<usize>()
    }

    pub(crate) fn nodes(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.node_count() as u32).map(NodeId)
    }

    pub(crate) fn label_id(&self, name: &str) -> Option<LabelId> {
        self.labels.id(name).map(LabelId)
    }

    pub(crate) fn type_id(&self, name: &str) -> Option<TypeId> {
        self.types.id(name).map(TypeId)
    }

    pub(crate) fn key_id(&self, name: &str) -> Option<KeyId> {
        self.keys.id(name).map(KeyId)
    }

    pub(crate) fn has_label(&self, node: NodeId, label: LabelId) -> bool {
        self.node_labels.has(node, label)
    }

    pub(crate) fn with_label(&self, label: LabelId) -> &[NodeId] {
        self.by_label.get(label.0 as usize).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn with_type(&self, kind: TypeId) -> usize {
        self.by_type.get(kind.0 as usize).map_or(0, |ends| ends.count)
    }

    /// The labels of a node as a list. Nodes with the same labels share it.
    pub(crate) fn label_list(&self, node: NodeId) -> Value {
        self.node_labels.list(node)
    }

    /// The labels that all start nodes and all end nodes of a type have, with the number of its
    /// relationships.
    pub(crate) fn ends_of(&self, kind: TypeId) -> TypeEnds {
        self.by_type.get(kind.0 as usize).copied().unwrap_or_default()
    }

    pub(crate) fn node_property(&self, node: NodeId, key: KeyId) -> Option<&Value> {
        self.node_properties.get(node.0, key)
    }

    pub(crate) fn relationship_property(
        &self,
        relationship: RelId,
        key: KeyId,
    ) -> Option<Cow<'_, Value>> {
        if let Some(kept) = self.relationship_properties.get(relationship.0, key) {
            return Some(Cow::Borrowed(kept));
        }
        let (_, derived) = self.derived.iter().find(|(known, _)| *known == key)?;
        derived(self, relationship).map(Cow::Owned)
    }

    pub(crate) fn outgoing(&self, node: NodeId) -> &[Neighbour] {
        self.outgoing.of(node.0)
    }

    pub(crate) fn incoming(&self, node: NodeId) -> &[Neighbour] {
        self.incoming.of(node.0)
    }

    /// The index on a property key, if there is one.
    pub(crate) fn index(&self, key: KeyId) -> Option<&PropertyIndex> {
        self.indexes.iter().find(|index| index.key() == key)
    }

    /// The nodes whose indexed property equals a text.
    pub(crate) fn indexed<'g>(&'g self, index: &'g PropertyIndex, text: &str) -> &'g [NodeId] {
        index.equal(text, &self.node_properties)
    }

    fn named<'g>(
        &'g self,
        columns: &'g Columns,
        owner: u32,
    ) -> impl Iterator<Item = (&'g Arc<str>, &'g Value)> {
        columns.of(owner).filter_map(|(key, value)| Some((self.keys.name(key.0)?, value)))
    }
}

/// One run of items per node, all in one array.
#[derive(Debug)]
struct Runs<T> {
    ends: Vec<u32>,
    items: Vec<T>,
}

impl<T> Default for Runs<T> {
    fn default() -> Self {
        Self { ends: Vec::new(), items: Vec::new() }
    }
}

impl<T> Runs<T> {
    fn range(&self, owner: u32) -> std::ops::Range<usize> {
        let owner = owner as usize;
        let end = self.ends.get(owner).map_or(0, |end| *end as usize);
        let start = owner.checked_sub(1).and_then(|before| self.ends.get(before));
        start.map_or(0, |start| *start as usize)..end
    }

    fn of(&self, owner: u32) -> &[T] {
        self.items.get(self.range(owner)).unwrap_or_default()
    }

    fn bytes(&self) -> usize {
        self.ends.len() * 4 + self.items.len() * size_of::<T>()
    }
}

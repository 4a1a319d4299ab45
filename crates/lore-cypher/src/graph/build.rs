//! Builds graphs.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::names::Names;
use super::{
    Columns, Derived, Graph, KeyId, LabelId, LabelSets, Neighbour, PropertyIndex, Relationship,
    Runs, TypeId,
};
use crate::value::{NodeId, RelId, Value};

/// The graph has more nodes or relationships than 32-bit ids allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the graph has more than four thousand million parts")]
pub struct TooLarge;

/// Collects nodes and relationships for a [`Graph`].
#[derive(Debug, Default)]
pub struct GraphBuilder {
    labels: Names,
    types: Names,
    keys: Names,
    indexed: Vec<String>,
    derived: Vec<(KeyId, Derived)>,
    node_labels: LabelSets,
    node_properties: Columns,
    relationships: Vec<Relationship>,
    relationship_properties: Columns,
    texts: FxHashSet<Arc<str>>,
}

impl GraphBuilder {
    /// Creates an empty graph with indexes on these node properties.
    pub fn new(indexed: &[&str]) -> Self {
        let indexed = indexed.iter().map(|key| (*key).to_owned()).collect();
        Self { indexed, ..Self::default() }
    }

    /// Adds a derived property to all relationships; see [`Derived`].
    pub fn derived(&mut self, key: &str, derived: Derived) {
        self.derived.push((KeyId(self.keys.intern(key)), derived));
    }

    /// Adds a node.
    pub fn node<'p>(
        &mut self,
        labels: &[&str],
        properties: impl IntoIterator<Item = (&'p str, Value)>,
    ) -> NodeId {
        let id = NodeId(self.node_labels.len() as u32);
        let mut labels: Vec<_> =
            labels.iter().map(|label| LabelId(self.labels.intern(label))).collect();
        let mut seen = FxHashSet::default();
        labels.retain(|label| seen.insert(*label));
        let names = |label: LabelId| self.labels.name(label.0).cloned().unwrap_or_default();
        self.node_labels.push(labels, names);
        let properties = self.keyed(properties);
        self.node_properties.push(properties);
        id
    }

    /// Adds a relationship between two nodes of this builder.
    pub fn relationship<'p>(
        &mut self,
        start: NodeId,
        kind: &str,
        end: NodeId,
        properties: impl IntoIterator<Item = (&'p str, Value)>,
    ) -> RelId {
        let id = RelId(self.relationships.len() as u32);
        let kind = TypeId(self.types.intern(kind));
        self.relationships.push(Relationship { start, end, kind });
        let properties = self.keyed(properties);
        self.relationship_properties.push(properties);
        id
    }

    /// Builds the graph with its indexes.
    pub fn build(mut self) -> Result<Graph, TooLarge> {
        let parts = [self.node_labels.len(), self.relationships.len()];
        if parts.iter().any(|count| *count >= u32::MAX as usize) {
            return Err(TooLarge);
        }
        self.node_properties.settle();
        self.relationship_properties.settle();
        let nodes = self.node_labels.len();
        let outgoing = adjacency(nodes, &self.relationships, |relationship| {
            (relationship.start, relationship.end)
        });
        let incoming = adjacency(nodes, &self.relationships, |relationship| {
            (relationship.end, relationship.start)
        });
        let indexes = self.indexed.iter().filter_map(|key| self.keys.id(key));
        let indexes =
            indexes.map(|key| PropertyIndex::new(KeyId(key), &self.node_properties)).collect();
        Ok(Graph {
            by_label: self.node_labels.by_label(self.labels.all().count()),
            by_type: self.node_labels.by_type(self.types.all().count(), &self.relationships),
            labels: self.labels,
            types: self.types,
            keys: self.keys,
            node_labels: self.node_labels,
            node_properties: self.node_properties,
            relationships: self.relationships,
            relationship_properties: self.relationship_properties,
            derived: self.derived,
            outgoing,
            incoming,
            indexes,
        })
    }

    /// Later values replace earlier ones, and null removes a property.
    fn keyed<'p>(
        &mut self,
        properties: impl IntoIterator<Item = (&'p str, Value)>,
    ) -> Vec<(KeyId, Value)> {
        let mut keyed = FxHashMap::default();
        for (name, value) in properties {
            keyed.insert(KeyId(self.keys.intern(name)), self.shared(value));
        }
        let mut keyed: Vec<_> = keyed.into_iter().filter(|(_, value)| !value.is_null()).collect();
        keyed.sort_unstable_by_key(|(key, _)| *key);
        keyed
    }

    /// Deduplicates strings: paths and languages repeat thousands of times.
    fn shared(&mut self, value: Value) -> Value {
        let Value::String(text) = value else { return value };
        if let Some(known) = self.texts.get(&text) {
            return Value::String(Arc::clone(known));
        }
        self.texts.insert(Arc::clone(&text));
        Value::String(text)
    }
}

/// Groups relationships by one of their nodes, sorted by type within each group.
fn adjacency(
    nodes: usize,
    relationships: &[Relationship],
    ends: impl Fn(&Relationship) -> (NodeId, NodeId),
) -> Runs<Neighbour> {
    let seen = |(number, relationship): (usize, &Relationship)| {
        let (owner, node) = ends(relationship);
        let relationship_id = RelId(number as u32);
        (owner, Neighbour { relationship: relationship_id, node, kind: relationship.kind })
    };
    let mut all: Vec<_> = relationships.iter().enumerate().map(seen).collect();
    all.sort_by_key(|(owner, neighbour)| (*owner, neighbour.kind));
    let mut runs = Runs { ends: vec![0; nodes], items: Vec::with_capacity(all.len()) };
    for (owner, neighbour) in all {
        runs.items.push(neighbour);
        if let Some(end) = runs.ends.get_mut(owner.0 as usize) {
            *end = runs.items.len() as u32;
        }
    }
    // Nodes without relationships have an empty run after that of the node before.
    let mut last = 0;
    for end in &mut runs.ends {
        last = last.max(*end);
        *end = last;
    }
    runs
}

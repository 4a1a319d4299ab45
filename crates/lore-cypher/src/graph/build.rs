//! Building a graph.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::names::Names;
use super::{
    Graph, KeyId, LabelId, Neighbour, Properties, PropertyIndex, Relationship, Runs, TypeId,
};
use crate::value::{NodeId, RelId, Value};

/// More nodes, relationships or properties than can be numbered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the graph has more than four thousand million parts")]
pub struct TooLarge;

/// Collects nodes and relationships and makes a [`Graph`] of them.
#[derive(Debug, Default)]
pub struct GraphBuilder {
    labels: Names,
    types: Names,
    keys: Names,
    indexed: Vec<String>,
    node_labels: Runs<LabelId>,
    node_properties: Properties,
    relationships: Vec<Relationship>,
    relationship_properties: Properties,
    texts: FxHashSet<Arc<str>>,
}

impl GraphBuilder {
    /// An empty graph in which nodes can be found by these properties.
    pub fn new(indexed: &[&str]) -> Self {
        let indexed = indexed.iter().map(|key| (*key).to_owned()).collect();
        Self { indexed, ..Self::default() }
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
        self.node_labels.items.extend(labels);
        self.node_labels.ends.push(self.node_labels.items.len() as u32);
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

    /// Lays the graph out.
    pub fn build(self) -> Result<Graph, TooLarge> {
        let parts = [
            self.node_labels.items.len(),
            self.node_labels.len(),
            self.node_properties.values.len(),
            self.relationships.len(),
            self.relationship_properties.values.len(),
        ];
        if parts.iter().any(|count| *count >= u32::MAX as usize) {
            return Err(TooLarge);
        }
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
            by_label: by_label(self.labels.all().count(), &self.node_labels),
            by_type: by_type(self.types.all().count(), &self.relationships),
            labels: self.labels,
            types: self.types,
            keys: self.keys,
            node_labels: self.node_labels,
            node_properties: self.node_properties,
            relationships: self.relationships,
            relationship_properties: self.relationship_properties,
            outgoing,
            incoming,
            indexes,
        })
    }

    /// Later values replace earlier ones; `null` is no property.
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

    /// One copy of every text: paths and languages repeat thousands of times.
    fn shared(&mut self, value: Value) -> Value {
        let Value::String(text) = value else { return value };
        if let Some(known) = self.texts.get(&text) {
            return Value::String(Arc::clone(known));
        }
        self.texts.insert(Arc::clone(&text));
        Value::String(text)
    }
}

impl Properties {
    fn push(&mut self, properties: Vec<(KeyId, Value)>) {
        for (key, value) in properties {
            self.keys.items.push(key);
            self.values.push(value);
        }
        self.keys.ends.push(self.keys.items.len() as u32);
    }
}

/// Relationships by one of their ends, sorted by type within it.
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
    // Nodes without relationships end where the node before them ends.
    let mut last = 0;
    for end in &mut runs.ends {
        last = last.max(*end);
        *end = last;
    }
    runs
}

fn by_label(count: usize, labels: &Runs<LabelId>) -> Vec<Vec<NodeId>> {
    let mut nodes = vec![Vec::new(); count];
    for node in 0..labels.len() as u32 {
        for label in labels.of(node) {
            if let Some(with_label) = nodes.get_mut(label.0 as usize) {
                with_label.push(NodeId(node));
            }
        }
    }
    nodes
}

fn by_type(count: usize, relationships: &[Relationship]) -> Vec<u32> {
    let mut counts = vec![0; count];
    for relationship in relationships {
        if let Some(count) = counts.get_mut(relationship.kind.0 as usize) {
            *count += 1;
        }
    }
    counts
}

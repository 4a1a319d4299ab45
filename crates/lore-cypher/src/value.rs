//! The values a query computes with.
//!
//! Values are shared, not copied, and know how large and how deep they are, so
//! that a short query cannot build something that takes for ever to compare, to
//! print or to drop.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::temporal::Temporal;

/// What a value takes, about, in bytes: one alone, and one that is shared.
const PLAIN: u64 = 24;
const SHARED: u64 = 48;
/// What one branch of a map takes, with room for a handful of entries.
const BRANCH: u64 = 480;

/// A node of a graph, by its place in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// A relationship of a graph, by its place in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RelId(pub u32);

/// A value.
///
/// `==` compares representations, for plans and tests; what Cypher's `=` says is
/// three-valued and lives in [`crate::compare`].
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Value {
    /// Nothing known.
    #[default]
    Null,
    /// Truth.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A number with a fraction.
    Float(f64),
    /// Text.
    String(Arc<str>),
    /// Values in order.
    List(Arc<List>),
    /// Values by name.
    Map(Arc<Map>),
    /// A node of the graph.
    Node(NodeId),
    /// A relationship of the graph.
    Relationship(RelId),
    /// A way through the graph.
    Path(Arc<Path>),
    /// A date, a time or a duration.
    Temporal(Arc<Temporal>),
}

impl Value {
    /// Text.
    pub fn text(text: impl Into<Arc<str>>) -> Self {
        Self::String(text.into())
    }

    /// A list.
    pub fn list(items: Vec<Self>) -> Self {
        Self::List(Arc::new(List::new(items)))
    }

    /// A map.
    pub fn map(entries: BTreeMap<Arc<str>, Self>) -> Self {
        Self::Map(Arc::new(Map::new(entries)))
    }

    /// Whether nothing is known.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// What it is called in messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Int(_) => "an integer",
            Self::Float(_) => "a float",
            Self::String(_) => "a string",
            Self::List(_) => "a list",
            Self::Map(_) => "a map",
            Self::Node(_) => "a node",
            Self::Relationship(_) => "a relationship",
            Self::Path(_) => "a path",
            Self::Temporal(temporal) => temporal.kind(),
        }
    }

    /// How large and deep it is.
    pub(crate) fn shape(&self) -> Shape {
        match self {
            Self::List(list) => list.shape,
            Self::Map(map) => map.shape,
            Self::String(text) => Shape { weight: SHARED + text.len() as u64, depth: 0 },
            Self::Path(path) => {
                Shape { weight: 2 * SHARED + 8 * path.nodes.len() as u64, depth: 0 }
            }
            Self::Temporal(_) => Shape { weight: 2 * SHARED, depth: 0 },
            _ => Shape { weight: PLAIN, depth: 0 },
        }
    }
}

impl From<bool> for Value {
    fn from(truth: bool) -> Self {
        Self::Bool(truth)
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Int(number)
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Float(number)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

impl From<Option<bool>> for Value {
    fn from(truth: Option<bool>) -> Self {
        truth.map_or(Self::Null, Self::Bool)
    }
}

/// How large a value is when written out, and how deeply nested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shape {
    /// Bytes, about, counting shared parts as often as they appear.
    pub(crate) weight: u64,
    /// Lists in lists.
    pub(crate) depth: u32,
}

impl Shape {
    fn around<'v>(own: u64, parts: impl Iterator<Item = &'v Value>) -> Self {
        let start = Self { weight: own, depth: 0 };
        parts.map(Value::shape).fold(start, |sum, part| Self {
            weight: sum.weight.saturating_add(part.weight),
            depth: sum.depth.max(part.depth.saturating_add(1)),
        })
    }
}

/// Values in order.
#[derive(Debug, Clone, PartialEq)]
pub struct List {
    items: Vec<Value>,
    shape: Shape,
}

impl List {
    /// A list of these.
    pub fn new(items: Vec<Value>) -> Self {
        let shape = Shape::around(2 * SHARED, items.iter());
        Self { items, shape }
    }

    /// Its elements.
    pub fn items(&self) -> &[Value] {
        &self.items
    }
}

/// Values by name.
#[derive(Debug, Clone, PartialEq)]
pub struct Map {
    entries: BTreeMap<Arc<str>, Value>,
    shape: Shape,
}

impl Map {
    /// A map of these.
    pub fn new(entries: BTreeMap<Arc<str>, Value>) -> Self {
        let branches = 1 + entries.len() as u64 / 6;
        let shape = Shape::around(SHARED + branches * BRANCH, entries.values());
        Self { entries, shape }
    }

    /// Its entries, by name.
    pub fn entries(&self) -> &BTreeMap<Arc<str>, Value> {
        &self.entries
    }

    /// One value.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.entries.get(name)
    }
}

/// A way through the graph: one node more than relationships.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Path {
    /// The nodes in order.
    pub nodes: Vec<NodeId>,
    /// The relationships between them.
    pub relationships: Vec<RelId>,
}

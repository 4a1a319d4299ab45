//! The values a query computes with.
//!
//! Values are shared instead of copied, and know their size and depth, so that a short query cannot
//! build a value that takes too long to compare, print or drop.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::temporal::Temporal;

/// The approximate size of a value, in bytes: a plain one, and a shared allocation.
const PLAIN: u64 = 24;
const SHARED: u64 = 48;
/// The approximate size of a branch of a map, in bytes, with space for a handful of entries.
const BRANCH: u64 = 480;

/// A node of a graph, by its index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// A relationship of a graph, by its index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RelId(pub u32);

/// A value.
///
/// `==` compares representations, for plans and tests. Cypher's `=` is three-valued; see
/// [`crate::compare`].
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Value {
    /// Null: the value is unknown.
    #[default]
    Null,
    /// A boolean.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A floating-point number.
    Float(f64),
    /// A string.
    String(Arc<str>),
    /// Values in order.
    List(Arc<List>),
    /// Values by name.
    Map(Arc<Map>),
    /// A node of the graph.
    Node(NodeId),
    /// A relationship of the graph.
    Relationship(RelId),
    /// A path through the graph.
    Path(Arc<Path>),
    /// A date, a time or a duration.
    Temporal(Arc<Temporal>),
}

impl Value {
    /// Creates a string.
    pub fn text(text: impl Into<Arc<str>>) -> Self {
        Self::String(text.into())
    }

    /// Creates a list.
    pub fn list(items: Vec<Self>) -> Self {
        Self::List(Arc::new(List::new(items)))
    }

    /// Creates a map.
    pub fn map(entries: BTreeMap<Arc<str>, Self>) -> Self {
        Self::Map(Arc::new(Map::new(entries)))
    }

    /// Whether it is null.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Its type in messages.
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

    /// Its size and nesting depth.
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

/// The size of a value and its nesting depth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shape {
    /// Approximate size in bytes. Shared parts count each time they occur.
    pub(crate) weight: u64,
    /// How deeply lists and maps are nested.
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

/// A list of values.
#[derive(Debug, Clone, PartialEq)]
pub struct List {
    items: Vec<Value>,
    shape: Shape,
}

impl List {
    /// Creates a list.
    pub fn new(items: Vec<Value>) -> Self {
        let shape = Shape::around(2 * SHARED, items.iter());
        Self { items, shape }
    }

    /// Its elements.
    pub fn items(&self) -> &[Value] {
        &self.items
    }
}

/// A map of values by name.
#[derive(Debug, Clone, PartialEq)]
pub struct Map {
    entries: BTreeMap<Arc<str>, Value>,
    shape: Shape,
}

impl Map {
    /// Creates a map.
    pub fn new(entries: BTreeMap<Arc<str>, Value>) -> Self {
        let branches = 1 + entries.len() as u64 / 6;
        let shape = Shape::around(SHARED + branches * BRANCH, entries.values());
        Self { entries, shape }
    }

    /// Its entries, by name.
    pub fn entries(&self) -> &BTreeMap<Arc<str>, Value> {
        &self.entries
    }

    /// Returns a value by name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.entries.get(name)
    }
}

/// A path through the graph. It has one node more than relationships.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Path {
    /// The nodes in order.
    pub nodes: Vec<NodeId>,
    /// The relationships between them.
    pub relationships: Vec<RelId>,
}

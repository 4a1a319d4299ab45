//! Queries that use cases can make.

use lore_core::{Kind, NodeId, Text, TextKind, Timestamp, Uid};

/// Identifies one node, by any id that an API may use.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum NodeKey {
    /// By row id.
    Id(NodeId),
    /// By uid.
    Uid(Uid),
    /// By running number in the viewer's world.
    Number(i64),
    /// By running number within a kind.
    KindNumber(Kind, i64),
}

/// Whether to look for live or for deleted items.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Bin {
    /// Live items.
    #[default]
    Live,
    /// Deleted items.
    Deleted,
}

/// How a name must match. Case does not count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NameMatch {
    /// The whole name or a whole alias.
    Exact(String),
    /// Part of the name or of an alias.
    Contains(String),
}

/// The order in which nodes are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NodeOrder {
    /// By row id: in the order in which they came into the store.
    #[default]
    Creation,
    /// By number. For imported nodes with their own numbers, this is the order of creation in the
    /// original.
    Number,
}

/// Which nodes to list. Empty lists do not restrict.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NodeQuery {
    /// Any of these kinds.
    pub kinds: Vec<Kind>,
    /// None of these kinds.
    pub except_kinds: Vec<Kind>,
    /// In this namespace.
    pub namespace: Option<String>,
    /// With this name.
    pub name: Option<NameMatch>,
    /// With this subtype, ignoring case.
    pub subtype: Option<String>,
    /// With all of these tags, ignoring case.
    pub tags: Vec<String>,
    /// Changed after this time, as far as the viewer may know ([`lore_core::Node::updated`]).
    pub since: Option<Timestamp>,
    /// Only these nodes; all if `None`.
    pub among: Option<Vec<NodeId>>,
    /// Live or deleted.
    pub bin: Bin,
    /// In which order.
    pub order: NodeOrder,
    /// Only nodes after this one, in that order.
    pub after: Option<NodeId>,
    /// Skip this many.
    pub offset: usize,
    /// Return at most this many; 0 means the store's own maximum.
    pub limit: usize,
}

/// Which texts to list, across all nodes.
#[derive(Debug, Clone, Default)]
pub struct TextQuery {
    /// Any of these kinds; all when empty.
    pub kinds: Vec<TextKind>,
    /// Only texts that not every member sees.
    pub hidden: bool,
    /// Skip this many.
    pub offset: usize,
    /// Return at most this many; 0 means the store's own maximum.
    pub limit: usize,
}

/// A page of texts.
#[derive(Debug, Clone, PartialEq)]
pub struct TextPage {
    /// The texts, in order of creation.
    pub items: Vec<Text>,
    /// How many there are, ignoring offset and limit.
    pub total: u64,
}

/// Which of the newest nodes to list.
#[derive(Debug, Clone)]
pub struct NewestNodes {
    /// Of this kind.
    pub kind: Kind,
    /// In this namespace.
    pub namespace: String,
    /// Only those created before this time.
    pub before: Option<Timestamp>,
    /// Skip this many.
    pub offset: usize,
    /// Return at most this many; 0 means the store's own maximum.
    pub limit: usize,
}

/// Which entries of a log to read.
#[derive(Debug, Clone, Default)]
pub struct EventQuery {
    /// Only entries after this sequence.
    pub after: Option<i64>,
    /// Only entries before this sequence.
    pub before: Option<i64>,
    /// Only these kinds; all when empty.
    pub kinds: Vec<String>,
    /// In which order.
    pub order: EventOrder,
    /// Whether the node is live or deleted.
    pub bin: Bin,
    /// Return at most this many; 0 means the store's own maximum.
    pub limit: usize,
}

/// The order of a log's entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EventOrder {
    /// Oldest first.
    #[default]
    Ascending,
    /// Newest first.
    Descending,
}

/// A page of results.
#[derive(Debug, Clone, PartialEq)]
pub struct Page<T> {
    /// The rows.
    pub items: Vec<T>,
    /// How many there are on all pages.
    pub total: u64,
    /// The last node of this page, to continue after; `None` on the last page.
    pub next: Option<NodeId>,
}

/// In which direction to follow edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From source to target.
    Out,
    /// From target to source.
    In,
    /// In both directions.
    Both,
}

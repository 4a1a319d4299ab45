//! Questions a use case can ask.

use lore_core::{Kind, NodeId, Text, TextKind, Timestamp, Uid};

/// One node, by any id a contract may use.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum NodeKey {
    /// By row.
    Id(NodeId),
    /// By uid.
    Uid(Uid),
    /// By running number in the viewer's world.
    Number(i64),
    /// By running number within a kind.
    KindNumber(Kind, i64),
}

/// Whether to look among live things or in the bin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Bin {
    /// Live things.
    #[default]
    Live,
    /// Deleted things.
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

/// In which order nodes are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NodeOrder {
    /// As they came into the store.
    #[default]
    Creation,
    /// By their numbers: what was imported with its own as it was made where it comes from.
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
    /// Changed after this moment, as far as the viewer may know ([`lore_core::Node::updated`]).
    pub since: Option<Timestamp>,
    /// One of these; all when absent.
    pub among: Option<Vec<NodeId>>,
    /// Live or deleted.
    pub bin: Bin,
    /// In which order.
    pub order: NodeOrder,
    /// Only nodes after this one, in that order.
    pub after: Option<NodeId>,
    /// Leave out this many first.
    pub offset: usize,
    /// At most this many; 0 means the store's own maximum.
    pub limit: usize,
}

/// Which texts to list, whatever node they belong to.
#[derive(Debug, Clone, Default)]
pub struct TextQuery {
    /// Any of these kinds; all when empty.
    pub kinds: Vec<TextKind>,
    /// Only those that not every member sees.
    pub hidden: bool,
    /// Leave out this many first.
    pub offset: usize,
    /// At most this many; 0 means the store's own maximum.
    pub limit: usize,
}

/// Some of the texts that were asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct TextPage {
    /// The texts, in order of creation.
    pub items: Vec<Text>,
    /// How many there are without offset and limit.
    pub total: u64,
}

/// Which of the newest nodes to list.
#[derive(Debug, Clone)]
pub struct NewestNodes {
    /// Of this kind.
    pub kind: Kind,
    /// In this namespace.
    pub namespace: String,
    /// Only those made before this moment.
    pub before: Option<Timestamp>,
    /// Leave out this many first.
    pub offset: usize,
    /// At most this many; 0 means the store's own maximum.
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
    /// Whether the node is live or in the bin.
    pub bin: Bin,
    /// At most this many; 0 means the store's own maximum.
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
    /// How many there are without the page limit.
    pub total: u64,
    /// Where the next page starts, if there is one.
    pub next: Option<NodeId>,
}

/// Which way to follow edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From source to target.
    Out,
    /// From target to source.
    In,
    /// Both ways.
    Both,
}

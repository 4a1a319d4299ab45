//! How a node behaves towards others.

use crate::profile::NodeKind;

/// What the owner of a node decides.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Whether others can call it.
    pub kind: NodeKind,
    /// Where others can call it.
    pub base_url: Option<String>,
    /// The types of what it shares.
    pub provides: Vec<String>,
    /// What it subscribes to.
    pub wants: Wants,
    /// Who may subscribe and read.
    pub approve: Approve,
    /// How much anybody may send.
    pub quotas: Quotas,
}

/// What a node subscribes to. It never subscribes to others' edges unless told to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wants {
    /// Everything that the nodes its owner connected it to provide.
    Connected,
    /// These types, of whatever node it hears of.
    Types(Vec<String>),
}

/// Whose subscriptions are approved and whose questions are answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Approve {
    /// Those of nodes the owner connected to; others wait for that.
    Connected,
    /// Those of every node that introduces itself.
    Anyone,
}

/// How much one node may have here, and how much there may be in all.
#[derive(Debug, Clone)]
pub struct Quotas {
    /// Things of one node, forgotten ones included.
    pub objects: usize,
    /// Bytes of contents of one node.
    pub bytes: usize,
    /// Bytes of one thing's contents.
    pub object_bytes: usize,
    /// Events or names in one message.
    pub items: usize,
    /// Things of all nodes together, forgotten ones included.
    pub all_objects: usize,
    /// Bytes of contents of all nodes together.
    pub all_bytes: usize,
    /// Nodes that are remembered though our owner never spoke of them.
    pub strangers: usize,
    /// Bytes of what those say of themselves, together.
    pub stranger_bytes: usize,
    /// Messages a second from one node, with bursts of four times as many.
    pub per_second: u32,
}

impl Default for Quotas {
    fn default() -> Self {
        Self {
            objects: 100_000,
            bytes: 256 * 1024 * 1024,
            object_bytes: 256 * 1024,
            items: 20_000,
            all_objects: 1_000_000,
            all_bytes: 1024 * 1024 * 1024,
            strangers: 500,
            stranger_bytes: 4 * 1024 * 1024,
            per_second: 50,
        }
    }
}

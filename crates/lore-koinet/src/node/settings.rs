//! The settings of a node.

use crate::profile::NodeKind;

/// What the owner of a node decides.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Whether other nodes can call it.
    pub kind: NodeKind,
    /// The address at which other nodes call it.
    pub base_url: Option<String>,
    /// The RID types of the objects it shares.
    pub provides: Vec<String>,
    /// What it subscribes to.
    pub wants: Wants,
    /// Which nodes may subscribe and read.
    pub approve: Approve,
    /// How much other nodes may send.
    pub quotas: Quotas,
}

/// What a node subscribes to. Edges of others are included only in explicit types.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wants {
    /// Everything provided by the nodes its owner connected it to.
    Connected,
    /// These types, at every node it learns of.
    Types(Vec<String>),
}

/// Which nodes may subscribe and read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Approve {
    /// Nodes that the owner connected to; proposals of others wait for that.
    Connected,
    /// Every node that introduces itself.
    Anyone,
}

/// Limits for each node, and for all nodes together.
#[derive(Debug, Clone)]
pub struct Quotas {
    /// Objects of one node, removed ones included.
    pub objects: usize,
    /// Bytes of contents of one node.
    pub bytes: usize,
    /// Bytes of contents of one object.
    pub object_bytes: usize,
    /// Events or RIDs in one message.
    pub items: usize,
    /// Objects of all nodes together, removed ones included.
    pub all_objects: usize,
    /// Bytes of contents of all nodes together.
    pub all_bytes: usize,
    /// Nodes remembered without our owner having connected to them (strangers).
    pub strangers: usize,
    /// Bytes of the profiles of those nodes, together.
    pub stranger_bytes: usize,
    /// Messages per second from one node; bursts may have four times as many.
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

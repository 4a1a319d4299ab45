//! Records that belong to nodes: documents of state, and events.

use jiff::Timestamp;

use crate::graph::Stamp;
use crate::ids::{NodeId, Uid};
use crate::names::Word;
use crate::people::Visibility;

/// A document that belongs to a node and changes independently: a character sheet, the state of a
/// game table. Visible only to viewers who see the node as well.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    /// The node it belongs to.
    pub node: NodeId,
    /// The name of the document within the node.
    pub name: Word,
    /// The JSON document.
    pub value: serde_json::Value,
    /// Who may see it.
    pub visibility: Visibility,
    /// Increases with every change, starting at 1.
    pub version: i64,
    /// Who changed it last, and when.
    pub updated: Stamp,
}

/// A SHA-256 hash.
pub type Hash = [u8; 32];

/// An event in the log of a node. Logs are append-only. Each entry holds the hash of the one before
/// it, so nothing can be changed unnoticed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// The node whose log it is in.
    pub node: NodeId,
    /// Its position in that log, starting at 1 without gaps.
    pub sequence: i64,
    /// When it happened.
    pub at: Timestamp,
    /// The kind of event, such as `ACTION_ROLL_RESOLVED`.
    pub kind: String,
    /// The request that caused it.
    pub request_id: String,
    /// The tool call that caused it.
    pub invocation_id: String,
    /// The participant who caused it, if one did.
    pub participant: Option<Uid>,
    /// The character it is about, if it is about one.
    pub character: Option<Uid>,
    /// The details as JSON text, stored byte for byte because they are hashed.
    pub payload: String,
    /// Details for the game master's side only; `None` for everybody else.
    pub secret: Option<String>,
    /// Who may see it at all.
    pub visibility: Visibility,
    /// The earlier event whose consequences this one settles; each can be settled once.
    pub settles: Option<i64>,
    /// The hash of the previous event; zeros for the first.
    pub previous: Hash,
    /// The hash of this event.
    pub hash: Hash,
}

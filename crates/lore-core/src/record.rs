//! What is kept beside nodes: documents of state, and what happened.

use jiff::Timestamp;

use crate::graph::Stamp;
use crate::ids::{NodeId, Uid};
use crate::names::Word;
use crate::people::Visibility;

/// A document that belongs to a node and changes on its own: a character's
/// sheet, the state of a table. Seen only by who sees the node too.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    /// The node it belongs to.
    pub node: NodeId,
    /// Which document of the node it is.
    pub name: Word,
    /// The document, JSON.
    pub value: serde_json::Value,
    /// Who may see it.
    pub visibility: Visibility,
    /// Counts up with every change, from 1.
    pub version: i64,
    /// Who changed it last, when.
    pub updated: Stamp,
}

/// A SHA-256 hash.
pub type Hash = [u8; 32];

/// Something that happened, in the log of a node. Logs only grow; each entry
/// holds the hash of the one before it, so nothing can be changed unnoticed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// The node whose log it is in.
    pub node: NodeId,
    /// Its place in that log, from 1 without gaps.
    pub sequence: i64,
    /// When it happened.
    pub at: Timestamp,
    /// What happened, such as `ACTION_ROLL_RESOLVED`.
    pub kind: String,
    /// The request that caused it.
    pub request_id: String,
    /// The tool call that caused it.
    pub invocation_id: String,
    /// The participant who caused it, if one did.
    pub participant: Option<Uid>,
    /// The character it is about, if it is about one.
    pub character: Option<Uid>,
    /// The details as JSON text, kept to the letter because it is hashed.
    pub payload: String,
    /// Details for the game master's side only; absent for everybody else.
    pub secret: Option<String>,
    /// Who may see it at all.
    pub visibility: Visibility,
    /// The earlier event whose consequences this one settles; each can be settled once.
    pub settles: Option<i64>,
    /// The hash of the event before; zeros for the first.
    pub previous: Hash,
    /// The hash of this event.
    pub hash: Hash,
}

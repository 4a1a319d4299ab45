//! The hash that ties an event to the one before it.
//!
//! Every engine uses this one function, so a log can be moved between engines
//! and checked by anybody who reads this page: SHA-256 over the previous hash and
//! the event's fields, each with its length before it as 64-bit big-endian number.
//!
//! Hashes tell when an event was changed or taken out, but not when the last ones were cut
//! off. So an engine also keeps the head of every log, in the transaction that adds to it.

use lore_core::{Event, Hash};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// The document of a node that holds the head of its log. Only engines put it.
pub const HEAD: &str = "log_head";

/// The `previous` of a log's first event.
pub const START: Hash = [0; 32];

/// The hash of an event, from everything in it but its own hash.
///
/// A secret is part of the hash, so that it cannot be changed unnoticed either.
pub fn link(event: &Event) -> Hash {
    let mut hasher = Sha256::new();
    hasher.update(event.previous);
    let uid = |uid: Option<lore_core::Uid>| uid.map(|uid| uid.to_string()).unwrap_or_default();
    let number = |number: Option<i64>| number.map(|n| n.to_string()).unwrap_or_default();
    let fields = [
        event.sequence.to_string(),
        event.at.as_microsecond().to_string(),
        event.kind.clone(),
        event.request_id.clone(),
        event.invocation_id.clone(),
        uid(event.participant),
        uid(event.character),
        event.payload.clone(),
        event.secret.clone().unwrap_or_default(),
        number(event.settles),
    ];
    for field in fields {
        hasher.update((field.len() as u64).to_be_bytes());
        hasher.update(field.as_bytes());
    }
    hasher.finalize().into()
}

/// Where a log ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// How many entries it has.
    pub count: i64,
    /// The hash of the last one.
    pub hash: Hash,
}

impl Head {
    /// The head of a log without entries.
    pub const EMPTY: Self = Self { count: 0, hash: START };

    /// The document that holds it.
    pub fn to_value(self) -> Value {
        let hash: String = self.hash.iter().map(|byte| format!("{byte:02x}")).collect();
        json!({ "count": self.count, "hash": hash })
    }

    /// Reads the document.
    pub fn from_value(value: &Value) -> Option<Self> {
        let text = value.get("hash")?.as_str()?;
        let mut hash = START;
        if text.len() != 2 * hash.len() {
            return None;
        }
        for (index, byte) in hash.iter_mut().enumerate() {
            *byte = u8::from_str_radix(text.get(2 * index..2 * index + 2)?, 16).ok()?;
        }
        Some(Self { count: value.get("count")?.as_i64()?, hash })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_survives_being_stored() {
        let mut hash = START;
        hash[0] = 0xab;
        hash[31] = 7;
        let head = Head { count: 12, hash };
        assert_eq!(Head::from_value(&head.to_value()), Some(head));
        for broken in [
            json!({}),
            json!({ "count": 1, "hash": "ab" }),
            json!({ "count": 1, "hash": "é".repeat(32) }),
        ] {
            assert_eq!(Head::from_value(&broken), None, "{broken}");
        }
    }
}

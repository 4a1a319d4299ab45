//! The hash that ties an event to the one before it.
//!
//! Every engine uses this one function, so a log can be moved between engines
//! and checked by anybody who reads this page: SHA-256 over the previous hash and
//! the event's fields, each with its length before it as 64-bit big-endian number.

use lore_core::{Event, Hash};
use sha2::{Digest, Sha256};

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

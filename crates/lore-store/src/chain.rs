//! The hash chain that links each event of a log to the one before it.
//!
//! Every engine uses this one function, so a log can be moved between engines and checked by
//! anybody: the hash is SHA-256 over the previous hash and the event's fields, each preceded by its
//! length as a 64-bit big-endian number.
//!
//! The chain shows when an event was changed or removed, but not when the last events were cut off.
//! So an engine also stores the head of every log, in the transaction that appends to it.

use lore_core::{Event, Hash, Visibility};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// The name of the document that holds the head of a node's log. Only engines write it.
pub const HEAD: &str = "log_head";

/// The `previous` of a log's first event.
pub const START: Hash = [0; 32];

/// The hash of an event, computed from everything in it except its own hash.
///
/// It covers the secret and the visibility, so that neither can be changed unnoticed.
pub fn link(event: &Event) -> Hash {
    let mut hasher = hasher_of(event);
    let seen_by = match event.visibility {
        Visibility::Members => "members".to_owned(),
        Visibility::Gm => "gm".to_owned(),
        Visibility::Private(principal) => format!("private {principal}"),
    };
    take_in(&mut hasher, &seen_by);
    hasher.finalize().into()
}

/// Whether the stored hash of an event matches its content. Old logs may contain events whose hash
/// does not cover the visibility; those match as well.
pub fn holds(event: &Event) -> bool {
    event.hash == link(event) || event.hash == Hash::from(hasher_of(event).finalize())
}

fn hasher_of(event: &Event) -> Sha256 {
    let mut hasher = Sha256::new();
    hasher.update(event.previous);
    let uid = |uid: Option<lore_core::Uid>| uid.map(|uid| uid.to_string()).unwrap_or_default();
    let number = |number: Option<i64>| number.map(|n| n.to_string()).unwrap_or_default();
    for field in [
        event.sequence.to_string().as_str(),
        event.at.as_microsecond().to_string().as_str(),
        &event.kind,
        &event.request_id,
        &event.invocation_id,
        &uid(event.participant),
        &uid(event.character),
        &event.payload,
        event.secret.as_deref().unwrap_or_default(),
        &number(event.settles),
    ] {
        take_in(&mut hasher, field);
    }
    hasher
}

fn take_in(hasher: &mut Sha256, field: &str) {
    hasher.update((field.len() as u64).to_be_bytes());
    hasher.update(field.as_bytes());
}

/// The end of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// How many entries the log has.
    pub count: i64,
    /// The hash of the last entry.
    pub hash: Hash,
}

impl Head {
    /// The head of a log without entries.
    pub const EMPTY: Self = Self { count: 0, hash: START };

    /// The head as a document.
    pub fn to_value(self) -> Value {
        let hash: String = self.hash.iter().map(|byte| format!("{byte:02x}")).collect();
        json!({ "count": self.count, "hash": hash })
    }

    /// Reads the head from a document; `None` if it is malformed.
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
    use lore_core::{NodeId, PrincipalId, Timestamp};

    use super::*;

    fn event(visibility: Visibility) -> Event {
        let mut event = Event {
            node: NodeId(1),
            sequence: 1,
            at: Timestamp::UNIX_EPOCH,
            kind: "NOTE_ADDED".into(),
            request_id: "r".into(),
            invocation_id: "i".into(),
            participant: None,
            character: None,
            payload: "{}".into(),
            secret: None,
            visibility,
            settles: None,
            previous: START,
            hash: START,
        };
        event.hash = link(&event);
        event
    }

    #[test]
    fn who_may_see_an_event_is_part_of_its_hash() {
        let visibilities = [
            Visibility::Members,
            Visibility::Gm,
            Visibility::Private(PrincipalId(1)),
            Visibility::Private(PrincipalId(2)),
        ];
        for before in visibilities {
            for after in visibilities {
                let changed = Event { visibility: after, ..event(before) };
                assert_eq!(holds(&changed), before == after, "{before:?} {after:?}");
            }
        }
    }

    #[test]
    fn an_event_from_before_that_still_holds() {
        let mut old = event(Visibility::Gm);
        old.hash = hasher_of(&old).finalize().into();
        assert!(holds(&old));
        old.payload = "{ }".into();
        assert!(!holds(&old));
    }

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

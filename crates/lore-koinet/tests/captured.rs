//! Envelopes of the reference implementation, captured on the wire: all of them
//! verify here, and none does after a change.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::collections::HashMap;

use lore_koinet::{Envelope, EventsPayload, NodeProfile, NodeRid, PublicKey};
use serde_json::Value;

const OLDER: &str = include_str!("samples/ref_2.0.7_handshake_wire.jsonl");
const NEWER: &str = include_str!("samples/ref_2.1.2_handshake_wire.jsonl");
const MISDIRECTED: &str = include_str!("samples/errors_invalid_target.jsonl");

#[test]
fn every_captured_envelope_verifies() {
    for (name, capture, count) in [("2.0.7", OLDER, 31), ("2.1.2", NEWER, 42)] {
        let (envelopes, keys) = (envelopes(capture), keys(capture));
        assert_eq!(envelopes.len(), count, "{name}");
        for text in envelopes {
            let envelope = Envelope::open(text.as_bytes()).unwrap();
            assert!(envelope.is_signed_by(&keys[&envelope.source]), "{name}: {text}");
        }
    }
}

#[test]
fn every_captured_public_key_belongs_to_its_node() {
    for capture in [OLDER, NEWER, MISDIRECTED] {
        let keys = keys(capture);
        assert!(!keys.is_empty());
        for (node, key) in &keys {
            assert!(key.belongs_to(node), "{node}");
            let others = keys.iter().filter(|(other, _)| *other != node);
            assert!(others.into_iter().all(|(_, other)| !other.belongs_to(node)), "{node}");
        }
    }
}

/// In every envelope, at many places: a change either is no envelope any more, or names
/// somebody else, or does not verify.
#[test]
fn no_byte_can_be_changed() {
    for capture in [OLDER, NEWER] {
        let keys = keys(capture);
        for (number, text) in envelopes(capture).into_iter().enumerate() {
            // Each envelope gets its own sample of places, spread over its whole length.
            let mut changed_something = 0;
            for place in (number % 7..text.len()).step_by(7) {
                let mut bytes = text.clone().into_bytes();
                bytes[place] ^= 1;
                let Ok(changed) = Envelope::open(&bytes) else { continue };
                assert!(
                    keys.get(&changed.source).is_none_or(|key| !changed.is_signed_by(key)),
                    "byte {place} of {text}"
                );
                changed_something += 1;
            }
            assert!(changed_something > 0);
        }
    }
}

#[test]
fn captured_manifests_name_their_contents() {
    let mut checked = 0;
    for capture in [OLDER, NEWER, MISDIRECTED] {
        for text in envelopes(capture) {
            let envelope = Envelope::open(text.as_bytes()).unwrap();
            let Ok(payload) = envelope.payload::<EventsPayload>() else { continue };
            for event in payload.events {
                let (Some(manifest), Some(contents)) = (event.manifest, event.contents) else {
                    continue;
                };
                assert_eq!(manifest.sha256_hash, contents.hash(), "{}", event.rid);
                checked += 1;
            }
        }
    }
    assert!(checked > 20, "{checked}");
}

/// Requests and replies that are envelopes.
fn envelopes(capture: &str) -> Vec<String> {
    let exchanges = capture.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let bodies = exchanges.flat_map(|exchange| {
        ["request_body", "response_body"].map(|body| exchange[body].as_str().map(str::to_owned))
    });
    bodies.flatten().filter(|body| body.contains("\"signature\"")).collect()
}

/// The keys that nodes introduced themselves with.
fn keys(capture: &str) -> HashMap<NodeRid, PublicKey> {
    let mut keys = HashMap::new();
    for text in envelopes(capture) {
        let envelope = Envelope::open(text.as_bytes()).unwrap();
        let Ok(payload) = envelope.payload::<EventsPayload>() else { continue };
        for event in payload.events {
            let profile = event.contents.as_ref().and_then(NodeProfile::read);
            let Some(text) = profile.and_then(|profile| profile.public_key) else { continue };
            keys.insert(
                NodeRid::parse(event.rid.as_str()).unwrap(),
                PublicKey::parse(&text).unwrap(),
            );
        }
    }
    keys
}

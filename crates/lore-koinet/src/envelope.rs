//! Signed envelopes: a payload with its sender, receiver and signature.
//!
//! A signature is verified over the received text of the envelope. So it covers whatever a sender
//! adds, omits or spells differently, in every protocol version.

use data_encoding::{BASE64, HEXLOWER};
use lore_core::Entropy;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};

use crate::canonical::{Floats, compact};
use crate::key::{KeyPair, PublicKey};
use crate::object::object;
use crate::rid::NodeRid;

/// A message without the format that its endpoint requires.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Malformed(pub String);

/// A received envelope. Nothing in it can be trusted before [`Envelope::is_signed_by`] succeeds.
#[derive(Debug, Clone)]
pub struct Envelope {
    payload: Box<RawValue>,
    /// The node that claims to have sent it.
    pub source: NodeRid,
    /// The node it is for.
    pub target: NodeRid,
    signature: String,
}

#[derive(Deserialize)]
#[serde(remote = "Self")]
struct Received {
    payload: Box<RawValue>,
    source_node: NodeRid,
    target_node: NodeRid,
    signature: String,
}

object!(read Received);

#[derive(Serialize)]
struct Unsigned<'a, T> {
    payload: &'a T,
    source_node: &'a NodeRid,
    target_node: &'a NodeRid,
}

impl Envelope {
    /// Parses an envelope without verifying it.
    pub fn open(body: &[u8]) -> Result<Self, Malformed> {
        let received: Received =
            serde_json::from_slice(body).map_err(|error| Malformed(error.to_string()))?;
        Ok(Self {
            payload: received.payload,
            source: received.source_node,
            target: received.target_node,
            signature: received.signature,
        })
    }

    /// Parses the payload.
    pub fn payload<T: DeserializeOwned>(&self) -> Result<T, Malformed> {
        serde_json::from_str(self.payload.get())
            .map_err(|error| Malformed(format!("payload: {error}")))
    }

    /// Whether the holder of `key` signed the envelope. Some nodes sign numbers in another spelling
    /// than they send, so those spellings are tried as well.
    pub fn is_signed_by(&self, key: &PublicKey) -> bool {
        let mut tried = String::new();
        [Floats::AsIs, Floats::Plain, Floats::Signed].into_iter().any(|floats| {
            let text = self.signed_text(floats);
            let holds = text != tried && key.verifies(text.as_bytes(), &self.signature);
            tried = text;
            holds
        })
    }

    /// Returns a fingerprint for replay detection: it differs each time a message is sent, but not
    /// for a replay. Only the first half of the signature (`r`) counts, because anybody can compute
    /// another valid second half (`s`).
    pub fn mark(&self) -> String {
        let signature = BASE64.decode(self.signature.as_bytes()).unwrap_or_default();
        let (once, _) = signature.split_at(signature.len() / 2);
        short_hash(once)
    }

    /// Returns a fingerprint of the payload, independent of the signature.
    pub(crate) fn payload_mark(&self) -> String {
        short_hash(compact(self.payload.get(), Floats::AsIs).as_bytes())
    }

    fn signed_text(&self, floats: Floats) -> String {
        let (source, target) = (quoted(&self.source), quoted(&self.target));
        let payload = compact(self.payload.get(), floats);
        format!(r#"{{"payload":{payload},"source_node":{source},"target_node":{target}}}"#)
    }
}

/// Wraps a message in an envelope and signs it.
pub fn seal(
    key: &KeyPair,
    source: &NodeRid,
    target: &NodeRid,
    payload: &impl Serialize,
    entropy: &dyn Entropy,
) -> Result<String, Malformed> {
    let unsigned = Unsigned { payload, source_node: source, target_node: target };
    let mut text =
        serde_json::to_string(&unsigned).map_err(|error| Malformed(error.to_string()))?;
    let signature = key.sign(text.as_bytes(), entropy);
    text.truncate(text.len().saturating_sub(1));
    text.push_str(&format!(r#","signature":"{signature}"}}"#));
    Ok(text)
}

fn short_hash(bytes: &[u8]) -> String {
    HEXLOWER.encode(Sha256::digest(bytes).get(..8).unwrap_or_default())
}

fn quoted(rid: &NodeRid) -> String {
    serde_json::to_string(rid).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::PollEvents;
    use lore_core::effects::FixedEntropy;

    #[test]
    fn what_is_sealed_can_be_opened_in_any_layout() {
        let entropy = FixedEntropy::new(4);
        let key = KeyPair::generate(&entropy);
        let (me, you) = (key.node_rid("me").unwrap(), NodeRid::new("you", "00").unwrap());
        let text = seal(&key, &me, &you, &PollEvents::new(5), &entropy).unwrap();
        let spread: serde_json::Value = serde_json::from_str(&text).unwrap();
        for layout in [text, serde_json::to_string_pretty(&spread).unwrap()] {
            let envelope = Envelope::open(layout.as_bytes()).unwrap();
            assert!(envelope.is_signed_by(key.public()), "{layout}");
            assert_eq!(envelope.payload::<PollEvents>().unwrap().limit, 5);
        }
    }
}

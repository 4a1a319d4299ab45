//! The durable state of a node. Each record is stored under its RID and replaced by later versions,
//! but never deleted: a removed object leaves a tombstone, so that an old message cannot bring it
//! back.

use serde::{Deserialize, Serialize};

use crate::profile::{EdgeProfile, NodeProfile};
use crate::rid::{NodeRid, Rid};
use crate::time::WireTime;
use crate::wire::{Contents, EventType, Manifest};

/// A durable record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "lowercase")]
pub enum Record {
    /// An object of ours.
    Own(OwnRecord),
    /// An object of another node.
    Foreign(ForeignRecord),
    /// Another node.
    Peer(PeerRecord),
    /// A subscription that this node is an end of.
    Edge(EdgeRecord),
}

impl Record {
    /// The key of the record.
    pub fn rid(&self) -> Rid {
        match self {
            Self::Own(own) => own.manifest.rid.clone(),
            Self::Foreign(foreign) => foreign.manifest.rid.clone(),
            Self::Peer(peer) => peer.rid.rid().clone(),
            Self::Edge(edge) => edge.profile.rid(),
        }
    }
}

/// A record to store, with the object's contents if they changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Write {
    /// The record.
    pub record: Record,
    /// The new contents of the object.
    pub contents: Option<Contents>,
}

/// An object of ours: this node itself, or one that its owner shares.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnRecord {
    /// Its current or, after removal, last manifest.
    pub manifest: Manifest,
    /// The last event about it.
    pub event: EventType,
    /// Its place in the feed.
    pub sequence: u64,
    /// The size of its contents, in bytes.
    pub bytes: usize,
}

/// An object of another node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForeignRecord {
    /// Its current or, after removal, last manifest.
    pub manifest: Manifest,
    /// The node it belongs to; no other node may change it here.
    pub from: NodeRid,
    /// Whether it exists.
    pub presence: Presence,
    /// The size of its contents, in bytes.
    pub bytes: usize,
    /// Fingerprints of the envelopes that removed it, to detect replays.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forgets: Vec<String>,
}

/// Whether an object of another node exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Presence {
    /// It is.
    Live,
    /// Its owner said that it is gone: only something newer brings it back.
    Forgotten,
    /// Its owner no longer lists it.
    Missing,
}

/// Another node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PeerRecord {
    /// The RID of the node.
    pub rid: NodeRid,
    /// How it became known to us.
    pub standing: Standing,
    /// The profile it announced, if known.
    pub profile: Option<NodeProfile>,
    /// The timestamp of that profile.
    pub timestamp: Option<WireTime>,
    /// The address our owner configured for it.
    pub url: Option<String>,
    /// Up to which events it has been informed.
    pub told: Told,
    /// How many more messages begin with our profile; for a node our owner broke with, how many
    /// more farewells to send.
    pub greetings: u8,
    /// Whether to ask it to start afresh with us.
    pub introduce: bool,
    /// Fingerprints of its latest introductions and polls, to detect replays.
    #[serde(default)]
    pub marks: Vec<String>,
    /// When its last message arrived.
    pub last_seen: Option<WireTime>,
}

/// How a node became known to us.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "how", content = "through", rename_all = "lowercase")]
pub enum Standing {
    /// Our owner connected us.
    Connected,
    /// It introduced itself.
    Met,
    /// Another node told us about it.
    Heard(NodeRid),
    /// Our owner broke with it: its messages are refused.
    Forgotten,
}

/// Up to which places in the feed a node has been informed.
///
/// A poll is not acknowledged, so events are repeated in the next two polls before they count as
/// delivered. Receiving an event twice changes nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Told {
    /// Everything up to here has arrived.
    pub surely: u64,
    /// Sent up to here by the poll before the last one.
    pub before: u64,
    /// Sent up to here by the last poll.
    pub last: u64,
}

/// A subscription that this node is an end of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EdgeRecord {
    /// The provider, the subscriber, and the terms.
    pub profile: EdgeProfile,
    /// When it last changed.
    pub timestamp: WireTime,
    /// The last event about it.
    pub event: EventType,
    /// Its place in the feed; 0 if the other end need not be told.
    pub sequence: u64,
    /// Fingerprints of the envelopes that ended it, to detect replays.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forgets: Vec<String>,
}

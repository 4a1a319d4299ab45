//! What a node must not forget. Each record is kept under its RID; a later one
//! replaces it, and none is ever taken away: what is gone is remembered as gone, so
//! that an old message cannot bring it back.

use serde::{Deserialize, Serialize};

use crate::profile::{EdgeProfile, NodeProfile};
use crate::rid::{NodeRid, Rid};
use crate::time::WireTime;
use crate::wire::{Contents, EventType, Manifest};

/// Anything a node keeps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "lowercase")]
pub enum Record {
    /// A thing of ours.
    Own(OwnRecord),
    /// A thing of another node.
    Foreign(ForeignRecord),
    /// Another node.
    Peer(PeerRecord),
    /// A subscription at this node.
    Edge(EdgeRecord),
}

impl Record {
    /// What it is kept under.
    pub fn rid(&self) -> Rid {
        match self {
            Self::Own(own) => own.manifest.rid.clone(),
            Self::Foreign(foreign) => foreign.manifest.rid.clone(),
            Self::Peer(peer) => peer.rid.rid().clone(),
            Self::Edge(edge) => edge.profile.rid(),
        }
    }
}

/// A record to keep, with the contents of the thing where they changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Write {
    /// The record.
    pub record: Record,
    /// Its contents.
    pub contents: Option<Contents>,
}

/// A thing of ours: this node itself, or what its owner shares.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnRecord {
    /// What it is, or last was.
    pub manifest: Manifest,
    /// What last happened to it.
    pub event: EventType,
    /// Its place in the order of everything that happened here.
    pub sequence: u64,
    /// The size of its contents.
    pub bytes: usize,
}

/// A thing of another node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForeignRecord {
    /// What it is, or last was.
    pub manifest: Manifest,
    /// Whose it is; nobody else may change it here.
    pub from: NodeRid,
    /// Whether it is there.
    pub presence: Presence,
    /// The size of its contents.
    pub bytes: usize,
    /// Marks of the envelopes that said it was gone, lest one is played again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forgets: Vec<String>,
}

/// Whether a thing of another node is there.
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
    /// Who it is.
    pub rid: NodeRid,
    /// How we know it.
    pub standing: Standing,
    /// What it says of itself, once we know.
    pub profile: Option<NodeProfile>,
    /// When it said so.
    pub timestamp: Option<WireTime>,
    /// Where the owner said it is.
    pub url: Option<String>,
    /// How far it has been told what happened here.
    pub told: Told,
    /// How many more times it is told who we are; or, once our owner broke with it, that
    /// we left.
    pub greetings: u8,
    /// Whether it has to be asked to start anew with us.
    pub introduce: bool,
    /// Marks of its newest introductions and polls, lest one is played again.
    #[serde(default)]
    pub marks: Vec<String>,
    /// When a message of it last arrived.
    pub last_seen: Option<WireTime>,
}

/// How we know a node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "how", content = "through", rename_all = "lowercase")]
pub enum Standing {
    /// Our owner connected us.
    Connected,
    /// It introduced itself.
    Met,
    /// Another node told of it.
    Heard(NodeRid),
    /// Our owner wants nothing to do with it.
    Forgotten,
}

/// How far a node has been told, as places in the order of what happened here.
///
/// A poll has no receipt, so what was handed out is handed out again in the next
/// two polls: only then it counts as told. What came twice changes nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Told {
    /// All up to here has arrived.
    pub surely: u64,
    /// Up to here was handed out before the last time.
    pub before: u64,
    /// Up to here was handed out the last time.
    pub last: u64,
}

/// A subscription at this node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EdgeRecord {
    /// Who subscribes to whom.
    pub profile: EdgeProfile,
    /// When it changed.
    pub timestamp: WireTime,
    /// What last happened to it.
    pub event: EventType,
    /// Its place in the order of everything that happened here; 0 when the other
    /// end needs not be told.
    pub sequence: u64,
    /// Marks of the envelopes that ended it, lest one is played again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forgets: Vec<String>,
}

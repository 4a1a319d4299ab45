//! Messages before their contents are looked up and they are signed, and the errors for refused
//! messages.

use std::collections::HashMap;
use std::time::Duration;

use serde_json::json;

use crate::rid::Rid;
use crate::wire::{
    ConfirmEventsResponse, Contents, FetchBundles, FetchManifests, FetchRids, ManifestsPayload,
    PollEvents, RidsPayload,
};

/// The contents that were looked up, by RID.
pub type Found = HashMap<Rid, Contents>;

/// The endpoints of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Endpoint {
    /// Delivers events.
    Broadcast,
    /// Asks for events.
    Poll,
    /// Asks for the RIDs of objects.
    Rids,
    /// Asks for the manifests of objects.
    Manifests,
    /// Asks for objects with their contents.
    Bundles,
    /// Confirms the events of the last poll; an extension of some nodes.
    Confirm,
}

impl Endpoint {
    /// The five endpoints of the protocol.
    pub const CORE: [Self; 5] =
        [Self::Broadcast, Self::Poll, Self::Rids, Self::Manifests, Self::Bundles];

    /// Whether the endpoint returns data of this node.
    pub fn hands_out(self) -> bool {
        matches!(self, Self::Poll | Self::Rids | Self::Manifests | Self::Bundles)
    }

    /// The path below a node's base address.
    pub fn path(self) -> &'static str {
        match self {
            Self::Broadcast => "/events/broadcast",
            Self::Poll => "/events/poll",
            Self::Rids => "/rids/fetch",
            Self::Manifests => "/manifests/fetch",
            Self::Bundles => "/bundles/fetch",
            Self::Confirm => "/events/confirm",
        }
    }
}

/// A message to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Message {
    /// Events about some objects, after a greeting.
    Events {
        /// Whether the message begins with who we are.
        greeting: Greeting,
        /// Objects of ours, and edges.
        rids: Vec<Rid>,
    },
    /// Objects with their contents.
    Bundles {
        /// Objects of ours, and edges.
        rids: Vec<Rid>,
        /// RIDs that are not ours or not visible to the asking node.
        not_found: Vec<Rid>,
        /// RIDs left out because the reply would be too large.
        deferred: Vec<Rid>,
    },
    /// A list of RIDs.
    Rids(RidsPayload),
    /// Manifests of objects.
    Manifests(ManifestsPayload),
    /// The number of confirmed events.
    Confirmed(ConfirmEventsResponse),
    /// A request for RIDs.
    FetchRids(FetchRids),
    /// A request for manifests.
    FetchManifests(FetchManifests),
    /// A request for objects with their contents.
    FetchBundles(FetchBundles),
    /// A request for events.
    Poll(PollEvents),
}

/// Whether a message begins with our node's own profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Greeting {
    /// Without the profile.
    None,
    /// With the profile.
    Hello,
    /// With the profile, and a request to forget what was known about us before.
    Afresh,
    /// With the notice that we leave.
    Farewell,
}

impl Message {
    /// Returns the RIDs whose contents have to be looked up before sending.
    pub fn needs(&self) -> &[Rid] {
        match self {
            Self::Events { rids, .. } | Self::Bundles { rids, .. } => rids,
            _ => &[],
        }
    }
}

/// Why a message was refused, in the order of the checks.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// It does not have the format that the endpoint requires.
    #[error("malformed: {0}")]
    Malformed(String),
    /// The sender is unknown and has to introduce itself.
    #[error("unknown_node")]
    UnknownNode,
    /// The sender's key does not match the hash in its RID.
    #[error("invalid_key")]
    InvalidKey,
    /// The signature is not the sender's.
    #[error("invalid_signature")]
    InvalidSignature,
    /// It is for another node.
    #[error("invalid_target")]
    InvalidTarget,
    /// The sender exceeds its rate limit.
    #[error("too_many_requests")]
    Throttled,
    /// The sender is new and there is no room for more unknown nodes. It can wait, or our owner can
    /// connect to it.
    #[error("too_many_nodes")]
    Crowded,
    /// The same envelope was answered before.
    #[error("replayed")]
    Replayed,
}

impl Fault {
    /// The HTTP status of the answer.
    pub fn status(&self) -> u16 {
        match self {
            Self::Malformed(_) => 422,
            Self::Throttled | Self::Crowded => 429,
            _ => 400,
        }
    }

    /// When to try again, if that may help.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Throttled => Some(Duration::from_secs(1)),
            Self::Crowded => Some(Duration::from_secs(3_600)),
            _ => None,
        }
    }

    /// The body of the answer.
    pub fn body(&self) -> String {
        match self {
            Self::Malformed(problem) => {
                json!({"detail": [{"type": "value_error", "loc": ["body"], "msg": problem}]})
            }
            other => json!({"type": "error_response", "error": other.to_string()}),
        }
        .to_string()
    }
}

/// Why one event of a message was skipped. The other events of the message are still processed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Refusal {
    /// Its parts contradict each other, or its contents do not fit its type.
    Malformed,
    /// The contents do not match the hash in the manifest.
    WrongHash,
    /// Its timestamp is in the future.
    FromTheFuture,
    /// It is not newer than what is known, or it is a replay.
    Stale,
    /// The object belongs to another node.
    NotTheOwner,
    /// We are not subscribed to objects of this type.
    NotSubscribed,
    /// The quota of this node, or of all nodes together, is used up.
    OverQuota,
    /// It came without contents, from a node that cannot be called for them.
    OutOfReach,
}

impl Refusal {
    /// The reason's name in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Malformed => "malformed",
            Self::WrongHash => "wrong_hash",
            Self::FromTheFuture => "from_the_future",
            Self::Stale => "stale",
            Self::NotTheOwner => "not_the_owner",
            Self::NotSubscribed => "not_subscribed",
            Self::OverQuota => "over_quota",
            Self::OutOfReach => "out_of_reach",
        }
    }
}

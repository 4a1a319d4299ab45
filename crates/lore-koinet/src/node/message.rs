//! What the node wants said, before contents are looked up and it is signed; and
//! what it says when it refuses.

use std::collections::HashMap;
use std::time::Duration;

use serde_json::json;

use crate::rid::Rid;
use crate::wire::{
    ConfirmEventsResponse, Contents, FetchBundles, FetchManifests, FetchRids, ManifestsPayload,
    PollEvents, RidsPayload,
};

/// Contents by RID, as they were looked up.
pub type Found = HashMap<Rid, Contents>;

/// The endpoints of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Endpoint {
    /// Something happened.
    Broadcast,
    /// What happened?
    Poll,
    /// Which things are there?
    Rids,
    /// What are they now?
    Manifests,
    /// May I have them?
    Bundles,
    /// The events of the last poll arrived.
    Confirm,
}

impl Endpoint {
    /// The five of the protocol.
    pub const CORE: [Self; 5] =
        [Self::Broadcast, Self::Poll, Self::Rids, Self::Manifests, Self::Bundles];

    /// Whether what is here is told to whoever asks.
    pub fn hands_out(self) -> bool {
        matches!(self, Self::Poll | Self::Rids | Self::Manifests | Self::Bundles)
    }

    /// Its path below a node's address.
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

/// Something to say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Message {
    /// What happened to these, after a greeting.
    Events {
        /// Who we are comes first.
        greeting: Greeting,
        /// Things of ours and edges.
        rids: Vec<Rid>,
    },
    /// These things.
    Bundles {
        /// Things of ours and edges.
        rids: Vec<Rid>,
        /// Not ours, or not for the asker.
        not_found: Vec<Rid>,
        /// Too much for one reply.
        deferred: Vec<Rid>,
    },
    /// A list of things.
    Rids(RidsPayload),
    /// What things are.
    Manifests(ManifestsPayload),
    /// A receipt.
    Confirmed(ConfirmEventsResponse),
    /// A question.
    FetchRids(FetchRids),
    /// A question.
    FetchManifests(FetchManifests),
    /// A question.
    FetchBundles(FetchBundles),
    /// A question.
    Poll(PollEvents),
}

/// Whether a message says who we are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Greeting {
    /// It does not.
    None,
    /// It does.
    Hello,
    /// It does, and asks to forget what was known of us before.
    Afresh,
    /// It says that we leave.
    Farewell,
}

impl Message {
    /// The things whose contents have to be looked up.
    pub fn needs(&self) -> &[Rid] {
        match self {
            Self::Events { rids, .. } | Self::Bundles { rids, .. } => rids,
            _ => &[],
        }
    }
}

/// Why a message was not taken, in the order in which it is checked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// It does not have the shape the endpoint asks for.
    #[error("malformed: {0}")]
    Malformed(String),
    /// We know nothing of the sender: it has to introduce itself.
    #[error("unknown_node")]
    UnknownNode,
    /// The sender's key is not the one its name stands for.
    #[error("invalid_key")]
    InvalidKey,
    /// The sender did not sign this.
    #[error("invalid_signature")]
    InvalidSignature,
    /// It is for somebody else.
    #[error("invalid_target")]
    InvalidTarget,
    /// The sender talks too much: wait.
    #[error("too_many_requests")]
    Throttled,
    /// The sender is new, and there is no room for further strangers: wait, or have the owner
    /// connect.
    #[error("too_many_nodes")]
    Crowded,
    /// It was answered before.
    #[error("replayed")]
    Replayed,
}

impl Fault {
    /// Its HTTP status.
    pub fn status(&self) -> u16 {
        match self {
            Self::Malformed(_) => 422,
            Self::Throttled | Self::Crowded => 429,
            _ => 400,
        }
    }

    /// When to try again, where that helps.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Throttled => Some(Duration::from_secs(1)),
            Self::Crowded => Some(Duration::from_secs(3_600)),
            _ => None,
        }
    }

    /// Its body.
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

/// Why an event was passed over while the others of its message were not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Refusal {
    /// Its parts do not fit each other, or its contents are not what its type asks for.
    Malformed,
    /// The contents are not those the manifest names.
    WrongHash,
    /// Its moment lies in the future.
    FromTheFuture,
    /// It is not newer than what is known, or an old message played again.
    Stale,
    /// The thing belongs to another node.
    NotTheOwner,
    /// Nobody asked for things of this type.
    NotSubscribed,
    /// There is no room for more from this node, or from anybody.
    OverQuota,
    /// It came without its contents, from a node that cannot be asked for them.
    OutOfReach,
}

impl Refusal {
    /// Its name in reports.
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

//! KOI-net: a protocol by which nodes tell each other what they know.
//!
//! Two layers, both without I/O. The wire layer reads and writes what travels, to
//! the byte: names, manifests, bundles, events, signed envelopes. The node is a
//! state machine: it is given what arrived and what the time is, and says what to
//! keep, what to answer and whom to call. Clock, sockets and disk are the caller's.

mod canonical;
mod envelope;
mod key;
pub mod node;
mod object;
mod profile;
mod rid;
mod time;
mod wire;

pub use canonical::{content_hash, portable};
pub use envelope::{Envelope, Malformed, seal};
pub use key::{KeyError, KeyPair, PublicKey};
pub use profile::{
    EdgeKind, EdgeProfile, EdgeStatus, NodeKind, NodeProfile, Provides, contents_of, is_address,
};
pub use rid::{BadRid, EDGE_TYPE, NODE_TYPE, NodeRid, RID_MAX, Rid, is_rid_type};
pub use time::{BadTime, WireTime};
pub use wire::{
    Bundle, BundlesPayload, ConfirmEvents, ConfirmEventsResponse, Contents, Event, EventType,
    EventsPayload, FetchBundles, FetchManifests, FetchRids, Manifest, ManifestsPayload, PollEvents,
    RidsPayload,
};

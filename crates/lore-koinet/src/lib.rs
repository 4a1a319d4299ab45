//! KOI-net, a protocol by which nodes exchange knowledge objects and their changes.
//!
//! There are two layers, both without I/O:
//!
//! - The wire layer reads and writes messages byte for byte: RIDs, manifests, bundles, events,
//!   signed envelopes.
//! - The node is a state machine. It takes incoming messages and the current time, and returns what
//!   to store, what to answer and whom to call.
//!
//! Clock, sockets and disk are up to the caller. An *object* is anything that nodes share: it has a
//! RID, an owner, and contents in JSON.

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

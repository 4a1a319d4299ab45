//! The contract between use cases and store engines.
//!
//! A use case reads through the query traits, decides in pure code and commits one [`Batch`] of
//! primitive changes. An engine applies the batch in one durable transaction, writes its audit and
//! change log rows, and answers only after that. No SQL, driver or engine-specific concept appears
//! here, and nothing may assume that the engine is embedded.
//!
//! Every call on behalf of a user takes a [`Viewer`] or, where no world is chosen yet, a principal.
//! The engine does the filtering, so no caller can forget it. Calls that take neither are internal
//! work of the program: authentication, sessions, vectors and maintenance.

mod applied;
mod batch;
pub mod chain;
mod error;
mod left_out;
mod query;
mod records;
mod search;
mod store;
#[cfg(feature = "testkit")]
pub mod testkit;
mod traverse;
pub mod veil;

pub use applied::{Applied, Committed};
pub use batch::{
    Batch, Change, Counters, Counting, EdgePatch, EdgeRef, Expect, Eyes, NewEdge, NewEvent,
    NewEvents, NewNode, NewState, NewText, NodePatch, NodeRef, Once, Origin, Reach, Require, Retag,
    TagSide, TextPatch, TextRef, Touch,
};
pub use error::{StoreError, StoreResult};
pub use left_out::LeftOut;
pub use lore_core::Viewer;
pub use query::{
    Bin, Direction, EventOrder, EventQuery, NameMatch, NewestNodes, NodeKey, NodeOrder, NodeQuery,
    Page, TextPage, TextQuery,
};
pub use records::{
    Access, AuditEntry, ChainReport, ChangeEntry, Finding, Health, NewToken, Renamed,
    SessionRecord, StoreStats, StoredToken, Tally, TokenInfo,
};
pub use search::{Answered, Coverage, DocVector, Found, Search, Unembedded, Vectors, Waiting};
pub use store::{
    Directory, Edges, Events, Log, Maintenance, Nodes, Sessions, States, Store, Texts, WORLD_URI,
    WORLDS_URI,
};
pub use traverse::{Budget, Reached, Stop, Traversal, traverse};

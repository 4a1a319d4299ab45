//! The contract between use cases and store engines.
//!
//! A use case reads through the query traits, decides in pure code and commits
//! one [`Batch`] of primitive changes. An engine applies the batch in one
//! durable transaction, writes its audit and change-log rows, and answers only
//! after that. No SQL, driver or engine-specific idea appears here; nothing may
//! assume that the engine is embedded.
//!
//! Every call takes a [`Viewer`] (or, where no world is entered yet, a
//! principal): the engine filters, so no caller can forget to.

mod batch;
mod error;
mod query;
mod records;
mod store;
#[cfg(feature = "testkit")]
pub mod testkit;
mod traverse;

pub use batch::{
    Applied, Batch, Change, Committed, EdgePatch, EdgeRef, Expect, NewEdge, NewNode, NewText,
    NodePatch, NodeRef, Origin, Require, TextPatch, TextRef,
};
pub use error::{StoreError, StoreResult};
pub use lore_core::Viewer;
pub use query::{Bin, Direction, NameMatch, NodeKey, NodeQuery, Page};
pub use records::{
    AuditEntry, ChangeEntry, Finding, Health, NewToken, SessionRecord, StoreStats, StoredToken,
    TokenInfo,
};
pub use store::{Directory, Edges, Log, Maintenance, Nodes, Sessions, Store, Texts};
pub use traverse::{Budget, Reached, Stop, Traversal, traverse};

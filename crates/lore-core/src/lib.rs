//! Lorewell's shared domain types.
//!
//! Everything here is plain data and pure functions. This crate knows no wire format, no database,
//! no protocol and no I/O. The two side effects that every other crate needs, time and randomness,
//! come in through [`effects`].

pub mod effects;
pub mod error;
pub mod graph;
pub mod ids;
pub mod names;
pub mod people;
pub mod record;
pub mod texts;

pub use effects::{Clock, Effects, Entropy};
pub use error::{Error, Result};
pub use graph::{
    BEHIND_SCREEN, Edge, EdgeKind, Kind, Node, Properties, Provenance, Stamp, Text, TextKind,
};
pub use ids::{EdgeId, NodeId, PrincipalId, TextId, TokenId, Uid, WorldId};
pub use jiff::Timestamp;
pub use people::{Principal, Role, Viewer, Visibility, World};
pub use record::{Event, Hash, State};

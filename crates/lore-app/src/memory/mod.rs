//! What an agent learned: knowledge, experiences that fade, projects and ideas.
//!
//! All of them are nodes of the one world, so whatever is kept here is found from every
//! door, and [`recall`] finds what came in through the others. What is learned with high
//! confidence is a node and an experience beside it; only the node's text is searched, so
//! that a fact comes back once.
//!
//! Nothing here hides anything: who sees what is the store's business. Nothing is ever
//! removed for good, and nothing that looks like a credential is kept.

pub mod access;
pub mod context;
pub mod crossref;
pub mod exchange;
pub mod experience;
pub mod graph;
pub mod holding;
pub mod idea;
pub mod ids;
pub mod keeper;
pub mod kinds;
pub mod learn;
pub mod link;
mod parts;
mod pen;
pub mod project;
pub mod recall;
mod refusal;
pub mod related;
pub mod room;
mod said;
pub mod status;

pub use keeper::Keeper;
pub use refusal::{Refusal, Reply};

/// The resource that shows how much there is.
pub const STATUS_URI: &str = "kn://status";
/// The resource that shows all projects.
pub const PROJECTS_URI: &str = "kn://projects";
/// The resource that shows what is remembered best.
pub const MEMORIES_URI: &str = "kn://memories";

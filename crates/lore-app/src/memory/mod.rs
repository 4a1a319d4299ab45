//! The memory toolset: what an agent learned, kept as knowledge, experiences that fade, projects
//! and ideas.
//!
//! All of them are nodes of the world, so every door finds them, and [`recall`] finds what other
//! doors wrote. What is learned with high confidence is stored twice, as a lasting node and as an
//! experience (the two *halves* of a fact). Search indexes the texts of the node only, so each fact
//! is found once.
//!
//! Nothing here filters for visibility; the store does. Nothing is deleted for good, only moved to
//! the bin, and nothing that looks like a credential is stored.

pub mod access;
pub mod answer_budget;
pub mod call;
mod cleaning;
pub mod context;
pub mod crossref;
pub mod exchange;
pub mod experience;
pub mod graph;
pub mod idea;
pub mod ids;
pub mod kinds;
pub mod learn;
pub mod link;
mod parts;
pub mod project;
pub mod pruning;
pub mod recall;
mod refusal;
pub mod related;
pub mod status;
pub mod supersession;

pub use call::MemoryCall;
pub use refusal::{Refusal, Reply};

/// The resource with the status of the memory: counts and findings.
pub const STATUS_URI: &str = "kn://status";
/// The resource with all projects.
pub const PROJECTS_URI: &str = "kn://projects";
/// The resource with the experiences of highest relevance.
pub const MEMORIES_URI: &str = "kn://memories";

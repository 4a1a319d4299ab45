//! Documents: nodes with something to read, such as notes, web pages and files.
//!
//! - `shelve` stores a document, cut into searchable chunks and linked to the entities it mentions.
//! - `ingest` takes in a document that another program read.
//! - `mentioning` finds the documents that mention an entity.
//!
//! What is particular to notes and web pages is in `vault` and `web`.

mod ingest;
mod mentioning;
pub(super) mod shelve;

pub use ingest::{Read, take};
pub use mentioning::{Document, Mentioned, mentioned_in};
pub(crate) use shelve::document;

/// The property that holds the web address a document was read from.
pub(super) const URL: &str = "url";

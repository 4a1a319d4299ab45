//! The search engine that all doors (toolsets) share.
//!
//! An [`Index`] holds the words by which texts and names of a world are found. It answers a
//! [`Query`] of a viewer with ranked, explained [`Hit`]s. It is filled with [`Entry`]s: the
//! [`Analysis`] of a document and what else is known about it. The store keeps the analysis as a
//! row, so opening a large world analyses nothing again.
//!
//! Pure code: no SQL, no clock, no disk. No text makes it fail. Documents that a viewer may not see
//! have no influence on what they find: neither on which documents, nor on their order, nor on
//! their scores.

mod column;
mod document;
mod fixed;
mod index;
mod lexicon;
mod mentioned;
mod query;
mod rank;
mod role;
mod sight;
mod snippet;
mod vectors;
mod view;

pub use document::{Analysis, DocKey, Document, Entry, Head, Meta, Vector, tag_key};
pub use index::{Index, Statistics};
pub use mentioned::mention_word;
pub use query::{Filter, Hit, MatchKind, Parts, Query, Ranked, Unit};
pub use snippet::{Snippet, snippet};

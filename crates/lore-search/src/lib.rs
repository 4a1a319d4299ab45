//! The one search, used by every door.
//!
//! An [`Index`] holds what a world's texts and names are found by, and answers a
//! [`Query`] for a viewer with ranked, explained [`Hit`]s. It is fed with
//! [`Entry`]s: the [`Analysis`] of a document (which the store keeps as a row, so
//! that opening a large world analyses nothing again) and what is known about it.
//!
//! Pure: no SQL, no clock, no disk. Nothing fails on a text, and what a viewer may
//! not see has no influence on what they find: neither on which documents, nor on
//! their order, nor on their scores.

mod column;
mod document;
mod fixed;
mod index;
mod lexicon;
mod mentioned;
mod query;
mod rank;
mod sight;
mod snippet;
mod vectors;
mod view;

pub use document::{Analysis, DocKey, Document, Entry, Head, Meta, Vector};
pub use index::{Index, Statistics};
pub use mentioned::mention_word;
pub use query::{Filter, Hit, MatchKind, Parts, Query, Ranked, Unit};
pub use snippet::{Snippet, snippet};

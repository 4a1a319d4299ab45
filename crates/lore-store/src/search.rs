//! The one search, as an engine answers it.

use async_trait::async_trait;
use lore_core::{Node, Text, Viewer};
use lore_search::{Hit, Query, Ranked, Snippet, snippet};

use crate::error::StoreResult;

/// Finding things by what they say, are called or are marked with.
#[async_trait]
pub trait Search {
    /// The best answers to a query among what the viewer sees, best first. Any text
    /// is a valid query, and what was committed before the call is found.
    async fn search(&self, viewer: &Viewer, query: Query) -> StoreResult<Found>;

    /// The same without reading what was found: for those who look at many hits and
    /// show few.
    async fn rank(&self, viewer: &Viewer, query: Query) -> StoreResult<Ranked>;
}

/// Vectors of an outside model, in place of those made from the built-in table.
///
/// Making them is background work of the program itself: no viewer is involved, and
/// nothing of it is ever shown to one but how far it is.
#[async_trait]
pub trait Vectors {
    /// Documents of any world without a vector of `model` in the order of their changes, at most
    /// `limit`, and none that did not change since the mark `after`.
    async fn without_vector(&self, model: &str, after: i64, limit: usize) -> StoreResult<Waiting>;

    /// How many documents of those that the viewer sees have a vector of `model`.
    async fn coverage(&self, viewer: &Viewer, model: &str) -> StoreResult<Coverage>;

    /// Keeps vectors of `model`. Those of documents that changed in the meantime are
    /// dropped. Returns how many were kept.
    async fn put_vectors(&self, model: &str, vectors: Vec<DocVector>) -> StoreResult<usize>;
}

/// Documents that have no vector yet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Waiting {
    /// The documents.
    pub docs: Vec<Unembedded>,
    /// Up to where was looked: what waits besides changed after it.
    pub mark: i64,
}

/// How many documents have a vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Coverage {
    /// Those that have one.
    pub done: u64,
    /// Those that wait for one.
    pub waiting: u64,
}

/// A document that has no vector yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unembedded {
    /// The state of the document, to be given back with its vector.
    pub state: i64,
    /// What it says.
    pub text: String,
}

/// A vector of a document.
#[derive(Debug, Clone, PartialEq)]
pub struct DocVector {
    /// The state of the document it was made for.
    pub state: i64,
    /// The vector.
    pub values: Vec<f32>,
}

/// What a search found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Found {
    /// The answers, best first.
    pub answers: Vec<Answered>,
    /// How many there are without the limit, as far as they were looked at.
    pub total: usize,
}

/// One answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Answered {
    /// How well it answers, and why.
    pub hit: Hit,
    /// The node it belongs to.
    pub node: Node,
    /// The text that answers; none when the node was found by its name alone.
    pub text: Option<Text>,
}

impl Answered {
    /// Longest snippet, in characters.
    const SNIPPET: usize = 240;

    /// The part of the text that answers a question best; empty without a text.
    pub fn snippet(&self, question: &str) -> Snippet {
        let body = self.text.as_ref().map(|text| text.body.as_str());
        body.map_or_else(Snippet::default, |body| snippet(body, question, Self::SNIPPET))
    }
}

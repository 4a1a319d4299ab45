//! The search, as an engine offers it.

use async_trait::async_trait;
use lore_core::{Node, Text, Viewer};
use lore_search::{Hit, Query, Ranked, Snippet, snippet};

use crate::error::StoreResult;

/// Full-text and semantic search over names, tags and texts.
#[async_trait]
pub trait Search {
    /// Returns the best answers among what the viewer sees, best first. Any text is a valid query,
    /// and everything committed before the call is found.
    async fn search(&self, viewer: &Viewer, query: Query) -> StoreResult<Found>;

    /// Ranks without reading the hits, for callers that look at many hits and show few.
    async fn rank(&self, viewer: &Viewer, query: Query) -> StoreResult<Ranked>;
}

/// Vectors of an external embedding model, which replace those of the built-in table.
///
/// Computing them is background work of the program itself. No viewer is involved, and viewers are
/// shown nothing of it but the progress.
#[async_trait]
pub trait Vectors {
    /// Documents of any world that have no vector of `model` and changed after the mark `after`,
    /// oldest change first, at most `limit`.
    async fn without_vector(&self, model: &str, after: i64, limit: usize) -> StoreResult<Waiting>;

    /// How many of the documents that the viewer sees have a vector of `model`.
    async fn coverage(&self, viewer: &Viewer, model: &str) -> StoreResult<Coverage>;

    /// Stores vectors of `model`, except for documents that changed in the meantime. Returns how
    /// many were stored.
    async fn put_vectors(&self, model: &str, vectors: Vec<DocVector>) -> StoreResult<usize>;
}

/// Documents that have no vector yet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Waiting {
    /// The documents.
    pub docs: Vec<Unembedded>,
    /// The change mark to continue from: any other document that needs a vector changed after it.
    pub mark: i64,
}

/// How many documents have a vector and how many need one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Coverage {
    /// Documents with a vector.
    pub done: u64,
    /// Documents that wait for one.
    pub waiting: u64,
}

/// A document that has no vector yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unembedded {
    /// The state of the document, which must be returned with its vector.
    pub state: i64,
    /// Its words.
    pub text: String,
}

/// A vector of a document.
#[derive(Debug, Clone, PartialEq)]
pub struct DocVector {
    /// The state of the document that it was computed for.
    pub state: i64,
    /// The vector.
    pub values: Vec<f32>,
}

/// The result of a search.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Found {
    /// The answers, best first.
    pub answers: Vec<Answered>,
    /// How many there are without the limit, as far as the search looked.
    pub total: usize,
}

/// One answer of a search.
#[derive(Debug, Clone, PartialEq)]
pub struct Answered {
    /// Its rank, and why it matched.
    pub hit: Hit,
    /// The node it belongs to.
    pub node: Node,
    /// The text that matched; `None` if the node was found by its head alone.
    pub text: Option<Text>,
}

impl Answered {
    /// Longest snippet, in characters.
    const SNIPPET: usize = 240;

    /// The part of the text that best answers a question; empty if there is no text.
    pub fn snippet(&self, question: &str) -> Snippet {
        let body = self.text.as_ref().map(|text| text.body.as_str());
        body.map_or_else(Snippet::default, |body| snippet(body, question, Self::SNIPPET))
    }
}

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
/// For background work of the program itself: no viewer is involved, and nothing
/// of this is ever shown to one.
#[async_trait]
pub trait Vectors {
    /// Documents of any world without a vector of `model`, at most `limit`.
    async fn without_vector(&self, model: &str, limit: usize) -> StoreResult<Vec<Unembedded>>;

    /// Keeps vectors of `model`. Those of documents that changed in the meantime are
    /// dropped. Returns how many were kept.
    async fn put_vectors(&self, model: &str, vectors: Vec<DocVector>) -> StoreResult<usize>;
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

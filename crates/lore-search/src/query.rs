//! Queries and their results.

use lore_core::{Kind, NodeId, TextKind, Timestamp};

use crate::document::{DocKey, Vector};

/// A search. `Query::default()` lists the newest documents.
#[derive(Debug, Clone, Default)]
pub struct Query {
    /// The words to look for. If empty, documents are listed by time, newest first.
    pub text: String,
    /// Conditions that every hit must meet.
    pub filter: Filter,
    /// What counts as one hit.
    pub unit: Unit,
    /// Texts of these kinds are separate hits, even where the unit is a node. For conversations, in
    /// which answers stand in many places.
    pub apart: Vec<TextKind>,
    /// Where the unit is a node, texts of these kinds are hits in addition to their node, if they
    /// score about as well as its best text. For steps of a project or posts of a page.
    pub beside: Vec<TextKind>,
    /// At most this many hits.
    pub limit: usize,
    /// Skip this many hits.
    pub offset: usize,
    /// Leave out hits with a lower score. Scores of questions are absolute: about 0 means
    /// unrelated, 1 means that every word of the question is matched. [`Parts::levelled`] depends on
    /// the other hits and is not counted.
    pub min_score: Option<f32>,
    /// Whether to fill the answer with the next best documents if fewer than `limit` have a reason
    /// to be found; if none has one, with a few whose meaning is nearest to the question.
    pub fill: bool,
    /// Whether to return every document that has a word or the name of the question, and no other.
    /// Otherwise unpromising documents may be skipped, and others found by their meaning. Complete,
    /// but slower.
    pub exhaustive: bool,
    /// When the question is asked, to resolve expressions such as "last week".
    pub asked_at: Option<Timestamp>,
    /// The query's vector, from the external model that made the documents' vectors.
    pub embedding: Option<Vector>,
}

impl Query {
    /// A search for `text` with at most `limit` hits.
    pub fn new(text: impl Into<String>, limit: usize) -> Self {
        Self { text: text.into(), limit, ..Self::default() }
    }
}

/// Conditions on a hit. Empty lists do not restrict; a list of alternatives needs one match.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Filter {
    /// Of one of these kinds of node.
    pub kinds: Vec<Kind>,
    /// Of none of these kinds of node.
    pub except_kinds: Vec<Kind>,
    /// One of these kinds of text. Heads of nodes have no kind of text.
    pub text_kinds: Vec<TextKind>,
    /// In one of these namespaces.
    pub namespaces: Vec<String>,
    /// Of a node of this subtype, ignoring case.
    pub subtype: Option<String>,
    /// With all of these tags, ignoring case and accents.
    pub tags: Vec<String>,
    /// From one of these sources.
    pub sources: Vec<String>,
    /// Of this session.
    pub session: Option<String>,
    /// Happened or, if unknown, stored at or after this time.
    pub since: Option<Timestamp>,
    /// Happened or, if unknown, stored at or before this time.
    pub until: Option<Timestamp>,
    /// Belongs to one of these nodes.
    pub nodes: Vec<NodeId>,
}

/// What counts as one hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unit {
    /// Each text separately. The name of its node adds to its score, but is not a hit itself.
    #[default]
    Text,
    /// Each node once: its head and all its texts together.
    Node,
}

/// The result of a [`Query`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ranked {
    /// The hits, best first, cut to the query's limit.
    pub hits: Vec<Hit>,
    /// How many hits there are before the cut. In large stores, unpromising documents are not
    /// looked at and so not counted, unless the query is exhaustive.
    pub total: usize,
}

/// One document that answers the query.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// Its key. With [`Unit::Node`], the text is the node's best one; `None` if the node was found
    /// by its head alone.
    pub key: DocKey,
    /// The score: the sum of the parts.
    pub score: f32,
    /// What the score is made of.
    pub parts: Parts,
    /// The strongest reason why it was found.
    pub match_kind: MatchKind,
    /// The share of the question's words, weighted by rarity, that the document itself contains.
    pub own_words: f32,
}

/// The parts of a score, already weighted: the score is their sum.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Parts {
    /// Words in common, including words of neighbours in the session and words of similar meaning:
    /// 0 to 2.
    pub lexical: f32,
    /// It contains the identifiers and rare names of the question.
    pub literal: f32,
    /// Its text is the question, word by word.
    pub verbatim: f32,
    /// Similarity of meaning, above the average of the store.
    pub vector: f32,
    /// It was said by somebody the question names.
    pub author: f32,
    /// It is near the date the question names.
    pub date: f32,
    /// It is a question itself (negative).
    pub question: f32,
    /// It says more than a usual message.
    pub information: f32,
    /// It mentions a time, when the question asks for one.
    pub when: f32,
    /// Its session as a whole matches the question.
    pub session: f32,
    /// Its node's name matches the question.
    pub name: f32,
    /// It has the words that the best answers share and is similar to them (positive), or similar
    /// to none of them (negative). Where the question asks for several things, it stands beside a
    /// better answer (negative).
    pub shared: f32,
    /// It stands alone among messages of logs: what the best of them get for who said them, and
    /// how.
    pub levelled: f32,
}

impl Parts {
    /// The total score.
    pub fn sum(&self) -> f32 {
        self.lexical
            + self.literal
            + self.verbatim
            + self.vector
            + self.author
            + self.date
            + self.question
            + self.information
            + self.when
            + self.session
            + self.name
            + self.shared
            + self.levelled
    }

    /// The reasons that only tell the messages of a log from each other: who said it, and how. The
    /// date is not among them, because other texts have dates as well.
    pub(crate) fn structure(&self) -> f32 {
        self.author + self.question + self.information + self.when + self.session
    }
}

/// The strongest reason why something was found, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MatchKind {
    /// The query is a name or alias of the node. These hits always come first.
    ExactName,
    /// A name or alias starts with the query.
    NamePrefix,
    /// A name or alias occurs in the query.
    NameMentioned,
    /// A name or alias is spelt similarly to the query.
    SimilarName,
    /// Words in common.
    Words,
    /// Its date is one that the query names; no words in common.
    Time,
    /// Similar meaning; no words in common.
    Meaning,
    /// No reason of its own: one of the next best, added because of [`Query::fill`].
    NextBest,
    /// Not ranked: the query had no text.
    Listed,
}

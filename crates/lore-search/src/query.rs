//! What can be asked, and what comes back.

use lore_core::{Kind, NodeId, TextKind, Timestamp};

use crate::document::{DocKey, Vector};

/// A search. `Query::default()` lists the newest documents.
#[derive(Debug, Clone, Default)]
pub struct Query {
    /// What is looked for, in any words. Empty: list by time, newest first.
    pub text: String,
    /// What a hit must be besides.
    pub filter: Filter,
    /// What counts as one hit.
    pub unit: Unit,
    /// Texts of these kinds are hits by themselves, also where the unit is a node: what was
    /// said in a conversation answers in many places.
    pub apart: Vec<TextKind>,
    /// Texts of these kinds are hits beside their node, where the unit is a node, if they answer
    /// about as well as the best of its texts: steps of a project, posts of a page.
    pub beside: Vec<TextKind>,
    /// At most this many hits.
    pub limit: usize,
    /// Leave out this many hits first.
    pub offset: usize,
    /// Leave out hits with a lower score. Scores of questions are absolute: about 0
    /// for no relation, 1 when every word of the question is answered.
    pub min_score: Option<f32>,
    /// When fewer than `limit` have a reason to be there, the next best fill the answer; when
    /// nothing has one, a few whose meaning is nearest to the question.
    pub fill: bool,
    /// Whether to find every document that has a word of the question or is called by it,
    /// however many there are, and no other; else those of little promise may be left out,
    /// and others found by their meaning. It tells all there is at the price of time.
    pub exhaustive: bool,
    /// When it is asked, so that "last week" means something.
    pub asked_at: Option<Timestamp>,
    /// The query's vector from the external model that made the documents' vectors.
    pub embedding: Option<Vector>,
}

impl Query {
    /// A search for `text` with at most `limit` hits.
    pub fn new(text: impl Into<String>, limit: usize) -> Self {
        Self { text: text.into(), limit, ..Self::default() }
    }
}

/// What a hit must be. Empty lists do not restrict; lists of alternatives hold when
/// one holds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Filter {
    /// Of one of these kinds of node.
    pub kinds: Vec<Kind>,
    /// Of none of these kinds of node.
    pub except_kinds: Vec<Kind>,
    /// One of these kinds of text. Heads of nodes are no text.
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
    /// Happened, or else was written, at or after this moment.
    pub since: Option<Timestamp>,
    /// Happened, or else was written, before or at this moment.
    pub until: Option<Timestamp>,
    /// One of these nodes.
    pub nodes: Vec<NodeId>,
}

/// What counts as one hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unit {
    /// Each text by itself. The name of its node helps it, but is no hit.
    #[default]
    Text,
    /// Each node once: its name, aliases and tags and all its texts together.
    Node,
}

/// The answer to a [`Query`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ranked {
    /// The hits, best first, cut to the query's limit.
    pub hits: Vec<Hit>,
    /// How many hits there are before the cut. In large stores documents of little
    /// promise are never looked at and not counted, unless everything is asked for.
    pub total: usize,
}

/// One document that answers.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// Which. With [`Unit::Node`], the text is the node's best one; none when the
    /// node was found by its name alone.
    pub key: DocKey,
    /// How well it answers: the sum of the parts.
    pub score: f32,
    /// Why.
    pub parts: Parts,
    /// The strongest reason.
    pub match_kind: MatchKind,
    /// The share of the question's words that stand in the document itself, the rarer the more.
    pub own_words: f32,
}

/// What a score is made of, already weighted: the score is their sum.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Parts {
    /// Words in common, also nearby in the session, also words of like meaning: 0 to 2.
    pub lexical: f32,
    /// Holds itself the identifiers and rare names that the question names.
    pub literal: f32,
    /// Is what was asked, word by word.
    pub verbatim: f32,
    /// Likeness of meaning, above the average of the store.
    pub vector: f32,
    /// Said by somebody the question names.
    pub author: f32,
    /// Near the date the question names.
    pub date: f32,
    /// Is itself a question: minus.
    pub question: f32,
    /// Says much.
    pub information: f32,
    /// Tells a time when the question asks for one.
    pub when: f32,
    /// Is part of a session that answers.
    pub session: f32,
    /// Its node's name is asked for.
    pub name: f32,
    /// Has the words that the best answers share, and is like others of them: more; is
    /// like none: less. Where several things are asked for, stands beside a better answer: less.
    pub shared: f32,
}

impl Parts {
    /// The score.
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
    }
}

/// The strongest reason why something was found, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MatchKind {
    /// The query is a name or alias of the node. These hits come first.
    ExactName,
    /// A name or alias starts with the query.
    NamePrefix,
    /// A name or alias stands in the query.
    NameMentioned,
    /// A name or alias is spelt much like the query.
    SimilarName,
    /// Words in common.
    Words,
    /// Of the time that the query names, without words in common.
    Time,
    /// Like in meaning, without words in common.
    Meaning,
    /// No reason of its own: the next best, where [`Query::fill`] asks for it.
    NextBest,
    /// Not ranked: the query had no text.
    Listed,
}

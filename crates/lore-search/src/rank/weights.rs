//! How much each reason counts. The score is `lexical`, which is absolute, plus these.
//!
//! Found on conversations that are not part of this project and rounded; the
//! evaluation in `tests/eval/retrieval` is not used to tune them.

/// Likeness of meaning above the average.
pub(super) const VECTOR: f32 = 0.70;
/// Said by somebody the question names. Questions that name the wrong one are common.
pub(super) const AUTHOR: f32 = 0.12;
/// The same where several things are asked for: words tell less of their answers.
pub(super) const AUTHOR_OF_SEVERAL: f32 = 0.15;
/// Said by the side of a talk with a machine that the question means. Those are not confused.
pub(super) const SIDE: f32 = 0.30;
/// Happened when the question says.
pub(super) const DATE: f32 = 0.40;
/// How much of that counts for what shares nothing else with the question.
pub(super) const DAY_ALONE: f32 = 0.25;
/// Is itself a question.
pub(super) const QUESTION: f32 = -0.15;
/// Says much, compared with a usual turn of a conversation,
pub(super) const INFORMATION: f32 = 0.50;
/// which says so much.
pub(super) const USUAL: f32 = 0.65;
/// What says more than this is long: it is about more than one thing.
pub(super) const MUCH: f32 = 0.90;
/// From how much of the words of a question on a turn answers it.
pub(super) const ANSWERS: f32 = 0.12;
/// Tells a time when a time is asked for.
pub(super) const WHEN: f32 = 0.20;
/// Belongs to a session that answers as a whole.
pub(super) const SESSION: f32 = 0.12;

/// The query is a name of the node.
pub(super) const NAME: f32 = 1.0;
/// A name of the node begins with the query.
pub(super) const NAME_BEGINNING: f32 = 0.5;
/// A name of the node stands in the query.
pub(super) const NAME_MENTIONED: f32 = 0.2;
/// A name of the node is spelt like the query, times how much.
pub(super) const NAME_LIKE: f32 = 0.4;

/// The query is the text itself.
pub(super) const VERBATIM: f32 = 1.0;

/// Holds the identifiers that the question names, such as `INC1089`.
pub(super) const IDENTIFIER: f32 = 1.0;
/// Holds the rare words of the question that the vocabulary lacks, such as names.
pub(super) const UNKNOWN_WORD: f32 = 0.15;

/// Has the words that the best answers share.
pub(super) const SHARED: f32 = 0.20;

/// Stands beside a better answer where several are asked for, minus, times how much its words
/// count there.
pub(super) const BESIDE: f32 = 0.12;

/// BM25's saturation and length normalisation.
pub(super) const K1: f32 = 1.2;
pub(super) const B: f32 = 0.75;

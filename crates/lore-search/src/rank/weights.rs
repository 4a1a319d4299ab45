//! The weights of the parts of a score. The score is `lexical`, which is absolute, plus these.
//!
//! Tuned on conversations that are not part of this project, and rounded. The evaluation in
//! `tests/eval/retrieval` is not used for tuning.

/// Similarity of meaning above the average.
pub(super) const VECTOR: f32 = 0.70;
/// Said by somebody the question names. Kept low, because questions often name the wrong person.
pub(super) const AUTHOR: f32 = 0.12;
/// The same where several things are asked for, because there words say less about the answers.
pub(super) const AUTHOR_OF_SEVERAL: f32 = 0.15;
/// Said by the side of a chat with a chatbot that the question means. Questions rarely confuse
/// them.
pub(super) const SIDE: f32 = 0.30;
/// Happened at the time the question names.
pub(super) const DATE: f32 = 0.40;
/// The part of it that counts for documents that share nothing else with the question.
pub(super) const DAY_ALONE: f32 = 0.25;
/// Is a question itself; multiplied by how short it is.
pub(super) const QUESTION: f32 = -0.15;
/// The weight of information above [`USUAL`].
pub(super) const INFORMATION: f32 = 0.50;
/// The information of a usual message of a conversation, 0 to 1.
pub(super) const USUAL: f32 = 0.65;
/// The information above which more does not count: such texts are long and have several topics.
pub(super) const MUCH: f32 = 0.90;
/// The lexical score from which on a message counts as an answer.
pub(super) const ANSWERS: f32 = 0.12;
/// Mentions a time when the question asks for one.
pub(super) const WHEN: f32 = 0.20;
/// Belongs to a session that matches the question as a whole.
pub(super) const SESSION: f32 = 0.12;

/// The query is a name of the node.
pub(super) const NAME: f32 = 1.0;
/// A name of the node begins with the query.
pub(super) const NAME_BEGINNING: f32 = 0.5;
/// A name of the node occurs in the query.
pub(super) const NAME_MENTIONED: f32 = 0.2;
/// A name of the node is spelt similarly to the query; multiplied by the similarity.
pub(super) const NAME_LIKE: f32 = 0.4;

/// The text is the query, word by word.
pub(super) const VERBATIM: f32 = 1.0;

/// Contains the identifiers in the question, such as `INC1089`.
pub(super) const IDENTIFIER: f32 = 1.0;
/// Contains the rare words of the question that are not in the vocabulary, such as names.
pub(super) const UNKNOWN_WORD: f32 = 0.15;

/// Has the words that the best answers share.
pub(super) const SHARED: f32 = 0.20;

/// Stands beside a better answer where several are asked for (subtracted); multiplied by how much
/// that answer's words count for it.
pub(super) const BESIDE: f32 = 0.12;

/// Saturation and length normalisation of BM25.
pub(super) const K1: f32 = 1.2;
pub(super) const B: f32 = 0.75;

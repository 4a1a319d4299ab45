//! Finding entities and relations in a text.
//!
//! - `built_in` finds them without a language model, in sentences of a few plain forms. `sentences`
//!   splits the text, `proper_names` finds the names in a sentence, `forms` the relations between
//!   them, and `lexicon` has the word lists. `paragraphs` tests all of it.
//! - `model` asks a language model, and checks what it answers.

pub(super) mod built_in;
mod forms;
mod lexicon;
pub(super) mod model;
#[cfg(test)]
mod paragraphs;
mod proper_names;
mod sentences;

use super::entities::EntityType;
use super::relations::NewRelation;

/// Most entities, and most relations, that are returned.
const FOUND_MAX: usize = 100;
/// Longest summary, in characters.
const SUMMARY_MAX: usize = 500;

/// What was found in a text.
#[derive(Debug, Clone, Default)]
pub struct Extracted {
    /// A summary. The built-in extractor takes the page's description or its first longer line.
    pub summary: String,
    /// The topics. The built-in extractor takes the headings.
    pub topics: Vec<String>,
    /// Entities, known ones first.
    pub entities: Vec<ExtractedEntity>,
    /// Relations between them.
    pub relations: Vec<NewRelation>,
    /// The name of the extractor or model that read it.
    pub read_by: String,
    /// What was proposed but cannot be used, each with the reason.
    pub left_out: Vec<String>,
}

/// An entity that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct ExtractedEntity {
    /// Its name.
    pub name: String,
    /// Its type.
    pub entity_type: EntityType,
    /// Confidence, from 0 to 1.
    pub confidence: f64,
    /// What the text says about it.
    pub description: String,
    /// The sentence it occurs in.
    pub context: String,
}

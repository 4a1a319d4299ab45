//! Settings for comparing names of a type: whether words may differ, and how much must match.

use std::sync::Arc;

/// Kinds of names that are compared in the same way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Family {
    /// People: short, with initials, nicknames and respellings.
    Person,
    /// Organisations and places: every word counts.
    Organization,
    /// Projects, products, concepts: wording varies, codes and numbers do not.
    Thing,
    /// Long, descriptive names: papers, claims, questions, meetings.
    Title,
}

impl Family {
    /// Whether a text looks like a name of the family, judging by its words: it has a known given
    /// name, a digit, or many words.
    pub fn is_likely(self, text: &str) -> bool {
        let words = crate::pieces::key(text);
        let mut words = words.split(' ');
        match self {
            Self::Person => words.any(crate::given_names::is_given_name),
            Self::Thing => text.bytes().any(|byte| byte.is_ascii_digit()),
            Self::Title => words.count() > 5,
            Self::Organization => true,
        }
    }
}

/// The settings of a type. Tests and the vault's ontology notes may change them.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    /// The kind of names that the type has.
    pub family: Family,
    /// How much differing words count against a match, relative to their evidence.
    pub conflict: f64,
    /// The nats that a match needs in addition to those for the size of the store.
    pub caution: f64,
    /// The least share of the evidence that must match, from 0 to 1.
    pub least_likeness: f64,
    /// Whether names that sound alike may be the same.
    pub phonetic: bool,
    /// Words that are not compared by their sound, in the form of [`crate::key`].
    pub mute: Option<Arc<[String]>>,
    /// The confidence from which on a match is made without asking.
    pub link_at: f64,
    /// How similar in meaning two names must be for one to be offered for the other, from 0 to 1.
    pub meaning_at: f64,
    /// How many things of the context a candidate must be related to before the context counts.
    pub least_company: u32,
    /// How often a certain match of this type is right, from experience.
    pub reliability: f64,
}

impl Profile {
    /// The profile of a type by its name, ignoring case. Unknown types are treated like
    /// organisations, which are the most cautious.
    pub fn of(type_name: &str) -> Self {
        Self::of_family(match type_name.trim().to_lowercase().as_str() {
            "person" | "people" | "character" => Family::Person,
            "project" | "concept" | "practice" | "pattern" | "product" | "item" => Family::Thing,
            "casestudy" | "claim" | "question" | "meeting" | "evidence" | "protocol"
            | "playbook" | "title" | "paper" => Family::Title,
            _ => Family::Organization,
        })
    }

    /// The profile of a whole family of types.
    pub const fn of_family(family: Family) -> Self {
        let (conflict, caution, least_likeness, reliability) = match family {
            Family::Person => (1.0, 0.0, 0.0, 0.98),
            Family::Organization => (1.0, 1.0, 0.8, 0.90),
            Family::Thing => (0.6, 0.0, 0.35, 0.95),
            Family::Title => (1.0, 0.0, 0.6, 0.95),
        };
        Self {
            family,
            conflict,
            caution,
            least_likeness,
            phonetic: matches!(family, Family::Person),
            mute: None,
            link_at: 0.8,
            meaning_at: match family {
                Family::Thing | Family::Title => 0.6,
                // The words of names of people and organisations have no relevant meaning.
                Family::Person | Family::Organization => 1.0,
            },
            least_company: 1,
            reliability,
        }
    }

    /// Whether a word is compared by its sound.
    pub(crate) fn hears(&self, word: &str) -> bool {
        self.phonetic && !self.mute.iter().any(|mute| mute.iter().any(|one| one == word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_known_in_any_case() {
        assert_eq!(Profile::of("PERSON"), Profile::of("Person"));
        assert_eq!(Profile::of("CaseStudy").family, Family::Title);
        assert_eq!(Profile::of("no such type").family, Family::Organization);
    }
}

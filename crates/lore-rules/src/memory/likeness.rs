//! Whether two statements say the same, or the opposite.
//!
//! Compares words, not meaning, and is meant for pointing out: a person or a model decides.
//! Nothing may be merged or refused because of what this says.

use std::collections::BTreeSet;

/// How two statements are to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Relation {
    /// They say the same in nearly the same words.
    Duplicate,
    /// They speak of the same, but one denies what the other says or gives other numbers.
    Contradiction,
    /// They speak of the same.
    Similar,
}

impl Relation {
    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Duplicate => "duplicate",
            Self::Contradiction => "contradiction",
            Self::Similar => "similar",
        }
    }
}

/// From here on two statements are said to be the same.
const SAME: f64 = 0.9;
/// From here on a denial or another number is taken for a contradiction.
const SAME_SUBJECT: f64 = 0.55;
/// From here on two statements are worth pointing out at all.
const ALIKE: f64 = 0.4;

/// Compares two statements; `None` when they have too little in common to be pointed out. The
/// number is the share of words they have in common, 0 to 1.
pub fn compare(one: &str, other: &str) -> Option<(Relation, f64)> {
    let (one, other) = (Statement::of(one), Statement::of(other));
    let similarity = one.similarity(&other);
    if similarity >= SAME_SUBJECT && one.disagrees_with(&other) {
        return Some((Relation::Contradiction, similarity));
    }
    if similarity >= SAME {
        return Some((Relation::Duplicate, similarity));
    }
    (similarity >= ALIKE).then_some((Relation::Similar, similarity))
}

/// What a statement is about, without what turns it around.
struct Statement {
    words: BTreeSet<String>,
    numbers: BTreeSet<String>,
    denials: usize,
}

impl Statement {
    fn of(text: &str) -> Self {
        let mut statement = Self { words: BTreeSet::new(), numbers: BTreeSet::new(), denials: 0 };
        let text = text.to_lowercase().replace(['\u{2019}', '`'], "'");
        for word in text.split(|c: char| !c.is_alphanumeric() && c != '\'') {
            statement.take(word.trim_matches('\''));
        }
        statement
    }

    fn take(&mut self, word: &str) {
        if word.is_empty() || FILLERS.contains(&word) {
            return;
        }
        if let Some((_, positive)) = OPPOSITES.iter().find(|(opposite, _)| *opposite == word) {
            self.denials += 1;
            return self.take(positive);
        }
        if DENIALS.contains(&word) || word.ends_with("n't") {
            self.denials += 1;
            return;
        }
        if word.chars().all(|c| c.is_numeric()) {
            self.numbers.insert(word.to_owned());
        }
        self.words.insert(stem(word));
    }

    /// Twice the common words over all words.
    fn similarity(&self, other: &Self) -> f64 {
        let all = self.words.len() + other.words.len();
        if all == 0 {
            return 0.0;
        }
        let common = self.words.intersection(&other.words).count();
        2.0 * common as f64 / all as f64
    }

    fn disagrees_with(&self, other: &Self) -> bool {
        let denied = self.denials % 2 != other.denials % 2;
        let counted = !self.numbers.is_empty() && !other.numbers.is_empty();
        denied || (counted && self.numbers != other.numbers)
    }
}

/// Without the endings that make no other word of one: enough for counting common words.
fn stem(word: &str) -> String {
    let singular = without_ending(word, &["es", "s"]);
    without_ending(singular, &["ing", "ed"]).to_owned()
}

fn without_ending<'a>(word: &'a str, endings: &[&str]) -> &'a str {
    let roots = endings.iter().filter_map(|ending| word.strip_suffix(ending));
    roots.into_iter().find(|root| root.chars().count() > 3).unwrap_or(word)
}

const DENIALS: [&str; 12] = [
    "not", "no", "never", "none", "neither", "nor", "without", "cannot", "nicht", "kein", "keine",
    "nie",
];

/// Words that deny another one, and that one; `on` is a filler.
const OPPOSITES: [(&str, &str); 6] = [
    ("off", "on"),
    ("disabled", "enabled"),
    ("disable", "enable"),
    ("inactive", "active"),
    ("unsafe", "safe"),
    ("false", "true"),
];

const FILLERS: [&str; 34] = [
    "a", "an", "the", "is", "are", "was", "were", "be", "been", "of", "to", "in", "on", "at",
    "for", "and", "or", "with", "by", "it", "its", "this", "that", "as", "we", "i", "you", "do",
    "does", "did", "has", "have", "had", "any",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn relation(one: &str, other: &str) -> Option<Relation> {
        compare(one, other).map(|(relation, _)| relation)
    }

    #[test]
    fn a_switch_the_other_way_is_a_contradiction() {
        for (one, other) in [
            ("The beacon on the pier is on", "The beacon on the pier is off"),
            ("Nightly backups are enabled here", "Nightly backups are disabled here"),
        ] {
            assert_eq!(relation(one, other), Some(Relation::Contradiction), "{other}");
        }
        let same = "Nightly backups are disabled here";
        assert_eq!(relation(same, same), Some(Relation::Duplicate));
    }

    #[test]
    fn the_same_in_other_endings_is_a_duplicate() {
        let said = "Restart the worker after changing its settings";
        assert_eq!(
            relation(said, "restart the workers after changing the setting."),
            Some(Relation::Duplicate)
        );
        assert_eq!(relation(said, said), Some(Relation::Duplicate));
    }

    #[test]
    fn a_denial_and_another_number_contradict() {
        let pairs = [
            ("The bridge at Orm is safe to cross", "The bridge at Orm is not safe to cross"),
            ("The pool holds 10 connections", "The pool holds 25 connections"),
            ("Retries don't help with timeouts", "Retries help with timeouts"),
        ];
        for (one, other) in pairs {
            assert_eq!(relation(one, other), Some(Relation::Contradiction), "{one} / {other}");
        }
    }

    #[test]
    fn different_subjects_are_not_pointed_out() {
        assert_eq!(relation("Dragons hoard gold", "Use WAL mode for SQLite"), None);
        assert_eq!(relation("", ""), None);
        assert_eq!(relation("the of and", "the of and"), None);
    }
}

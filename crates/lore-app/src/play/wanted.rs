//! The words that are searched for in the events of a session.

use std::collections::HashSet;

use lore_text::analysis;

/// The words of a query, stemmed.
pub(crate) struct Wanted(Vec<String>);

/// How many words of a query an event has: those it has itself, then those it has in a form that
/// looks alike. Languages without a stemmer have many forms of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Closeness {
    equal: usize,
    alike: usize,
}

impl Wanted {
    /// Splits a query into words, without those that every question has.
    pub(crate) fn of(query: &str) -> Self {
        let stems = analysis::stem_list(query);
        if stems.is_empty() {
            // The query consists of stop words only, so these are used.
            return Self(folded(query));
        }
        Self(stems)
    }

    /// Whether there are any words to look for.
    pub(crate) fn is_anything(&self) -> bool {
        !self.0.is_empty()
    }

    /// Compares the words with those of a text.
    pub(crate) fn closeness(&self, text: &str) -> Closeness {
        let mut held: HashSet<String> = analysis::stem_list(text).into_iter().collect();
        held.extend(folded(text));
        let has_alike = |word: &&String| held.iter().any(|other| are_alike(word, other));
        Closeness {
            equal: self.0.iter().filter(|word| held.contains(*word)).count(),
            alike: self.0.iter().filter(has_alike).count(),
        }
    }

    /// Whether a text has all words, in any form.
    pub(crate) fn is_whole(&self, closeness: Closeness) -> bool {
        closeness.alike == self.0.len()
    }
}

impl Closeness {
    /// Whether an event with it answers, if this is the best that any event has. Having words
    /// itself counts more than having them in other forms.
    pub(crate) fn is_as_good_as(self, best: Self) -> bool {
        if best.equal > 0 { self.equal == best.equal } else { self.alike == best.alike }
    }

    /// Whether it has any of the words in any form.
    pub(crate) fn is_anything(self) -> bool {
        self.alike > 0
    }
}

fn folded(text: &str) -> Vec<String> {
    analysis::name_words(text).split_whitespace().map(str::to_owned).collect()
}

/// The least number of letters that two forms of a word share; fewer in scripts whose characters
/// say more than a Latin letter.
const LEAST_SHARED: usize = 3;
const LEAST_SHARED_ELSEWHERE: usize = 2;
/// At most this many letters are added to what forms of a word share.
const LONGEST_ENDING: usize = 6;

/// Whether two words may be forms of one: most of the shorter begins the longer, or all of it ends
/// the longer.
fn are_alike(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    let shared = short.chars().zip(long.chars()).take_while(|(a, b)| a == b).count();
    let (shorter, longer) = (short.chars().count(), long.chars().count());
    let least = if short.is_ascii() { LEAST_SHARED } else { LEAST_SHARED_ELSEWHERE };
    let begins = shared >= least
        && shared * 3 >= shorter * 2
        && longer.saturating_sub(shared) <= LONGEST_ENDING;
    let ends = shorter > least
        && long.ends_with(short)
        && longer.saturating_sub(shorter) <= LONGEST_ENDING;
    one == other || begins || ends
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_are_alike() {
        for (one, other) in [
            ("고래", "고래를"),
            ("piwnica", "piwnicy"),
            ("haz", "hazban"),
            ("kirja", "kirjoineen"),
            ("بيت", "البيت"),
            ("cheval", "chevaux"),
        ] {
            assert!(are_alike(one, other) && are_alike(other, one), "{one} {other}");
        }
        for (one, other) in [("axe", "dragon"), ("of", "offer"), ("brucken", "lucke")] {
            assert!(!are_alike(one, other) && !are_alike(other, one), "{one} {other}");
        }
    }

    #[test]
    fn a_question_is_answered_by_what_has_most_of_its_words() {
        let wanted = Wanted::of("What happened to the axe?");
        let axe = wanted.closeness("Thorin leapt the gorge and lost his axe.");
        let rope = wanted.closeness("The rope held.");
        assert!(axe.is_anything() && !wanted.is_whole(axe) && !rope.is_anything());
        assert!(axe.is_as_good_as(axe) && !rope.is_as_good_as(axe));
        let axes = Wanted::of("lost axes");
        assert!(axes.is_whole(axes.closeness("Thorin lost his axe.")));
    }
}

//! Which authors a question names.
//!
//! People are called by short forms of their names, and names are often misspelt. But "the" is no
//! short form of *Theo*, and "even" no *Evan*: an ordinary word must be written as a name.

use lore_text::analysis::{Word, is_stop_word, name_words, stem_list, words};
use lore_text::table;
use lore_text::time::is_date_word;
use rustc_hash::FxHashSet;

use crate::role::Role;
use crate::view::{AuthorId, View};

/// The authors that a question names, and those of the side that it means; empty if that is
/// everybody.
pub(super) fn named_authors(
    question: &str,
    meant: Option<Role>,
    view: &View,
) -> FxHashSet<AuthorId> {
    let words = said(question);
    let authors = &view.authors;
    let is_called =
        |first: &str| words.iter().any(|word| word.is(first) || word.is_short_for(first));
    let named = |(id, author): &(AuthorId, &str)| {
        let is_meant = authors.role(*id).is_some_and(|role| Some(role) == meant);
        is_meant || !Role::is_label(author) && is_called(first_name(author))
    };
    let sounds = |(id, author): &(AuthorId, &str)| {
        authors.role(*id).is_none() && words.iter().any(|word| word.sounds_like(first_name(author)))
    };
    let mut found: FxHashSet<AuthorId> = authors.live().filter(named).map(|(id, _)| id).collect();
    if found.is_empty() {
        found = authors.live().filter(sounds).map(|(id, _)| id).collect();
    }
    if found.len() == authors.live().count() { FxHashSet::default() } else { found }
}

/// Longer queries are texts, not questions about somebody.
const MOST_WORDS: usize = 200;

/// Whether a word, in the form in which names are compared, is what somebody is called who said
/// something.
pub(super) fn is_first_name(word: &str, view: &View) -> bool {
    view.authors.live().any(|(_, author)| !Role::is_label(author) && first_name(author) == word)
}

fn first_name(author: &str) -> &str {
    author.split(' ').next().unwrap_or_default()
}

/// A word of a question.
struct Said {
    /// In the form in which names are compared.
    folded: String,
    written: Written,
    is_stop_word: bool,
    /// Whether it may be another form of a name.
    may_be_form: bool,
}

/// What capital letters say of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Written {
    /// It is a name.
    AsName,
    /// It is none, because the question has capitals elsewhere.
    AsWord,
    /// Nothing: it begins a sentence, or the question is in small or capital letters throughout.
    Either,
}

fn said(question: &str) -> Vec<Said> {
    let words: Vec<Word<'_>> = words(question).take(MOST_WORDS).collect();
    let is_written = words.iter().any(|word| is_capitalised(word.surface));
    let mut end = None;
    let word = |word: &Word<'_>| {
        let before = end.replace(word.end()).and_then(|end| question.get(end..word.start));
        let begins = before.is_none_or(|before| before.contains(['.', '!', '?', ':', '\n', '"']));
        let written = match is_capitalised(word.surface) {
            true if !begins => Written::AsName,
            false if is_written => Written::AsWord,
            _ => Written::Either,
        };
        Said::new(word.surface, written)
    };
    words.iter().map(word).collect()
}

/// Whether a word begins with a capital and has small letters as well.
fn is_capitalised(word: &str) -> bool {
    word.starts_with(char::is_uppercase) && word.contains(char::is_lowercase)
}

impl Said {
    fn new(surface: &str, written: Written) -> Self {
        let is_stop_word = is_stop_word(&surface.to_lowercase());
        let is_known = || stem_list(surface).iter().any(|stem| table::is_word(stem));
        let may_be_form = !is_stop_word
            && !is_date_word(surface)
            && match written {
                Written::AsName => true,
                Written::AsWord => false,
                Written::Either => !is_known(),
            };
        Self { folded: name_words(surface), written, is_stop_word, may_be_form }
    }

    fn is(&self, first: &str) -> bool {
        let may_be_name = !self.is_stop_word || self.written == Written::AsName;
        may_be_name && self.folded == first && first.chars().count() >= 2
    }

    fn is_short_for(&self, first: &str) -> bool {
        let (asked, full) = (self.folded.chars().count(), first.chars().count());
        self.may_be_form
            && asked >= 3
            && full - asked.min(full) <= 3
            && first.starts_with(&self.folded)
    }

    fn sounds_like(&self, first: &str) -> bool {
        let (asked, full) = (self.folded.chars().count(), first.chars().count());
        self.may_be_form
            && asked.abs_diff(full) <= 2
            && sound(&self.folded).is_some_and(|heard| Some(heard) == sound(first))
    }
}

/// A rough phonetic key of a name: its first letter, its consonants without repetitions, and where
/// its vowels stand, whichever they are. `None` if it is too short to distinguish names.
fn sound(name: &str) -> Option<String> {
    const LEAST: usize = 3;
    const VOWEL: char = '*';
    let mut sound = String::new();
    for letter in name.chars() {
        let letter = match letter {
            'c' | 'q' => 'k',
            'z' => 's',
            'y' => 'i',
            other => other,
        };
        let is_vowel = matches!(letter, 'a' | 'e' | 'i' | 'o' | 'u') && !sound.is_empty();
        let letter = if is_vowel { VOWEL } else { letter };
        if !sound.ends_with(letter) {
            sound.push(letter);
        }
    }
    (sound.chars().filter(|letter| *letter != VOWEL).count() >= LEAST).then_some(sound)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Which of these first names a question has, as short forms or spelt otherwise.
    fn heard<'a>(question: &str, firsts: &[&'a str]) -> Vec<&'a str> {
        let words = said(question);
        let is_heard = |first: &&&str| {
            words
                .iter()
                .any(|word| word.is(first) || word.is_short_for(first) || word.sounds_like(first))
        };
        firsts.iter().filter(is_heard).copied().collect()
    }

    #[test]
    fn short_forms_mean_their_author() {
        let (melanie, caroline) = (["melanie"], ["caroline"]);
        assert_eq!(heard("What did Melani say?", &melanie), melanie);
        assert_eq!(heard("What did Caroline say?", &caroline), caroline);
        assert_eq!(heard("caroline adoption", &caroline), caroline);
        assert_eq!(heard("where did dmit go", &["dmitri"]), ["dmitri"]);
        assert_eq!(heard("What did McKena say?", &["mckenna"]), ["mckenna"]);
        assert!(heard("What did Me say?", &melanie).is_empty());
        assert!(heard("Carolines", &caroline).is_empty());
        assert!(heard("Where is Car?", &caroline).is_empty());
    }

    #[test]
    fn ordinary_words_are_no_forms_of_names() {
        let firsts = ["theo", "andrew", "herman", "willow", "carl", "maya", "augustus", "sami"];
        for question in [
            "Where did the others and her husband park the car?",
            "where did the others and her husband park the car",
            "Will the car be ready in May or in August?",
            "Car insurance and the same day",
            "WHERE DID THE OTHERS AND HER HUSBAND PARK THE CAR?",
            "Wo ist das Auto, und wer war mit der Samstagsgruppe da?",
        ] {
            assert!(heard(question, &firsts).is_empty(), "{question}");
        }
        assert_eq!(heard("What did Will and Theo say?", &["will", "theo"]), ["will", "theo"]);
        assert!(heard("Where will the boat be?", &["will"]).is_empty());
    }

    #[test]
    fn ordinary_words_are_no_names_spelt_otherwise() {
        let firsts = ["simon", "clara", "lauren", "caleb", "evan", "kurt"];
        for question in [
            "Did someone learn the color of the club, even once?",
            "did someone learn the color of the club even once",
            "Even so, who learned of the club?",
            "Wo liegt die Karte?",
        ] {
            assert!(heard(question, &firsts).is_empty(), "{question}");
        }
    }

    #[test]
    fn names_sound_alike_however_they_are_spelt() {
        assert_eq!(heard("Where is Muhammad?", &["mohamed"]), ["mohamed"]);
        assert_eq!(heard("where is akib", &["aqib"]), ["aqib"]);
        assert_ne!(sound("marie"), sound("martha"));
        assert_eq!(sound("emi"), None);
    }
}

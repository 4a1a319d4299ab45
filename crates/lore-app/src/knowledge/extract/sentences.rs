//! Splits a text into sentences, and removes titles before names.
//!
//! A full stop ends a sentence unless it belongs to the word before it: a title, an initial, a
//! legal form. A title shows that a name is that of a person, and is not part of the name.

use super::lexicon::{
    BEFORE_TITLES, GENERATIONS, LEGAL_FORMS, SAINTS, SHORT, TITLES, is_kind_of_thing, is_opener,
};

/// Longest sentence, in bytes. Longer ones are skipped, because they take long to read.
const SENTENCE_MAX: usize = 3_000;
/// Most words of a name.
const NAME_WORDS_MAX: usize = 10;

/// Returns the sentences of a text, without its headings.
pub(super) fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with('#'));
    let sentences = lines.flat_map(cut).map(str::trim);
    sentences.filter(|sentence| (1..=SENTENCE_MAX).contains(&sentence.len()))
}

fn cut(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut begin = 0;
    for (at, sign) in line.char_indices().filter(|(_, sign)| ".!?".contains(*sign)) {
        let (Some(before), Some(after)) = (line.get(begin..at), line.get(at + 1..)) else {
            continue;
        };
        let rest = after.trim_start_matches(CLOSING);
        if ends(before, sign, after.len() > rest.len(), rest) {
            let end = line.len() - rest.len();
            found.extend(line.get(begin..end));
            begin = end;
        }
    }
    found.extend(line.get(begin..));
    found
}

/// Characters that close a quotation or a parenthesis.
const CLOSING: [char; 7] = ['"', '\'', '”', '’', ')', '»', ']'];

/// Whether a punctuation mark ends the sentence, when `rest` follows it.
fn ends(before: &str, sign: char, is_quoted: bool, rest: &str) -> bool {
    let next = rest.trim_start();
    if next.is_empty() {
        return true;
    }
    if next.len() == rest.len() {
        return false;
    }
    let goes_on = next.starts_with(|c: char| c.is_lowercase() || c.is_numeric());
    if sign != '.' {
        return !(goes_on && is_quoted);
    }
    if goes_on {
        return false;
    }
    let begins_anew = is_opener(plain(next.split_whitespace().next().unwrap_or_default()));
    match stop(before.split_whitespace().next_back().unwrap_or_default()) {
        Stop::Ends => true,
        Stop::MayEnd => begins_anew,
        Stop::GoesOn => false,
    }
}

/// Whether a full stop after a word ends the sentence.
enum Stop {
    Ends,
    MayEnd,
    GoesOn,
}

fn stop(word: &str) -> Stop {
    let word = word.trim_start_matches(|c: char| !c.is_alphanumeric());
    let is_initials = word.split('.').all(|part| part.chars().count() == 1)
        && word.starts_with(char::is_uppercase);
    match word {
        _ if TITLES.has(word) || SHORT.has(word) => Stop::GoesOn,
        _ if GENERATIONS.has(word) => Stop::MayEnd,
        _ if is_initials && word.contains('.') => Stop::MayEnd,
        _ if is_initials => Stop::GoesOn,
        _ => Stop::Ends,
    }
}

/// Whether the full stop after a word is part of the word.
pub(super) fn is_dotted(word: &str) -> bool {
    let Some(plain) = word.strip_suffix('.') else { return false };
    let plain = plain.trim_start_matches(|c: char| !c.is_alphanumeric());
    let is_initial = plain.split('.').all(|part| part.chars().count() == 1);
    is_initial && plain.starts_with(char::is_uppercase)
        || SAINTS.has(plain)
        || GENERATIONS.has(plain)
        || LEGAL_FORMS.has(plain)
}

/// A sentence without the titles before names, and the people who had a title.
pub(super) struct Untitled {
    pub(super) sentence: String,
    pub(super) people: Vec<String>,
}

/// Removes the titles from a sentence, except those that are part of a `known` name.
pub(super) fn untitled(sentence: &str, known: &[&str]) -> Untitled {
    let words = words(sentence);
    let mut out = String::with_capacity(sentence.len());
    let mut people = Vec::new();
    let mut done = 0;
    for (place, (at, word)) in words.iter().enumerate() {
        let rest = sentence.get(*at..).unwrap_or_default();
        let is_part = known.iter().any(|name| rest.starts_with(name) && name.len() > word.len());
        let Some(after) = words.get(place + 1..).filter(|_| is_titled(&words, place) && !is_part)
        else {
            continue;
        };
        let Some((first, _)) = after.first() else { continue };
        people.extend(person(sentence, after));
        out.push_str(sentence.get(done..*at).unwrap_or_default());
        // A name directly in front of the title is a separate one.
        let last = place.checked_sub(1).and_then(|last| words.get(last)).map(|(_, word)| *word);
        if last.is_some_and(|last| is_name(last) && !is_opener(last) && !is_title(last)) {
            out.truncate(out.trim_end().len());
            out.push_str(", ");
        }
        done = *first;
    }
    out.push_str(sentence.get(done..).unwrap_or_default());
    Untitled { sentence: out, people }
}

/// Returns the words of a text with their byte offsets.
fn words(text: &str) -> Vec<(usize, &str)> {
    let mut at = 0;
    let mut begin = |word: &str| {
        at += text.get(at..).and_then(|rest| rest.find(word)).unwrap_or_default();
        at += word.len();
        at - word.len()
    };
    text.split_whitespace().map(|word| (begin(word), word)).collect()
}

/// Whether a word is a title in front of a name of several words.
fn is_titled(words: &[(usize, &str)], place: usize) -> bool {
    let Some((_, word)) = words.get(place) else { return false };
    let after = words.get(place + 1..).unwrap_or_default();
    let next = after.first().map(|(_, next)| *next).unwrap_or_default();
    let is_first = BEFORE_TITLES.has(word) && is_title(next);
    if !is_first && !is_title(word) || word.ends_with([',', ';', ':', ')', '!', '?']) {
        return false;
    }
    let named: Vec<&str> = named(after).into_iter().map(|(_, word)| *word).collect();
    let of_it = named.iter().filter(|word| !is_title(word)).count();
    of_it > 1 && !named.last().is_some_and(|last| is_kind_of_thing(plain(last)))
}

/// Returns the leading words that form a name.
fn named<'a, 'b>(words: &'b [(usize, &'a str)]) -> Vec<&'b (usize, &'a str)> {
    let mut found: Vec<&(usize, &str)> = Vec::new();
    for (place, one) in words.iter().enumerate().take(NAME_WORDS_MAX) {
        let next = words.get(place + 1).map(|(_, next)| *next).unwrap_or_default();
        let is_joint = PARTICLES.contains(&one.1) && is_capital(next);
        if !is_capital(one.1) && !is_joint {
            break;
        }
        found.push(one);
        let is_last = one.1.ends_with([',', ';', ':', ')', '!', '?', '"', '”']) || is_owner(one.1);
        if is_last || one.1.ends_with('.') && !is_dotted(one.1) && !is_title(one.1) {
            break;
        }
    }
    found
}

/// Lower-case words inside the names of people.
pub(super) const PARTICLES: [&str; 9] =
    ["de", "da", "del", "la", "von", "van", "der", "den", "bin"];

/// Returns the name of a person that these words begin with, as written in the sentence.
fn person(sentence: &str, after: &[(usize, &str)]) -> Option<String> {
    let words = named(after);
    let own: Vec<_> = words.iter().skip_while(|(_, word)| is_title(word)).collect();
    let ((first, _), (last, word)) = (own.first()?, own.last()?);
    let text = sentence.get(*first..last + word.len())?;
    Some(without_marks(text).to_owned())
}

/// Removes surrounding punctuation and a possessive ending from a word or name.
pub(super) fn without_marks(text: &str) -> &str {
    let text = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let text = match is_dotted(text.rsplit(' ').next().unwrap_or(text)) {
        true => text,
        false => text.trim_end_matches(|c: char| !c.is_alphanumeric()),
    };
    text.strip_suffix("'s").or_else(|| text.strip_suffix("’s")).unwrap_or(text)
}

/// Whether a word is a possessive.
pub(super) fn is_owner(word: &str) -> bool {
    word.ends_with("'s") || word.ends_with("’s")
}

fn is_capital(word: &str) -> bool {
    plain(word).starts_with(char::is_uppercase)
}

/// Whether a word is part of a name that continues after it.
fn is_name(word: &str) -> bool {
    is_capital(word) && (word.ends_with(char::is_alphanumeric) || is_dotted(word))
}

/// Whether a word is a title, with or without a full stop.
pub(super) fn is_title(word: &str) -> bool {
    TITLES.has(plain(word))
}

pub(super) fn plain(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

//! Text analysis: from a text to the stems it is found by.
//!
//! A word is a run of letters and digits of any script, or an emoji. Diacritics and case are folded
//! away, English words are reduced to their stems, and stop words are dropped. Documents and
//! queries pass through the same function, so a change here makes stored analyses stale: see
//! `lore_search::Analysis`.

mod fold;
mod irregular;
mod language;
mod stop;

use std::cell::Cell;

use rust_stemmers::{Algorithm, Stemmer};
use rustc_hash::FxHashMap;

pub use fold::{composed, fold};
pub use language::Language;

/// One word of a text, with its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word<'a> {
    /// The word as written.
    pub surface: &'a str,
    /// Where it starts in the text, in bytes.
    pub start: usize,
}

impl Word<'_> {
    /// Where it ends in the text, in bytes.
    pub fn end(&self) -> usize {
        self.start + self.surface.len()
    }
}

/// The words of a text, in order. In scripts written without spaces, and for emoji, each character
/// is a word.
pub fn words(text: &str) -> Words<'_> {
    Words { text, at: 0 }
}

/// Calls `each` for every word except stop words, with its stem, in order.
///
/// Two adjacent characters of a script without spaces are reported as a pair as well, because
/// single characters say little in those scripts. So are those within a Korean word, because
/// particles are written onto it.
pub fn stems<'a>(text: &'a str, mut each: impl FnMut(Word<'a>, &str)) {
    let mut buffer = String::new();
    let mut previous: Option<Word<'a>> = None;
    // Taken rather than borrowed, because `each` may call this function itself.
    let mut memory = STEMS.take().unwrap_or_default();
    for word in words(text) {
        let single = is_unspaced_word(word.surface);
        if let Some(pair) = previous.filter(|last| single && last.end() == word.start)
            && let Some(surface) = text.get(pair.start..word.end())
        {
            each(Word { surface, start: pair.start }, surface);
        }
        previous = single.then_some(word);
        if is_contracted(text, word.end()) {
            continue;
        }
        if let Some(stem) = memory.stem(word.surface, &mut buffer) {
            each(word, stem);
            if !stem.is_ascii() {
                korean_pairs(stem, |pair| each(word, pair));
            }
        }
    }
    STEMS.set(Some(memory));
}

/// Calls `each` for every two adjacent characters of a Korean word, unless they are all of it.
fn korean_pairs(stem: &str, mut each: impl FnMut(&str)) {
    let is_syllable = |c: &char| matches!(u32::from(*c), 0xAC00..=0xD7A3);
    let syllables = |text: &str| text.chars().filter(is_syllable).count() == 2;
    let starts = || stem.char_indices().map(|(at, _)| at).chain([stem.len()]);
    let pairs = starts().zip(starts().skip(2)).filter_map(|(start, end)| stem.get(start..end));
    pairs.filter(|pair| pair.len() < stem.len() && syllables(pair)).for_each(&mut each);
}

/// Calls `each` for every identifier that consists of several words, folded: `10.0.1.2`,
/// `OPS-12-34`, `parse_url_v2`, `main.rs`. Its parts alone do not distinguish it from another
/// identifier with the same parts.
pub fn identifiers<'a>(text: &'a str, mut each: impl FnMut(Word<'a>, &str)) {
    let mut folded = String::new();
    let mut words = words(text).peekable();
    while let Some(first) = words.next() {
        let mut end = first.end();
        while let Some(next) = words.next_if(|next| is_joint(text, end, next.start)) {
            end = next.end();
        }
        let Some(surface) = text.get(first.start..end).filter(|_| end > first.end()) else {
            continue;
        };
        // Words joined only by hyphens are prose.
        if surface.contains(|c: char| c.is_ascii_digit() || matches!(c, '.' | '_')) {
            folded.clear();
            fold(surface, &mut folded);
            cut(&mut folded, Memory::LONGEST);
            each(Word { surface, start: first.start }, &folded);
        }
    }
}

/// Whether a folded word or identifier is the name of one particular thing: `inc1089`, `r1u2`,
/// `10.0.1.2`, `48213`. Amounts, dates and ordinals are not: `5pm`, `2nd`, `2023`.
pub fn is_identifier(term: &str) -> bool {
    /// Numbers with this many digits are identifiers rather than counts.
    const LONG: usize = 5;
    let digits = term.bytes().filter(u8::is_ascii_digit).count();
    if term.contains(JOINTS) {
        return digits > 0 || term.contains('_');
    }
    let unit = term.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_amount = term.len() - unit.len() == digits && unit.chars().count() <= 2;
    digits >= LONG || digits > 0 && !is_amount
}

/// The characters that join the words of an identifier.
const JOINTS: [char; 3] = ['.', '-', '_'];

/// Whether there is exactly one joining character between two words.
fn is_joint(text: &str, end: usize, start: usize) -> bool {
    start == end + 1 && text.get(end..start).is_some_and(|between| between.contains(JOINTS))
}

/// The stems of a text, in order, including repetitions.
pub fn stem_list(text: &str) -> Vec<String> {
    let mut list = Vec::new();
    stems(text, |_, stem| list.push(stem.to_owned()));
    list
}

/// The folded words of a text, joined by single spaces: the form in which names are compared. Emoji
/// are dropped, unless the name consists of nothing else.
pub fn name_words(text: &str) -> String {
    let plain = joined(words(text).filter(|word| !word.surface.starts_with(is_emoji)));
    if plain.is_empty() { joined(words(text)) } else { plain }
}

fn joined<'a>(words: impl Iterator<Item = Word<'a>>) -> String {
    let mut joined = String::new();
    for word in words {
        if !joined.is_empty() {
            joined.push(' ');
        }
        fold(word.surface, &mut joined);
    }
    joined
}

/// Whether the word is a stop word such as "the" or "which".
pub fn is_stop_word(surface: &str) -> bool {
    let mut folded = String::new();
    fold(surface, &mut folded);
    stop::is_stop(surface, &folded)
}

/// Iterator over the words of a text; see [`words`].
#[derive(Debug, Clone)]
pub struct Words<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Iterator for Words<'a> {
    type Item = Word<'a>;

    fn next(&mut self) -> Option<Word<'a>> {
        let rest = self.text.get(self.at..)?;
        let start = self.at + rest.find(starts_word)?;
        let run = self.text.get(start..)?;
        let mut letters = run.char_indices();
        let (_, first) = letters.next()?;
        let length = if is_unspaced(first) {
            first.len_utf8()
        } else {
            letters.find(|&(_, c)| !continues_word(c)).map_or(run.len(), |(at, _)| at)
        };
        self.at = start + length;
        Some(Word { surface: run.get(..length)?, start })
    }
}

fn starts_word(c: char) -> bool {
    c.is_alphanumeric() || is_emoji(c)
}

fn continues_word(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric();
    }
    (c.is_alphanumeric() && !is_unspaced(c)) || fold::is_mark(c)
}

/// Whether the word that ends here is the first half of a contraction: "don't", "won't", "isn't".
fn is_contracted(text: &str, end: usize) -> bool {
    let rest = text.get(end..).unwrap_or_default();
    let Some(rest) = rest.strip_prefix(['\'', '’']).and_then(|rest| rest.strip_prefix(['t', 'T']))
    else {
        return false;
    };
    !rest.starts_with(char::is_alphanumeric)
}

fn is_unspaced_word(surface: &str) -> bool {
    surface.chars().next().is_some_and(is_unspaced)
}

/// Pictographs, dingbats and regional indicators. Skin tones are excluded, because they only modify
/// the emoji before them.
fn is_emoji(c: char) -> bool {
    matches!(u32::from(c),
        0x2600..=0x27BF | 0x2B00..=0x2BFF
        | 0x1F000..=0x1F3FA | 0x1F400..=0x1FAFF)
}

/// Scripts without spaces between words: Han, Kana, Thai, Lao, Khmer, Myanmar; and emoji.
fn is_unspaced(c: char) -> bool {
    is_emoji(c)
        || matches!(u32::from(c),
        0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF
        | 0x3040..=0x30FF | 0x31F0..=0x31FF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF
        | 0xF900..=0xFAFF | 0xFF66..=0xFF9F | 0x20000..=0x3FFFF)
}

thread_local! {
    /// A cache, because texts repeat their words and stemming costs ten times as much as a lookup.
    static STEMS: Cell<Option<Memory>> = const { Cell::new(None) };
}

/// A stemmer with a cache.
struct Memory {
    stemmer: Stemmer,
    known: FxHashMap<Box<str>, Box<str>>,
}

impl Default for Memory {
    fn default() -> Self {
        Self { stemmer: Stemmer::create(Algorithm::English), known: FxHashMap::default() }
    }
}

impl Memory {
    /// The most cached words: enough for the everyday words of a language. Then the cache is
    /// cleared.
    const MOST: usize = 20_000;
    /// Longer words are cut to this many bytes, so that they can still be found.
    const LONGEST: usize = 64;

    /// The stem of a word; `None` for stop words.
    fn stem<'b>(&'b mut self, surface: &str, buffer: &'b mut String) -> Option<&'b str> {
        buffer.clear();
        fold(surface, buffer);
        if buffer.is_empty() || stop::is_stop(surface, buffer) {
            return None;
        }
        cut(buffer, Self::LONGEST);
        if !buffer.bytes().all(|byte| byte.is_ascii_lowercase()) {
            return Some(buffer);
        }
        if !self.known.contains_key(buffer.as_str()) {
            if self.known.len() >= Self::MOST {
                self.known.clear();
            }
            let base = irregular::base(buffer).unwrap_or(buffer);
            let stem = self.stemmer.stem(base).into_owned().into_boxed_str();
            self.known.insert(buffer.as_str().into(), stem);
        }
        self.known.get(buffer.as_str()).map(AsRef::as_ref)
    }
}

/// Shortens to at most `most` bytes, at a character boundary.
fn cut(text: &mut String, most: usize) {
    if text.len() > most {
        let end = (0..=most).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
        text.truncate(end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        assert_eq!(stem_list(text), expected, "{text}");
    }

    #[test]
    fn inflected_and_irregular_forms_meet() {
        check("She went swimming with the children", &["go", "swim", "child"]);
        check("going, goes, gone", &["go", "go", "go"]);
    }

    #[test]
    fn diacritics_and_ligatures_fold() {
        check("Éowyn Łódź straße Ångström", &["eowyn", "lodz", "strass", "angstrom"]);
    }

    #[test]
    fn every_script_is_findable() {
        check("Привет мир", &["привет", "мир"]);
        check("龍の城", &["龍", "龍の", "の", "の城", "城"]);
        check("한국어 שלום नमस्ते", &["한국어", "한국", "국어", "שלום", "नमस्ते"]);
    }

    #[test]
    fn korean_words_meet_whatever_is_written_onto_them() {
        check("서울", &["서울"]);
        check("서울에서 k팝", &["서울에서", "서울", "울에", "에서", "k팝"]);
        let parted: String = unicode_normalization::UnicodeNormalization::nfd("서울은").collect();
        check(&parted, &["서울은", "서울", "울은"]);
    }

    #[test]
    fn words_of_other_languages_are_no_english_stop_words() {
        check("mẹ ăn số", &["me", "an", "so"]);
        check("iş só", &["is", "so"]);
        check("me an so is", &[]);
    }

    #[test]
    fn emoji_are_words_and_adorn_names() {
        check("a dragon 🐉!", &["dragon", "🐉"]);
        check("👍🏽👍", &["👍", "👍"]);
        check("🇩🇪", &["🇩", "🇩🇪", "🇪"]);
        assert_eq!(name_words("🐉 Dragon ✨"), "dragon");
        assert_eq!(name_words("🐉"), "🐉");
    }

    #[test]
    fn names_that_look_like_stop_words_stay() {
        check("Will met May", &["will", "meet", "may"]);
        check("it will rain, it may not", &["rain"]);
        check("Don won; we don't and won’t", &["don", "win"]);
    }

    #[test]
    fn a_hundred_kilobytes_without_blanks_are_one_short_stem() {
        let stems = stem_list(&"x".repeat(100_000));
        assert_eq!(stems.len(), 1);
        assert!(stems[0].len() <= Memory::LONGEST);
    }

    #[test]
    fn identifiers_of_several_words_are_whole_terms() {
        let found = |text: &str| {
            let mut list = Vec::new();
            identifiers(text, |_, term| list.push(term.to_owned()));
            list
        };
        assert_eq!(found("See 10.0.1.2:80, OPS-12-34."), ["10.0.1.2", "ops-12-34"]);
        assert_eq!(found("parse_url_v2 (main.rs)"), ["parse_url_v2", "main.rs"]);
        assert!(found("A well-known mill. The end - of it...").is_empty());
    }

    #[test]
    fn identifiers_are_told_from_amounts_and_words() {
        for term in ["inc1089", "r1u2", "10.0.1.2", "ops-12-34", "parse_url", "48213", "v2"] {
            assert!(is_identifier(term), "{term}");
        }
        for term in ["mill", "2023", "5pm", "2nd", "90s", "main.rs", "10k", "7"] {
            assert!(!is_identifier(term), "{term}");
        }
    }

    #[test]
    fn names_compare_by_their_folded_words() {
        assert_eq!(name_words("  Aelysh—VÁNE, the 2nd"), "aelysh vane the 2nd");
    }

    #[test]
    fn words_know_where_they_stand() {
        let text = "Ein Öl-Fass!";
        let found: Vec<_> = words(text).map(|word| (word.start, word.surface)).collect();
        assert_eq!(found, [(0, "Ein"), (4, "Öl"), (8, "Fass")]);
    }
}

//! Splitting a text into word pieces, as the embedding table was trained.
//!
//! The rules are those of BERT: control characters are dropped, CJK characters stand alone, accents
//! and case are folded, and punctuation is split off. Then each word is cut greedily into the
//! longest pieces of the vocabulary. A word with unknown characters has no pieces. Special tokens
//! in a text are ordinary text.

use std::sync::LazyLock;

use rustc_hash::{FxBuildHasher, FxHashMap};
use unicode_normalization::char::decompose_canonical;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

/// A word piece: a row of the embedding table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Piece(pub u16);

/// Calls `each` for every folded word of the text with its pieces; there are none if the word has
/// characters that the table does not know.
pub fn pieces(text: &str, mut each: impl FnMut(&str, &[Piece])) {
    let mut cutter = Cutter { word: String::new(), found: Vec::new(), each: &mut each };
    for c in text.chars() {
        if c.is_ascii() {
            cutter.take(c);
        } else if is_cjk(c) {
            cutter.end_word();
            cutter.word.push(c);
            cutter.end_word();
        } else if !is_dropped(c) {
            decompose_canonical(c, |part| {
                if part.general_category() != GeneralCategory::NonspacingMark {
                    cutter.take(part);
                }
            });
        }
    }
    cutter.end_word();
}

/// The pieces of one word.
pub fn pieces_of_word(word: &str) -> Vec<Piece> {
    let mut all = Vec::new();
    pieces(word, |_, found| all.extend_from_slice(found));
    all
}

/// The frequency rank of a folded word: 1 for "the", higher for rarer words, `None` for words that
/// are not in the vocabulary as a whole.
pub fn rank(word: &str) -> Option<u32> {
    let piece = VOCABULARY.beginnings.get(word)?;
    Some(u32::from(piece.0.checked_sub(FIRST_WORD)?) + 1)
}

/// The pieces that are whole words, most common first.
pub fn whole_words() -> impl Iterator<Item = (&'static str, Piece)> {
    let is_word = |token: &str| token.bytes().all(|byte| byte.is_ascii_lowercase());
    tokens().filter(move |(token, piece)| piece.0 >= FIRST_WORD && is_word(token))
}

/// Tokens before this one are special or single characters; from here on they are ordered by
/// frequency.
const FIRST_WORD: u16 = 999;

fn tokens() -> impl Iterator<Item = (&'static str, Piece)> {
    include_str!("../model/vocabulary.txt").lines().zip((0..).map(Piece))
}

/// The model ignores longer words.
const LONGEST_WORD: usize = 100;

struct Cutter<'a, F: FnMut(&str, &[Piece])> {
    word: String,
    found: Vec<Piece>,
    each: &'a mut F,
}

impl<F: FnMut(&str, &[Piece])> Cutter<'_, F> {
    fn take(&mut self, c: char) {
        if c.is_whitespace() {
            self.end_word();
        } else if is_punctuation(c) {
            self.end_word();
            self.word.push(c);
            self.end_word();
        } else if c.is_ascii() {
            if !c.is_ascii_control() {
                self.word.push(c.to_ascii_lowercase());
            }
        } else {
            self.word.extend(c.to_lowercase());
        }
    }

    fn end_word(&mut self) {
        if self.word.is_empty() {
            return;
        }
        self.found.clear();
        if !VOCABULARY.cut(&self.word, &mut self.found) {
            self.found.clear();
        }
        (self.each)(&self.word, &self.found);
        self.word.clear();
    }
}

fn is_punctuation(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_punctuation();
    }
    c.general_category_group() == GeneralCategoryGroup::Punctuation
}

fn is_dropped(c: char) -> bool {
    use GeneralCategory::{Control, Format, PrivateUse};
    c == '\u{FFFD}' || matches!(c.general_category(), Control | Format | PrivateUse)
}

fn is_cjk(c: char) -> bool {
    matches!(u32::from(c),
        0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0x20000..=0x2A6DF
        | 0x2A700..=0x2CEAF | 0x2F800..=0x2FA1F)
}

/// The vocabulary of the table, parsed on first use.
struct Vocabulary {
    /// Pieces that begin a word.
    beginnings: FxHashMap<&'static str, Piece>,
    /// Pieces that continue a word, without their `##`.
    continuations: FxHashMap<&'static str, Piece>,
    longest: usize,
}

static VOCABULARY: LazyLock<Vocabulary> = LazyLock::new(Vocabulary::read);

impl Vocabulary {
    fn read() -> Self {
        let mut all = Self {
            beginnings: FxHashMap::with_capacity_and_hasher(25_000, FxBuildHasher),
            continuations: FxHashMap::with_capacity_and_hasher(7_000, FxBuildHasher),
            longest: 0,
        };
        // The first two tokens are padding and "unknown", not text.
        for (token, piece) in tokens().skip(2) {
            match token.strip_prefix("##").filter(|rest| !rest.is_empty()) {
                Some(rest) => all.continuations.insert(rest, piece),
                None => all.beginnings.insert(token, piece),
            };
            all.longest = all.longest.max(token.len());
        }
        all
    }

    /// Cuts a word greedily; returns false if a part of it matches no piece.
    fn cut(&self, word: &str, found: &mut Vec<Piece>) -> bool {
        if word.len() > LONGEST_WORD && word.chars().count() > LONGEST_WORD {
            return false;
        }
        let mut rest = word;
        while !rest.is_empty() {
            let pieces = if found.is_empty() { &self.beginnings } else { &self.continuations };
            let Some((piece, length)) = self.longest_piece(pieces, rest) else { return false };
            found.push(piece);
            rest = rest.get(length..).unwrap_or_default();
        }
        true
    }

    fn longest_piece(
        &self,
        pieces: &FxHashMap<&'static str, Piece>,
        rest: &str,
    ) -> Option<(Piece, usize)> {
        (1..=rest.len().min(self.longest)).rev().find_map(|length| {
            let beginning = rest.get(..length)?;
            pieces.get(beginning).map(|piece| (*piece, length))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<String> {
        let names: Vec<_> = tokens().map(|(token, _)| token).collect();
        let mut all = Vec::new();
        pieces(text, |word, found| {
            let found: Vec<_> = found.iter().map(|piece| names[usize::from(piece.0)]).collect();
            all.push(if found.is_empty() { format!("?{word}") } else { found.join(" ") });
        });
        all
    }

    #[test]
    fn words_are_cut_into_the_longest_pieces() {
        assert_eq!(cut("Unaffordable lighthouses"), ["una ##ff ##ord ##able", "lighthouse ##s"]);
    }

    #[test]
    fn accents_case_and_punctuation_fold_and_split() {
        assert_eq!(cut("Café—don't!"), ["cafe", "—", "don", "'", "t", "!"]);
        assert_eq!(cut("a\u{0}b \u{FFFD}c\u{200B}d"), ["ab", "cd"]);
    }

    #[test]
    fn chinese_characters_stand_alone_and_unknown_ones_have_no_pieces() {
        assert_eq!(cut("中国x"), ["中", "国", "x"]);
        assert_eq!(cut("🐉"), ["?🐉"]);
        assert_eq!(cut(&"y".repeat(101)), [format!("?{}", "y".repeat(101))]);
    }

    #[test]
    fn common_words_rank_before_rare_ones() {
        assert_eq!(rank("the"), Some(1));
        assert!(rank("river") < rank("lighthouse"));
        assert_eq!(rank("xqzvw"), None);
        assert_eq!(rank("a"), None, "single characters have no order");
    }

    #[test]
    fn special_tokens_are_ordinary_text() {
        assert_eq!(cut("[UNK]"), ["[", "un ##k", "]"]);
    }
}

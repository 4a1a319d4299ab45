//! Folding: removes case, diacritics and ligatures, so that they do not matter in comparisons.
//!
//! Text is never romanised: a word keeps its script, and vowel signs that distinguish words in
//! their script are kept.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::{canonical_combining_class, is_combining_mark};

/// Appends the folded form of `text` to `folded`.
pub fn fold(text: &str, folded: &mut String) {
    if text.is_ascii() {
        folded.extend(text.bytes().map(|byte| char::from(byte.to_ascii_lowercase())));
        return;
    }
    let bare = text.nfkd().filter(|&c| !is_diacritic(c));
    for c in bare.nfc().flat_map(char::to_lowercase) {
        match plain(c) {
            Some(letters) => folded.push_str(letters),
            None => folded.push(c),
        }
    }
}

/// Returns a text with accents composed with their letters, as most programs write them. Texts that
/// look the same because they differ only in that become equal.
pub fn composed(text: &str) -> String {
    text.nfc().collect()
}

/// Whether the character is a combining mark.
pub(super) fn is_mark(c: char) -> bool {
    is_combining_mark(c)
}

/// Accents and similar marks that a writer may leave out. Combining marks of other classes (vowel
/// signs, virama, voicing marks) act as letters and are kept.
fn is_diacritic(c: char) -> bool {
    matches!(canonical_combining_class(c), 10..=35 | 200..)
}

/// The usual plain spelling of letters that have no Unicode decomposition.
fn plain(c: char) -> Option<&'static str> {
    Some(match c {
        'ß' => "ss",
        'æ' => "ae",
        'œ' => "oe",
        'ø' => "o",
        'ł' => "l",
        'đ' | 'ð' => "d",
        'þ' => "th",
        'ħ' => "h",
        'ı' => "i",
        'ŋ' => "n",
        'ŧ' => "t",
        'ſ' => "s",
        'ς' => "σ",
        _ => return None,
    })
}

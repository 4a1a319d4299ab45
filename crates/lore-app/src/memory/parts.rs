//! Long texts, kept as parts that search finds one by one, and put together again.

use lore_core::Text;

use super::kinds::{CONTENT, DESCRIPTION};
use super::pen::TEXT_MAX;

/// Longest part, in characters: about as much as a reader takes in at once. In a longer text
/// the words that answer are few among many.
const PART_LETTERS: usize = 2_000;

/// A text in parts. Each ends where a paragraph, a line or a word does, where that is possible,
/// and together they are the text.
pub(super) fn parts(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some((end, _)) = rest.char_indices().nth(PART_LETTERS) {
        let (part, after) = rest.split_at(cut(rest.get(..end).unwrap_or(rest)));
        parts.push(part);
        rest = after;
    }
    parts.push(rest);
    parts.retain(|part| !part.is_empty());
    parts
}

/// Where to end a part within as much as there is room for, in its second half.
fn cut(room: &str) -> usize {
    let half = room.len() / 2;
    let after = |mark: &str| room.rfind(mark).map(|at| at + mark.len()).filter(|at| *at > half);
    let word = || room.char_indices().rfind(|(at, c)| *at >= half && c.is_whitespace());
    let word = || word().map(|(at, blank)| at + blank.len_utf8());
    after("\n\n")
        .or_else(|| after("\n"))
        .or_else(|| after(". "))
        .or_else(word)
        .unwrap_or(room.len())
}

/// Whether a text says what its node is.
pub(super) fn is_main(text: &Text) -> bool {
    matches!(text.kind.as_str(), DESCRIPTION | CONTENT)
}

/// Whether a text may be a part of a longer one.
pub(super) fn may_be_part(text: &Text) -> bool {
    text.body.chars().count() * 4 >= PART_LETTERS
}

/// Adds what another text says. A part ends with a blank, or is as long as a part can be;
/// everything else is a text by itself.
pub(super) fn join(whole: &mut String, last: &str, next: &str) {
    let is_part = last.ends_with(char::is_whitespace) || last.chars().count() == PART_LETTERS;
    if whole.len() + next.len() > TEXT_MAX * 4 {
        return;
    }
    if !is_part {
        whole.push_str("\n\n");
    }
    whole.push_str(next);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) {
        let parts = parts(text);
        assert!(parts.iter().all(|part| part.chars().count() <= PART_LETTERS));
        assert_eq!(parts.concat(), text);
        let mut whole = parts.first().copied().unwrap_or_default().to_owned();
        for pair in parts.windows(2) {
            join(&mut whole, pair[0], pair[1]);
        }
        assert_eq!(whole, text);
    }

    #[test]
    fn parts_are_short_and_together_the_text() {
        check("");
        check("short");
        check(&"a paragraph of some words.\n\n".repeat(500));
        check(&"just words without any line ".repeat(500));
        check(&"字".repeat(7_001));
        check(&format!("{} {}", "x".repeat(1_500), "y".repeat(900)));
    }

    #[test]
    fn what_is_no_part_stands_by_itself() {
        let mut whole = "Likes coffee".to_owned();
        join(&mut whole, "Likes coffee", "Has a cat");
        assert_eq!(whole, "Likes coffee\n\nHas a cat");
    }
}

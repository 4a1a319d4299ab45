//! Splits long texts into parts that search can find separately, and joins them again.

use lore_core::Text;

use super::cleaning::TEXT_MAX;
use super::kinds::{CONTENT, DESCRIPTION};

/// The maximum length of a part in characters: about what a reader takes in at once. In a longer
/// text, the words that answer a question are few among many.
const PART_LETTERS: usize = 2_000;

/// Splits a text into parts. Each ends after a paragraph, line, sentence or word if possible;
/// joined, the parts are the text again.
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

/// Returns the byte offset at which to cut `room`: after the last paragraph, line, sentence or word
/// in its second half, else at its end.
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

/// Whether a text is the main text of its node.
pub(super) fn is_main(text: &Text) -> bool {
    matches!(text.kind.as_str(), DESCRIPTION | CONTENT)
}

/// Whether a text is long enough to be the first part of a longer one.
pub(super) fn may_be_part(text: &Text) -> bool {
    text.body.chars().count() * 4 >= PART_LETTERS
}

/// Whether a body is continued by the next one: it ends with whitespace or has the maximum length.
fn goes_on(body: &str) -> bool {
    body.ends_with(char::is_whitespace) || body.chars().count() == PART_LETTERS
}

/// Returns the text of which `part` is a part, given the texts of its node in order.
pub(super) fn whole(texts: &[Text], part: &Text) -> String {
    let (mut whole, mut is_reached, mut continues) = (String::new(), false, false);
    for text in texts.iter().filter(|text| text.node == part.node && text.kind == part.kind) {
        if !continues && is_reached {
            break;
        }
        if !continues {
            whole.clear();
        }
        whole.push_str(&text.body);
        is_reached |= text.id == part.id;
        continues = goes_on(&text.body);
    }
    if is_reached { whole } else { part.body.clone() }
}

/// Appends `next` to a text whose last part is `last`. A part is continued directly; after anything
/// else, `next` starts a new paragraph. Does nothing if the result would become too long.
pub(super) fn join(whole: &mut String, last: &str, next: &str) {
    let is_part = goes_on(last);
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

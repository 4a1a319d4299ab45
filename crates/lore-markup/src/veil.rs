//! Mentions of what a reader does not see: what is shown in their place, and how a text that comes
//! back from such a reader gets them again.
//!
//! A label is what its author wants to be read, so it stays, without the number; where there is
//! none, a sign stands for it. Neither depends on what the mention leads to: whoever could tell
//! hidden from absent, or a true name from a wrong one, could find out by writing mentions.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use crate::literal;
use crate::mention::{self, Dialect, Mention, Piece, Target};

/// What stands in a text for what is not told.
pub const UNTOLD: &str = "…";

/// How far the words around a mention are compared, in bytes.
const AROUND: usize = 64;
/// How much of them must be the same, if there is so much.
const ENOUGH: usize = 4;
/// Most mentions that are looked for in a text, and most places that are looked at for each.
const LOOKED_AT: usize = 500;

/// The numbers of entities that a text mentions.
pub fn numbers(markdown: &str) -> BTreeSet<i64> {
    let found = mention::find(markdown).into_iter();
    found.filter_map(|found| entity(&found)).collect()
}

/// A text with mentions as words, apart from those of entities that are seen.
pub fn veiled(markdown: &str, sees: impl Fn(i64) -> bool) -> String {
    mention::replaced(markdown, |found| {
        entity(found).filter(|number| !sees(*number)).map(|_| words(found))
    })
}

/// What somebody writes in the place of a text of which they saw only the veiled form: where it
/// says what they saw in the place of a mention, amid the same words, the mention stays.
pub fn unveiled(whole: &str, seen: &str, sent: &str) -> String {
    if sent == seen {
        return whole.to_owned();
    }
    let mut out = String::with_capacity(sent.len());
    let mut done = 0;
    for (at, written) in hidden(whole, seen).into_iter().take(LOOKED_AT) {
        if let Some(place) = place(seen, &at, sent, done) {
            out.push_str(sent.get(done..place.start).unwrap_or_default());
            out.push_str(&written);
            done = place.end;
        }
    }
    out.push_str(sent.get(done..).unwrap_or_default());
    out
}

fn entity(found: &Mention<'_>) -> Option<i64> {
    match found.target {
        Target::Entity(number) => Some(number),
        Target::Other | Target::New => None,
    }
}

fn words(found: &Mention<'_>) -> String {
    found.label().map_or_else(|| UNTOLD.to_owned(), literal)
}

/// Where the veiled form of a text has words in the place of mentions, and how those are written.
fn hidden(whole: &str, seen: &str) -> Vec<(Range<usize>, String)> {
    let mut found = Vec::new();
    let mut at = 0;
    for piece in mention::pieces(whole, Dialect::Markdown) {
        let (written, words) = match &piece {
            Piece::Text(text) => (Cow::Borrowed(*text), None),
            Piece::Mention(mention) => (mention::as_written(mention), Some(words(mention))),
        };
        let rest = seen.get(at..).unwrap_or_default();
        if rest.starts_with(written.as_ref()) {
            at += written.len();
            continue;
        }
        match words.filter(|words| rest.starts_with(words.as_str())) {
            Some(words) => {
                found.push((at..at + words.len(), written.into_owned()));
                at += words.len();
            }
            // They are not the same text: nothing is known of what comes after.
            None => break,
        }
    }
    found
}

/// Where a text that was sent has what stands somewhere in the text that was seen: of several
/// places the one amid the most words that are the same.
fn place(seen: &str, at: &Range<usize>, sent: &str, from: usize) -> Option<Range<usize>> {
    let (before, after) = (seen.get(..at.start)?, seen.get(at.end..)?);
    let shown = seen.get(at.clone())?;
    let enough = ENOUGH.min(before.len() + after.len());
    let places = sent.get(from..)?.match_indices(shown).take(LOOKED_AT);
    let places = places.map(|(start, _)| from + start..from + start + shown.len());
    let likeness = |place: &Range<usize>| {
        let (left, right) = (sent.get(..place.start), sent.get(place.end..));
        same_end(before, left.unwrap_or_default()) + same_start(after, right.unwrap_or_default())
    };
    let mut best: Option<(usize, Range<usize>)> = None;
    for place in places {
        let likeness = likeness(&place);
        if likeness >= enough && best.as_ref().is_none_or(|(most, _)| likeness > *most) {
            best = Some((likeness, place));
        }
    }
    best.map(|(_, place)| place)
}

/// How long two texts are the same from their beginnings on.
fn same_start(one: &str, other: &str) -> usize {
    one.bytes().zip(other.bytes()).take(AROUND).take_while(|(a, b)| a == b).count()
}

/// How long two texts are the same up to their ends.
fn same_end(one: &str, other: &str) -> usize {
    let (one, other) = (one.bytes().rev(), other.bytes().rev());
    one.zip(other).take(AROUND).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: &str =
        "See [entity:7|the *Mill*], [entity:8] and [entity:9|Bob].\n\nThen … [entity:7].";

    fn seen(text: &str) -> String {
        veiled(text, |number| number == 9)
    }

    #[test]
    fn what_is_not_seen_is_told_in_words_without_its_number() {
        assert_eq!(seen(WHOLE), "See the \\*Mill\\*, … and [entity:9|Bob].\n\nThen … ….");
        assert_eq!(seen("[post:3] [icon:fa-skull] 7"), "[post:3] [icon:fa-skull] 7");
        assert_eq!(numbers(WHOLE).into_iter().collect::<Vec<_>>(), [7, 8, 9]);
    }

    #[test]
    fn a_text_that_comes_back_has_its_mentions_again() {
        let shown = seen(WHOLE);
        assert_eq!(unveiled(WHOLE, &shown, &shown), WHOLE);
        for (sent, wanted) in [
            (format!("{shown} More."), format!("{WHOLE} More.")),
            (format!("Now. {shown}"), format!("Now. {WHOLE}")),
            (shown.replace(" and ", " or "), WHOLE.replace(" and ", " or ")),
            ("All … new".to_owned(), "All … new".to_owned()),
            (String::new(), String::new()),
        ] {
            assert_eq!(unveiled(WHOLE, &shown, &sent), wanted, "{sent}");
        }
        let gone = shown.replace(", … and", " and");
        assert_eq!(unveiled(WHOLE, &shown, &gone), WHOLE.replace(", [entity:8] and", " and"));
    }

    #[test]
    fn a_text_that_was_nothing_but_a_mention_stays_one() {
        assert_eq!(unveiled("[entity:7]", UNTOLD, "…"), "[entity:7]");
        assert_eq!(unveiled("[entity:7]", UNTOLD, "Something else"), "Something else");
        let table = r"| a | [entity:7\|x] |";
        assert_eq!(unveiled(table, "| a | x |", "| b | x |"), r"| b | [entity:7\|x] |");
    }
}

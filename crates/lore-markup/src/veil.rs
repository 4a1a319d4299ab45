//! The veil: replaces mentions of entities that a reader does not see, and restores them in a text
//! that such a reader sends back.
//!
//! A label is written to be read, so it stays, without the number; a mention without a label
//! becomes a placeholder. Neither depends on what the mention leads to. If it did, anybody could
//! tell hidden entities from missing ones, or correct names from wrong ones, by writing mentions.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use crate::literal;
use crate::mention::{self, Dialect, Mention, Piece, Target};

/// The placeholder for a hidden mention without a label.
pub const UNTOLD: &str = "…";

/// How many bytes on each side of a mention are compared.
const AROUND: usize = 64;
/// How many of these bytes have to match, if the text has that many.
const ENOUGH: usize = 4;
/// The maximum number of mentions that are searched for in a text, and of places examined for each.
const LOOKED_AT: usize = 500;

/// Returns the numbers of the entities that a text mentions.
pub fn numbers(markdown: &str) -> BTreeSet<i64> {
    let found = mention::find(markdown).into_iter();
    found.filter_map(|found| entity(&found)).collect()
}

/// Returns a text in which mentions of entities that are not seen are replaced by plain words.
pub fn veiled(markdown: &str, sees: impl Fn(i64) -> bool) -> String {
    mention::replaced(markdown, |found| {
        entity(found).filter(|number| !sees(*number)).map(|_| words(found))
    })
}

/// Restores mentions in `sent`, which replaces a text that its author saw only in veiled form: a
/// veiled mention that still has similar surroundings becomes the mention again. `whole` is the
/// stored text, and `seen` its veiled form.
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

/// Returns the ranges of the veiled text that replace mentions, each with the mention as written.
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
            // The two texts do not correspond, so the rest cannot be matched either.
            None => break,
        }
    }
    found
}

/// Returns the place in the sent text, at or after `from`, that corresponds to a range of the seen
/// text: of several candidates, the one whose surroundings match best.
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

/// Returns the length of the common prefix of two texts, in bytes.
fn same_start(one: &str, other: &str) -> usize {
    one.bytes().zip(other.bytes()).take(AROUND).take_while(|(a, b)| a == b).count()
}

/// Returns the length of the common suffix of two texts, in bytes.
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

//! Short excerpts that show why a text was found.

use std::ops::Range;

use lore_markup::seen;
use lore_text::analysis::{stem_list, stems};
use rustc_hash::FxHashMap;

/// An excerpt of a text around the words that were searched for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Snippet {
    /// The excerpt on one line, with `…` where something was left out.
    pub text: String,
    /// The byte ranges in `text` of the words that were searched for, in order.
    pub highlights: Vec<Range<usize>>,
}

/// Cuts an excerpt of at most `max_chars` characters from the visible text of `body`: the part with
/// most distinct words of `query`, or the beginning if it contains none.
pub fn snippet(body: &str, query: &str, max_chars: usize) -> Snippet {
    let body = seen(body).into_owned();
    let body = body.as_str();
    let found = occurrences(body, query);
    let window = widen(body, best_window(body, &found, max_chars), max_chars);
    render(body, &found, window)
}

/// A word of the body that was searched for.
struct Occurrence {
    place: Range<usize>,
    /// Which of the query's stems it is.
    stem: usize,
}

fn occurrences(body: &str, query: &str) -> Vec<Occurrence> {
    let mut wanted = FxHashMap::default();
    for stem in stem_list(query) {
        let number = wanted.len();
        wanted.entry(stem).or_insert(number);
    }
    let mut found = Vec::new();
    stems(body, |word, stem| {
        if let Some(&stem) = wanted.get(stem) {
            found.push(Occurrence { place: word.start..word.end(), stem });
        }
    });
    found
}

/// The narrowest range with the most distinct stems, then the most words.
fn best_window(body: &str, found: &[Occurrence], max_chars: usize) -> Range<usize> {
    let mut best = (0, 0, 0..0);
    let mut inside: FxHashMap<usize, usize> = FxHashMap::default();
    let mut first = 0;
    for (last, occurrence) in found.iter().enumerate() {
        *inside.entry(occurrence.stem).or_default() += 1;
        while let Some(earliest) = found.get(first).filter(|_| first < last) {
            // Bytes bound characters from above, so the exact count is rarely needed.
            let stretch = earliest.place.start..occurrence.place.end;
            if stretch.len() <= max_chars || chars(body, &stretch) <= max_chars {
                break;
            }
            forget(&mut inside, earliest.stem);
            first += 1;
        }
        let start = found.get(first).map_or(0, |earliest| earliest.place.start);
        let rank = (inside.len(), last + 1 - first);
        if rank > (best.0, best.1) {
            best = (rank.0, rank.1, start..occurrence.place.end);
        }
    }
    best.2
}

fn forget(inside: &mut FxHashMap<usize, usize>, stem: usize) {
    if let Some(count) = inside.get_mut(&stem) {
        *count -= 1;
        if *count == 0 {
            inside.remove(&stem);
        }
    }
}

fn chars(body: &str, range: &Range<usize>) -> usize {
    body.get(range.clone()).map_or(0, |part| part.chars().count())
}

/// Spends the remaining budget on both sides, and ends at word boundaries.
fn widen(body: &str, core: Range<usize>, max_chars: usize) -> Range<usize> {
    let budget = max_chars.saturating_sub(chars(body, &core));
    let (before, after) = (body.get(..core.start), body.get(core.end..));
    let (before, after) = (before.unwrap_or_default(), after.unwrap_or_default());
    // A short side leaves its share to the other.
    let right_room = after.chars().take(budget).count();
    let left = (budget / 2).max(budget - right_room.min(budget));
    let left = before.chars().rev().take(left).count();
    let start = core.start - before.chars().rev().take(left).map(char::len_utf8).sum::<usize>();
    let right = budget - left;
    let end = core.end + after.chars().take(right).map(char::len_utf8).sum::<usize>();
    shrink_to_words(body, start..end, &core)
}

/// Drops partial words at both ends, but nothing of `core`.
fn shrink_to_words(body: &str, range: Range<usize>, core: &Range<usize>) -> Range<usize> {
    let mut range = range;
    if range.start > 0 && range.start < core.start {
        let lead = body.get(range.start..core.start).unwrap_or_default();
        if let Some((at, blank)) = lead.char_indices().find(|(_, c)| c.is_whitespace()) {
            range.start += at + blank.len_utf8();
        }
    }
    if range.end < body.len() && range.end > core.end {
        let tail = body.get(core.end..range.end).unwrap_or_default();
        if let Some(at) = tail.rfind(char::is_whitespace) {
            range.end = core.end + at;
        }
    }
    range
}

fn render(body: &str, found: &[Occurrence], window: Range<usize>) -> Snippet {
    let part = body.get(window.clone()).unwrap_or_default();
    let mut text = String::with_capacity(part.len() + 6);
    if window.start > 0 {
        text.push('…');
    }
    let shift = text.len();
    // Replaces whitespace byte for byte, so that positions stay valid.
    text.extend(part.chars().map(|c| if matches!(c, '\n' | '\r' | '\t') { ' ' } else { c }));
    let mut highlights: Vec<Range<usize>> = found
        .iter()
        .filter(|one| one.place.start >= window.start && one.place.end <= window.end)
        .map(|one| one.place.start - window.start + shift..one.place.end - window.start + shift)
        .collect();
    // Parts of a Korean word stand where the word does.
    highlights.dedup();
    if window.end < body.len() {
        text.push('…');
    }
    Snippet { text, highlights }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn marked(body: &str, query: &str, max_chars: usize) -> String {
        let cut = snippet(body, query, max_chars);
        let mut text = cut.text.clone();
        for place in cut.highlights.iter().rev() {
            text.insert(place.end, ']');
            text.insert(place.start, '[');
        }
        text
    }

    #[test]
    fn the_stretch_with_most_different_words_is_shown() {
        let body = "The lamp was lit. Rain fell for days on the roofs of the old town, and \
                    nobody came. Then Mara hid the silver lamp under the mill's floor.";
        assert_eq!(
            marked(body, "where is Mara's lamp hidden?", 50),
            "…came. Then [Mara] [hid] the silver [lamp] under the…"
        );
    }

    #[test]
    fn mentions_and_tags_are_shown_as_a_reader_sees_them() {
        let body = "Then Mara <b>hid</b> at [entity:7|the Old Mill].";
        assert_eq!(marked(body, "mill", 100), "Then Mara hid at the Old [Mill].");
    }

    #[test]
    fn a_word_that_is_found_by_several_parts_is_marked_once() {
        assert_eq!(marked("어제 서울에서 왔다", "서울에서", 100), "어제 [서울에서] 왔다");
        assert_eq!(marked("어제 서울에서 왔다", "서울", 100), "어제 [서울에서] 왔다");
    }

    #[test]
    fn without_a_match_the_beginning_is_shown() {
        assert_eq!(marked("one two three four", "zebra", 9), "one two…");
        assert_eq!(marked("short", "", 100), "short");
    }

    proptest! {
        #[test]
        fn any_text_gives_a_short_piece_with_true_highlights(
            body in "\\PC{0,200}", query in "\\PC{0,20}", max in 0_usize..80
        ) {
            let cut = snippet(&body, &query, max);
            prop_assert!(cut.text.chars().count() <= max.max(longest_word(&body)) + 2);
            for place in cut.highlights {
                prop_assert!(cut.text.get(place).is_some_and(|word| !word.is_empty()));
            }
        }
    }

    fn longest_word(body: &str) -> usize {
        lore_text::analysis::words(body)
            .map(|word| word.surface.chars().count())
            .max()
            .unwrap_or(0)
            .max(2)
    }
}

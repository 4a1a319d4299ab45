//! Questions for several things: which books, how many times, where somebody has been.
//!
//! Their answers stand in several places, and each shares little with the question. So a message
//! beside an answer, which has most of its matching words from there, is rarely another answer.

use std::mem::take;

use crate::column::Slot;
use crate::fixed::float;
use crate::rank::{Found, order, weights};
use crate::view::View;

/// Whether the normalised words of a question ask for several things.
pub(super) fn asks_for_several(words: &[&str]) -> bool {
    words.iter().any(|word| SEVERAL.contains(word))
        || (0..words.len()).any(|at| are_different(words, at))
        || (0..words.len()).any(|at| asks_openly(words.get(at..).unwrap_or_default()))
        || words.windows(3).any(counts)
        || has_plural_head(words)
}

const SEVERAL: [&str; 4] = ["both", "various", "several", "besides"];

/// Whether the word at a position speaks of different things; a different thing is one, and what is
/// different from another is only compared with it.
fn are_different(words: &[&str], at: usize) -> bool {
    let one = at.checked_sub(1).and_then(|before| words.get(before));
    words.get(at) == Some(&"different")
        && !one.is_some_and(|word| matches!(*word, "a" | "one" | "no" | "any"))
        && !words.get(at + 1).is_none_or(|word| matches!(*word, "from" | "than" | "to"))
}

fn asks_openly(words: &[&str]) -> bool {
    match words {
        // "What are you doing?" asks for one thing.
        [_, "are" | "were", "you" | "we" | "they", ..] => false,
        [asks, is, ..] => matches!(
            (*asks, *is),
            ("where" | "what", "has" | "have")
                | ("who" | "what" | "which", "are" | "were")
                | ("in", "common")
        ),
        _ => false,
    }
}

fn counts(words: &[&str]) -> bool {
    matches!(words, ["how", "many", what] if !MEASURES.contains(what))
}

/// Units of measurement: "how many" of them asks for one number.
const MEASURES: [&str; 28] = [
    "decades",
    "years",
    "months",
    "weeks",
    "days",
    "nights",
    "hours",
    "minutes",
    "seconds",
    "miles",
    "kilometers",
    "kilometres",
    "meters",
    "metres",
    "feet",
    "inches",
    "kilos",
    "kilograms",
    "grams",
    "liters",
    "litres",
    "degrees",
    "percent",
    "dollars",
    "euros",
    "pounds",
    "calories",
    "points",
];

/// Whether there is a plural between the question word and the verb: "which books has", "in what
/// kinds of shops did". Without an auxiliary it may be a verb: "what causes".
fn has_plural_head(words: &[&str]) -> bool {
    const FIRST: usize = 3;
    const LONGEST: usize = 4;
    let asks = words.iter().take(FIRST).position(|word| matches!(*word, "what" | "which"));
    let rest = asks.and_then(|at| words.get(at + 1..)).unwrap_or_default();
    let ends = |word: &&str| AUXILIARIES.contains(word) || BEGINS_ANOTHER.contains(word);
    let length = rest.iter().take(LONGEST + 1).position(ends).unwrap_or(LONGEST);
    let (head, after) = rest.split_at(length.min(rest.len()));
    let is_subject = after.first().is_some_and(|word| AUXILIARIES.contains(word));
    let is_noun = |next: Option<&&str>| is_subject || next == Some(&"of");
    (0..head.len())
        .any(|at| head.get(at).is_some_and(|word| is_plural(word)) && is_noun(head.get(at + 1)))
}

const AUXILIARIES: [&str; 17] = [
    "does", "did", "do", "is", "has", "have", "had", "was", "are", "were", "would", "could",
    "might", "can", "will", "should", "must",
];
/// Words with which another part of the sentence begins, so that the verb stands before them.
const BEGINS_ANOTHER: [&str; 10] = ["the", "a", "an", "i", "you", "he", "she", "it", "we", "they"];

fn is_plural(word: &str) -> bool {
    let ends = |ending: &str| word.ends_with(ending);
    matches!(word, "people" | "children" | "men" | "women")
        || word.len() > 3
            && ends("s")
            && !["ss", "us", "is"].into_iter().any(ends)
            && word != "news"
}

/// How many of the best answers are adjusted.
const SPREAD: usize = 100;

/// Lowers answers that stand beside a better one, as far as their score comes from its words. Not
/// in chats with a chatbot, where an answer stands beside its question and is a different text.
pub(super) fn spread(view: &View, found: &mut [Found]) {
    let count = SPREAD.min(found.len());
    if count < found.len() && count > 0 {
        found.select_nth_unstable_by(count - 1, |a, b| order(view, a, b));
    }
    let mut rest = found.get_mut(..count).unwrap_or_default();
    while let Some(best) = (0..rest.len()).min_by(|a, b| match (rest.get(*a), rest.get(*b)) {
        (Some(a), Some(b)) => order(view, a, b),
        _ => a.cmp(b),
    }) {
        rest.swap(0, best);
        let Some((one, others)) = take(&mut rest).split_first_mut() else { return };
        if is_said_by_somebody(view, one.slot) {
            lower_beside(view, one.slot, others);
        }
        rest = others;
    }
}

fn is_said_by_somebody(view: &View, slot: Slot) -> bool {
    let role = view.facts(slot).author.and_then(|author| view.authors.role(author));
    view.is_log(slot) && role.is_none()
}

fn lower_beside(view: &View, slot: Slot, others: &mut [Found]) {
    view.influenced(slot, |influence, beside| {
        for other in others.iter_mut().filter(|other| other.slot == beside) {
            other.shared -= weights::BESIDE * float(influence.words);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(expected: bool, questions: &[&str]) {
        for question in questions {
            let words: Vec<&str> = question.split(' ').collect();
            assert_eq!(asks_for_several(&words), expected, "{question}");
        }
    }

    #[test]
    fn questions_for_several_things_are_known() {
        check(
            true,
            &[
                "which books has mara read",
                "in what kinds of shops did she look",
                "how many times has anselm been to the mill",
                "where has mara been",
                "what are the names of her goats",
                "what do mara and anselm have in common",
                "do both of them swim",
                "what kinds of lamps the keepers had",
                "which different mills did she see",
                "which people did she meet",
            ],
        );
    }

    #[test]
    fn questions_for_one_thing_are_not() {
        check(
            false,
            &[
                "where did mara hide the lamp",
                "what is the name of the goat",
                "how many years did she live there",
                "how many grams of flour did she take",
                "what did anselm say about the boxes",
                "when was the bridge built",
                "which bus did she take",
                "how does the pump work",
                "what does mara like about the mill",
                "what causes the error",
                "what makes bread rise when it is cold",
                "what happens if i do nothing",
                "which costs more",
                "what news has she",
                "is there a different way home",
                "how is tea different from coffee",
                "what are you doing",
                "",
            ],
        );
    }
}

//! Questions for several things: which books, how many times, where somebody has been.
//!
//! Their answers stand in several places, and each shares little with the question. So a message
//! beside an answer, which has most of its matching words from there, is rarely another answer.

use std::mem::take;

use crate::column::Slot;
use crate::fixed::float;
use crate::rank::{Found, order, weights};
use crate::role::Role;
use crate::view::View;

/// Whether the normalised words of a question ask for several things.
pub(super) fn asks_for_several(words: &[&str]) -> bool {
    words.iter().any(|word| SEVERAL.contains(word))
        || words.windows(2).any(asks_openly)
        || words.windows(3).any(counts)
        || has_plural_head(words)
}

const SEVERAL: [&str; 5] = ["both", "various", "several", "different", "besides"];

fn asks_openly(words: &[&str]) -> bool {
    matches!(
        words,
        ["where" | "what", "has" | "have"]
            | ["who" | "what" | "which", "are" | "were"]
            | ["in", "common"]
    )
}

fn counts(words: &[&str]) -> bool {
    matches!(words, ["how", "many", what] if !MEASURES.contains(what))
}

/// Units of measurement: "how many" of them asks for one number.
const MEASURES: [&str; 14] = [
    "years",
    "months",
    "weeks",
    "days",
    "hours",
    "minutes",
    "seconds",
    "miles",
    "kilometers",
    "kilometres",
    "dollars",
    "euros",
    "pounds",
    "calories",
];

/// Whether there is a plural between the question word and the verb: "which books", "in what kinds
/// of shops".
fn has_plural_head(words: &[&str]) -> bool {
    const FIRST: usize = 3;
    const LONGEST: usize = 4;
    let asks = words.iter().take(FIRST).position(|word| matches!(*word, "what" | "which"));
    let head = asks.and_then(|at| words.get(at + 1..)).unwrap_or_default();
    head.iter().take(LONGEST).take_while(|word| !VERBS.contains(word)).any(|word| is_plural(word))
}

const VERBS: [&str; 18] = [
    "does", "did", "do", "is", "has", "have", "had", "was", "are", "were", "would", "could",
    "might", "can", "will", "should", "the", "a",
];

fn is_plural(word: &str) -> bool {
    let ends = |ending: &str| word.ends_with(ending);
    matches!(word, "people" | "children" | "men" | "women")
        || word.len() > 3 && ends("s") && !["ss", "us", "is"].into_iter().any(ends)
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
    let author = view.facts(slot).author.and_then(|author| view.authors.name(author));
    view.is_log(slot) && author.is_none_or(|author| Role::of(author).is_none())
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
                "what did anselm say about the boxes",
                "when was the bridge built",
                "which bus did she take",
                "how does the pump work",
                "what does mara like about the mill",
                "",
            ],
        );
    }
}

//! Finding known names in a text, longest first.

use std::collections::BTreeMap;

use aho_corasick::{AhoCorasick, MatchKind};
use lore_core::NodeId;

/// Shortest name that is looked for, in characters: shorter ones are found everywhere.
const NAME_MIN: usize = 3;
/// How much of the text around a name is shown, in characters to each side.
const AROUND: usize = 50;

/// Names to look for.
pub(super) struct Spotter {
    automaton: Option<AhoCorasick>,
    /// For each folded name, in the order of the patterns, who goes by it and in what spelling.
    names: Vec<Vec<(NodeId, String)>>,
}

/// Something a text mentions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Spotted {
    /// How often.
    pub(super) count: usize,
    /// The text around the first place.
    pub(super) context: String,
}

impl Spotter {
    /// Looks for these names. A name that several things have is found as each of them.
    pub(super) fn new(names: impl IntoIterator<Item = (NodeId, String)>) -> Self {
        let mut by_name: BTreeMap<String, Vec<(NodeId, String)>> = BTreeMap::new();
        for (node, name) in names {
            if name.chars().count() >= NAME_MIN {
                by_name.entry(folded(&name)).or_default().push((node, name));
            }
        }
        // Too many names for one automaton would be millions; then none are spotted.
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .build(by_name.keys())
            .ok();
        Self { automaton, names: by_name.into_values().collect() }
    }

    /// What a text mentions.
    pub(super) fn spot(&self, text: &str) -> BTreeMap<NodeId, Spotted> {
        let mut found: BTreeMap<NodeId, Spotted> = BTreeMap::new();
        let Some(automaton) = &self.automaton else { return found };
        let haystack = folded(text);
        for place in automaton.find_iter(&haystack) {
            let (start, end) = (place.start(), place.end());
            if !stands_alone(&haystack, start, end) {
                continue;
            }
            let namesakes = self.names.get(place.pattern().as_usize());
            for (node, name) in namesakes.into_iter().flatten() {
                if !is_written_as(text.get(start..end).unwrap_or_default(), name) {
                    continue;
                }
                let fresh = || Spotted { count: 0, context: around(text, start, end) };
                found.entry(*node).or_insert_with(fresh).count += 1;
            }
        }
        found
    }
}

/// How often a text mentions any of these names.
pub(super) fn count(names: &[&str], text: &str) -> usize {
    let names = names.iter().map(|name| (NodeId(0), (*name).to_owned()));
    Spotter::new(names).spot(text).values().map(|spotted| spotted.count).sum()
}

/// Small letters in the same places: a letter whose small form is longer stays as it is.
fn folded(text: &str) -> String {
    let small = |letter: char| {
        let mut lower = letter.to_lowercase();
        match (lower.next(), lower.next()) {
            (Some(one), None) if one.len_utf8() == letter.len_utf8() => one,
            _ => letter,
        }
    };
    text.chars().map(small).collect()
}

/// Whether a name is not part of a longer word.
fn stands_alone(text: &str, start: usize, end: usize) -> bool {
    let before = text.get(..start).and_then(|text| text.chars().next_back());
    let after = text.get(end..).and_then(|text| text.chars().next());
    let part = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
    !part(before) && !part(after)
}

/// A name of one word is meant only when it has its capital: Rose is not a rose.
fn is_written_as(found: &str, name: &str) -> bool {
    let capital = |text: &str| text.chars().next().is_some_and(char::is_uppercase);
    name.contains(char::is_whitespace) || !capital(name) || capital(found)
}

fn around(text: &str, start: usize, end: usize) -> String {
    let before: Vec<char> =
        text.get(..start).unwrap_or_default().chars().rev().take(AROUND).collect();
    let after = text.get(end..).unwrap_or_default().chars().take(AROUND);
    let name = text.get(start..end).unwrap_or_default().chars();
    let whole: String = before.into_iter().rev().chain(name).chain(after).collect();
    whole.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spot(names: &[(i64, &str)], text: &str) -> Vec<(i64, usize)> {
        let names = names.iter().map(|(id, name)| (NodeId(*id), (*name).to_owned()));
        let found = Spotter::new(names).spot(text);
        found.into_iter().map(|(node, spotted)| (node.0, spotted.count)).collect()
    }

    #[test]
    fn the_longest_name_wins() {
        let names = [(1, "Regen"), (2, "Regen Network"), (3, "Network")];
        assert_eq!(spot(&names, "The Regen Network and Regen."), [(1, 1), (2, 1)]);
    }

    #[test]
    fn parts_of_words_and_common_words_are_no_names() {
        let names = [(1, "Rose"), (2, "Ann"), (3, "Al")];
        assert_eq!(spot(&names, "Roses rose. Annual plans, al dente. Rose!"), [(1, 1)]);
    }

    #[test]
    fn case_and_script_do_not_matter_in_longer_names() {
        let names = [(1, "Élan Vital"), (2, "北京市")];
        assert_eq!(spot(&names, "élan vital, ÉLAN VITAL, 北京市"), [(1, 2), (2, 1)]);
    }

    #[test]
    fn namesakes_are_all_found() {
        assert_eq!(spot(&[(1, "Guard"), (2, "Guard")], "A Guard."), [(1, 1), (2, 1)]);
    }

    #[test]
    fn the_context_is_the_text_around_the_first_place() {
        let spotter = Spotter::new([(NodeId(1), "Aelysh".to_owned())]);
        let text = format!("{} Aelysh {}", "x".repeat(99), "y".repeat(99));
        let found = spotter.spot(&text).remove(&NodeId(1)).unwrap();
        assert_eq!(found.context, format!("{} Aelysh {}", "x".repeat(49), "y".repeat(49)));
    }
}

//! Finds known names in a text, preferring longer ones.
//!
//! Names match regardless of the spaces or hyphens between their words and of accents, and also in
//! scripts that do not separate words.

use std::collections::BTreeMap;

use aho_corasick::{AhoCorasick, MatchKind};
use lore_core::NodeId;
use lore_markup::link;

/// Shortest name that is searched for, in characters: shorter ones occur everywhere.
const NAME_MIN: usize = 3;
/// The same for names in scripts where a character is a word or a syllable.
const SIGNS_MIN: usize = 2;
/// How much context is shown on each side of a name, in characters.
const AROUND: usize = 50;

/// A set of names to search for.
pub(in crate::knowledge) struct Spotter {
    automaton: Option<AhoCorasick>,
    /// For each folded name, in pattern order: the entities that have it, and its spelling.
    names: Vec<Vec<(NodeId, String)>>,
}

/// The mentions of an entity in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::knowledge) struct Spotted {
    /// The number of mentions.
    pub(in crate::knowledge) count: usize,
    /// The text around the first mention.
    pub(in crate::knowledge) context: String,
}

/// A name found in a text.
struct Found<'a> {
    start: usize,
    end: usize,
    nodes: Vec<&'a NodeId>,
}

impl Spotter {
    /// Builds a search for these names. A name of several entities is found for each of them.
    pub(in crate::knowledge) fn new(names: impl IntoIterator<Item = (NodeId, String)>) -> Self {
        let mut by_name: BTreeMap<String, Vec<(NodeId, String)>> = BTreeMap::new();
        for (node, name) in names {
            let folded = Folded::of(name.trim()).text;
            if is_long_enough(&folded) {
                by_name.entry(folded).or_default().push((node, name));
            }
        }
        // Building fails only for millions of names; then none are found.
        let automaton =
            AhoCorasick::builder().match_kind(MatchKind::Standard).build(by_name.keys()).ok();
        Self { automaton, names: by_name.into_values().collect() }
    }

    /// Returns the entities a text mentions. A name of several entities counts only for those in
    /// `meant`, if any of them is.
    pub(in crate::knowledge) fn spot(
        &self,
        text: &str,
        meant: &[NodeId],
    ) -> BTreeMap<NodeId, Spotted> {
        let mut spotted: BTreeMap<NodeId, Spotted> = BTreeMap::new();
        let mut found = self.all(text);
        // The destination of a link is no text that anybody reads.
        let links = link::find(text);
        found.retain(|name| {
            let before = links.partition_point(|link| link.destination.start <= name.start);
            let link = before.checked_sub(1).and_then(|last| links.get(last));
            link.is_none_or(|link| !link.destination.contains(&name.start))
        });
        // Of overlapping names, the one that starts first wins; among these, the longest.
        found.sort_by(|a, b| a.start.cmp(&b.start).then(b.end.cmp(&a.end)));
        let mut done = 0;
        for Found { start, end, mut nodes } in found {
            if start < done {
                continue;
            }
            done = end;
            if nodes.iter().any(|node| meant.contains(node)) {
                nodes.retain(|node| meant.contains(node));
            }
            for node in nodes {
                let fresh = || Spotted { count: 0, context: around(text, start, end) };
                spotted.entry(*node).or_insert_with(fresh).count += 1;
            }
        }
        spotted
    }

    /// Returns every occurrence of a name that is a whole word and capitalised as required.
    fn all(&self, text: &str) -> Vec<Found<'_>> {
        let Some(automaton) = &self.automaton else { return Vec::new() };
        let haystack = Folded::of(text);
        let places = automaton.find_overlapping_iter(&haystack.text);
        let places =
            places.filter(|place| stands_alone(&haystack.text, place.start(), place.end()));
        let found = places.filter_map(|place| {
            let (start, end) = (haystack.place(place.start()), haystack.place(place.end()));
            let written = text.get(start..end)?;
            let namesakes = self.names.get(place.pattern().as_usize())?.iter();
            let meant = namesakes.filter(|(_, name)| is_written_as(written, name));
            let nodes: Vec<&NodeId> = meant.map(|(node, _)| node).collect();
            (!nodes.is_empty()).then_some(Found { start, end, nodes })
        });
        found.collect()
    }
}

fn is_long_enough(name: &str) -> bool {
    let length = name.chars().count();
    let sign = |letter: char| lore_reader::is_without_blanks(letter) || is_hangul(letter);
    length >= NAME_MIN || length >= SIGNS_MIN && name.chars().all(sign)
}

/// A normalised text, with the position of each part in the original.
struct Folded {
    text: String,
    /// For each byte, the offset of its character in the original; finally the end offset.
    places: Vec<usize>,
}

impl Folded {
    /// Normalises a text: lower case without accents. A run of spaces and hyphens becomes a single
    /// space, or a line break if it contains an empty line.
    fn of(text: &str) -> Self {
        let mut folded = Self { text: String::with_capacity(text.len()), places: Vec::new() };
        let mut gap: Option<(usize, usize)> = None;
        for (place, letter) in text.char_indices() {
            if is_gap(letter) {
                let lines = gap.map_or(0, |(_, lines)| lines) + usize::from(letter == '\n');
                gap = Some((gap.map_or(place, |(start, _)| start), lines));
                continue;
            }
            if let Some((start, lines)) = gap.take() {
                folded.push(start, if lines > 1 { '\n' } else { ' ' });
            }
            match letter {
                '’' | '‘' | 'ʼ' | '`' => folded.push(place, '\''),
                mark if lore_resolve::is_mark(mark) => {}
                letter => lore_resolve::plain_letter(letter, &mut |one| folded.push(place, one)),
            }
        }
        folded.places.push(gap.map_or(text.len(), |(start, _)| start));
        folded
    }

    fn push(&mut self, place: usize, letter: char) {
        self.text.push(letter);
        self.places.extend(std::iter::repeat_n(place, letter.len_utf8()));
    }

    fn place(&self, at: usize) -> usize {
        self.places.get(at).copied().unwrap_or_default()
    }
}

fn is_gap(letter: char) -> bool {
    letter.is_whitespace() || matches!(letter, '-' | '\u{ad}' | '\u{2010}'..='\u{2015}')
}

/// Whether a match is not part of a longer word.
fn stands_alone(text: &str, start: usize, end: usize) -> bool {
    let ends = |part: Option<&str>| {
        let part = part.unwrap_or_default();
        (part.chars().next(), part.chars().next_back())
    };
    let (first, last) = ends(text.get(start..end));
    let (before, after) = (ends(text.get(..start)).1, ends(text.get(end..)).0);
    // Korean attaches particles directly to a name.
    let particle = last.zip(after).is_some_and(|(one, two)| is_hangul(one) && is_hangul(two));
    !are_one_word(before, first) && (particle || !are_one_word(last, after))
}

/// Whether two adjacent characters belong to the same word. Some scripts do not separate words; in
/// Japanese, katakana marks foreign words.
fn are_one_word(one: Option<char>, other: Option<char>) -> bool {
    let Some((one, other)) = one.zip(other) else { return false };
    let katakana = |sign: char| matches!(sign, '\u{30a1}'..='\u{30fe}');
    let blanks = !lore_reader::is_without_blanks(one) && !lore_reader::is_without_blanks(other);
    let letters = one.is_alphanumeric() && other.is_alphanumeric();
    letters && blanks || katakana(one) && katakana(other)
}

fn is_hangul(letter: char) -> bool {
    matches!(letter, '\u{ac00}'..='\u{d7a3}')
}

/// Whether a one-word name is capitalised as it should be: a rose is not Rose.
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
        let found = Spotter::new(names).spot(text, &[]);
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
    fn blanks_hyphens_and_accents_are_written_as_one_likes() {
        let names = [(1, "Port Sable"), (2, "Sable"), (3, "Ñandú Ríos"), (4, "Zoë")];
        for text in ["Port\nSable at dusk", "the Port-Sable road", "Port  Sable", "port\u{a0}sable"]
        {
            assert_eq!(spot(&names, text), [(1, 1)], "{text}");
        }
        assert_eq!(spot(&names, "Port\n\nSable came."), [(2, 1)]);
        assert_eq!(spot(&names, "nandu rios, NANDU RIOS, N\u{303}andu Ri\u{301}os"), [(3, 3)]);
        assert_eq!(spot(&names, "Zoe, zoe"), [(4, 1)]);
    }

    #[test]
    fn names_stand_in_text_without_blanks() {
        let names = [(1, "京都"), (2, "アン"), (3, "서울"), (4, "กรุงเทพ")];
        assert_eq!(spot(&names, "私は京都に行きました。"), [(1, 1)]);
        assert_eq!(spot(&names, "アンナとアンは"), [(2, 1)]);
        assert_eq!(spot(&names, "나는 서울에 갔다"), [(3, 1)]);
        assert_eq!(spot(&names, "ไปกรุงเทพวันนี้"), [(4, 1)]);
    }

    #[test]
    fn a_longer_name_that_is_not_there_hides_no_shorter_one() {
        let names = [(1, "Regen"), (2, "Regen Network")];
        assert_eq!(spot(&names, "Regen Networking"), [(1, 1)]);
    }

    #[test]
    fn destinations_of_links_contain_no_names() {
        let names = [(1, "Ada Holt"), (2, "Orion")];
        let text = "[Ada Holt](https://a.org/ada-holt) [x](../Projects/Orion.md) [[People/Orion]]";
        assert_eq!(spot(&names, text), [(1, 1), (2, 1)]);
    }

    #[test]
    fn namesakes_are_all_found() {
        assert_eq!(spot(&[(1, "Guard"), (2, "Guard")], "A Guard."), [(1, 1), (2, 1)]);
    }

    #[test]
    fn the_context_is_the_text_around_the_first_place() {
        let spotter = Spotter::new([(NodeId(1), "Aelysh".to_owned())]);
        let text = format!("{} Aelysh {}", "x".repeat(99), "y".repeat(99));
        let found = spotter.spot(&text, &[]).remove(&NodeId(1)).unwrap();
        assert_eq!(found.context, format!("{} Aelysh {}", "x".repeat(49), "y".repeat(49)));
    }
}

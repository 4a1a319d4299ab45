//! Aligning the words of two names.

use crate::given_names;
use crate::name::{Kind, Name, Token};
use crate::profile::{Family, Profile};
use crate::spelling::{How, Likeness, likeness};

/// The aligned words of both names, and the words without a counterpart.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Alignment {
    pub(crate) pairs: Vec<Pair>,
    pub(crate) asked_alone: Vec<usize>,
    pub(crate) known_alone: Vec<usize>,
}

/// Words that correspond to each other: usually one on each side, sometimes a sequence of words.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Pair {
    pub(crate) asked: Vec<usize>,
    pub(crate) known: Vec<usize>,
    pub(crate) likeness: Likeness,
}

/// Aligns greedily, most certain matches first: equal words, words written as several, acronyms of
/// several words, then the most similar words.
pub(crate) fn align(asked: &Name, known: &Name, profile: &Profile) -> Alignment {
    let mut board = Board {
        asked: Side { tokens: &asked.tokens, used: vec![false; asked.tokens.len()] },
        known: Side { tokens: &known.tokens, used: vec![false; known.tokens.len()] },
        pairs: Vec::new(),
    };
    board.pair_equal_words();
    board.pair_runs(Direction::AskedIsRun, profile);
    board.pair_runs(Direction::KnownIsRun, profile);
    board.pair_like_words(profile);
    let (asked_alone, known_alone) = (board.asked.free().collect(), board.known.free().collect());
    Alignment { pairs: board.pairs, asked_alone, known_alone }
}

struct Board<'a> {
    asked: Side<'a>,
    known: Side<'a>,
    pairs: Vec<Pair>,
}

struct Side<'a> {
    tokens: &'a [Token],
    used: Vec<bool>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    AskedIsRun,
    KnownIsRun,
}

/// The most words that form one word ("data base"), and the most words that an acronym stands for,
/// including small words between them.
const LONGEST_JOIN: usize = 4;
const LONGEST_ACRONYM: usize = 12;

impl Side<'_> {
    fn free(&self) -> impl Iterator<Item = usize> + '_ {
        self.used.iter().enumerate().filter(|(_, used)| !**used).map(|(place, _)| place)
    }

    fn take(&mut self, places: &[usize]) {
        for place in places {
            if let Some(used) = self.used.get_mut(*place) {
                *used = true;
            }
        }
    }

    /// The words from `start` on, if none of them is taken.
    fn run(&self, start: usize, length: usize) -> Option<&[Token]> {
        let free = self.used.get(start..start + length)?.iter().all(|used| !used);
        if free { self.tokens.get(start..start + length) } else { None }
    }
}

impl Board<'_> {
    fn pair_equal_words(&mut self) {
        for (place, token) in self.asked.tokens.iter().enumerate() {
            let equal =
                |other: &usize| self.known.tokens.get(*other).is_some_and(|known| known.is(token));
            let found = self.known.free().find(equal);
            if let Some(other) = found {
                self.pair(vec![place], vec![other], Likeness { degree: 1.0, how: How::Equal });
            }
        }
    }

    fn pair_runs(&mut self, direction: Direction, profile: &Profile) {
        let (runs, words) = match direction {
            Direction::AskedIsRun => (&self.asked, &self.known),
            Direction::KnownIsRun => (&self.known, &self.asked),
        };
        let places: Vec<usize> = words.free().collect();
        let mut found = Vec::new();
        for place in places {
            let Some(word) = words.tokens.get(place) else { continue };
            if let Some((run, likeness)) = find_run(runs, word, profile) {
                found.push((run, place, likeness));
            }
        }
        for (run, place, likeness) in found {
            let (asked, known) = match direction {
                Direction::AskedIsRun => (run, vec![place]),
                Direction::KnownIsRun => (vec![place], run),
            };
            // Two words may match the same sequence; the first one gets it.
            let still_free = |side: &Side<'_>, places: &[usize]| {
                places.iter().all(|place| side.used.get(*place) == Some(&false))
            };
            if still_free(&self.asked, &asked) && still_free(&self.known, &known) {
                self.pair(asked, known, likeness);
            }
        }
    }

    fn pair_like_words(&mut self, profile: &Profile) {
        let mut found = Vec::new();
        for place in self.asked.free() {
            for other in self.known.free() {
                let tokens = (self.asked.tokens.get(place), self.known.tokens.get(other));
                let (Some(one), Some(two)) = tokens else { continue };
                if one.kind == Kind::Light || two.kind == Kind::Light {
                    continue;
                }
                if let Some(likeness) = likeness(one, two, profile) {
                    found.push((place, other, likeness));
                }
            }
        }
        found.sort_by(|a, b| b.2.degree.total_cmp(&a.2.degree));
        for (place, other, likeness) in found {
            let free = |side: &Side<'_>, place: usize| side.used.get(place) == Some(&false);
            if free(&self.asked, place) && free(&self.known, other) {
                self.pair(vec![place], vec![other], likeness);
            }
        }
    }

    fn pair(&mut self, asked: Vec<usize>, known: Vec<usize>, likeness: Likeness) {
        self.asked.take(&asked);
        self.known.take(&known);
        self.pairs.push(Pair { asked, known, likeness });
    }
}

/// A sequence of words that is `word` written as several words, or that `word` abbreviates.
fn find_run(side: &Side<'_>, word: &Token, profile: &Profile) -> Option<(Vec<usize>, Likeness)> {
    let person = profile.family == Family::Person;
    for start in side.free() {
        let runs = || (2..=LONGEST_ACRONYM).map_while(|length| side.run(start, length));
        let joined = || runs().take(LONGEST_JOIN - 1).find(|run| is_joined(run, word));
        // Most acronyms skip small words: the second A of NOAA does not stand for "and".
        let heavy = || runs().find(|run| is_acronym(run, word, Letters::Heavy));
        let some = || runs().find(|run| is_acronym(run, word, Letters::Some));
        let given = || runs().find(|run| are_initials(run, word));
        let torn = || runs().take(1).find_map(|run| Some((run, torn(run, word)?)));
        let found = joined().map(|run| (run, Likeness { degree: 0.98, how: How::Joined }));
        let found = found.or_else(torn);
        let initials = || if person { given() } else { heavy().or_else(some) };
        let found =
            found.or_else(|| Some((initials()?, Likeness { degree: 0.9, how: How::Initials })));
        if let Some((run, likeness)) = found {
            return Some(((start..start + run.len()).collect(), likeness));
        }
    }
    None
}

/// Whether a word consists of the initials of given names: JL for Jean-Luc.
fn are_initials(run: &[Token], word: &Token) -> bool {
    let first = |token: &Token| token.text.chars().next();
    let long = run.iter().all(|token| token.kind == Kind::Word && token.text.len() > 1);
    let fits = given_names::may_be_initials(&word.text);
    long && fits && run.iter().filter_map(first).eq(word.text.chars())
}

/// Which words contribute a letter to an acronym.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Letters {
    Heavy,
    /// Significant words and some of the light ones.
    Some,
}

fn is_joined(run: &[Token], word: &Token) -> bool {
    let mut rest = word.text.as_str();
    for token in run {
        match rest.strip_prefix(token.text.as_str()) {
            Some(remaining) => rest = remaining,
            None => return false,
        }
    }
    rest.is_empty() && (!run.iter().all(is_number) || are_thousands(run))
}

fn is_number(token: &Token) -> bool {
    token.text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether numbers are one in groups of three digits: "950 000", or "1,200" without its comma.
fn are_thousands(run: &[Token]) -> bool {
    let Some((first, groups)) = run.split_first() else { return false };
    let begins = (1..=3).contains(&first.text.len()) && !first.text.starts_with('0');
    begins && run.iter().all(is_number) && groups.iter().all(|group| group.text.len() == 3)
}

/// The similarity of a word and a sequence that is the word with a space in it and one more typing
/// error: "har risn". Both parts of the sequence being real words rules that out.
fn torn(run: &[Token], word: &Token) -> Option<Likeness> {
    const LEAST: usize = 5;
    let whole: String = run.iter().map(|token| token.text.as_str()).collect();
    let length = whole.chars().count().max(word.text.chars().count());
    let words = || run.iter().chain([word]).all(|token| token.kind == Kind::Word);
    let broken = || run.iter().any(|token| !given_names::is_real(&token.text));
    let fits = length >= LEAST && strsim::osa_distance(&whole, &word.text) == 1;
    let likeness = Likeness { degree: 1.0 - 1.0 / length as f64, how: How::Torn };
    (fits && words() && broken()).then_some(likeness)
}

fn is_acronym(run: &[Token], word: &Token, letters: Letters) -> bool {
    let ends_heavy = |token: Option<&Token>| token.is_some_and(|token| token.kind != Kind::Light);
    word.kind == Kind::Word
        && word.text.len() >= 3
        && ends_heavy(run.first())
        && ends_heavy(run.last())
        && spell(run, &word.text, letters)
}

/// Whether the words begin with these letters, in order. UCLA includes a letter for "Los" but none
/// for "of", and OECD has one letter for "Co-operation".
fn spell(run: &[Token], word: &str, letters: Letters) -> bool {
    let Some((token, more)) = run.split_first() else { return word.is_empty() };
    let light = token.kind == Kind::Light;
    let rest = token.text.chars().next().and_then(|first| word.strip_prefix(first));
    let rest = rest.filter(|_| !light || letters == Letters::Some);
    let may_go = light || token.hyphened;
    may_go && spell(more, word, letters) || rest.is_some_and(|rest| spell(more, rest, letters))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn aligned(one: &str, other: &str, family: Family) -> Alignment {
        let profile = Profile::of_family(family);
        align(&Name::parse(one, family), &Name::parse(other, family), &profile)
    }

    fn ways(one: &str, other: &str, family: Family) -> Vec<How> {
        aligned(one, other, family).pairs.iter().map(|pair| pair.likeness.how).collect()
    }

    #[test]
    fn words_may_be_written_apart_in_either_name() {
        assert_eq!(ways("BlockScience", "Block Science", Family::Organization), [How::Joined]);
        assert_eq!(
            ways("data base systems", "database systems", Family::Title),
            [How::Equal, How::Joined]
        );
        assert_eq!(ways("1 6", "16", Family::Title), []);
        assert_eq!(ways("950 000 icons", "950000 icons", Family::Title), [How::Equal, How::Joined]);
        assert_eq!(ways("0 100", "0100", Family::Title), []);
        assert_eq!(ways("Har risn Moor", "Harrison Moor", Family::Person), [How::Equal, How::Torn]);
        assert!(!ways("Mary Anne", "Maryanna", Family::Person).contains(&How::Torn));
    }

    #[test]
    fn initials_stand_for_words() {
        let found =
            ways("MIT Press", "Massachusetts Institute of Technology Press", Family::Organization);
        assert_eq!(found, [How::Equal, How::Initials]);
        assert_eq!(ways("ab", "Alpha Beta", Family::Organization), []);
        let los = "University of California, Los Angeles";
        assert_eq!(ways("UCLA", los, Family::Organization), [How::Initials]);
    }

    #[test]
    fn the_likest_words_find_each_other() {
        let found = aligned("Smyth Jon", "John Smith", Family::Person);
        assert_eq!(found.pairs.len(), 2);
        assert!(found.asked_alone.is_empty() && found.known_alone.is_empty());
    }
}

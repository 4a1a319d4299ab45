//! Names and aliases: which nodes have a given name, begin with it, or are spelt similarly.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::column::Slot;

/// The normalised names of a view, each with the heads that have it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Names {
    numbers: BTreeMap<Arc<str>, u32>,
    /// Names by number; unused ones are empty and reused.
    all: Vec<Name>,
    free: Vec<u32>,
    /// The numbers of names by trigram.
    trigrams: FxHashMap<[char; 3], Vec<u32>>,
    /// The most words a name ever had; longer sequences of words cannot be names.
    most_words: usize,
}

#[derive(Debug, Clone, Default)]
struct Name {
    name: Arc<str>,
    /// The number of characters.
    letters: usize,
    bearers: Vec<Slot>,
}

/// How many trigrams of a query each name has; a buffer reused between searches.
#[derive(Debug, Default)]
pub(crate) struct Tally(Vec<u8>);

/// How a name matches a query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Called {
    /// It equals the query.
    Exactly,
    /// It begins with the query.
    Beginning,
    /// It occurs in the query.
    Mentioned,
    /// It is spelt similarly to the query; the similarity, 0 to 1.
    Like(f32),
}

impl Called {
    fn rank(self) -> f32 {
        match self {
            Self::Exactly => 4.0,
            Self::Beginning => 3.0,
            Self::Mentioned => 2.0,
            Self::Like(likeness) => likeness,
        }
    }
}

impl Names {
    /// Longer queries are not compared with names as a whole, only searched for names.
    const LONGEST_QUERY: usize = 64;
    /// How many words of a long query are searched for names.
    const MOST_WORDS: usize = 256;
    /// The most names that begin with the query.
    const MOST_BEGINNINGS: usize = 100;
    /// Trigrams in more names than this do not distinguish names.
    const COMMON_TRIGRAM: usize = 20_000;
    /// The most names that match because they are spelt similarly: the most similar ones, and those
    /// first in the alphabet among equals. Worlds have series of names, such as "Room 1" to "Room
    /// 9999", of which each is similar to all others.
    const MOST_ALIKE: usize = 200;
    /// Names with a lower similarity do not match.
    const LEAST_LIKENESS: f32 = 0.5;

    pub(crate) fn add(&mut self, name: &str, slot: Slot) {
        self.most_words = self.most_words.max(name.split(' ').count());
        let number = self.numbers.get(name).copied().unwrap_or_else(|| self.number(name));
        if let Some(name) = self.all.get_mut(number as usize) {
            name.bearers.push(slot);
        }
    }

    pub(crate) fn remove(&mut self, name: &str, slot: Slot) {
        let Some(number) = self.numbers.get(name).copied() else { return };
        let Some(known) = self.all.get_mut(number as usize) else { return };
        take_out(&mut known.bearers, &slot);
        if !known.bearers.is_empty() {
            return;
        }
        *known = Name::default();
        self.numbers.remove(name);
        self.free.push(number);
        for trigram in trigrams(name) {
            if let Some(numbers) = self.trigrams.get_mut(&trigram) {
                take_out(numbers, &number);
            }
        }
    }

    /// All heads whose names match a normalised query, each with its best match.
    pub(crate) fn called(&self, query: &str, tally: &mut Tally) -> FxHashMap<Slot, Called> {
        let mut found = FxHashMap::default();
        if query.is_empty() || self.numbers.is_empty() {
            return found;
        }
        let mut note = |number: u32, called: Called| {
            for slot in self.all.get(number as usize).into_iter().flat_map(|name| &name.bearers) {
                let best = found.entry(*slot).or_insert(called);
                if called.rank() > best.rank() {
                    *best = called;
                }
            }
        };
        if let Some(number) = self.numbers.get(query) {
            note(*number, Called::Exactly);
        }
        self.mentioned(query, &mut note);
        if query.len() <= Self::LONGEST_QUERY {
            self.beginning(query, &mut note);
            self.like(query, tally, &mut note);
        }
        found
    }

    /// Whether a name equals or begins with a normalised query.
    pub(crate) fn any_begins_with(&self, query: &str) -> bool {
        let from = (Bound::Included(query), Bound::Unbounded);
        self.numbers.range::<str, _>(from).next().is_some_and(|(name, _)| name.starts_with(query))
    }

    /// The approximate memory it takes, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let names = self.all.iter().map(|name| name.name.len() + name.bearers.capacity() * 4);
        let lists = self.trigrams.values().map(|numbers| numbers.capacity() * 4);
        names.sum::<usize>()
            + lists.sum::<usize>()
            + self.all.capacity() * size_of::<Name>()
            + self.numbers.len() * size_of::<(Arc<str>, u32)>()
            + self.trigrams.capacity() * size_of::<([char; 3], Vec<u32>)>()
    }

    /// Registers a new name.
    fn number(&mut self, name: &str) -> u32 {
        let next = u32::try_from(self.all.len()).unwrap_or(u32::MAX);
        let number = self.free.pop().unwrap_or(next);
        let shared: Arc<str> = name.into();
        let known =
            Name { name: Arc::clone(&shared), letters: name.chars().count(), bearers: Vec::new() };
        match self.all.get_mut(number as usize) {
            Some(place) => *place = known,
            None => self.all.push(known),
        }
        self.numbers.insert(shared, number);
        for trigram in trigrams(name) {
            self.trigrams.entry(trigram).or_default().push(number);
        }
        number
    }

    fn mentioned(&self, query: &str, note: &mut impl FnMut(u32, Called)) {
        let words: Vec<&str> = query.split(' ').take(Self::MOST_WORDS).collect();
        for start in 0..words.len() {
            for count in 1..=self.most_words.min(words.len() - start).min(8) {
                let Some(run) = words.get(start..start + count) else { break };
                let says_something =
                    run.iter().any(|word| !lore_text::analysis::is_stop_word(word));
                if says_something
                    && count < words.len()
                    && let Some(number) = self.numbers.get(run.join(" ").as_str())
                {
                    note(*number, Called::Mentioned);
                }
            }
        }
    }

    fn beginning(&self, query: &str, note: &mut impl FnMut(u32, Called)) {
        if query.chars().count() < 2 {
            return;
        }
        let range = (Bound::Excluded(query), Bound::Unbounded);
        let names = self.numbers.range::<str, _>(range);
        let begin_so = names.take_while(|(name, _)| name.starts_with(query));
        for (_, number) in begin_so.take(Self::MOST_BEGINNINGS) {
            note(*number, Called::Beginning);
        }
    }

    fn like(&self, query: &str, tally: &mut Tally, note: &mut impl FnMut(u32, Called)) {
        let wanted = trigrams(query);
        let sharing = self.sharing(&wanted, tally);
        let mut alike: Vec<(f32, u32)> = sharing
            .into_iter()
            .filter_map(|number| {
                let name = self.all.get(number as usize)?;
                let shared = tally.0.get(number as usize).copied().unwrap_or(0);
                // Dice's coefficient, assuming that a name repeats no trigrams.
                let all = wanted.len() + name.letters + 2;
                let likeness = (2.0 * f32::from(shared) / all as f32).min(1.0);
                let is_alike = likeness >= Self::LEAST_LIKENESS && *name.name != *query;
                is_alike.then_some((likeness, number))
            })
            .collect();
        if alike.len() > Self::MOST_ALIKE {
            let name = |number: u32| self.all.get(number as usize).map(|name| &name.name);
            alike.select_nth_unstable_by(Self::MOST_ALIKE, |(a, one), (b, other)| {
                b.total_cmp(a).then_with(|| name(*one).cmp(&name(*other)))
            });
            alike.truncate(Self::MOST_ALIKE);
        }
        for (likeness, number) in alike {
            note(number, Called::Like(likeness));
        }
    }

    /// The names that share enough trigrams with the query to be similar enough. A third of them is
    /// needed for a similarity of 0.5, because a name has at least as many trigrams as it shares.
    fn sharing(&self, wanted: &FxHashSet<[char; 3]>, tally: &mut Tally) -> Vec<u32> {
        let least = u8::try_from(wanted.len().div_ceil(3)).unwrap_or(u8::MAX);
        tally.0.clear();
        tally.0.resize(self.all.len(), 0);
        let mut sharing = Vec::new();
        let lists = wanted.iter().filter_map(|trigram| self.trigrams.get(trigram));
        for number in lists.filter(|list| list.len() <= Self::COMMON_TRIGRAM).flatten() {
            if let Some(shared) = tally.0.get_mut(*number as usize) {
                *shared = shared.saturating_add(1);
                if *shared == least {
                    sharing.push(*number);
                }
            }
        }
        sharing
    }
}

fn take_out<T: PartialEq>(list: &mut Vec<T>, one: &T) {
    if let Some(at) = list.iter().position(|other| other == one) {
        list.swap_remove(at);
    }
}

/// All distinct trigrams, padded with spaces at both ends.
fn trigrams(name: &str) -> FxHashSet<[char; 3]> {
    let mut last = [' ', ' '];
    let letters = name.chars().chain([' ', ' ']);
    letters
        .map(|c| {
            let trigram = [last[0], last[1], c];
            last = [last[1], c];
            trigram
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Names {
        let mut names = Names::default();
        for (slot, name) in (0..).zip(["aelysh vane", "aelith", "mill", "the old mill"]) {
            names.add(name, Slot(slot));
        }
        names
    }

    fn called(names: &Names, query: &str) -> FxHashMap<Slot, Called> {
        names.called(query, &mut Tally::default())
    }

    fn check(query: &str, slot: u32, expected: impl Fn(Called) -> bool) {
        let called = called(&names(), query).get(&Slot(slot)).copied();
        assert!(called.is_some_and(expected), "{query}: {called:?}");
    }

    #[test]
    fn names_answer_in_four_ways() {
        check("aelysh vane", 0, |called| called == Called::Exactly);
        check("aely", 0, |called| called == Called::Beginning);
        check("who owns the old mill now", 3, |called| called == Called::Mentioned);
        check("aelish vane", 0, |called| matches!(called, Called::Like(_)));
    }

    #[test]
    fn other_names_do_not_answer() {
        assert!(called(&names(), "dragon").is_empty());
        assert!(called(&names(), "who is the").is_empty());
        assert!(called(&names(), "").is_empty());
    }

    #[test]
    fn removed_names_answer_no_more() {
        let mut names = names();
        names.add("mill", Slot(9));
        names.remove("mill", Slot(2));
        assert_eq!(called(&names, "mill").get(&Slot(9)), Some(&Called::Exactly));
        assert_eq!(called(&names, "mill").get(&Slot(2)), None);
        names.remove("mill", Slot(9));
        assert_eq!(called(&names, "mil").get(&Slot(9)), None);
    }

    #[test]
    fn numbers_of_removed_names_are_used_again() {
        let mut names = names();
        names.remove("aelith", Slot(1));
        names.add("brandor keep", Slot(7));
        let mut tally = Tally::default();
        let found = names.called("brander keep", &mut tally);
        assert!(matches!(found.get(&Slot(7)), Some(Called::Like(_))), "{found:?}");
        assert_eq!(names.all.len(), 4);
        assert!(names.called("aelith", &mut tally).values().all(|how| *how != Called::Exactly));
    }

    #[test]
    fn of_a_series_of_names_the_most_similar_match() {
        let mut names = Names::default();
        let series: Vec<u32> = (1000..2000).collect();
        series.iter().rev().for_each(|number| names.add(&format!("room {number}"), Slot(*number)));
        let found = called(&names, "room 1234b");
        assert_eq!(found.len(), Names::MOST_ALIKE);
        assert!(found.contains_key(&Slot(1234)), "the most similar one");
        let mut reversed = Names::default();
        series.iter().for_each(|number| reversed.add(&format!("room {number}"), Slot(*number)));
        assert_eq!(called(&reversed, "room 1234b"), found, "whatever came first");
    }

    #[test]
    fn likeness_is_the_share_of_trigrams_in_common() {
        let mut names = Names::default();
        let all = ["ash", "ashen", "ashen vale", "the ashen vale", "shale", "vale", "asher"];
        (0..).zip(all).for_each(|(slot, name)| names.add(name, Slot(slot)));
        for query in ["ashen", "ashen val", "ash", "vales", "the ash"] {
            let found = called(&names, query);
            for (slot, name) in (0..).zip(all).filter(|(_, name)| !name.starts_with(query)) {
                let (wanted, own) = (trigrams(query), trigrams(name));
                let shared = wanted.intersection(&own).count() as f32;
                let likeness = 2.0 * shared / (wanted.len() + name.len() + 2) as f32;
                let expected = (likeness >= 0.5).then_some(Called::Like(likeness));
                let found = found.get(&Slot(slot)).filter(|how| matches!(how, Called::Like(_)));
                let mentioned = query.split(' ').any(|word| word == name);
                assert!(mentioned || found.copied() == expected, "{query}, {name}: {found:?}");
            }
        }
    }
}

//! Names and aliases: who is called exactly so, begins so, or is spelt much like it.

use std::collections::BTreeMap;
use std::ops::Bound;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::column::Slot;

/// The names of a view, folded, each with the heads that bear it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Names {
    bearers: BTreeMap<Box<str>, Vec<Slot>>,
    /// Names by three letters in a row.
    trigrams: FxHashMap<[char; 3], Vec<Box<str>>>,
    /// The most words a name ever had; longer runs of words need no look.
    most_words: usize,
}

/// How a name answers a query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Called {
    /// It is the query.
    Exactly,
    /// It begins with the query.
    Beginning,
    /// It stands in the query.
    Mentioned,
    /// It is spelt much like the query; how much, 0 to 1.
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
    /// Longer queries are not compared letter by letter, only searched for names.
    const LONGEST_QUERY: usize = 64;
    /// Only so many words of a long text are searched for names.
    const MOST_WORDS: usize = 256;
    /// At most so many names that begin like the query.
    const MOST_BEGINNINGS: usize = 100;
    /// Trigrams in so many names tell nothing apart.
    const COMMON_TRIGRAM: usize = 20_000;
    /// Less like names are other names.
    const LEAST_LIKENESS: f32 = 0.5;

    pub(crate) fn add(&mut self, name: &str, slot: Slot) {
        self.most_words = self.most_words.max(name.split(' ').count());
        if let Some(bearers) = self.bearers.get_mut(name) {
            bearers.push(slot);
            return;
        }
        self.bearers.insert(name.into(), vec![slot]);
        for trigram in trigrams(name) {
            self.trigrams.entry(trigram).or_default().push(name.into());
        }
    }

    pub(crate) fn remove(&mut self, name: &str, slot: Slot) {
        let Some(bearers) = self.bearers.get_mut(name) else { return };
        if let Some(at) = bearers.iter().position(|bearer| *bearer == slot) {
            bearers.swap_remove(at);
        }
        if !bearers.is_empty() {
            return;
        }
        self.bearers.remove(name);
        for trigram in trigrams(name) {
            if let Some(names) = self.trigrams.get_mut(&trigram) {
                names.retain(|other| **other != *name);
            }
        }
    }

    /// All heads whose names answer a folded query, each with its best reason.
    pub(crate) fn called(&self, query: &str) -> FxHashMap<Slot, Called> {
        let mut found = FxHashMap::default();
        if query.is_empty() || self.bearers.is_empty() {
            return found;
        }
        let mut note = |name: &str, called: Called| {
            for slot in self.bearers.get(name).into_iter().flatten() {
                let best = found.entry(*slot).or_insert(called);
                if called.rank() > best.rank() {
                    *best = called;
                }
            }
        };
        note(query, Called::Exactly);
        self.mentioned(query, &mut note);
        if query.len() <= Self::LONGEST_QUERY {
            self.beginning(query, &mut note);
            self.like(query, &mut note);
        }
        found
    }

    fn mentioned(&self, query: &str, note: &mut impl FnMut(&str, Called)) {
        let words: Vec<&str> = query.split(' ').take(Self::MOST_WORDS).collect();
        for start in 0..words.len() {
            for count in 1..=self.most_words.min(words.len() - start).min(8) {
                let Some(run) = words.get(start..start + count) else { break };
                let says_something =
                    run.iter().any(|word| !lore_text::analysis::is_stop_word(word));
                if says_something && count < words.len() {
                    note(&run.join(" "), Called::Mentioned);
                }
            }
        }
    }

    fn beginning(&self, query: &str, note: &mut impl FnMut(&str, Called)) {
        if query.chars().count() < 2 {
            return;
        }
        let range = (Bound::Excluded(query), Bound::Unbounded);
        let names = self.bearers.range::<str, _>(range).map(|(name, _)| name);
        for name in names.take_while(|name| name.starts_with(query)).take(Self::MOST_BEGINNINGS) {
            note(name, Called::Beginning);
        }
    }

    fn like(&self, query: &str, note: &mut impl FnMut(&str, Called)) {
        let wanted = trigrams(query);
        let mut common: FxHashMap<&str, usize> = FxHashMap::default();
        for names in wanted.iter().filter_map(|trigram| self.trigrams.get(trigram)) {
            if names.len() <= Self::COMMON_TRIGRAM {
                names.iter().for_each(|name| *common.entry(name).or_default() += 1);
            }
        }
        for (name, shared) in common {
            let own = name.chars().count() + 2;
            // Dice's coefficient; the name's trigrams are hardly ever repeated.
            let likeness = 2.0 * shared as f32 / (wanted.len() + own) as f32;
            if likeness >= Self::LEAST_LIKENESS && name != query {
                note(name, Called::Like(likeness.min(1.0)));
            }
        }
    }
}

/// Three letters in a row, also across the ends, each once.
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

    fn check(query: &str, slot: u32, expected: impl Fn(Called) -> bool) {
        let called = names().called(query).get(&Slot(slot)).copied();
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
        assert!(names().called("dragon").is_empty());
        assert!(names().called("who is the").is_empty());
        assert!(names().called("").is_empty());
    }

    #[test]
    fn removed_names_answer_no_more() {
        let mut names = names();
        names.add("mill", Slot(9));
        names.remove("mill", Slot(2));
        assert_eq!(names.called("mill").get(&Slot(9)), Some(&Called::Exactly));
        assert_eq!(names.called("mill").get(&Slot(2)), None);
        names.remove("mill", Slot(9));
        assert_eq!(names.called("mil").get(&Slot(9)), None);
    }
}

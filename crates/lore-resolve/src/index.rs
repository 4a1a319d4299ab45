//! An index of all names of one type, to find the few that may be meant.
//!
//! Candidates are found by trigrams of their words, weighted by rarity, and by what spelling does
//! not show: sounds, short forms of given names, and initials.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use crate::given_names;
use crate::name::{Kind, Name, Token};
use crate::profile::{Family, Profile};

/// The names of one type. A thing may have several.
#[derive(Debug, Clone)]
pub(crate) struct Index {
    pub(crate) profile: Profile,
    slots: Vec<Option<Slot>>,
    lengths: Vec<f32>,
    /// The places of removed names, to be taken again.
    free: Vec<u32>,
    living: usize,
    measured: usize,
    postings: FxHashMap<u64, Vec<u32>>,
    by_key: FxHashMap<String, Vec<u32>>,
    by_initials: FxHashMap<String, Vec<u32>>,
    frequencies: FxHashMap<String, u32>,
    successions: FxHashMap<u64, u32>,
}

/// One name or alias of a thing.
#[derive(Debug, Clone)]
pub(crate) struct Slot {
    pub(crate) thing: usize,
    pub(crate) spelling: Spelling,
    pub(crate) text: String,
    pub(crate) name: Name,
}

/// Whether a spelling is the main name of a thing or an alias.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spelling {
    Name,
    Alias,
}

/// How many candidates are compared in detail.
const MOST_CANDIDATES: usize = 30;
/// From this number of names on, trigrams that occur in every twentieth name are skipped.
const LARGE: usize = 20_000;
const ALWAYS_KEPT: usize = 4;
/// The weight of the background frequency of words, as a number of observations.
const BACKGROUND: f64 = 10_000.0;
/// The assumed frequency rank of unknown words.
const UNKNOWN_RANK: f64 = 80_000.0;
const SINGLE_CHARACTER_RANK: f64 = 30.0;
const LIGHT: f64 = 0.3;
const LEAST_WEIGHT: f64 = 0.2;
const LETTER_WEIGHT: f64 = 2.5;
/// Two words that follow each other in this many names form a phrase.
const PHRASE: u32 = 5;

impl Index {
    pub(crate) fn new(profile: Profile) -> Self {
        Self {
            profile,
            slots: Vec::new(),
            lengths: Vec::new(),
            free: Vec::new(),
            living: 0,
            measured: 0,
            postings: FxHashMap::default(),
            by_key: FxHashMap::default(),
            by_initials: FxHashMap::default(),
            frequencies: FxHashMap::default(),
            successions: FxHashMap::default(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.living
    }

    pub(crate) fn slot(&self, place: u32) -> Option<&Slot> {
        self.slots.get(usize::try_from(place).ok()?)?.as_ref()
    }

    /// Adds a spelling and returns its position.
    pub(crate) fn insert(&mut self, thing: usize, spelling: Spelling, text: &str) -> u32 {
        let name = Name::parse(text, self.profile.family);
        let place = self.free_place();
        for piece in pieces(&name) {
            self.postings.entry(piece).or_default().push(place);
        }
        for key in keys(&name) {
            self.by_key.entry(key).or_default().push(place);
        }
        for initials in acronyms(&name, self.profile.family) {
            self.by_initials.entry(initials).or_default().push(place);
        }
        for word in distinct_words(&name) {
            *self.frequencies.entry(word).or_insert(0) += 1;
        }
        for pair in successions(&name) {
            *self.successions.entry(pair).or_insert(0) += 1;
        }
        let slot = usize::try_from(place).ok().and_then(|place| self.slots.get_mut(place));
        if let Some(slot) = slot {
            *slot = Some(Slot { thing, spelling, text: text.to_owned(), name });
        }
        self.living += 1;
        self.measure(place);
        place
    }

    /// A place without a name: the one that became free last, or a new one.
    fn free_place(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.slots.push(None);
            self.lengths.push(0.0);
            u32::try_from(self.slots.len() - 1).unwrap_or(u32::MAX)
        })
    }

    /// Removes a spelling.
    pub(crate) fn remove(&mut self, place: u32) {
        let slot = usize::try_from(place).ok().and_then(|place| self.slots.get_mut(place));
        let Some(slot) = slot.and_then(Option::take) else { return };
        self.living -= 1;
        self.free.push(place);
        let forget = |list: Option<&mut Vec<u32>>| {
            if let Some(list) = list {
                list.retain(|other| *other != place);
            }
        };
        pieces(&slot.name).iter().for_each(|piece| forget(self.postings.get_mut(piece)));
        keys(&slot.name).iter().for_each(|key| forget(self.by_key.get_mut(key)));
        for initials in acronyms(&slot.name, self.profile.family) {
            forget(self.by_initials.get_mut(&initials));
        }
        for word in distinct_words(&slot.name) {
            if let Some(count) = self.frequencies.get_mut(&word) {
                *count = count.saturating_sub(1);
            }
        }
        for pair in successions(&slot.name) {
            if let Some(count) = self.successions.get_mut(&pair) {
                *count = count.saturating_sub(1);
            }
        }
    }

    /// The evidence of a word among these names, in nats: minus the logarithm of its frequency
    /// here, smoothed by its frequency in the language.
    pub(crate) fn weight(&self, token: &Token) -> f64 {
        if token.kind == Kind::Light {
            return LIGHT;
        }
        let characters = token.text.chars().count();
        if characters == 1 && token.character.is_none() && self.profile.family == Family::Person {
            return LETTER_WEIGHT;
        }
        let rank = match token.rank {
            Some(rank) => f64::from(rank),
            None if characters == 1 => SINGLE_CHARACTER_RANK,
            None => UNKNOWN_RANK,
        };
        let background = BACKGROUND / (4.0 * rank);
        let seen = f64::from(self.frequencies.get(token.key()).copied().unwrap_or(0).max(1));
        let share = (seen + background) / (self.living as f64 + BACKGROUND);
        (-share.ln()).max(LEAST_WEIGHT)
    }

    /// The same for a word after another matching word. Words that often follow each other form a
    /// phrase, which is less evidence than its words alone. Not for people: there, such words are
    /// usually one person who is stored several times.
    pub(crate) fn weight_after(&self, before: &Token, token: &Token) -> f64 {
        let alone = self.weight(token);
        let together = self.successions.get(&succession(before, token)).copied().unwrap_or(0);
        if together < PHRASE || self.profile.family == Family::Person {
            return alone;
        }
        let begun = f64::from(self.frequencies.get(before.key()).copied().unwrap_or(together));
        let share = f64::from(together) / (begun + f64::from(PHRASE));
        alone.min((-share.ln()).max(LEAST_WEIGHT))
    }

    /// The spellings that may be meant, most likely first. Equal names and acronyms are always
    /// included.
    pub(crate) fn candidates(&self, asked: &Name) -> Vec<u32> {
        let mut chosen: Vec<u32> = Vec::new();
        let mut seen = FxHashSet::default();
        let exact = keys(asked).into_iter().filter_map(|key| self.by_key.get(&key)).flatten();
        let spelled_out = self.abbreviated(asked).into_iter();
        let near = self.near(asked).into_iter();
        let all = exact.copied().take(MOST_CANDIDATES).chain(spelled_out).chain(near);
        for place in all {
            if seen.insert(place) {
                chosen.push(place);
            }
        }
        chosen
    }

    /// Spellings of which the single asked word is an acronym, or the other way round.
    pub(crate) fn abbreviated(&self, asked: &Name) -> Vec<u32> {
        if self.profile.family == Family::Person {
            return Vec::new();
        }
        let as_initials = asked.only_word().filter(|word| word.kind == Kind::Word);
        let longer = as_initials.and_then(|word| self.by_initials.get(&word.text));
        let short = acronyms(asked, self.profile.family);
        let shorter = short.iter().filter_map(|initials| self.by_key.get(initials));
        longer.into_iter().chain(shorter).flatten().copied().take(MOST_CANDIDATES).collect()
    }

    fn near(&self, asked: &Name) -> Vec<u32> {
        let mut scores: FxHashMap<u32, f32> = FxHashMap::default();
        for (list, rarity) in self.telling_pieces(asked) {
            for place in list {
                *scores.entry(*place).or_insert(0.0) += rarity * rarity;
            }
        }
        let length = |place: u32| {
            let length = usize::try_from(place).ok().and_then(|place| self.lengths.get(place));
            length.copied().unwrap_or(1.0).max(f32::MIN_POSITIVE)
        };
        let mut found: Vec<(u32, f32)> =
            scores.into_iter().map(|(place, score)| (place, score / length(place))).collect();
        let order = |a: &(u32, f32), b: &(u32, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
        if found.len() > MOST_CANDIDATES {
            found.select_nth_unstable_by(MOST_CANDIDATES, order);
            found.truncate(MOST_CANDIDATES);
        }
        found.sort_unstable_by(order);
        found.into_iter().map(|(place, _)| place).collect()
    }

    fn telling_pieces(&self, asked: &Name) -> Vec<(&[u32], f32)> {
        let mut lists: Vec<&[u32]> = pieces(asked)
            .iter()
            .filter_map(|piece| self.postings.get(piece))
            .map(Vec::as_slice)
            .filter(|list| !list.is_empty())
            .collect();
        lists.sort_by_key(|list| list.len());
        let common = if self.living > LARGE { self.living / 20 } else { usize::MAX };
        let kept = lists.into_iter().enumerate();
        let kept = kept.filter(|(rank, list)| *rank < ALWAYS_KEPT || list.len() <= common);
        kept.map(|(_, list)| (list, self.rarity(list.len()))).collect()
    }

    fn rarity(&self, count: usize) -> f32 {
        ((self.living as f32 + 1.0) / (count as f32).max(1.0)).ln_1p()
    }

    /// Updates the vector lengths of names. Rarities change as names are added, so all lengths are
    /// recomputed whenever a quarter has been added, and only the newest in between.
    fn measure(&mut self, newest: u32) {
        let all = self.living > self.measured + self.measured / 4 + 16;
        let last = u32::try_from(self.slots.len()).unwrap_or(u32::MAX);
        for place in if all { 0..last } else { newest..newest.saturating_add(1) } {
            let length = self.slot(place).map_or(1.0, |slot| {
                let pieces = pieces(&slot.name);
                let lists = pieces.iter().filter_map(|piece| self.postings.get(piece));
                lists.map(|list| self.rarity(list.len()).powi(2)).sum::<f32>().sqrt()
            });
            let place = usize::try_from(place).ok();
            if let Some(kept) = place.and_then(|place| self.lengths.get_mut(place)) {
                *kept = length;
            }
        }
        if all {
            self.measured = self.living;
        }
    }
}

/// Hashes of the trigrams of significant words, of their sounds, and of their nickname families.
fn pieces(name: &Name) -> Vec<u64> {
    let light = name.significant().next().is_none();
    let mut found = FxHashSet::default();
    for token in name.tokens.iter().filter(|token| light || token.kind != Kind::Light) {
        let padded: Vec<char> =
            std::iter::once('#').chain(token.text.chars()).chain(std::iter::once('#')).collect();
        found.extend(padded.windows(3).map(hash));
        if let Some(written) = &token.spelled_out {
            found.insert(hash(written));
        }
        if let Some(sound) = token.sound.as_ref().filter(|sound| sound.len() >= 2) {
            found.insert(hash(("sound", sound)));
            found.extend(
                given_names::nickname_groups(&token.text)
                    .iter()
                    .map(|group| hash(("family", group))),
            );
        }
    }
    found.into_iter().collect()
}

fn hash(value: impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}

fn keys(name: &Name) -> Vec<String> {
    let mut keys = vec![name.full_key.clone()];
    if name.loose_key != name.full_key {
        keys.push(name.loose_key.clone());
    }
    keys.retain(|key| !key.is_empty());
    keys
}

/// The acronyms by which a name of several words may be known.
fn acronyms(name: &Name, family: Family) -> Vec<String> {
    if family == Family::Person {
        return Vec::new();
    }
    let mut found = name.initials();
    found.retain(|initials| (2..=7).contains(&initials.chars().count()));
    found.sort();
    found.dedup();
    found
}

fn successions(name: &Name) -> FxHashSet<u64> {
    let pairs = name.tokens.iter().zip(name.tokens.iter().skip(1));
    pairs.map(|(before, token)| succession(before, token)).collect()
}

fn succession(before: &Token, token: &Token) -> u64 {
    hash((before.key(), token.key()))
}

fn distinct_words(name: &Name) -> FxHashSet<String> {
    name.tokens.iter().map(|token| token.key().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(names: &[&str], type_name: &str) -> Index {
        let mut index = Index::new(Profile::of(type_name));
        for (thing, name) in names.iter().enumerate() {
            index.insert(thing, Spelling::Name, name);
        }
        index
    }

    fn first(index: &Index, asked: &str) -> Option<usize> {
        let name = Name::parse(asked, index.profile.family);
        index.candidates(&name).first().and_then(|place| index.slot(*place)).map(|slot| slot.thing)
    }

    #[test]
    fn near_names_come_first() {
        let index =
            index(&["Herring Monitoring", "Salmon Monitoring", "Herring Fishing"], "Project");
        assert_eq!(first(&index, "herring monitring"), Some(0));
        assert_eq!(first(&index, "fishing of herring"), Some(2));
        assert_eq!(first(&index, "qqq"), None);
    }

    #[test]
    fn sounds_short_forms_and_initials_are_found() {
        let people = index(&["William Turner", "Siobhan", "Mary Shelley"], "Person");
        assert_eq!(first(&people, "Shivon"), Some(1));
        assert_eq!(first(&people, "Bill"), Some(0));
        let bodies = index(
            &["Food and Agriculture Organization", "World Health Organization"],
            "Organization",
        );
        assert_eq!(first(&bodies, "WHO"), Some(1));
        assert_eq!(first(&bodies, "FAO"), Some(0));
    }

    #[test]
    fn what_is_removed_is_gone() {
        let mut index = index(&["Old Mill", "New Mill"], "Location");
        index.remove(0);
        assert_eq!(first(&index, "old mill"), Some(1));
        assert_eq!(index.len(), 1);
        index.remove(0);
        assert_eq!(index.len(), 1);
    }

    #[test]
    fn phrases_tell_less_than_their_words() {
        let names: Vec<_> = (0..20).map(|number| format!("{number} Steak House")).collect();
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        let index = index(&names, "Organization");
        let name = Name::parse("Steak House", Family::Organization);
        let [steak, house] = name.tokens.as_slice() else { panic!("two words") };
        assert!(index.weight_after(steak, house) < 0.5, "{}", index.weight_after(steak, house));
        assert_eq!(index.weight_after(house, steak), index.weight(steak));
    }

    #[test]
    fn rare_words_tell_more_than_common_ones() {
        let index = index(&["The River Society"], "Organization");
        let weight = |word| index.weight(&Name::parse(word, Family::Organization).tokens[0]);
        assert!(weight("zyxomma") > weight("lighthouse"));
        assert!(weight("lighthouse") > weight("river"));
        assert!(weight("river") > weight("the"));
    }
}

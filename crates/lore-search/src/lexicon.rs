//! All stems of a world, and which of them have a similar meaning.
//!
//! The meaning of a stem follows from its letters alone, so all viewers share one lexicon. Which
//! stems exist depends on everybody's documents. So each view picks only those neighbours that
//! occur in its own documents, and nobody learns anything from what others wrote.

use std::sync::Arc;

use lore_text::table::{self, DIMENSIONS};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use crate::vectors::{SIGN_WORDS, Small, distances, signs};

/// A stem's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct StemId(pub(crate) u32);

/// A stem of similar meaning, and how similar it is: 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Near {
    pub(crate) stem: StemId,
    pub(crate) weight: f32,
}

/// The stems of a world.
#[derive(Debug, Default)]
pub(crate) struct Lexicon {
    ids: FxHashMap<Arc<str>, StemId>,
    stems: Vec<Arc<str>>,
    /// The vectors of all stems, one after the other.
    values: Vec<i8>,
    scales: Vec<f32>,
    bits: Vec<u64>,
    known: Mutex<Known>,
}

/// A cache of neighbours of stems that were asked for.
#[derive(Debug, Default)]
struct Known {
    hoods: FxHashMap<Box<str>, Neighbourhood>,
    /// How many neighbours are cached in total.
    neighbours: usize,
}

/// The neighbours among the first `upto` stems; later stems were not looked at yet.
#[derive(Debug, Clone, Default)]
struct Neighbourhood {
    near: Arc<Vec<Near>>,
    upto: usize,
}

impl Lexicon {
    /// Words with a lower cosine are not treated as similar.
    const LEAST_COSINE: f32 = 0.4;
    /// Stems whose sign bits differ in more places are not compared. Chosen with
    /// `examples/prefilter.rs`: it loses about one neighbour in several hundred.
    const MOST_DISTANCE: u16 = 112;
    /// The most neighbours per stem in a view. Natural languages have about ten; names made of the
    /// same few syllables would have thousands, and a search would read all their postings.
    const MOST_NEAR: usize = 32;
    /// How many stems are cached: about as many as a language has, because finding the neighbours
    /// of one costs as much as the rest of a search.
    const MOST_KNOWN: usize = 32_768;
    /// How many neighbours are cached, to limit names that have thousands.
    const MOST_NEIGHBOURS: usize = 1 << 20;

    pub(crate) fn id(&self, stem: &str) -> Option<StemId> {
        self.ids.get(stem).copied()
    }

    /// The number of stems.
    pub(crate) fn len(&self) -> usize {
        self.stems.len()
    }

    pub(crate) fn stem(&self, id: StemId) -> Option<&Arc<str>> {
        self.stems.get(id.0 as usize)
    }

    /// Adds a stem, if it is new.
    pub(crate) fn add(&mut self, stem: &str) {
        if self.ids.contains_key(stem) {
            return;
        }
        let id = StemId(u32::try_from(self.ids.len()).unwrap_or(u32::MAX));
        let vector = meaning(stem);
        self.bits.extend(signs(&vector.values));
        self.values.extend(&vector.values);
        self.scales.push(vector.scale);
        let stem: Arc<str> = stem.into();
        self.stems.push(Arc::clone(&stem));
        self.ids.insert(stem, id);
    }

    /// The other stems with a meaning similar to `stem` for which `held` is true, nearest first.
    pub(crate) fn near(&self, stem: &str, held: impl Fn(StemId) -> bool) -> Vec<Near> {
        let all = self.all_near(stem);
        all.iter().copied().filter(|near| held(near.stem)).take(Self::MOST_NEAR).collect()
    }

    /// The same among all stems.
    fn all_near(&self, stem: &str) -> Arc<Vec<Near>> {
        let hood = self.known.lock().hoods.get(stem).cloned().unwrap_or_default();
        if hood.upto >= self.scales.len() {
            return hood.near;
        }
        // Without holding the lock, so that others can look up words meanwhile.
        let mut near = (*hood.near).clone();
        self.look(stem, hood.upto, &mut near);
        // Ties are ordered by their letters, because ids depend on the order of insertion.
        near.sort_by(|a, b| {
            b.weight.total_cmp(&a.weight).then_with(|| self.stem(a.stem).cmp(&self.stem(b.stem)))
        });
        near.shrink_to_fit();
        let near = Arc::new(near);
        let hood = Neighbourhood { near: Arc::clone(&near), upto: self.scales.len() };
        self.known.lock().keep(stem, hood);
        near
    }

    pub(crate) fn bytes(&self) -> usize {
        let letters: usize = self.stems.iter().map(|stem| stem.len() + 16).sum();
        self.values.capacity()
            + self.scales.capacity() * 4
            + self.bits.capacity() * 8
            + self.ids.capacity() * 24
            + self.stems.capacity() * 16
            + letters
    }

    fn look(&self, stem: &str, from: usize, near: &mut Vec<Near>) {
        let vector = meaning(stem);
        if vector.is_zero() {
            return;
        }
        let (own, wide) = (self.id(stem), vector.wide());
        let fresh = self.bits.get(from * SIGN_WORDS..).unwrap_or_default();
        let rows = distances(&vector.bits(), fresh);
        let numbered = rows.into_iter().zip(from..);
        for (_, at) in numbered.filter(|(distance, _)| *distance <= Self::MOST_DISTANCE) {
            let id = StemId(u32::try_from(at).unwrap_or(u32::MAX));
            let start = at * DIMENSIONS;
            let row = self.values.get(start..start + DIMENSIONS).unwrap_or_default();
            let scale = self.scales.get(at).copied().unwrap_or(0.0);
            let cosine = wide.dot(row) as f32 * wide.scale * scale;
            if cosine >= Self::LEAST_COSINE && Some(id) != own {
                near.push(Near { stem: id, weight: cosine.min(1.0).powi(3) });
            }
        }
    }
}

impl Known {
    fn keep(&mut self, stem: &str, hood: Neighbourhood) {
        let is_full = self.hoods.len() >= Lexicon::MOST_KNOWN
            || self.neighbours + hood.near.len() > Lexicon::MOST_NEIGHBOURS;
        if is_full {
            *self = Self::default();
        }
        self.neighbours += hood.near.len();
        if let Some(old) = self.hoods.insert(stem.into(), hood) {
            self.neighbours = self.neighbours.saturating_sub(old.near.len());
        }
    }
}

/// The vector of a stem; zero for identifiers and numbers, because similar spelling such as
/// `inc1088` and `inc1089` does not mean similar things. Words that are not in the vocabulary still
/// get a meaning from their pieces.
fn meaning(stem: &str) -> Small {
    let mut sum = [0.0; DIMENSIONS];
    if !stem.contains(|c: char| c.is_ascii_digit() || matches!(c, '.' | '_')) {
        table::add_stem(stem, &mut sum);
    }
    Small::unit(&sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_found_also_when_they_come_later() {
        let mut lexicon = Lexicon::default();
        lexicon.add("ship");
        lexicon.add("chees");
        assert!(lexicon.near("ship", |_| true).is_empty());
        lexicon.add("boat");
        let near = lexicon.near("ship", |_| true);
        assert_eq!(near.len(), 1);
        assert_eq!(Some(near[0].stem), lexicon.id("boat"));
        assert!(near[0].weight > 0.06 && near[0].weight < 1.0);
    }

    #[test]
    fn of_many_neighbours_the_nearest_are_taken_whenever_they_come() {
        let words: Vec<_> = lore_text::wordpiece::whole_words().map(|(word, _)| word).collect();
        let (mut early, mut late) = (Lexicon::default(), Lexicon::default());
        words.iter().take(6_000).for_each(|word| early.add(word));
        let near = |lexicon: &Lexicon| -> Vec<String> {
            let near = lexicon.near("king", |_| true);
            near.iter()
                .filter_map(|near| lexicon.stem(near.stem))
                .map(|stem| String::from(&**stem))
                .collect()
        };
        for (count, word) in words.iter().take(6_000).rev().enumerate() {
            late.add(word);
            if count % 1_000 == 0 {
                late.near("king", |_| true);
            }
        }
        assert!(near(&early).len() <= Lexicon::MOST_NEAR);
        assert!(near(&early).contains(&"queen".to_owned()), "{:?}", near(&early));
        assert_eq!(near(&early), near(&late));
    }

    #[test]
    fn those_that_are_not_held_take_nobodys_place() {
        let words: Vec<_> = lore_text::wordpiece::whole_words().map(|(word, _)| word).collect();
        let (mut whole, mut part) = (Lexicon::default(), Lexicon::default());
        words.iter().take(6_000).for_each(|word| whole.add(word));
        words.iter().take(6_000).step_by(2).for_each(|word| part.add(word));
        let held = |stem: StemId| stem.0.is_multiple_of(2);
        let weights = |near: Vec<Near>| near.iter().map(|near| near.weight).collect::<Vec<_>>();
        let chosen = whole.near("king", held);
        assert!(chosen.iter().all(|near| held(near.stem)));
        assert_eq!(weights(chosen), weights(part.near("king", |_| true)));
    }

    #[test]
    fn unknown_stems_have_neighbours_too() {
        let mut lexicon = Lexicon::default();
        lexicon.add("boat");
        assert_eq!(lexicon.near("ship", |_| true).len(), 1);
        assert!(lexicon.near("🐉", |_| true).is_empty());
    }

    #[test]
    fn identifiers_have_no_neighbours() {
        let mut lexicon = Lexicon::default();
        ["inc1088", "r2u1", "1999", "10.0.2.1"].iter().for_each(|stem| lexicon.add(stem));
        for stem in ["inc1089", "r1u2", "1998", "10.0.1.2"] {
            assert!(lexicon.near(stem, |_| true).is_empty(), "{stem}");
        }
    }
}

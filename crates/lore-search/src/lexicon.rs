//! All stems of a world, and which of them mean nearly the same.
//!
//! What a stem means follows from its letters alone, so viewers share a lexicon. Which
//! stems there are depends on everybody's documents: each view chooses among all that are
//! near those that it holds, so nobody learns anything from what others wrote.

use std::sync::Arc;

use lore_text::table::{self, DIMENSIONS};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use crate::vectors::{SIGN_WORDS, Small, distances, signs};

/// A stem's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct StemId(pub(crate) u32);

/// A stem of like meaning, and how like: 0 to 1.
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
    /// All stems' vectors, one after the other.
    values: Vec<i8>,
    scales: Vec<f32>,
    bits: Vec<u64>,
    known: Mutex<Known>,
}

/// What questions asked for already.
#[derive(Debug, Default)]
struct Known {
    hoods: FxHashMap<Box<str>, Neighbourhood>,
    /// How many neighbours they have in all.
    neighbours: usize,
}

/// What was found so far; stems after `upto` were not looked at.
#[derive(Debug, Clone, Default)]
struct Neighbourhood {
    near: Arc<Vec<Near>>,
    upto: usize,
}

impl Lexicon {
    /// Less like words are not taken for each other.
    const LEAST_COSINE: f32 = 0.4;
    /// Stems whose signs differ in more bits are not looked at. Chosen with
    /// `examples/prefilter.rs`: it loses one in some hundred neighbours.
    const MOST_DISTANCE: u16 = 112;
    /// More that a view holds are not taken. Languages have about ten; names made of the same
    /// few syllables would have thousands, and a question would read them all.
    const MOST_NEAR: usize = 32;
    /// How many questions' stems are remembered: about a language, because looking for the
    /// neighbours of one costs as much as the rest of a search.
    const MOST_KNOWN: usize = 32_768;
    /// How many neighbours are remembered, for names that have thousands.
    const MOST_NEIGHBOURS: usize = 1 << 20;

    pub(crate) fn id(&self, stem: &str) -> Option<StemId> {
        self.ids.get(stem).copied()
    }

    /// How many stems there are.
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

    /// The other stems that mean nearly what `stem` means, the nearest first, of those that
    /// are held.
    pub(crate) fn near(&self, stem: &str, held: impl Fn(StemId) -> bool) -> Vec<Near> {
        let all = self.all_near(stem);
        all.iter().copied().filter(|near| held(near.stem)).take(Self::MOST_NEAR).collect()
    }

    /// The same of all stems.
    fn all_near(&self, stem: &str) -> Arc<Vec<Near>> {
        let hood = self.known.lock().hoods.get(stem).cloned().unwrap_or_default();
        if hood.upto >= self.scales.len() {
            return hood.near;
        }
        // Not under the lock: others look up words meanwhile.
        let mut near = (*hood.near).clone();
        self.look(stem, hood.upto, &mut near);
        // By the letters where equally near: numbers depend on who came first.
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

/// What a stem means; nothing for identifiers and numbers. Those that are spelt alike, such
/// as `inc1088` and `inc1089`, are not alike. Of words that the vocabulary lacks, the pieces
/// tell something all the same.
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

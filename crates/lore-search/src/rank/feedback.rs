//! Words that the best answers share.
//!
//! Texts about one thing share words that a question about it need not have. Where texts
//! stand alone, the best answers so far tell those words, and what has them, too, moves up
//! a little. Turns of a conversation are too short and too different for that; there it
//! does harm.

use rustc_hash::FxHashMap;

use crate::column::Slot;
use crate::lexicon::{Lexicon, StemId};
use crate::rank::lexical::Room;
use crate::view::View;

/// How many answers tell the words.
const TELLING: usize = 5;
/// How many words they tell.
const WORDS: usize = 10;

/// What the best answers share: stems, and how much each counts, 1 in all.
#[derive(Debug, Default)]
pub(super) struct Feedback(Vec<(StemId, f32)>);

impl Feedback {
    /// Reads the words of answers, which come best first, each with its score.
    pub(super) fn of(view: &View, lexicon: &Lexicon, best: &[(Slot, f32)]) -> Self {
        let best = best.get(..TELLING).unwrap_or(best);
        let total: f32 = best.iter().map(|(_, score)| score.max(0.0)).sum();
        let mut shares: FxHashMap<StemId, f32> = FxHashMap::default();
        for (entry, score) in
            best.iter().filter_map(|(slot, score)| Some((view.entry(*slot)?, score)))
        {
            let length = entry.analysis.length().max(1) as f32;
            let weight = score.max(0.0) / total.max(f32::MIN_POSITIVE) / length;
            entry.analysis.for_each_term(|stem, count| {
                if let Some(id) = lexicon.id(stem) {
                    *shares.entry(id).or_default() +=
                        weight * f32::from(count) * view.stem_rarity(id);
                }
            });
        }
        let mut words: Vec<(StemId, f32)> = shares.into_iter().collect();
        // By the letters where equally telling: numbers depend on who came first.
        words.sort_unstable_by(|a, b| {
            b.1.total_cmp(&a.1).then_with(|| lexicon.stem(a.0).cmp(&lexicon.stem(b.0)))
        });
        words.truncate(WORDS);
        let sum: f32 = words.iter().map(|(_, share)| share).sum();
        words.iter_mut().for_each(|(_, share)| *share /= sum.max(f32::MIN_POSITIVE));
        Self(words)
    }

    /// How much of the shared words a text has, 0 to 1.
    pub(super) fn score(&self, view: &View, slot: Slot) -> f32 {
        let room = Room::new(view).of(view.span(slot));
        let part = |(stem, share): &(StemId, f32)| {
            let count = view.postings(*stem).map_or(0, |postings| postings.count(slot));
            share * f32::from(count) / (f32::from(count) + room)
        };
        self.0.iter().map(part).sum()
    }
}

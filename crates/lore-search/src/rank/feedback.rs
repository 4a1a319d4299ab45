//! Pseudo-relevance feedback: words that the best answers share.
//!
//! Texts about one topic share words that a question about it may not contain. For texts that stand
//! alone, the best answers provide these words, and other texts with them move up a little.
//! Messages of a conversation are too short and too different for that; there it does harm.

use rustc_hash::FxHashMap;

use crate::column::Slot;
use crate::lexicon::{Lexicon, StemId};
use crate::rank::lexical::Room;
use crate::view::View;

/// How many of the best answers provide words.
const TELLING: usize = 5;
/// How many words they provide.
const WORDS: usize = 10;

/// The shared stems with their weights, which sum to 1.
#[derive(Debug, Default)]
pub(super) struct Feedback(Vec<(StemId, f32)>);

impl Feedback {
    /// Collects the words of answers, which are given best first with their scores.
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
        // Ties are ordered by their letters, because ids depend on the order of insertion.
        words.sort_unstable_by(|a, b| {
            b.1.total_cmp(&a.1).then_with(|| lexicon.stem(a.0).cmp(&lexicon.stem(b.0)))
        });
        words.truncate(WORDS);
        let sum: f32 = words.iter().map(|(_, share)| share).sum();
        words.iter_mut().for_each(|(_, share)| *share /= sum.max(f32::MIN_POSITIVE));
        Self(words)
    }

    /// The share of these words that a text has, 0 to 1.
    pub(super) fn score(&self, view: &View, slot: Slot) -> f32 {
        let room = Room::new(view).of(view.span(slot));
        let part = |(stem, share): &(StemId, f32)| {
            let count = view.postings(*stem).map_or(0, |postings| postings.count(slot));
            share * f32::from(count) / (f32::from(count) + room)
        };
        self.0.iter().map(part).sum()
    }
}

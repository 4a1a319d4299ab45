//! Similarity of meaning with vectors computed for one search, from the current frequency of words.
//!
//! The vectors stored in a view follow the statistics of a large store only gradually. Those
//! computed here depend only on the documents, not on the order in which they were added.

use lore_text::table::DIMENSIONS;
use rustc_hash::FxHashMap;

use crate::column::Slot;
use crate::rank::meaning::{Likeness, Model};
use crate::vectors::Small;
use crate::view::View;

/// The similarity of each candidate to a question, above their average.
pub(super) fn likenesses(view: &View, question: &Small, candidates: &[Slot]) -> Vec<Likeness> {
    if question.is_zero() {
        return vec![Likeness::default(); candidates.len()];
    }
    let mut vectors = Vectors { view, made: FxHashMap::default() };
    let cosines: Vec<Option<f32>> =
        candidates.iter().map(|slot| vectors.cosine(*slot, question)).collect();
    let mean = mean(&cosines);
    let likeness = |(slot, cosine): (&Slot, Option<f32>)| {
        cosine.map_or_else(Likeness::default, |cosine| {
            let (above, certainty) = (cosine - mean, Model::Table.certainty(view, *slot));
            let closeness = Model::Table.closeness(cosine, above, certainty);
            Likeness { above: above * certainty, closeness }
        })
    };
    candidates.iter().zip(cosines).map(likeness).collect()
}

/// The mean of the known values, summed as integers, so that their order does not matter.
fn mean(cosines: &[Option<f32>]) -> f32 {
    const STEPS: f32 = 1_048_576.0;
    let known = cosines.iter().flatten();
    let sum: i64 = known.clone().map(|cosine| (cosine * STEPS) as i64).sum();
    sum as f32 / STEPS / known.count().max(1) as f32
}

/// The vectors of documents, each computed once.
struct Vectors<'a> {
    view: &'a View,
    made: FxHashMap<Slot, Small>,
}

impl Vectors<'_> {
    /// The cosine of a document and its context with a question; `None` if the document has no
    /// meaning.
    fn cosine(&mut self, slot: Slot, question: &Small) -> Option<f32> {
        let mut sum = [0.0; DIMENSIONS];
        self.add(1.0, slot, &mut sum);
        // Neighbours alone do not make a meaning.
        if sum.iter().all(|value| *value == 0.0) {
            return None;
        }
        let mut context = Vec::new();
        self.view.context(slot, |influence, other| context.push((influence.vector, other)));
        context.into_iter().for_each(|(weight, other)| self.add(weight, other, &mut sum));
        let norm = sum.iter().map(|value| value * value).sum::<f32>().sqrt();
        let pairs = sum.iter().zip(&question.values);
        let product: f32 = pairs.map(|(value, asked)| value * f32::from(*asked)).sum();
        (norm > 0.0).then(|| product * question.scale / norm)
    }

    fn add(&mut self, weight: f32, slot: Slot, sum: &mut [f32; DIMENSIONS]) {
        let view = self.view;
        let vector = self.made.entry(slot).or_insert_with(|| view.meaning(slot));
        let weight = weight * vector.scale;
        sum.iter_mut()
            .zip(&vector.values)
            .for_each(|(sum, value)| *sum += weight * f32::from(*value));
    }
}

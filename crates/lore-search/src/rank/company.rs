//! Answers in good company.
//!
//! Texts that answer one question are like each other; those that only happen to share a
//! word with it are like something else. So each of the best answers takes over a part of
//! what those score that are most like it. Only where texts stand alone: turns of a
//! conversation have their neighbours.

use crate::column::Slot;
use crate::vectors::dot;
use crate::view::View;
use crate::view::field::Field;

/// How many of the best are compared with each other.
pub(super) const COMPARED: usize = 100;
/// How many of those most like it a text takes over from.
const MOST_ALIKE: usize = 4;
/// How much it takes over.
const SHARE: f32 = 0.2;

/// What each of the answers gains or loses by those most like it.
pub(super) fn gains(view: &View, answers: &[(Slot, f32)]) -> Vec<f32> {
    let least = answers.iter().map(|(_, score)| *score).fold(f32::INFINITY, f32::min);
    let field = &view.meanings.own;
    let gain = |at: usize, (slot, score): &(Slot, f32)| {
        let others = answers.iter().enumerate().filter(|(other, _)| *other != at);
        let mut alike: Vec<(f32, f32)> = others
            .map(|(_, (other, score))| (cosine(field, *slot, *other), score - least))
            .filter(|(cosine, _)| *cosine > 0.0)
            .collect();
        alike.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(b.1.total_cmp(&a.1)));
        alike.truncate(MOST_ALIKE);
        let weight: f32 = alike.iter().map(|(cosine, _)| cosine).sum();
        let sum: f32 = alike.iter().map(|(cosine, score)| cosine * score).sum();
        let mean = if weight > 0.0 { sum / weight } else { 0.0 };
        SHARE * (mean - (score - least))
    };
    answers.iter().enumerate().map(|(at, answer)| gain(at, answer)).collect()
}

fn cosine(field: &Field, a: Slot, b: Slot) -> f32 {
    dot(field.row(a), field.row(b)) as f32 * field.scale(a) * field.scale(b)
}

//! Adjusting scores by similar answers.
//!
//! Texts that answer one question are similar to each other; texts that only happen to share a word
//! with it are similar to something else. So each of the best answers takes over a part of the
//! scores of the answers most similar to it. Only for texts that stand alone: messages of a
//! conversation have their neighbours for that.

use crate::column::Slot;
use crate::view::View;

/// How many of the best answers are compared with each other.
pub(super) const COMPARED: usize = 100;
/// From how many of the most similar answers a text takes over.
const MOST_ALIKE: usize = 4;
/// How much it takes over.
const SHARE: f32 = 0.2;

/// What each answer gains or loses through the answers most similar to it.
pub(super) fn gains(view: &View, answers: &[(Slot, f32)]) -> Vec<f32> {
    let least = answers.iter().map(|(_, score)| *score).fold(f32::INFINITY, f32::min);
    let guest = |(slot, score): &(Slot, f32)| Guest::new(*slot, score - least);
    let mut guests: Vec<Guest> = answers.iter().map(guest).collect();
    let field = &view.meanings.own;
    let mut rest = guests.as_mut_slice();
    while let Some((one, others)) = std::mem::take(&mut rest).split_first_mut() {
        let wide = field.wide(one.slot);
        for other in others.iter_mut() {
            let cosine = field.product(other.slot, &wide);
            one.meet(cosine, other.above);
            other.meet(cosine, one.above);
        }
        rest = others;
    }
    guests.iter().map(Guest::gain).collect()
}

/// One of the answers, and the most similar ones it was compared with.
#[derive(Debug, Clone, Copy)]
struct Guest {
    slot: Slot,
    /// Its score above the lowest of all.
    above: f32,
    /// The cosine and the score of the most similar answers, most similar first.
    alike: [(f32, f32); MOST_ALIKE],
}

impl Guest {
    fn new(slot: Slot, above: f32) -> Self {
        Self { slot, above, alike: [(0.0, 0.0); MOST_ALIKE] }
    }

    fn meet(&mut self, cosine: f32, above: f32) {
        let mut newcomer = (cosine, above);
        // An empty place has a similarity of 0, so dissimilar answers are never inserted.
        if self.alike.last().is_some_and(|last| newcomer.0 < last.0) || cosine <= 0.0 {
            return;
        }
        for place in &mut self.alike {
            let order = place.0.total_cmp(&newcomer.0).then(place.1.total_cmp(&newcomer.1));
            if order.is_lt() {
                std::mem::swap(place, &mut newcomer);
            }
        }
    }

    fn gain(&self) -> f32 {
        let weight: f32 = self.alike.iter().map(|(cosine, _)| cosine).sum();
        let sum: f32 = self.alike.iter().map(|(cosine, above)| cosine * above).sum();
        let mean = if weight > 0.0 { sum / weight } else { 0.0 };
        SHARE * (mean - self.above)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_alike_count_whoever_comes_first() {
        let met = [(0.2, 1.0), (0.9, 0.5), (-0.4, 9.0), (0.0, 9.0), (0.5, 0.2), (0.1, 7.0)];
        let met = [met.as_slice(), &[(0.5, 0.3), (0.7, 0.1)]].concat();
        let (mut early, mut late) = (Guest::new(Slot(0), 0.4), Guest::new(Slot(0), 0.4));
        met.iter().for_each(|(cosine, above)| early.meet(*cosine, *above));
        met.iter().rev().for_each(|(cosine, above)| late.meet(*cosine, *above));
        assert_eq!(early.alike, [(0.9, 0.5), (0.7, 0.1), (0.5, 0.3), (0.5, 0.2)]);
        assert_eq!(early.alike, late.alike);
    }

    #[test]
    fn who_meets_nobody_alike_falls_to_the_least() {
        let mut alone = Guest::new(Slot(0), 0.4);
        alone.meet(-0.1, 3.0);
        assert!((alone.gain() + SHARE * 0.4).abs() < 1e-6);
    }
}

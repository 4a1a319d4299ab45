//! The lengths of documents with their weighted context, and the mean of them.

use crate::column::{Column, Slot};
use crate::fixed::float;

/// The span of each document, in fixed point.
#[derive(Debug, Clone, Default)]
pub(crate) struct Spans {
    of: Column<u64>,
    /// Kept apart, because names and tags say nothing about how long a text usually is.
    texts: Total,
    heads: Total,
}

#[derive(Debug, Clone, Copy, Default)]
struct Total {
    sum: u64,
    count: u64,
}

impl Total {
    fn mean(self) -> f32 {
        float(self.sum) / self.count.max(1) as f32
    }
}

impl Spans {
    pub(crate) fn get(&self, slot: Slot) -> u64 {
        self.of.get(slot)
    }

    /// Sets the span of a document; 0 if it is gone or has no words.
    pub(crate) fn set(&mut self, slot: Slot, is_head: bool, span: u64) {
        let old = self.get(slot);
        let total = if is_head { &mut self.heads } else { &mut self.texts };
        total.sum = total.sum - old + span;
        total.count = total.count - u64::from(old > 0) + u64::from(span > 0);
        self.of.set(slot, span);
    }

    /// The mean span of the texts, in stems; of the heads if there are no texts.
    pub(crate) fn mean(&self) -> f32 {
        if self.texts.count > 0 { self.texts.mean() } else { self.heads.mean() }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.of.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixed::ONE;

    #[test]
    fn only_texts_say_how_long_a_text_usually_is() {
        let mut spans = Spans::default();
        spans.set(Slot(0), true, 2 * ONE);
        assert!((spans.mean() - 2.0).abs() < f32::EPSILON);
        spans.set(Slot(1), false, 30 * ONE);
        spans.set(Slot(2), false, 10 * ONE);
        assert!((spans.mean() - 20.0).abs() < f32::EPSILON);
        spans.set(Slot(1), false, 0);
        assert!((spans.mean() - 10.0).abs() < f32::EPSILON);
    }
}

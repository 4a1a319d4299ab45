//! The vectors of one model for the documents of a view.

use crate::column::{Column, Slot};
use crate::vectors::{SIGN_WORDS, Small, Wide, distances, signs};

/// Vectors of one length, at most one per document.
#[derive(Debug, Clone, Default)]
pub(crate) struct Field {
    dimensions: usize,
    values: Vec<i8>,
    scales: Column<f32>,
    /// The signs of the first dimensions, [`SIGN_WORDS`] words for each slot.
    bits: Vec<u64>,
    /// The length of the weighted sum of a document's vector and its neighbours'; 0 if it has none.
    norms: Column<Norm>,
    /// Sums over all vectors, to compute the mean. Integers, so that the order does not matter.
    sum: Vec<i64>,
    reach: i64,
    count: usize,
}

#[derive(Debug, Clone, Copy, Default)]
struct Norm {
    length: f32,
    weight: f32,
}

impl Field {
    /// The value of one unit of `sum` and `reach`.
    const UNIT: f32 = 1.0 / 4096.0;

    pub(crate) fn new(dimensions: usize) -> Self {
        Self { dimensions, sum: vec![0; dimensions], ..Self::default() }
    }

    pub(crate) fn dimensions(&self) -> usize {
        self.dimensions
    }

    pub(crate) fn has(&self, slot: Slot) -> bool {
        self.scales.get(slot) > 0.0
    }

    /// Sets a document's vector; a zero vector or one of the wrong length is left out.
    pub(crate) fn put(&mut self, slot: Slot, vector: &Small) {
        self.remove(slot);
        if vector.is_zero() || vector.values.len() != self.dimensions {
            return;
        }
        let rows = slot.at() + 1;
        if self.values.len() < rows * self.dimensions {
            self.values.resize(rows * self.dimensions, 0);
            self.bits.resize(rows * SIGN_WORDS, 0);
        }
        if let Some(row) = self.values.get_mut(slot.at() * self.dimensions..) {
            row.iter_mut().zip(&vector.values).for_each(|(place, value)| *place = *value);
        }
        if let Some(row) = self.bits.get_mut(slot.at() * SIGN_WORDS..) {
            row.iter_mut().zip(signs(&vector.values)).for_each(|(place, bits)| *place = bits);
        }
        self.scales.set(slot, vector.scale);
        self.count += 1;
        self.count_in(slot, 1);
    }

    pub(crate) fn remove(&mut self, slot: Slot) {
        if !self.has(slot) {
            return;
        }
        self.count_in(slot, -1);
        self.count -= 1;
        self.set_norm(slot, 0.0, 0.0);
        self.scales.set(slot, 0.0);
    }

    /// Sets the length of the weighted sum of the vectors around a document, and the sum of their
    /// weights.
    pub(crate) fn set_norm(&mut self, slot: Slot, norm: f32, weight: f32) {
        self.reach -= self.reach_of(slot);
        // Neighbours alone do not make a meaning.
        let length = if self.has(slot) { norm } else { 0.0 };
        self.norms.set(slot, Norm { length, weight });
        self.reach += self.reach_of(slot);
    }

    /// The length of the weighted sum of a document's vector and its context's, and the sum of the
    /// weights.
    pub(crate) fn length_with(&self, slot: Slot, context: &[(f32, Slot)]) -> (f32, f32) {
        let mut sum = vec![0.0_f32; self.dimensions];
        let mut total = 0.0;
        for (weight, other) in std::iter::once(&(1.0, slot)).chain(context) {
            let scale = self.scale(*other);
            if scale > 0.0 {
                total += weight;
                let weight = weight * scale;
                let row = self.row(*other);
                sum.iter_mut().zip(row).for_each(|(sum, value)| *sum += weight * f32::from(*value));
            }
        }
        (sum.iter().map(|value| value * value).sum::<f32>().sqrt(), total)
    }

    pub(crate) fn norm(&self, slot: Slot) -> f32 {
        self.norms.get(slot).length
    }

    pub(crate) fn row(&self, slot: Slot) -> &[i8] {
        let start = slot.at() * self.dimensions;
        self.values.get(start..start + self.dimensions).unwrap_or_default()
    }

    pub(crate) fn scale(&self, slot: Slot) -> f32 {
        self.scales.get(slot)
    }

    /// A document's vector, prepared for many products.
    pub(crate) fn wide(&self, slot: Slot) -> Wide {
        Wide::of(self.row(slot), self.scale(slot))
    }

    /// The product of a document's vector with another; 0 if it has none.
    pub(crate) fn product(&self, slot: Slot, wide: &Wide) -> f32 {
        let scale = self.scales.get(slot);
        if scale == 0.0 {
            return 0.0;
        }
        // Multiplies the scales first, so that the result is the same for both orders.
        wide.dot(self.row(slot)) as f32 * (scale * wide.scale)
    }

    /// The approximate mean similarity of all documents to `vector`.
    pub(crate) fn mean_likeness(&self, vector: &Small) -> f32 {
        let count = self.count.max(1) as f32;
        let along: f32 = self
            .sum
            .iter()
            .zip(&vector.values)
            .map(|(sum, value)| *sum as f32 * Self::UNIT * f32::from(*value))
            .sum();
        along * vector.scale / count * (self.reach as f32 * Self::UNIT / count)
    }

    /// The number of signs in which each slot's vector differs from `vector`; meaningless for slots
    /// without a vector.
    pub(crate) fn distances(&self, vector: &Small) -> Vec<u16> {
        distances(&vector.bits(), &self.bits)
    }

    pub(crate) fn bytes(&self) -> usize {
        self.values.capacity() + self.scales.bytes() + self.bits.capacity() * 8 + self.norms.bytes()
    }

    fn count_in(&mut self, slot: Slot, sign: i64) {
        let start = slot.at() * self.dimensions;
        let row = self.values.get(start..start + self.dimensions).unwrap_or_default();
        let step = self.scales.get(slot) / Self::UNIT;
        for (sum, value) in self.sum.iter_mut().zip(row) {
            *sum += sign * (f32::from(*value) * step) as i64;
        }
    }

    fn reach_of(&self, slot: Slot) -> i64 {
        let norm = self.norms.get(slot);
        if norm.length > 0.0 { (norm.weight / norm.length / Self::UNIT) as i64 } else { 0 }
    }
}

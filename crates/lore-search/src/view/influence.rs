//! How much documents count for each other.

use super::sessions::REACH;
use crate::fixed::{ONE, fixed, float, times};

/// How much one document counts for another.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Influence {
    /// The weight of its words, in fixed point.
    pub(crate) words: u64,
    /// The weight of its vector.
    pub(crate) vector: f32,
}

impl Influence {
    pub(super) const WHOLE: Self = Self { words: ONE, vector: 1.0 };
    pub(super) const HEAD: Self = Self { words: HEAD_WORDS, vector: HEAD_VECTOR };

    /// The influence of a neighbour in the session on a text with this openness to neighbours.
    pub(super) fn near(distance: usize, openness: u32) -> Self {
        let openness = u64::from(openness);
        let words = WORD_KERNEL.get(distance - 1).copied().unwrap_or(0);
        let vector = VECTOR_KERNEL.get(distance - 1).copied().unwrap_or(0.0);
        Self { words: times(words, openness), vector: vector * float(openness) }
    }
}

/// A text with more stems than this says enough by itself: its neighbours count less.
const SHORT: u32 = 25;

/// How much neighbours count for a text with this many stems, in fixed point.
pub(super) fn openness(length: u32) -> u32 {
    let openness = ONE * u64::from(SHORT) / u64::from(length.max(SHORT));
    u32::try_from(openness).unwrap_or(0)
}

/// How much a word counts for texts at a distance of 1, 2 and 3.
const WORD_KERNEL: [u64; REACH] = [fixed(0.5), fixed(0.3), fixed(0.15)];
/// The same for vectors.
const VECTOR_KERNEL: [f32; REACH] = [0.4, 0.2, 0.1];
/// How much a word of a node's head counts for the node's texts.
const HEAD_WORDS: u64 = ONE;
/// The same for vectors.
const HEAD_VECTOR: f32 = 0.4;

//! The built-in embedding table: one vector for each word piece.
//!
//! Prepared by `examples/prepare_model.rs` from the model named in NOTICE.txt. The sum of the
//! vectors of a text's pieces, weighted by rarity, represents the meaning of the text.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::analysis::stems;
use crate::wordpiece::{self, Piece};

/// The length of a row.
pub const DIMENSIONS: usize = 256;

/// The number of rows.
pub const ROWS: usize = TABLE.len() / (DIMENSIONS + SCALE);

/// Adds `weight` times the row of `piece` to `sum`.
pub fn add_row(piece: Piece, weight: f32, sum: &mut [f32; DIMENSIONS]) {
    let Some((row, scale)) = row(piece) else { return };
    let weight = weight * scale;
    for (sum, &value) in sum.iter_mut().zip(row) {
        *sum += weight * f32::from(value.cast_signed());
    }
}

/// Adds the meaning of a stem to `sum`: the vector of the most common word in the vocabulary with
/// that stem, or the vectors of the stem's own pieces.
pub fn add_stem(stem: &str, sum: &mut [f32; DIMENSIONS]) {
    if let Some(&word) = WORDS_OF_STEMS.get(stem) {
        add_row(word, 1.0, sum);
    } else {
        wordpiece::pieces(stem, |_, pieces| {
            pieces.iter().for_each(|&piece| add_row(piece, 1.0, sum));
        });
    }
}

/// The similarity of two short texts in meaning, from -1 to 1; 0 if one of them has no word that
/// the table knows.
pub fn likeness(one: &str, other: &str) -> f32 {
    let (one, other) = (meaning(one), meaning(other));
    let product = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    let lengths = (product(&one, &one) * product(&other, &other)).sqrt();
    if lengths > 0.0 { product(&one, &other) / lengths } else { 0.0 }
}

fn meaning(text: &str) -> [f32; DIMENSIONS] {
    let mut sum = [0.0; DIMENSIONS];
    stems(text, |_, stem| add_stem(stem, &mut sum));
    sum
}

/// Whether the stem belongs to a word of the vocabulary, so that its meaning is known and not
/// derived from its spelling.
pub fn is_word(stem: &str) -> bool {
    WORDS_OF_STEMS.contains_key(stem) && !stem.bytes().any(|byte| byte.is_ascii_digit())
}

/// All rows as int8, followed by all their scales as little-endian f32.
static TABLE: &[u8] = include_bytes!("../model/table.bin");

/// The size of a scale, in bytes.
const SCALE: usize = 4;

fn row(piece: Piece) -> Option<(&'static [u8; DIMENSIONS], f32)> {
    let number = usize::from(piece.0);
    let (rows, scales) = TABLE.split_at_checked(ROWS * DIMENSIONS)?;
    let row = rows.get(number * DIMENSIONS..)?.first_chunk()?;
    let scale = scales.get(number * SCALE..)?.first_chunk()?;
    Some((row, f32::from_le_bytes(*scale)))
}

static WORDS_OF_STEMS: LazyLock<FxHashMap<Box<str>, Piece>> = LazyLock::new(|| {
    let mut words = FxHashMap::default();
    for (word, piece) in wordpiece::whole_words() {
        stems(word, |_, stem| {
            words.entry(stem.into()).or_insert(piece);
        });
    }
    words
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_like_meaning_point_the_same_way() {
        assert!(likeness("ship", "boat") > 0.4, "{}", likeness("ship", "boat"));
        assert!(likeness("ship", "cheese") < 0.2, "{}", likeness("ship", "cheese"));
        assert!(likeness("paint", "artist") > likeness("paint", "football"));
        assert!((likeness("the ship", "Ships") - 1.0).abs() < 1e-5);
        assert!(likeness("ship", "the").abs() < f32::EPSILON, "a stop word means nothing");
    }

    #[test]
    fn every_piece_has_a_row() {
        assert_eq!(ROWS, 29_525);
        assert!(row(Piece(29_524)).is_some_and(|(_, scale)| scale > 0.0));
        assert!(row(Piece(29_525)).is_none());
    }
}

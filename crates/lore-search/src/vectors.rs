//! Quantised vectors: int8 values with a scale, their products, and one sign bit per dimension.
//!
//! Loops are written so that compilers vectorise them; `unsafe` is not used.

/// A vector of unit length, as int8 values with one scale.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Small {
    pub(crate) values: Vec<i8>,
    /// The value of one step; 0 for the zero vector.
    pub(crate) scale: f32,
}

impl Small {
    /// Normalises and quantises `values`. The zero vector stays zero.
    pub(crate) fn unit(values: &[f32]) -> Self {
        let norm = values.iter().map(|value| value * value).sum::<f32>().sqrt();
        let largest = values.iter().fold(0.0_f32, |most, value| most.max(value.abs()));
        if norm <= f32::MIN_POSITIVE || !norm.is_finite() {
            return Self { values: vec![0; values.len()], scale: 0.0 };
        }
        let step = largest / 127.0;
        let values =
            values.iter().map(|value| (value / step).round().clamp(-127.0, 127.0) as i8).collect();
        Self { values, scale: step / norm }
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.scale == 0.0
    }

    /// Prepares it for many products.
    pub(crate) fn wide(&self) -> Wide {
        Wide::of(&self.values, self.scale)
    }

    /// The signs of its first dimensions.
    pub(crate) fn bits(&self) -> [u64; SIGN_WORDS] {
        signs(&self.values)
    }
}

/// A vector prepared for products with many others. Its values are already widened to the type that
/// the products need, so that only the other side has to be converted each time.
#[derive(Debug, Clone, Default)]
pub(crate) struct Wide {
    values: Vec<i16>,
    /// The value of one step.
    pub(crate) scale: f32,
}

impl Wide {
    pub(crate) fn of(values: &[i8], scale: f32) -> Self {
        Self { values: values.iter().map(|value| i16::from(*value)).collect(), scale }
    }

    /// The dot product with a row of values from -127 to 127; 0 if the lengths differ.
    pub(crate) fn dot(&self, row: &[i8]) -> i32 {
        if self.values.len() != row.len() {
            return 0;
        }
        // Blocks of this size compile to multiply-and-add instructions of eight products each.
        let (wide_blocks, wide_rest) = self.values.as_chunks::<32>();
        let (blocks, rest) = row.as_chunks::<32>();
        let whole: i32 =
            wide_blocks.iter().zip(blocks).map(|(wide, block)| product(wide, block)).sum();
        whole + product(wide_rest, rest)
    }
}

#[inline]
fn product(wide: &[i16], row: &[i8]) -> i32 {
    wide.iter().zip(row).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum()
}

/// One bit for each of the first dimensions, set if the value is positive.
pub(crate) fn signs(values: &[i8]) -> [u64; SIGN_WORDS] {
    let mut bits = [0; SIGN_WORDS];
    for (word, block) in bits.iter_mut().zip(values.chunks(64)) {
        *word = block.iter().rev().fold(0, |bits, value| bits << 1 | u64::from(*value > 0));
    }
    bits
}

/// Number of 64-bit words with sign bits per vector. Measured with `examples/prefilter.rs`: for
/// texts, half as many would do; similar words need all of them.
pub(crate) const SIGN_WORDS: usize = 4;

/// The number of bits in which each row differs from `bits`. Computed for all rows at once, so that
/// it is vectorised.
pub(crate) fn distances(bits: &[u64; SIGN_WORDS], rows: &[u64]) -> Vec<u16> {
    let (rows, _) = rows.as_chunks::<SIGN_WORDS>();
    let distance = |row: &[u64; SIGN_WORDS]| {
        row.iter().zip(bits).map(|(a, b)| (a ^ b).count_ones()).sum::<u32>() as u16
    };
    rows.iter().map(distance).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_exact() {
        let a: Vec<i8> = (0..100_u8).map(|n| (n as i8).wrapping_mul(37).max(-127)).collect();
        let b: Vec<i8> = (0..100_u8).map(|n| (n as i8).wrapping_mul(91).max(-127)).collect();
        let plain: i32 = a.iter().zip(&b).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum();
        let wide = Wide::of(&a, 1.0);
        assert_eq!(wide.dot(&b), plain);
        assert_eq!(wide.dot(&b[1..]), 0);
    }

    #[test]
    fn small_vectors_keep_their_angles() {
        let a: Vec<f32> = (0..256).map(|n| (n as f32 * 0.7).sin()).collect();
        let b: Vec<f32> = (0..256).map(|n| (n as f32 * 0.7 + 1.0).sin()).collect();
        let cosine = |a: &Small, b: &Small| a.wide().dot(&b.values) as f32 * a.scale * b.scale;
        let (a, b) = (Small::unit(&a), Small::unit(&b));
        assert!((cosine(&a, &b) - 1.0_f32.cos()).abs() < 0.01);
        assert!((cosine(&a, &a) - 1.0).abs() < 0.01);
    }

    #[test]
    fn odd_vectors_are_zero() {
        assert!(Small::unit(&[0.0; 8]).is_zero());
        assert!(Small::unit(&[f32::NAN; 8]).is_zero());
        assert!(Small::unit(&[f32::INFINITY; 8]).is_zero());
    }

    #[test]
    fn bits_are_signs() {
        let a = signs(&[1, -1, 0, 5]);
        assert_eq!(a, [0b1001, 0, 0, 0]);
        assert_eq!(distances(&a, &signs(&[1, 1, 1, -5])), [3]);
    }
}

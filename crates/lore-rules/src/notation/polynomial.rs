//! Sums of dice as polynomials with big integer coefficients.
//!
//! The weights (numbers of ways) of consecutive results, from the lowest on, are the coefficients
//! of a polynomial, so that the sum of independent dice is a product of polynomials. All arithmetic
//! must stay in exact integers and within the [`Budget`].

use std::collections::BTreeMap;

use num_bigint::BigUint;

use super::error::OddsError;

/// The maximum number of different results of an expression, and of any part of it.
pub(super) const MAX_OUTCOMES: usize = 100_000;

/// The maximum number of bits of one weight. Longer ones would take seconds to reduce to lowest
/// terms.
const MAX_WEIGHT_BITS: u64 = 1 << 15;

/// The maximum number of bits of all weights together.
const MAX_BITS: u64 = 1 << 28;

/// The amount of work that may still be done.
///
/// One unit is about a nanosecond; the full budget is about half a second.
#[derive(Debug)]
pub(super) struct Budget(u64);

impl Budget {
    /// The budget of one request.
    pub(super) const fn full() -> Self {
        Self(500_000_000)
    }

    /// Spends the cost of this many operations on numbers of this many bits.
    pub(super) fn spend(&mut self, operations: usize, bits: u64) -> Result<(), OddsError> {
        // Even an operation on small numbers costs a lookup and an allocation.
        let cost = (operations as u64).saturating_mul(bits / 64 + 120);
        self.0 = self.0.checked_sub(cost).ok_or(OddsError::TooMuchWork)?;
        Ok(())
    }

    /// Spends the cost of one product of numbers with this many bits together.
    fn spend_product(&mut self, bits: u64) -> Result<(), OddsError> {
        // The library multiplies long numbers in slightly fewer than n^1.5 steps of several units
        // each.
        let words = bits / 64 + 1;
        self.spend(1, words.saturating_mul(words.isqrt()).saturating_mul(8 * 64))
    }
}

/// Rejects weights that are too long, or too large in total (32 MiB).
pub(super) fn check_size(outcomes: usize, bits: u64) -> Result<(), OddsError> {
    let size = bits.saturating_mul(outcomes as u64);
    let fits = bits <= MAX_WEIGHT_BITS && size <= MAX_BITS;
    if fits { Ok(()) } else { Err(OddsError::TooMuchWork) }
}

/// Rejects more results than can be listed.
pub(super) fn check_outcomes(given: i64) -> Result<usize, OddsError> {
    let given = usize::try_from(given).ok().filter(|given| *given <= MAX_OUTCOMES);
    given.ok_or(OddsError::TooManyOutcomes { max: MAX_OUTCOMES })
}

/// The number of ways to get each result, from the lowest result on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Polynomial {
    /// The lowest result.
    pub(super) lowest: i64,
    /// The weights of consecutive results, starting with the lowest.
    pub(super) weights: Vec<BigUint>,
}

impl Polynomial {
    /// Returns the polynomial without any results.
    pub(super) const fn empty() -> Self {
        Self { lowest: 0, weights: Vec::new() }
    }

    /// Converts a map from results to weights.
    pub(super) fn of(tally: &BTreeMap<i64, BigUint>) -> Result<Self, OddsError> {
        let mut made = Self::empty();
        if let Some(((lowest, _), (highest, _))) =
            tally.first_key_value().zip(tally.last_key_value())
        {
            made.cover(*lowest, *highest)?;
        }
        let lowest = made.lowest;
        for (result, weight) in tally {
            made.add_at(result - lowest, weight);
        }
        Ok(made)
    }

    /// The sum of all weights.
    pub(super) fn total(&self) -> BigUint {
        self.weights.iter().sum()
    }

    /// Returns the results with a non-zero weight.
    pub(super) fn into_outcomes(self) -> Vec<(i64, BigUint)> {
        let results = self.lowest..;
        results.zip(self.weights).filter(|(_, weight)| *weight != BigUint::ZERO).collect()
    }

    /// Adds another polynomial, with its results shifted and its weights multiplied.
    pub(super) fn add(
        &mut self,
        other: &Self,
        shift: i64,
        factor: &BigUint,
        budget: &mut Budget,
    ) -> Result<(), OddsError> {
        let Some(last) = other.weights.len().checked_sub(1) else { return Ok(()) };
        let first = other.lowest.checked_add(shift).ok_or(OddsError::Overflow)?;
        let end = first.checked_add_unsigned(last as u64).ok_or(OddsError::Overflow)?;
        self.cover(first, end)?;
        budget.spend(other.weights.len(), other.largest_bits() + factor.bits())?;
        let start = first - self.lowest;
        for (offset, weight) in (start..).zip(&other.weights) {
            if *weight != BigUint::ZERO {
                self.add_at(offset, &(weight * factor));
            }
        }
        Ok(())
    }

    /// Multiplies two polynomials: the distribution of the sum of two independent rolls.
    pub(super) fn times(&self, other: &Self, budget: &mut Budget) -> Result<Self, OddsError> {
        let lowest = self.lowest.checked_add(other.lowest).ok_or(OddsError::Overflow)?;
        let length = (self.weights.len() + other.weights.len()).saturating_sub(1);
        let bits = self.total().bits() + other.total().bits();
        let packing = Packing::new(length, bits, budget)?;
        let product = packing.pack(&self.weights) * packing.pack(&other.weights);
        Ok(Self { lowest, weights: packing.unpack(&product) })
    }

    /// Extends the range of results to include `first` to `last`.
    fn cover(&mut self, first: i64, last: i64) -> Result<(), OddsError> {
        if self.weights.is_empty() {
            self.lowest = first;
        }
        let before = usize::try_from(self.lowest.saturating_sub(first)).unwrap_or(0);
        let needed = last.saturating_sub(self.lowest.min(first)).saturating_add(1);
        let needed = check_outcomes(needed)?.max(self.weights.len() + before);
        if before > 0 {
            self.weights.splice(0..0, std::iter::repeat_n(BigUint::ZERO, before));
            self.lowest = first;
        }
        self.weights.resize(needed, BigUint::ZERO);
        Ok(())
    }

    fn add_at(&mut self, offset: i64, weight: &BigUint) {
        let slot = usize::try_from(offset).ok().and_then(|offset| self.weights.get_mut(offset));
        if let Some(slot) = slot {
            *slot += weight;
        }
    }

    fn largest_bits(&self) -> u64 {
        self.weights.iter().map(BigUint::bits).max().unwrap_or(0)
    }
}

/// A way to write a polynomial as one long number (Kronecker substitution), because the library
/// multiplies long numbers faster than we could multiply weight by weight.
///
/// Every weight gets a slot that no product can overflow, so slots never carry into each other.
struct Packing {
    length: usize,
    words: usize,
}

impl Packing {
    /// Computes the slot size for a product with this many weights of this many bits.
    fn new(length: usize, bits: u64, budget: &mut Budget) -> Result<Self, OddsError> {
        check_outcomes(i64::try_from(length).unwrap_or(i64::MAX))?;
        check_size(length, bits)?;
        let words = bits / 32 + 1;
        budget.spend_product(words.saturating_mul(32).saturating_mul(length as u64))?;
        Ok(Self { length, words: usize::try_from(words).unwrap_or(usize::MAX) })
    }

    fn pack(&self, weights: &[BigUint]) -> BigUint {
        let mut words = Vec::with_capacity(weights.len().saturating_mul(self.words));
        for weight in weights {
            let end = words.len() + self.words;
            words.extend(weight.iter_u32_digits());
            words.resize(end, 0);
        }
        BigUint::new(words)
    }

    fn unpack(&self, packed: &BigUint) -> Vec<BigUint> {
        let words = packed.to_u32_digits();
        let mut weights: Vec<BigUint> = words.chunks(self.words).map(BigUint::from_slice).collect();
        weights.resize(self.length, BigUint::ZERO);
        weights
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn polynomial(lowest: i64, weights: &[u32]) -> Polynomial {
        Polynomial { lowest, weights: weights.iter().map(|weight| (*weight).into()).collect() }
    }

    fn budget() -> Budget {
        Budget::full()
    }

    #[test]
    fn products_agree_with_plain_multiplication() {
        let (left, right) = (polynomial(3, &[5, 0, 7]), polynomial(-2, &[4_000_000_000, 1]));
        let product = left.times(&right, &mut budget()).unwrap();
        let expected: Vec<BigUint> =
            [20_000_000_000_u64, 5, 28_000_000_000, 7].map(BigUint::from).into();
        assert_eq!(product, Polynomial { lowest: 1, weights: expected });
    }

    #[test]
    fn adding_makes_room_on_both_sides() {
        let mut sum = polynomial(2, &[1, 1]);
        let two = BigUint::from(2_u32);
        sum.add(&polynomial(0, &[1, 1]), 4, &two, &mut budget()).unwrap();
        sum.add(&polynomial(0, &[5]), -1, &two, &mut budget()).unwrap();
        assert_eq!(sum, polynomial(-1, &[10, 0, 0, 1, 1, 2, 2]));
        assert_eq!(sum.total(), BigUint::from(16_u32));
    }

    #[test]
    fn too_much_is_refused_before_it_is_done() {
        let wide = OddsError::TooManyOutcomes { max: MAX_OUTCOMES };
        let (die, many) = (polynomial(1, &[1; 6]), polynomial(0, &[1; MAX_OUTCOMES]));
        assert_eq!(die.times(&many, &mut budget()), Err(wide.clone()));
        let far = polynomial(i64::MAX, &[1]);
        assert_eq!(far.times(&die, &mut budget()), Err(OddsError::Overflow));
        assert_eq!(polynomial(0, &[1]).add(&far, 0, &1_u32.into(), &mut budget()), Err(wide));
        assert_eq!(die.times(&die, &mut Budget(1)), Err(OddsError::TooMuchWork));
    }
}

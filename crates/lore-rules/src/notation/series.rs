//! Powers of a fraction of two sparse polynomials.
//!
//! The results of one die are a polynomial with many terms, but a short fraction: a d100 is
//! `(x - x^101) / (1 - x)`, and exploding dice are a geometric series. For `Q = (A / B)^n`, the
//! derivatives give `A B Q' = n (A' B - A B') Q`, so each coefficient of `Q` follows from a few
//! before it. Nothing may be rounded: every division must be exact.

use std::collections::BTreeMap;

use num_bigint::{BigInt, BigUint};

use super::error::OddsError;
use super::polynomial::{Budget, Polynomial, check_outcomes, check_size};

/// A sparse polynomial: a map from exponents of `x` to non-zero coefficients.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Series(BTreeMap<i64, BigInt>);

impl Series {
    /// Returns a single term: a power of `x` with a coefficient.
    pub(super) fn term(exponent: i64, factor: impl Into<BigInt>) -> Self {
        let mut made = Self::default();
        made.add(exponent, factor.into());
        made
    }

    /// Returns the constant one.
    pub(super) fn one() -> Self {
        Self::term(0, 1)
    }

    /// Adds a single term.
    pub(super) fn add(&mut self, exponent: i64, factor: BigInt) {
        let sum = self.0.entry(exponent).or_default();
        *sum += factor;
        if *sum == BigInt::ZERO {
            self.0.remove(&exponent);
        }
    }

    /// Returns the sum of this polynomial and a multiple of another.
    pub(super) fn plus(mut self, other: &Self, factor: &BigInt) -> Self {
        for (exponent, more) in &other.0 {
            self.add(*exponent, more * factor);
        }
        self
    }

    /// The product of two polynomials.
    pub(super) fn times(&self, other: &Self, budget: &mut Budget) -> Result<Self, OddsError> {
        let mut product = Self::default();
        budget.spend(self.0.len().saturating_mul(other.0.len()), self.bits() + other.bits())?;
        for (first, factor) in &self.0 {
            for (second, more) in &other.0 {
                let exponent = first.checked_add(*second).ok_or(OddsError::Overflow)?;
                product.add(exponent, factor * more);
            }
        }
        Ok(product)
    }

    /// The number of terms.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no terms.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The sum of all coefficients.
    pub(super) fn total(&self) -> BigInt {
        self.0.values().sum()
    }

    fn ends(&self) -> (i64, i64) {
        let ends = self.0.first_key_value().zip(self.0.last_key_value());
        ends.map_or((0, 0), |((lowest, _), (highest, _))| (*lowest, *highest))
    }

    /// Returns the derivative times `x`, which keeps every exponent.
    fn slope(&self) -> Self {
        let mut made = Self::default();
        self.0.iter().for_each(|(exponent, factor)| made.add(*exponent, factor * *exponent));
        made
    }

    /// Returns the polynomial shifted so that its lowest exponent is zero.
    fn aligned(&self) -> Self {
        let (lowest, _) = self.ends();
        Self(self.0.iter().map(|(at, factor)| (at - lowest, factor.clone())).collect())
    }

    fn bits(&self) -> u64 {
        self.0.values().map(BigInt::bits).max().unwrap_or(0)
    }
}

/// A fraction of two polynomials that divides without remainder.
#[derive(Debug, Clone)]
pub(super) struct Fraction {
    /// The numerator.
    pub(super) top: Series,
    /// The denominator.
    pub(super) bottom: Series,
}

impl Fraction {
    /// Raises the fraction to a power.
    ///
    /// `total`, the sum of all weights of the fraction, bounds the size of the resulting weights.
    pub(super) fn power(
        &self,
        count: u32,
        total: &BigUint,
        budget: &mut Budget,
    ) -> Result<Polynomial, OddsError> {
        let (low, high) = self.ends();
        let bits = total.bits().saturating_mul(u64::from(count));
        let lowest = low.checked_mul(i64::from(count)).ok_or(OddsError::Overflow)?;
        let last = high.saturating_sub(low).saturating_mul(i64::from(count));
        check_size(check_outcomes(last.saturating_add(1))?, bits)?;
        let rule = Rule::new(self, count, budget)?;
        let bits = bits.saturating_mul(rule.words);
        budget.spend(usize::try_from(last).unwrap_or(0).saturating_mul(rule.terms.len()), bits)?;
        let weights = rule.weights(self.first_weight(count), last);
        Ok(Polynomial { lowest, weights })
    }

    /// The lowest and the highest exponent of the quotient.
    fn ends(&self) -> (i64, i64) {
        let ((low, high), (below, above)) = (self.top.ends(), self.bottom.ends());
        (low.saturating_sub(below), high.saturating_sub(above))
    }

    fn first_weight(&self, count: u32) -> BigInt {
        let first = |series: &Series| series.0.values().next().cloned().unwrap_or_default();
        let (top, bottom) = (first(&self.top), first(&self.bottom));
        if bottom == BigInt::ZERO { BigInt::ZERO } else { (top / bottom).pow(count) }
    }
}

/// The recurrence for the weights: `first * k * q(k)` is the sum over all terms of
/// `(fixed - growing * (k - back)) * q(k - back)`.
struct Rule {
    first: BigInt,
    terms: Vec<RuleTerm>,
    /// The size of the coefficients in 64-bit words.
    words: u64,
}

struct RuleTerm {
    back: i64,
    fixed: BigInt,
    growing: BigInt,
}

impl Rule {
    fn new(fraction: &Fraction, count: u32, budget: &mut Budget) -> Result<Self, OddsError> {
        let (top, bottom) = (fraction.top.aligned(), fraction.bottom.aligned());
        let mut growing = top.times(&bottom, budget)?;
        let rising = top.slope().times(&bottom, budget)?;
        let falling = top.times(&bottom.slope(), budget)?;
        let minus_one = BigInt::from(-1);
        let fixed = rising.plus(&falling, &minus_one);
        let first = growing.0.remove(&0).unwrap_or_default();
        let powers = growing.0.keys().chain(fixed.0.keys()).copied();
        let powers: std::collections::BTreeSet<i64> = powers.collect();
        let factor = |series: &Series, at: &i64| series.0.get(at).cloned().unwrap_or_default();
        let terms = powers.iter().map(|back| RuleTerm {
            back: *back,
            fixed: factor(&fixed, back) * count,
            growing: factor(&growing, back),
        });
        let words = fixed.bits().max(growing.bits()) / 64 + 1;
        Ok(Self { first, terms: terms.collect(), words })
    }

    fn weights(&self, first: BigInt, last: i64) -> Vec<BigUint> {
        let mut weights = vec![first];
        for k in 1..=last {
            let sum: BigInt = self.terms.iter().filter_map(|term| term.part(k, &weights)).sum();
            let divisor = &self.first * k;
            weights.push(if divisor == BigInt::ZERO { BigInt::ZERO } else { sum / divisor });
        }
        weights.into_iter().map(|weight| weight.into_parts().1).collect()
    }
}

impl RuleTerm {
    fn part(&self, k: i64, weights: &[BigInt]) -> Option<BigInt> {
        let before = k - self.back;
        let weight = weights.get(usize::try_from(before).ok()?)?;
        Some((&self.fixed - &self.growing * before) * weight)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(terms: &[(i64, i64)]) -> Series {
        let mut made = Series::default();
        terms.iter().for_each(|(exponent, factor)| made.add(*exponent, BigInt::from(*factor)));
        made
    }

    fn power(top: &[(i64, i64)], bottom: &[(i64, i64)], count: u32) -> (i64, Vec<u64>) {
        let fraction = Fraction { top: series(top), bottom: series(bottom) };
        let total = BigUint::from(100_u32);
        let made = fraction.power(count, &total, &mut Budget::full()).unwrap();
        let weights = made.weights.iter().map(|weight| weight.try_into().unwrap());
        (made.lowest, weights.collect())
    }

    #[test]
    fn powers_of_a_polynomial() {
        assert_eq!(power(&[(1, 1), (2, 1)], &[(0, 1)], 3), (3, vec![1, 3, 3, 1]));
        assert_eq!(power(&[(-1, 1), (0, 1), (1, 1)], &[(0, 1)], 2), (-2, vec![1, 2, 3, 2, 1]));
        assert_eq!(power(&[(0, 2), (3, 1)], &[(0, 1)], 2), (0, vec![4, 0, 0, 4, 0, 0, 1]));
        assert_eq!(power(&[(5, 3)], &[(0, 1)], 2), (10, vec![9]));
    }

    #[test]
    fn powers_of_a_fraction() {
        // Two six-sided dice.
        let dice = (2, vec![1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1]);
        assert_eq!(power(&[(1, 1), (7, -1)], &[(0, 1), (1, -1)], 2), dice);
        // (8 - x^3) / (2 - x) = 4 + 2x + x^2, also with its exponents negated.
        assert_eq!(power(&[(0, 8), (3, -1)], &[(0, 2), (1, -1)], 2), (0, vec![16, 16, 12, 4, 1]));
        assert_eq!(
            power(&[(0, 8), (-3, -1)], &[(0, 2), (-1, -1)], 2),
            (-4, vec![1, 4, 12, 16, 16])
        );
    }

    #[test]
    fn equal_terms_are_joined_and_empty_ones_left_out() {
        let sum = series(&[(1, 2), (3, 1)]).plus(&series(&[(1, 1)]), &BigInt::from(-2));
        assert_eq!(sum, series(&[(3, 1)]));
        let square = sum.times(&series(&[(0, 1), (1, 1)]), &mut Budget::full()).unwrap();
        assert_eq!(square, series(&[(3, 1), (4, 1)]));
        assert_eq!(square.total(), BigInt::from(2));
    }
}

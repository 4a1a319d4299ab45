//! Exact fractions.
//!
//! A fraction is always in lowest terms. It is only rounded when it is converted to a
//! floating-point number.

use std::fmt::{self, Display, Formatter};

use num_bigint::{BigInt, BigUint};

/// An exact fraction in lowest terms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ratio {
    numerator: BigInt,
    denominator: BigUint,
}

impl Ratio {
    /// Reduces a fraction. A denominator of zero gives zero.
    pub(super) fn new(numerator: BigInt, denominator: BigUint) -> Self {
        let divisor = common_divisor(numerator.magnitude().clone(), denominator.clone());
        if divisor == BigUint::ZERO || denominator == BigUint::ZERO {
            return Self { numerator: BigInt::ZERO, denominator: BigUint::from(1_u32) };
        }
        let denominator = denominator / &divisor;
        Self { numerator: numerator / BigInt::from(divisor), denominator }
    }

    /// The numerator in decimal digits, with a minus sign if it is negative.
    pub fn numerator(&self) -> String {
        self.numerator.to_string()
    }

    /// The denominator in decimal digits.
    pub fn denominator(&self) -> String {
        self.denominator.to_string()
    }

    /// The fraction as a floating-point number, accurate except for its last two bits.
    pub fn value(&self) -> f64 {
        let size = quotient(self.numerator.magnitude(), &self.denominator);
        if self.numerator < BigInt::ZERO { -size } else { size }
    }
}

impl Display for Ratio {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.numerator, self.denominator)
    }
}

fn common_divisor(mut left: BigUint, mut right: BigUint) -> BigUint {
    while right != BigUint::ZERO {
        (left, right) = (right.clone(), left % right);
    }
    left
}

/// Divides two integers as a float. It scales them so that their integer quotient has 62 or 63
/// bits, because either may be too large for a float.
pub(super) fn quotient(numerator: &BigUint, denominator: &BigUint) -> f64 {
    if *numerator == BigUint::ZERO || *denominator == BigUint::ZERO {
        return 0.0;
    }
    let bits = |number: &BigUint| i32::try_from(number.bits()).unwrap_or(i32::MAX);
    let shift = 62 + bits(denominator) - bits(numerator);
    let up = usize::try_from(shift).unwrap_or(0);
    let down = usize::try_from(-shift).unwrap_or(0);
    let quotient = (numerator << up) / (denominator << down);
    let digits = quotient.iter_u64_digits().next().unwrap_or(0);
    // Scaling in two steps also reaches tiny numbers, for which a single power of two would
    // underflow to zero.
    let half = -shift / 2;
    digits as f64 * 2_f64.powi(half) * 2_f64.powi(-shift - half)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(numerator: i64, denominator: u64) -> Ratio {
        Ratio::new(BigInt::from(numerator), BigUint::from(denominator))
    }

    #[test]
    fn fractions_are_reduced() {
        for (numerator, denominator, text) in [
            (6, 36, "1/6"),
            (-6, 36, "-1/6"),
            (0, 36, "0/1"),
            (36, 36, "1/1"),
            (7, 36, "7/36"),
            (5, 0, "0/1"),
        ] {
            assert_eq!(ratio(numerator, denominator).to_string(), text);
        }
        assert_eq!(ratio(-14, 4).numerator(), "-7");
        assert_eq!(ratio(-14, 4).denominator(), "2");
    }

    #[test]
    fn values_are_as_good_as_a_float_can_be() {
        for (numerator, denominator) in [(1, 3), (-2, 3), (91, 36), (0, 5), (i64::MAX, 7)] {
            let expected = numerator as f64 / denominator as f64;
            let difference = (ratio(numerator, denominator).value() - expected).abs();
            assert!(difference <= expected.abs() * 1e-15, "{numerator}/{denominator}");
        }
        let huge = BigUint::from(6_u32).pow(4_000);
        assert_eq!(Ratio::new(BigInt::from(huge.clone()), &huge * 2_u32).value(), 0.5);
        assert_eq!(Ratio::new(BigInt::from(1), huge).value(), 0.0);
    }
}

//! What an expression can come to, and how likely each result is.
//!
//! Chances are whole numbers of equally likely ways; this type must never round them before it
//! hands them out.

use num_bigint::{BigInt, BigUint};

use super::ratio::{Ratio, quotient};

/// The exact odds of every result of an expression.
#[derive(Debug, Clone, PartialEq)]
pub struct Distribution {
    /// The possible results from the lowest to the highest, with the ways that lead to them.
    pub(super) outcomes: Vec<(i64, BigUint)>,
    /// All ways together.
    pub(super) total: BigUint,
    /// The chance that some die was stopped by the limit for explosions.
    pub(super) stopped: f64,
}

impl Distribution {
    /// Puts together results in ascending order.
    pub(super) fn new(outcomes: Vec<(i64, BigUint)>, stopped: f64) -> Self {
        let total = outcomes.iter().map(|(_, ways)| ways).sum();
        Self { outcomes, total, stopped }
    }

    /// The lowest result.
    pub fn min(&self) -> i64 {
        self.outcomes.first().map_or(0, |(result, _)| *result)
    }

    /// The highest result.
    pub fn max(&self) -> i64 {
        self.outcomes.last().map_or(0, |(result, _)| *result)
    }

    /// The average result.
    pub fn mean(&self) -> Ratio {
        let weighted = |(result, ways): &(i64, BigUint)| BigInt::from(ways.clone()) * *result;
        Ratio::new(self.outcomes.iter().map(weighted).sum(), self.total.clone())
    }

    /// The chance of this result or a higher one.
    pub fn at_least(&self, number: i64) -> Ratio {
        self.chance(|result| result >= number)
    }

    /// The chance of this result or a lower one.
    pub fn at_most(&self, number: i64) -> Ratio {
        self.chance(|result| result <= number)
    }

    /// The chance of exactly this result.
    pub fn exactly(&self, number: i64) -> Ratio {
        self.chance(|result| result == number)
    }

    /// How many different results there are.
    pub fn len(&self) -> usize {
        self.outcomes.len()
    }

    /// Whether nothing can happen at all, which no expression brings about.
    pub fn is_empty(&self) -> bool {
        self.outcomes.is_empty()
    }

    /// Every possible result with its chance, from the lowest to the highest.
    pub fn outcomes(&self) -> impl Iterator<Item = (i64, f64)> {
        self.outcomes.iter().map(|(result, ways)| (*result, quotient(ways, &self.total)))
    }

    /// The chance that some die explodes so often that the limit stops it.
    ///
    /// The odds count such a die as the roller does, without the dice it would still have brought.
    pub fn stopped(&self) -> f64 {
        self.stopped
    }

    fn chance(&self, wanted: impl Fn(i64) -> bool) -> Ratio {
        let wanted = self.outcomes.iter().filter(|(result, _)| wanted(*result));
        let ways: BigUint = wanted.map(|(_, ways)| ways).sum();
        Ratio::new(BigInt::from(ways), self.total.clone())
    }
}

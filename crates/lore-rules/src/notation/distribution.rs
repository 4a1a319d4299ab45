//! The distribution of the results of an expression.
//!
//! Probabilities are stored as exact counts of equally likely outcomes ("ways"); they are only
//! rounded when they are returned as floating-point numbers.

use num_bigint::{BigInt, BigUint};

use super::ratio::{Ratio, quotient};

/// The exact distribution of the results of an expression.
#[derive(Debug, Clone, PartialEq)]
pub struct Distribution {
    /// The possible results in ascending order, each with its number of ways.
    pub(super) outcomes: Vec<(i64, BigUint)>,
    /// The number of ways of all results together.
    pub(super) total: BigUint,
    /// The probability that some die was stopped by the limit for explosions.
    pub(super) stopped: f64,
}

impl Distribution {
    /// Creates a distribution from results in ascending order.
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

    /// The mean result.
    pub fn mean(&self) -> Ratio {
        let weighted = |(result, ways): &(i64, BigUint)| BigInt::from(ways.clone()) * *result;
        Ratio::new(self.outcomes.iter().map(weighted).sum(), self.total.clone())
    }

    /// The probability of this result or a higher one.
    pub fn at_least(&self, number: i64) -> Ratio {
        self.chance(|result| result >= number)
    }

    /// The probability of this result or a lower one.
    pub fn at_most(&self, number: i64) -> Ratio {
        self.chance(|result| result <= number)
    }

    /// The probability of exactly this result.
    pub fn exactly(&self, number: i64) -> Ratio {
        self.chance(|result| result == number)
    }

    /// The number of different results.
    pub fn len(&self) -> usize {
        self.outcomes.len()
    }

    /// Whether there is no result, which is never the case for an expression.
    pub fn is_empty(&self) -> bool {
        self.outcomes.is_empty()
    }

    /// Returns every possible result with its probability, in ascending order.
    pub fn outcomes(&self) -> impl Iterator<Item = (i64, f64)> {
        self.outcomes.iter().map(|(result, ways)| (*result, quotient(ways, &self.total)))
    }

    /// The probability that some die explodes so often that the limit stops it.
    ///
    /// The odds count such a die like the roller does: without the further dice it would have
    /// added.
    pub fn stopped(&self) -> f64 {
        self.stopped
    }

    fn chance(&self, wanted: impl Fn(i64) -> bool) -> Ratio {
        let wanted = self.outcomes.iter().filter(|(result, _)| wanted(*result));
        let ways: BigUint = wanted.map(|(_, ways)| ways).sum();
        Ratio::new(BigInt::from(ways), self.total.clone())
    }
}

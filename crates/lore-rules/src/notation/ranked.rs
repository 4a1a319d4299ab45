//! Exact odds of dice of which only some are kept.
//!
//! Dice are placed on faces from the lowest to the highest, and what a die adds to the subtotal
//! depends only on how many dice are below it. The algorithm works with the number of dice per face
//! and must never enumerate orders of dice, whose number is astronomical for a hundred dice.

use std::collections::BTreeMap;
use std::ops::Range;

use num_bigint::{BigInt, BigUint};

use super::ast::Dice;
use super::error::OddsError;
use super::polynomial::{Budget, MAX_OUTCOMES, Polynomial, check_size};
use super::pool::Face;
use super::series::{Fraction, Series};

/// Computes the number of ways to get each subtotal of the kept dice.
///
/// Explosions make the number of dice variable. A row of dice is some that explode, followed by one
/// that does not, unless the row reaches the limit: then it ends with an exploding one. So the term
/// is computed for each combination of a number of exploding and a number of other dice, weighted
/// by the number of ways in which rows can consist of them.
pub(super) fn ranked(
    dice: &Dice,
    faces: &[Face],
    explosions: u32,
    budget: &mut Budget,
) -> Result<Polynomial, OddsError> {
    let weight: u64 = faces.iter().map(|face| face.weight).sum();
    let dice_at_most = u64::from(dice.count.value()) * u64::from(explosions + 1);
    check_size(1, dice_at_most * u64::from(weight.max(1).ilog2() + 1))?;
    if faces.iter().all(|face| !face.explodes) {
        let mix = Mix { going: 0, ending: dice.count.value() };
        return Polynomial::of(&Placing::new(dice, faces, mix).count(budget)?);
    }
    let mut sum = Polynomial::empty();
    for stopped in 0..=dice.count.value() {
        let rows = Rows::new(dice, faces, explosions, stopped);
        for (going, ways) in rows.arrangements(budget)? {
            let mix = Mix { going, ending: dice.count.value() - stopped };
            let counted = Polynomial::of(&Placing::new(dice, faces, mix).count(budget)?)?;
            sum.add(&counted, 0, &ways, budget)?;
        }
    }
    Ok(sum)
}

/// A number of dice that explode and a number of dice that do not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Mix {
    going: u32,
    ending: u32,
}

/// Rows of dice that explode, some of which are stopped by the limit.
struct Rows {
    rows: u32,
    stopped: u32,
    explosions: u32,
    weight: u64,
}

impl Rows {
    fn new(dice: &Dice, faces: &[Face], explosions: u32, stopped: u32) -> Self {
        let weight = faces.iter().map(|face| face.weight).sum();
        Self { rows: dice.count.value(), stopped, explosions, weight }
    }

    /// Returns the possible total numbers of exploding dice in the rows, each with its number of
    /// ways.
    ///
    /// Shorter rows count more often, as if their missing dice existed and showed any face. With
    /// `w` for the ways of one die and `n` for the limit for explosions, a row that is not stopped
    /// is `w^n + x w^(n-1) + ... + x^n`, which is `(w^(n+1) - x^(n+1)) / (w - x)`.
    fn arrangements(&self, budget: &mut Budget) -> Result<Vec<(u32, BigUint)>, OddsError> {
        let weight = BigInt::from(self.weight);
        let longest = weight.pow(self.explosions + 1);
        let minus_one = BigInt::from(-1);
        let more = |exponent| Series::term(exponent, 1);
        let top = Series::term(0, longest.clone())
            .plus(&more(i64::from(self.explosions) + 1), &minus_one);
        let bottom = Series::term(0, weight).plus(&more(1), &minus_one);
        let row = Fraction { top, bottom };
        let free = row.power(self.rows - self.stopped, longest.magnitude(), budget)?;
        let chosen = binomial(self.rows, self.stopped);
        let fixed = i64::from(self.explosions + 1) * i64::from(self.stopped);
        let ways = free.into_outcomes().into_iter().map(|(going, ways)| (going + fixed, ways));
        let ways = ways.filter_map(|(going, ways)| Some((u32::try_from(going).ok()?, ways)));
        Ok(ways.map(|(going, ways)| (going, ways * &chosen)).collect())
    }
}

/// Whether a face is the last one that explodes, or the last one that does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turn {
    Early,
    Last,
}

/// The placement of dice on faces, lowest face first.
struct Placing<'a> {
    faces: &'a [Face],
    mix: Mix,
    kept: Range<usize>,
    /// The cost of one product, in bits of simple work. A product of long numbers takes a step for
    /// each pair of words: on average a sixth of the square of their total number of words.
    bits: u64,
}

type Tally = BTreeMap<i64, BigUint>;

impl<'a> Placing<'a> {
    fn new(dice: &Dice, faces: &'a [Face], mix: Mix) -> Self {
        let kept = dice.kept_ranks((mix.going + mix.ending) as usize);
        let weight: u64 = faces.iter().map(|face| face.weight).sum();
        let each = u64::from(weight.max(1).ilog2() + 1);
        let bits = u64::from(mix.going + mix.ending) * each;
        let bits = bits * (bits / (64 * 6) + 1);
        Self { faces, mix, kept, bits }
    }

    /// Computes the number of ways to get each subtotal.
    fn count(&self, budget: &mut Budget) -> Result<Tally, OddsError> {
        let nothing = Mix { going: 0, ending: 0 };
        let start = BTreeMap::from([(0, BigUint::from(1_u32))]);
        let mut placed = BTreeMap::from([(nothing, start)]);
        let last = [true, false].map(|kind| self.faces.iter().rposition(|it| it.explodes == kind));
        for (place, face) in self.faces.iter().enumerate() {
            let turn = if last.contains(&Some(place)) { Turn::Last } else { Turn::Early };
            placed = self.place(face, turn, placed, budget)?;
        }
        Ok(placed.remove(&self.mix).unwrap_or_default())
    }

    /// Places each possible number of dice on this face.
    fn place(
        &self,
        face: &Face,
        turn: Turn,
        placed: BTreeMap<Mix, Tally>,
        budget: &mut Budget,
    ) -> Result<BTreeMap<Mix, Tally>, OddsError> {
        let mut next: BTreeMap<Mix, Tally> = BTreeMap::new();
        for (mix, tally) in placed {
            for (number, ways) in self.choices(face, turn, mix) {
                let (mix, gain) = self.step(face, mix, number);
                let target = next.entry(mix).or_default();
                // Computing `ways` took about three more operations.
                budget.spend(tally.len() + 3, self.bits)?;
                for (subtotal, weight) in &tally {
                    *target.entry(subtotal + gain).or_default() += weight * &ways;
                }
                if target.len() > MAX_OUTCOMES {
                    return Err(OddsError::TooManyOutcomes { max: MAX_OUTCOMES });
                }
            }
        }
        Ok(next)
    }

    /// Returns how many of the remaining dice can show this face, and in how many ways each. The
    /// last face of its kind takes all that remain.
    fn choices(&self, face: &Face, turn: Turn, placed: Mix) -> Vec<(u32, BigUint)> {
        let left = if face.explodes {
            self.mix.going - placed.going
        } else {
            self.mix.ending - placed.ending
        };
        if turn == Turn::Last {
            return vec![(left, BigUint::from(face.weight).pow(left))];
        }
        let first = (0, BigUint::from(1_u32));
        let more = |(number, ways): &(u32, BigUint)| {
            let remaining = left.checked_sub(*number).filter(|remaining| *remaining > 0)?;
            Some((number + 1, ways * remaining * face.weight / (number + 1)))
        };
        std::iter::successors(Some(first), more).collect()
    }

    /// Returns the mix after placing this many more dice, and what those dice add to the subtotal.
    fn step(&self, face: &Face, placed: Mix, number: u32) -> (Mix, i64) {
        let below = (placed.going + placed.ending) as usize;
        let taken = below.max(self.kept.start)..(below + number as usize).min(self.kept.end);
        let gain = face.score * taken.len() as i64;
        let mut mix = placed;
        if face.explodes {
            mix.going += number;
        } else {
            mix.ending += number;
        }
        (mix, gain)
    }
}

fn binomial(all: u32, chosen: u32) -> BigUint {
    (0..chosen).fold(BigUint::from(1_u32), |ways, number| ways * (all - number) / (number + 1))
}

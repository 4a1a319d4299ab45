//! Exact odds of one dice term.
//!
//! Each face gets an integer weight, explosions are followed as far as the roller follows them, and
//! independent dice are multiplied. The odds must always describe the same dice that the roller
//! rolls.

use num_bigint::{BigInt, BigUint};

use super::ast::{Dice, Repeat};
use super::error::OddsError;
use super::polynomial::{Budget, MAX_OUTCOMES, Polynomial};
use super::ranked::ranked;
use super::series::{Fraction, Series};

/// Computes the number of ways to get each subtotal, if each die can explode this often.
pub(super) fn pool(
    dice: &Dice,
    explosions: u32,
    budget: &mut Budget,
) -> Result<Polynomial, OddsError> {
    let faces = faces(dice, budget)?;
    if dice.selectors.is_empty() {
        let (row, total) = row(&faces, explosions, budget)?;
        return row.power(dice.count.value(), &total, budget);
    }
    ranked(dice, &faces, explosions, budget)
}

/// The probability that the limit for explosions stops at least one die of the term.
pub(super) fn stopped(dice: &Dice, explosions: u32, budget: &mut Budget) -> Result<f64, OddsError> {
    if dice.explode.is_none_or(|explode| explode.repeat == Repeat::Once) {
        return Ok(0.0);
    }
    let faces = faces(dice, budget)?;
    let weight = |exploding: bool| -> u64 {
        faces.iter().filter(|face| face.explodes || !exploding).map(|face| face.weight).sum()
    };
    let explodes = weight(true) as f64 / weight(false) as f64;
    let one = explodes.powf(f64::from(explosions) + 1.0);
    Ok(-(f64::from(dice.count.value()) * (-one).ln_1p()).exp_m1())
}

/// Adjacent faces of a die that count the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Face {
    /// The value of a die with one of these faces. If no dice are selected, faces with different
    /// values but the same score may share an entry, which has the value of the first.
    pub(super) value: i64,
    /// What a kept die with such a face adds to the subtotal.
    pub(super) score: i64,
    /// The probability, relative to the sum of the weights of all faces.
    pub(super) weight: u64,
    /// Whether such a face adds a further die.
    pub(super) explodes: bool,
}

/// Groups the faces that a die can end on, from the lowest to the highest. Without selectors, the
/// value does not matter, so faces are grouped by score; otherwise by value.
fn faces(dice: &Dice, budget: &mut Budget) -> Result<Vec<Face>, OddsError> {
    let shown = dice.faces.lowest()..=dice.faces.highest();
    let sides = shown.clone().count();
    // Handling a face costs far less than an operation on big integers.
    budget.spend(sides / 16, 0)?;
    let weights = FaceWeights::of(dice, sides as u64);
    let mut faces: Vec<Face> = Vec::new();
    for face in shown.map(|shown| weights.face(dice, shown)).filter(|face| face.weight > 0) {
        match faces.last_mut() {
            Some(last) if face.is_like(last, dice) => last.weight += face.weight,
            _ => faces.push(face),
        }
        if faces.len() > MAX_OUTCOMES {
            return Err(OddsError::TooManyOutcomes { max: MAX_OUTCOMES });
        }
    }
    let shared = faces.iter().fold(0, |shared, face| common_divisor(shared, face.weight)).max(1);
    faces.iter_mut().for_each(|face| face.weight /= shared);
    Ok(faces)
}

fn common_divisor(left: u64, right: u64) -> u64 {
    if right == 0 { left } else { common_divisor(right, left % right) }
}

impl Face {
    fn is_like(&self, other: &Self, dice: &Dice) -> bool {
        let same_value = !dice.selectors.is_empty() && self.value == other.value;
        let same_score = dice.selectors.is_empty() && self.score == other.score;
        self.explodes == other.explodes && (same_value || same_score)
    }
}

/// The weight of each face that is rerolled, and of each that is not.
struct FaceWeights {
    rerolled: u64,
    kept: u64,
}

impl FaceWeights {
    /// If `b` of `n` faces are rerolled once, each face comes up in the second roll in `b` of
    /// `n * n` cases, and a face that is not rerolled also comes up in the first roll in another
    /// `n` cases.
    fn of(dice: &Dice, sides: u64) -> Self {
        match dice.reroll {
            None => Self { rerolled: 1, kept: 1 },
            Some(reroll) if reroll.repeat == Repeat::Always => Self { rerolled: 0, kept: 1 },
            Some(reroll) => {
                let shown = dice.faces.lowest()..=dice.faces.highest();
                let bad = shown.filter(|face| reroll.condition.holds(*face)).count() as u64;
                Self { rerolled: bad, kept: sides + bad }
            }
        }
    }

    fn face(&self, dice: &Dice, shown: i64) -> Face {
        let rerolled = dice.reroll.is_some_and(|reroll| reroll.condition.holds(shown));
        let value = dice.value_of(shown);
        Face {
            value,
            score: dice.score_of(value),
            weight: if rerolled { self.rerolled } else { self.kept },
            explodes: dice.explode.is_some_and(|explode| explode.condition.holds(shown)),
        }
    }
}

/// The sum of one die and those it adds by exploding, as a fraction, with the total number of ways.
///
/// Let `t` be the polynomial of the faces that end a row, `e` that of the faces that explode, `w`
/// the number of ways of one die and `n` the limit for explosions. Then a row is
/// `t w^n + e t w^(n-1) + ... + e^n t + e^(n+1)`, where all rows are weighted as if they had the
/// same length. Multiplied by `w - e`, this is `t w^(n+1) + e^(n+1) (w - e - t)`.
fn row(
    faces: &[Face],
    explosions: u32,
    budget: &mut Budget,
) -> Result<(Fraction, BigUint), OddsError> {
    let [going, ending] = [true, false].map(|explodes| scores(faces, explodes));
    let ways = going.total() + ending.total();
    let longest = ways.pow(if going.is_empty() { 1 } else { explosions + 1 });
    let total = longest.magnitude().clone();
    if going.is_empty() {
        return Ok((shorter(Fraction { top: ending, bottom: Series::one() }, budget)?, total));
    }
    let stopped = power_of(&going, explosions + 1, budget)?;
    if ending.is_empty() {
        return Ok((Fraction { top: stopped, bottom: Series::one() }, total));
    }
    let minus_one = BigInt::from(-1);
    let bottom = Series::term(0, ways).plus(&going, &minus_one);
    let rest = stopped.times(&bottom.clone().plus(&ending, &minus_one), budget)?;
    let top = rest.plus(&ending, &longest);
    Ok((shorter(Fraction { top, bottom }, budget)?, total))
}

/// Returns the faces that do or do not explode, as a polynomial of their scores.
fn scores(faces: &[Face], explodes: bool) -> Series {
    let mut made = Series::default();
    for face in faces.iter().filter(|face| face.explodes == explodes) {
        made.add(face.score, BigInt::from(face.weight));
    }
    made
}

/// Expands the fraction by `1 - x` if that leaves fewer terms, as it does for many consecutive
/// faces of equal weight.
fn shorter(fraction: Fraction, budget: &mut Budget) -> Result<Fraction, OddsError> {
    let steps = Series::one().plus(&Series::term(1, 1), &BigInt::from(-1));
    let top = fraction.top.times(&steps, budget)?;
    let bottom = fraction.bottom.times(&steps, budget)?;
    let gain = top.len() * bottom.len() < fraction.top.len() * fraction.bottom.len();
    Ok(if gain { Fraction { top, bottom } } else { fraction })
}

/// Raises a polynomial to a power.
fn power_of(series: &Series, count: u32, budget: &mut Budget) -> Result<Series, OddsError> {
    let total = series.total().magnitude().clone();
    let fraction = Fraction { top: series.clone(), bottom: Series::one() };
    let power = shorter(fraction, budget)?.power(count, &total, budget)?;
    let mut made = Series::default();
    for (result, ways) in power.into_outcomes() {
        made.add(result, BigInt::from(ways));
    }
    Ok(made)
}

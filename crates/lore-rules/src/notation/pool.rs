//! Exact odds of one dice term.
//!
//! The faces of a die get whole weights, exploding dice are followed as far as the roller follows
//! them, and dice that do not depend on each other are multiplied. The odds must never describe
//! other dice than those the roller rolls.

use std::collections::BTreeMap;

use num_bigint::BigUint;

use super::ast::{Dice, Repeat};
use super::error::OddsError;
use super::polynomial::{Budget, Polynomial};
use super::ranked::ranked;

/// How many ways lead to each subtotal of the dice, of which each can explode this often.
pub(super) fn pool(
    dice: &Dice,
    explosions: u32,
    budget: &mut Budget,
) -> Result<Polynomial, OddsError> {
    let faces = faces(dice, budget)?;
    if dice.selectors.is_empty() {
        return chain(dice, &faces, explosions, budget)?.power(dice.count.value(), budget);
    }
    ranked(dice, &faces, explosions, budget)
}

/// The chance that at least one die of the term is stopped by the limit for explosions.
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

/// Neighbouring faces of a die that count the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Face {
    /// What a die counts as when it shows one of them.
    pub(super) value: i64,
    /// How likely that is, against the sum over all faces.
    pub(super) weight: u64,
    /// Whether they bring a further die.
    pub(super) explodes: bool,
}

/// The faces that a die can be left lying with, from the lowest to the highest value.
fn faces(dice: &Dice, budget: &mut Budget) -> Result<Vec<Face>, OddsError> {
    let shown = dice.faces.lowest()..=dice.faces.highest();
    let sides = shown.clone().count();
    budget.spend(sides, 0)?;
    let weights = FaceWeights::of(dice, sides as u64);
    let mut faces: Vec<Face> = Vec::new();
    for (shown, weight) in shown.map(|shown| (shown, weights.of_face(dice, shown))) {
        let explodes = dice.explode.is_some_and(|explode| explode.condition.holds(shown));
        let value = dice.value_of(shown);
        match faces.last_mut() {
            _ if weight == 0 => {}
            Some(last) if last.value == value && last.explodes == explodes => last.weight += weight,
            _ => faces.push(Face { value, weight, explodes }),
        }
    }
    Ok(faces)
}

/// The weights of faces that are rerolled and of those that are not.
struct FaceWeights {
    rerolled: u64,
    lying: u64,
}

impl FaceWeights {
    /// With `b` of `n` faces rerolled once, a face comes up in the second roll in `b` of `n * n`
    /// cases, and one that is not rerolled comes up in the first roll in `n` cases besides.
    fn of(dice: &Dice, sides: u64) -> Self {
        match dice.reroll {
            None => Self { rerolled: 1, lying: 1 },
            Some(reroll) if reroll.repeat == Repeat::Always => Self { rerolled: 0, lying: 1 },
            Some(reroll) => {
                let shown = dice.faces.lowest()..=dice.faces.highest();
                let bad = shown.filter(|face| reroll.condition.holds(*face)).count() as u64;
                Self { rerolled: bad, lying: sides + bad }
            }
        }
    }

    fn of_face(&self, dice: &Dice, face: i64) -> u64 {
        let rerolled = dice.reroll.is_some_and(|reroll| reroll.condition.holds(face));
        if rerolled { self.rerolled } else { self.lying }
    }
}

/// What one die and those it brings add up to.
///
/// With `t` for the faces that end the row, `e` for those that go on and `w` for their sum, a die
/// with no explosion left is worth `t + e`, and one with `n + 1` left is worth `t * w^(n+1)` plus
/// `e` times a die with `n` left: all rows are weighted as if they had the same length.
fn chain(
    dice: &Dice,
    faces: &[Face],
    explosions: u32,
    budget: &mut Budget,
) -> Result<Polynomial, OddsError> {
    let [going, ending] = [true, false].map(|explodes| scores(dice, faces, explodes));
    let one = BigUint::from(1_u32);
    let ends = Polynomial::of(&ending)?;
    let mut last = ends.clone();
    last.add(&Polynomial::of(&going)?, 0, &one, budget)?;
    if going.is_empty() {
        return Ok(last);
    }
    let sum = last.total();
    let mut length = one;
    for _ in 0..explosions {
        length *= &sum;
        let mut longer = Polynomial::empty();
        longer.add(&ends, 0, &length, budget)?;
        for (score, weight) in &going {
            longer.add(&last, *score, weight, budget)?;
        }
        last = longer;
    }
    Ok(last)
}

/// The weights of what a die adds to the subtotal, over the faces that do or do not explode.
fn scores(dice: &Dice, faces: &[Face], explodes: bool) -> BTreeMap<i64, BigUint> {
    let mut tally = BTreeMap::new();
    for face in faces.iter().filter(|face| face.explodes == explodes) {
        *tally.entry(dice.score_of(face.value)).or_default() += face.weight;
    }
    tally
}

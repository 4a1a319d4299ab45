//! Rolling an expression.
//!
//! All dice come from the given stream, so a seed and an expression always give the same roll. The
//! order in which dice are drawn must never change, or recorded rolls could no longer be
//! reproduced:
//!
//! 1. Terms are rolled from left to right as printed, and the dice of a term one after the other.
//! 2. A reroll is drawn immediately. The hundredth reroll of a die is drawn among the allowed faces
//!    only, as a die with that many sides, counted from the lowest, so that rerolling always ends
//!    and no face is favoured.
//! 3. The further die of an explosion is drawn immediately, before the next die of the term. A
//!    Fudge die is a three-sided die minus two.

use std::cmp::Reverse;

use crate::dice::{DiceStream, Sides};

use super::ast::{Ast, Binary, Dice, Expression, Faces, Number, Operator, Repeat, Reroll};
use super::error::RollError;
use super::{MAX_DICE, MAX_EXPLOSIONS, MAX_REROLLS};

/// Rolls an expression, starting at the current position of the stream.
pub fn roll(ast: &Ast, stream: &mut DiceStream) -> Result<Rolled, RollError> {
    let mut roller = Roller { stream, drawn: 0, terms: Vec::new() };
    let total = roller.expression(&ast.root)?;
    Ok(Rolled { total, terms: roller.terms })
}

/// The result of a rolled expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rolled {
    /// The result of the whole expression.
    pub total: i64,
    /// Its dice terms and numbers from left to right.
    pub terms: Vec<TermRoll>,
}

/// The result of one dice term or number, before any sign in front of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TermRoll {
    /// The term in its printed form, without the label.
    pub notation: String,
    /// The label of the term.
    pub label: Option<String>,
    /// Its dice in the order in which they were drawn; empty for a number.
    pub dice: Vec<DieRoll>,
    /// The sum of the kept dice, or the number of successes among them.
    pub subtotal: i64,
}

/// The result of one die.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DieRoll {
    /// The final face, after rerolls.
    pub face: i64,
    /// The value of the face: the same unless a minimum or maximum changed it.
    pub value: i64,
    /// Whether the die counts toward the subtotal.
    pub kept: bool,
    /// Whether the die exploded, that is, added the die after it.
    pub exploded: bool,
    /// The faces it showed before it was rerolled, in order.
    pub rerolled_from: Vec<i64>,
    /// Whether a kept die is a success; `None` if successes are not counted or the die is not kept.
    pub success: Option<bool>,
}

struct Roller<'a> {
    stream: &'a mut DiceStream,
    drawn: u64,
    terms: Vec<TermRoll>,
}

impl Roller<'_> {
    fn expression(&mut self, expression: &Expression) -> Result<i64, RollError> {
        match expression {
            Expression::Number(number) => Ok(self.number(number)),
            Expression::Dice(dice) => self.dice(dice),
            Expression::Negate(inner) => {
                self.expression(inner)?.checked_neg().ok_or(RollError::Overflow)
            }
            Expression::Binary(binary) => self.binary(binary),
        }
    }

    fn number(&mut self, number: &Number) -> i64 {
        self.terms.push(TermRoll {
            notation: number.value.to_string(),
            label: number.label.clone(),
            dice: Vec::new(),
            subtotal: number.value,
        });
        number.value
    }

    fn binary(&mut self, binary: &Binary) -> Result<i64, RollError> {
        let left = self.expression(&binary.left)?;
        let right = self.expression(&binary.right)?;
        if binary.operator == Operator::Divide && right == 0 {
            return Err(RollError::DivisionByZero { divisor: binary.right.to_string() });
        }
        binary.operator.apply(left, right).ok_or(RollError::Overflow)
    }

    fn dice(&mut self, dice: &Dice) -> Result<i64, RollError> {
        let mut rolled = Vec::with_capacity(dice.count.value() as usize);
        for _ in 0..dice.count.value() {
            self.chain(dice, &mut rolled)?;
        }
        select(dice, &mut rolled);
        let subtotal = score(dice, &mut rolled);
        let (notation, label) = (dice.notation(), dice.label.clone());
        self.terms.push(TermRoll { notation, label, dice: rolled, subtotal });
        Ok(subtotal)
    }

    /// Rolls one die and those it adds by exploding.
    fn chain(&mut self, dice: &Dice, rolled: &mut Vec<DieRoll>) -> Result<(), RollError> {
        let mut left = explosions(dice);
        loop {
            let mut die = self.final_die(dice)?;
            die.exploded = left > 0 && dice.explode.is_some_and(|it| it.condition.holds(die.face));
            let exploded = die.exploded;
            rolled.push(die);
            if !exploded {
                return Ok(());
            }
            left -= 1;
        }
    }

    /// Rolls one die, including its rerolls.
    fn final_die(&mut self, dice: &Dice) -> Result<DieRoll, RollError> {
        let mut face = self.face(dice.faces)?;
        let mut rerolled_from = Vec::new();
        if let Some(Reroll { repeat, condition }) = dice.reroll {
            let most = if repeat == Repeat::Once { 1 } else { MAX_REROLLS };
            for number in 1..=most {
                if !condition.holds(face) {
                    break;
                }
                rerolled_from.push(face);
                let last = number == MAX_REROLLS;
                face = if last { self.allowed_face(dice)? } else { self.face(dice.faces)? };
            }
        }
        let value = dice.value_of(face);
        Ok(DieRoll { face, value, kept: true, exploded: false, rerolled_from, success: None })
    }

    fn face(&mut self, faces: Faces) -> Result<i64, RollError> {
        match faces {
            Faces::Numbered(sides) => self.draw(sides),
            Faces::Percent => self.draw(Sides::D100),
            Faces::Fudge => Ok(self.draw(Sides::D3)? - 2),
        }
    }

    /// Draws among the faces that are not rerolled. The parser ensures that there is one.
    fn allowed_face(&mut self, dice: &Dice) -> Result<i64, RollError> {
        let allowed = dice.final_faces();
        let Ok(sides) = Sides::new(allowed.len()) else { return self.face(dice.faces) };
        let place = self.draw(sides)? - 1;
        Ok(allowed.nth(place).unwrap_or(dice.faces.lowest()))
    }

    fn draw(&mut self, sides: Sides) -> Result<i64, RollError> {
        if self.drawn >= MAX_DICE {
            return Err(RollError::TooManyDice { max: MAX_DICE });
        }
        self.drawn += 1;
        Ok(i64::from(self.stream.die(sides)))
    }
}

/// The maximum number of further dice that one die can add.
pub(super) fn explosions(dice: &Dice) -> u32 {
    match dice.explode.map(|explode| explode.repeat) {
        None => 0,
        Some(Repeat::Once) => 1,
        Some(Repeat::Always) => MAX_EXPLOSIONS,
    }
}

/// Marks dropped dice. Of equal dice, the one drawn first counts as the higher.
fn select(dice: &Dice, rolled: &mut [DieRoll]) {
    if dice.selectors.is_empty() {
        return;
    }
    let kept = dice.kept_ranks(rolled.len());
    let mut order: Vec<(usize, &mut DieRoll)> = rolled.iter_mut().enumerate().collect();
    order.sort_unstable_by_key(|(place, die)| (die.value, Reverse(*place)));
    for (rank, (_, die)) in order.into_iter().enumerate() {
        die.kept = kept.contains(&rank);
    }
}

/// Adds up the kept dice, or counts their successes. The limits keep the sum far below 64 bits.
fn score(dice: &Dice, rolled: &mut [DieRoll]) -> i64 {
    let mut sum = 0;
    for die in rolled.iter_mut().filter(|die| die.kept) {
        die.success = dice.success.map(|success| success.holds(die.value));
        sum += dice.score_of(die.value);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dice::Seed;
    use crate::notation::parse;

    fn rolled(text: &str, seed: u64) -> Result<Rolled, RollError> {
        let ast = parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        roll(&ast, &mut DiceStream::new(Seed::new(seed).unwrap()))
    }

    fn faces(roll: &Rolled) -> Vec<Vec<i64>> {
        roll.terms.iter().map(|term| term.dice.iter().map(|die| die.face).collect()).collect()
    }

    fn row(seed: u64, sides: i64, count: usize) -> Vec<i64> {
        let mut stream = DiceStream::new(Seed::new(seed).unwrap());
        let sides = Sides::new(sides).unwrap();
        (0..count).map(|_| i64::from(stream.die(sides))).collect()
    }

    #[test]
    fn dice_come_off_the_row_in_the_order_they_are_written() {
        let roll = rolled("2d12+3d12*2", 42).unwrap();
        assert_eq!(faces(&roll), [vec![12, 2], vec![11, 2, 7], vec![]]);
        assert_eq!(roll.total, 14 + 20 * 2);
        assert_eq!(rolled("2d12+3d12*2", 42), Ok(roll));
    }

    #[test]
    fn the_highest_three_of_four_are_kept() {
        for seed in 0..200 {
            let roll = rolled("4d6kh3+2[luck]", seed).unwrap();
            let [dice, number] = &roll.terms[..] else { panic!("{roll:?}") };
            let mut sorted = row(seed, 6, 4);
            sorted.sort_unstable();
            assert_eq!(dice.subtotal, sorted[1..].iter().sum::<i64>());
            assert_eq!(dice.dice.iter().filter(|die| die.kept).count(), 3);
            assert_eq!((dice.notation.as_str(), &dice.label), ("4d6kh3", &None));
            assert_eq!((number.notation.as_str(), number.subtotal), ("2", 2));
            assert_eq!(number.label.as_deref(), Some("luck"));
            assert_eq!(roll.total, dice.subtotal + 2);
        }
    }

    #[test]
    fn of_equal_dice_the_first_is_the_higher() {
        let dropped = |text: &str| {
            let roll = rolled(text, 5).unwrap();
            roll.terms[0].dice.iter().position(|die| !die.kept)
        };
        assert_eq!(dropped("3d1dl1"), Some(2));
        assert_eq!(dropped("3d1dh1"), Some(0));
    }

    #[test]
    fn an_exploding_die_brings_the_next_one() {
        let source = row(42, 6, 40);
        let roll = rolled("10d6!", 42).unwrap();
        let dice = &roll.terms[0].dice;
        assert_eq!(faces(&roll)[0], source[..dice.len()]);
        assert!(dice.iter().all(|die| die.exploded == (die.face == 6)));
        assert_eq!(dice.len(), 10 + dice.iter().filter(|die| die.exploded).count());
        assert!(dice.len() > 10, "the seed shows no explosion");
    }

    #[test]
    fn exploding_once_stops_after_one_further_die() {
        for seed in 0..50 {
            let roll = rolled("1d1xo+4d2xo", seed).unwrap();
            assert_eq!(roll.terms[0].subtotal, 2);
            assert!(roll.terms[1].dice.len() <= 8);
        }
    }

    #[test]
    fn explosions_stop_at_their_limit() {
        // One die in a million does not explode, so every die reaches the limit.
        let roll = rolled("3d1000000!>1", 1).unwrap();
        let dice = &roll.terms[0].dice;
        assert_eq!(dice.len(), 3 * 101);
        assert_eq!(dice.iter().filter(|die| die.exploded).count(), 3 * 100);
    }

    #[test]
    fn rerolled_dice_remember_what_they_showed() {
        let source = row(7, 6, 60);
        let roll = rolled("20d6r<=2", 7).unwrap();
        let mut replayed = Vec::new();
        for die in &roll.terms[0].dice {
            assert!(die.face > 2 && die.rerolled_from.iter().all(|face| *face <= 2));
            replayed.extend(&die.rerolled_from);
            replayed.push(die.face);
        }
        assert_eq!(replayed, source[..replayed.len()]);
        let once = rolled("20d6ro<=5", 7).unwrap();
        assert!(once.terms[0].dice.iter().all(|die| die.rerolled_from.len() <= 1));
        assert!(once.terms[0].dice.iter().any(|die| die.face <= 5));
    }

    #[test]
    fn the_last_reroll_is_drawn_among_the_allowed_faces() {
        let roll = rolled("20d1000000r>2", 3).unwrap();
        for die in &roll.terms[0].dice {
            assert!((1..=2).contains(&die.face));
            assert_eq!(die.rerolled_from.len(), 100);
        }
    }

    #[test]
    fn bounds_change_values_but_not_faces() {
        let roll = rolled("30d6min3max4", 9).unwrap();
        for die in &roll.terms[0].dice {
            assert_eq!(die.value, die.face.clamp(3, 4));
        }
        assert_eq!(faces(&roll)[0], row(9, 6, 30));
    }

    #[test]
    fn successes_are_counted_among_kept_dice() {
        let roll = rolled("6d10kh4>=8", 11).unwrap();
        let term = &roll.terms[0];
        for die in &term.dice {
            assert_eq!(die.success, die.kept.then_some(die.value >= 8));
        }
        let wins = term.dice.iter().filter(|die| die.success == Some(true)).count();
        assert_eq!(usize::try_from(roll.total).unwrap(), wins);
    }

    #[test]
    fn fudge_and_percent_dice_have_their_faces() {
        let fudge: Vec<i64> = row(4, 3, 50).iter().map(|face| face - 2).collect();
        assert_eq!(faces(&rolled("50dF", 4).unwrap())[0], fudge);
        assert_eq!(faces(&rolled("50d%", 4).unwrap())[0], row(4, 100, 50));
    }

    #[test]
    fn arithmetic_is_whole_and_checked() {
        for (text, total) in
            [("7/2", 3), ("-7/2", -3), ("2-3*4", -10), ("(2+3)*4", 20), ("-(2-5)", 3)]
        {
            assert_eq!(rolled(text, 0).map(|roll| roll.total), Ok(total), "{text}");
        }
        let divisor = "1d1-1".to_owned();
        assert_eq!(rolled("3/(d1-1)", 0), Err(RollError::DivisionByZero { divisor }));
        let huge = "1000000000*1000000000*1000000000";
        assert_eq!(rolled(huge, 0), Err(RollError::Overflow));
    }

    #[test]
    fn a_request_draws_a_limited_number_of_dice() {
        let most = ["1000d6"; 10].join("+");
        assert!(rolled(&most, 0).is_ok());
        for text in [most.replace("d6", "d6!"), most.replace("d6", "d6ro1")] {
            assert_eq!(rolled(&text, 0), Err(RollError::TooManyDice { max: 10_000 }), "{text}");
        }
    }
}

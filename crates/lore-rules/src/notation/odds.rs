//! Exact odds of a whole expression.
//!
//! Terms are rolled independently, so each node of the tree combines the distributions of its
//! operands. The computation uses the same rules as the roller and must never duplicate them or go
//! past its limits.

use std::collections::BTreeMap;

use num_bigint::BigUint;

use super::ast::{Ast, Binary, Dice, Expression, Operator};
use super::distribution::Distribution;
use super::error::OddsError;
use super::polynomial::{Budget, MAX_OUTCOMES, Polynomial, check_size};
use super::pool::{pool, stopped};
use super::roll::explosions;

/// Computes the distribution of an expression.
///
/// Rerolls need no limit here, because the roller draws its last reroll among the allowed faces.
/// Explosions have the limit of the roller.
pub fn distribution(ast: &Ast) -> Result<Distribution, OddsError> {
    Counter { budget: Budget::full(), explosions }.expression(&ast.root)
}

struct Counter {
    budget: Budget,
    /// How often each die of a term can explode; a field so that tests can lower it.
    explosions: fn(&Dice) -> u32,
}

impl Counter {
    fn expression(&mut self, expression: &Expression) -> Result<Distribution, OddsError> {
        match expression {
            Expression::Number(number) => {
                Ok(Distribution::new(vec![(number.value, BigUint::from(1_u32))], 0.0))
            }
            Expression::Dice(dice) => self.dice(dice),
            Expression::Negate(inner) => negate(self.expression(inner)?),
            Expression::Binary(binary) => self.binary(binary),
        }
    }

    fn dice(&mut self, dice: &Dice) -> Result<Distribution, OddsError> {
        let explosions = (self.explosions)(dice);
        let counted = pool(dice, explosions, &mut self.budget)?;
        let stopped = stopped(dice, explosions, &mut self.budget)?;
        Ok(Distribution::new(counted.into_outcomes(), stopped))
    }

    fn binary(&mut self, binary: &Binary) -> Result<Distribution, OddsError> {
        let left = self.expression(&binary.left)?;
        let right = self.expression(&binary.right)?;
        let zero = right.outcomes.binary_search_by_key(&0, |(result, _)| *result).is_ok();
        if binary.operator == Operator::Divide && zero {
            return Err(OddsError::DivisionByZero { divisor: binary.right.to_string() });
        }
        let stopped = left.stopped + right.stopped - left.stopped * right.stopped;
        let outcomes = match binary.operator {
            Operator::Add if adds_faster(&left, &right) => self.add(left, right)?,
            Operator::Subtract if adds_faster(&left, &right) => self.add(left, negate(right)?)?,
            operator => self.pairs(operator, &left, &right)?,
        };
        Ok(Distribution::new(outcomes, stopped))
    }

    /// Adds two distributions by multiplying polynomials, for results that lie close together.
    fn add(
        &mut self,
        left: Distribution,
        right: Distribution,
    ) -> Result<Vec<(i64, BigUint)>, OddsError> {
        let [left, right] =
            [left, right].map(|odds| Polynomial::of(&odds.outcomes.into_iter().collect()));
        Ok(left?.times(&right?, &mut self.budget)?.into_outcomes())
    }

    /// Combines every result of one side with every result of the other.
    fn pairs(
        &mut self,
        operator: Operator,
        left: &Distribution,
        right: &Distribution,
    ) -> Result<Vec<(i64, BigUint)>, OddsError> {
        let bits = left.total.bits() + right.total.bits();
        let mut tally: BTreeMap<i64, BigUint> = BTreeMap::new();
        for (first, ways) in &left.outcomes {
            self.budget.spend(right.outcomes.len(), bits)?;
            for (second, more) in &right.outcomes {
                let result = operator.apply(*first, *second).ok_or(OddsError::Overflow)?;
                *tally.entry(result).or_default() += ways * more;
            }
            if tally.len() > MAX_OUTCOMES {
                return Err(OddsError::TooManyOutcomes { max: MAX_OUTCOMES });
            }
            check_size(tally.len(), bits)?;
        }
        Ok(tally.into_iter().collect())
    }
}

/// Whether multiplying polynomials is faster than combining pairs: if there are many pairs and the
/// results have few gaps between them.
fn adds_faster(left: &Distribution, right: &Distribution) -> bool {
    let pairs = left.outcomes.len().saturating_mul(right.outcomes.len());
    let close =
        |odds: &Distribution| odds.max().abs_diff(odds.min()) <= 4 * odds.outcomes.len() as u64;
    pairs > 10_000 && close(left) && close(right)
}

fn negate(odds: Distribution) -> Result<Distribution, OddsError> {
    let turned = odds.outcomes.into_iter().rev();
    let turned =
        turned.map(|(result, ways)| Ok((result.checked_neg().ok_or(OddsError::Overflow)?, ways)));
    Ok(Distribution::new(turned.collect::<Result<_, OddsError>>()?, odds.stopped))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::ast::{Repeat, Selection};
    use crate::notation::{Ratio, parse};
    use num_bigint::BigInt;

    /// A lower limit for explosions, so that the tests can enumerate all rows of dice.
    fn few_explosions(dice: &Dice) -> u32 {
        explosions(dice).min(2)
    }

    fn odds(text: &str) -> Distribution {
        let ast = parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        distribution(&ast).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    fn refused(text: &str) -> OddsError {
        let error = distribution(&parse(text).unwrap()).expect_err(text);
        assert!(error.hint().ends_with('.'));
        error
    }

    /// All faces that one die can end on, once per way, in plain loops that share no code with the
    /// odds.
    fn final_faces_by_hand(dice: &Dice) -> Vec<i64> {
        let all = || dice.faces.lowest()..=dice.faces.highest();
        let Some(reroll) = dice.reroll else { return all().collect() };
        let bad = |face: &i64| reroll.condition.holds(*face);
        match reroll.repeat {
            Repeat::Always => all().filter(|face| !bad(face)).collect(),
            Repeat::Once => all()
                .flat_map(|first| all().map(move |second| (first, second)))
                .map(|(first, second)| if bad(&first) { second } else { first })
                .collect(),
        }
    }

    /// Every sorted row of dice that one die can lead to, with the number of ways to get it.
    fn rows_by_hand(dice: &Dice, explosions: u32) -> BTreeMap<Vec<i64>, u64> {
        let faces = final_faces_by_hand(dice);
        let mut rows = BTreeMap::new();
        for face in &faces {
            let row = vec![dice.value_of(*face)];
            let explodes = dice.explode.is_some_and(|explode| explode.condition.holds(*face));
            if explosions == 0 || !explodes {
                *rows.entry(row).or_default() += (faces.len() as u64).pow(explosions);
                continue;
            }
            for (more, ways) in rows_by_hand(dice, explosions - 1) {
                *rows.entry(joined(&row, &more)).or_default() += ways;
            }
        }
        rows
    }

    fn joined(first: &[i64], second: &[i64]) -> Vec<i64> {
        let mut values = [first, second].concat();
        values.sort_unstable();
        values
    }

    fn subtotal_by_hand(dice: &Dice, mut values: Vec<i64>) -> i64 {
        for selector in &dice.selectors {
            let count = (selector.count.value() as usize).min(values.len());
            let rest = values.len() - count;
            values = match selector.selection {
                Selection::KeepHighest => values[rest..].to_vec(),
                Selection::KeepLowest => values[..count].to_vec(),
                Selection::DropHighest => values[..rest].to_vec(),
                Selection::DropLowest => values[count..].to_vec(),
            };
        }
        match dice.success {
            Some(success) => values.iter().filter(|value| success.holds(**value)).count() as i64,
            None => values.iter().sum(),
        }
    }

    fn pool_by_hand(dice: &Dice) -> BTreeMap<i64, u64> {
        let rows = rows_by_hand(dice, few_explosions(dice));
        let mut pools = BTreeMap::from([(Vec::new(), 1)]);
        for _ in 0..dice.count.value() {
            let mut longer = BTreeMap::new();
            for (pool, ways) in &pools {
                for (row, more) in &rows {
                    *longer.entry(joined(pool, row)).or_default() += ways * more;
                }
            }
            pools = longer;
        }
        let mut tally = BTreeMap::new();
        for (values, ways) in pools {
            *tally.entry(subtotal_by_hand(dice, values)).or_default() += ways;
        }
        tally
    }

    fn assert_same(text: &str, counted: &Distribution, expected: &BTreeMap<i64, u64>) {
        let all = BigUint::from(expected.values().sum::<u64>());
        let results: Vec<i64> = counted.outcomes.iter().map(|(result, _)| *result).collect();
        assert_eq!(results, expected.keys().copied().collect::<Vec<_>>(), "{text}");
        for (result, ways) in expected {
            let expected = Ratio::new(BigInt::from(*ways), all.clone());
            assert_eq!(counted.exactly(*result), expected, "{text} = {result}");
        }
    }

    /// All combinations of these parts that are valid expressions.
    fn mixtures(parts: &[&[&str]]) -> Vec<String> {
        let mut texts = vec![String::new()];
        for options in parts {
            let longer = texts.iter();
            let longer =
                longer.flat_map(|text| options.iter().map(move |part| format!("{text}{part}")));
            texts = longer.collect();
        }
        texts.retain(|text| parse(text).is_ok());
        texts
    }

    #[test]
    fn every_mixture_of_rules_agrees_with_a_full_list() {
        let texts = mixtures(&[
            &["1", "2", "3"],
            &["d2", "d4", "dF"],
            &["", "r1", "r>2", "ro1", "ro<3"],
            &["", "!", "xo", "x>=1"],
            &["", "min2", "max1"],
            &["", "kh1", "dl1", "dl1dh1", "kh2kl1"],
            &["", ">=2", "=1"],
        ]);
        assert!(texts.len() > 4_000, "{}", texts.len());
        for text in texts {
            let Expression::Dice(dice) = parse(&text).unwrap().root else { panic!("{text}") };
            let mut counter = Counter { budget: Budget::full(), explosions: few_explosions };
            assert_same(&text, &counter.dice(&dice).unwrap(), &pool_by_hand(&dice));
        }
    }

    #[test]
    fn arithmetic_agrees_with_a_full_list() {
        for (text, result) in [
            ("d6+d4-d3", (|a, b, c| a + b - c) as fn(i64, i64, i64) -> i64),
            ("d6-(d4-d3)", |a, b, c| a - (b - c)),
            ("d6*d4+d3", |a, b, c| a * b + c),
            ("d6*(d4-d3)", |a, b, c| a * (b - c)),
            ("-d6*d4/d3", |a, b, c| -a * b / c),
            ("(d6-4)/d4*d3", |a, b, c| (a - 4) / b * c),
            ("d6*1000000+d4-d3", |a, b, c| a * 1_000_000 + b - c),
        ] {
            let mut tally: BTreeMap<i64, u64> = BTreeMap::new();
            for roll in 0..72 {
                let (a, b, c) = (roll / 12 + 1, roll / 3 % 4 + 1, roll % 3 + 1);
                *tally.entry(result(a, b, c)).or_default() += 1;
            }
            assert_same(text, &odds(text), &tally);
        }
    }

    #[test]
    fn known_odds() {
        let best = odds("4d6kh3");
        assert_eq!((best.min(), best.max(), best.len()), (3, 18, 16));
        assert_eq!(best.mean().to_string(), "15869/1296");
        assert_eq!(best.at_least(18).to_string(), "7/432");
        assert_eq!(best.at_most(3).to_string(), "1/1296");
        let advantage = odds("2d20kh1+5");
        assert_eq!(advantage.mean().to_string(), "753/40");
        assert_eq!(advantage.at_least(15).to_string(), "319/400");
        assert_eq!(odds("1d6r1").mean().to_string(), "4/1");
        assert_eq!(odds("4dF").exactly(0).to_string(), "19/81");
        assert_eq!(odds("5d10>=8").mean().to_string(), "3/2");
        assert_eq!(odds("-3").mean().to_string(), "-3/1");
        let chances: f64 = best.outcomes().map(|(_, chance)| chance).sum();
        assert!((chances - 1.0).abs() < 1e-12);
    }

    #[test]
    fn exploding_dice_are_counted_to_the_limit_of_the_roller() {
        let one = odds("1d6!");
        assert_eq!((one.min(), one.max()), (1, 606));
        assert!((one.mean().value() - 4.2).abs() < 1e-12);
        assert_eq!(one.exactly(6).to_string(), "0/1");
        assert_eq!(one.exactly(7).to_string(), "1/36");
        assert!((one.stopped() / 6_f64.powi(-101) - 1.0).abs() < 1e-9);
        let coins = odds("8d2!");
        assert!((coins.stopped() / (8.0 * 2_f64.powi(-101)) - 1.0).abs() < 1e-9);
        assert_eq!(odds("8d2xo").stopped(), 0.0);
    }

    #[test]
    fn sums_by_pairs_and_by_polynomials_agree() {
        let joined = odds("80d6");
        let split = odds("40d6+40d6");
        let turned = odds("40d6-(-40d6)");
        for result in [80, 200, 280, 400] {
            assert_eq!(joined.exactly(result), split.exactly(result));
            assert_eq!(joined.exactly(result), turned.exactly(result));
        }
    }

    #[test]
    fn large_terms_are_counted_or_refused() {
        assert_eq!(odds("1000d6").mean().to_string(), "3500/1");
        assert_eq!(odds("1000d10>=8").mean().to_string(), "300/1");
        let wide = OddsError::TooManyOutcomes { max: MAX_OUTCOMES };
        assert_eq!(refused("1d1000000"), wide);
        assert_eq!(refused("d100*d100*d100*d100"), wide);
        assert_eq!(refused("1d1000!>500"), OddsError::TooMuchWork);
        // The weights would be so long that reducing them to lowest terms would take over a minute.
        assert_eq!(refused("315d100000r7x>6<3"), OddsError::TooMuchWork);
        assert_eq!(refused("1000d100!"), wide);
        let divisor = "1d4-2".to_owned();
        assert_eq!(refused("1d6/(d4-2)"), OddsError::DivisionByZero { divisor });
        assert_eq!(refused("1000000000*1000000000*1000000000"), OddsError::Overflow);
    }
}

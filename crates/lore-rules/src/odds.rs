//! Exact odds of a Duality roll, by counting all 144 pairs of dice.
//!
//! Every pair is evaluated by the same code as a roll. This module must never have rules of its
//! own, so that the odds cannot contradict the rolls.

use thiserror::Error;

use crate::duality::{Die12, Difficulty, DualityDice, ExtraDice, Modifier, Outcome, judge};

/// Counts the outcomes of every pair of dice.
pub fn duality_odds(modifier: Modifier, difficulty: Difficulty) -> DualityOdds {
    duality_odds_with(modifier, difficulty, ExtraDice::NONE)
}

/// Counts the outcomes of every pair of dice, combined with the dice of advantage and help.
pub fn duality_odds_with(
    modifier: Modifier,
    difficulty: Difficulty,
    extra: ExtraDice,
) -> DualityOdds {
    let mut by_code = [0; 8];
    for hope in Die12::all() {
        for fear in Die12::all() {
            for (bonus, ways) in extra.bonuses() {
                let roll = judge(DualityDice { hope, fear }, modifier, bonus, Some(difficulty));
                if let Some(count) = by_code.get_mut(usize::from(roll.outcome.code())) {
                    *count += ways;
                }
            }
        }
    }
    summarise(by_code)
}

/// Returns the highest difficulty whose probability of success is at least the wanted one.
pub fn difficulty_for(modifier: Modifier, extra: ExtraDice, wanted: Chance) -> HighestDifficulty {
    let reaches = |value: i64| {
        let difficulty = Difficulty::new(value).ok()?;
        let odds = duality_odds_with(modifier, difficulty, extra);
        wanted.reached_by(odds.success_count, odds.total_outcomes).then_some(difficulty)
    };
    if reaches(Difficulty::MAX).is_some() {
        return HighestDifficulty::Any;
    }
    // The probability of success never rises with the difficulty, so a binary search finds the
    // answer.
    let (mut best, mut too_high) = (None, Difficulty::MAX);
    let mut low = Difficulty::MIN;
    while low < too_high {
        let middle = low + (too_high - low) / 2;
        match reaches(middle) {
            Some(difficulty) => (best, low) = (Some(difficulty), middle + 1),
            None => too_high = middle,
        }
    }
    best.map_or(HighestDifficulty::None, HighestDifficulty::At)
}

/// The highest difficulty for a wanted probability of success.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HighestDifficulty {
    /// This difficulty; the next higher one is too difficult.
    At(Difficulty),
    /// Every difficulty: criticals alone reach the wanted probability.
    Any,
    /// No difficulty: even the lowest is too difficult.
    None,
}

/// A wanted probability, as a fraction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chance {
    numerator: u32,
    denominator: u32,
}

impl Chance {
    /// Validates a fraction from zero to one.
    pub fn new(numerator: u32, denominator: u32) -> Result<Self, ChanceError> {
        if denominator == 0 || numerator > denominator {
            return Err(ChanceError::OutOfRange);
        }
        Ok(Self { numerator, denominator })
    }

    /// Validates a number from zero to one and rounds it to the nearest millionth.
    pub fn from_number(number: f64) -> Result<Self, ChanceError> {
        if !(0.0..=1.0).contains(&number) {
            return Err(ChanceError::OutOfRange);
        }
        Self::new((number * 1e6).round() as u32, 1_000_000)
    }

    fn reached_by(self, count: u32, total: u32) -> bool {
        let [left, right] = [(count, self.denominator), (self.numerator, total)]
            .map(|(a, b)| u64::from(a) * u64::from(b));
        left >= right
    }
}

/// Why a probability was rejected.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ChanceError {
    /// The number is not from zero to one.
    #[error("a chance is 0 to 1")]
    OutOfRange,
}

/// The number of equally likely rolls per outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DualityOdds {
    /// The number of all rolls: 144 pairs, times six for each further die.
    pub total_outcomes: u32,
    /// The number of critical rolls; they are included in the successes.
    pub crit_count: u32,
    /// The number of successes.
    pub success_count: u32,
    /// The number of failures.
    pub failure_count: u32,
    /// The number of rolls per outcome, in the order of the contract. Impossible outcomes are
    /// listed with zero; the two outcomes of a roll without difficulty are not listed.
    pub counts: [(Outcome, u32); 5],
}

/// Converts counts by [`Outcome::code`] into odds. The first three entries are ignored: no outcome
/// has code 0, and codes 1 and 2 need a roll without difficulty.
fn summarise(by_code: [u32; 8]) -> DualityOdds {
    let [_, _, _, success_hope, success_fear, failure_hope, failure_fear, crit_count] = by_code;
    DualityOdds {
        total_outcomes: by_code.iter().sum(),
        crit_count,
        success_count: crit_count + success_hope + success_fear,
        failure_count: failure_hope + failure_fear,
        counts: [
            (Outcome::CriticalSuccess, crit_count),
            (Outcome::SuccessWithHope, success_hope),
            (Outcome::SuccessWithFear, success_fear),
            (Outcome::FailureWithHope, failure_hope),
            (Outcome::FailureWithFear, failure_fear),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn odds(modifier: i64, difficulty: i64) -> DualityOdds {
        duality_odds(Modifier::new(modifier).unwrap(), Difficulty::new(difficulty).unwrap())
    }

    fn numbers(odds: &DualityOdds) -> [u32; 5] {
        odds.counts.map(|(_, count)| count)
    }

    /// The odds in plain arithmetic, sharing no code with what is tested: criticals, then successes
    /// and failures with Hope and Fear.
    fn by_hand(modifier: i64, difficulty: i64) -> [u32; 5] {
        let mut counts = [0; 5];
        for pair in 0..144 {
            let (hope, fear) = (pair / 12 + 1, pair % 12 + 1);
            let slot = match (hope - fear, hope + fear + modifier < difficulty) {
                (0, _) => 0,
                (1.., false) => 1,
                (_, false) => 2,
                (1.., true) => 3,
                (_, true) => 4,
            };
            counts[slot] += 1;
        }
        counts
    }

    #[test]
    fn known_odds() {
        let table = [
            ((2, 15), [12, 36, 36, 30, 30], (84, 60)),
            ((0, 10), [12, 50, 50, 16, 16], (112, 32)),
            ((0, 12), [12, 41, 41, 25, 25], (94, 50)),
            ((0, 15), [12, 25, 25, 41, 41], (62, 82)),
            ((0, 20), [12, 6, 6, 60, 60], (24, 120)),
            ((0, 0), [12, 66, 66, 0, 0], (144, 0)),
            ((0, 30), [12, 0, 0, 66, 66], (12, 132)),
        ];
        for ((modifier, difficulty), counts, (success, failure)) in table {
            let odds = odds(modifier, difficulty);
            assert_eq!(numbers(&odds), counts, "{modifier}, {difficulty}");
            assert_eq!((odds.success_count, odds.failure_count), (success, failure));
        }
    }

    #[test]
    fn odds_agree_with_plain_arithmetic() {
        for modifier in -20..=20 {
            for difficulty in 0..=50 {
                let (odds, expected) = (odds(modifier, difficulty), by_hand(modifier, difficulty));
                assert_eq!(numbers(&odds), expected, "{modifier}, {difficulty}");
                assert_eq!((odds.total_outcomes, odds.crit_count), (144, expected[0]));
                assert_eq!(odds.success_count, expected[..3].iter().sum::<u32>());
                assert_eq!(odds.failure_count, expected[3..].iter().sum::<u32>());
            }
        }
    }

    #[test]
    fn extreme_numbers_are_counted_like_any_other() {
        assert_eq!(numbers(&odds(Modifier::MIN, Difficulty::MAX)), [12, 0, 0, 66, 66]);
        assert_eq!(numbers(&odds(Modifier::MAX, Difficulty::MIN)), [12, 66, 66, 0, 0]);
        assert_eq!(numbers(&odds(Modifier::MAX, Difficulty::MAX)), [12, 66, 66, 0, 0]);
    }

    #[test]
    fn outcomes_keep_the_order_of_the_contract() {
        let names = odds(0, 10).counts.map(|(outcome, _)| outcome.as_str());
        assert_eq!(
            names,
            [
                "CRITICAL_SUCCESS",
                "SUCCESS_WITH_HOPE",
                "SUCCESS_WITH_FEAR",
                "FAILURE_WITH_HOPE",
                "FAILURE_WITH_FEAR",
            ]
        );
    }
    #[test]
    fn known_odds_with_an_edge() {
        let with = |advantages, disadvantages, helpers| {
            let extra = ExtraDice::new(advantages, disadvantages, helpers).unwrap();
            duality_odds_with(Modifier::new(2).unwrap(), Difficulty::new(15).unwrap(), extra)
        };
        let advantage = with(1, 0, 0);
        assert_eq!(numbers(&advantage), [72, 308, 308, 88, 88]);
        assert_eq!((advantage.success_count, advantage.failure_count), (688, 176));
        let disadvantage = with(2, 3, 0);
        assert_eq!(numbers(&disadvantage), [72, 112, 112, 284, 284]);
        assert_eq!((disadvantage.success_count, disadvantage.failure_count), (296, 568));
        assert_eq!((advantage.total_outcomes, disadvantage.total_outcomes), (864, 864));
        assert_eq!(with(0, 0, 1), advantage, "one helper is as good as an advantage");
        assert_eq!(with(3, 3, 0), odds(2, 15));
        assert_eq!(with(1, 0, 8).total_outcomes, 144 * 6_u32.pow(9));
    }

    #[test]
    fn odds_with_helpers_agree_with_plain_arithmetic() {
        let extra = ExtraDice::new(0, 1, 2).unwrap();
        for difficulty in 0..=30 {
            let (mut success, mut all) = (0, 0);
            for roll in 0..144 * 216 {
                let (hope, fear) = (roll % 12 + 1, roll / 12 % 12 + 1);
                let [own, first, second] = [144, 864, 5_184].map(|size| roll / size % 6 + 1);
                let total = hope + fear - own + first.max(second);
                success += u32::from(hope == fear || total >= difficulty);
                all += 1;
            }
            let target = Difficulty::new(difficulty).unwrap();
            let odds = duality_odds_with(Modifier::ZERO, target, extra);
            assert_eq!((odds.success_count, odds.total_outcomes), (success, all));
        }
    }

    #[test]
    fn the_highest_difficulty_just_reaches_the_wanted_chance() {
        for (modifier, extra) in
            [(0, ExtraDice::NONE), (3, ExtraDice::new(1, 0, 2).unwrap()), (-5, ExtraDice::NONE)]
        {
            let modifier = Modifier::new(modifier).unwrap();
            for percent in 9..=100 {
                let wanted = Chance::new(percent, 100).unwrap();
                let chance = |value| {
                    let odds = duality_odds_with(modifier, Difficulty::new(value).unwrap(), extra);
                    f64::from(odds.success_count) / f64::from(odds.total_outcomes)
                };
                let wanted_chance = f64::from(percent) / 100.0;
                match difficulty_for(modifier, extra, wanted) {
                    HighestDifficulty::At(found) => {
                        assert!(chance(found.value()) >= wanted_chance);
                        assert!(chance(found.value() + 1) < wanted_chance);
                    }
                    HighestDifficulty::None => assert!(chance(0) < wanted_chance),
                    HighestDifficulty::Any => panic!("{percent} %"),
                }
            }
        }
    }

    #[test]
    fn the_ends_of_the_scale_of_chances() {
        let highest = |modifier, numerator, denominator| {
            let wanted = Chance::new(numerator, denominator).unwrap();
            difficulty_for(Modifier::new(modifier).unwrap(), ExtraDice::NONE, wanted)
        };
        let at = |value| HighestDifficulty::At(Difficulty::new(value).unwrap());
        assert_eq!(highest(0, 1, 12), HighestDifficulty::Any);
        // Only a pair of ones has a sum of two, and it is critical.
        assert_eq!(highest(0, 1, 1), at(3));
        assert_eq!(highest(-100, 1, 2), HighestDifficulty::None);
        assert_eq!(highest(0, 62, 144), at(15));
        assert_eq!(highest(2, 84, 144), at(15));
        assert_eq!(highest(Modifier::MAX, 1, 1), HighestDifficulty::Any);
    }

    #[test]
    fn chances_lie_between_zero_and_one() {
        assert_eq!(Chance::from_number(0.6), Chance::new(600_000, 1_000_000));
        assert_eq!(Chance::from_number(1.0), Chance::new(1_000_000, 1_000_000));
        for number in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
            assert_eq!(Chance::from_number(number), Err(ChanceError::OutOfRange));
        }
        assert!(Chance::new(1, 0).is_err() && Chance::new(3, 2).is_err());
    }
}

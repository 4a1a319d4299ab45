//! Exact odds of a Duality roll, by counting all 144 pairs of dice.
//!
//! The counting asks [`evaluate`] about every pair and must never carry rules of its own, so that
//! the odds cannot disagree with the rolls.

use crate::duality::{Die12, Difficulty, DualityDice, Modifier, Outcome, evaluate};

/// Counts how every pair of dice would turn out.
pub fn duality_odds(modifier: Modifier, difficulty: Difficulty) -> DualityOdds {
    let mut by_code = [0; 8];
    for hope in Die12::all() {
        for fear in Die12::all() {
            let roll = evaluate(DualityDice { hope, fear }, modifier, Some(difficulty));
            if let Some(count) = by_code.get_mut(usize::from(roll.outcome.code())) {
                *count += 1;
            }
        }
    }
    summarise(by_code)
}

/// How many of the equally likely pairs of dice turn out in each way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DualityOdds {
    /// All pairs.
    pub total_outcomes: u32,
    /// The pairs that are critical; they are among the successes.
    pub crit_count: u32,
    /// The pairs that succeed.
    pub success_count: u32,
    /// The pairs that fail.
    pub failure_count: u32,
    /// The pairs per outcome, in the order of the contract. Outcomes that cannot happen are listed
    /// with zero; the two outcomes of a roll without difficulty are not listed.
    pub counts: [(Outcome, u32); 5],
}

/// Turns a tally by [`Outcome::code`] into odds. The first three entries stay empty: no outcome has
/// code 0, and the next two need a roll without difficulty.
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

    /// The odds in plain arithmetic, sharing nothing with the code under test: criticals, then
    /// successes and failures with Hope and Fear.
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
}

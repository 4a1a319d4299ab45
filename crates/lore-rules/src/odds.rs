//! Exact odds of a Duality roll, by counting all 144 pairs of dice.
//!
//! Every pair is evaluated by the same code as a roll. This module must never have rules of its
//! own, so that the odds cannot contradict the rolls.

use crate::duality::{Die12, Difficulty, DualityDice, ExtraDice, Modifier, Outcome, judge};

/// Counts the outcomes of every pair of dice, combined with the dice of advantage and help.
pub fn duality_odds(modifier: Modifier, difficulty: Difficulty, extra: ExtraDice) -> DualityOdds {
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
        let modifier = Modifier::new(modifier).unwrap();
        duality_odds(modifier, Difficulty::new(difficulty).unwrap(), ExtraDice::NONE)
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
            duality_odds(Modifier::new(2).unwrap(), Difficulty::new(15).unwrap(), extra)
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
            let odds = duality_odds(Modifier::ZERO, target, extra);
            assert_eq!((odds.success_count, odds.total_outcomes), (success, all));
        }
    }
}

//! Reaction rolls: Duality rolls that do not involve Hope and Fear.
//!
//! A reaction is evaluated like any roll, but its outcome must never say which die was higher, so
//! that no caller can give out Hope, Stress or Fear for it. Allies cannot help with a reaction.

use crate::dice::{DiceStream, Seed};

use super::{AdvantageDie, Difficulty, DualityDice, Modifier, judge};

/// Rolls Hope, Fear and the die of advantage or disadvantage, and evaluates them as a reaction.
pub fn reaction(
    seed: Seed,
    modifier: Modifier,
    difficulty: Option<Difficulty>,
    advantage: AdvantageDie,
) -> ReactionRoll {
    let mut stream = DiceStream::new(seed);
    let dice = DualityDice::draw(&mut stream);
    let advantage_die = advantage.draw(&mut stream);
    let judged = judge(dice, modifier, advantage_die.unwrap_or(0), difficulty);
    let outcome = match (judged.is_crit, difficulty, judged.meets_difficulty) {
        (true, _, _) => ReactionOutcome::CriticalSuccess,
        (false, None, _) => ReactionOutcome::Roll,
        (false, Some(_), true) => ReactionOutcome::Success,
        (false, Some(_), false) => ReactionOutcome::Failure,
    };
    ReactionRoll { dice, modifier, difficulty, advantage_die, total: judged.total, outcome }
}

/// An evaluated reaction roll.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReactionRoll {
    /// The two dice.
    pub dice: DualityDice,
    /// The modifier that was added to the dice.
    pub modifier: Modifier,
    /// The difficulty, if one was set.
    pub difficulty: Option<Difficulty>,
    /// What the die of advantage adds; negative for a die of disadvantage. `None` without either.
    pub advantage_die: Option<i64>,
    /// The sum of all of these.
    pub total: i64,
    /// The outcome.
    pub outcome: ReactionOutcome,
}

/// The outcome of a reaction roll.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReactionOutcome {
    /// No difficulty was set.
    Roll,
    /// The difficulty is met.
    Success,
    /// The difficulty is missed.
    Failure,
    /// Both dice are equal: the character also avoids effects that apply on a success.
    CriticalSuccess,
}

impl ReactionOutcome {
    /// The name of the outcome, in the style of the contract.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Roll => "ROLL",
            Self::Success => "SUCCESS",
            Self::Failure => "FAILURE",
            Self::CriticalSuccess => "CRITICAL_SUCCESS",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ExtraDice, Outcome, roll_with_extra_dice};
    use super::*;

    #[test]
    fn reactions_are_judged_like_action_rolls() {
        let difficulty = Difficulty::new(13).ok();
        for (advantage, advantages, disadvantages) in [
            (AdvantageDie::Neither, 0, 0),
            (AdvantageDie::Advantage, 1, 0),
            (AdvantageDie::Disadvantage, 0, 1),
        ] {
            let extra = ExtraDice::new(advantages, disadvantages, 0).unwrap();
            for seed in (0..300).map(Seed::from_random) {
                let action = roll_with_extra_dice(seed, Modifier::ZERO, difficulty, extra);
                let reaction = reaction(seed, Modifier::ZERO, difficulty, advantage);
                let expected = match action.evaluation.outcome {
                    Outcome::CriticalSuccess => ReactionOutcome::CriticalSuccess,
                    Outcome::SuccessWithHope | Outcome::SuccessWithFear => ReactionOutcome::Success,
                    _ => ReactionOutcome::Failure,
                };
                assert_eq!(reaction.outcome, expected);
                assert_eq!(reaction.total, action.evaluation.total);
                assert_eq!(reaction.advantage_die, action.advantage_die);
                assert_eq!(reaction.dice, action.evaluation.dice);
            }
        }
    }

    #[test]
    fn without_difficulty_a_reaction_is_only_rolled() {
        let outcomes = (0..300).map(|seed| {
            let roll =
                reaction(Seed::from_random(seed), Modifier::ZERO, None, AdvantageDie::Neither);
            (roll.dice.is_crit(), roll.outcome)
        });
        for (is_crit, outcome) in outcomes {
            let expected =
                if is_crit { ReactionOutcome::CriticalSuccess } else { ReactionOutcome::Roll };
            assert_eq!(outcome, expected);
        }
    }
}

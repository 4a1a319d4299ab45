//! Evaluating a Duality roll: one Hope die and one Fear die, both twelve-sided.
//!
//! This module must never change any state because of a roll; applying an outcome to Hope, Stress
//! or Fear is up to the caller. All numbers are validated on the way in, so sums cannot overflow
//! here.

mod extra_dice;
mod reaction;
mod steps;

pub use extra_dice::{AdvantageDie, ExtraDice, ExtraDiceRoll, roll_with_extra_dice};
pub use reaction::{ReactionOutcome, ReactionRoll, reaction};
pub use steps::{Explanation, Intermediates, Step, explain};

use crate::dice::{DiceStream, Seed, Sides};
use thiserror::Error;

/// Evaluates two known dice.
///
/// Equal dice are a critical success whatever the total. A critical counts as meeting the
/// difficulty even if none was set.
pub fn evaluate(
    dice: DualityDice,
    modifier: Modifier,
    difficulty: Option<Difficulty>,
) -> Evaluation {
    judge(dice, modifier, 0, difficulty)
}

/// Rolls the two dice of a seed, Hope first, and evaluates them.
pub fn roll(seed: Seed, modifier: Modifier, difficulty: Option<Difficulty>) -> Evaluation {
    evaluate(DualityDice::draw(&mut DiceStream::new(seed)), modifier, difficulty)
}

/// The identification of these rules, for clients that check which rules a server implements.
pub const RULES: RulesVersion = RulesVersion {
    system: "Daggerheart",
    module: "Duality",
    rules_version: "1.0.0",
    dice_model: "DUALITY_D12_V1",
    total_formula: "hope + fear + modifier",
    crit_rule: "HOPE_EQUALS_FEAR_IS_CRITICAL",
    difficulty_rule: "TOTAL_MEETS_OR_EXCEEDS_DIFFICULTY",
    outcomes: Outcome::ALL,
};

/// A description of the rules by fixed names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RulesVersion {
    /// The game that the rules come from.
    pub system: &'static str,
    /// The part of the game that they cover.
    pub module: &'static str,
    /// The version of the evaluation; it changes whenever a roll would be evaluated differently.
    pub rules_version: &'static str,
    /// The dice that are rolled.
    pub dice_model: &'static str,
    /// How the total is computed.
    pub total_formula: &'static str,
    /// When a roll is critical.
    pub crit_rule: &'static str,
    /// When a total meets the difficulty.
    pub difficulty_rule: &'static str,
    /// Every possible outcome.
    pub outcomes: [Outcome; 7],
}

/// The face of a twelve-sided die.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Die12(u32);

impl Die12 {
    /// The lowest face.
    pub const MIN: i64 = 1;
    /// The highest face.
    pub const MAX: i64 = 12;

    /// Validates a face that somebody rolled.
    pub fn new(value: i64) -> Result<Self, RuleError> {
        let error = RuleError::DieOutOfRange { value, min: Self::MIN, max: Self::MAX };
        let face = u32::try_from(value).ok().filter(|_| (Self::MIN..=Self::MAX).contains(&value));
        face.map(Self).ok_or(error)
    }

    /// Every face from the lowest to the highest.
    pub fn all() -> impl Iterator<Item = Self> {
        (1..=Sides::D12.value()).map(Self)
    }

    /// The face as a plain number.
    pub const fn value(self) -> u32 {
        self.0
    }

    /// Draws the next twelve-sided die from a stream.
    pub fn draw(stream: &mut DiceStream) -> Self {
        Self(stream.die(Sides::D12))
    }
}

/// The two dice of a Duality roll.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DualityDice {
    /// The Hope die.
    pub hope: Die12,
    /// The Fear die.
    pub fear: Die12,
}

impl DualityDice {
    /// Draws the next two dice from a stream, Hope first.
    pub fn draw(stream: &mut DiceStream) -> Self {
        let hope = Die12::draw(stream);
        let fear = Die12::draw(stream);
        Self { hope, fear }
    }

    /// The sum of both dice, before any modifier.
    pub fn base_total(self) -> i64 {
        i64::from(self.hope.value()) + i64::from(self.fear.value())
    }

    /// Whether the dice are equal.
    pub fn is_crit(self) -> bool {
        self.hope == self.fear
    }
}

/// A number added to the dice, possibly negative.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Modifier(i64);

impl Modifier {
    /// The smallest modifier.
    pub const MIN: i64 = -1_000_000;
    /// The largest modifier.
    pub const MAX: i64 = 1_000_000;
    /// No modifier.
    pub const ZERO: Self = Self(0);

    /// Validates a modifier.
    pub fn new(value: i64) -> Result<Self, RuleError> {
        if (Self::MIN..=Self::MAX).contains(&value) {
            return Ok(Self(value));
        }
        Err(RuleError::ModifierOutOfRange { value, min: Self::MIN, max: Self::MAX })
    }

    /// The modifier as a plain number.
    pub const fn value(self) -> i64 {
        self.0
    }
}

/// The total that a roll has to reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Difficulty(i64);

impl Difficulty {
    /// The smallest difficulty.
    pub const MIN: i64 = 0;
    /// The largest difficulty.
    pub const MAX: i64 = 1_000_000;

    /// Validates a difficulty.
    pub fn new(value: i64) -> Result<Self, RuleError> {
        if (Self::MIN..=Self::MAX).contains(&value) {
            return Ok(Self(value));
        }
        Err(RuleError::DifficultyOutOfRange { value, min: Self::MIN, max: Self::MAX })
    }

    /// The difficulty as a plain number.
    pub const fn value(self) -> i64 {
        self.0
    }
}

/// The outcome of a roll.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// No difficulty was set, and Hope is higher.
    RollWithHope = 1,
    /// No difficulty was set, and Fear is higher.
    RollWithFear = 2,
    /// The difficulty is met, and Hope is higher.
    SuccessWithHope = 3,
    /// The difficulty is met, and Fear is higher.
    SuccessWithFear = 4,
    /// The difficulty is missed, and Hope is higher.
    FailureWithHope = 5,
    /// The difficulty is missed, and Fear is higher.
    FailureWithFear = 6,
    /// Both dice are equal.
    CriticalSuccess = 7,
}

impl Outcome {
    /// Every outcome in the order of the contract, which is also the order of the codes.
    pub const ALL: [Self; 7] = [
        Self::RollWithHope,
        Self::RollWithFear,
        Self::SuccessWithHope,
        Self::SuccessWithFear,
        Self::FailureWithHope,
        Self::FailureWithFear,
        Self::CriticalSuccess,
    ];

    /// The name of the outcome in the contract.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::RollWithHope => "ROLL_WITH_HOPE",
            Self::RollWithFear => "ROLL_WITH_FEAR",
            Self::SuccessWithHope => "SUCCESS_WITH_HOPE",
            Self::SuccessWithFear => "SUCCESS_WITH_FEAR",
            Self::FailureWithHope => "FAILURE_WITH_HOPE",
            Self::FailureWithFear => "FAILURE_WITH_FEAR",
            Self::CriticalSuccess => "CRITICAL_SUCCESS",
        }
    }

    /// The code of the outcome, 1 to 7. Zero is reserved for "none".
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// The outcome as a label for people.
    pub const fn label(self) -> &'static str {
        match self {
            Self::RollWithHope => "Roll with hope",
            Self::RollWithFear => "Roll with fear",
            Self::SuccessWithHope => "Success with hope",
            Self::SuccessWithFear => "Success with fear",
            Self::FailureWithHope => "Failure with hope",
            Self::FailureWithFear => "Failure with fear",
            Self::CriticalSuccess => "Critical success",
        }
    }
}

/// An evaluated roll.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Evaluation {
    /// The two dice.
    pub dice: DualityDice,
    /// The modifier that was added to the dice.
    pub modifier: Modifier,
    /// The difficulty, if one was set.
    pub difficulty: Option<Difficulty>,
    /// The sum of both dice, the modifier, and the dice of advantage and help, if any.
    pub total: i64,
    /// Whether the dice are equal.
    pub is_crit: bool,
    /// Whether the roll succeeds. Without a difficulty, only a critical does.
    pub meets_difficulty: bool,
    /// The outcome.
    pub outcome: Outcome,
}

/// Why an input was rejected; each variant names the valid range.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RuleError {
    /// No twelve-sided die shows this face.
    #[error("a die shows {min} to {max}, not {value}")]
    DieOutOfRange {
        /// The rejected face.
        value: i64,
        /// The lowest face.
        min: i64,
        /// The highest face.
        max: i64,
    },
    /// The modifier is too small or too large.
    #[error("a modifier is {min} to {max}, not {value}")]
    ModifierOutOfRange {
        /// The rejected modifier.
        value: i64,
        /// The smallest modifier.
        min: i64,
        /// The largest modifier.
        max: i64,
    },
    /// The difficulty is negative or too large.
    #[error("a difficulty is {min} to {max}, not {value}")]
    DifficultyOutOfRange {
        /// The rejected difficulty.
        value: i64,
        /// The smallest difficulty.
        min: i64,
        /// The largest difficulty.
        max: i64,
    },
    /// The number of advantages, disadvantages or helpers is out of range.
    #[error("{field} is {min} to {max}, not {value}")]
    ExtraDiceOutOfRange {
        /// The input concerned: `advantages`, `disadvantages` or `helpers`.
        field: &'static str,
        /// The rejected number.
        value: i64,
        /// The fewest.
        min: i64,
        /// The most.
        max: i64,
    },
}

/// Evaluates two dice; `bonus` is what advantage and help add to them.
pub(crate) fn judge(
    dice: DualityDice,
    modifier: Modifier,
    bonus: i64,
    difficulty: Option<Difficulty>,
) -> Evaluation {
    let total = dice.base_total() + modifier.value() + bonus;
    let is_crit = dice.is_crit();
    let meets_difficulty = is_crit || difficulty.is_some_and(|target| total >= target.value());
    let outcome = select_outcome(dice, difficulty.map(|_| meets_difficulty));
    Evaluation { dice, modifier, difficulty, total, is_crit, meets_difficulty, outcome }
}

/// Selects the outcome; `met` is `None` if no difficulty was set.
fn select_outcome(dice: DualityDice, met: Option<bool>) -> Outcome {
    if dice.is_crit() {
        return Outcome::CriticalSuccess;
    }
    match (met, dice.hope > dice.fear) {
        (None, true) => Outcome::RollWithHope,
        (None, false) => Outcome::RollWithFear,
        (Some(true), true) => Outcome::SuccessWithHope,
        (Some(true), false) => Outcome::SuccessWithFear,
        (Some(false), true) => Outcome::FailureWithHope,
        (Some(false), false) => Outcome::FailureWithFear,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(hope: i64, fear: i64, modifier: i64, difficulty: Option<i64>) -> Evaluation {
        let dice = DualityDice { hope: Die12::new(hope).unwrap(), fear: Die12::new(fear).unwrap() };
        let difficulty = difficulty.map(|value| Difficulty::new(value).unwrap());
        evaluate(dice, Modifier::new(modifier).unwrap(), difficulty)
    }

    fn verdict(roll: Evaluation) -> (i64, bool, bool, &'static str) {
        (roll.total, roll.is_crit, roll.meets_difficulty, roll.outcome.as_str())
    }

    #[test]
    fn hope_and_fear_colour_success_and_failure() {
        let reached = judge(8, 5, 2, Some(15));
        assert_eq!(verdict(reached), (15, false, true, "SUCCESS_WITH_HOPE"));
        assert_eq!(verdict(judge(8, 5, 2, Some(16))), (15, false, false, "FAILURE_WITH_HOPE"));
        assert_eq!(verdict(judge(5, 8, 2, Some(15))), (15, false, true, "SUCCESS_WITH_FEAR"));
        assert_eq!(verdict(judge(5, 8, 1, Some(15))), (14, false, false, "FAILURE_WITH_FEAR"));
    }

    #[test]
    fn without_difficulty_only_a_critical_meets_it() {
        assert_eq!(verdict(judge(8, 5, 0, None)), (13, false, false, "ROLL_WITH_HOPE"));
        assert_eq!(verdict(judge(5, 8, 0, None)), (13, false, false, "ROLL_WITH_FEAR"));
        assert_eq!(verdict(judge(5, 5, 0, None)), (10, true, true, "CRITICAL_SUCCESS"));
    }

    #[test]
    fn a_critical_ignores_the_total() {
        let low = judge(1, 1, Modifier::MIN, Some(Difficulty::MAX));
        assert_eq!(verdict(low), (-999_998, true, true, "CRITICAL_SUCCESS"));
    }

    #[test]
    fn largest_modifiers_do_not_wrap() {
        assert_eq!(judge(12, 11, Modifier::MAX, None).total, 1_000_023);
        assert_eq!(judge(1, 2, Modifier::MIN, None).total, -999_997);
    }

    #[test]
    fn the_input_is_kept() {
        let roll = judge(8, 5, 2, Some(15));
        assert_eq!((roll.dice.hope.value(), roll.dice.fear.value()), (8, 5));
        assert_eq!(roll.modifier.value(), 2);
        assert_eq!(roll.difficulty.map(Difficulty::value), Some(15));
    }

    #[test]
    fn a_seed_rolls_hope_before_fear() {
        // The same pairs occur in the test of the dice stream: the first two dice of each seed.
        for (value, hope, fear) in [(0, 7, 1), (1, 6, 2), (42, 12, 2)] {
            let rolled = roll(Seed::new(value).unwrap(), Modifier::ZERO, None);
            assert_eq!(rolled, judge(hope, fear, 0, None));
        }
    }

    #[test]
    fn numbers_out_of_range_are_refused() {
        for value in [i64::MIN, -1, 0, 13, 4_294_967_304, i64::MAX] {
            let expected = RuleError::DieOutOfRange { value, min: 1, max: 12 };
            assert_eq!(Die12::new(value), Err(expected));
        }
        for value in [i64::MIN, -1_000_001, 1_000_001, 2_147_483_647] {
            let expected = RuleError::ModifierOutOfRange { value, min: -1_000_000, max: 1_000_000 };
            assert_eq!(Modifier::new(value), Err(expected));
        }
        for value in [i64::MIN, -1, 1_000_001, i64::MAX] {
            let expected = RuleError::DifficultyOutOfRange { value, min: 0, max: 1_000_000 };
            assert_eq!(Difficulty::new(value), Err(expected));
        }
    }

    #[test]
    fn all_faces_are_valid() {
        let faces: Vec<Die12> = Die12::all().collect();
        let checked: Vec<Die12> = (1..=12).map(|face| Die12::new(face).unwrap()).collect();
        assert_eq!(faces, checked);
    }

    #[test]
    fn outcomes_have_the_names_of_the_contract() {
        let names = RULES.outcomes.map(Outcome::as_str);
        let expected = [
            "ROLL_WITH_HOPE",
            "ROLL_WITH_FEAR",
            "SUCCESS_WITH_HOPE",
            "SUCCESS_WITH_FEAR",
            "FAILURE_WITH_HOPE",
            "FAILURE_WITH_FEAR",
            "CRITICAL_SUCCESS",
        ];
        assert_eq!(names, expected);
        assert_eq!(Outcome::ALL.map(Outcome::code), [1, 2, 3, 4, 5, 6, 7]);
        for outcome in Outcome::ALL {
            assert_eq!(outcome.label().to_uppercase().replace(' ', "_"), outcome.as_str());
        }
    }
}

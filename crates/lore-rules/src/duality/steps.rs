//! The step-by-step explanation of an evaluated roll.
//!
//! It reports what [`evaluate`] decided and must never decide anything itself, so that an
//! explanation cannot contradict the roll it explains.

use super::{Die12, Difficulty, DualityDice, Evaluation, Modifier, Outcome, evaluate};

/// Evaluates two known dice and explains the outcome.
pub fn explain(
    dice: DualityDice,
    modifier: Modifier,
    difficulty: Option<Difficulty>,
) -> Explanation {
    let evaluation = evaluate(dice, modifier, difficulty);
    Explanation { evaluation, intermediates: intermediates(&evaluation), steps: steps(&evaluation) }
}

/// An evaluated roll with the explanation of its outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Explanation {
    /// The evaluation itself.
    pub evaluation: Evaluation,
    /// The values it is based on.
    pub intermediates: Intermediates,
    /// The five steps in order. They are the same five whether or not a difficulty was set.
    pub steps: [Step; 5],
}

/// The values between the dice and the outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Intermediates {
    /// The sum of both dice.
    pub base_total: i64,
    /// The sum of both dice and the modifier.
    pub total: i64,
    /// Whether the dice are equal.
    pub is_crit: bool,
    /// Whether the roll succeeds.
    pub meets_difficulty: bool,
    /// Whether the Hope die is higher.
    pub hope_gt_fear: bool,
    /// Whether the Fear die is higher.
    pub fear_gt_hope: bool,
}

/// One step of an evaluation, with its inputs and its result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The dice are added up.
    SumDice {
        /// The Hope die.
        hope: Die12,
        /// The Fear die.
        fear: Die12,
        /// Their sum.
        base_total: i64,
    },
    /// The modifier is added.
    ApplyModifier {
        /// The sum of the dice.
        base_total: i64,
        /// The modifier.
        modifier: Modifier,
        /// The result.
        total: i64,
    },
    /// The dice are compared with each other.
    CheckCrit {
        /// The Hope die.
        hope: Die12,
        /// The Fear die.
        fear: Die12,
        /// Whether they are equal.
        is_crit: bool,
    },
    /// The total is compared with the difficulty.
    CheckDifficulty {
        /// The total.
        total: i64,
        /// The difficulty, if one was set.
        difficulty: Option<Difficulty>,
        /// Whether the roll succeeds.
        meets_difficulty: bool,
        /// Whether a critical success replaced the comparison with a difficulty.
        critical_override: bool,
    },
    /// The outcome is selected.
    SelectOutcome {
        /// The outcome.
        outcome: Outcome,
    },
}

impl Step {
    /// The name of the step in the contract.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::SumDice { .. } => "SUM_DICE",
            Self::ApplyModifier { .. } => "APPLY_MODIFIER",
            Self::CheckCrit { .. } => "CHECK_CRIT",
            Self::CheckDifficulty { .. } => "CHECK_DIFFICULTY",
            Self::SelectOutcome { .. } => "SELECT_OUTCOME",
        }
    }

    /// The message of the step in the contract.
    pub const fn message(&self) -> &'static str {
        match self {
            Self::SumDice { .. } => "Sum hope and fear dice",
            Self::ApplyModifier { .. } => "Apply modifier to base total",
            Self::CheckCrit { .. } => "Check for critical outcome",
            Self::CheckDifficulty { .. } => "Compare total against difficulty",
            Self::SelectOutcome { .. } => "Select final outcome based on roll",
        }
    }
}

fn intermediates(evaluation: &Evaluation) -> Intermediates {
    let DualityDice { hope, fear } = evaluation.dice;
    Intermediates {
        base_total: evaluation.dice.base_total(),
        total: evaluation.total,
        is_crit: evaluation.is_crit,
        meets_difficulty: evaluation.meets_difficulty,
        hope_gt_fear: hope > fear,
        fear_gt_hope: fear > hope,
    }
}

fn steps(evaluation: &Evaluation) -> [Step; 5] {
    let &Evaluation { dice, modifier, difficulty, total, is_crit, meets_difficulty, outcome } =
        evaluation;
    let DualityDice { hope, fear } = dice;
    let base_total = dice.base_total();
    let critical_override = is_crit && difficulty.is_some();
    [
        Step::SumDice { hope, fear, base_total },
        Step::ApplyModifier { base_total, modifier, total },
        Step::CheckCrit { hope, fear, is_crit },
        Step::CheckDifficulty { total, difficulty, meets_difficulty, critical_override },
        Step::SelectOutcome { outcome },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(hope: i64, fear: i64, difficulty: Option<i64>) -> Explanation {
        let dice = DualityDice { hope: Die12::new(hope).unwrap(), fear: Die12::new(fear).unwrap() };
        let difficulty = difficulty.map(|value| Difficulty::new(value).unwrap());
        explain(dice, Modifier::new(2).unwrap(), difficulty)
    }

    #[test]
    fn the_example_of_the_contract() {
        let explanation = case(8, 5, Some(15));
        let DualityDice { hope, fear } = explanation.evaluation.dice;
        let Evaluation { modifier, difficulty, .. } = explanation.evaluation;
        let intermediates = Intermediates {
            base_total: 13,
            total: 15,
            is_crit: false,
            meets_difficulty: true,
            hope_gt_fear: true,
            fear_gt_hope: false,
        };
        let check = Step::CheckDifficulty {
            total: 15,
            difficulty,
            meets_difficulty: true,
            critical_override: false,
        };
        let steps = [
            Step::SumDice { hope, fear, base_total: 13 },
            Step::ApplyModifier { base_total: 13, modifier, total: 15 },
            Step::CheckCrit { hope, fear, is_crit: false },
            check,
            Step::SelectOutcome { outcome: Outcome::SuccessWithHope },
        ];
        assert_eq!(explanation.intermediates, intermediates);
        assert_eq!(explanation.steps, steps);
    }

    #[test]
    fn steps_keep_the_order_and_words_of_the_contract() {
        for explanation in [case(8, 5, Some(15)), case(8, 5, None), case(4, 4, None)] {
            let words = explanation.steps.map(|step| (step.code(), step.message()));
            let expected = [
                ("SUM_DICE", "Sum hope and fear dice"),
                ("APPLY_MODIFIER", "Apply modifier to base total"),
                ("CHECK_CRIT", "Check for critical outcome"),
                ("CHECK_DIFFICULTY", "Compare total against difficulty"),
                ("SELECT_OUTCOME", "Select final outcome based on roll"),
            ];
            assert_eq!(words, expected);
        }
    }

    #[test]
    fn a_critical_overrides_only_a_difficulty_that_was_set() {
        for (dice, target, expected) in [
            ((4, 4), Some(30), (true, true)),
            ((4, 4), Some(0), (true, true)),
            ((4, 4), None, (true, false)),
            ((4, 5), Some(0), (true, false)),
            ((4, 5), None, (false, false)),
        ] {
            let [_, _, _, check, _] = case(dice.0, dice.1, target).steps;
            let Step::CheckDifficulty { meets_difficulty, critical_override, .. } = check else {
                panic!("the fourth step compares the total with the difficulty");
            };
            assert_eq!((meets_difficulty, critical_override), expected, "{dice:?} {target:?}");
        }
    }

    #[test]
    fn equal_dice_are_higher_than_neither() {
        let equal = case(4, 4, None).intermediates;
        assert!(!equal.hope_gt_fear && !equal.fear_gt_hope);
        assert!(case(4, 5, None).intermediates.fear_gt_hope);
    }
}

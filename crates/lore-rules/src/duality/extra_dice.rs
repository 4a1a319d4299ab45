//! Advantage, disadvantage and help: six-sided dice beside the two of a Duality roll.
//!
//! These dice change the total and nothing else. They must never affect the Hope and Fear dice, so
//! that a seed shows the same pair with and without them, nor decide whether a roll is critical.

use crate::dice::{DiceStream, Seed, Sides};

use super::{Difficulty, DualityDice, Evaluation, Modifier, RuleError, judge};

/// Rolls Hope, Fear, the die of advantage or disadvantage and the dice of helpers, in this order,
/// and evaluates them.
pub fn roll_with_extra_dice(
    seed: Seed,
    modifier: Modifier,
    difficulty: Option<Difficulty>,
    extra: ExtraDice,
) -> ExtraDiceRoll {
    let mut stream = DiceStream::new(seed);
    let dice = DualityDice::draw(&mut stream);
    let advantage_die = extra.advantage.draw(&mut stream);
    let helper_dice: Vec<u32> = (0..extra.helpers).map(|_| stream.die(Sides::D6)).collect();
    let best_helper = helper_dice.iter().copied().max().map_or(0, i64::from);
    let bonus = advantage_die.unwrap_or(0) + best_helper;
    ExtraDiceRoll {
        evaluation: judge(dice, modifier, bonus, difficulty),
        advantage_die,
        helper_dice,
        bonus,
    }
}

/// An evaluated roll with its additional dice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtraDiceRoll {
    /// The evaluation; its total includes the bonus.
    pub evaluation: Evaluation,
    /// What the die of advantage adds; negative for a die of disadvantage. `None` without either.
    pub advantage_die: Option<i64>,
    /// The die of each helper.
    pub helper_dice: Vec<u32>,
    /// The sum that is added to the total: the advantage die and the best helper.
    pub bonus: i64,
}

/// The advantages, disadvantages and helpers of a roll, after cancelling.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ExtraDice {
    advantage: AdvantageDie,
    helpers: u32,
}

impl ExtraDice {
    /// No additional dice.
    pub const NONE: Self = Self { advantage: AdvantageDie::Neither, helpers: 0 };
    /// The maximum number of advantages, and of disadvantages, of one roll.
    pub const MAX_SOURCES: i64 = 100;
    /// The maximum number of helpers of one roll.
    pub const MAX_HELPERS: i64 = 8;

    /// Validates the number of advantages and disadvantages of a roll and of allies who help with
    /// it.
    ///
    /// Help adds to the roller's own die and is not cancelled by disadvantages.
    pub fn new(advantages: i64, disadvantages: i64, helpers: i64) -> Result<Self, RuleError> {
        let advantages = counted("advantages", advantages, Self::MAX_SOURCES)?;
        let disadvantages = counted("disadvantages", disadvantages, Self::MAX_SOURCES)?;
        let helpers = counted("helpers", helpers, Self::MAX_HELPERS)?;
        Ok(Self { advantage: AdvantageDie::net(advantages, disadvantages), helpers })
    }

    /// The die that remains of advantages and disadvantages.
    pub const fn advantage(self) -> AdvantageDie {
        self.advantage
    }

    /// The number of allies who help.
    pub const fn helpers(self) -> u32 {
        self.helpers
    }

    /// Returns every possible bonus of the additional dice, with its number of ways.
    pub(crate) fn bonuses(self) -> impl Iterator<Item = (i64, u32)> {
        self.advantage.values().iter().flat_map(move |own| {
            best_of(self.helpers).map(move |(best, ways)| (own + i64::from(best), ways))
        })
    }
}

/// The die that remains after advantages and disadvantages have cancelled each other one for one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AdvantageDie {
    /// No die.
    Neither,
    /// A six-sided die that is added.
    Advantage,
    /// A six-sided die that is subtracted.
    Disadvantage,
}

impl AdvantageDie {
    /// Returns what remains of so many advantages and disadvantages: at most one die.
    pub fn net(advantages: u32, disadvantages: u32) -> Self {
        match advantages.cmp(&disadvantages) {
            std::cmp::Ordering::Less => Self::Disadvantage,
            std::cmp::Ordering::Equal => Self::Neither,
            std::cmp::Ordering::Greater => Self::Advantage,
        }
    }

    /// Draws the die, if there is one, and returns it with its sign.
    pub(super) fn draw(self, stream: &mut DiceStream) -> Option<i64> {
        match self {
            Self::Neither => None,
            Self::Advantage => Some(i64::from(stream.die(Sides::D6))),
            Self::Disadvantage => Some(-i64::from(stream.die(Sides::D6))),
        }
    }

    /// Every possible value of the die, all equally likely.
    const fn values(self) -> &'static [i64] {
        match self {
            Self::Neither => &[0],
            Self::Advantage => &[1, 2, 3, 4, 5, 6],
            Self::Disadvantage => &[-1, -2, -3, -4, -5, -6],
        }
    }
}

/// Returns the possible maxima of some six-sided dice, each with its number of ways; zero if there
/// are no dice.
fn best_of(dice: u32) -> impl Iterator<Item = (u32, u32)> {
    let none = (dice == 0).then_some((0, 1));
    let faces = if dice == 0 { 0 } else { Sides::D6.value() };
    none.into_iter()
        .chain((1..=faces).map(move |face| (face, face.pow(dice) - (face - 1).pow(dice))))
}

fn counted(field: &'static str, value: i64, max: i64) -> Result<u32, RuleError> {
    let error = RuleError::ExtraDiceOutOfRange { field, value, min: 0, max };
    u32::try_from(value).ok().filter(|_| value <= max).ok_or(error)
}

#[cfg(test)]
mod tests {
    use super::super::roll;
    use super::*;

    fn extra(advantages: i64, disadvantages: i64, helpers: i64) -> ExtraDice {
        ExtraDice::new(advantages, disadvantages, helpers).unwrap()
    }

    fn rolled(seed: u64, extra: ExtraDice) -> ExtraDiceRoll {
        let difficulty = Some(Difficulty::new(15).unwrap());
        roll_with_extra_dice(Seed::new(seed).unwrap(), Modifier::new(2).unwrap(), difficulty, extra)
    }

    #[test]
    fn advantages_and_disadvantages_cancel_one_for_one() {
        for (advantages, disadvantages, advantage) in [
            (0, 0, AdvantageDie::Neither),
            (1, 0, AdvantageDie::Advantage),
            (0, 1, AdvantageDie::Disadvantage),
            (2, 2, AdvantageDie::Neither),
            (3, 2, AdvantageDie::Advantage),
            (1, 100, AdvantageDie::Disadvantage),
        ] {
            assert_eq!(extra(advantages, disadvantages, 0).advantage(), advantage);
        }
        assert_eq!(extra(0, 0, 0), ExtraDice::NONE);
    }

    #[test]
    fn the_pair_of_a_seed_stays_the_same() {
        for seed in 0..300 {
            let bare = roll(Seed::new(seed).unwrap(), Modifier::new(2).unwrap(), None);
            for extra in [extra(0, 0, 0), extra(1, 0, 3), extra(0, 1, 0), extra(0, 0, 2)] {
                let roll = rolled(seed, extra);
                assert_eq!(roll.evaluation.dice, bare.dice);
                assert_eq!(roll.evaluation.is_crit, bare.is_crit);
                assert_eq!(roll.evaluation.total, bare.total + roll.bonus);
            }
        }
    }

    #[test]
    fn dice_come_in_order_and_only_the_best_helper_counts() {
        // The stream of seed 42 starts with 12, 2, 11, 2, 7, 10 if read as twelve-sided dice.
        let roll = rolled(42, extra(1, 0, 3));
        assert_eq!((roll.advantage_die, &roll.helper_dice[..]), (Some(5), &[2, 1, 4][..]));
        assert_eq!((roll.bonus, roll.evaluation.total), (9, 25));
        let hindered = rolled(42, extra(0, 1, 1));
        assert_eq!((hindered.advantage_die, &hindered.helper_dice[..]), (Some(-5), &[2][..]));
        assert_eq!((hindered.bonus, hindered.evaluation.total), (-3, 13));
        assert!(!hindered.evaluation.meets_difficulty);
        assert_eq!(rolled(42, ExtraDice::NONE).advantage_die, None);
    }

    #[test]
    fn bonuses_list_every_way_to_roll() {
        for (advantages, disadvantages, helpers) in
            [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0, 2), (0, 1, 3)]
        {
            let extra = extra(advantages, disadvantages, helpers);
            let mut listed = std::collections::BTreeMap::new();
            let own: Vec<i64> = match extra.advantage() {
                AdvantageDie::Neither => vec![0],
                AdvantageDie::Advantage => (1..=6).collect(),
                AdvantageDie::Disadvantage => (-6..=-1).collect(),
            };
            for helped in 0..6_u32.pow(extra.helpers()) {
                let dice = (0..extra.helpers()).map(|die| helped / 6_u32.pow(die) % 6 + 1);
                let best = dice.max().map_or(0, i64::from);
                own.iter().for_each(|own| *listed.entry(own + best).or_insert(0_u32) += 1);
            }
            let mut counted = std::collections::BTreeMap::new();
            extra.bonuses().for_each(|(bonus, ways)| *counted.entry(bonus).or_insert(0) += ways);
            assert_eq!(counted, listed, "{extra:?}");
        }
    }

    #[test]
    fn numbers_out_of_range_are_refused() {
        for (given, field, max) in [
            ([-1, 0, 0], "advantages", 100),
            ([0, 101, 0], "disadvantages", 100),
            ([0, 0, 9], "helpers", 8),
            ([0, 0, i64::MAX], "helpers", 8),
        ] {
            let [advantages, disadvantages, helpers] = given;
            let value = given.into_iter().find(|value| *value != 0).unwrap();
            let expected = RuleError::ExtraDiceOutOfRange { field, value, min: 0, max };
            assert_eq!(ExtraDice::new(advantages, disadvantages, helpers), Err(expected));
        }
    }
}

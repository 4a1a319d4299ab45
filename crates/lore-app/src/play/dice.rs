//! Dice rolls outside of sessions, and the choice of seeds for all rolls.
//!
//! Every roll discloses its seed, so that anybody can repeat it.

use lore_core::{Effects, Error, Result};
use lore_rules::dice::{DiceError, DiceStream, Pool, PoolsRoll, Seed, roll_pools};
use lore_rules::duality::{self, Difficulty, ExtraDice, ExtraDiceRoll, Modifier};
use lore_rules::notation::{self, Ast, Distribution};
use serde_json::{Value, json};

/// The requested source of randomness.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Randomness {
    /// A fresh seed.
    Live,
    /// The seed of an earlier roll, to repeat that roll.
    Replay(Seed),
}

/// The source of randomness that was used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RngUsed {
    /// The seed.
    pub seed: Seed,
    /// What was requested.
    pub requested: Randomness,
}

/// Advantages, disadvantages and help for a roll.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Odds {
    /// The number of advantages.
    pub advantage: i64,
    /// The number of disadvantages, each of which cancels an advantage.
    pub disadvantage: i64,
    /// The number of allies who help.
    pub helpers: i64,
}

impl Odds {
    /// Returns the additional dice that follow from them.
    pub fn extra_dice(self) -> Result<ExtraDice> {
        ExtraDice::new(self.advantage, self.disadvantage, self.helpers).map_err(|_| {
            let counts = [
                ("advantage", self.advantage, ExtraDice::MAX_SOURCES),
                ("disadvantage", self.disadvantage, ExtraDice::MAX_SOURCES),
                ("helpers", self.helpers, ExtraDice::MAX_HELPERS),
            ];
            let wrong = counts.into_iter().find(|(_, count, max)| !(0..=*max).contains(count));
            let (field, count, max) = wrong.unwrap_or(("advantage", 0, ExtraDice::MAX_SOURCES));
            let hint = format!("use a whole number from 0 to {max}");
            Error::invalid(field, format!("is {count}"), hint)
        })
    }

    pub(crate) fn to_value(self) -> Value {
        json!({
            "advantage": self.advantage, "disadvantage": self.disadvantage, "helpers": self.helpers,
        })
    }

    pub(crate) fn from_value(value: &Value) -> Self {
        let count = |key: &str| value.get(key).and_then(Value::as_i64).unwrap_or(0);
        Self {
            advantage: count("advantage"),
            disadvantage: count("disadvantage"),
            helpers: count("helpers"),
        }
    }
}

/// Rolls the Hope and Fear dice.
pub fn action_roll(
    effects: &Effects,
    randomness: Randomness,
    modifier: Modifier,
    difficulty: Option<Difficulty>,
    extra: ExtraDice,
) -> (ExtraDiceRoll, RngUsed) {
    let used = choose_seed(effects, randomness);
    (duality::roll_with_extra_dice(used.seed, modifier, difficulty, extra), used)
}

/// Rolls pools of dice, given as (sides, count).
pub fn pools_roll(
    effects: &Effects,
    randomness: Randomness,
    wanted: &[(i64, i64)],
) -> Result<(PoolsRoll, RngUsed)> {
    let pools = wanted.iter().enumerate().map(|(index, (sides, count))| {
        Pool::new(*sides, *count).map_err(|error| error.at_pool(index))
    });
    let pools: Vec<_> = pools.collect::<std::result::Result<_, _>>().map_err(name_the_field)?;
    let used = choose_seed(effects, randomness);
    let roll = roll_pools(used.seed, &pools).map_err(name_the_field)?;
    Ok((roll, used))
}

/// Rolls an expression such as `4d6kh3+2`.
pub fn notation_roll(
    effects: &Effects,
    randomness: Randomness,
    text: &str,
) -> Result<(notation::Rolled, RngUsed)> {
    let ast = parse_notation(text)?;
    let used = choose_seed(effects, randomness);
    let rolled = notation::roll(&ast, &mut DiceStream::new(used.seed));
    let rolled = rolled.map_err(|error| {
        Error::invalid("notation", format!("cannot be rolled: {error}"), error.hint())
    })?;
    Ok((rolled, used))
}

/// Computes the exact distribution of an expression.
pub fn notation_odds(text: &str) -> Result<Distribution> {
    let ast = parse_notation(text)?;
    notation::distribution(&ast).map_err(|error| {
        Error::invalid("notation", format!("is too much to count: {error}"), error.hint())
    })
}

fn parse_notation(text: &str) -> Result<Ast> {
    notation::parse(text).map_err(|error| {
        let place = text.get(..error.position).unwrap_or(text).chars().count() + 1;
        let problem = format!("is not dice notation at character {place}: {}", error.problem);
        Error::invalid("notation", problem, error.hint())
    })
}

/// Returns a new seed, or the one to repeat.
pub(crate) fn choose_seed(effects: &Effects, randomness: Randomness) -> RngUsed {
    let seed = match randomness {
        Randomness::Live => Seed::from_random(effects.entropy.next_u64()),
        Randomness::Replay(seed) => seed,
    };
    RngUsed { seed, requested: randomness }
}

/// Converts an error of the dice rules, naming the argument and its range.
fn name_the_field(error: DiceError) -> Error {
    let at = |pool: Option<usize>, part: &str| match pool {
        Some(index) => format!("dice[{index}].{part}"),
        None => part.to_owned(),
    };
    let range = |min: u32, max: u32| format!("use a whole number from {min} to {max}");
    match error {
        DiceError::SidesOutOfRange { pool, value, min, max } => {
            Error::invalid(at(pool, "sides"), format!("is {value}"), range(min, max))
        }
        DiceError::CountOutOfRange { pool, value, min, max } => {
            Error::invalid(at(pool, "count"), format!("is {value}"), range(min, max))
        }
        DiceError::NoPools => Error::invalid("dice", "is empty", "ask for at least one die"),
        DiceError::TooManyPools { given, max } => Error::invalid(
            "dice",
            format!("has {given} pools"),
            format!("ask for at most {max} pools in one call"),
        ),
        DiceError::TooManyDice { pool, given, max } => Error::invalid(
            at(Some(pool), "count"),
            format!("brings the request to {given} dice"),
            format!("ask for at most {max} dice in one call"),
        ),
        DiceError::SeedTooLarge { value, max } => Error::invalid(
            "rng.seed",
            format!("is {value}"),
            format!("use a whole number from 0 to {max}"),
        ),
        other => Error::invalid("dice", format!("are bad: {other}"), "correct them"),
    }
}

//! Wire types that several dice tools share.

use lore_app::play::dice::{Randomness, RngUsed};
use lore_core::{Error, Result};
use lore_rules::dice::{ALGORITHM, Seed};
use lore_rules::duality::{Die12, Difficulty, Evaluation, Modifier, Outcome, RuleError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::choice::choice;

/// Where the randomness of a roll comes from.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RngIn {
    /// Its seed_used.
    #[schemars(with = "Option<u64>")]
    pub seed: Option<SeedIn>,
    pub roll_mode: Option<RollMode>,
}

/// A seed given as a number, or as text by clients that keep large numbers as text. Any JSON value
/// is accepted at first, so that the error can say what is expected.
#[derive(Debug, Clone, Deserialize)]
#[serde(transparent)]
pub(super) struct SeedIn(Value);

choice! {
    /// How a roll gets its randomness.
    pub(super) enum RollMode { Live = "LIVE", Replay = "REPLAY" }
}

/// Who chose the seed.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub(super) enum SeedSource {
    Client,
    Server,
}

/// Where the randomness came from; send it back to repeat the roll.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(super) struct RngOut {
    /// The seed of this roll.
    pub seed_used: u64,
    /// Algorithm that derives the dice from the seed.
    pub rng_algo: &'static str,
    /// Who chose the seed.
    pub seed_source: SeedSource,
    /// Whether the dice are fresh (LIVE) or repeated (REPLAY).
    pub roll_mode: RollMode,
}

/// The evaluation of a roll.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(super) struct EvaluationOut {
    /// Result of the Hope die.
    pub hope: u32,
    /// Result of the Fear die.
    pub fear: u32,
    /// Modifier added to the dice.
    pub modifier: i64,
    /// The difficulty; absent for a roll without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difficulty: Option<i64>,
    /// Hope + Fear + modifier, and the advantage or disadvantage die.
    pub total: i64,
    /// Whether both dice show the same number: a critical.
    pub is_crit: bool,
    /// Whether the roll succeeds; a critical always does.
    pub meets_difficulty: bool,
    /// The outcome.
    pub outcome: OutcomeOut,
}

/// The outcomes of a Duality roll.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(super) enum OutcomeOut {
    RollWithHope,
    RollWithFear,
    SuccessWithHope,
    SuccessWithFear,
    FailureWithHope,
    FailureWithFear,
    CriticalSuccess,
}

impl From<Outcome> for OutcomeOut {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::RollWithHope => Self::RollWithHope,
            Outcome::RollWithFear => Self::RollWithFear,
            Outcome::SuccessWithHope => Self::SuccessWithHope,
            Outcome::SuccessWithFear => Self::SuccessWithFear,
            Outcome::FailureWithHope => Self::FailureWithHope,
            Outcome::FailureWithFear => Self::FailureWithFear,
            Outcome::CriticalSuccess => Self::CriticalSuccess,
        }
    }
}

impl From<&Evaluation> for EvaluationOut {
    fn from(evaluation: &Evaluation) -> Self {
        Self {
            hope: evaluation.dice.hope.value(),
            fear: evaluation.dice.fear.value(),
            modifier: evaluation.modifier.value(),
            difficulty: evaluation.difficulty.map(Difficulty::value),
            total: evaluation.total,
            is_crit: evaluation.is_crit,
            meets_difficulty: evaluation.meets_difficulty,
            outcome: evaluation.outcome.into(),
        }
    }
}

impl From<RngUsed> for RngOut {
    fn from(used: RngUsed) -> Self {
        let (seed_source, roll_mode) = match used.requested {
            Randomness::Live => (SeedSource::Server, RollMode::Live),
            Randomness::Replay(_) => (SeedSource::Client, RollMode::Replay),
        };
        Self { seed_used: used.seed.value(), rng_algo: ALGORITHM, seed_source, roll_mode }
    }
}

/// Parses the `rng` argument. A seed in LIVE mode is ignored, which the answer shows in
/// `seed_source`: fresh dice must never be the caller's choice.
pub(super) fn randomness(rng: Option<RngIn>) -> Result<Randomness> {
    let Some(RngIn { seed, roll_mode }) = rng else { return Ok(Randomness::Live) };
    match (roll_mode, seed) {
        (Some(RollMode::Live), _) | (None, None) => Ok(Randomness::Live),
        (_, Some(seed)) => Ok(Randomness::Replay(seed_value(seed)?)),
        (Some(RollMode::Replay), None) => Err(Error::invalid(
            "rng.seed",
            "is required for REPLAY",
            "send the rng.seed_used of the roll to repeat",
        )),
    }
}

fn seed_value(seed: SeedIn) -> Result<Seed> {
    let hint = format!("send a whole number from 0 to {}", Seed::MAX);
    let number = match &seed.0 {
        Value::String(text) => text.trim().parse().ok(),
        other => other.as_u64(),
    };
    let refused = || Error::invalid("rng.seed", format!("is {}", seed.0), hint);
    number.and_then(|number| Seed::new(number).ok()).ok_or_else(refused)
}

/// Parses the result of a die that was rolled at the table.
pub(super) fn die(field: &str, value: i64) -> Result<Die12> {
    Die12::new(value).map_err(|error| out_of_range(field, &error))
}

/// Parses a modifier; the default is 0.
pub(super) fn modifier(value: Option<i64>) -> Result<Modifier> {
    Modifier::new(value.unwrap_or(0)).map_err(|error| out_of_range("modifier", &error))
}

/// Parses a difficulty, if there is one.
pub(super) fn difficulty(value: Option<i64>) -> Result<Option<Difficulty>> {
    let checked = value.map(Difficulty::new).transpose();
    checked.map_err(|error| out_of_range("difficulty", &error))
}

fn out_of_range(field: &str, error: &RuleError) -> Error {
    let (value, min, max) = match error {
        RuleError::DieOutOfRange { value, min, max }
        | RuleError::ModifierOutOfRange { value, min, max }
        | RuleError::DifficultyOutOfRange { value, min, max } => (value, min, max),
        _ => return Error::invalid(field, format!("is bad: {error}"), "correct it"),
    };
    Error::invalid(field, format!("is {value}"), format!("use a whole number from {min} to {max}"))
}

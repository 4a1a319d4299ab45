//! `duality_probability`: computes the exact odds of every outcome.

use lore_app::play::dice::Odds;
use lore_core::{Error, Result, Role};
use lore_rules::odds;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::wire::{self, OutcomeOut};
use crate::call::Call;
use crate::tool::{Annotations, ToolSpec};
use crate::toolset::Toolset;

pub(super) struct DualityProbability;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    #[schemars(range(min = -1_000_000, max = 1_000_000))]
    modifier: Option<i64>,
    #[schemars(range(min = 0, max = 1_000_000))]
    difficulty: i64,
    /// How many apply.
    #[serde(default)]
    #[schemars(range(min = 0, max = 100))]
    advantage: i64,
    /// How many apply.
    #[serde(default)]
    #[schemars(range(min = 0, max = 100))]
    disadvantage: i64,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Output {
    /// Number of possible rolls: 144, or 864 with advantage or disadvantage.
    total_outcomes: u32,
    /// Number of critical rolls.
    crit_count: u32,
    /// Number of successful rolls, criticals included.
    success_count: u32,
    /// Number of failed rolls.
    failure_count: u32,
    /// Number of rolls per outcome; 0 for impossible outcomes.
    outcome_counts: Vec<OutcomeCount>,
}

#[derive(Serialize, JsonSchema)]
struct OutcomeCount {
    /// The outcome.
    outcome: OutcomeOut,
    /// Number of rolls that lead to it.
    count: u32,
}

impl ToolSpec for DualityProbability {
    const NAME: &'static str = "duality_probability";
    const TOOLSET: Toolset = Toolset::Play;
    const TITLE: &'static str = "Exact Duality odds";
    const DESCRIPTION: &'static str = "Compute the exact odds of each Hope and Fear outcome. \
        Use to set a fair difficulty. Returns counts out of total_outcomes.";
    const ANNOTATIONS: Annotations = Annotations::READ;
    const ROLE: Role = Role::Reader;

    type Input = Input;
    type Output = Output;

    fn example() -> Value {
        json!({ "modifier": 2, "difficulty": 15 })
    }

    async fn run(_: Call, input: Input) -> Result<Output> {
        let modifier = wire::modifier(input.modifier)?;
        let difficulty = wire::difficulty(Some(input.difficulty))?
            .ok_or_else(|| Error::invalid("difficulty", "is required", "give a number"))?;
        let sources = Odds {
            advantage: input.advantage,
            disadvantage: input.disadvantage,
            ..Odds::default()
        };
        let odds = odds::duality_odds(modifier, difficulty, sources.extra_dice()?);
        let row =
            |(outcome, count): (_, u32)| OutcomeCount { outcome: OutcomeOut::from(outcome), count };
        Ok(Output {
            total_outcomes: odds.total_outcomes,
            crit_count: odds.crit_count,
            success_count: odds.success_count,
            failure_count: odds.failure_count,
            outcome_counts: odds.counts.into_iter().map(row).collect(),
        })
    }
}

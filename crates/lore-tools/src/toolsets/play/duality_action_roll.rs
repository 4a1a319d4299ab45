//! `duality_action_roll`: rolls Hope and Fear dice.

use lore_app::play::dice::{self, Odds};
use lore_core::{Result, Role};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::wire::{self, EvaluationOut, RngIn, RngOut};
use crate::call::Call;
use crate::tool::{Annotations, ToolSpec};
use crate::toolset::Toolset;

pub(super) struct DualityActionRoll;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// Sum of trait, bonuses and penalties.
    #[schemars(range(min = -1_000_000, max = 1_000_000))]
    modifier: Option<i64>,
    /// Without it, success is not judged.
    #[schemars(range(min = 0, max = 1_000_000))]
    difficulty: Option<i64>,
    /// How many apply.
    #[serde(default)]
    #[schemars(range(min = 0, max = 100))]
    advantage: i64,
    /// How many apply.
    #[serde(default)]
    #[schemars(range(min = 0, max = 100))]
    disadvantage: i64,
    /// To repeat a roll.
    rng: Option<RngIn>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Output {
    #[serde(flatten)]
    evaluation: EvaluationOut,
    /// Result of the advantage die, or of the disadvantage die as a negative number.
    #[serde(skip_serializing_if = "Option::is_none")]
    edge_die: Option<i64>,
    /// The seed of the dice, to check or repeat the roll.
    rng: RngOut,
}

impl ToolSpec for DualityActionRoll {
    const NAME: &'static str = "duality_action_roll";
    const TOOLSET: Toolset = Toolset::Play;
    const TITLE: &'static str = "Roll Duality dice";
    const DESCRIPTION: &'static str = "Roll Hope and Fear (2d12) and judge them, unrecorded. \
        Use session_action_roll instead in a running session, duality_outcome for dice rolled \
        at the table, roll_dice for other dice. Returns dice, total, outcome and seed.";
    const ANNOTATIONS: Annotations =
        Annotations { read_only: true, destructive: false, idempotent: false, open_world: false };
    const ROLE: Role = Role::Reader;

    type Input = Input;
    type Output = Output;

    fn example() -> Value {
        json!({ "modifier": 2, "difficulty": 15, "rng": { "seed": 42, "roll_mode": "REPLAY" } })
    }

    async fn run(call: Call, input: Input) -> Result<Output> {
        let modifier = wire::modifier(input.modifier)?;
        let difficulty = wire::difficulty(input.difficulty)?;
        let randomness = wire::randomness(input.rng)?;
        let odds = Odds {
            advantage: input.advantage,
            disadvantage: input.disadvantage,
            ..Odds::default()
        };
        let effects = &call.app.effects;
        let (roll, rng) =
            dice::action_roll(effects, randomness, modifier, difficulty, odds.extra_dice()?);
        let evaluation = (&roll.evaluation).into();
        Ok(Output { evaluation, edge_die: roll.advantage_die, rng: rng.into() })
    }
}

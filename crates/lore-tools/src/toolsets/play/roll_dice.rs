//! `roll_dice`: roll any pools of dice.

use lore_app::play::dice;
use lore_core::{Result, Role};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::wire::{self, RngIn, RngOut};
use crate::call::Call;
use crate::tool::{Annotations, ToolSpec};
use crate::toolset::Toolset;

pub(super) struct RollDice;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// The pools to roll, in order; at most 10000 dice together.
    #[schemars(length(min = 1, max = 100))]
    dice: Vec<PoolIn>,
    /// Leave it out for fresh dice; pass an earlier roll's seed to repeat that roll.
    rng: Option<RngIn>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PoolIn {
    /// Sides of each die.
    #[schemars(range(min = 1, max = 1_000_000))]
    sides: i64,
    /// How many dice.
    #[schemars(range(min = 1, max = 1_000))]
    count: i64,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Output {
    /// One entry for each pool, in order.
    rolls: Vec<PoolOut>,
    /// The sum of all dice.
    total: u64,
    /// The seed behind the dice, to check or repeat the roll.
    rng: RngOut,
}

#[derive(Serialize, JsonSchema)]
struct PoolOut {
    /// Sides of each die.
    sides: u32,
    /// What each die shows.
    results: Vec<u32>,
    /// Their sum.
    total: u64,
}

impl ToolSpec for RollDice {
    const NAME: &'static str = "roll_dice";
    const TOOLSET: Toolset = Toolset::Play;
    const TITLE: &'static str = "Roll dice";
    const DESCRIPTION: &'static str = "Roll pools of dice of any size. Use it for damage, random \
        tables and anything that is not an action roll. For an action roll with Hope and Fear use duality_action_roll, which also judges \
        it. Returns every die, the total of each pool, the grand total, and the seed that proves \
        the roll. Nothing is recorded.";
    const ANNOTATIONS: Annotations =
        Annotations { read_only: true, destructive: false, idempotent: false, open_world: false };
    const ROLE: Role = Role::Reader;

    type Input = Input;
    type Output = Output;

    fn example() -> Value {
        json!({
            "dice": [{ "sides": 20, "count": 2 }, { "sides": 6, "count": 1 }],
            "rng": { "seed": 42, "roll_mode": "REPLAY" },
        })
    }

    async fn run(call: Call, input: Input) -> Result<Output> {
        let wanted: Vec<_> = input.dice.iter().map(|pool| (pool.sides, pool.count)).collect();
        let randomness = wire::randomness(input.rng)?;
        let (roll, rng) = dice::pools_roll(&call.app.effects, randomness, &wanted)?;
        let pools = roll.rolls.into_iter().map(|pool| PoolOut {
            sides: pool.sides.value(),
            results: pool.results,
            total: pool.total,
        });
        Ok(Output { rolls: pools.collect(), total: roll.total, rng: rng.into() })
    }
}

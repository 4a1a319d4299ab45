//! `roll_dice`: rolls any dice, as pools or in notation.

use lore_app::play::dice::{self, Randomness};
use lore_core::{Effects, Error, Result, Role};
use lore_rules::notation::{DieRoll, TermRoll};
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
    #[schemars(length(min = 1, max = 100))]
    dice: Option<Vec<PoolIn>>,
    /// Instead of dice: 4d6kh3+2, 2d20dl1, 3d6!, 5d10>=8, 2d6r1[fire].
    #[schemars(length(max = 500))]
    notation: Option<String>,
    /// To repeat a roll.
    rng: Option<RngIn>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PoolIn {
    #[schemars(range(min = 1, max = 1_000_000))]
    sides: i64,
    #[schemars(range(min = 1, max = 1_000))]
    count: i64,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Output {
    /// One entry per pool, in order.
    rolls: Vec<PoolOut>,
    /// One entry per term of the notation, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    terms: Vec<TermOut>,
    /// Grand total.
    total: i64,
    /// The seed of the dice, to check or repeat the roll.
    rng: RngOut,
}

#[derive(Serialize, JsonSchema)]
struct PoolOut {
    /// Number of sides of each die.
    sides: u32,
    /// Result of each die.
    results: Vec<u32>,
    /// Sum of the results.
    total: u64,
}

#[derive(Serialize, JsonSchema)]
struct TermOut {
    /// The term as written.
    notation: String,
    /// Label of the term.
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    /// Every die.
    dice: Vec<DieOut>,
    /// Total of the term.
    subtotal: i64,
}

#[derive(Serialize, JsonSchema)]
struct DieOut {
    /// Value of the die.
    value: i64,
    /// Whether it counts towards the total.
    kept: bool,
    /// Whether it exploded into another die.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    exploded: bool,
    /// Earlier results that were rerolled.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rerolled_from: Vec<i64>,
    /// Whether it is a success; only where successes are counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    success: Option<bool>,
}

impl ToolSpec for RollDice {
    const NAME: &'static str = "roll_dice";
    const TOOLSET: Toolset = Toolset::Play;
    const TITLE: &'static str = "Roll dice";
    const DESCRIPTION: &'static str = "Roll any dice, as pools or in notation, unrecorded. \
        Use for damage and tables; for Hope and Fear use duality_action_roll, for chances \
        dice_odds. Returns every die, totals and seed.";
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
        let randomness = wire::randomness(input.rng)?;
        let effects = &call.app.effects;
        match (input.dice, input.notation) {
            (Some(pools), None) => roll_pools(effects, randomness, &pools),
            (None, Some(notation)) => roll_notation(effects, randomness, &notation),
            (None, None) => Err(Error::invalid(
                "dice",
                "is required",
                "give dice as [{sides, count}], or notation instead",
            )),
            (Some(_), Some(_)) => Err(Error::invalid(
                "notation",
                "cannot be combined with dice",
                "give one of the two",
            )),
        }
    }
}

fn roll_pools(effects: &Effects, randomness: Randomness, pools: &[PoolIn]) -> Result<Output> {
    let wanted: Vec<_> = pools.iter().map(|pool| (pool.sides, pool.count)).collect();
    let (roll, rng) = dice::pools_roll(effects, randomness, &wanted)?;
    let rolls = roll.rolls.into_iter().map(|pool| PoolOut {
        sides: pool.sides.value(),
        results: pool.results,
        total: pool.total,
    });
    let total = i64::try_from(roll.total).unwrap_or(i64::MAX);
    Ok(Output { rolls: rolls.collect(), terms: Vec::new(), total, rng: rng.into() })
}

fn roll_notation(effects: &Effects, randomness: Randomness, text: &str) -> Result<Output> {
    let (rolled, rng) = dice::notation_roll(effects, randomness, text)?;
    let terms = rolled.terms.into_iter().map(TermOut::from).collect();
    Ok(Output { rolls: Vec::new(), terms, total: rolled.total, rng: rng.into() })
}

impl From<TermRoll> for TermOut {
    fn from(term: TermRoll) -> Self {
        Self {
            notation: term.notation,
            label: term.label,
            dice: term.dice.into_iter().map(DieOut::from).collect(),
            subtotal: term.subtotal,
        }
    }
}

impl From<DieRoll> for DieOut {
    fn from(die: DieRoll) -> Self {
        Self {
            value: die.value,
            kept: die.kept,
            exploded: die.exploded,
            rerolled_from: die.rerolled_from,
            success: die.success,
        }
    }
}

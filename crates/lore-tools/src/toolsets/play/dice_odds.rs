//! `dice_odds`: computes the exact chances of a dice expression.

use lore_app::play::dice;
use lore_core::{Result, Role};
use lore_rules::notation::Ratio;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::call::Call;
use crate::tool::{Annotations, ToolSpec};
use crate::toolset::Toolset;

pub(super) struct DiceOdds;

/// The maximum number of rows in the table of totals.
const ROWS_MAX: usize = 200;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// As in roll_dice.
    #[schemars(length(max = 500))]
    notation: String,
    /// A total to compare with.
    target: Option<i64>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Output {
    /// Lowest possible total.
    min: i64,
    /// Highest possible total.
    max: i64,
    /// Average total.
    mean: f64,
    /// Chances against the target, if one was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    against_target: Option<AgainstTarget>,
    /// Each total with its chance; left out if there are more than 200.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    totals: Vec<TotalChance>,
    /// Chance of rolls that were cut off at the limit for exploding dice.
    cut_off: f64,
}

#[derive(Serialize, JsonSchema)]
struct AgainstTarget {
    /// Chance of the target or more.
    at_least: Chance,
    /// Chance of exactly the target.
    exactly: Chance,
    /// Chance of the target or less.
    at_most: Chance,
}

#[derive(Serialize, JsonSchema)]
struct Chance {
    /// Probability, 0 to 1.
    probability: f64,
    /// Exact probability as a fraction.
    exact: String,
}

#[derive(Serialize, JsonSchema)]
struct TotalChance {
    /// The total.
    total: i64,
    /// Its probability, 0 to 1.
    probability: f64,
}

impl ToolSpec for DiceOdds {
    const NAME: &'static str = "dice_odds";
    const TOOLSET: Toolset = Toolset::Play;
    const TITLE: &'static str = "Exact dice odds";
    const DESCRIPTION: &'static str = "Compute the exact chances of a dice expression. Use \
        before a roll; for Hope and Fear use duality_probability. Returns range, average \
        and chances.";
    const ANNOTATIONS: Annotations = Annotations::READ;
    const ROLE: Role = Role::Reader;

    type Input = Input;
    type Output = Output;

    fn example() -> Value {
        json!({ "notation": "4d6kh3", "target": 15 })
    }

    async fn run(_: Call, input: Input) -> Result<Output> {
        let odds = dice::notation_odds(&input.notation)?;
        let against = input.target.map(|target| AgainstTarget {
            at_least: chance(&odds.at_least(target)),
            exactly: chance(&odds.exactly(target)),
            at_most: chance(&odds.at_most(target)),
        });
        let rows = odds.outcomes().map(|(total, probability)| TotalChance { total, probability });
        Ok(Output {
            min: odds.min(),
            max: odds.max(),
            mean: odds.mean().value(),
            against_target: against,
            totals: if odds.len() <= ROWS_MAX { rows.collect() } else { Vec::new() },
            cut_off: odds.stopped(),
        })
    }
}

fn chance(ratio: &Ratio) -> Chance {
    let exact = format!("{}/{}", ratio.numerator(), ratio.denominator());
    Chance { probability: ratio.value(), exact }
}

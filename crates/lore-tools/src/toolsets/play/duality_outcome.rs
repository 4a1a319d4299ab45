//! `duality_outcome`: judge dice that were already rolled.

use lore_core::{Result, Role};
use lore_rules::duality::{self, DualityDice};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::wire::{self, EvaluationOut};
use crate::call::Call;
use crate::tool::{Annotations, ToolSpec};
use crate::toolset::Toolset;

pub(super) struct DualityOutcome;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// What the Hope die shows.
    #[schemars(range(min = 1, max = 12))]
    hope: i64,
    /// What the Fear die shows.
    #[schemars(range(min = 1, max = 12))]
    fear: i64,
    /// Added to the sum of both dice. Default 0.
    #[schemars(range(min = -1_000_000, max = 1_000_000))]
    modifier: Option<i64>,
    /// What the total must meet, if anything.
    #[schemars(range(min = 0, max = 1_000_000))]
    difficulty: Option<i64>,
}

impl ToolSpec for DualityOutcome {
    const NAME: &'static str = "duality_outcome";
    const TOOLSET: Toolset = Toolset::Play;
    const TITLE: &'static str = "Judge Duality dice";
    const DESCRIPTION: &'static str = "Judge Hope and Fear dice that were already rolled. Use it \
        when someone tells you what their dice show; to roll them use duality_action_roll; for \
        the reasoning step by step use duality_explain. Returns the total, whether it is a \
        critical, whether it meets the difficulty, and the outcome. The same dice always give \
        the same answer.";
    const ANNOTATIONS: Annotations = Annotations::READ;
    const ROLE: Role = Role::Reader;

    type Input = Input;
    type Output = EvaluationOut;

    fn example() -> Value {
        json!({ "hope": 8, "fear": 5, "modifier": 2, "difficulty": 15 })
    }

    async fn run(_: Call, input: Input) -> Result<EvaluationOut> {
        let dice = DualityDice {
            hope: wire::die("hope", input.hope)?,
            fear: wire::die("fear", input.fear)?,
        };
        let modifier = wire::modifier(input.modifier)?;
        let difficulty = wire::difficulty(input.difficulty)?;
        Ok((&duality::evaluate(dice, modifier, difficulty)).into())
    }
}

//! `duality_outcome`: judges dice that were already rolled.

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
    #[schemars(range(min = 1, max = 12))]
    hope: i64,
    #[schemars(range(min = 1, max = 12))]
    fear: i64,
    #[schemars(range(min = -1_000_000, max = 1_000_000))]
    modifier: Option<i64>,
    #[schemars(range(min = 0, max = 1_000_000))]
    difficulty: Option<i64>,
}

impl ToolSpec for DualityOutcome {
    const NAME: &'static str = "duality_outcome";
    const TOOLSET: Toolset = Toolset::Play;
    const TITLE: &'static str = "Judge Duality dice";
    const DESCRIPTION: &'static str = "Judge Hope and Fear dice rolled at the \
        table. Use duality_action_roll to roll them, duality_explain for the reasons. \
        Returns total and outcome.";
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

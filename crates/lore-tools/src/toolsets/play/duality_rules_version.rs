//! `duality_rules_version`: reports the rules by which rolls are judged.

use lore_core::{Result, Role};
use lore_rules::duality::RULES;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::wire::OutcomeOut;
use crate::call::Call;
use crate::tool::{Annotations, ToolSpec};
use crate::toolset::Toolset;

pub(super) struct DualityRulesVersion;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {}

#[derive(Serialize, JsonSchema)]
pub(super) struct Output {
    /// Name of the game.
    system: &'static str,
    /// Part of the game's rules.
    module: &'static str,
    /// Version of this implementation's semantics.
    rules_version: &'static str,
    /// Dice that are rolled.
    dice_model: &'static str,
    /// Formula of the total.
    total_formula: &'static str,
    /// When a roll is a critical.
    crit_rule: &'static str,
    /// When a roll succeeds.
    difficulty_rule: &'static str,
    /// All outcomes.
    outcomes: Vec<OutcomeOut>,
}

impl ToolSpec for DualityRulesVersion {
    const NAME: &'static str = "duality_rules_version";
    const TOOLSET: Toolset = Toolset::Play;
    const TITLE: &'static str = "Duality rules version";
    const DESCRIPTION: &'static str = "Report the rules this server follows. Use to \
        compare or quote them, not in play. Returns version, dice, rules and outcome \
        names.";
    const ANNOTATIONS: Annotations = Annotations::READ;
    const ROLE: Role = Role::Reader;

    type Input = Input;
    type Output = Output;

    fn example() -> Value {
        json!({})
    }

    async fn run(_: Call, _: Input) -> Result<Output> {
        Ok(Output {
            system: RULES.system,
            module: RULES.module,
            rules_version: RULES.rules_version,
            dice_model: RULES.dice_model,
            total_formula: RULES.total_formula,
            crit_rule: RULES.crit_rule,
            difficulty_rule: RULES.difficulty_rule,
            outcomes: RULES.outcomes.into_iter().map(OutcomeOut::from).collect(),
        })
    }
}

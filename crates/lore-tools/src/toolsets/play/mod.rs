//! `play`: the Daggerheart Duality table.

mod duality_action_roll;
mod duality_explain;
mod duality_outcome;
mod duality_probability;
mod duality_rules_version;
mod resolve_action;
mod roll_dice;
mod wire;

use crate::prompt::Prompt;
use crate::tool::Tool;

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::of::<duality_action_roll::DualityActionRoll>(),
        Tool::of::<duality_outcome::DualityOutcome>(),
        Tool::of::<duality_explain::DualityExplain>(),
        Tool::of::<duality_probability::DualityProbability>(),
        Tool::of::<duality_rules_version::DualityRulesVersion>(),
        Tool::of::<roll_dice::RollDice>(),
    ]
}

pub(super) fn prompts() -> Vec<Prompt> {
    vec![resolve_action::PROMPT]
}

//! `play`: the Daggerheart Duality table.

mod campaign_create;
mod campaign_update;
mod dice_odds;
mod duality_action_roll;
mod duality_explain;
mod duality_outcome;
mod duality_probability;
mod duality_rules_version;
mod participant_create;
mod participant_update;
mod records;
mod resolve_action;
mod resources;
mod roll_dice;
mod session_end;
mod session_start;
mod set_context;
mod setting;
mod wire;

use crate::prompt::Prompt;
use crate::resource::Resource;
use crate::tool::Tool;

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::of::<set_context::SetContext>(),
        Tool::of::<campaign_create::CampaignCreate>(),
        Tool::of::<campaign_update::CampaignUpdate>(),
        Tool::of::<participant_create::ParticipantCreate>(),
        Tool::of::<participant_update::ParticipantUpdate>(),
        Tool::of::<session_start::SessionStart>(),
        Tool::of::<session_end::SessionEnd>(),
        Tool::of::<duality_action_roll::DualityActionRoll>(),
        Tool::of::<duality_outcome::DualityOutcome>(),
        Tool::of::<duality_explain::DualityExplain>(),
        Tool::of::<duality_probability::DualityProbability>(),
        Tool::of::<duality_rules_version::DualityRulesVersion>(),
        Tool::of::<roll_dice::RollDice>(),
        Tool::of::<dice_odds::DiceOdds>(),
    ]
}

pub(super) fn resources() -> Vec<Resource> {
    resources::resources()
}

pub(super) fn prompts() -> Vec<Prompt> {
    vec![resolve_action::PROMPT]
}

//! `play`: running a Daggerheart Duality table.

mod campaign_create;
mod campaign_fork;
mod campaign_update;
mod character_control_set;
mod character_create;
mod character_profile_patch;
mod character_sheet_get;
mod character_state_patch;
mod character_update;
mod dice_odds;
mod duality_action_roll;
mod duality_explain;
mod duality_outcome;
mod duality_probability;
mod duality_rules_version;
mod effect_wire;
mod participant_create;
mod participant_update;
mod records;
mod resolve_action;
mod resources;
mod roll_dice;
mod session_action_roll;
mod session_effect_apply;
mod session_end;
mod session_log_verify;
mod session_note_add;
mod session_recap;
mod session_roll_outcome_apply;
mod session_start;
mod set_context;
mod setting;
mod sheet_wire;
mod wire;

use crate::prompt::Prompt;
use crate::resource::Resource;
use crate::tool::Tool;

pub(super) use sheet_wire::PlayedOut;

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::of::<set_context::SetContext>(),
        Tool::of::<campaign_create::CampaignCreate>(),
        Tool::of::<campaign_update::CampaignUpdate>(),
        Tool::of::<campaign_fork::CampaignFork>(),
        Tool::of::<participant_create::ParticipantCreate>(),
        Tool::of::<participant_update::ParticipantUpdate>(),
        Tool::of::<character_create::CharacterCreate>(),
        Tool::of::<character_update::CharacterUpdate>(),
        Tool::of::<character_control_set::CharacterControlSet>(),
        Tool::of::<character_sheet_get::CharacterSheetGet>(),
        Tool::of::<character_profile_patch::CharacterProfilePatch>(),
        Tool::of::<character_state_patch::CharacterStatePatch>(),
        Tool::of::<session_start::SessionStart>(),
        Tool::of::<session_end::SessionEnd>(),
        Tool::of::<session_action_roll::SessionActionRoll>(),
        Tool::of::<session_roll_outcome_apply::SessionRollOutcomeApply>(),
        Tool::of::<session_effect_apply::SessionEffectApply>(),
        Tool::of::<session_note_add::SessionNoteAdd>(),
        Tool::of::<session_recap::SessionRecap>(),
        Tool::of::<session_log_verify::SessionLogVerify>(),
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

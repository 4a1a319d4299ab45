//! `character_sheet_get`: read a sheet.

use lore_app::play::ids::Thing;
use lore_app::play::{character, state};
use lore_core::{Result, Role};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::setting::Setting;
use super::sheet_wire::{CharacterOut, ProfileOut, StateOut};
use crate::call::Call;
use crate::tool::{Annotations, ToolSpec};
use crate::toolset::Toolset;

pub(super) struct CharacterSheetGet;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    character_id: String,
    context_id: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Output {
    /// The character.
    character: CharacterOut,
    /// What it can do.
    profile: ProfileOut,
    /// How it fares.
    state: StateOut,
}

impl ToolSpec for CharacterSheetGet {
    const NAME: &'static str = "character_sheet_get";
    const TOOLSET: Toolset = Toolset::Play;
    const TITLE: &'static str = "Read a character sheet";
    const DESCRIPTION: &'static str = "Read a character's profile and state. Use before \
        rolling or judging; campaign://{campaign_id}/characters lists everybody. Returns \
        character, profile and state.";
    const ANNOTATIONS: Annotations = Annotations::READ;
    const ROLE: Role = Role::Reader;

    type Input = Input;
    type Output = Output;

    fn example() -> Value {
        json!({ "character_id": "$character" })
    }

    async fn run(call: Call, input: Input) -> Result<Self::Output> {
        let setting = Setting::of(&call, Self::NAME, input.context_id.as_deref(), None)?;
        let uid = Thing::Character.read("character_id", &input.character_id)?;
        let campaign = setting.context.map(|context| context.campaign);
        let (_, sheet) = state::sheet_of(&setting.desk, campaign, uid).await?;
        let character = character::get(&setting.desk, uid).await?;
        Ok(Output {
            character: character.into(),
            state: StateOut::new(uid, &sheet),
            profile: ProfileOut::new(uid, &sheet),
        })
    }
}

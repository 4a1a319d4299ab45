//! `character_sheet_get`: reads a character sheet.

use lore_app::play::call::PlayCall;
use lore_app::play::ids::Thing;
use lore_app::play::{character, state};
use lore_core::{Result, Role, Uid};
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
pub(super) struct SheetOut {
    /// Name, kind, notes and controller.
    character: CharacterOut,
    /// Traits, maxima and thresholds.
    profile: ProfileOut,
    /// Hope, stress, hit points and conditions.
    state: StateOut,
}

impl SheetOut {
    /// Reads a sheet. Fails if the character does not belong to `campaign`, if one is given.
    pub(super) async fn read(call: &PlayCall, campaign: Option<Uid>, uid: Uid) -> Result<Self> {
        let (_, sheet) = state::sheet_of(call, campaign, uid).await?;
        Ok(Self {
            character: character::get(call, uid).await?.into(),
            state: StateOut::new(uid, &sheet),
            profile: ProfileOut::new(uid, &sheet),
        })
    }
}

impl ToolSpec for CharacterSheetGet {
    const NAME: &'static str = "character_sheet_get";
    const TOOLSET: Toolset = Toolset::Play;
    const TITLE: &'static str = "Read a character sheet";
    const DESCRIPTION: &'static str = "Read a character's sheet. Use before rolling or \
        judging; campaign://{campaign_id}/characters lists everybody. Returns character, \
        profile and state.";
    const ANNOTATIONS: Annotations = Annotations::READ;
    const ROLE: Role = Role::Reader;

    type Input = Input;
    type Output = SheetOut;

    fn example() -> Value {
        json!({ "character_id": "$character" })
    }

    async fn run(call: Call, input: Input) -> Result<Self::Output> {
        let setting = Setting::of(&call, Self::NAME, input.context_id.as_deref(), None)?;
        let id = &input.character_id;
        let uid = Thing::Character.find(&setting.call, "character_id", id).await?;
        let campaign = setting.context.map(|context| context.campaign);
        SheetOut::read(&setting.call, campaign, uid).await
    }
}

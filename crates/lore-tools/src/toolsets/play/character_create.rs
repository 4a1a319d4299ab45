//! `character_create`: add a character.

use futures::FutureExt;
use lore_app::play::character::{self, NewCharacter};
use lore_app::play::ids::Thing;
use lore_core::{Result, Role};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::setting::Setting;
use super::sheet_wire::{CharacterOut, KindWire};
use crate::call::Call;
use crate::kept::Kept;
use crate::tool::{Annotations, ToolSpec};
use crate::toolset::Toolset;

pub(super) struct CharacterCreate;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// The campaign.
    campaign_id: String,
    /// Its name.
    name: String,
    /// PC of a player, NPC of the GM. Players do not see an NPC until it is revealed.
    kind: KindWire,
    /// What to note about it.
    notes: Option<String>,
    /// Repeating a call with the same key changes nothing and gives the same answer.
    idempotency_key: Option<String>,
}

impl ToolSpec for CharacterCreate {
    const NAME: &'static str = "character_create";
    const TOOLSET: Toolset = Toolset::Play;
    const TITLE: &'static str = "Create a character";
    const DESCRIPTION: &'static str = "Add a character to a campaign, with the sheet everybody starts with. Use it for \
        who is played; who plays is participant_create. Then set traits with \
        character_profile_patch and its player with character_control_set. Returns the \
        character with its id.";
    const ANNOTATIONS: Annotations = Annotations::ADD;
    const ROLE: Role = Role::Player;

    type Input = Input;
    type Output = Kept<CharacterOut>;

    fn example() -> Value {
        json!({
            "campaign_id": "$campaign", "name": "Thorin Ironforge", "kind": "PC",
            "notes": "Dwarf warrior with a mysterious past",
        })
    }

    async fn run(call: Call, input: Input) -> Result<Self::Output> {
        let setting = Setting::of(&call, Self::NAME, None, input.idempotency_key)?;
        let new = NewCharacter {
            campaign: Thing::Campaign.read("campaign_id", &input.campaign_id)?,
            name: input.name,
            kind: input.kind.into(),
            notes: input.notes.unwrap_or_default(),
        };
        let desk = &setting.desk;
        let plan =
            || async { Ok(character::create(desk, &new).await?.map(CharacterOut::from)) }.boxed();
        Ok(desk.carry_out(plan).await?.into())
    }
}

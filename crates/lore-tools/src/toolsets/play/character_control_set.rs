//! `character_control_set`: sets who controls a character.

use futures::FutureExt;
use lore_app::play::call::{Plan, PlayCall};
use lore_app::play::character::{self, Handed};
use lore_app::play::ids::Thing;
use lore_core::{Result, Role, Uid};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::setting::Setting;
use super::sheet_wire;
use crate::call::Call;
use crate::kept::Kept;
use crate::tool::{Annotations, ToolSpec};
use crate::toolset::Toolset;

pub(super) struct CharacterControlSet;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    campaign_id: String,
    character_id: String,
    /// GM or a participant_id.
    controller: String,
    idempotency_key: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Output {
    /// Id of the campaign.
    campaign_id: String,
    /// Id of the character.
    character_id: String,
    /// Who controls it now: GM or a participant's id.
    controller: String,
    /// True if this revealed a hidden name and sheet to the players. Its notes stay hidden.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    revealed: bool,
}

impl ToolSpec for CharacterControlSet {
    const NAME: &'static str = "character_control_set";
    const TOOLSET: Toolset = Toolset::Play;
    const TITLE: &'static str = "Set who controls a character";
    const DESCRIPTION: &'static str = "Set who controls a character. Use after character_create: \
        players act only for what they control. Giving a player a hidden NPC reveals its \
        name and sheet. Returns the controller.";
    const ANNOTATIONS: Annotations = Annotations::CHANGE;
    const ROLE: Role = Role::Gm;

    type Input = Input;
    type Output = Kept<Output>;

    fn example() -> Value {
        json!({ "campaign_id": "$campaign", "character_id": "$character", "controller": "$player" })
    }

    async fn run(call: Call, input: Input) -> Result<Self::Output> {
        let setting = Setting::of(&call, Self::NAME, None, input.idempotency_key)?;
        let call = &setting.call;
        let campaign = Thing::Campaign.find(call, "campaign_id", &input.campaign_id).await?;
        let character = Thing::Character.find(call, "character_id", &input.character_id).await?;
        let controller = match input.controller.trim() {
            gm if gm.eq_ignore_ascii_case("GM") => None,
            id => Some(Thing::Participant.find(call, "controller", id).await?),
        };
        let plan = || set(call, campaign, character, controller).boxed();
        Ok(call.carry_out(plan).await?.into())
    }
}

async fn set(
    call: &PlayCall,
    campaign: Uid,
    character: Uid,
    controller: Option<Uid>,
) -> Result<Plan<Output>> {
    let plan = character::set_controller(call, campaign, character, controller).await?;
    Ok(plan.map(move |handed| Output {
        campaign_id: Thing::Campaign.show(campaign),
        character_id: Thing::Character.show(character),
        controller: sheet_wire::controller(controller),
        revealed: handed == Handed::Revealed,
    }))
}

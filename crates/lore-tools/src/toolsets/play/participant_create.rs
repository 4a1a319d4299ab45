//! `participant_create`: adds a participant to a campaign.

use futures::FutureExt;
use lore_app::play::ids::Thing;
use lore_app::play::participant::{self, Controller, NewParticipant};
use lore_core::{Result, Role};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::records::{ControllerWire, ParticipantOut, RoleWire};
use super::setting::Setting;
use crate::call::Call;
use crate::kept::Kept;
use crate::tool::{Annotations, ToolSpec};
use crate::toolset::Toolset;

pub(super) struct ParticipantCreate;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    campaign_id: String,
    display_name: String,
    role: RoleWire,
    controller: Option<ControllerWire>,
    idempotency_key: Option<String>,
}

impl ToolSpec for ParticipantCreate {
    const NAME: &'static str = "participant_create";
    const TOOLSET: Toolset = Toolset::Play;
    const TITLE: &'static str = "Add a participant";
    const DESCRIPTION: &'static str = "Add a person or agent to the table. Use \
        character_create for who is played. Returns them with their id.";
    const ANNOTATIONS: Annotations = Annotations::ADD;
    const ROLE: Role = Role::Player;

    type Input = Input;
    type Output = Kept<ParticipantOut>;

    fn example() -> Value {
        json!({
            "campaign_id": "$campaign", "display_name": "Alice", "role": "PLAYER",
            "controller": "HUMAN",
        })
    }

    async fn run(call: Call, input: Input) -> Result<Self::Output> {
        let setting = Setting::of(&call, Self::NAME, None, input.idempotency_key)?;
        let new = NewParticipant {
            campaign: Thing::Campaign
                .find(&setting.call, "campaign_id", &input.campaign_id)
                .await?,
            display_name: input.display_name,
            seat: input.role.into(),
            controller: input.controller.map_or(Controller::Human, Into::into),
        };
        let call = &setting.call;
        let plan = || {
            async { Ok(participant::create(call, &new).await?.map(ParticipantOut::from)) }.boxed()
        };
        Ok(call.carry_out(plan).await?.into())
    }
}

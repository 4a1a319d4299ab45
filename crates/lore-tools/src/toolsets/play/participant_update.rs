//! `participant_update`: changes, archives or restores a participant.

use futures::FutureExt;
use lore_app::play::campaign;
use lore_app::play::ids::Thing;
use lore_app::play::participant::{self, ParticipantPatch};
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

pub(super) struct ParticipantUpdate;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    participant_id: String,
    display_name: Option<String>,
    role: Option<RoleWire>,
    controller: Option<ControllerWire>,
    archived: Option<bool>,
    idempotency_key: Option<String>,
}

impl ToolSpec for ParticipantUpdate {
    const NAME: &'static str = "participant_update";
    const TOOLSET: Toolset = Toolset::Play;
    const TITLE: &'static str = "Change a participant";
    const DESCRIPTION: &'static str = "Rename, reassign, archive or restore a participant. \
        Use when somebody leaves or takes over; archiving frees the seat. Returns the \
        participant.";
    const ANNOTATIONS: Annotations = Annotations::CHANGE;
    const ROLE: Role = Role::Gm;

    type Input = Input;
    type Output = Kept<ParticipantOut>;

    fn example() -> Value {
        json!({ "participant_id": "$player", "display_name": "Alice B." })
    }

    async fn run(call: Call, input: Input) -> Result<Self::Output> {
        let setting = Setting::of(&call, Self::NAME, None, input.idempotency_key)?;
        let uid =
            Thing::Participant.find(&setting.call, "participant_id", &input.participant_id).await?;
        let patch = ParticipantPatch {
            display_name: input.display_name,
            seat: input.role.map(Into::into),
            controller: input.controller.map(Into::into),
            archived: input.archived,
        };
        let call = &setting.call;
        if patch.archived == Some(false) {
            campaign::bring_back(call, Thing::Participant, uid).await?;
        }
        if patch == (ParticipantPatch { archived: Some(true), ..Default::default() })
            && let Some(archived) = participant::archived(call, uid).await?
        {
            return Ok(Kept::Fresh(archived.into()));
        }
        let plan = || {
            async { Ok(participant::update(call, uid, &patch).await?.map(ParticipantOut::from)) }
                .boxed()
        };
        Ok(call.carry_out(plan).await?.into())
    }
}

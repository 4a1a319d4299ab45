//! `set_context`: sets the campaign, session and participant that other tools default to.

use lore_app::play::context::{self, Context};
use lore_app::play::ids::Thing;
use lore_core::{Result, Role};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::setting::{Setting, owner};
use crate::call::Call;
use crate::tool::{Annotations, ToolSpec};
use crate::toolset::Toolset;

pub(super) struct SetContext;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    campaign_id: String,
    session_id: Option<String>,
    participant_id: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Output {
    /// The context that is set now.
    context: ContextOut,
    /// Pass it to other tools if your client keeps no session.
    context_id: String,
}

#[derive(Serialize, JsonSchema)]
struct ContextOut {
    /// Id of the campaign.
    campaign_id: String,
    /// Id of the session, if one is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<String>,
    /// Id of the participant, if one is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    participant_id: Option<String>,
}

impl ToolSpec for SetContext {
    const NAME: &'static str = "set_context";
    const TOOLSET: Toolset = Toolset::Play;
    const TITLE: &'static str = "Set the context";
    const DESCRIPTION: &'static str = "Set the campaign, session and participant that play \
        tools default to; omitted ones are cleared. Use when play begins. Returns \
        them and a context_id for clients without sessions.";
    const ANNOTATIONS: Annotations =
        Annotations { read_only: false, destructive: false, idempotent: true, open_world: false };
    const ROLE: Role = Role::Player;

    type Input = Input;
    type Output = Output;

    fn example() -> Value {
        json!({ "campaign_id": "$campaign", "session_id": "$session", "participant_id": "$player" })
    }

    async fn run(call: Call, input: Input) -> Result<Output> {
        let setting = Setting::of(&call, Self::NAME, None, None)?;
        let optional = async |thing: Thing, field: &str, id: Option<String>| match id {
            Some(id) => thing.find(&setting.call, field, &id).await.map(Some),
            None => Ok(None),
        };
        let wanted = Context {
            campaign: Thing::Campaign
                .find(&setting.call, "campaign_id", &input.campaign_id)
                .await?,
            session: optional(Thing::Session, "session_id", input.session_id).await?,
            participant: optional(Thing::Participant, "participant_id", input.participant_id)
                .await?,
        };
        context::check(&setting.call, wanted).await?;
        let context_id = format!("ctx_{}", call.app.effects.uid());
        call.app.contexts.put(&context_id, owner(&call), wanted);
        call.conversation.set_context(context_id.clone(), "context://current");
        Ok(Output {
            context: ContextOut {
                campaign_id: Thing::Campaign.show(wanted.campaign),
                session_id: wanted.session.map(|uid| Thing::Session.show(uid)),
                participant_id: wanted.participant.map(|uid| Thing::Participant.show(uid)),
            },
            context_id,
        })
    }
}

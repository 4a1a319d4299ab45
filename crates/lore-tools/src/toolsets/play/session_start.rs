//! `session_start`: starts a session.

use futures::FutureExt;
use lore_app::play::session;
use lore_core::{Result, Role};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::records::SessionOut;
use super::setting::Setting;
use crate::call::Call;
use crate::kept::Kept;
use crate::tool::{Annotations, ToolSpec};
use crate::toolset::Toolset;

pub(super) struct SessionStart;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    campaign_id: Option<String>,
    name: Option<String>,
    context_id: Option<String>,
    idempotency_key: Option<String>,
}

impl ToolSpec for SessionStart {
    const NAME: &'static str = "session_start";
    const TOOLSET: Toolset = Toolset::Play;
    const TITLE: &'static str = "Start a session";
    const DESCRIPTION: &'static str = "Start a session; its log records every roll and \
        change. Use when play begins; one runs per campaign. Returns it with its id.";
    const ANNOTATIONS: Annotations = Annotations::ADD;
    const ROLE: Role = Role::Player;

    type Input = Input;
    type Output = Kept<SessionOut>;

    fn example() -> Value {
        json!({ "campaign_id": "$idle_campaign", "name": "Session 1: The Journey Begins" })
    }

    async fn run(call: Call, input: Input) -> Result<Self::Output> {
        let context = input.context_id.as_deref();
        let mut setting = Setting::of(&call, Self::NAME, context, input.idempotency_key)?;
        let campaign = setting.campaign(input.campaign_id.as_deref()).await?;
        let (call, name) = (&setting.call, input.name.as_deref());
        let plan = || {
            async { Ok(session::start(call, campaign, name).await?.map(SessionOut::from)) }.boxed()
        };
        Ok(call.carry_out(plan).await?.into())
    }
}

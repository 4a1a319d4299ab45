//! `session_end`: ends a session.

use futures::FutureExt;
use lore_app::play::call::{Plan, PlayCall};
use lore_app::play::ids::Thing;
use lore_app::play::session::{self, EndPlan};
use lore_core::{Error, Result, Role, Uid};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::records::SessionOut;
use super::setting::Setting;
use crate::call::Call;
use crate::kept::Kept;
use crate::tool::{Annotations, ToolSpec};
use crate::toolset::Toolset;

pub(super) struct SessionEnd;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    campaign_id: Option<String>,
    session_id: Option<String>,
    context_id: Option<String>,
    idempotency_key: Option<String>,
}

impl ToolSpec for SessionEnd {
    const NAME: &'static str = "session_end";
    const TOOLSET: Toolset = Toolset::Play;
    const TITLE: &'static str = "End a session";
    const DESCRIPTION: &'static str = "End a session; its log stays readable. Use when play \
        stops. Returns the session.";
    const ANNOTATIONS: Annotations =
        Annotations { read_only: false, destructive: false, idempotent: true, open_world: false };
    const ROLE: Role = Role::Player;

    type Input = Input;
    type Output = Kept<SessionOut>;

    fn example() -> Value {
        json!({ "session_id": "$session" })
    }

    async fn run(call: Call, input: Input) -> Result<Self::Output> {
        let context = input.context_id.as_deref();
        let mut setting = Setting::of(&call, Self::NAME, context, input.idempotency_key)?;
        let session = setting.session(input.session_id.as_deref()).await?;
        let ended = ended(&setting.call, session, input.campaign_id.as_deref());
        setting.recorded(session, ended).await
    }
}

async fn ended(call: &PlayCall, session: Uid, campaign: Option<&str>) -> Result<Kept<SessionOut>> {
    let campaign = match campaign {
        Some(id) => Some(Thing::Campaign.find(call, "campaign_id", id).await?),
        None => None,
    };
    let plan = || end(call, session, campaign).boxed();
    match call.carry_out(plan).await {
        Ok(done) => Ok(done.into()),
        // It had already ended before this call, or somebody else ended it meanwhile.
        Err(Error::Conflict { .. }) => over(call, session, campaign).await,
        Err(error) => Err(error),
    }
}

async fn end(call: &PlayCall, session: Uid, campaign: Option<Uid>) -> Result<Plan<SessionOut>> {
    match session::end(call, session, campaign).await? {
        EndPlan::Running(plan) => Ok((*plan).map(SessionOut::from)),
        EndPlan::Over(session) => Err(Error::Conflict { what: session.node.name }),
    }
}

async fn over(call: &PlayCall, session: Uid, campaign: Option<Uid>) -> Result<Kept<SessionOut>> {
    match session::end(call, session, campaign).await? {
        EndPlan::Over(session) => Ok(Kept::Fresh((*session).into())),
        EndPlan::Running(_) => Err(Error::Unavailable { what: "the session".into() }),
    }
}

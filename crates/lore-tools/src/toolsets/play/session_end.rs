//! `session_end`: end an evening of play.

use futures::FutureExt;
use lore_app::play::desk::{Desk, Plan};
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
    /// The campaign; default: from the context.
    campaign_id: Option<String>,
    /// The session; default: from the context.
    session_id: Option<String>,
    /// From set_context, for clients without a session.
    context_id: Option<String>,
}

impl ToolSpec for SessionEnd {
    const NAME: &'static str = "session_end";
    const TOOLSET: Toolset = Toolset::Play;
    const TITLE: &'static str = "End a session";
    const DESCRIPTION: &'static str = "End a session of play; its log stays readable. Use it when \
        play stops for the day. Ending a session that is over changes nothing. Returns the session \
        with when it ended.";
    const ANNOTATIONS: Annotations =
        Annotations { read_only: false, destructive: false, idempotent: true, open_world: false };
    const ROLE: Role = Role::Player;

    type Input = Input;
    type Output = Kept<SessionOut>;

    fn example() -> Value {
        json!({ "session_id": "$session" })
    }

    async fn run(call: Call, input: Input) -> Result<Self::Output> {
        let setting = Setting::of(&call, Self::NAME, input.context_id.as_deref(), None)?;
        let session = setting.session(input.session_id.as_deref())?;
        let campaign = match &input.campaign_id {
            Some(id) => Some(setting.campaign(Some(id))?),
            None => None,
        };
        let desk = &setting.desk;
        if let EndPlan::Over(session) = session::end(desk, session, campaign).await? {
            return Ok(Kept::Fresh(session.into()));
        }
        let plan = || end(desk, session, campaign).boxed();
        Ok(desk.carry_out(plan).await?.into())
    }
}

async fn end(desk: &Desk, session: Uid, campaign: Option<Uid>) -> Result<Plan<SessionOut>> {
    match session::end(desk, session, campaign).await? {
        EndPlan::Running(plan) => Ok(plan.map(SessionOut::from)),
        EndPlan::Over(session) => Err(Error::Precondition {
            message: format!("{} was ended by somebody else just now", session.node.name),
            hint: "nothing is left to do".into(),
        }),
    }
}

//! `session_log_verify`: prove that a log is untouched.

use lore_app::play::log;
use lore_core::{Result, Role};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::setting::Setting;
use super::sheet_wire::is_zero;
use crate::call::Call;
use crate::tool::{Annotations, ToolSpec};
use crate::toolset::Toolset;

pub(super) struct SessionLogVerify;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    session_id: Option<String>,
    context_id: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Output {
    /// Whether everything fits.
    ok: bool,
    /// How many events the log has that you may see.
    events: usize,
    /// The first event that does not fit or is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    broken_at: Option<i64>,
    /// How many events are gone.
    #[serde(skip_serializing_if = "is_zero")]
    missing_events: i64,
    /// How many rolls were repeated from their seeds.
    rolls: usize,
    /// Rolls whose dice do not follow from their seed.
    wrong_rolls: Vec<i64>,
}

impl ToolSpec for SessionLogVerify {
    const NAME: &'static str = "session_log_verify";
    const TOOLSET: Toolset = Toolset::Play;
    const TITLE: &'static str = "Verify a session log";
    const DESCRIPTION: &'static str = "Check that a session's log is complete and unchanged, \
        and repeat every roll from its seed. Use when somebody doubts it. Returns what does \
        not fit, if anything.";
    const ANNOTATIONS: Annotations = Annotations::READ;
    const ROLE: Role = Role::Reader;

    type Input = Input;
    type Output = Output;

    fn example() -> Value {
        json!({ "session_id": "$session" })
    }

    async fn run(call: Call, input: Input) -> Result<Self::Output> {
        let mut setting = Setting::of(&call, Self::NAME, input.context_id.as_deref(), None)?;
        let session = setting.session(input.session_id.as_deref()).await?;
        let found = log::verify(&setting.desk, session).await?;
        Ok(Output {
            ok: found.chain.broken_at.is_none() && found.wrong_rolls.is_empty(),
            events: found.seen,
            broken_at: found.chain.broken_at,
            missing_events: found.chain.missing,
            rolls: found.rolls,
            wrong_rolls: found.wrong_rolls,
        })
    }
}

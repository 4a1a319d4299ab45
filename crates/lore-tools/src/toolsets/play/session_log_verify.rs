//! `session_log_verify`: checks that a session's log is complete and unchanged.

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
    /// Whether no problem was found.
    ok: bool,
    /// Number of events in the log that you may see.
    events: usize,
    /// The first event that does not match its hash or is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    broken_at: Option<i64>,
    /// Number of missing events.
    #[serde(skip_serializing_if = "is_zero")]
    missing_events: i64,
    /// Number of rolls that were repeated from their seeds.
    rolls: usize,
    /// Rolls whose dice do not follow from their seeds.
    wrong_rolls: Vec<i64>,
}

impl ToolSpec for SessionLogVerify {
    const NAME: &'static str = "session_log_verify";
    const TOOLSET: Toolset = Toolset::Play;
    const TITLE: &'static str = "Verify a session log";
    const DESCRIPTION: &'static str = "Check that a session's log is complete and unchanged, \
        and repeat every roll from its seed. Use when somebody doubts it. Returns \
        problems, if any.";
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
        let found = log::verify(&setting.call, session).await?;
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

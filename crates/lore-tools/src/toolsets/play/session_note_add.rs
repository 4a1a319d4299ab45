//! `session_note_add`: adds a note to a session's log.

use futures::FutureExt;
use lore_app::play::call::PlayCall;
use lore_app::play::ids::Thing;
use lore_app::play::log::{self, NewNote};
use lore_core::{Result, Role, Uid};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::setting::Setting;
use crate::call::Call;
use crate::kept::Kept;
use crate::tool::{Annotations, ToolSpec};
use crate::toolset::Toolset;

pub(super) struct SessionNoteAdd;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    session_id: Option<String>,
    #[schemars(length(min = 1, max = 20_000))]
    text: String,
    character_id: Option<String>,
    #[serde(default)]
    gm_only: bool,
    context_id: Option<String>,
    idempotency_key: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Output {
    /// Its number in the log.
    seq: i64,
}

impl ToolSpec for SessionNoteAdd {
    const NAME: &'static str = "session_note_add";
    const TOOLSET: Toolset = Toolset::Play;
    const TITLE: &'static str = "Add a note to a session";
    const DESCRIPTION: &'static str = "Write a note into a session's log. Use for story \
        events, also after its end; rolls and changes record themselves. Returns \
        its number in the log.";
    const ANNOTATIONS: Annotations = Annotations::ADD;
    const ROLE: Role = Role::Player;

    type Input = Input;
    type Output = Kept<Output>;

    fn example() -> Value {
        json!({ "session_id": "$session", "text": "The bridge collapsed behind the party." })
    }

    async fn run(call: Call, input: Input) -> Result<Self::Output> {
        let (context, key) = (input.context_id.as_deref(), input.idempotency_key.clone());
        let mut setting = Setting::of(&call, Self::NAME, context, key)?;
        let session = setting.session(input.session_id.as_deref()).await?;
        setting.recorded(session, input.write(&setting.call, session)).await
    }
}

impl Input {
    async fn write(self, call: &PlayCall, session: Uid) -> Result<Kept<Output>> {
        let character = match self.character_id.as_deref() {
            Some(id) => Some(Thing::Character.find(call, "character_id", id).await?),
            None => None,
        };
        let note = NewNote { session, character, text: self.text, gm_only: self.gm_only };
        let plan =
            || async { Ok(log::add_note(call, &note).await?.map(|seq| Output { seq })) }.boxed();
        Ok(call.carry_out(plan).await?.into())
    }
}

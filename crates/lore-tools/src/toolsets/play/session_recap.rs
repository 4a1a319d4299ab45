//! `session_recap`: summarises a session, and searches its events.

use lore_app::play::recap::{self, Match, Recap, RecapRequest};
use lore_core::{Result, Role, names};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::records::{EventOut, SessionOut};
use super::setting::Setting;
use super::sheet_wire::Scalar;
use crate::call::Call;
use crate::tool::{Annotations, ToolSpec};
use crate::toolset::Toolset;

pub(super) struct SessionRecap;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    session_id: Option<String>,
    /// Words or a question.
    #[schemars(length(max = 500))]
    query: Option<String>,
    /// To read on: next_before_seq.
    before_seq: Option<i64>,
    context_id: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Output {
    /// The session.
    session: SessionOut,
    /// Number of events in this recap.
    events: usize,
    /// Number of rolls per character.
    rolls: Vec<RollsOut>,
    /// Values that changed between the beginning and the end.
    changes: Vec<ChangeOut>,
    /// Notes and other events, in order; the last 200.
    happenings: Vec<HappeningOut>,
    /// Number of happenings, including those left out.
    happenings_total: usize,
    /// Events that have most of the words, newest first; at most 50.
    matches: Vec<MatchOut>,
    /// Number of matches, including those left out.
    matches_total: usize,
    /// Present if no event has all words of the query.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    partial: bool,
    /// Present if earlier events were left out: pass it as before_seq to read on.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_before_seq: Option<i64>,
}

#[derive(Serialize, JsonSchema)]
struct MatchOut {
    /// The event in words.
    text: String,
    #[serde(flatten)]
    event: EventOut,
}

#[derive(Serialize, JsonSchema)]
struct RollsOut {
    /// Name of the character.
    character: String,
    /// Number of rolls.
    total: u32,
    /// Number of successes.
    successes: u32,
    /// Number of criticals.
    criticals: u32,
    /// Number of rolls with Hope.
    with_hope: u32,
    /// Number of rolls with Fear.
    with_fear: u32,
}

#[derive(Serialize, JsonSchema)]
struct ChangeOut {
    /// Whose value it is: a character's or participant's id, or table.
    of: String,
    /// Name of the value.
    field: String,
    /// Value at the beginning; absent if there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Scalar>")]
    before: Option<Value>,
    /// Value at the end; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Scalar>")]
    after: Option<Value>,
}

#[derive(Serialize, JsonSchema)]
struct HappeningOut {
    /// Its number in the log.
    seq: i64,
    /// Type of the event.
    #[serde(rename = "type")]
    kind: String,
    /// The event in words.
    text: String,
}

impl ToolSpec for SessionRecap {
    const NAME: &'static str = "session_recap";
    const TOOLSET: Toolset = Toolset::Play;
    const TITLE: &'static str = "Recap a session";
    const DESCRIPTION: &'static str = "Summarise a session. Use to open the next \
        one or, with query, to find something; single events: \
        session://{session_id}/events. Returns notes, dice, changes and matches.";
    const ANNOTATIONS: Annotations = Annotations::READ;
    const ROLE: Role = Role::Reader;

    type Input = Input;
    type Output = Output;

    fn example() -> Value {
        json!({ "session_id": "$session", "query": "agility" })
    }

    async fn run(call: Call, input: Input) -> Result<Output> {
        let mut setting = Setting::of(&call, Self::NAME, input.context_id.as_deref(), None)?;
        let session = setting.session(input.session_id.as_deref()).await?;
        let query = input.query.unwrap_or_default();
        names::checked_length("query", &query, 500)?;
        let ask = RecapRequest { session, query, before: input.before_seq };
        Ok(recap::tell(&setting.call, &ask).await?.into())
    }
}

impl From<Recap> for Output {
    fn from(recap: Recap) -> Self {
        let session = recap.session.node.uid;
        let rolls = recap.rolls.into_iter().map(|(character, rolls)| RollsOut {
            character,
            total: rolls.total,
            successes: rolls.successes,
            criticals: rolls.criticals,
            with_hope: rolls.with_hope,
            with_fear: rolls.with_fear,
        });
        let changes = recap.changes.into_iter().map(|((of, field), (before, after))| ChangeOut {
            of,
            field,
            before: Some(before).filter(|before| !before.is_null()),
            after: Some(after).filter(|after| !after.is_null()),
        });
        let happenings = recap.happenings.items.into_iter().map(|happening| HappeningOut {
            seq: happening.sequence,
            kind: happening.kind,
            text: happening.text,
        });
        let matches = recap
            .matches
            .items
            .into_iter()
            .map(|Match { event, text }| MatchOut { text, event: EventOut::new(session, event) });
        Self {
            events: recap.events,
            rolls: rolls.collect(),
            changes: changes.collect(),
            happenings: happenings.collect(),
            happenings_total: recap.happenings.total,
            matches: matches.collect(),
            matches_total: recap.matches.total,
            partial: recap.partial,
            next_before_seq: recap.next_before,
            session: recap.session.into(),
        }
    }
}

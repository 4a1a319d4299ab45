//! `session_roll_outcome_apply`: applies the consequences of a roll.

use futures::FutureExt;
use lore_app::play::call::{Done, Plan, PlayCall};
use lore_app::play::ids::Thing;
use lore_app::play::outcome::{self, Applied, ApplyPlan};
use lore_core::{Error, Result, Role, Uid};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::effect_wire::TickedOut;
use super::setting::Setting;
use super::sheet_wire::StateOut;
use crate::call::Call;
use crate::kept::Kept;
use crate::tool::{Annotations, ToolSpec};
use crate::toolset::Toolset;

pub(super) struct SessionRollOutcomeApply;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    session_id: Option<String>,
    /// From session_action_roll.
    #[schemars(range(min = 1))]
    roll_seq: i64,
    /// Default: who rolled.
    #[serde(default)]
    targets: Vec<String>,
    context_id: Option<String>,
    idempotency_key: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Output {
    /// Number of the roll in the log.
    roll_seq: i64,
    /// True after a roll with Fear that is not a critical: the GM brings a complication.
    requires_complication: bool,
    /// What changed.
    updated: Updated,
    /// True if the roll had been applied before; nothing changed again.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    already_applied: bool,
}

#[derive(Serialize, JsonSchema)]
struct Updated {
    /// State of every target now.
    character_states: Vec<StateOut>,
    /// The GM's Fear now, if it changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    gm_fear: Option<i64>,
    /// The countdowns that the roll ticked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    countdowns: Vec<TickedOut>,
}

impl From<Applied> for Output {
    fn from(applied: Applied) -> Self {
        let states = applied.states.iter().map(|(uid, sheet)| StateOut::new(*uid, sheet));
        Self {
            roll_seq: applied.roll_seq,
            requires_complication: applied.requires_complication,
            updated: Updated {
                character_states: states.collect(),
                gm_fear: applied.gm_fear,
                countdowns: applied.countdowns.into_iter().map(Into::into).collect(),
            },
            already_applied: applied.already_applied,
        }
    }
}

impl ToolSpec for SessionRollOutcomeApply {
    const NAME: &'static str = "session_roll_outcome_apply";
    const TOOLSET: Toolset = Toolset::Play;
    const TITLE: &'static str = "Apply a roll outcome";
    const DESCRIPTION: &'static str = "Apply the effects of a roll: Hope, cleared stress or \
        Fear, and countdown ticks. Use once after each session_action_roll; repeating \
        it changes nothing. Returns states, Fear, and whether a complication is due.";
    const ANNOTATIONS: Annotations =
        Annotations { read_only: false, destructive: false, idempotent: true, open_world: false };
    const ROLE: Role = Role::Player;

    type Input = Input;
    type Output = Kept<Output>;

    fn example() -> Value {
        json!({ "session_id": "$session", "roll_seq": "$roll", "targets": ["$character"] })
    }

    async fn run(call: Call, input: Input) -> Result<Self::Output> {
        let context = input.context_id.as_deref();
        let mut setting = Setting::of(&call, Self::NAME, context, input.idempotency_key)?;
        let session = setting.session(input.session_id.as_deref()).await?;
        let applied = applied(&setting.call, session, input.roll_seq, &input.targets);
        setting.recorded(session, applied).await
    }
}

async fn applied(
    call: &PlayCall,
    session: Uid,
    roll_seq: i64,
    targets: &[String],
) -> Result<Kept<Output>> {
    let targets = find_targets(call, targets).await?;
    let plan = || apply(call, session, roll_seq, &targets).boxed();
    match call.carry_out(plan).await {
        Ok(done) => Ok(done.into()),
        // It had already been applied before this call, or somebody else applied it meanwhile.
        Err(Error::Conflict { .. }) => before(call, session, roll_seq, &targets).await,
        Err(error) => Err(error),
    }
}

async fn apply(
    call: &PlayCall,
    session: Uid,
    roll_seq: i64,
    targets: &[Uid],
) -> Result<Plan<Output>> {
    match outcome::apply(call, session, roll_seq, targets).await? {
        ApplyPlan::Now(plan) => Ok(plan.map(Output::from)),
        ApplyPlan::Before(_) => Err(Error::Conflict { what: format!("roll {roll_seq}") }),
    }
}

async fn before(
    call: &PlayCall,
    session: Uid,
    roll_seq: i64,
    targets: &[Uid],
) -> Result<Kept<Output>> {
    match outcome::apply(call, session, roll_seq, targets).await? {
        ApplyPlan::Before(applied) => Ok(Done::Fresh(Output::from(applied)).into()),
        ApplyPlan::Now(_) => Err(Error::Unavailable { what: "the roll".into() }),
    }
}

async fn find_targets(call: &PlayCall, given: &[String]) -> Result<Vec<Uid>> {
    let mut targets = Vec::with_capacity(given.len());
    for (index, id) in given.iter().enumerate().filter(|(_, id)| !id.trim().is_empty()) {
        targets.push(Thing::Character.find(call, &format!("targets[{index}]"), id).await?);
    }
    Ok(targets)
}

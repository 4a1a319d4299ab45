//! `session_effect_apply`: applies damage, healing, stress, Hope, Fear, a condition, a rest, a
//! death move or a countdown change.

use futures::FutureExt;
use lore_app::play::call::PlayCall;
use lore_app::play::effect::{self, EffectRequest, Effected};
use lore_app::play::ids::Thing;
use lore_core::{Result, Role, Uid};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::effect_wire::{
    ConditionIn, CountdownIn, CountdownOut, DamageIn, DeathMoveIn, EffectIn, RestIn,
};
use super::setting::Setting;
use super::sheet_wire::StateOut;
use crate::call::Call;
use crate::kept::Kept;
use crate::tool::{Annotations, ToolSpec};
use crate::toolset::Toolset;

pub(super) struct SessionEffectApply;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    session_id: Option<String>,
    /// Targets; not for fear and countdown.
    #[serde(default)]
    character_ids: Vec<String>,
    damage: Option<DamageIn>,
    /// Hit points to clear.
    #[schemars(range(min = 1, max = 1_000))]
    heal: Option<i64>,
    /// Armor slots to clear.
    #[schemars(range(min = 1, max = 1_000))]
    repair_armor: Option<i64>,
    /// Stress to mark; negative clears.
    #[schemars(range(min = -1_000, max = 1_000))]
    stress: Option<i64>,
    /// Hope to gain; negative spends.
    #[schemars(range(min = -1_000, max = 1_000))]
    hope: Option<i64>,
    /// The GM's Fear; negative spends.
    #[schemars(range(min = -1_000, max = 1_000))]
    fear: Option<i64>,
    condition: Option<ConditionIn>,
    rest: Option<RestIn>,
    death_move: Option<DeathMoveIn>,
    countdown: Option<CountdownIn>,
    #[schemars(length(max = 1_000))]
    reason: Option<String>,
    context_id: Option<String>,
    idempotency_key: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Output {
    /// Its number in the log.
    seq: i64,
    /// Type of the event.
    event: &'static str,
    /// States of all affected characters now.
    character_states: Vec<StateOut>,
    /// The GM's Fear now, if it is affected.
    #[serde(skip_serializing_if = "Option::is_none")]
    gm_fear: Option<i64>,
    /// The countdown now, if one is affected.
    #[serde(skip_serializing_if = "Option::is_none")]
    countdown: Option<CountdownOut>,
    /// What changed, with values before and after.
    #[schemars(with = "Vec<Map<String, Value>>")]
    changes: Vec<Value>,
    /// Rules that now apply, to tell the table.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<&'static str>,
    /// Numbers and dice behind the result.
    #[serde(skip_serializing_if = "Value::is_null")]
    #[schemars(with = "Option<Map<String, Value>>")]
    detail: Value,
}

impl ToolSpec for SessionEffectApply {
    const NAME: &'static str = "session_effect_apply";
    const TOOLSET: Toolset = Toolset::Play;
    const TITLE: &'static str = "Apply an effect";
    const DESCRIPTION: &'static str = "Apply one effect by the rules and record it. Use in \
        a running session instead of calculating by hand. Returns states, changes and \
        notes.";
    const ANNOTATIONS: Annotations = Annotations::ADD;
    const ROLE: Role = Role::Player;

    type Input = Input;
    type Output = Kept<Output>;

    fn example() -> Value {
        json!({
            "session_id": "$session", "character_ids": ["$character"],
            "damage": { "amount": 9, "type": "PHYSICAL", "protection": "RESISTANT" },
            "reason": "a falling beam",
        })
    }

    async fn run(call: Call, input: Input) -> Result<Self::Output> {
        let (context, key) = (input.context_id.as_deref(), input.idempotency_key.clone());
        let mut setting = Setting::of(&call, Self::NAME, context, key)?;
        let session = setting.session(input.session_id.as_deref()).await?;
        setting.recorded(session, input.apply(&setting.call, session)).await
    }
}

impl Input {
    async fn apply(self, call: &PlayCall, session: Uid) -> Result<Kept<Output>> {
        let mut targets = Vec::with_capacity(self.character_ids.len());
        for (index, id) in self.character_ids.iter().enumerate() {
            let uid = Thing::Character.find(call, &format!("character_ids[{index}]"), id).await?;
            if !targets.contains(&uid) {
                targets.push(uid);
            }
        }
        let effect = EffectIn {
            damage: self.damage,
            heal: self.heal,
            repair_armor: self.repair_armor,
            stress: self.stress,
            hope: self.hope,
            fear: self.fear,
            condition: self.condition,
            rest: self.rest,
            death_move: self.death_move,
            countdown: self.countdown,
        };
        let effect = effect.found(call).await?.read(&targets)?;
        let ask = EffectRequest { session, effect, targets, reason: self.reason };
        let plan = || async { Ok(effect::apply(call, &ask).await?.map(Output::from)) }.boxed();
        Ok(call.carry_out(plan).await?.into())
    }
}

impl From<Effected> for Output {
    fn from(effected: Effected) -> Self {
        let states = effected.states.iter().map(|(uid, sheet)| StateOut::new(*uid, sheet));
        Self {
            seq: effected.seq,
            event: effected.kind,
            character_states: states.collect(),
            gm_fear: effected.gm_fear,
            countdown: effected.countdown.map(Into::into),
            changes: effected.changes,
            notes: effected.notes.iter().map(|note| note.text()).collect(),
            detail: effected.detail,
        }
    }
}

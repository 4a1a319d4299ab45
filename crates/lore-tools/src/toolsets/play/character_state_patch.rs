//! `character_state_patch`: sets Hope, stress or hit points of a character.

use futures::FutureExt;
use lore_app::play::ids::Thing;
use lore_app::play::state::{self, Patched};
use lore_core::{Result, Role};
use lore_rules::table::StatePatch;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::setting::Setting;
use super::sheet_wire::StateOut;
use crate::call::Call;
use crate::kept::Kept;
use crate::tool::{Annotations, ToolSpec};
use crate::toolset::Toolset;

pub(super) struct CharacterStatePatch;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    character_id: String,
    #[schemars(range(min = 0, max = 6))]
    hope: Option<i64>,
    /// Stress marked.
    #[schemars(range(min = 0, max = 100))]
    stress: Option<i64>,
    /// HP left; above 0 revives.
    #[schemars(range(min = 0, max = 100))]
    hp: Option<i64>,
    context_id: Option<String>,
    idempotency_key: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Output {
    /// The state now.
    state: StateOut,
}

impl From<Patched> for Output {
    fn from(patched: Patched) -> Self {
        Self { state: StateOut::new(patched.character, &patched.sheet) }
    }
}

impl ToolSpec for CharacterStatePatch {
    const NAME: &'static str = "character_state_patch";
    const TOOLSET: Toolset = Toolset::Play;
    const TITLE: &'static str = "Change a character state";
    const DESCRIPTION: &'static str = "Set Hope, stress or hit points to exact values. Use \
        to correct; in play use session_roll_outcome_apply and session_effect_apply. \
        Returns the state.";
    const ANNOTATIONS: Annotations = Annotations::CHANGE;
    const ROLE: Role = Role::Player;

    type Input = Input;
    type Output = Kept<Output>;

    fn example() -> Value {
        json!({ "character_id": "$character", "hope": 4, "stress": 2, "hp": 5 })
    }

    async fn run(call: Call, input: Input) -> Result<Self::Output> {
        let context = input.context_id.as_deref();
        let setting = Setting::of(&call, Self::NAME, context, input.idempotency_key)?;
        let id = &input.character_id;
        let uid = Thing::Character.find(&setting.call, "character_id", id).await?;
        let campaign = setting.context.map(|context| context.campaign);
        let patch = StatePatch {
            hope: input.hope,
            stress: input.stress,
            hp: input.hp,
            ..StatePatch::default()
        };
        let call = &setting.call;
        let plan = || {
            async { Ok(state::patch_state(call, campaign, uid, patch).await?.map(Output::from)) }
                .boxed()
        };
        Ok(call.carry_out(plan).await?.into())
    }
}

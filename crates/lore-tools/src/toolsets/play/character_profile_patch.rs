//! `character_profile_patch`: changes traits, maxima and thresholds of a character.

use std::collections::BTreeMap;

use futures::FutureExt;
use lore_app::play::ids::Thing;
use lore_app::play::sheet::ProfilePatch;
use lore_app::play::state::{self, Patched};
use lore_core::{Result, Role};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::setting::Setting;
use super::sheet_wire::{ClampedOut, ProfileOut};
use crate::call::Call;
use crate::kept::Kept;
use crate::tool::{Annotations, ToolSpec};
use crate::toolset::Toolset;

pub(super) struct CharacterProfilePatch;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    character_id: String,
    /// All traits, -2 to 4 each.
    traits: Option<BTreeMap<String, i64>>,
    #[schemars(range(min = 1, max = 100))]
    hp_max: Option<i64>,
    #[schemars(range(min = 0, max = 100))]
    stress_max: Option<i64>,
    #[schemars(range(min = 0, max = 1_000))]
    evasion: Option<i64>,
    /// Damage that marks 2 HP.
    #[schemars(range(min = 0, max = 1_000))]
    major_threshold: Option<i64>,
    /// Damage that marks 3 HP.
    #[schemars(range(min = 0, max = 1_000))]
    severe_threshold: Option<i64>,
    #[schemars(range(min = 1, max = 10))]
    level: Option<i64>,
    #[schemars(range(min = 0, max = 12))]
    armor_score: Option<i64>,
    context_id: Option<String>,
    idempotency_key: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Output {
    /// The profile now.
    profile: ProfileOut,
    /// Current values that were reduced to a lowered maximum.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    clamped: Vec<ClampedOut>,
}

impl From<Patched> for Output {
    fn from(patched: Patched) -> Self {
        Self {
            profile: ProfileOut::new(patched.character, &patched.sheet),
            clamped: patched.clamped.into_iter().map(Into::into).collect(),
        }
    }
}

impl ToolSpec for CharacterProfilePatch {
    const NAME: &'static str = "character_profile_patch";
    const TOOLSET: Toolset = Toolset::Play;
    const TITLE: &'static str = "Change a character profile";
    const DESCRIPTION: &'static str = "Change a character's profile. Use when making or \
        levelling one; for Hope, stress and hit points use character_state_patch. Returns \
        profile and clamped values.";
    const ANNOTATIONS: Annotations = Annotations::CHANGE;
    const ROLE: Role = Role::Player;

    type Input = Input;
    type Output = Kept<Output>;

    fn example() -> Value {
        json!({
            "character_id": "$character", "traits": { "bravery": 3, "insight": 2 }, "hp_max": 14,
            "stress_max": 7, "evasion": 13, "major_threshold": 7, "severe_threshold": 11,
        })
    }

    async fn run(call: Call, input: Input) -> Result<Self::Output> {
        let context = input.context_id.as_deref();
        let setting = Setting::of(&call, Self::NAME, context, input.idempotency_key)?;
        let id = &input.character_id;
        let uid = Thing::Character.find(&setting.call, "character_id", id).await?;
        let campaign = setting.context.map(|context| context.campaign);
        let patch = ProfilePatch {
            level: input.level,
            armor_score: input.armor_score,
            traits: input.traits,
            hp_max: input.hp_max,
            stress_max: input.stress_max,
            evasion: input.evasion,
            major_threshold: input.major_threshold,
            severe_threshold: input.severe_threshold,
        };
        let call = &setting.call;
        let plan = || {
            async { Ok(state::patch_profile(call, campaign, uid, &patch).await?.map(Output::from)) }
                .boxed()
        };
        Ok(call.carry_out(plan).await?.into())
    }
}

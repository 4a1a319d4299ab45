//! `session_action_roll`: makes an action roll and records it in the session's log.

use futures::FutureExt;
use lore_app::play::call::PlayCall;
use lore_app::play::dice::Odds;
use lore_app::play::ids::Thing;
use lore_app::play::roll::{self, ActionRoll, Rolled};
use lore_core::{Result, Role, Uid};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::setting::Setting;
use super::wire::{self, RngIn, RngOut};
use crate::call::Call;
use crate::choice::choice;
use crate::kept::Kept;
use crate::tool::{Annotations, ToolSpec};
use crate::toolset::Toolset;

pub(super) struct SessionActionRoll;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    campaign_id: Option<String>,
    session_id: Option<String>,
    character_id: String,
    /// Name; a label unless use_trait_value.
    #[serde(rename = "trait")]
    trait_name: String,
    #[schemars(range(min = 0, max = 1_000_000))]
    difficulty: i64,
    #[serde(default)]
    modifiers: Vec<ModifierIn>,
    /// How many apply.
    #[serde(default)]
    #[schemars(range(min = 0, max = 100))]
    advantage: i64,
    /// How many apply.
    #[serde(default)]
    #[schemars(range(min = 0, max = 100))]
    disadvantage: i64,
    /// How many allies help.
    #[serde(default)]
    #[schemars(range(min = 0, max = 8))]
    helpers: i64,
    /// Add the sheet's value.
    #[serde(default)]
    use_trait_value: bool,
    /// Gains no Hope or Fear.
    #[serde(default)]
    reaction: bool,
    /// Hide it from players.
    #[serde(default)]
    hide_difficulty: bool,
    /// To repeat a roll.
    rng: Option<RngIn>,
    context_id: Option<String>,
    idempotency_key: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ModifierIn {
    source: String,
    #[schemars(range(min = -1_000_000, max = 1_000_000))]
    value: i64,
}

choice! {
    /// The die that decides between Hope and Fear.
    enum FlavorWire { Hope = "HOPE", Fear = "FEAR" }
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Output {
    /// Result of the Hope die.
    hope_die: u32,
    /// Result of the Fear die.
    fear_die: u32,
    /// Result of the advantage die, or of the disadvantage die as a negative number.
    #[serde(skip_serializing_if = "Option::is_none")]
    edge_die: Option<i64>,
    /// Result of each helper's die; only the best counts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    helper_dice: Vec<u32>,
    /// Total of the roll.
    total: i64,
    /// The difficulty; absent if it is hidden from you.
    #[serde(skip_serializing_if = "Option::is_none")]
    difficulty: Option<i64>,
    /// Whether the roll succeeds.
    success: bool,
    /// The higher die; a critical counts as HOPE.
    flavor: FlavorWire,
    /// Whether both dice show the same number: a critical.
    crit: bool,
    /// Number of the roll in the log; pass it to session_roll_outcome_apply.
    roll_seq: i64,
    /// The seed, which proves the dice.
    rng: RngOut,
    /// Further things you should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

impl From<Rolled> for Output {
    fn from(rolled: Rolled) -> Self {
        let rolled_dice = &rolled.roll;
        let roll = &rolled_dice.evaluation;
        let difficulty = roll.difficulty.map(|difficulty| difficulty.value());
        Self {
            hope_die: roll.dice.hope.value(),
            fear_die: roll.dice.fear.value(),
            edge_die: rolled_dice.advantage_die,
            helper_dice: rolled_dice.helper_dice.clone(),
            total: roll.total,
            difficulty: difficulty.filter(|_| rolled.shows_difficulty),
            success: roll.meets_difficulty,
            flavor: match roll::flavor(rolled_dice) {
                "FEAR" => FlavorWire::Fear,
                _ => FlavorWire::Hope,
            },
            crit: roll.is_crit,
            roll_seq: rolled.roll_seq,
            rng: rolled.rng.into(),
            warnings: rolled.warnings,
        }
    }
}

impl ToolSpec for SessionActionRoll {
    const NAME: &'static str = "session_action_roll";
    const TOOLSET: Toolset = Toolset::Play;
    const TITLE: &'static str = "Roll in a session";
    const DESCRIPTION: &'static str = "Roll Hope and Fear for a character and record it. \
        Use for every action in a running session, then session_roll_outcome_apply with \
        its roll_seq. Returns dice, result and roll_seq.";
    const ANNOTATIONS: Annotations = Annotations::ADD;
    const ROLE: Role = Role::Player;

    type Input = Input;
    type Output = Kept<Output>;

    fn example() -> Value {
        json!({
            "campaign_id": "$campaign", "session_id": "$session", "character_id": "$character",
            "trait": "bravery", "difficulty": 10, "modifiers": [{ "source": "skill", "value": 2 }],
        })
    }

    async fn run(call: Call, input: Input) -> Result<Self::Output> {
        let (context, key) = (input.context_id.as_deref(), input.idempotency_key.clone());
        let mut setting = Setting::of(&call, Self::NAME, context, key)?;
        let session = setting.session(input.session_id.as_deref()).await?;
        setting.recorded(session, input.roll(&setting.call, session)).await
    }
}

impl Input {
    async fn roll(self, call: &PlayCall, session: Uid) -> Result<Kept<Output>> {
        let campaign = match self.campaign_id.as_deref() {
            Some(id) => Some(Thing::Campaign.find(call, "campaign_id", id).await?),
            None => None,
        };
        let ask = ActionRoll {
            session,
            campaign,
            character: Thing::Character.find(call, "character_id", &self.character_id).await?,
            trait_name: self.trait_name,
            difficulty: self.difficulty,
            modifiers: self.modifiers.into_iter().map(|m| (m.source, m.value)).collect(),
            odds: Odds {
                advantage: self.advantage,
                disadvantage: self.disadvantage,
                helpers: self.helpers,
            },
            use_trait_value: self.use_trait_value,
            reaction: self.reaction,
            hide_difficulty: self.hide_difficulty,
            randomness: wire::randomness(self.rng)?,
        };
        let plan = || async { Ok(roll::action(call, &ask).await?.map(Output::from)) }.boxed();
        Ok(call.carry_out(plan).await?.into())
    }
}

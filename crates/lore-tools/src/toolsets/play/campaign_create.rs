//! `campaign_create`: creates a campaign.

use futures::FutureExt;
use lore_app::play::campaign::{self, NewCampaign};
use lore_core::{Result, Role};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::records::{CampaignOut, GmModeWire};
use super::setting::Setting;
use crate::call::Call;
use crate::kept::Kept;
use crate::tool::{Annotations, ToolSpec};
use crate::toolset::Toolset;

pub(super) struct CampaignCreate;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    name: String,
    /// Who is the GM.
    gm_mode: GmModeWire,
    /// Theme of the story.
    theme_prompt: Option<String>,
    idempotency_key: Option<String>,
}

impl ToolSpec for CampaignCreate {
    const NAME: &'static str = "campaign_create";
    const TOOLSET: Toolset = Toolset::Play;
    const TITLE: &'static str = "Create a campaign";
    const DESCRIPTION: &'static str = "Create a campaign not yet in campaigns://list. \
        Use once per story, then participant_create and character_create. Returns it \
        with its id.";
    const ANNOTATIONS: Annotations = Annotations::ADD;
    const ROLE: Role = Role::Gm;

    type Input = Input;
    type Output = Kept<CampaignOut>;

    fn example() -> Value {
        json!({
            "name": "The Lost Expedition",
            "gm_mode": "HUMAN",
            "theme_prompt": "A dark fantasy campaign set in a cursed forest",
        })
    }

    async fn run(call: Call, input: Input) -> Result<Self::Output> {
        let setting = Setting::of(&call, Self::NAME, None, input.idempotency_key)?;
        let new = NewCampaign {
            name: input.name,
            gm_mode: input.gm_mode.into(),
            theme_prompt: input.theme_prompt.unwrap_or_default(),
        };
        let call = &setting.call;
        let plan =
            || async { Ok(campaign::create(call, &new).await?.map(CampaignOut::from)) }.boxed();
        Ok(call.carry_out(plan).await?.into())
    }
}

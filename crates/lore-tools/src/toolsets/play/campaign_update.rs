//! `campaign_update`: changes, archives or restores a campaign.

use futures::FutureExt;
use lore_app::play::campaign::{self, CampaignPatch};
use lore_app::play::ids::Thing;
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

pub(super) struct CampaignUpdate;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    campaign_id: String,
    name: Option<String>,
    gm_mode: Option<GmModeWire>,
    theme_prompt: Option<String>,
    archived: Option<bool>,
    idempotency_key: Option<String>,
}

impl ToolSpec for CampaignUpdate {
    const NAME: &'static str = "campaign_update";
    const TOOLSET: Toolset = Toolset::Play;
    const TITLE: &'static str = "Change a campaign";
    const DESCRIPTION: &'static str = "Change, archive or restore a campaign. Use for its \
        name, theme or gm_mode. Returns the campaign.";
    const ANNOTATIONS: Annotations = Annotations::CHANGE;
    const ROLE: Role = Role::Gm;

    type Input = Input;
    type Output = Kept<CampaignOut>;

    fn example() -> Value {
        json!({ "campaign_id": "$campaign", "name": "The Found Expedition" })
    }

    async fn run(call: Call, input: Input) -> Result<Self::Output> {
        let setting = Setting::of(&call, Self::NAME, None, input.idempotency_key)?;
        let uid = Thing::Campaign.find(&setting.call, "campaign_id", &input.campaign_id).await?;
        let patch = CampaignPatch {
            name: input.name,
            gm_mode: input.gm_mode.map(Into::into),
            theme_prompt: input.theme_prompt,
            archived: input.archived,
        };
        let call = &setting.call;
        if patch.archived == Some(false) {
            campaign::bring_back(call, Thing::Campaign, uid).await?;
        }
        if patch == (CampaignPatch { archived: Some(true), ..Default::default() })
            && let Some(archived) = campaign::archived(call, uid).await?
        {
            return Ok(Kept::Fresh(archived.into()));
        }
        let plan = || {
            async { Ok(campaign::update(call, uid, &patch).await?.map(CampaignOut::from)) }.boxed()
        };
        Ok(call.carry_out(plan).await?.into())
    }
}

//! `campaign_fork`: copies a campaign, as it is or as it was at an earlier event.

use futures::FutureExt;
use lore_app::play::fork::{self, Fork, Forked};
use lore_app::play::ids::Thing;
use lore_core::{Error, Result, Role};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::records::CampaignOut;
use super::setting::Setting;
use crate::call::Call;
use crate::kept::Kept;
use crate::tool::{Annotations, ToolSpec};
use crate::toolset::Toolset;

pub(super) struct CampaignFork;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    campaign_id: String,
    /// Session to go back to.
    session_id: Option<String>,
    /// Event to go back to; default: now.
    #[schemars(range(min = 1))]
    seq: Option<i64>,
    /// Name of the copy.
    name: Option<String>,
    idempotency_key: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Output {
    #[serde(flatten)]
    campaign: CampaignOut,
    /// What may differ from how it was at the event, because the logs do not record it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    not_rewound: Vec<String>,
}

impl From<Forked> for Output {
    fn from(forked: Forked) -> Self {
        Self { campaign: forked.campaign.into(), not_rewound: forked.not_rewound }
    }
}

impl ToolSpec for CampaignFork {
    const NAME: &'static str = "campaign_fork";
    const TOOLSET: Toolset = Toolset::Play;
    const TITLE: &'static str = "Fork a campaign";
    const DESCRIPTION: &'static str = "Copy a campaign as it is, or was at an event of a \
        session; the original stays. Use to undo or try something. Returns the copy, \
        without sessions.";
    const ANNOTATIONS: Annotations = Annotations::ADD;
    const ROLE: Role = Role::Gm;

    type Input = Input;
    type Output = Kept<Output>;

    fn example() -> Value {
        json!({ "campaign_id": "$campaign", "session_id": "$session", "seq": 1 })
    }

    async fn run(call: Call, input: Input) -> Result<Self::Output> {
        let setting = Setting::of(&call, Self::NAME, None, input.idempotency_key)?;
        let at = match (input.session_id, input.seq) {
            (Some(id), Some(seq)) => {
                Some((Thing::Session.find(&setting.call, "session_id", &id).await?, seq))
            }
            (None, None) => None,
            _ => {
                let hint = "give both to go back to an event, or neither for a copy of now";
                return Err(Error::invalid("session_id", "and seq belong together", hint));
            }
        };
        let campaign =
            Thing::Campaign.find(&setting.call, "campaign_id", &input.campaign_id).await?;
        let wanted = Fork { campaign, at, name: input.name };
        let call = &setting.call;
        let plan = || async { Ok(fork::fork(call, &wanted).await?.map(Output::from)) }.boxed();
        Ok(call.carry_out(plan).await?.into())
    }
}

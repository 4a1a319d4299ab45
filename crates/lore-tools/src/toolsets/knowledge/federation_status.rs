//! `federation_status`: the identity, peers and event queue of this KOI-net node.

use lore_core::{Result, Role};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::wire::pretty;
use crate::call::Call;
use crate::koi::{self, Ask, Shaped};
use crate::tool::{Annotations, ToolSpec};
use crate::toolset::Toolset;

pub(super) struct FederationStatus;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {}

/// The state of the KOI-net node. Other KOI APIs may add fields.
#[derive(Serialize, JsonSchema)]
pub(super) struct Output {
    /// healthy, or disabled if this server is not a KOI-net node.
    #[schemars(extend("enum" = ["healthy", "disabled"]))]
    status: String,
    /// The node's identity: RID, name, type, address, what it provides, public key.
    node: Option<Value>,
    /// Known nodes, with the time each was last heard from.
    peers: Vec<Value>,
    /// Number of events not yet delivered.
    event_queue_size: u64,
    /// Whether incoming events are processed.
    pipeline_enabled: bool,
    /// Requirements for every message.
    protocol: Value,
    /// Time of this report.
    timestamp: String,
}

impl ToolSpec for FederationStatus {
    const NAME: &'static str = "federation_status";
    const TOOLSET: Toolset = Toolset::Knowledge;
    const TITLE: &'static str = "Federation status";
    const DESCRIPTION: &'static str = "Report the state of this KOI-net node. Use when knowledge \
        of other nodes is missing or late. Returns identity, peers, queue size and protocol \
        policy.";
    const ANNOTATIONS: Annotations = Annotations::READ;
    const ROLE: Role = Role::Reader;

    type Input = Input;
    type Output = Shaped<Output>;

    fn example() -> Value {
        json!({})
    }

    fn text(answer: &Value) -> String {
        pretty(answer)
    }

    async fn run(call: Call, _: Input) -> Result<Self::Output> {
        koi::ask(&call, Self::NAME, Ask::get(["koi-net", "health"])).await
    }
}

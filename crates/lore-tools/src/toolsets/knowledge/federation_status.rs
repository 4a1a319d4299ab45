//! `federation_status`: who this node is, whom it knows, and what waits to be told.

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

/// The form of the report; other KOI APIs may add to it.
#[derive(Serialize, JsonSchema)]
pub(super) struct Output {
    /// `healthy`, or `disabled` where this server is no node.
    #[schemars(extend("enum" = ["healthy", "disabled"]))]
    status: String,
    /// Who the node is: RID, name, type, address, what it provides, public key.
    node: Option<Value>,
    /// The nodes it knows, with when they were last heard.
    peers: Vec<Value>,
    /// Events that somebody has still to be told.
    event_queue_size: u64,
    /// Whether what arrives is taken in.
    pipeline_enabled: bool,
    /// What every message has to be.
    protocol: Value,
    /// When this was.
    timestamp: String,
}

impl ToolSpec for FederationStatus {
    const NAME: &'static str = "federation_status";
    const TOOLSET: Toolset = Toolset::Knowledge;
    const TITLE: &'static str = "Federation status";
    const DESCRIPTION: &'static str = "Tell how the KOI-net node is doing. Use when knowledge \
        of other nodes is missing or late. Returns identity, peers, queue size and protocol policy.";
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

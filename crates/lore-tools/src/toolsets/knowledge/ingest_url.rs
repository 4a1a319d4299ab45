//! `ingest_url`: take a page in, with what it tells.

use lore_core::{Result, Role};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::wire::pretty;
use crate::call::Call;
use crate::koi::{self, Ask, IngestAnswer, Shaped};
use crate::tool::{Annotations, ToolSpec};
use crate::toolset::Toolset;

pub(super) struct IngestUrl;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    url: String,
    /// To resolve and link.
    #[serde(default)]
    entities: Vec<EntityIn>,
    /// Between entities, by name or URI.
    #[serde(default)]
    relationships: Vec<RelationIn>,
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct EntityIn {
    name: String,
    /// Person, Organization…
    r#type: String,
    /// Where it stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    context: Option<String>,
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RelationIn {
    /// Who.
    subject: String,
    /// Such as founded or located_in.
    predicate: String,
    /// Whom or what.
    object: String,
}

impl ToolSpec for IngestUrl {
    const NAME: &'static str = "ingest_url";
    const TOOLSET: Toolset = Toolset::Knowledge;
    const TITLE: &'static str = "Take a web page in";
    const DESCRIPTION: &'static str = "Take a previewed page into the graph with its entities and \
        relationships. Use after preview_url and process_url. Returns what was linked or made, \
        and per item what was refused and why.";
    const ANNOTATIONS: Annotations =
        Annotations { read_only: false, destructive: false, idempotent: true, open_world: true };
    const ROLE: Role = Role::Player;

    type Input = Input;
    type Output = Shaped<IngestAnswer>;

    fn example() -> Value {
        json!({
            "url": "$page",
            "entities": [{ "name": "Ada Holt", "type": "Person" }],
            "relationships": [],
        })
    }

    fn text(answer: &Value) -> String {
        pretty(answer)
    }

    async fn run(call: Call, input: Input) -> Result<Self::Output> {
        let body = json!({
            "url": input.url,
            "entities": input.entities,
            "relationships": input.relationships,
        });
        Ok(koi::ask(&call, Self::NAME, Ask::post(["web", "ingest"], body)).await?.into())
    }
}

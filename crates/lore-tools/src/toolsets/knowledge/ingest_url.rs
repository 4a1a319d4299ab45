//! `ingest_url`: ingests a web page with its entities and relations.

use std::borrow::Cow;

use lore_core::{Result, Role};
use schemars::{JsonSchema, Schema, SchemaGenerator};
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
    /// Entities the page is about, to link or create.
    #[serde(default)]
    entities: Vec<Lenient<EntityIn>>,
    /// Relations between entities, each named by name or URI.
    #[serde(default)]
    relationships: Vec<Lenient<RelationIn>>,
}

/// An item of a list. An item that cannot be parsed is passed on, so that it is refused by itself.
#[derive(Deserialize, Serialize)]
#[serde(untagged)]
enum Lenient<T> {
    Read(T),
    Unread(Value),
}

impl<T: JsonSchema> JsonSchema for Lenient<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

// Unknown fields are allowed and ignored, so that the output of process_url can be passed on.
#[derive(Deserialize, Serialize, JsonSchema)]
struct EntityIn {
    name: String,
    /// Entity type, such as Person.
    r#type: String,
    /// The text that names it, kept if there is no description.
    #[serde(skip_serializing_if = "Option::is_none")]
    context: Option<String>,
    /// What the page says about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    /// As process_url gives it; not kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<f64>,
}

#[derive(Deserialize, Serialize, JsonSchema)]
struct RelationIn {
    /// Entity it starts from.
    subject: String,
    /// Kind of relation, such as founded or located_in.
    predicate: String,
    /// Entity it leads to.
    object: String,
    /// 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<f64>,
}

impl ToolSpec for IngestUrl {
    const NAME: &'static str = "ingest_url";
    const TOOLSET: Toolset = Toolset::Knowledge;
    const TITLE: &'static str = "Ingest a web page";
    const DESCRIPTION: &'static str = "Ingest a previewed page into the graph with its entities \
        and relationships: the proposals of process_url, corrected where needed. Use after \
        preview_url and process_url; repeat to add more. Returns what was linked or created, \
        and which items were refused and why.";
    const ANNOTATIONS: Annotations =
        Annotations { read_only: false, destructive: false, idempotent: true, open_world: true };
    const ROLE: Role = Role::Player;
    const OWN_CARE: &'static [&'static str] = &koi::QUOTED;

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
        koi::ask(&call, Self::NAME, Ask::post(["web", "ingest"], body)).await
    }
}

//! `process_url`: extracts entities and relations from a previewed page.

use lore_core::{Result, Role};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::wire::pretty;
use crate::call::Call;
use crate::koi::{self, Ask, ProcessAnswer, Shaped};
use crate::tool::{Annotations, ToolSpec};
use crate::toolset::Toolset;

pub(super) struct ProcessUrl;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    url: String,
    /// Entity names to look for.
    #[serde(default)]
    hint_entities: Vec<String>,
}

impl ToolSpec for ProcessUrl {
    const NAME: &'static str = "process_url";
    const TOOLSET: Toolset = Toolset::Knowledge;
    const TITLE: &'static str = "Extract from a web page";
    const DESCRIPTION: &'static str = "Extract entities and relationships from a previewed page. \
        Use after preview_url; check what it found before ingest_url. Returns proposals with \
        confidence, and the model or program that made them.";
    const ANNOTATIONS: Annotations =
        Annotations { read_only: false, destructive: false, idempotent: true, open_world: true };
    const ROLE: Role = Role::Player;

    type Input = Input;
    type Output = Shaped<ProcessAnswer>;

    fn example() -> Value {
        json!({ "url": "$page", "hint_entities": ["Thorin"] })
    }

    fn text(answer: &Value) -> String {
        pretty(answer)
    }

    async fn run(call: Call, input: Input) -> Result<Self::Output> {
        let body = json!({
            "url": input.url,
            "hint_entities": input.hint_entities,
            "auto_ingest": false,
        });
        koi::ask(&call, Self::NAME, Ask::post(["web", "process"], body)).await
    }
}

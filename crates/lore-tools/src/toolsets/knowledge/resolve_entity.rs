//! `resolve_entity`: finds the entity that a name means.

use lore_core::{Result, Role};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::wire::pretty;
use crate::call::Call;
use crate::koi::{self, Ask, ResolveAnswer, Shaped};
use crate::tool::{Annotations, ToolSpec};
use crate::toolset::Toolset;

pub(super) struct ResolveEntity;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// Name to resolve.
    label: String,
    /// Likely type: Person, Organization, Project, Concept, Location, Meeting…
    type_hint: Option<String>,
}

impl ToolSpec for ResolveEntity {
    const NAME: &'static str = "resolve_entity";
    const TOOLSET: Toolset = Toolset::Knowledge;
    const TITLE: &'static str = "Resolve a name";
    const DESCRIPTION: &'static str = "Find which known entity a name means, despite typos, \
        nicknames and accents. Use before linking or adding something; to explore use \
        koi_search. Returns ranked candidates with URI, type, confidence and reason; is_new \
        when nothing fits.";
    const ANNOTATIONS: Annotations = Annotations::READ;
    const ROLE: Role = Role::Reader;

    type Input = Input;
    type Output = Shaped<ResolveAnswer>;

    fn example() -> Value {
        json!({ "label": "Thorin", "type_hint": "Person" })
    }

    fn text(answer: &Value) -> String {
        pretty(answer)
    }

    async fn run(call: Call, input: Input) -> Result<Self::Output> {
        let body = json!({ "label": input.label, "type_hint": input.type_hint });
        let ask = Ask::post(["entity", "resolve"], body);
        koi::ask(&call, Self::NAME, ask).await
    }
}

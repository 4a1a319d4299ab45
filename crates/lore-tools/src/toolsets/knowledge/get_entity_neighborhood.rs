//! `get_entity_neighborhood`: lists the relations of an entity.

use lore_core::{Result, Role};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::wire::{pretty, uri_of};
use crate::call::Call;
use crate::koi::{self, Ask, RelationshipsAnswer, Shaped};
use crate::tool::{Annotations, ToolSpec};
use crate::toolset::Toolset;

pub(super) struct GetEntityNeighborhood;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// URI or name of the entity.
    entity_uri: String,
}

impl ToolSpec for GetEntityNeighborhood {
    const NAME: &'static str = "get_entity_neighborhood";
    const TOOLSET: Toolset = Toolset::Knowledge;
    const TITLE: &'static str = "Relations of an entity";
    const DESCRIPTION: &'static str = "List how an entity is related to people, organisations, \
        projects and places. Use for who belongs where; for texts about it use \
        get_entity_documents. Returns relationships in both directions.";
    const ANNOTATIONS: Annotations = Annotations::READ;
    const ROLE: Role = Role::Reader;

    type Input = Input;
    type Output = Shaped<RelationshipsAnswer>;

    fn example() -> Value {
        json!({ "entity_uri": "Aelysh" })
    }

    fn text(answer: &Value) -> String {
        pretty(answer)
    }

    async fn run(call: Call, input: Input) -> Result<Self::Output> {
        let uri = uri_of(&call, Self::NAME, &input.entity_uri).await?;
        let ask = Ask::get(["relationships".to_owned(), uri]);
        koi::ask(&call, Self::NAME, ask).await
    }
}

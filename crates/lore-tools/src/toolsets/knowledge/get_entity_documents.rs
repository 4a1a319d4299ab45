//! `get_entity_documents`: lists the documents that mention an entity.

use lore_core::{Result, Role};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::wire::{pretty, uri_of};
use crate::call::Call;
use crate::koi::{self, Ask, MentionedInAnswer, Shaped};
use crate::tool::{Annotations, ToolSpec};
use crate::toolset::Toolset;

pub(super) struct GetEntityDocuments;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// URI or name of the entity.
    entity_uri: String,
}

impl ToolSpec for GetEntityDocuments {
    const NAME: &'static str = "get_entity_documents";
    const TOOLSET: Toolset = Toolset::Knowledge;
    const TITLE: &'static str = "Documents of an entity";
    const DESCRIPTION: &'static str = "List the notes, pages and web pages that mention an \
        entity. Use for sources and backlinks; to find by topic use knowledge_search. Returns \
        documents, those that mention it most first.";
    const ANNOTATIONS: Annotations = Annotations::READ;
    const ROLE: Role = Role::Reader;

    type Input = Input;
    type Output = Shaped<MentionedInAnswer>;

    fn example() -> Value {
        json!({ "entity_uri": "Aelysh" })
    }

    fn text(answer: &Value) -> String {
        pretty(answer)
    }

    async fn run(call: Call, input: Input) -> Result<Self::Output> {
        let uri = uri_of(&call, Self::NAME, &input.entity_uri).await?;
        let ask = Ask::get(["entity".to_owned(), uri, "mentioned-in".to_owned()]);
        koi::ask(&call, Self::NAME, ask).await
    }
}

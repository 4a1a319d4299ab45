//! `update_entities`: change pages.

use lore_app::pages::{self, PagePatch};
use lore_core::{Result, Role};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::each::{Each, Number, check_count};
use super::wire::{RowOut, Rows, scribe};
use crate::call::Call;
use crate::tool::{Annotations, ToolSpec};
use crate::toolset::Toolset;

pub(super) struct UpdateEntities;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// The changes; what is left out stays.
    updates: Vec<Each<Item>>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Item {
    /// The entity.
    entity_id: Number,
    /// New name.
    name: Option<String>,
    /// New Type field.
    #[serde(rename = "type")]
    subtype: Option<String>,
    /// New text, Markdown; replaces all of it.
    entry: Option<String>,
    /// All tags; [] clears them.
    tags: Option<Vec<String>>,
    /// Hide it from the players, or show it.
    #[serde(alias = "is_hidden")]
    is_private: Option<bool>,
}

impl ToolSpec for UpdateEntities {
    const NAME: &'static str = "update_entities";
    const TOOLSET: Toolset = Toolset::Pages;
    const TITLE: &'static str = "Change entities";
    const DESCRIPTION: &'static str = "Change entities. entry and tags are replaced as a whole: \
        read first what must stay. Use create_posts to add a note instead. Returns one result for \
        each; check success.";
    const ANNOTATIONS: Annotations = Annotations::CHANGE;
    const ROLE: Role = Role::Player;

    type Input = Input;
    type Output = Rows;

    fn example() -> Value {
        json!({ "updates": [{ "entity_id": "$entity", "tags": ["pc", "dwarf", "cleric"] }] })
    }

    async fn run(call: Call, input: Input) -> Result<Rows> {
        check_count("updates", input.updates.len())?;
        let scribe = scribe(&call, Self::NAME);
        let mut results = Vec::with_capacity(input.updates.len());
        for item in input.updates {
            call.check_cancelled()?;
            let (id, outcome) = match item {
                Each::Good(item) => {
                    let id = item.entity_id.read("entity_id");
                    let outcome = match id {
                        Ok(id) => pages::update(&scribe, id, &item.patch()).await,
                        Err(error) => Err(error),
                    };
                    (item.entity_id.known(), outcome)
                }
                Each::Bad(given, error) => (Number::in_field(&given, "entity_id"), Err(error)),
            };
            results.push(RowOut::of(id, None, &outcome));
        }
        Ok(Rows { results })
    }
}

impl Item {
    fn patch(&self) -> PagePatch {
        PagePatch {
            name: self.name.clone(),
            subtype: self.subtype.clone(),
            entry: self.entry.clone(),
            tags: self.tags.clone(),
            private: self.is_private,
            ..PagePatch::default()
        }
    }
}

//! `update_entities`: changes pages.

use lore_app::pages::{self, PagePatch, Scribe};
use lore_core::{Error, Result, Role};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::each::{Each, Job, entity, work};
use super::wire::{RowOut, Rows, one_of};
use crate::call::Call;
use crate::tool::{Annotations, ToolSpec};
use crate::toolset::Toolset;
use crate::toolsets::page_id::PageId;

pub(super) struct UpdateEntities;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// The changes; fields that are left out stay the same.
    updates: Vec<Each<Item>>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Item {
    /// Id of the entity.
    entity_id: PageId,
    /// New name.
    name: Option<String>,
    /// New subtype.
    #[serde(rename = "type")]
    subtype: Option<String>,
    /// New text in Markdown; replaces the whole text.
    entry: Option<String>,
    /// All tags; [] removes them.
    tags: Option<Vec<String>>,
    /// Hide it from the players, or show it.
    is_private: Option<bool>,
    /// Another name for `is_private`, which some clients send as well.
    #[schemars(skip)]
    is_hidden: Option<bool>,
}

impl ToolSpec for UpdateEntities {
    const NAME: &'static str = "update_entities";
    const TOOLSET: Toolset = Toolset::Pages;
    const TITLE: &'static str = "Change entities";
    const DESCRIPTION: &'static str = "Change entities. entry and tags are replaced as a whole: \
        read them first to keep parts. Use create_posts to add a note instead. Returns one \
        result for each; check success.";
    const ANNOTATIONS: Annotations = Annotations::CHANGE;
    const ROLE: Role = Role::Player;
    const OWN_CARE: &'static [&'static str] = &["updates"];

    type Input = Input;
    type Output = Rows;

    fn example() -> Value {
        json!({ "updates": [{ "entity_id": "$entity", "tags": ["pc", "dwarf", "cleric"] }] })
    }

    async fn run(call: Call, input: Input) -> Result<Rows> {
        Ok(Rows { results: work(&call, Self::NAME, "updates", input.updates).await? })
    }
}

impl Job for Item {
    type Row = RowOut;

    async fn run(self, scribe: &Scribe) -> RowOut {
        let found = entity(scribe, &self.entity_id).await;
        RowOut::of(found.clone().ok(), None, &self.apply(scribe, found).await)
    }

    fn unread(given: &Value, error: &Error) -> RowOut {
        RowOut::unread(given, error)
    }
}

impl Item {
    async fn apply(self, scribe: &Scribe, page: Result<i64>) -> Result<()> {
        let patch = PagePatch {
            name: self.name,
            subtype: self.subtype,
            entry: self.entry,
            tags: self.tags,
            private: one_of(self.is_private, self.is_hidden)?,
            ..PagePatch::default()
        };
        pages::update(scribe, page?, &patch).await
    }
}

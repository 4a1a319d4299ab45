//! `update_posts`: changes posts of pages.

use lore_app::pages::{self, PostPatch, Scribe};
use lore_core::{Error, Result, Role};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::each::{Each, Job, entity, post, work};
use super::wire::{RowOut, Rows, one_of};
use crate::call::Call;
use crate::tool::{Annotations, ToolSpec};
use crate::toolset::Toolset;
use crate::toolsets::page_id::PageId;

pub(super) struct UpdatePosts;

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
    /// Id of the post.
    post_id: PageId,
    /// New title.
    name: Option<String>,
    /// New text in Markdown; replaces the whole text.
    entry: Option<String>,
    /// Hide it from the players, or show it.
    is_private: Option<bool>,
    /// Another name for `is_private`, which some clients send as well.
    #[schemars(skip)]
    is_hidden: Option<bool>,
}

impl ToolSpec for UpdatePosts {
    const NAME: &'static str = "update_posts";
    const TOOLSET: Toolset = Toolset::Pages;
    const TITLE: &'static str = "Change posts";
    const DESCRIPTION: &'static str = "Change posts of entities. Use get_entities with \
        include_posts for their ids. Returns one result for each; check success.";
    const ANNOTATIONS: Annotations = Annotations::CHANGE;
    const ROLE: Role = Role::Player;
    const OWN_CARE: &'static [&'static str] = &["updates"];

    type Input = Input;
    type Output = Rows;

    fn example() -> Value {
        json!({ "updates": [{
            "entity_id": "$entity",
            "post_id": "$post",
            "name": "Session 24",
        }] })
    }

    async fn run(call: Call, input: Input) -> Result<Rows> {
        Ok(Rows { results: work(&call, Self::NAME, "updates", input.updates).await? })
    }
}

impl Job for Item {
    type Row = RowOut;

    async fn run(self, scribe: &Scribe) -> RowOut {
        let (page, number) = (entity(scribe, &self.entity_id).await, self.post_id.written());
        RowOut::of(page.clone().ok(), number, &self.apply(scribe, page).await)
    }

    fn unread(given: &Value, error: &Error) -> RowOut {
        RowOut::unread(given, error)
    }
}

impl Item {
    async fn apply(self, scribe: &Scribe, page: Result<i64>) -> Result<()> {
        let post = post(&self.post_id)?;
        let private = one_of(self.is_private, self.is_hidden)?;
        let patch = PostPatch { name: self.name, entry: self.entry, private };
        pages::update_post(scribe, page?, post, &patch).await
    }
}

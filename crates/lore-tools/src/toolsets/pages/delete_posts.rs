//! `delete_posts`: moves posts to the bin.

use lore_app::pages::{self, Scribe};
use lore_core::{Error, Result, Role};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::each::{Each, Job, entity, post, work};
use super::wire::{RowOut, Rows};
use crate::call::Call;
use crate::tool::{Annotations, ToolSpec};
use crate::toolset::Toolset;
use crate::toolsets::page_id::PageId;

pub(super) struct DeletePosts;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// The posts to delete.
    deletions: Vec<Each<Item>>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Item {
    /// Id of the entity.
    entity_id: PageId,
    /// Id of the post.
    post_id: PageId,
}

impl ToolSpec for DeletePosts {
    const NAME: &'static str = "delete_posts";
    const TOOLSET: Toolset = Toolset::Pages;
    const TITLE: &'static str = "Delete posts";
    const DESCRIPTION: &'static str = "Delete posts of entities. Use it only when asked to; no \
        tool brings them back. Returns one result for each; check success.";
    const ANNOTATIONS: Annotations = Annotations::CHANGE;
    const ROLE: Role = Role::Player;
    const OWN_CARE: &'static [&'static str] = &["deletions"];

    type Input = Input;
    type Output = Rows;

    fn example() -> Value {
        json!({ "deletions": [{ "entity_id": "$entity", "post_id": "$post" }] })
    }

    async fn run(call: Call, input: Input) -> Result<Rows> {
        Ok(Rows { results: work(&call, Self::NAME, "deletions", input.deletions).await? })
    }
}

impl Job for Item {
    type Row = RowOut;

    async fn run(self, scribe: &Scribe) -> RowOut {
        let page = entity(scribe, &self.entity_id).await;
        let outcome = self.apply(scribe, page.clone()).await;
        RowOut::of(page.ok(), self.post_id.written(), &outcome)
    }

    fn unread(given: &Value, error: &Error) -> RowOut {
        RowOut::unread(given, error)
    }
}

impl Item {
    async fn apply(&self, scribe: &Scribe, page: Result<i64>) -> Result<()> {
        pages::delete_post(scribe, page?, post(&self.post_id)?).await
    }
}

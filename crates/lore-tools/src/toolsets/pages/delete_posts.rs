//! `delete_posts`: put texts attached to pages into the bin.

use lore_app::pages;
use lore_core::{Result, Role, TextId};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::each::{Each, Number, check_count};
use super::wire::{RowOut, Rows, scribe};
use crate::call::Call;
use crate::tool::{Annotations, ToolSpec};
use crate::toolset::Toolset;

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
    /// The entity.
    entity_id: Number,
    /// The post.
    post_id: Number,
}

impl ToolSpec for DeletePosts {
    const NAME: &'static str = "delete_posts";
    const TOOLSET: Toolset = Toolset::Pages;
    const TITLE: &'static str = "Delete posts";
    const DESCRIPTION: &'static str = "Delete posts of entities. Use it only when asked to; no \
        tool brings them back. Returns one result for each; check success.";
    const ANNOTATIONS: Annotations = Annotations::CHANGE;
    const ROLE: Role = Role::Player;

    type Input = Input;
    type Output = Rows;

    fn example() -> Value {
        json!({ "deletions": [{ "entity_id": "$entity", "post_id": "$post" }] })
    }

    async fn run(call: Call, input: Input) -> Result<Rows> {
        check_count("deletions", input.deletions.len())?;
        let scribe = scribe(&call, Self::NAME);
        let mut results = Vec::with_capacity(input.deletions.len());
        for item in input.deletions {
            call.check_cancelled()?;
            results.push(match item {
                Each::Good(item) => {
                    let outcome = item.apply(&scribe).await;
                    RowOut::of(item.entity_id.known(), item.post_id.known(), &outcome)
                }
                Each::Bad(given, error) => RowOut::of(
                    Number::in_field(&given, "entity_id"),
                    Number::in_field(&given, "post_id"),
                    &Err(error),
                ),
            });
        }
        Ok(Rows { results })
    }
}

impl Item {
    async fn apply(&self, scribe: &pages::Scribe) -> Result<()> {
        let page = self.entity_id.read("entity_id")?;
        let post = TextId(self.post_id.read("post_id")?);
        pages::delete_post(scribe, page, post).await
    }
}

//! `update_posts`: change texts attached to pages.

use lore_app::pages::{self, PostPatch};
use lore_core::{Result, Role, TextId};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::each::{Each, Number, check_count};
use super::wire::{RowOut, Rows, scribe};
use crate::call::Call;
use crate::tool::{Annotations, ToolSpec};
use crate::toolset::Toolset;

pub(super) struct UpdatePosts;

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
    /// The post.
    post_id: Number,
    /// New title.
    name: Option<String>,
    /// New text, Markdown; replaces all of it.
    entry: Option<String>,
    /// Hide it from the players, or show it.
    #[serde(alias = "is_hidden")]
    is_private: Option<bool>,
}

impl ToolSpec for UpdatePosts {
    const NAME: &'static str = "update_posts";
    const TOOLSET: Toolset = Toolset::Pages;
    const TITLE: &'static str = "Change posts";
    const DESCRIPTION: &'static str = "Change posts of entities. Use get_entities with \
        include_posts for their ids. Returns one result for each; check success.";
    const ANNOTATIONS: Annotations = Annotations::CHANGE;
    const ROLE: Role = Role::Player;

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
        check_count("updates", input.updates.len())?;
        let scribe = scribe(&call, Self::NAME);
        let mut results = Vec::with_capacity(input.updates.len());
        for item in input.updates {
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
        let patch = PostPatch {
            name: self.name.clone(),
            entry: self.entry.clone(),
            private: self.is_private,
        };
        pages::update_post(scribe, page, post, &patch).await
    }
}

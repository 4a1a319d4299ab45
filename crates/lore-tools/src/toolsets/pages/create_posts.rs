//! `create_posts`: adds posts to pages.

use lore_app::pages::{self, NewPost, Scribe};
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

pub(super) struct CreatePosts;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// The posts to create.
    posts: Vec<Each<Item>>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Item {
    /// Id of the entity to attach it to.
    entity_id: PageId,
    /// Title of the post.
    name: String,
    /// Text in Markdown.
    entry: Option<String>,
    /// Hide it from the players.
    is_private: Option<bool>,
    /// Another name for `is_private`, which some clients send as well.
    #[schemars(skip)]
    is_hidden: Option<bool>,
}

impl ToolSpec for CreatePosts {
    const NAME: &'static str = "create_posts";
    const TOOLSET: Toolset = Toolset::Pages;
    const TITLE: &'static str = "Create posts";
    const DESCRIPTION: &'static str = "Attach posts to entities: notes, secrets, session updates. \
        Use update_entities for the entity's own text. Returns one result for each, with its \
        post_id; check success.";
    const ANNOTATIONS: Annotations = Annotations::ADD;
    const ROLE: Role = Role::Player;
    const OWN_CARE: &'static [&'static str] = &["posts"];

    type Input = Input;
    type Output = Rows;

    fn example() -> Value {
        json!({ "posts": [{
            "entity_id": "$entity",
            "name": "Session 23",
            "entry": "Owes [entity:1|the ferryman] a favour.",
        }] })
    }

    async fn run(call: Call, input: Input) -> Result<Rows> {
        Ok(Rows { results: work(&call, Self::NAME, "posts", input.posts).await? })
    }
}

impl Job for Item {
    type Row = RowOut;

    async fn run(self, scribe: &Scribe) -> RowOut {
        let page = entity(scribe, &self.entity_id).await;
        let made = self.apply(scribe, page.clone()).await;
        RowOut::of(page.ok(), made.as_ref().ok().copied(), &made.map(|_| ()))
    }

    fn unread(given: &Value, error: &Error) -> RowOut {
        RowOut::unread(given, error)
    }
}

impl Item {
    async fn apply(self, scribe: &Scribe, page: Result<i64>) -> Result<i64> {
        let new = NewPost {
            page: page?,
            name: self.name,
            entry: self.entry.unwrap_or_default(),
            private: one_of(self.is_private, self.is_hidden)?.unwrap_or(false),
        };
        pages::create_post(scribe, &new).await
    }
}

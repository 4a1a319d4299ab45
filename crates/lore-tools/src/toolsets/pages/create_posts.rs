//! `create_posts`: attach texts to pages.

use lore_app::pages::{self, NewPost};
use lore_core::{Result, Role};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::each::{Each, Number, check_count};
use super::wire::{RowOut, Rows, scribe};
use crate::call::Call;
use crate::tool::{Annotations, ToolSpec};
use crate::toolset::Toolset;

pub(super) struct CreatePosts;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// The posts to make.
    posts: Vec<Each<Item>>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Item {
    /// The entity to attach it to.
    entity_id: Number,
    /// Title.
    name: String,
    /// Text, Markdown.
    entry: Option<String>,
    /// Hide it from the players.
    #[serde(alias = "is_hidden", default)]
    is_private: bool,
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
        check_count("posts", input.posts.len())?;
        let scribe = scribe(&call, Self::NAME);
        let mut results = Vec::with_capacity(input.posts.len());
        for item in input.posts {
            call.check_cancelled()?;
            let (id, made) = match item {
                Each::Good(item) => {
                    let known = item.entity_id.known();
                    let made = match item.entity_id.read("entity_id") {
                        Ok(page) => pages::create_post(&scribe, &item.on(page)).await,
                        Err(error) => Err(error),
                    };
                    (known, made)
                }
                Each::Bad(given, error) => (Number::in_field(&given, "entity_id"), Err(error)),
            };
            let post = made.as_ref().ok().map(|post| post.0);
            results.push(RowOut::of(id, post, &made.map(|_| ())));
        }
        Ok(Rows { results })
    }
}

impl Item {
    fn on(self, page: i64) -> NewPost {
        NewPost {
            page,
            name: self.name,
            entry: self.entry.unwrap_or_default(),
            private: self.is_private,
        }
    }
}

//! `get_entities`: read pages by their numbers.

use lore_app::pages::{self, PagePosts};
use lore_core::{Result, Role};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::each::{Number, check_count, in_words};
use super::wire::{EntityOut, scribe};
use crate::call::Call;
use crate::tool::{Annotations, ToolSpec};
use crate::toolset::Toolset;

pub(super) struct GetEntities;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// The entities.
    entity_ids: Vec<Number>,
    /// Read their posts, too.
    #[serde(default)]
    include_posts: bool,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Output {
    /// One entity for each id, in the order given.
    results: Vec<EntityOut>,
}

impl ToolSpec for GetEntities {
    const NAME: &'static str = "get_entities";
    const TOOLSET: Toolset = Toolset::Pages;
    const TITLE: &'static str = "Read entities";
    const DESCRIPTION: &'static str = "Read entities by id, with their posts if wanted. Use \
        find_entities to get ids. Returns one result for each id; check success.";
    const ANNOTATIONS: Annotations = Annotations::READ;
    const ROLE: Role = Role::Reader;

    type Input = Input;
    type Output = Output;

    fn example() -> Value {
        json!({ "entity_ids": ["$entity"], "include_posts": true })
    }

    async fn run(call: Call, input: Input) -> Result<Output> {
        check_count("entity_ids", input.entity_ids.len())?;
        let scribe = scribe(&call, Self::NAME);
        let posts = if input.include_posts { PagePosts::Read } else { PagePosts::Skip };
        let mut results = Vec::with_capacity(input.entity_ids.len());
        for number in &input.entity_ids {
            let found = match number.read("entity_id") {
                Ok(id) => pages::get(&scribe, id, posts).await,
                Err(error) => Err(error),
            };
            results.push(match found {
                Ok(mut page) => {
                    let posts = std::mem::take(&mut page.posts);
                    let posts = input.include_posts.then(|| posts.into_iter().map(Into::into));
                    let posts = posts.map(Iterator::collect);
                    EntityOut { posts, success: Some(true), ..page.into() }
                }
                Err(error) => EntityOut {
                    entity_id: number.known(),
                    success: Some(false),
                    error: Some(in_words(&error)),
                    ..EntityOut::default()
                },
            });
        }
        Ok(Output { results })
    }
}

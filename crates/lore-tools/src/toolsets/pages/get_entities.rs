//! `get_entities`: reads pages by id.

use lore_app::pages::{self, Detail, Page};
use lore_app::play::sheet;
use lore_core::{Result, Role};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::each::{check_count, entity, in_words};
use super::wire::{EntityOut, MirrorOut, scribe};
use crate::call::Call;
use crate::tool::{Annotations, ToolSpec};
use crate::toolset::Toolset;
use crate::toolsets::page_id::PageId;
use crate::toolsets::play::PlayedOut;

pub(super) struct GetEntities;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// Ids of the entities to read.
    entity_ids: Vec<PageId>,
    /// Whether to return their posts, too.
    #[serde(default)]
    include_posts: bool,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Output {
    /// One entity for each id, in the order given.
    results: Vec<EntityOut>,
    /// State of the mirror, if the world mirrors a campaign on Kanka.
    #[serde(skip_serializing_if = "Option::is_none")]
    mirror: Option<MirrorOut>,
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
        let detail = if input.include_posts { Detail::Posts } else { Detail::Entry };
        let mut numbers = Vec::with_capacity(input.entity_ids.len());
        for id in &input.entity_ids {
            numbers.push(entity(&scribe, id).await);
        }
        let known: Vec<i64> = numbers.iter().filter_map(|id| id.as_ref().ok().copied()).collect();
        let found = pages::get_all(&scribe, &known, detail).await?;
        let nodes: Vec<_> = found.values().flatten().map(|page| &page.node).collect();
        let sheets = sheet::played(&call.app, &call.viewer, &nodes).await?;
        let mut results = Vec::with_capacity(input.entity_ids.len());
        for number in numbers {
            let id = number.as_ref().ok().copied();
            let page = match number {
                Ok(id) => match found.get(&id) {
                    Some(page) => page.clone(),
                    None => Err(pages::absent(&scribe, id).await?),
                },
                Err(error) => Err(error),
            };
            let played = page.as_ref().ok().and_then(|page| sheets.get(&page.node.id));
            let sheet = played.map(PlayedOut::from);
            results.push(EntityOut { sheet, ..row(id, page, detail) });
        }
        Ok(Output { results, mirror: MirrorOut::of(&scribe).await? })
    }
}

fn row(id: Option<i64>, found: Result<Page>, detail: Detail) -> EntityOut {
    match found {
        Ok(mut page) => {
            let posts = std::mem::take(&mut page.posts).into_iter().map(Into::into);
            let posts = (detail == Detail::Posts).then(|| posts.collect());
            EntityOut { posts, success: Some(true), ..page.into() }
        }
        Err(error) => EntityOut {
            entity_id: id,
            success: Some(false),
            error: Some(in_words(&error)),
            ..EntityOut::default()
        },
    }
}

//! `delete_entities`: moves pages to the bin.

use lore_app::pages::{self, Scribe};
use lore_core::{Error, Result, Role};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::each::{Each, Job, entity, work};
use super::wire::{RowOut, Rows};
use crate::call::Call;
use crate::tool::{Annotations, ToolSpec};
use crate::toolset::Toolset;
use crate::toolsets::page_id::PageId;

pub(super) struct DeleteEntities;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// Ids of the entities to delete.
    entity_ids: Vec<PageId>,
}

impl ToolSpec for DeleteEntities {
    const NAME: &'static str = "delete_entities";
    const TOOLSET: Toolset = Toolset::Pages;
    const TITLE: &'static str = "Delete entities";
    const DESCRIPTION: &'static str = "Delete entities with their posts. Use it only when asked \
        to; kn_graph restore brings them back. Returns one result for each id; check success.";
    const ANNOTATIONS: Annotations = Annotations::CHANGE;
    const ROLE: Role = Role::Gm;

    type Input = Input;
    type Output = Rows;

    fn example() -> Value {
        json!({ "entity_ids": ["$entity"] })
    }

    async fn run(call: Call, input: Input) -> Result<Rows> {
        let items = input.entity_ids.into_iter().map(Each::Good).collect();
        Ok(Rows { results: work(&call, Self::NAME, "entity_ids", items).await? })
    }
}

impl Job for PageId {
    type Row = RowOut;

    async fn run(self, scribe: &Scribe) -> RowOut {
        let found = entity(scribe, &self).await;
        let number = found.as_ref().ok().copied();
        let outcome = match found {
            Ok(number) => pages::delete(scribe, number).await,
            Err(error) => Err(error),
        };
        RowOut::of(number, None, &outcome)
    }

    fn unread(given: &Value, error: &Error) -> RowOut {
        RowOut::unread(given, error)
    }
}

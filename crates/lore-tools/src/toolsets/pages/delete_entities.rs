//! `delete_entities`: put pages into the bin.

use lore_app::pages;
use lore_core::{Result, Role};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::each::{Number, check_count};
use super::wire::{RowOut, Rows, scribe};
use crate::call::Call;
use crate::tool::{Annotations, ToolSpec};
use crate::toolset::Toolset;

pub(super) struct DeleteEntities;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// The entities.
    entity_ids: Vec<Number>,
}

impl ToolSpec for DeleteEntities {
    const NAME: &'static str = "delete_entities";
    const TOOLSET: Toolset = Toolset::Pages;
    const TITLE: &'static str = "Delete entities";
    const DESCRIPTION: &'static str = "Delete entities with their posts. Use it only when asked \
        to; no tool brings them back. Returns one result for each id; check success.";
    const ANNOTATIONS: Annotations = Annotations::CHANGE;
    const ROLE: Role = Role::Gm;

    type Input = Input;
    type Output = Rows;

    fn example() -> Value {
        json!({ "entity_ids": ["$entity"] })
    }

    async fn run(call: Call, input: Input) -> Result<Rows> {
        check_count("entity_ids", input.entity_ids.len())?;
        let scribe = scribe(&call, Self::NAME);
        let mut results = Vec::with_capacity(input.entity_ids.len());
        for number in &input.entity_ids {
            call.check_cancelled()?;
            let outcome = match number.read("entity_id") {
                Ok(id) => pages::delete(&scribe, id).await,
                Err(error) => Err(error),
            };
            results.push(RowOut::of(number.known(), None, &outcome));
        }
        Ok(Rows { results })
    }
}

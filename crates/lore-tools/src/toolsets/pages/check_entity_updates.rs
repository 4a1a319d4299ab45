//! `check_entity_updates`: reports which entities changed since a time.

use lore_app::pages;
use lore_core::{Result, Role};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::wire::{MirrorOut, scribe};
use crate::call::Call;
use crate::tool::{Annotations, ToolSpec};
use crate::toolset::Toolset;
use crate::toolsets::page_id::PageId;

pub(super) struct CheckEntityUpdates;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// Ids of the entities you hold.
    entity_ids: Vec<PageId>,
    /// ISO time you last read them.
    last_synced: String,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Output {
    /// Ids of the entities that changed since then.
    modified_entity_ids: Vec<i64>,
    /// Ids of the entities that no longer exist.
    deleted_entity_ids: Vec<i64>,
    /// Ids that could not be checked, because the mirror does not have them yet and Kanka could not
    /// be reached. They are not known to be deleted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unchecked_entity_ids: Vec<i64>,
    /// The time to send as last_synced next.
    check_timestamp: String,
    /// State of the mirror, if the world mirrors a campaign on Kanka.
    #[serde(skip_serializing_if = "Option::is_none")]
    mirror: Option<MirrorOut>,
}

impl ToolSpec for CheckEntityUpdates {
    const NAME: &'static str = "check_entity_updates";
    const TOOLSET: Toolset = Toolset::Pages;
    const TITLE: &'static str = "Check for changes";
    const DESCRIPTION: &'static str = "Report which of the entities you hold were changed or \
        deleted since a time. Use it before reading many again. Returns modified and deleted ids.";
    const ANNOTATIONS: Annotations = Annotations::READ;
    const ROLE: Role = Role::Reader;

    type Input = Input;
    type Output = Output;

    fn example() -> Value {
        json!({ "entity_ids": ["$entity"], "last_synced": "2025-05-30T18:00:00Z" })
    }

    async fn run(call: Call, input: Input) -> Result<Output> {
        let since = pages::moment("last_synced", &input.last_synced)?;
        let scribe = scribe(&call, Self::NAME);
        let mut ids = Vec::with_capacity(input.entity_ids.len());
        for id in &input.entity_ids {
            ids.push(id.find(&scribe.app, &scribe.viewer, "entity_ids").await?);
        }
        let found = pages::check_updates(&scribe, &ids, since).await?;
        Ok(Output {
            modified_entity_ids: found.modified,
            deleted_entity_ids: found.deleted,
            unchecked_entity_ids: found.unchecked,
            check_timestamp: found.at.to_string(),
            mirror: MirrorOut::of(&scribe).await?,
        })
    }
}

//! `find_entities`: searches and lists pages.

use lore_app::pages::{self, DateRange, Detail, NameFilter, PageQuery, Scored};
use lore_core::{Error, Result, Role};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::wire::{EntityOut, EntityType, MirrorOut, scribe};
use crate::call::Call;
use crate::nullable::Nullable;
use crate::tool::{Annotations, ToolSpec};
use crate::toolset::Toolset;

/// The default and the maximum number of results per page.
const PAGE: (i64, i64) = (25, 100);

pub(super) struct FindEntities;

#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Input {
    /// Words in names, text, posts or tags; best matches first.
    query: Option<String>,
    /// Only this kind of entity.
    entity_type: Option<EntityType>,
    /// Part of the name.
    name: Option<String>,
    /// Match names that sound alike instead, best first.
    name_fuzzy: bool,
    /// Match the whole name instead.
    name_exact: bool,
    /// Only this subtype, such as NPC or City.
    #[serde(rename = "type")]
    subtype: Option<String>,
    /// Only with all of these tags.
    tags: Vec<String>,
    /// Only journals and others dated within these days.
    date_range: Option<Dates>,
    /// Only entities changed after this ISO time.
    last_synced: Option<String>,
    /// false returns entity_id, name and entity_type only.
    #[schemars(extend("default" = true))]
    include_full: Option<bool>,
    /// Page number, from 1.
    #[schemars(extend("default" = 1))]
    page: Option<i64>,
    /// Results per page; more than 100 counts as 100, 0 is all.
    #[schemars(extend("default" = 25))]
    limit: Option<i64>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Dates {
    /// First day, YYYY-MM-DD.
    start: Option<String>,
    /// Last day, YYYY-MM-DD.
    end: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Output {
    /// The entities that were found.
    entities: Vec<EntityOut>,
    /// Times and counts, for the next call with last_synced.
    sync_info: SyncInfo,
    /// State of the mirror, if the world mirrors a campaign on Kanka.
    #[serde(skip_serializing_if = "Option::is_none")]
    mirror: Option<MirrorOut>,
}

#[derive(Serialize, JsonSchema)]
struct SyncInfo {
    /// When the search was made.
    request_timestamp: String,
    /// The latest change among the returned entities; null if there are none.
    newest_updated_at: Nullable<String>,
    /// Number of matches on all pages.
    total_count: usize,
    /// Number of entities in this answer.
    returned_count: usize,
}

impl ToolSpec for FindEntities {
    const NAME: &'static str = "find_entities";
    const TOOLSET: Toolset = Toolset::Pages;
    const TITLE: &'static str = "Find entities";
    const DESCRIPTION: &'static str = "Search and list the world's characters, places, notes, \
        journals and quests. Use name_fuzzy for names heard or misspelt, query for content; both \
        also find what other tools store. All filters combine. Use get_entities when you have \
        ids. Returns entities and sync_info.";
    const ANNOTATIONS: Annotations = Annotations::READ;
    const ROLE: Role = Role::Reader;

    type Input = Input;
    type Output = Output;

    fn example() -> Value {
        json!({ "entity_type": "character", "name": "Aylysh", "name_fuzzy": true })
    }

    async fn run(call: Call, input: Input) -> Result<Output> {
        let scribe = scribe(&call, Self::NAME);
        let request_timestamp = scribe.as_of().await?.to_string();
        let full = input.include_full.unwrap_or(true);
        let found = pages::find(&scribe, &query(input)?).await?;
        let newest = found.pages.iter().map(|row| row.page.node.updated.at).max();
        let entities: Vec<_> = found.pages.into_iter().map(|row| shown(row, full)).collect();
        let sync_info = SyncInfo {
            request_timestamp,
            newest_updated_at: Nullable(newest.map(|at| at.to_string())),
            total_count: found.total,
            returned_count: entities.len(),
        };
        Ok(Output { entities, sync_info, mirror: MirrorOut::of(&scribe).await? })
    }
}

fn query(input: Input) -> Result<PageQuery> {
    let limit = match input.limit.unwrap_or(PAGE.0) {
        0 => None,
        limit if limit < 0 => {
            return Err(Error::invalid("limit", "is negative", "use 1 to 100, or 0 for all"));
        }
        limit => usize::try_from(limit.min(PAGE.1)).ok(),
    };
    let page = input.page.unwrap_or(1).checked_sub(1).and_then(|page| usize::try_from(page).ok());
    let page = page.ok_or_else(|| Error::invalid("page", "is not positive", "count from 1"))?;
    let name = input.name.filter(|name| !name.trim().is_empty()).map(|name| {
        match (input.name_fuzzy, input.name_exact) {
            (true, _) => NameFilter::Alike(name),
            (false, true) => NameFilter::Exact(name),
            (false, false) => NameFilter::Contains(name),
        }
    });
    let range = |dates: Dates| DateRange::read(dates.start.as_deref(), dates.end.as_deref());
    let since = input.last_synced.map(|text| pages::moment("last_synced", &text)).transpose()?;
    Ok(PageQuery {
        words: input.query,
        kinds: input.entity_type.map(Into::into).into_iter().collect(),
        name,
        subtype: input.subtype.filter(|subtype| !subtype.trim().is_empty()),
        tags: input.tags,
        dates: input.date_range.map(range).transpose()?,
        since,
        offset: limit.map_or(0, |limit| page.saturating_mul(limit)),
        limit,
        detail: if input.include_full.unwrap_or(true) { Detail::Entry } else { Detail::Head },
    })
}

fn shown(row: Scored, full: bool) -> EntityOut {
    let out = EntityOut { match_score: row.score, ..row.page.into() };
    if full {
        return out;
    }
    EntityOut {
        entity_id: out.entity_id,
        name: out.name,
        entity_type: out.entity_type,
        match_score: out.match_score,
        origin: out.origin,
        ..EntityOut::default()
    }
}

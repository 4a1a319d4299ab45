//! What became of pages since somebody last looked.

use std::collections::HashMap;

use lore_core::{Result, Timestamp};

use super::scribe::Scribe;

/// What became of some pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Updates {
    /// Those that changed since.
    pub modified: Vec<i64>,
    /// Those that are there no more.
    pub deleted: Vec<i64>,
    /// When this was looked up.
    pub at: Timestamp,
}

/// Says which of these pages changed after `since`, and which are gone. A mirror is
/// brought up to date first, if it can be.
pub async fn check(scribe: &Scribe, numbers: &[i64], since: Timestamp) -> Result<Updates> {
    if let Some(campaign) = scribe.live() {
        campaign.freshen(&scribe.app).await?;
    }
    let at = scribe.as_of().await?;
    let found = scribe.app.store.nodes_by_number(&scribe.viewer, numbers).await?;
    let pages = found.into_iter().filter(|node| scribe.kind_of(node).is_some());
    let pages: HashMap<i64, Timestamp> = pages.map(|node| (node.number, node.updated.at)).collect();
    let of = |wanted: fn(Option<&Timestamp>, Timestamp) -> bool| {
        let matching = numbers.iter().filter(|number| wanted(pages.get(number), since));
        matching.copied().collect::<Vec<i64>>()
    };
    Ok(Updates {
        modified: of(|changed, since| changed.is_some_and(|at| *at > since)),
        deleted: of(|changed, _| changed.is_none()),
        at,
    })
}

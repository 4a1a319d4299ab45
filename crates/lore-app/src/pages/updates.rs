//! Reports what happened to pages since a client last looked.

use std::collections::HashMap;

use lore_core::{Node, Result, Timestamp};

use super::live::{self, Fate};
use super::scribe::Scribe;

/// What happened to some pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Updates {
    /// The pages that changed since.
    pub modified: Vec<i64>,
    /// The pages that no longer exist, or that the viewer cannot see.
    pub deleted: Vec<i64>,
    /// Pages whose state could not be determined: the mirror does not have them, and Kanka could
    /// not be asked.
    pub unchecked: Vec<i64>,
    /// The moment that this answer shows.
    pub at: Timestamp,
}

/// Reports which of these pages changed after `since` and which are gone. A mirror is brought up to
/// date first, if possible.
pub async fn check(scribe: &Scribe, numbers: &[i64], since: Timestamp) -> Result<Updates> {
    let campaign = scribe.live();
    if let Some(campaign) = &campaign {
        campaign.freshen(&scribe.app).await?;
    }
    let at = scribe.as_of().await?;
    let mut pages = seen(scribe, numbers).await?;
    let absent: Vec<i64> =
        numbers.iter().copied().filter(|number| !pages.contains_key(number)).collect();
    let mut fates = HashMap::new();
    if let Some(campaign) = campaign.filter(|_| !absent.is_empty()) {
        fates = live::fates(&campaign, scribe, &absent).await?;
        pages.extend(seen(scribe, &absent).await?);
    }
    let fate = |number: &i64| match pages.contains_key(number) {
        true => Fate::Here,
        false => fates.get(number).copied().unwrap_or(Fate::Gone),
    };
    let of = |wanted: &dyn Fn(&i64) -> bool| numbers.iter().copied().filter(wanted).collect();
    Ok(Updates {
        modified: of(&|number| pages.get(number).is_some_and(|changed| *changed > since)),
        // A hidden page does not exist for this viewer.
        deleted: of(&|number| {
            !pages.contains_key(number) && matches!(fate(number), Fate::Gone | Fate::Here)
        }),
        unchecked: of(&|number| fate(number) == Fate::Unknown),
        at,
    })
}

/// When each of the pages that the viewer sees last changed.
async fn seen(scribe: &Scribe, numbers: &[i64]) -> Result<HashMap<i64, Timestamp>> {
    let found = scribe.app.store.nodes_by_number(&scribe.viewer, numbers).await?;
    let is_page = |node: &Node| scribe.shown_as(node).is_some();
    let pages = found.into_iter().filter(is_page);
    Ok(pages.map(|node| (node.number, node.updated.at)).collect())
}

//! What became of pages since somebody last looked.

use std::collections::HashMap;

use lore_core::{Node, Result, Timestamp};

use super::live::{self, Fate};
use super::scribe::Scribe;

/// What became of some pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Updates {
    /// Those that changed since.
    pub modified: Vec<i64>,
    /// Those that are there no more.
    pub deleted: Vec<i64>,
    /// Those of which it could not be found out: a mirror does not know them, and who does
    /// could not be asked.
    pub unchecked: Vec<i64>,
    /// When this was looked up.
    pub at: Timestamp,
}

/// Says which of these pages changed after `since`, and which are gone. A mirror is
/// brought up to date first, if it can be.
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
        // Whatever is here and hidden is not there for who asks.
        deleted: of(&|number| {
            !pages.contains_key(number) && matches!(fate(number), Fate::Gone | Fate::Here)
        }),
        unchecked: of(&|number| fate(number) == Fate::Unknown),
        at,
    })
}

/// When those of some pages last changed that the viewer sees.
async fn seen(scribe: &Scribe, numbers: &[i64]) -> Result<HashMap<i64, Timestamp>> {
    let found = scribe.app.store.nodes_by_number(&scribe.viewer, numbers).await?;
    let is_page = |node: &Node| scribe.shown_as(node).is_some();
    let pages = found.into_iter().filter(is_page);
    Ok(pages.map(|node| (node.number, node.updated.at)).collect())
}

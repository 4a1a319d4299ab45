//! Determines what happened to entities that the mirror does not have.
//!
//! Such an entity need not be deleted: it may be new, or not copied yet.

use std::collections::{HashMap, HashSet};

use lore_core::{Error, Result};
use lore_store::{Bin, NodeQuery};

use super::super::find::every;
use super::super::scribe::Scribe;
use super::OWN_NUMBERS;
use super::campaign::Campaign;
use super::put::{self, Told};
use super::remote::Pace;
use super::sync::Side;
use super::tags;

/// The maximum number of entities that Kanka is asked for individually.
const ASKED_MAX: usize = 20;

/// What happened to an entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Fate {
    /// It is in the mirror.
    Here,
    /// It was deleted.
    Gone,
    /// It could not be determined.
    Unknown,
}

/// Determines what happened to entities that `scribe` does not see. Those found on Kanka are added
/// to the mirror.
pub(in super::super) async fn fates(
    campaign: &Campaign,
    scribe: &Scribe,
    numbers: &[i64],
) -> Result<HashMap<i64, Fate>> {
    let own = campaign.scribe(&scribe.app).await?;
    let here = own.app.store.nodes_by_number(&own.viewer, numbers).await?;
    let here: HashSet<i64> = here.into_iter().map(|node| node.number).collect();
    let deleted = NodeQuery { kinds: own.words(&[])?, bin: Bin::Deleted, ..NodeQuery::default() };
    let deleted: HashSet<i64> =
        every(&own, &deleted).await?.into_iter().map(|node| node.number).collect();
    let is_whole = campaign.standing(&own.app).await?.as_of.is_some();
    let mut fates = HashMap::new();
    let mut left = if is_whole { ASKED_MAX } else { 0 };
    for number in numbers.iter().copied() {
        let fate = match () {
            () if here.contains(&number) => Fate::Here,
            () if deleted.contains(&number) || !(1..OWN_NUMBERS).contains(&number) => Fate::Gone,
            () if left == 0 => Fate::Unknown,
            () => {
                left -= 1;
                asked(campaign, &own, number).await?
            }
        };
        // If Kanka does not answer now, it will not answer the next request either.
        left = if fate == Fate::Unknown { 0 } else { left };
        fates.insert(number, fate);
    }
    Ok(fates)
}

/// Adds entities to the mirror that `scribe` asks for and the first copy has not reached yet. If
/// Kanka does not answer, they stay absent.
pub(in super::super) async fn bring(
    campaign: &Campaign,
    scribe: &Scribe,
    numbers: &[i64],
) -> Result<()> {
    if numbers.is_empty() || campaign.standing(&scribe.app).await?.as_of.is_some() {
        return Ok(());
    }
    let own = campaign.scribe(&scribe.app).await?;
    let here = own.app.store.nodes_by_number(&own.viewer, numbers).await?;
    let is_absent = |number: &&i64| here.iter().all(|node| node.number != **number);
    let are_theirs = numbers.iter().filter(|number| (1..OWN_NUMBERS).contains(*number));
    for number in are_theirs.filter(is_absent).take(ASKED_MAX) {
        if asked(campaign, &own, *number).await? == Fate::Unknown {
            break;
        }
    }
    Ok(())
}

/// Asks Kanka for an entity and adds it to the mirror if it exists.
async fn asked(campaign: &Campaign, own: &Scribe, number: i64) -> Result<Fate> {
    let page = match campaign.remote.page(Pace::Waiting, number).await {
        Ok(page) => page,
        Err(Error::NotFound { .. }) => return Ok(Fate::Gone),
        Err(error) => {
            tracing::warn!(code = error.code().meaning().name, "an entity could not be asked for");
            return Ok(Fate::Unknown);
        }
    };
    let pages = std::slice::from_ref(&page);
    tags::acquaint(campaign, own, Pace::Waiting, pages).await?;
    put::put_all(own, pages, Told::InPassing(Side::Neither)).await?;
    Ok(Fate::Here)
}

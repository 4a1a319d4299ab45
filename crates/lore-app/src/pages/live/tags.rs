//! Tags: numbers on Kanka, names here.

use std::collections::HashMap;
use std::time::Duration;

use lore_core::names::name_key;
use lore_core::{Node, Result};
use lore_store::NodeQuery;
use tokio::time::Instant;

use super::super::find::every;
use super::super::kinds::PageKind;
use super::super::links;
use super::super::scribe::Scribe;
use super::campaign::Campaign;
use super::put;
use super::remote::{Pace, RemotePatch};
use super::sync::Side;

/// Tags that were read this recently are not read again.
const FRESH: Duration = Duration::from_secs(10);
/// Rows of a page, at least; where there are more, a page further on is read in vain.
const PER_PAGE: usize = 45;

/// The names of the tags that the mirror knows, by their numbers within their kind.
pub(super) struct TagNames(HashMap<i64, String>);

impl TagNames {
    pub(super) async fn read(scribe: &Scribe) -> Result<Self> {
        let query = NodeQuery { kinds: vec![PageKind::Tag.word()?], ..NodeQuery::default() };
        let tags = every(scribe, &query).await?;
        Ok(Self(tags.into_iter().map(|tag| (tag.kind_number, tag.name)).collect()))
    }

    /// The names behind numbers, each once; a number that is not known has none.
    pub(super) fn names(&self, numbers: &[i64]) -> Vec<String> {
        let mut names: Vec<String> =
            numbers.iter().filter_map(|number| self.0.get(number).cloned()).collect();
        names.sort_unstable();
        names.dedup_by_key(|name| name_key(name));
        names
    }

    /// The numbers behind names, as far as they are known.
    pub(super) fn numbers(&self, names: &[String]) -> Vec<i64> {
        let number = |name: &String| {
            let key = name_key(name);
            let mut known = self.0.iter().filter(|(_, name)| name_key(name) == key);
            known.next().map(|(number, _)| *number)
        };
        names.iter().filter_map(number).collect()
    }
}

/// The numbers of tags on Kanka. One that is new there is made, once.
pub(super) async fn numbers(
    campaign: &Campaign,
    scribe: &Scribe,
    names: &[String],
) -> Result<Vec<i64>> {
    let mut numbers = Vec::with_capacity(names.len());
    for name in names {
        let number = match known(scribe, name).await? {
            Some(tag) => tag.kind_number,
            None => made(campaign, scribe, name).await?,
        };
        if !numbers.contains(&number) {
            numbers.push(number);
        }
    }
    Ok(numbers)
}

async fn known(scribe: &Scribe, name: &str) -> Result<Option<Node>> {
    Ok(links::find_tag(scribe, name).await?.filter(super::is_mirrored))
}

/// Somebody else may have made it since the mirror last looked, and Kanka would make a
/// second one of that name without a word.
async fn made(campaign: &Campaign, scribe: &Scribe, name: &str) -> Result<i64> {
    let mut learnt_at = campaign.tagging.lock().await;
    if learnt_at.is_none_or(|at| at.elapsed() > FRESH) {
        learn(campaign, scribe).await?;
        *learnt_at = Some(Instant::now());
    }
    if let Some(tag) = known(scribe, name).await? {
        return Ok(tag.kind_number);
    }
    let draft = RemotePatch { name: Some(name.to_owned()), ..RemotePatch::default() };
    let tag = campaign.remote.create(PageKind::Tag, &draft).await?;
    put::put_all(scribe, std::slice::from_ref(&tag), Side::Theirs).await?;
    Ok(tag.kind_number)
}

/// Reads the tags that the mirror does not know. They are at the end of the list, so it is
/// read backwards from there to the first page that holds a known one.
async fn learn(campaign: &Campaign, scribe: &Scribe) -> Result<()> {
    let known = TagNames::read(scribe).await?;
    let expected = known.0.len().div_ceil(PER_PAGE).max(1);
    let mut page = u32::try_from(expected).unwrap_or(u32::MAX);
    let mut listed = campaign.remote.pages(Pace::Waiting, PageKind::Tag, page).await?;
    while listed.more {
        put::put_all(scribe, &listed.rows, Side::Neither).await?;
        page += 1;
        listed = campaign.remote.pages(Pace::Waiting, PageKind::Tag, page).await?;
    }
    loop {
        put::put_all(scribe, &listed.rows, Side::Neither).await?;
        let met = listed.rows.iter().any(|tag| known.0.contains_key(&tag.kind_number));
        if met || page <= 1 {
            return Ok(());
        }
        page -= 1;
        listed = campaign.remote.pages(Pace::Waiting, PageKind::Tag, page).await?;
    }
}

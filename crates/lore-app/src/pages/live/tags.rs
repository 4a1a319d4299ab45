//! Translates between tag numbers on Kanka and tag names here.

use std::collections::HashMap;
use std::time::Duration;

use lore_core::names::name_key;
use lore_core::{Node, Result};
use lore_store::NodeQuery;
use tokio::time::Instant;

use super::super::find::every;
use super::super::kinds::PageKind;
use super::super::scribe::Scribe;
use super::super::tags::find_tag;
use super::campaign::Campaign;
use super::claim::Claim;
use super::put::{self, Told};
use super::remote::{Pace, RemotePage, RemotePatch};
use super::sync::Side;

/// How long a reading of the tags is trusted within the same call.
const FRESH: Duration = Duration::from_secs(10);
/// The maximum number of pages of the list of tags, against a list that never ends.
const PAGES_MAX: u32 = 10_000;

/// What was last learnt about the tags on Kanka.
pub(super) struct Learnt {
    /// The request id of the call it was learnt for.
    call: String,
    at: Instant,
    /// Whether all tags were read, or only one name was looked up.
    whole: bool,
}

/// The names of the tags that the mirror knows, by their numbers within the kind.
pub(super) struct TagNames(HashMap<i64, String>);

impl TagNames {
    pub(super) async fn read(scribe: &Scribe) -> Result<Self> {
        let query = NodeQuery { kinds: vec![PageKind::Tag.word()?], ..NodeQuery::default() };
        let tags = every(scribe, &query).await?;
        Ok(Self(tags.into_iter().map(|tag| (tag.kind_number, tag.name)).collect()))
    }

    /// The names of tags, without duplicates. Unknown numbers are skipped.
    pub(super) fn names(&self, numbers: &[i64]) -> Vec<String> {
        let mut names: Vec<String> =
            numbers.iter().filter_map(|number| self.0.get(number).cloned()).collect();
        names.sort_unstable();
        names.dedup_by_key(|name| name_key(name));
        names
    }

    /// Whether all of these numbers are known.
    pub(super) fn know(&self, numbers: &[i64]) -> bool {
        numbers.iter().all(|number| self.0.contains_key(number))
    }

    fn key(&self, number: i64) -> Option<String> {
        self.0.get(&number).map(|name| name_key(name))
    }

    /// The numbers of tags. Unknown names are skipped.
    pub(super) fn numbers(&self, names: &[String]) -> Vec<i64> {
        let number = |name: &String| {
            let key = name_key(name);
            let known = self.0.iter().filter(|(_, name)| name_key(name) == key);
            known.map(|(number, _)| *number).min()
        };
        names.iter().filter_map(number).collect()
    }
}

/// The numbers of tags on Kanka. Tags that do not exist there are created, each once.
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

/// The tag numbers that a page gets when it is tagged with `names`. It has the tags `there` on
/// Kanka, and `seen` here. Tags that were not visible here are kept; and if several tags have the
/// same name, the page keeps its own.
pub(super) async fn replaced(
    campaign: &Campaign,
    scribe: &Scribe,
    names: &[String],
    seen: &[String],
    there: &[i64],
) -> Result<Vec<i64>> {
    let known = TagNames::read(scribe).await?;
    let (wanted, seen) = (put::keys(names), put::keys(seen));
    let stays = |number: &i64| {
        let key = known.key(*number);
        key.is_none_or(|key| wanted.contains(&key) || !seen.contains(&key))
    };
    let mut numbers: Vec<i64> = there.iter().copied().filter(stays).collect();
    let has =
        |name: &&String| !there.iter().any(|number| known.key(*number) == Some(name_key(name)));
    let fresh: Vec<String> = names.iter().filter(has).cloned().collect();
    for number in self::numbers(campaign, scribe, &fresh).await? {
        if !numbers.contains(&number) {
            numbers.push(number);
        }
    }
    Ok(numbers)
}

/// Reads all tags from Kanka if pages have some that the mirror does not know. Returns whether that
/// was necessary.
pub(super) async fn acquaint(
    campaign: &Campaign,
    scribe: &Scribe,
    pace: Pace,
    pages: &[RemotePage],
) -> Result<bool> {
    let known = TagNames::read(scribe).await?;
    if pages.iter().all(|page| known.know(&page.tags)) {
        return Ok(false);
    }
    learn(campaign, scribe, pace).await?;
    Ok(true)
}

async fn known(scribe: &Scribe, name: &str) -> Result<Option<Node>> {
    Ok(find_tag(scribe, name).await?.filter(super::is_mirrored))
}

/// Creates a tag that the mirror does not know, unless another process creates it first.
async fn made(campaign: &Campaign, scribe: &Scribe, name: &str) -> Result<i64> {
    let mut learnt = campaign.tagging.lock().await;
    let claim = Claim::take(scribe, name).await?;
    let made = match known(scribe, name).await {
        // Another process created it while this one waited.
        Ok(Some(tag)) => Ok(tag.kind_number),
        Ok(None) => made_alone(campaign, scribe, name, &mut learnt).await,
        Err(error) => Err(error),
    };
    claim.give_back(scribe).await;
    made
}

/// Creates a tag after making sure that it does not exist. Somebody may have created or renamed one
/// since the last synchronisation, and Kanka does not refuse a second tag of the same name. The
/// first new tag of a call is looked up by name; for further ones, all tags are read once.
async fn made_alone(
    campaign: &Campaign,
    scribe: &Scribe,
    name: &str,
    learnt: &mut Option<Learnt>,
) -> Result<i64> {
    let call = &scribe.request_id;
    let before = learnt.take().filter(|it| it.call == *call && it.at.elapsed() <= FRESH);
    let fresh = |whole| Learnt { call: call.clone(), at: Instant::now(), whole };
    let now = match before {
        Some(learnt) if learnt.whole => learnt,
        Some(_) => {
            learn(campaign, scribe, Pace::Waiting).await?;
            fresh(true)
        }
        None => {
            look_for(campaign, scribe, name).await?;
            fresh(false)
        }
    };
    if let Some(tag) = known(scribe, name).await? {
        *learnt = Some(now);
        return Ok(tag.kind_number);
    }
    // If this fails, the tag may have been created nevertheless, so `learnt` stays empty.
    let draft = RemotePatch { name: Some(name.to_owned()), ..RemotePatch::default() };
    let tag = campaign.remote.create(PageKind::Tag, &draft).await?;
    put::put_all(scribe, std::slice::from_ref(&tag), Told::InAnswer).await?;
    *learnt = Some(now);
    Ok(tag.kind_number)
}

/// Reads the tags of a name.
async fn look_for(campaign: &Campaign, scribe: &Scribe, name: &str) -> Result<()> {
    // In Kanka's filters these characters are operators.
    if name.contains(['!', ';']) {
        return learn(campaign, scribe, Pace::Waiting).await;
    }
    for page in 1..=PAGES_MAX {
        let listed = campaign.remote.tags_named(name, page).await?;
        put::put_all(scribe, &listed.rows, Told::InPassing(Side::Neither)).await?;
        if !listed.more {
            break;
        }
    }
    Ok(())
}

/// Reads all tags.
async fn learn(campaign: &Campaign, scribe: &Scribe, pace: Pace) -> Result<()> {
    for page in 1..=PAGES_MAX {
        let listed = campaign.remote.pages(pace, PageKind::Tag, page).await?;
        put::put_all(scribe, &listed.rows, Told::InPassing(Side::Neither)).await?;
        if !listed.more {
            break;
        }
    }
    Ok(())
}

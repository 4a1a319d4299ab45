//! Brings the mirror up to date: a full copy once, then changes and deletions.
//!
//! The first copy goes kind by kind and page by page, and continues where it was interrupted. After
//! that, the list of all entities says what changed; the lists of single kinds would not include
//! changes of texts.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use futures::FutureExt;
use futures::future::{BoxFuture, try_join_all};
use jiff::ToSpan;
use lore_core::{Error, Node, Result, Timestamp};
use lore_store::NodeQuery;

use super::super::edit;
use super::super::find::every;
use super::super::kinds::PageKind;
use super::super::page::{self, Detail};
use super::super::scribe::Scribe;
use super::campaign::Campaign;
use super::heads::{census, heads};
use super::missing::missing;
use super::progress::Kept;
use super::put::{self, Outcome, Told};
use super::remote::{Listed, Pace, RemoteHead, RemotePage};
use super::tags;

/// How far before the last look changes are read again. Kanka keeps dates in whole seconds, and an
/// overlap costs nothing.
const OVERLAP_SECONDS: i64 = 2;
/// The maximum number of pages of a list, against lists that never end.
const PAGES_MAX: u32 = 100_000;
/// The approximate number of entities per page of a list.
const PER_PAGE: usize = 45;

/// How many pages get their edges at once.
const RELINKED_AT_ONCE: usize = 64;

/// Which side wins if a page was changed both here and on Kanka.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Neither: the conflict is reported, and the page stays as it is.
    Neither,
    /// Kanka's. The local version remains in the audit log.
    Theirs,
}

/// The result of a synchronisation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// The number of entities read.
    pub read: usize,
    /// The number of entities deleted.
    pub deleted: usize,
    /// Entities that were changed only here; they stay so.
    pub changed_here: Vec<i64>,
    /// Entities that were changed both there and here, with explanations.
    pub conflicts: BTreeMap<i64, String>,
}

/// Brings the mirror up to date.
pub(super) async fn run(
    campaign: &Campaign,
    scribe: &Scribe,
    kept: Kept,
    pace: Pace,
    side: Side,
    tell: &(dyn Fn(usize, Option<usize>) + Send + Sync),
) -> Result<Report> {
    let report = Report::default();
    let tags = Tags::Expected;
    let mut work = Work { campaign, scribe, kept, pace, side, tell, tags, counted: None, report };
    match work.all().await {
        Ok(()) => Ok(work.report),
        Err(error) => {
            work.kept.progress.problem = Some(error.to_string());
            // Best effort: the caller gets the original error either way.
            let _ = work.kept.write(scribe).await;
            Err(error)
        }
    }
}

struct Work<'a> {
    campaign: &'a Campaign,
    scribe: &'a Scribe,
    kept: Kept,
    pace: Pace,
    side: Side,
    tell: &'a (dyn Fn(usize, Option<usize>) + Send + Sync),
    tags: Tags,
    /// The number of entities on Kanka when the first copy ended.
    counted: Option<usize>,
    report: Report,
}

/// What is known about tags that pages have but the mirror does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tags {
    /// They can be read.
    Expected,
    /// All tags were read, so any that are still unknown cannot be read.
    Read,
}

impl Work<'_> {
    async fn all(&mut self) -> Result<()> {
        let since = match self.kept.progress.as_of() {
            Some(as_of) if self.side == Side::Neither => as_of,
            Some(as_of) => {
                self.take_theirs().await?;
                as_of
            }
            None => self.copy().await?,
        };
        self.look(since).await
    }

    /// Copies everything, or the rest of it. Returns when the copy began.
    async fn copy(&mut self) -> Result<Timestamp> {
        let listed = self.campaign.remote.heads(self.pace, None, 1).await?;
        let begun = match self.kept.progress.begun_at() {
            Some(begun) => begun,
            None => {
                let begun = listed.at.unwrap_or_else(|| self.scribe.app.effects.now());
                let there = census(self.reader(None), &listed).await?;
                self.kept.progress.begin(begun, there);
                begun
            }
        };
        let mut done = mirrored(self.scribe).await?.len();
        let kinds = [PageKind::Tag].into_iter().chain(PageKind::ALL);
        for (index, kind) in kinds.enumerate().skip(self.kept.progress.copied.0) {
            loop {
                let page = self.kept.progress.copied.1 + 1;
                let rows = self.campaign.remote.pages(self.pace, kind, page).await?;
                done += rows.rows.len();
                self.put(&rows.rows).await?;
                if !rows.rows.is_empty() {
                    (self.tell)(done, listed.total);
                }
                self.kept.progress.copied = if rows.more { (index, page) } else { (index + 1, 0) };
                self.kept.write(self.scribe).await?;
                if !rows.more || page >= PAGES_MAX {
                    break;
                }
            }
        }
        // Counted before looking for changes, so that entities created until now are found by that
        // look.
        self.counted = self.campaign.remote.heads(self.pace, None, 1).await?.total;
        // The target of a mention may have been copied after the page that mentions it.
        let all: Vec<i64> = mirrored(self.scribe).await?.into_keys().collect();
        self.relink(&all).await?;
        Ok(begun)
    }

    /// Reads what changed since a moment, and finds out what was deleted.
    async fn look(&mut self, since: Timestamp) -> Result<()> {
        let conflicts = &self.kept.progress.conflicts;
        self.kept.progress.conflicts = open_conflicts(self.scribe, conflicts).await?;
        // An entity that changed in the second of the last look may have changed again within that
        // second.
        let last = since.as_second();
        let since = since.checked_sub(OVERLAP_SECONDS.seconds()).unwrap_or(since);
        let changed = heads(self.reader(Some(since))).await?;
        let ours = mirrored(self.scribe).await?;
        let is_known = |head: &RemoteHead, node: &Node| {
            let is_over = head.updated_at.as_second() < last || put::is_answer(node);
            is_over && put::seen(node) == Some(head.updated_at)
        };
        let is_news =
            |head: &&RemoteHead| !ours.get(&head.number).is_some_and(|node| is_known(head, node));
        let news: Vec<RemoteHead> = changed.rows.iter().filter(is_news).copied().collect();
        let read = self.read(&news, &ours).await?;
        self.relink(&read).await?;
        self.find_gone().await?;
        let now = self.scribe.app.effects.now();
        self.kept.progress.become_whole(changed.at.unwrap_or(since), now);
        self.report.conflicts.clone_from(&self.kept.progress.conflicts);
        self.kept.write(self.scribe).await
    }

    /// Reads the pages that changed. Returns their numbers.
    async fn read(&mut self, news: &[RemoteHead], ours: &BTreeMap<i64, Node>) -> Result<Vec<i64>> {
        let mut read = Vec::new();
        // Tags first, because pages refer to them.
        for kind in [PageKind::Tag].into_iter().chain(PageKind::ALL) {
            let wanted: BTreeSet<i64> =
                news.iter().filter(|head| head.kind == kind).map(|head| head.number).collect();
            let known = ours.values().filter(|node| node.kind.as_str() == kind.as_str()).count();
            // Reading the list is cheaper when it needs fewer requests than reading each page.
            if wanted.len() > (known + wanted.len()).div_ceil(PER_PAGE) {
                self.read_list(kind, &wanted).await?;
            } else {
                self.read_each(&wanted).await?;
            }
            read.extend(wanted);
        }
        Ok(read)
    }

    async fn read_list(&mut self, kind: PageKind, wanted: &BTreeSet<i64>) -> Result<()> {
        let mut left = wanted.clone();
        for page in 1..=PAGES_MAX {
            let mut listed = self.campaign.remote.pages(self.pace, kind, page).await?;
            listed.rows.retain(|row| left.remove(&row.number));
            self.put(&listed.rows).await?;
            if left.is_empty() || !listed.more {
                break;
            }
        }
        // A row may have moved to another page of the list in the meantime.
        self.read_each(&left).await
    }

    async fn read_each(&mut self, wanted: &BTreeSet<i64>) -> Result<()> {
        for number in wanted {
            match self.campaign.remote.page(self.pace, *number).await {
                Ok(page) => self.put(&[page]).await?,
                Err(Error::NotFound { .. }) => self.bury(*number).await?,
                Err(other) => return Err(other),
            }
        }
        Ok(())
    }

    async fn put(&mut self, pages: &[RemotePage]) -> Result<()> {
        if self.tags == Tags::Expected
            && tags::acquaint(self.campaign, self.scribe, self.pace, pages).await?
        {
            self.tags = Tags::Read;
        }
        let outcomes = put::put_all(self.scribe, pages, Told::InPassing(self.side)).await?;
        for (page, outcome) in pages.iter().zip(outcomes) {
            self.report.read += 1;
            let conflicts = &mut self.kept.progress.conflicts;
            conflicts.remove(&page.number);
            match outcome {
                Outcome::Stored => {}
                Outcome::Kept => self.report.changed_here.push(page.number),
                Outcome::Clash(why) => {
                    conflicts.insert(page.number, format!("{}: {why}", page.name));
                }
            }
        }
        Ok(())
    }

    /// Reads the entities in conflict and lets Kanka's version win.
    async fn take_theirs(&mut self) -> Result<()> {
        let numbers: BTreeSet<i64> = self.kept.progress.conflicts.keys().copied().collect();
        self.read_each(&numbers).await
    }

    /// Finds deleted entities, if Kanka's total differs from the number here.
    async fn find_gone(&mut self) -> Result<()> {
        let first = self.campaign.remote.heads(self.pace, None, 1).await?;
        let ours: Vec<i64> = mirrored(self.scribe).await?.into_keys().collect();
        let Some(total) = first.total else { return self.compare(&ours, None).await };
        if self.kept.progress.as_of().is_none() && !self.is_intact(&ours) {
            return self.compare(&ours, Some(total)).await;
        }
        let counted = (total, ours.len());
        if total == ours.len() || self.kept.progress.compared == Some(counted) {
            return Ok(());
        }
        let all = self.reader(None);
        let read = |page: u32| {
            let listed = all(page);
            async { Ok(listed.await?.rows.iter().map(|head| head.number).collect()) }.boxed()
        };
        let gone = missing(&ours, total, first.per_page, read).await?;
        // Positions are meaningless if rows moved in the meantime.
        let after = self.campaign.remote.heads(self.pace, None, 1).await?.total;
        let Some(gone) = gone.filter(|_| after == Some(total)) else {
            return self.compare(&ours, after).await;
        };
        for number in gone {
            self.bury(number).await?;
        }
        Ok(())
    }

    /// Whether nothing was deleted during the first copy. A deletion moves rows from uncopied pages
    /// to pages that were already copied, so they are missed; and because the deleted entity is
    /// still here, the totals can be equal nevertheless.
    fn is_intact(&self, ours: &[i64]) -> bool {
        let counted = self.kept.progress.there().zip(self.counted);
        counted.is_some_and(|(there, total)| there.is_intact(total, ours.iter().copied()))
    }

    /// Compares the complete list with what is here.
    async fn compare(&mut self, ours: &[i64], total: Option<usize>) -> Result<()> {
        let listed = heads(self.reader(None)).await?;
        let theirs: BTreeSet<i64> = listed.rows.iter().map(|head| head.number).collect();
        let here: BTreeSet<i64> = ours.iter().copied().collect();
        let fresh: BTreeSet<i64> = theirs.difference(&here).copied().collect();
        self.read_each(&fresh).await?;
        self.relink(&fresh.into_iter().collect::<Vec<_>>()).await?;
        for number in here.difference(&theirs) {
            self.bury(*number).await?;
        }
        let ours = mirrored(self.scribe).await?.len();
        self.kept.progress.compared = total.map(|total| (total, ours));
        Ok(())
    }

    /// A function that reads pages of the list of entities.
    fn reader<'b>(
        &self,
        since: Option<Timestamp>,
    ) -> impl Fn(u32) -> BoxFuture<'b, Result<Listed<RemoteHead>>> + Send + Sync + 'b {
        let (remote, pace) = (Arc::clone(&self.campaign.remote), self.pace);
        move |page| {
            let remote = Arc::clone(&remote);
            async move { remote.heads(pace, since, page).await }.boxed()
        }
    }

    /// Deletes a page that is gone from Kanka, unless it was changed here.
    async fn bury(&mut self, number: i64) -> Result<()> {
        let conflicts = &mut self.kept.progress.conflicts;
        let page = match page::get(self.scribe, number, Detail::Posts).await {
            Ok(page) => page,
            Err(Error::NotFound { .. }) => {
                conflicts.remove(&number);
                return Ok(());
            }
            Err(other) => return Err(other),
        };
        if self.side == Side::Neither && put::is_changed_here(&page) {
            let why = format!("{}: it was deleted on Kanka and changed here", page.node.name);
            conflicts.insert(number, why);
            return Ok(());
        }
        conflicts.remove(&number);
        edit::delete(self.scribe, number).await?;
        self.report.deleted += 1;
        Ok(())
    }

    /// Sets the mention and parent edges of pages, now that all targets exist.
    async fn relink(&self, numbers: &[i64]) -> Result<()> {
        // Concurrently, so that their commits are grouped.
        for some in numbers.chunks(RELINKED_AT_ONCE) {
            let store = &self.scribe.app.store;
            let nodes = store.nodes_by_number(&self.scribe.viewer, some).await?;
            try_join_all(nodes.into_iter().map(|node| edit::relink(self.scribe, node))).await?;
        }
        Ok(())
    }
}

/// The conflicts that are still open: the page exists here and differs from Kanka's last known
/// version.
pub(super) async fn open_conflicts(
    scribe: &Scribe,
    conflicts: &BTreeMap<i64, String>,
) -> Result<BTreeMap<i64, String>> {
    let numbers: Vec<i64> = conflicts.keys().copied().collect();
    if numbers.is_empty() {
        return Ok(BTreeMap::new());
    }
    let nodes = scribe.app.store.nodes_by_number(&scribe.viewer, &numbers).await?;
    let pages = page::with_texts(scribe, nodes, Detail::Posts).await?;
    let open = pages.iter().filter(|page| put::is_changed_here(page)).map(|page| page.node.number);
    Ok(open.filter_map(|number| Some((number, conflicts.get(&number)?.clone()))).collect())
}

/// Every page that came from Kanka, by number.
async fn mirrored(scribe: &Scribe) -> Result<BTreeMap<i64, Node>> {
    let query = NodeQuery { kinds: scribe.words(&[])?, ..NodeQuery::default() };
    let nodes = every(scribe, &query).await?.into_iter().filter(super::is_mirrored);
    Ok(nodes.map(|node| (node.number, node)).collect())
}

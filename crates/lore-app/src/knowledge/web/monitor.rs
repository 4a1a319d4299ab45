//! Monitored web pages: fetching them from time to time to notice changes.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use lore_core::{NodeId, Principal, Result, Role, Timestamp, names};
use tokio::sync::Notify;

use super::review;
use super::submission::{self, Evaluation, Held, Listed, Status, Submission, Watched};
use crate::App;
use crate::access::Presence;
use crate::knowledge::librarian::Librarian;

/// How often each page is checked.
pub const SCAN_INTERVAL: Duration = Duration::from_secs(86_400);
/// How often to look for pages that are due.
const TICK: Duration = Duration::from_secs(60);
/// Pause between two pages, to avoid flooding servers.
const PAUSE: Duration = Duration::from_secs(2);
/// Longest backoff for a failing page, in intervals.
const BACKOFF_MAX: u32 = 16;
/// The name under which changes appear in the audit log.
const MONITOR: &str = "monitor_url";

/// Counts the rounds of checks, and lets a caller request one immediately.
#[derive(Debug, Default)]
pub struct Rounds {
    made: AtomicU64,
    wanted: Notify,
}

impl Rounds {
    /// Returns how many rounds were completed since the program started.
    pub fn made(&self) -> u64 {
        self.made.load(Ordering::Relaxed)
    }
}

/// Which pages a round checks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Round {
    /// Those that are due.
    Due,
    /// All of them.
    Asked,
}

/// The result of asking for a page to be monitored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Added {
    /// It was read for the first time and is monitored from now on.
    Added {
        /// Number of the submission.
        id: i64,
        /// The number of words in its text.
        words: usize,
    },
    /// It had been previewed before and is monitored from now on.
    Upgraded {
        /// Number of the submission.
        id: i64,
    },
    /// It was monitored already.
    Already {
        /// Number of the submission.
        id: i64,
    },
}

/// A monitored page.
#[derive(Debug, Clone, PartialEq)]
pub struct Monitored {
    /// Its address.
    pub url: String,
    /// Its title.
    pub title: String,
    /// When it was last checked.
    pub last_checked: Option<String>,
    /// When a check last found a change.
    pub changed_at: Option<String>,
    /// SHA-256 of its text.
    pub hash: String,
    /// How many checks have failed in a row.
    pub failures: u32,
    /// What somebody thinks of it.
    pub evaluation: Option<Evaluation>,
}

/// Starts monitoring a page.
pub async fn monitor(librarian: &Librarian, url: &str, title: &str) -> Result<Added> {
    librarian.viewer.require(Role::Player)?;
    let url = submission::address(librarian, url)?;
    let title = match title.trim() {
        "" => None,
        title => Some(names::checked_name("title", title)?),
    };
    let now = librarian.app.effects.now().to_string();
    let watched = |title: &str| Watched {
        title: title.to_owned(),
        last_checked: Some(now.clone()),
        ..Watched::default()
    };
    let rid = submission::rid(&url);
    let page = match submission::held(librarian, &rid).await? {
        Some(held) => held.submission,
        None => submission::read(librarian, &url).await?,
    };
    let keep = |old: Option<&Held>| {
        let page = old.map_or(&page, |old| &old.submission);
        let watched = Some(watched(title.as_ref().unwrap_or(&page.title)));
        let made = || Some(Submission { watched, ..page.clone() });
        match old {
            Some(old) if old.submission.watched.is_some() => {
                let again = (!old.is_listed()).then(|| page.clone());
                (again, Some(Added::Already { id: old.node.number }))
            }
            Some(old) => (made(), Some(Added::Upgraded { id: old.node.number })),
            None => (made(), None),
        }
    };
    if let Some(known) = submission::amend(librarian, &rid, keep).await? {
        return Ok(known);
    }
    let held = submission::held(librarian, &rid).await?;
    let id = held.map_or(0, |held| held.node.number);
    Ok(Added::Added { id, words: lore_reader::words(&page.text) })
}

/// Stops monitoring a page. Returns whether it was monitored.
pub async fn unmonitor(librarian: &Librarian, url: &str) -> Result<bool> {
    librarian.viewer.require(Role::Player)?;
    let Some(url) = watched_at(librarian, url).await? else { return Ok(false) };
    let forget = |old: Option<&Held>| {
        let page = old.map(|old| &old.submission).filter(|page| page.watched.is_some());
        let made = page.map(|page| Submission { watched: None, ..page.clone() });
        (made, page.is_some())
    };
    submission::amend(librarian, &submission::rid(&url), forget).await
}

/// Returns the address under which a page is monitored. A page that may no longer be fetched can
/// still be removed.
async fn watched_at(librarian: &Librarian, url: &str) -> Result<Option<String>> {
    if let Ok(address) = submission::address(librarian, url) {
        return Ok(Some(address));
    }
    let given = url.trim().trim_end_matches('/');
    let is = |held: &Held| {
        let known = held.submission.url.trim_end_matches('/');
        known == given || known.split_once("://").is_some_and(|(_, rest)| rest == given)
    };
    let found = |held: Held| is(&held).then_some(held.submission.url);
    Ok(submission::each_watched(librarian, found).await?.into_iter().next())
}

/// Returns all monitored pages.
pub async fn monitored(librarian: &Librarian) -> Result<Vec<Monitored>> {
    submission::each_watched(librarian, shown).await
}

fn shown(held: Held) -> Option<Monitored> {
    let watched = held.submission.watched?;
    Some(Monitored {
        url: held.submission.url,
        title: watched.title,
        last_checked: watched.last_checked,
        changed_at: watched.changed_at,
        hash: held.submission.hash,
        failures: watched.failures,
        evaluation: held.submission.evaluation,
    })
}

/// Checks the monitored pages of everybody in every world until the program ends. The time of each
/// check is stored with the page, so a restart continues where it left off.
pub async fn keep_watching(app: Arc<App>) {
    loop {
        let round = tokio::select! {
            () = tokio::time::sleep(TICK) => Round::Due,
            () = app.rounds.wanted.notified() => Round::Asked,
        };
        if let Err(error) = scan(&app, round).await {
            tracing::warn!(code = error.code().meaning().name, "watched pages were not looked at");
        }
        app.rounds.made.fetch_add(1, Ordering::Relaxed);
    }
}

/// Requests a check of every monitored page, due or not, as soon as possible.
pub fn scan_now(librarian: &Librarian) -> Result<()> {
    librarian.viewer.require(Role::Player)?;
    librarian.app.rounds.wanted.notify_one();
    Ok(())
}

async fn scan(app: &Arc<App>, round: Round) -> Result<()> {
    // Game masters monitor the same pages.
    let mut checked: HashSet<NodeId> = HashSet::new();
    for viewer in app.store.everybody().await? {
        if viewer.role < Role::Player {
            continue;
        }
        let is_local = viewer.principal == Principal::LOCAL;
        let presence = if is_local { Presence::Here } else { Presence::Anywhere };
        let request_id = app.effects.uid().to_string();
        let app = Arc::clone(app);
        let librarian = Librarian { app, viewer, presence, tool: MONITOR, request_id };
        let mut pages = submission::listed(&librarian).await?;
        let now = librarian.app.effects.now();
        pages.retain(|page| match round {
            Round::Due => is_due(page, now),
            Round::Asked => true,
        });
        for page in pages.iter().filter(|page| !checked.contains(&page.node)).collect::<Vec<_>>() {
            if looked_at(&librarian, page).await? {
                checked.insert(page.node);
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
    Ok(())
}

/// Whether a page is due.
fn is_due(page: &Listed, now: Timestamp) -> bool {
    let watched = &page.watched;
    turn_has_come(watched.last_checked.as_deref(), watched.failures, SCAN_INTERVAL, now)
}

/// Checks a page, unless it is not monitored any more or was submitted in another role. Returns
/// whether it did.
async fn looked_at(librarian: &Librarian, page: &Listed) -> Result<bool> {
    let held = submission::held(librarian, &page.rid).await?;
    let held = held.filter(|held| held.node.id == page.node && held.submission.watched.is_some());
    let Some(held) = held else { return Ok(false) };
    check(librarian, held).await;
    Ok(true)
}

/// Whether it is time to check an outside source again. Repeated failures double the interval, up
/// to [`BACKOFF_MAX`] times.
pub(in crate::knowledge) fn turn_has_come(
    last: Option<&str>,
    failures: u32,
    interval: Duration,
    now: Timestamp,
) -> bool {
    let last = last.and_then(|text| text.parse::<Timestamp>().ok());
    let wait = interval.saturating_mul((1 << failures.min(31)).min(BACKOFF_MAX));
    last.is_none_or(|last| now.duration_since(last).unsigned_abs() >= wait)
}

/// Checks one page. A failure is recorded with the page and has no other effect: the change is
/// found again by the next check.
async fn check(librarian: &Librarian, held: Held) {
    let now = librarian.app.effects.now().to_string();
    let outcome = changed(librarian, &held.submission).await;
    let is_read = outcome.is_ok();
    let changed = outcome.ok().flatten();
    let changed_at = changed.as_ref().map(|_| now.clone());
    let mut page = changed.unwrap_or_else(|| held.submission.clone());
    if let Some(watched) = &mut page.watched {
        watched.last_checked = Some(now);
        watched.failures = if is_read { 0 } else { watched.failures.saturating_add(1) };
        watched.changed_at = changed_at.or(watched.changed_at.take());
    }
    if let Err(error) = submission::hold(librarian, &page, Some(&held)).await {
        tracing::warn!(
            code = error.code().meaning().name,
            "that a page was looked at was not noted"
        );
    }
}

/// Returns a page as it is now, if it changed. The document and the note of an ingested one are
/// brought up to date.
async fn changed(librarian: &Librarian, old: &Submission) -> Result<Option<Submission>> {
    let fresh = submission::read(librarian, &old.url).await?;
    if fresh.hash == old.hash {
        return Ok(None);
    }
    tracing::info!("a watched page changed");
    let mut page = Submission {
        status: old.status,
        note_path: old.note_path.clone(),
        submitted_by: old.submitted_by.clone(),
        watched: old.watched.clone(),
        evaluation: old.evaluation.clone(),
        ..fresh
    };
    if page.status == Status::Ingested {
        page.note_path = review::refresh(librarian, old, &page).await.inspect_err(|error| {
            tracing::warn!(
                code = error.code().meaning().name,
                "the new text of a page was not kept"
            );
        })?;
    }
    Ok(Some(page))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fails_is_asked_ever_more_rarely_but_never_forgotten() {
        let (last, hour) = (Timestamp::UNIX_EPOCH.to_string(), Duration::from_secs(3_600));
        let comes = |failures: u32, hours: i64| {
            let now = Timestamp::from_second(hours * 3_600).unwrap();
            turn_has_come(Some(&last), failures, hour, now)
        };
        for (failures, hours) in [(0, 1), (1, 2), (2, 4), (3, 8)] {
            assert!(comes(failures, hours) && !comes(failures, hours - 1), "{failures}");
        }
        let longest = i64::from(BACKOFF_MAX);
        for failures in [31, 32, u32::MAX] {
            assert!(comes(failures, longest) && !comes(failures, longest - 1), "{failures}");
        }
        assert!(turn_has_come(None, 3, hour, Timestamp::UNIX_EPOCH));
    }
}

//! Reads the list of all entities consistently, although it may change while it is being read.
//!
//! Kanka returns lists in pages, by offset. When a row is deleted, all later rows move up. One row
//! then moves from an unread page to one that was already read, and is missed. A list of several
//! pages is therefore accepted only if nothing moved; otherwise it is read again.

use std::collections::HashSet;

use futures::future::BoxFuture;
use lore_core::{Error, Result, Timestamp};
use serde::{Deserialize, Serialize};

use super::remote::{Listed, RemoteHead};

/// The maximum number of pages of a list, against lists that never end.
const PAGES_MAX: u32 = 100_000;
/// How often a list that keeps changing is read.
const PASSES: usize = 6;

/// All rows of a list.
pub(super) struct Heads {
    pub(super) rows: Vec<RemoteHead>,
    /// The moment that the list shows, by Kanka's clock. Later changes may be missing.
    pub(super) at: Option<Timestamp>,
}

/// The number of entities at a moment, and the highest of their numbers. New entities get higher
/// numbers, so it can be determined later whether any of these is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Census {
    total: usize,
    newest: i64,
}

impl Census {
    /// Whether all of these still exist, given the current `total` and the numbers of all entities
    /// found since.
    pub(super) fn is_intact(self, total: usize, numbers: impl Iterator<Item = i64>) -> bool {
        total == self.total + numbers.filter(|number| *number > self.newest).count()
    }
}

/// Reads the whole list through `read`, which returns one page of it.
pub(super) async fn heads<'a, R>(read: R) -> Result<Heads>
where
    R: Fn(u32) -> BoxFuture<'a, Result<Listed<RemoteHead>>> + Send + Sync,
{
    let mut pass = Pass::read(&read).await?;
    for _ in 1..PASSES {
        if pass.is_still() {
            return Ok(Heads { rows: pass.rows, at: pass.at });
        }
        let again = Pass::read(&read).await?;
        if pass.is_within(&again) {
            return Ok(Heads { rows: again.rows, at: pass.at });
        }
        pass = again;
    }
    Err(Error::Unavailable { what: "the list of entities on Kanka (it keeps changing)".into() })
}

/// Takes a census of the list behind `read`, whose first page is `first`. `None` if that is not
/// possible.
pub(super) async fn census<'a, R>(read: R, first: &Listed<RemoteHead>) -> Result<Option<Census>>
where
    R: Fn(u32) -> BoxFuture<'a, Result<Listed<RemoteHead>>> + Send + Sync,
{
    let Some(total) = first.total else { return Ok(None) };
    let newest = |rows: &[RemoteHead]| rows.iter().map(|head| head.number).max();
    if !first.more {
        return Ok(Some(Census { total, newest: newest(&first.rows).unwrap_or(0) }));
    }
    let last = u32::try_from(total.div_ceil(first.per_page.max(1))).unwrap_or(PAGES_MAX);
    let last = read(last).await?;
    let counted = last.total.filter(|now| *now == total && !last.more);
    Ok(counted.zip(newest(&last.rows)).map(|(total, newest)| Census { total, newest }))
}

/// One complete reading of a list, from the first page to the last.
struct Pass {
    rows: Vec<RemoteHead>,
    at: Option<Timestamp>,
    /// The total number of rows, as stated by each page.
    totals: Vec<Option<usize>>,
}

impl Pass {
    async fn read<'a, R>(read: &R) -> Result<Self>
    where
        R: Fn(u32) -> BoxFuture<'a, Result<Listed<RemoteHead>>> + Send + Sync,
    {
        let mut pass = Self { rows: Vec::new(), at: None, totals: Vec::new() };
        for page in 1..=PAGES_MAX {
            let listed = read(page).await?;
            pass.at = pass.at.or(listed.at);
            pass.totals.push(listed.total);
            pass.rows.extend(listed.rows);
            if !listed.more {
                break;
            }
        }
        Ok(pass)
    }

    /// Whether no row moved from an unread page to one that was already read. A move requires a
    /// deletion. After one the total is lower, unless new rows made up for it; those are recent.
    fn is_still(&self) -> bool {
        let (first, others) = match self.totals.split_first() {
            None | Some((_, [])) => return true,
            Some(split) => split,
        };
        let Some(begun) = self.at.map(Timestamp::as_second) else { return false };
        let is_older = |head: &RemoteHead| head.updated_at.as_second() < begun;
        first.is_some()
            && others.iter().all(|total| total == first)
            && self.rows.iter().all(is_older)
    }

    /// Whether another pass contains every row of this one. Then none of them was deleted before
    /// the other pass ended, so nothing moved.
    fn is_within(&self, other: &Self) -> bool {
        let theirs: HashSet<i64> = other.rows.iter().map(|head| head.number).collect();
        self.rows.iter().all(|head| theirs.contains(&head.number))
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::kinds::PageKind;
    use super::*;
    use futures::FutureExt;
    use parking_lot::Mutex;

    const PER_PAGE: usize = 3;
    /// The second in which the list is read.
    const NOW: i64 = 1_000;

    fn head(number: i64, changed: i64) -> RemoteHead {
        let updated_at = Timestamp::from_second(changed).unwrap();
        RemoteHead { number, kind: PageKind::Note, updated_at }
    }

    /// A list of ten rows that changes after some of its pages were read.
    struct Moving {
        rows: Mutex<Vec<RemoteHead>>,
        given: Mutex<usize>,
        happens: fn(usize, &mut Vec<RemoteHead>),
    }

    impl Moving {
        fn new(happens: fn(usize, &mut Vec<RemoteHead>)) -> Self {
            let rows = (1..=10).map(|number| head(number, NOW - 100)).collect();
            Self { rows: Mutex::new(rows), given: Mutex::default(), happens }
        }

        fn page(&self, page: u32) -> Listed<RemoteHead> {
            let (mut rows, mut given) = (self.rows.lock(), self.given.lock());
            let start = (page as usize - 1) * PER_PAGE;
            let listed = Listed {
                rows: rows.iter().skip(start).take(PER_PAGE).copied().collect(),
                more: start + PER_PAGE < rows.len(),
                total: Some(rows.len()),
                per_page: PER_PAGE,
                at: Timestamp::from_second(NOW).ok(),
            };
            *given += 1;
            (self.happens)(*given, &mut rows);
            listed
        }

        /// The numbers that are read, and how many pages were requested.
        async fn read(&self) -> Result<(Vec<i64>, usize)> {
            let listed = heads(|page| async move { Ok(self.page(page)) }.boxed()).await?;
            Ok((listed.rows.iter().map(|head| head.number).collect(), *self.given.lock()))
        }
    }

    #[tokio::test]
    async fn a_list_at_rest_is_read_once() {
        let (numbers, given) = Moving::new(|_, _| {}).read().await.unwrap();
        assert_eq!((numbers, given), ((1..=10).collect(), 4));
    }

    #[tokio::test]
    async fn what_moves_to_a_page_that_was_read_is_not_lost() {
        for deleted_after in 1..=4 {
            let list = Moving::new(match deleted_after {
                1 => |given, rows| (given == 1).then(|| rows.remove(0)).map_or((), drop),
                2 => |given, rows| (given == 2).then(|| rows.remove(0)).map_or((), drop),
                3 => |given, rows| (given == 3).then(|| rows.remove(0)).map_or((), drop),
                _ => |given, rows| (given == 4).then(|| rows.remove(0)).map_or((), drop),
            });
            let (numbers, _) = list.read().await.unwrap();
            assert!(
                (2..=10).all(|number| numbers.contains(&number)),
                "{deleted_after} {numbers:?}"
            );
        }
    }

    #[tokio::test]
    async fn one_that_came_does_not_hide_one_that_went() {
        let list = Moving::new(|given, rows| {
            if given == 1 {
                rows.remove(0);
                rows.push(head(11, NOW));
            }
        });
        let (numbers, _) = list.read().await.unwrap();
        assert!((2..=10).all(|number| numbers.contains(&number)), "{numbers:?}");
    }

    #[tokio::test]
    async fn a_list_that_never_rests_is_not_believed() {
        let list = Moving::new(|given, rows| {
            rows.remove(0);
            rows.push(head(100 + i64::try_from(given).unwrap(), NOW));
        });
        assert!(list.read().await.is_err());
    }

    #[tokio::test]
    async fn a_census_tells_whether_any_is_gone_however_many_came() {
        let list = Moving::new(|_, _| {});
        let first = list.page(1);
        let list = &list;
        let read = |page| async move { Ok(list.page(page)) }.boxed();
        let census = census(read, &first).await.unwrap().unwrap();
        assert_eq!(census, Census { total: 10, newest: 10 });
        assert!(census.is_intact(10, 1..=10));
        assert!(census.is_intact(12, 1..=12));
        // One is gone, and one that was never seen seems to make up for it.
        assert!(!census.is_intact(9, 1..=9));
        assert!(!census.is_intact(10, [1, 2, 3, 4, 5, 6, 7, 8, 9, 11].into_iter()));
    }
}

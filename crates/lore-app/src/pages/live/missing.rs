//! Finds deleted entities with few requests.
//!
//! Kanka reports changes but not deletions. It does report the total number, and lists entities by
//! number. If there are as many rows as expected between two known positions, none is missing
//! there; otherwise a page in the middle is read. One deletion among thousands costs a handful of
//! pages.

use futures::future::BoxFuture;
use lore_core::Result;

/// A part of the list: the positions `places` on Kanka correspond to a subset of `ours`.
struct Part {
    places: std::ops::Range<usize>,
    ours: std::ops::Range<usize>,
}

/// Returns those of `ours`, which must be sorted, that a list of `total` rows does not contain.
/// `None` if the list does not match expectations and has to be read completely.
pub(super) async fn missing<'a>(
    ours: &[i64],
    total: usize,
    per_page: usize,
    read: impl Fn(u32) -> BoxFuture<'a, Result<Vec<i64>>> + Send + Sync,
) -> Result<Option<Vec<i64>>> {
    if total > ours.len() || per_page == 0 {
        return Ok(None);
    }
    let mut gone = Vec::new();
    let mut open = vec![Part { places: 0..total, ours: 0..ours.len() }];
    while let Some(part) = open.pop() {
        if part.places.len() == part.ours.len() {
            continue;
        }
        if part.places.is_empty() {
            gone.extend_from_slice(ours.get(part.ours).unwrap_or_default());
            continue;
        }
        let page = (part.places.start + part.places.len() / 2) / per_page;
        let rows = read(u32::try_from(page + 1).unwrap_or(u32::MAX)).await?;
        let Some(halves) = compared(ours, &part, page * per_page, &rows, &mut gone) else {
            return Ok(None);
        };
        open.extend(halves);
    }
    gone.sort_unstable();
    Ok(Some(gone))
}

/// Compares rows starting at position `first` with ours, adds those missing among them to `gone`,
/// and returns the parts left to examine on both sides.
fn compared(
    ours: &[i64],
    part: &Part,
    first: usize,
    rows: &[i64],
    gone: &mut Vec<i64>,
) -> Option<[Part; 2]> {
    let from = part.places.start.max(first);
    let to = part.places.end.min(first + rows.len());
    let rows = rows.get(from - first..to.checked_sub(first)?).filter(|rows| !rows.is_empty())?;
    let within = ours.get(part.ours.clone())?;
    let place = |number: &i64| within.binary_search(number).ok().map(|at| at + part.ours.start);
    let start = place(rows.first()?)?;
    let end = place(rows.last()?)? + 1;
    if !rows.is_sorted() || rows.iter().any(|row| place(row).is_none()) {
        return None;
    }
    let here = ours.get(start..end)?;
    gone.extend(here.iter().filter(|number| rows.binary_search(number).is_err()));
    Some([
        Part { places: part.places.start..from, ours: part.ours.start..start },
        Part { places: to..part.places.end, ours: end..part.ours.end },
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt;
    use std::sync::atomic::{AtomicU32, Ordering};

    /// The numbers found missing, and how many pages that took.
    async fn search(ours: &[i64], theirs: &[i64], per_page: usize) -> (Option<Vec<i64>>, u32) {
        let asked = AtomicU32::new(0);
        let read = |page: u32| {
            asked.fetch_add(1, Ordering::Relaxed);
            let start = (page as usize - 1) * per_page;
            let rows: Vec<i64> = theirs.iter().skip(start).take(per_page).copied().collect();
            async move { Ok(rows) }.boxed()
        };
        let found = missing(ours, theirs.len(), per_page, read).await.unwrap();
        (found, asked.load(Ordering::Relaxed))
    }

    #[tokio::test]
    async fn every_set_of_deletions_is_found() {
        let ours: Vec<i64> = (0..211).map(|n| n * 3 + 1).collect();
        for step in [1_usize, 2, 3, 7, 44, 45, 46, 100, 210, 500] {
            for offset in [0, 1, 5] {
                let keep = |at: usize| !(at + offset).is_multiple_of(step);
                let kept = ours.iter().enumerate().filter(|(at, _)| keep(*at)).map(|(_, n)| *n);
                let theirs: Vec<i64> = kept.collect();
                let wanted: Vec<i64> =
                    ours.iter().copied().filter(|number| !theirs.contains(number)).collect();
                let (found, asked) = search(&ours, &theirs, 45).await;
                assert_eq!(found, Some(wanted), "{step} {offset}");
                assert!(asked <= 5, "{step} {offset}: {asked} pages");
            }
        }
    }

    #[tokio::test]
    async fn one_deletion_among_thousands_costs_a_handful_of_pages() {
        let ours: Vec<i64> = (1..=5_000).collect();
        for victim in [1, 2, 45, 46, 2_500, 4_999, 5_000] {
            let theirs: Vec<i64> = ours.iter().copied().filter(|n| *n != victim).collect();
            let (found, asked) = search(&ours, &theirs, 45).await;
            assert_eq!(found, Some(vec![victim]));
            assert!(asked <= 8, "{victim}: {asked} pages");
        }
        assert_eq!(search(&ours, &ours, 45).await, (Some(Vec::new()), 0));
    }

    #[tokio::test]
    async fn a_list_of_another_kind_is_not_trusted() {
        let ours: Vec<i64> = (1..=100).collect();
        let backwards: Vec<i64> = (1..=90).rev().collect();
        assert_eq!(search(&ours, &backwards, 45).await.0, None);
        let strange: Vec<i64> = (50..=120).collect();
        assert_eq!(search(&ours, &strange, 45).await.0, None);
        let more: Vec<i64> = (1..=101).collect();
        assert_eq!(search(&ours, &more, 45).await.0, None);
    }
}

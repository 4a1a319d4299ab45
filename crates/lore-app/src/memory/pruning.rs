//! Finding the experiences that have faded, to count them or to move them to the bin.

use std::collections::HashSet;

use lore_core::{Kind, Node, Timestamp, Uid};
use lore_rules::memory::decay::{days_until_below, shown};
use lore_store::{Change, Expect, NewestNodes, NodeRef};

use super::call::MemoryCall;
use super::experience::{Fading, classes};
use super::kinds::kept_by;
use super::refusal::Reply;
use crate::access::may_change;

/// The number of experiences read at once, and deleted per transaction.
const PRUNE_BATCH: usize = 500;
/// How many times faster than its class an imported experience may fade and still be found here.
const FASTEST: f64 = 4.0;

/// Moves everything with less relevance than `threshold` to the bin and returns the uids. An
/// experience with a lasting node does not fade.
pub async fn prune(call: &MemoryCall, threshold: f64) -> Reply<Vec<Uid>> {
    let mut pruned = Vec::new();
    let now = call.now();
    for mut query in below(now, threshold, FASTEST)? {
        while let Some(faded) = next_faded(call, &mut query, now, threshold).await? {
            let mut batch = call.batch();
            let bin = |node: &Node| Change::DeleteNode(NodeRef::Id(node.id), Expect::Any);
            batch.changes.extend(faded.iter().map(bin));
            call.app.commit(&call.viewer, batch).await?;
            pruned.extend(faded.into_iter().map(|node| node.uid));
        }
    }
    Ok(pruned)
}

/// How many experiences have faded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Faded {
    /// The number of those that were found.
    pub(super) count: usize,
    /// Whether there may be more.
    pub(super) more: bool,
}

/// Counts what [`prune`] would move to the bin, as far as a bounded number of experiences tells: of
/// each class the newest of those that have faded at the usual pace, and at the fastest.
pub(super) async fn faded(call: &MemoryCall, threshold: f64) -> Reply<Faded> {
    let (mut seen, mut more) = (HashSet::new(), false);
    let now = call.now();
    for pace in [1.0, FASTEST] {
        for mut query in below(now, threshold, pace)? {
            let faded = next_faded(call, &mut query, now, threshold).await?.unwrap_or_default();
            // What stays was skipped, so together they are the page.
            more |= query.offset + faded.len() == query.limit;
            seen.extend(faded.into_iter().map(|node| node.id));
        }
    }
    Ok(Faded { count: seen.len(), more })
}

/// Returns the faded experiences on the next page of a query, and `None` after the last page. Skips
/// the others for the page after it.
async fn next_faded(
    call: &MemoryCall,
    query: &mut NewestNodes,
    now: Timestamp,
    threshold: f64,
) -> Reply<Option<Vec<Node>>> {
    let found = call.app.store.newest_nodes(&call.viewer, query.clone()).await?;
    if found.is_empty() {
        return Ok(None);
    }
    let is_faded = |node: &Node| {
        let left = Fading::of(node).map_or(0.0, |fading| fading.left(node.created.at, now));
        kept_by(node).is_none() && shown(left) < threshold && may_prune(call, node)
    };
    let (faded, staying): (Vec<_>, Vec<_>) = found.into_iter().partition(is_faded);
    query.offset += staying.len();
    Ok(Some(faded))
}

fn may_prune(call: &MemoryCall, node: &Node) -> bool {
    may_change(&call.viewer, node.created.by, &node.name).is_ok()
}

/// Returns one query per class for the experiences that are old enough to be below `threshold` if
/// they fade `pace` times as fast as the class.
fn below(now: Timestamp, threshold: f64, pace: f64) -> Reply<Vec<NewestNodes>> {
    const MICROS_A_DAY: f64 = 86_400.0 * 1e6;
    let now = now.as_microsecond();
    let older = |(kind, namespace, rate): (Kind, String, f64)| {
        let days = days_until_below(rate * pace, threshold)?;
        // Before the earliest representable time. Nothing can be older.
        let before = Timestamp::from_microsecond(now - (days * MICROS_A_DAY) as i64).ok()?;
        Some(NewestNodes { kind, namespace, before: Some(before), offset: 0, limit: PRUNE_BATCH })
    };
    Ok(classes(None)?.into_iter().filter_map(older).collect())
}

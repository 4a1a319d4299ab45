//! A cache of node lists that were asked for recently.
//!
//! Every change that can affect a list gives a document of the node a new sequence number (see
//! [`crate::docs`]). So a cached list is valid while the newest document of its world is the same.
//! Change dates have no document, so queries that filter by them are not cached.

use std::collections::VecDeque;
use std::sync::Arc;

use lore_core::NodeId;
use lore_store::NodeQuery;
use parking_lot::Mutex;

use crate::sight::Sight;

/// How many lists are cached, and how many nodes a cached list may have.
const KEPT_MAX: usize = 16;
const LENGTH_MAX: usize = 50_000;

/// The cached lists, most recently used first.
#[derive(Default)]
pub(crate) struct Lists(Mutex<VecDeque<List>>);

struct List {
    asked: Asked,
    newest: i64,
    ids: Arc<[NodeId]>,
}

/// The key of a cached list: the viewer's rights and the query without its paging.
#[derive(PartialEq, Eq)]
pub(crate) struct Asked(Sight, NodeQuery);

impl Asked {
    /// The cache key of a query; `None` if its list must not be cached.
    pub(crate) fn of(sight: Sight, query: &NodeQuery) -> Option<Self> {
        let is_kept = query.since.is_none() && query.among.is_none();
        let whole = || NodeQuery { after: None, offset: 0, limit: 0, ..query.clone() };
        is_kept.then(|| Self(sight, whole()))
    }
}

impl Lists {
    /// The cached list, if the newest document of its world is still `newest`.
    pub(crate) fn find(&self, asked: &Asked, newest: i64) -> Option<Arc<[NodeId]>> {
        let mut lists = self.0.lock();
        let at = lists.iter().position(|list| list.asked == *asked)?;
        let list = lists.remove(at).filter(|list| list.newest == newest)?;
        let ids = Arc::clone(&list.ids);
        lists.push_front(list);
        Some(ids)
    }

    /// Caches a list, unless it is too long.
    pub(crate) fn keep(&self, asked: Asked, newest: i64, ids: &Arc<[NodeId]>) {
        if ids.len() > LENGTH_MAX {
            return;
        }
        let mut lists = self.0.lock();
        lists.retain(|list| list.asked != asked);
        lists.push_front(List { asked, newest, ids: Arc::clone(ids) });
        lists.truncate(KEPT_MAX);
    }
}

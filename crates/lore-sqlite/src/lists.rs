//! Lists of nodes that were asked for lately, kept as long as nothing is changed by which nodes
//! are listed.
//!
//! Whatever that is, a change to it gives a document of the node a new number (see
//! [`crate::docs`]); so a list is good as long as the newest document of its world is the same.
//! Moments of change have no document, and who asks for them is not served from here.

use std::collections::VecDeque;
use std::sync::Arc;

use lore_core::NodeId;
use lore_store::NodeQuery;
use parking_lot::Mutex;

use crate::sight::Sight;

/// How many lists are kept, and how long one may be.
const KEPT_MAX: usize = 16;
const LENGTH_MAX: usize = 50_000;

/// The lists that were asked for last, newest first.
#[derive(Default)]
pub(crate) struct Lists(Mutex<VecDeque<List>>);

struct List {
    asked: Asked,
    newest: i64,
    ids: Arc<[NodeId]>,
}

/// What a list is of, and for whom.
#[derive(PartialEq, Eq)]
pub(crate) struct Asked(Sight, NodeQuery);

impl Asked {
    /// What a query asks for, whatever its page; none where a list of it would not do.
    pub(crate) fn of(sight: Sight, query: &NodeQuery) -> Option<Self> {
        let is_kept = query.since.is_none() && query.among.is_none();
        let whole = || NodeQuery { after: None, offset: 0, limit: 0, ..query.clone() };
        is_kept.then(|| Self(sight, whole()))
    }
}

impl Lists {
    /// A list, if the newest document of its world is still this one.
    pub(crate) fn find(&self, asked: &Asked, newest: i64) -> Option<Arc<[NodeId]>> {
        let mut lists = self.0.lock();
        let at = lists.iter().position(|list| list.asked == *asked)?;
        let list = lists.remove(at).filter(|list| list.newest == newest)?;
        let ids = Arc::clone(&list.ids);
        lists.push_front(list);
        Some(ids)
    }

    /// Keeps a list.
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

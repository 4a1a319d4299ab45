//! State that the jobs of one write transaction share.
//!
//! Nearly every job moves the end of an event log and the end of the change log. Within a
//! transaction nobody else can move them, so each is stored once, right before the commit, however
//! many jobs moved it. When a job is rolled back, its moves are discarded.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Deref;

use lore_core::NodeId;
use lore_store::chain::Head;
use rusqlite::Connection;

use crate::audit::Author;
use crate::counter::{self, CHANGES, STORE};
use crate::fault::Answer;
use crate::records;

/// A connection in a transaction, with the log ends that its jobs have moved so far.
pub(crate) struct Slate<'a> {
    db: &'a Connection,
    /// Moved by jobs that succeeded.
    kept: RefCell<Ends>,
    /// Moved by the current job.
    job: RefCell<Ends>,
}

#[derive(Default)]
struct Ends {
    logs: HashMap<NodeId, (Head, Author)>,
    changes: Option<i64>,
}

impl<'a> Slate<'a> {
    /// Starts with no moves, for a transaction that has just begun.
    pub(crate) fn new(db: &'a Connection) -> Self {
        Self { db, kept: RefCell::default(), job: RefCell::default() }
    }

    /// The end of a node's event log.
    pub(crate) fn log_end(&self, node: NodeId) -> Answer<Head> {
        let moved = |ends: &RefCell<Ends>| ends.borrow().logs.get(&node).map(|(head, _)| *head);
        match moved(&self.job).or_else(|| moved(&self.kept)) {
            Some(head) => Ok(head),
            None => records::log_end(self.db, node),
        }
    }

    /// Moves the end of a node's event log.
    pub(crate) fn move_log(&self, node: NodeId, end: Head, author: Author) {
        self.job.borrow_mut().logs.insert(node, (end, author));
    }

    /// The end of the change log.
    pub(crate) fn changes_end(&self) -> Answer<i64> {
        match self.job.borrow().changes.or_else(|| self.kept.borrow().changes) {
            Some(end) => Ok(end),
            None => counter::last(self.db, STORE, CHANGES),
        }
    }

    /// Moves the end of the change log.
    pub(crate) fn move_changes(&self, end: i64) {
        self.job.borrow_mut().changes = Some(end);
    }

    /// Keeps the moves of the current job.
    pub(crate) fn keep_job(&self) {
        let job = self.job.take();
        let mut kept = self.kept.borrow_mut();
        kept.logs.extend(job.logs);
        kept.changes = job.changes.or(kept.changes);
    }

    /// Discards the moves of the current job.
    pub(crate) fn forget_job(&self) {
        self.job.take();
    }

    /// Stores what the jobs have moved, and returns the end of the change log.
    pub(crate) fn settle(self) -> Answer<i64> {
        let Ends { logs, changes } = self.kept.take();
        for (node, (head, author)) in logs {
            records::put_head(self.db, node, head, author)?;
        }
        match changes {
            Some(end) => counter::set(self.db, STORE, CHANGES, end).map(|()| end),
            None => counter::last(self.db, STORE, CHANGES),
        }
    }
}

impl Deref for Slate<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.db
    }
}

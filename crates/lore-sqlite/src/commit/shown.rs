//! Whether those who see a node can see that it changed.
//!
//! A change behind the game master's screen updates the change date only for the game master's
//! side. Everybody else keeps seeing the previous date, which is stored in `shown_change`. This
//! module derives what is visible from the changes of a batch to a node and to everything that
//! belongs to it, so use cases do not have to. Properties are the exception: for those the use case
//! says who sees the change ([`NodePatch::seen`]).

use std::collections::{BTreeMap, BTreeSet};

use lore_core::{Node, Stamp, Visibility};
use lore_store::NodePatch;
use rusqlite::params;

use super::Hand;
use crate::fault::Answer;
use crate::rows;

/// Whether everybody who sees a node sees a certain change of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Seen {
    /// Some of them do not see it.
    Hidden,
    /// All of them see it.
    Shown,
}

impl Seen {
    /// Compares the visibility of a node with that of an item that belongs to it.
    pub(super) fn of(node: Visibility, thing: Visibility) -> Self {
        match thing == Visibility::Members || thing == node {
            true => Self::Shown,
            false => Self::Hidden,
        }
    }

    /// The same for an edge, which is visible only with both end nodes.
    pub(super) fn of_edge(node: Visibility, other: Visibility, edge: Visibility) -> Self {
        Self::of(node, other).min(Self::of(node, edge))
    }
}

/// What a batch changes, for each node.
#[derive(Default)]
pub(super) struct News {
    nodes: BTreeMap<i64, Told>,
}

/// What a batch changes on one node.
#[derive(Default)]
struct Told {
    /// The node's last change before this batch, if the batch updates its change date.
    before: Option<Stamp>,
    /// The most visible change so far; `None` if there is none.
    most: Option<Seen>,
    /// The tags before this batch, if the batch sets them. They are compared with the final tags at
    /// the end.
    tags: Option<BTreeSet<(String, bool)>>,
}

impl Hand<'_> {
    /// Records that something of a node changes.
    pub(super) fn tell(&mut self, node: i64, seen: Seen) {
        let told = self.news.nodes.entry(node).or_default();
        told.most = told.most.max(Some(seen));
    }

    /// Records that a node is deleted or restored, which everybody who sees it can see.
    pub(super) fn tell_of_bin(&mut self, old: &Node) {
        self.moved(old);
        self.tell(old.id.0, Seen::Shown);
    }

    /// Records what a patch is about to change.
    pub(super) fn tell_of_patch(&mut self, old: &Node, patch: &NodePatch) -> Answer<()> {
        self.moved(old);
        if differs(old, patch) {
            self.tell(old.id.0, Seen::Shown);
        }
        if let Some(visibility) = patch.seen {
            self.tell(old.id.0, Seen::of(old.visibility, visibility));
        }
        if patch.tags.is_some() || patch.retag.is_some() {
            let before = self.tags_of(old.id.0)?;
            self.news.nodes.entry(old.id.0).or_default().tags.get_or_insert(before);
        }
        Ok(())
    }

    /// Whether something of a node changes in this batch.
    pub(super) fn is_told(&self, node: i64) -> bool {
        let told = self.news.nodes.get(&node);
        told.is_some_and(|told| told.most.is_some() || told.tags.is_some())
    }

    /// Whether the batch has already updated the node's change date.
    pub(super) fn has_moved(&self, node: i64) -> bool {
        self.news.nodes.get(&node).is_some_and(|told| told.before.is_some())
    }

    /// Stores for each changed node the last change that everybody who sees it has seen.
    pub(super) fn settle_news(&mut self) -> Answer<()> {
        let news = std::mem::take(&mut self.news);
        for (node, told) in news.nodes {
            let Some(before) = told.before else { continue };
            let tags = told.tags.map(|before| self.seen_of_tags(node, &before)).transpose()?;
            match told.most.max(tags.flatten()) {
                Some(Seen::Hidden) => self.keep_shown(node, before)?,
                Some(Seen::Shown) | None => self.forget_shown(node)?,
            }
        }
        Ok(())
    }

    fn moved(&mut self, old: &Node) {
        self.news.nodes.entry(old.id.0).or_default().before.get_or_insert(old.updated);
    }

    /// Whether everybody who sees a node sees the change of its tags; `None` if they did not
    /// change.
    fn seen_of_tags(&self, node: i64, before: &BTreeSet<(String, bool)>) -> Answer<Option<Seen>> {
        let after = self.tags_of(node)?;
        let is_seen = before.symmetric_difference(&after).any(|(_, veiled)| !veiled);
        Ok((*before != after).then_some(if is_seen { Seen::Shown } else { Seen::Hidden }))
    }

    /// Stores the last visible change. One that is stored already stays: there were only hidden
    /// changes since then.
    fn keep_shown(&self, node: i64, before: Stamp) -> Answer<()> {
        let sql = "INSERT INTO shown_change (node, at, by) VALUES (?1, ?2, ?3)
                   ON CONFLICT (node) DO NOTHING";
        let (at, by) = (rows::micros(before.at), before.by.0);
        self.db.prepare_cached(sql)?.execute(params![node, at, by])?;
        Ok(())
    }

    fn forget_shown(&self, node: i64) -> Answer<()> {
        self.db.prepare_cached("DELETE FROM shown_change WHERE node = ?1")?.execute([node])?;
        Ok(())
    }
}

/// Whether a patch changes any value except tags.
pub(super) fn says_other(old: &Node, patch: &NodePatch) -> bool {
    differs(old, patch) || is_other(&patch.properties, &old.properties)
}

/// Whether a patch changes something that everybody who sees the node sees, except tags. Properties
/// count only if the use case does not say who sees their change.
fn differs(old: &Node, patch: &NodePatch) -> bool {
    is_other(&patch.kind, &old.kind)
        || is_other(&patch.name, &old.name)
        || is_other(&patch.namespace, &old.namespace)
        || is_other(&patch.subtype, &old.subtype)
        || is_other(&patch.aliases, &old.aliases)
        || is_other(&patch.visibility, &old.visibility)
        || (patch.seen.is_none() && is_other(&patch.properties, &old.properties))
}

/// Whether a patch holds a value that differs from the old one.
pub(super) fn is_other<T: PartialEq>(patch: &Option<T>, old: &T) -> bool {
    patch.as_ref().is_some_and(|new| new != old)
}

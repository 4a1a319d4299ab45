//! Whether those who see a node can see that it changed.
//!
//! What a batch does behind the game master's screen moves the moment of change for the game
//! master's side alone; the others keep the one before, in `shown_change`. What they can see is
//! judged here by what the batch does to the node and to all that hangs on it, so that no use
//! case has to think of it; of properties alone it must tell ([`NodePatch::seen`]).

use std::collections::{BTreeMap, BTreeSet};

use lore_core::{Node, Stamp, Visibility};
use lore_store::NodePatch;
use rusqlite::params;

use super::Hand;
use crate::fault::Answer;
use crate::rows;

/// Whether everybody who sees a node sees something that is done to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Seen {
    /// Some of them do not.
    Hidden,
    /// They do.
    Shown,
}

impl Seen {
    /// Whether who sees a node sees a thing of it, going by who may see which.
    pub(super) fn of(node: Visibility, thing: Visibility) -> Self {
        match thing == Visibility::Members || thing == node {
            true => Self::Shown,
            false => Self::Hidden,
        }
    }

    /// The same for an edge to another node.
    pub(super) fn of_edge(node: Visibility, other: Visibility, edge: Visibility) -> Self {
        Self::of(node, other).min(Self::of(node, edge))
    }
}

/// What a batch does to nodes, for those who see them.
#[derive(Default)]
pub(super) struct News {
    nodes: BTreeMap<i64, Told>,
}

/// What a batch does to one node.
#[derive(Default)]
struct Told {
    /// Its last change before, if the batch moves that.
    before: Option<Stamp>,
    /// The most that is seen of what is done; nothing when nothing is.
    most: Option<Seen>,
    /// Its tags before, if the batch sets them. Who knows what it has then is seen when all is
    /// done.
    tags: Option<BTreeSet<(String, bool)>>,
}

impl Hand<'_> {
    /// Takes in that something of a node changes.
    pub(super) fn tell(&mut self, node: i64, seen: Seen) {
        let told = self.news.nodes.entry(node).or_default();
        told.most = told.most.max(Some(seen));
    }

    /// Takes in that a node goes into the bin or comes out of it, which everybody sees.
    pub(super) fn tell_of_bin(&mut self, old: &Node) {
        self.moved(old);
        self.tell(old.id.0, Seen::Shown);
    }

    /// Takes in what a patch is about to change.
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

    /// Whether something of a node changes.
    pub(super) fn is_told(&self, node: i64) -> bool {
        let told = self.news.nodes.get(&node);
        told.is_some_and(|told| told.most.is_some() || told.tags.is_some())
    }

    /// Whether the date of a node is moved already.
    pub(super) fn has_moved(&self, node: i64) -> bool {
        self.news.nodes.get(&node).is_some_and(|told| told.before.is_some())
    }

    /// Writes down for each changed node what those who see it saw of it last.
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

    /// Whether those who see a node see that its tags are others than before; nothing when they
    /// are the same.
    fn seen_of_tags(&self, node: i64, before: &BTreeSet<(String, bool)>) -> Answer<Option<Seen>> {
        let after = self.tags_of(node)?;
        let is_seen = before.symmetric_difference(&after).any(|(_, veiled)| !veiled);
        Ok((*before != after).then_some(if is_seen { Seen::Shown } else { Seen::Hidden }))
    }

    /// What was seen before an earlier change behind the screen is still what was seen last.
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

/// Whether a patch changes anything, apart from tags.
pub(super) fn says_other(old: &Node, patch: &NodePatch) -> bool {
    differs(old, patch) || is_other(&patch.properties, &old.properties)
}

/// Whether a patch changes what everybody who sees a node sees of it, apart from its tags. Of
/// properties the use case may know better.
fn differs(old: &Node, patch: &NodePatch) -> bool {
    is_other(&patch.kind, &old.kind)
        || is_other(&patch.name, &old.name)
        || is_other(&patch.namespace, &old.namespace)
        || is_other(&patch.subtype, &old.subtype)
        || is_other(&patch.aliases, &old.aliases)
        || is_other(&patch.visibility, &old.visibility)
        || (patch.seen.is_none() && is_other(&patch.properties, &old.properties))
}

/// Whether a patch holds another value.
pub(super) fn is_other<T: PartialEq>(patch: &Option<T>, old: &T) -> bool {
    patch.as_ref().is_some_and(|new| new != old)
}

//! The ids that clients see, and finding nodes by id, name or number.

use data_encoding::BASE32_NOPAD;
use lore_core::{Node, Uid, names};
use lore_store::{Bin, NameMatch, NodeKey, NodeQuery};

use super::call::MemoryCall;
use super::kinds::{EXPERIENCE, IDEA, PROJECT, kept_by};
use super::refusal::{Refusal, Reply};
use crate::access::may_change;
use crate::all_nodes::all_nodes;
use crate::id_forms::{self, read_number, read_uid};
use crate::play;

/// Returns the id of a node as clients see it: a prefix for its kind and its uid in base32.
pub fn shown(node: &Node) -> String {
    show(node.kind.as_str(), node.uid)
}

/// Returns the id of a node with what tells it from others of its name: its kind, and the number by
/// which other toolsets know it.
fn described(node: &Node) -> String {
    format!("{} ({}, entity {})", shown(node), node.kind.as_str(), node.number)
}

/// Returns the id of something of this kind with this uid.
pub fn show(kind: &str, uid: Uid) -> String {
    let prefix = match kind {
        EXPERIENCE => "exp_",
        PROJECT => "proj_",
        IDEA => "idea_",
        _ => "node_",
    };
    format!("{prefix}{}", BASE32_NOPAD.encode(uid.as_bytes()).to_ascii_lowercase())
}

impl MemoryCall {
    /// Finds the live node that `text` refers to: by id, by a name that only one node has, or by
    /// its number in the world (`7` or `#7`), unless that is the name of a node. The error for an
    /// entity that was merged into another says so.
    pub(super) async fn lookup(&self, what: &'static str, text: &str) -> Reply<Node> {
        let found = self.live(what, text).await;
        if let Err(Refusal::NotFound { .. }) = &found
            && let Some(error) = id_forms::merged_away(&self.app, &self.viewer, text).await?
        {
            return Err(Refusal::refused(error.to_string(), error.hint()));
        }
        found
    }

    /// Like [`Self::lookup`], for reading: an entity that was merged into another means that one.
    pub(super) async fn lookup_to_read(&self, what: &'static str, text: &str) -> Reply<Node> {
        let found = self.live(what, text).await;
        if let Err(Refusal::NotFound { .. }) = &found
            && let Some(into) = id_forms::merged_into(&self.app, &self.viewer, text).await?
        {
            return Ok(into);
        }
        found
    }

    async fn live(&self, what: &'static str, text: &str) -> Reply<Node> {
        if let Some(node) = id_forms::find(&self.app, &self.viewer, text).await? {
            return Ok(node);
        }
        let named = self.named(what, text).await;
        match (named, read_number(text)) {
            (Err(Refusal::NotFound { .. }), Some(number)) => {
                let node = self.app.store.node(&self.viewer, NodeKey::Number(number)).await?;
                node.ok_or_else(|| Refusal::not_found(what, text))
            }
            (named, _) => named,
        }
    }

    /// Finds the node in the bin that `text` refers to: by id, name or number. Of several with the
    /// same name, the one deleted last is meant, and of the two halves of a fact the lasting node.
    pub(super) async fn lookup_bin(&self, text: &str) -> Reply<Option<Node>> {
        if let Some(uid) = read_uid(text) {
            return self.in_bin(NodeKey::Uid(uid)).await;
        }
        // A plain number is a name first, if a node has that name.
        let number = read_number(text);
        let called = names::name_key(text);
        let name = Some(NameMatch::Exact(text.trim().to_owned()));
        let query = NodeQuery { name, bin: Bin::Deleted, ..NodeQuery::default() };
        let mut named = all_nodes(&self.app, &self.viewer, query).await?;
        // A node the caller may not restore is treated as if it were not there.
        named.retain(|node| self.may_restore(node));
        if number.is_some() {
            named.retain(|node| names::name_key(&node.name) == called);
        }
        // Of equals the first counts.
        let last = named.into_iter().rev().max_by_key(|node| {
            let is_named = names::name_key(&node.name) == called;
            (is_named, node.deleted_at, node.kind.as_str() != EXPERIENCE)
        });
        match (last, number) {
            (None, Some(number)) => self.in_bin(NodeKey::Number(number)).await,
            (last, _) => Ok(last),
        }
    }

    async fn in_bin(&self, key: NodeKey) -> Reply<Option<Node>> {
        let found = self.app.store.node_in_bin(&self.viewer, key).await?;
        Ok(found.filter(|node| self.may_restore(node)))
    }

    fn may_restore(&self, node: &Node) -> bool {
        may_change(&self.viewer, node.created.by, &node.name).is_ok()
    }

    /// Finds the live node of one kind that `text` refers to.
    pub(super) async fn lookup_kind(
        &self,
        what: &'static str,
        kind: &str,
        text: &str,
    ) -> Reply<Node> {
        let node = self.lookup(what, text).await?;
        if node.kind.as_str() == kind { Ok(node) } else { Err(Refusal::not_found(what, text)) }
    }

    /// Finds the only live node with this name.
    async fn named(&self, what: &'static str, text: &str) -> Reply<Node> {
        let name = Some(NameMatch::Exact(text.trim().to_owned()));
        let query = NodeQuery { name, limit: 5, ..NodeQuery::default() };
        let mut found = self.app.store.find_nodes(&self.viewer, query).await?.items;
        // Of the two halves of a fact, the lasting node is meant.
        let lasting: Vec<Uid> = found.iter().map(|node| node.uid).collect();
        // And a copy that a fork made stands for the original.
        let stands_for = |node: &Node| kept_by(node).or_else(|| play::original(node));
        found.retain(|node| stands_for(node).is_none_or(|uid| !lasting.contains(&uid)));
        match (found.pop(), found.is_empty()) {
            (Some(only), true) => Ok(only),
            (Some(last), false) => {
                found.push(last);
                let ids: Vec<_> = found.iter().map(described).collect();
                let message = format!("{what} is ambiguous: {}", text.trim());
                Err(Refusal::refused(message, format!("give one of these ids: {}", ids.join(", "))))
            }
            (None, _) => Err(Refusal::not_found(what, text)),
        }
    }
}

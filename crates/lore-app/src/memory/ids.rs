//! The ids clients see, and every form in which they may name a thing.

use data_encoding::BASE32_NOPAD;
use lore_core::{Node, Uid};
use lore_store::{Bin, NameMatch, NodeKey, NodeQuery};

use super::keeper::Keeper;
use super::kinds::{EXPERIENCE, IDEA, PROJECT, kept_by};
use super::refusal::{Refusal, Reply};

/// The id of a node as clients see it: its sort and its uid in base32.
pub fn shown(node: &Node) -> String {
    show(node.kind.as_str(), node.uid)
}

/// The id of a thing of this kind.
pub fn show(kind: &str, uid: Uid) -> String {
    let prefix = match kind {
        EXPERIENCE => "exp_",
        PROJECT => "proj_",
        IDEA => "idea_",
        _ => "node_",
    };
    format!("{prefix}{}", BASE32_NOPAD.encode(uid.as_bytes()).to_ascii_lowercase())
}

/// Reads an id with any prefix, without one, or as the UUID other doors show.
pub(super) fn read_uid(text: &str) -> Option<Uid> {
    let text = text.trim();
    let body = text.rsplit_once('_').map_or(text, |(_, body)| body);
    let decoded = BASE32_NOPAD.decode(body.to_ascii_uppercase().as_bytes()).ok();
    decoded.and_then(|bytes| Uid::from_bytes(&bytes)).or_else(|| text.parse().ok())
}

impl Keeper {
    /// The live node that `text` names: by id, by a name that only one node has, or by its
    /// number in the world, which `#` tells from a name.
    pub(super) async fn lookup(&self, what: &'static str, text: &str) -> Reply<Node> {
        let store = &self.app.store;
        if let Some(uid) = read_uid(text)
            && let Some(node) = store.node(&self.viewer, NodeKey::Uid(uid)).await?
        {
            return Ok(node);
        }
        let named = self.named(what, text).await;
        let number = text.trim().trim_start_matches('#').parse().ok().map(NodeKey::Number);
        match (named, number) {
            (Err(Refusal::NotFound { .. }), Some(number)) => {
                let node = store.node(&self.viewer, number).await?;
                node.ok_or_else(|| Refusal::not_found(what, text))
            }
            (named, _) => named,
        }
    }

    /// The node in the bin that `text` names: by id, or of those of this name the one that was
    /// removed last, and of the two halves of a fact the one that stays.
    pub(super) async fn lookup_bin(&self, text: &str) -> Reply<Option<Node>> {
        let uid = read_uid(text);
        let name = match uid {
            Some(_) => None,
            None => Some(NameMatch::Exact(text.trim().to_owned())),
        };
        let mut query = NodeQuery { name, bin: Bin::Deleted, ..NodeQuery::default() };
        let mut last: Option<Node> = None;
        loop {
            let page = self.app.store.find_nodes(&self.viewer, query.clone()).await?;
            for node in page.items {
                if uid == Some(node.uid) {
                    return Ok(Some(node));
                }
                let place = |node: &Node| (node.deleted_at, node.kind.as_str() != EXPERIENCE);
                if uid.is_none() && last.as_ref().is_none_or(|last| place(&node) > place(last)) {
                    last = Some(node);
                }
            }
            query.after = page.next;
            if query.after.is_none() {
                break;
            }
        }
        Ok(last)
    }

    /// The live node of one kind that `text` names.
    pub(super) async fn lookup_kind(
        &self,
        what: &'static str,
        kind: &str,
        text: &str,
    ) -> Reply<Node> {
        let node = self.lookup(what, text).await?;
        if node.kind.as_str() == kind { Ok(node) } else { Err(Refusal::not_found(what, text)) }
    }

    /// The one live node of this name.
    async fn named(&self, what: &'static str, text: &str) -> Reply<Node> {
        let name = Some(NameMatch::Exact(text.trim().to_owned()));
        let query = NodeQuery { name, limit: 5, ..NodeQuery::default() };
        let mut found = self.app.store.find_nodes(&self.viewer, query).await?.items;
        // Of the two halves of a fact the one that lasts is meant.
        let lasting: Vec<Uid> = found.iter().map(|node| node.uid).collect();
        found.retain(|node| kept_by(node).is_none_or(|uid| !lasting.contains(&uid)));
        match (found.pop(), found.is_empty()) {
            (Some(only), true) => Ok(only),
            (Some(last), false) => {
                found.push(last);
                let ids: Vec<_> = found.iter().map(shown).collect();
                let message = format!("{what} is ambiguous: {}", text.trim());
                Err(Refusal::refused(message, format!("give one of these ids: {}", ids.join(", "))))
            }
            (None, _) => Err(Refusal::not_found(what, text)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lore_core::Timestamp;
    use lore_core::effects::FixedEntropy;

    #[test]
    fn an_id_is_read_in_every_form_it_is_shown_in() {
        let uid = Uid::new(Timestamp::UNIX_EPOCH, &FixedEntropy::new(3));
        let body = show("concept", uid).trim_start_matches("node_").to_owned();
        assert_eq!(body.len(), 26);
        let forms = [
            show("experience", uid),
            show("project", uid),
            format!("character_{body}"),
            body.to_uppercase(),
            body,
            uid.to_string(),
        ];
        for form in forms {
            assert_eq!(read_uid(&format!(" {form} ")), Some(uid), "{form}");
        }
        assert_eq!(read_uid("node_nope"), None);
        assert_eq!(read_uid(""), None);
    }
}

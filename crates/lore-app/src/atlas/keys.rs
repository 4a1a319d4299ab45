//! From the ids that clients send to nodes, and which nodes a kind of object is made of.

use lore_anvil::{IdForm, Kind};
use lore_core::names::Word;
use lore_core::{Error, Node, Result, Uid};
use lore_store::NodeKey;

use super::article;
use super::source::Atlas;
use crate::doors;
use crate::id_forms::{self, read_uid};
use crate::knowledge;
use crate::play::{CAMPAIGN, CHARACTER, word};

/// Node kind of a note in a notebook. Notes by themselves are pages.
const NOTEBOOK_NOTE: &str = "notebook_note";
/// Node kind of what happened, apart from journals.
const HISTORY: &str = "history";
/// Node kind of a secret that belongs to no article.
pub(super) const SECRET: &str = "secret";
/// Node kind of what is told of a world beside its name.
pub(super) const WORLD: &str = "world";

/// The kinds of nodes that show as a kind of object; new ones get the first.
pub(super) fn node_kinds(kind: Kind) -> Vec<&'static str> {
    match kind {
        Kind::Article => article::NODE_KINDS.to_vec(),
        Kind::History => vec![HISTORY, article::JOURNAL],
        Kind::Campaign => vec![CAMPAIGN],
        Kind::Npc => vec![CHARACTER],
        Kind::Note => vec![NOTEBOOK_NOTE],
        Kind::User => Vec::new(),
        other => vec![other.row().path],
    }
}

/// The same, as the store takes them.
pub(super) fn node_words(kind: Kind) -> Result<Vec<Word>> {
    node_kinds(kind).into_iter().map(word).collect()
}

/// The kinds of nodes that a search for articles passes over: those that show as another
/// kind of object, and those that are nothing to look for. Whatever else came in by another
/// door is an article, to be read.
pub(super) fn never_articles() -> impl Iterator<Item = &'static str> {
    let tables = [Kind::Article, Kind::Campaign, Kind::Npc];
    let others = Kind::ALL.iter().copied().filter(move |kind| !tables.contains(kind));
    let others = others.flat_map(node_kinds).filter(|kind| !article::NODE_KINDS.contains(kind));
    doors::INNER.into_iter().chain(others)
}

/// The kind of node that a new object becomes; that of an article depends on its template.
pub(super) fn node_word(kind: Kind, template: Option<&str>) -> Result<Word> {
    match (kind, node_kinds(kind).into_iter().next()) {
        (Kind::Article, _) => word(article::node_kind(template.unwrap_or("article"))),
        (_, Some(first)) => word(first),
        (_, None) => Err(Error::Bug { what: format!("a new {} without a kind", kind.row().one) }),
    }
}

/// The id of a node as this kind of object shows it.
pub(super) fn shown_id(kind: Kind, node: &Node) -> serde_json::Value {
    match kind.row().id {
        IdForm::Number => node.kind_number.into(),
        IdForm::Uuid => node.uid.to_string().into(),
    }
}

impl Atlas {
    /// The node behind an id, and the caller in the world it was found in.
    pub(super) async fn locate(&self, kind: Kind, id: &str) -> Result<(Self, Node)> {
        self.locate_where(kind, id, is_of_kind).await
    }

    /// The same, to be read: what came in by another door is an article, too.
    pub(super) async fn locate_shown(&self, kind: Kind, id: &str) -> Result<(Self, Node)> {
        self.locate_where(kind, id, is_shown_as).await
    }

    /// The same, to be changed: what came in by another door is refused by name.
    pub(super) async fn locate_own(&self, kind: Kind, id: &str) -> Result<(Self, Node)> {
        let (place, node) = self.locate_shown(kind, id).await?;
        match is_of_kind(kind, &node) {
            true => Ok((place, node)),
            false => Err(doors::kept_elsewhere(&node)),
        }
    }

    async fn locate_where(
        &self,
        kind: Kind,
        id: &str,
        fits: fn(Kind, &Node) -> bool,
    ) -> Result<(Self, Node)> {
        let key = match id.trim().starts_with(knowledge::ORN) {
            true => {
                let found = id_forms::find(self.app(), self.viewer(), id).await?;
                NodeKey::Uid(found.ok_or_else(|| unknown(kind, id))?.uid)
            }
            false => key(kind, id)?,
        };
        // Only a UUID means the same thing in every world.
        let places = match &key {
            NodeKey::Uid(_) => self.everywhere().await?,
            _ => vec![self.clone()],
        };
        for place in places {
            let found = place.app().store.node(place.viewer(), key.clone()).await?;
            if let Some(node) = found.filter(|node| fits(kind, node)) {
                return Ok((place, node));
            }
        }
        Err(unknown(kind, id))
    }
}

/// Whether a node shows as this kind of object.
pub(super) fn is_of_kind(kind: Kind, node: &Node) -> bool {
    node_kinds(kind).contains(&node.kind.as_str())
}

/// Whether a node can be read as this kind of object.
fn is_shown_as(kind: Kind, node: &Node) -> bool {
    let shown = || never_articles().all(|never| never != node.kind.as_str());
    is_of_kind(kind, node) || (kind == Kind::Article && shown())
}

fn key(kind: Kind, id: &str) -> Result<NodeKey> {
    let id = id.trim();
    if id.is_empty() {
        let row = kind.row();
        return Err(Error::invalid(
            row.id_argument,
            "is empty",
            format!("give the id of a {}", row.one),
        ));
    }
    if let Ok(uid) = id.parse::<Uid>() {
        return Ok(NodeKey::Uid(uid));
    }
    if let Ok(number) = id.parse::<i64>() {
        return Ok(match kind.row().id {
            IdForm::Number => NodeKey::KindNumber(word(kind.row().path)?, number),
            IdForm::Uuid => NodeKey::Number(number),
        });
    }
    read_uid(id).map(NodeKey::Uid).ok_or_else(|| unknown(kind, id))
}

/// The error for an id that leads nowhere, or nowhere the caller may look.
pub(super) fn unknown(kind: Kind, id: &str) -> Error {
    let row = kind.row();
    let hint = match row.list_tool {
        Some(tool) => format!("{tool} lists the ids there are"),
        None => "check the id".to_owned(),
    };
    Error::not_found(format!("{} {}", row.one, id.chars().take(100).collect::<String>()), hint)
}

//! Reading secrets: texts that only the game master's side may read.

use lore_anvil::{Kind, Object, PAGE_MAX};
use lore_core::{Node, NodeId, Result, Text, Uid, Visibility};
use lore_store::TextQuery;
use serde_json::{Value, json};

use super::head;
use crate::atlas::ids::uid_of_words;
use crate::atlas::source::{Atlas, ListQuery, Rows};
use crate::atlas::{keys, mentions};
use crate::pages::POST;
use crate::play::word;

/// Text kind of a secret that was written as one.
pub(in crate::atlas) const SECRET: &str = "secret";
/// Text kind of notes about a character.
pub(in crate::atlas) const NOTES: &str = "notes";

/// The kinds of texts that count as secrets when they are hidden.
const KINDS: [&str; 3] = [SECRET, POST, NOTES];

impl Atlas {
    /// Reads one secret.
    pub(in crate::atlas) async fn secret(&self, id: &str, granularity: i8) -> Result<Object> {
        let (place, text, node) = self.secret_text(id).await?;
        place.secret_object(text, &node, granularity).await
    }

    /// The text of a secret and its node, with the atlas of the world it was found in.
    pub(in crate::atlas) async fn secret_text(&self, id: &str) -> Result<(Self, Text, Node)> {
        let unknown = || keys::unknown(Kind::Secret, id);
        let uid = id.trim().parse::<Uid>().map_err(|_| unknown())?;
        for place in self.everywhere().await? {
            let store = &place.app().store;
            let found = store.text_by_uid(place.viewer(), uid).await?;
            let Some(text) = found.filter(is_secret) else { continue };
            let nodes = store.nodes(place.viewer(), &[text.node]).await?;
            if let Some(node) = nodes.into_iter().next() {
                return Ok((place, text, node));
            }
        }
        Err(unknown())
    }

    /// Lists the secrets of this world.
    pub(super) async fn secrets(&self, query: &ListQuery) -> Result<Rows> {
        let query = TextQuery {
            kinds: KINDS.into_iter().map(word).collect::<Result<_>>()?,
            hidden: true,
            offset: query.offset,
            limit: query.limit.clamp(1, PAGE_MAX),
        };
        let page = self.app().store.find_texts(self.viewer(), query).await?;
        let ids: Vec<NodeId> = page.items.iter().map(|text| text.node).collect();
        let nodes = self.app().store.nodes(self.viewer(), &ids).await?;
        let rows = page.items.iter().filter_map(|text| {
            let node = nodes.iter().find(|node| node.id == text.node)?;
            Some(reference(text, node))
        });
        let total = usize::try_from(page.total).unwrap_or(usize::MAX);
        Ok(Rows { rows: rows.collect(), total })
    }

    async fn secret_object(&self, text: Text, node: &Node, granularity: i8) -> Result<Object> {
        let mut secret = reference(&text, node);
        if granularity >= 0 {
            let mut texts = [text];
            mentions::shown(self, &mut texts).await?;
            let [text] = texts;
            secret.insert("content".into(), json!(text.body));
            secret.insert("creationDate".into(), head::moment(text.created.at));
        }
        if granularity >= 2 {
            let article = article_of(node).map(|node| head::reference(Kind::Article, node));
            secret.insert("article".into(), article.map_or(Value::Null, Value::Object));
            secret.insert("world".into(), Value::Object(self.world_reference().await?));
        }
        Ok(secret)
    }
}

/// The uid of the node that holds a secret without an article. It is derived from the secret's uid,
/// so that both can be found again in the bin.
pub(in crate::atlas) fn holder_of(secret: Uid) -> Uid {
    uid_of_words(&format!("holder of {secret}"))
}

/// Whether a text is a secret.
pub(super) fn is_secret(text: &Text) -> bool {
    text.visibility != Visibility::Members && KINDS.contains(&text.kind.as_str())
}

/// The reference to a secret.
pub(super) fn reference(text: &Text, node: &Node) -> Object {
    let title = match text.title.trim() {
        "" => format!("About {}", node.name),
        title => title.to_owned(),
    };
    let mut head = head::bare(Kind::Secret, &json!(text.uid.to_string()), &title);
    head.insert("state".into(), json!(head::state(text.visibility)));
    head.insert("updateDate".into(), head::moment(text.updated.at));
    let article = article_of(node).map(|node| node.uid.to_string());
    head.insert("articleId".into(), json!(article));
    head
}

/// The article that a secret belongs to, if any.
fn article_of(node: &Node) -> Option<&Node> {
    keys::is_of_kind(Kind::Article, node).then_some(node)
}

//! Reading pages.

use std::collections::HashMap;

use lore_core::{Error, Node, NodeId, Result, Text, Visibility};
use lore_store::NodeKey;
use serde_json::Value;

use super::kinds::{ENTRY, PARENT_ID, POST, PageKind};
use super::scribe::Scribe;

/// A page as its reader sees it.
#[derive(Debug, Clone)]
pub struct Page {
    /// The node.
    pub node: Node,
    /// Its kind.
    pub kind: PageKind,
    /// Its own text.
    pub entry: Option<Text>,
    /// What is attached to it, in order; empty unless asked for.
    pub posts: Vec<Text>,
}

impl Page {
    /// Whether not every member sees it.
    pub fn is_private(&self) -> bool {
        self.node.visibility != Visibility::Members
    }

    /// The number of the page it is part of.
    pub fn parent(&self) -> Option<i64> {
        self.node.properties.get(PARENT_ID).and_then(Value::as_i64)
    }
}

/// How much of a page to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Detail {
    /// No texts.
    Head,
    /// Its own text.
    #[default]
    Entry,
    /// What is attached to it, too.
    Posts,
}

/// A page by its number.
pub async fn get(scribe: &Scribe, number: i64, detail: Detail) -> Result<Page> {
    let node = node(scribe, number).await?;
    let pages = with_texts(scribe, vec![node], detail).await?;
    pages.into_iter().next().ok_or_else(|| unknown(number))
}

/// Pages by their numbers; those that are absent or hidden are left out.
pub async fn get_all(
    scribe: &Scribe,
    numbers: &[i64],
    detail: Detail,
) -> Result<HashMap<i64, Page>> {
    let nodes = scribe.app.store.nodes_by_number(&scribe.viewer, numbers).await?;
    let pages = with_texts(scribe, nodes, detail).await?;
    Ok(pages.into_iter().map(|page| (page.node.number, page)).collect())
}

/// A page by its number within its kind.
pub async fn get_of_kind(
    scribe: &Scribe,
    kind: PageKind,
    number: i64,
    detail: Detail,
) -> Result<Page> {
    let key = NodeKey::KindNumber(kind.word()?, number);
    let found = scribe.app.store.node(&scribe.viewer, key).await?;
    let pages = with_texts(scribe, found.into_iter().collect(), detail).await?;
    pages.into_iter().next().ok_or_else(|| {
        let what = format!("{} {number}", kind.as_str());
        Error::not_found(what, "list them for the ids there are")
    })
}

/// The node of a page.
pub(super) async fn node(scribe: &Scribe, number: i64) -> Result<Node> {
    let found = scribe.app.store.node(&scribe.viewer, NodeKey::Number(number)).await?;
    found.filter(|node| scribe.kind_of(node).is_some()).ok_or_else(|| unknown(number))
}

/// Nodes with their texts, in the given order; what is no page is left out.
pub(super) async fn with_texts(
    scribe: &Scribe,
    nodes: Vec<Node>,
    detail: Detail,
) -> Result<Vec<Page>> {
    let ids: Vec<NodeId> = nodes.iter().map(|node| node.id).collect();
    let mut by_node: HashMap<NodeId, Vec<Text>> = HashMap::new();
    if detail != Detail::Head {
        for text in scribe.app.store.texts_of_nodes(&scribe.viewer, &ids).await? {
            by_node.entry(text.node).or_default().push(text);
        }
    }
    let pages = nodes.into_iter().filter_map(|node| {
        let kind = scribe.kind_of(&node)?;
        let texts = by_node.remove(&node.id).unwrap_or_default();
        let (entries, mut posts): (Vec<Text>, Vec<Text>) =
            texts.into_iter().partition(|text| text.kind.as_str() == ENTRY);
        posts.retain(|text| text.kind.as_str() == POST && detail == Detail::Posts);
        Some(Page { node, kind, entry: entries.into_iter().next(), posts })
    });
    Ok(pages.collect())
}

/// The error for a number that leads nowhere.
pub fn unknown(number: i64) -> Error {
    Error::not_found(format!("entity {number}"), "find_entities lists the entity_ids there are")
}

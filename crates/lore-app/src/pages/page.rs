//! Reading pages.

use lore_core::{Error, Node, NodeId, Result, Text, Visibility};
use lore_store::NodeKey;

use super::kinds::{ENTRY, POST, PageKind};
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
}

/// Whether to read what is attached to a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PagePosts {
    /// Yes.
    Read,
    /// No.
    #[default]
    Skip,
}

/// A page by its number.
pub async fn get(scribe: &Scribe, number: i64, posts: PagePosts) -> Result<Page> {
    let node = node(scribe, number).await?;
    let pages = with_texts(scribe, vec![node], posts).await?;
    pages.into_iter().next().ok_or_else(|| unknown(number))
}

/// A page by its number within its kind.
pub async fn get_of_kind(
    scribe: &Scribe,
    kind: PageKind,
    number: i64,
    posts: PagePosts,
) -> Result<Page> {
    let key = NodeKey::KindNumber(kind.word()?, number);
    let found = scribe.app.store.node(&scribe.viewer, key).await?;
    let pages = with_texts(scribe, found.into_iter().collect(), posts).await?;
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
    posts: PagePosts,
) -> Result<Vec<Page>> {
    let ids: Vec<NodeId> = nodes.iter().map(|node| node.id).collect();
    let mut texts = scribe.app.store.texts_of_nodes(&scribe.viewer, &ids).await?;
    texts.sort_by_key(|text| (text.node, text.position, text.id));
    let pages = nodes.into_iter().filter_map(|node| {
        let kind = scribe.kind_of(&node)?;
        let own = || texts.iter().filter(|text| text.node == node.id);
        let entry = own().find(|text| text.kind.as_str() == ENTRY).cloned();
        let attached = own().filter(|text| text.kind.as_str() == POST && posts == PagePosts::Read);
        let posts = attached.cloned().collect();
        Some(Page { node, kind, entry, posts })
    });
    Ok(pages.collect())
}

fn unknown(number: i64) -> Error {
    Error::not_found(format!("entity {number}"), "find_entities lists the entity_ids there are")
}

//! Reading pages.

use std::borrow::Cow;
use std::collections::HashMap;

use lore_core::{Error, Node, NodeId, Result, Text, Viewer, Visibility};
use lore_store::NodeKey;
use serde_json::Value;

use super::kinds::{ENTRY, PARENT_ID, POST, PageKind};
use super::live;
use super::scribe::Scribe;
use crate::damage::sound_texts;
use crate::{App, doors, id_forms};

/// A page as its reader sees it.
#[derive(Debug, Clone)]
pub struct Page {
    /// The node.
    pub node: Node,
    /// Its kind.
    pub kind: PageKind,
    /// Its main text.
    pub entry: Option<Text>,
    /// Its posts, in order; empty unless asked for.
    pub posts: Vec<Text>,
}

impl Page {
    /// Whether it is hidden from some members.
    pub fn is_private(&self) -> bool {
        self.node.visibility != Visibility::Members
    }

    /// Where it is changed, if it belongs to another door (toolset).
    pub fn origin(&self) -> Option<Origin<'_>> {
        let kind = self.node.kind.as_str();
        let is_page = PageKind::of(&self.node.kind).is_some();
        (!is_page).then(|| Origin { kind, tool: doors::changed_by(&self.node) })
    }

    /// The number of its parent page.
    pub fn parent(&self) -> Option<i64> {
        self.node.properties.get(PARENT_ID).and_then(Value::as_i64)
    }
}

/// Where a node is changed that is only shown as a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin<'a> {
    /// Its kind there.
    pub kind: &'a str,
    /// The tool that changes it, or the KOI-net node that it came from.
    pub tool: Cow<'static, str>,
}

/// How much of a page to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Detail {
    /// No texts.
    Head,
    /// The main text.
    #[default]
    Entry,
    /// The main text and the posts.
    Posts,
}

/// Reads a page that is to be changed. Nodes of other doors are refused.
pub async fn get(scribe: &Scribe, number: i64, detail: Detail) -> Result<Page> {
    let node = node(scribe, number).await?;
    let page = with_its_texts(scribe, node, detail).await?;
    page.ok_or_else(|| unknown(number))
}

/// Reads what is shown under some numbers, including nodes of other doors. Absent and hidden
/// numbers are left out; damaged ones get an error.
pub async fn get_all(
    scribe: &Scribe,
    numbers: &[i64],
    detail: Detail,
) -> Result<HashMap<i64, Result<Page>>> {
    let store = &scribe.app.store;
    let mut nodes = store.nodes_by_number(&scribe.viewer, numbers).await?;
    if let Some(campaign) = scribe.live().filter(|_| nodes.len() < numbers.len()) {
        live::bring(&campaign, scribe, numbers).await?;
        nodes = store.nodes_by_number(&scribe.viewer, numbers).await?;
    }
    let pages = with_texts(scribe, nodes, detail).await?;
    let mut found: HashMap<i64, Result<Page>> =
        pages.into_iter().map(|page| (page.node.number, Ok(page))).collect();
    for number in numbers {
        if !found.contains_key(number)
            && let Err(damage) = whole(scribe, *number).await
        {
            found.insert(*number, Err(damage));
        }
    }
    Ok(found)
}

/// Fails if the node with this number exists and is damaged.
async fn whole(scribe: &Scribe, number: i64) -> Result<()> {
    let store = &scribe.app.store;
    if let Some(node) = store.node(&scribe.viewer, NodeKey::Number(number)).await? {
        store.texts_of_nodes(&scribe.viewer, &[node.id]).await?;
    }
    Ok(())
}

/// The number of the node that an id of any door denotes.
pub async fn number_of(app: &App, viewer: &Viewer, id: &str) -> Result<Option<i64>> {
    Ok(id_forms::find_any(app, viewer, id).await?.map(|node| node.number))
}

/// Reads a page by its number within its kind.
pub async fn get_of_kind(
    scribe: &Scribe,
    kind: PageKind,
    number: i64,
    detail: Detail,
) -> Result<Page> {
    let key = NodeKey::KindNumber(kind.word()?, number);
    let page = match scribe.app.store.node(&scribe.viewer, key).await? {
        Some(node) => with_its_texts(scribe, node, detail).await?,
        None => None,
    };
    page.ok_or_else(|| {
        let what = format!("{} {number}", kind.as_str());
        Error::not_found(what, "list them for the ids there are")
    })
}

/// The node of a page. Nodes of other doors are refused.
pub(super) async fn node(scribe: &Scribe, number: i64) -> Result<Node> {
    let found = scribe.app.store.node(&scribe.viewer, NodeKey::Number(number)).await?;
    match found {
        Some(node) if scribe.kind_of(&node).is_some() => Ok(node),
        Some(node) if scribe.shown_as(&node).is_some() => Err(doors::kept_elsewhere(&node)),
        _ => Err(nowhere(scribe, number).await?),
    }
}

/// Nodes with their texts, in the given order. Damaged nodes, and those that are not shown as
/// pages, are left out.
pub(super) async fn with_texts(
    scribe: &Scribe,
    nodes: Vec<Node>,
    detail: Detail,
) -> Result<Vec<Page>> {
    let ids: Vec<NodeId> = nodes.iter().map(|node| node.id).collect();
    let ids = if detail == Detail::Head { Vec::new() } else { ids };
    let sound = sound_texts(scribe.app.store.as_ref(), &scribe.viewer, &ids).await?;
    let mut by_node: HashMap<NodeId, Vec<Text>> = HashMap::new();
    for text in sound.texts {
        by_node.entry(text.node).or_default().push(text);
    }
    let nodes = nodes.into_iter().filter(|node| !sound.damaged.contains(&node.id));
    let pages = nodes.filter_map(|node| {
        let texts = by_node.remove(&node.id).unwrap_or_default();
        made_of(scribe, node, texts, detail)
    });
    Ok(pages.collect())
}

/// One node with its texts, if it is shown as a page. Fails if a text is damaged.
pub(super) async fn with_its_texts(
    scribe: &Scribe,
    node: Node,
    detail: Detail,
) -> Result<Option<Page>> {
    let texts = match detail {
        Detail::Head => Vec::new(),
        _ => scribe.app.store.texts_of_nodes(&scribe.viewer, &[node.id]).await?,
    };
    Ok(made_of(scribe, node, texts, detail))
}

fn made_of(scribe: &Scribe, node: Node, texts: Vec<Text>, detail: Detail) -> Option<Page> {
    let kind = scribe.shown_as(&node)?;
    if scribe.kind_of(&node).is_none() {
        return Some(Page { node, kind, entry: doors::told(texts), posts: Vec::new() });
    }
    let (entries, mut posts): (Vec<Text>, Vec<Text>) =
        texts.into_iter().partition(|text| text.kind.as_str() == ENTRY);
    posts.retain(|text| text.kind.as_str() == POST && detail == Detail::Posts);
    Some(Page { node, kind, entry: entries.into_iter().next(), posts })
}

/// The error for a number that was not found. It says so if a campaign is still being copied,
/// because the entity may exist on Kanka.
pub async fn absent(scribe: &Scribe, number: i64) -> Result<Error> {
    let Some(campaign) = scribe.live() else { return nowhere(scribe, number).await };
    if campaign.standing(&scribe.app).await?.as_of.is_some() {
        return nowhere(scribe, number).await;
    }
    let hint = "`lorewell sync kanka` goes on copying and tells how far it is";
    Ok(Error::not_found(format!("entity {number} in what is copied from Kanka so far"), hint))
}

/// The error for a number that nothing has. It says so if the entity that had it was merged into
/// one that the viewer sees.
async fn nowhere(scribe: &Scribe, number: i64) -> Result<Error> {
    let merged = id_forms::merged_away(&scribe.app, &scribe.viewer, &number.to_string()).await?;
    Ok(merged.unwrap_or_else(|| unknown(number)))
}

/// The error for a number that does not exist.
pub fn unknown(number: i64) -> Error {
    Error::not_found(format!("entity {number}"), "find_entities lists the entity_ids there are")
}

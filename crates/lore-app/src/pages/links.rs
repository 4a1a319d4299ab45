//! What joins a page to the rest of the world: its tags and what it mentions.

use std::collections::BTreeMap;

use lore_core::names::name_key;
use lore_core::{Node, NodeId, Properties, Result, Text, Viewer, Visibility};
use lore_markup::mention::{self, Target};
use lore_store::{
    Batch, Bin, Change, Direction, EdgeRef, Expect, NameMatch, NewEdge, NewNode, NodeKey,
    NodePatch, NodeQuery, NodeRef, Require, Store,
};

use super::kinds::{ENTRY, MENTIONS, PARENT, TAG, TAGGED};
use super::scribe::Scribe;
use crate::play::{MANY, word};

/// The tags a page shall have.
pub(crate) struct Tags<'a> {
    /// The page.
    pub(crate) page: NodeRef,
    /// Who will see it.
    pub(crate) visibility: Visibility,
    /// The tags it has.
    pub(crate) before: &'a [String],
    /// The tags it shall have.
    pub(crate) after: &'a [String],
}

/// A text that may mention something.
pub(crate) struct Source<'a> {
    /// What it says.
    pub(crate) body: &'a str,
    /// Who reads it.
    pub(crate) visibility: Visibility,
}

impl<'a> From<&'a Text> for Source<'a> {
    fn from(text: &'a Text) -> Self {
        Self { body: &text.body, visibility: text.visibility }
    }
}

/// The property of a tag that somebody hid: then it stays so, whatever has it.
pub(super) const KEPT_HIDDEN: &str = "kept_hidden";

/// Notes among the fields of a tag whether somebody hid it, or showed it.
pub(super) fn keep_hidden(fields: &mut Properties, private: bool) {
    match private {
        true => fields.insert(KEPT_HIDDEN.into(), true.into()),
        false => fields.shift_remove(KEPT_HIDDEN),
    };
}

/// The tags of a page that the caller cannot see.
pub(super) async fn hidden_tags(scribe: &Scribe, page: &Node) -> Result<Vec<String>> {
    let whole = scribe.app.store.node(&scribe.all_seeing(), NodeKey::Id(page.id)).await?;
    let tags = whole.map(|whole| whole.tags).unwrap_or_default();
    Ok(tags.into_iter().filter(|tag| !page.tags.contains(tag)).collect())
}

/// Joins a page to its tags; a tag that is used for the first time is made. A tag is
/// hidden as long as only hidden pages have it, or because somebody hid it.
pub(crate) async fn set_tags(scribe: &Scribe, batch: Batch, tags: Tags<'_>) -> Result<Batch> {
    let mut batch = batch;
    for name in tags.after {
        let (found, plan) = match find_tag(scribe, name).await? {
            Some(tag) => (NodeRef::Id(tag.id), revealed(batch, &tag, tags.visibility)),
            None => {
                let uid = scribe.app.effects.uid();
                let mut node = NewNode::new(uid, word(TAG)?, name.clone());
                node.visibility = tags.visibility;
                let free = Require::NameFree { kind: word(TAG)?, name: name.clone() };
                (NodeRef::Uid(uid), batch.require(free).change(Change::CreateNode(node)))
            }
        };
        batch = plan.change(Change::PutEdge(edge(tags.page, found, TAGGED, Visibility::Members)?));
    }
    let kept: Vec<String> = tags.after.iter().map(|name| name_key(name)).collect();
    for name in tags.before.iter().filter(|name| !kept.contains(&name_key(name))) {
        if let Some(tag) = find_tag(scribe, name).await? {
            batch = untagged(scribe, batch, tags.page, &tag).await?;
        }
    }
    Ok(batch)
}

fn revealed(batch: Batch, tag: &Node, visibility: Visibility) -> Batch {
    let is_kept = tag.properties.contains_key(KEPT_HIDDEN);
    if is_kept || visibility != Visibility::Members || tag.visibility == Visibility::Members {
        return batch;
    }
    let patch = NodePatch { visibility: Some(Visibility::Members), ..NodePatch::default() };
    batch.change(Change::UpdateNode(NodeRef::Id(tag.id), Expect::Version(tag.version), patch))
}

async fn untagged(scribe: &Scribe, batch: Batch, page: NodeRef, tag: &Node) -> Result<Batch> {
    let NodeRef::Id(id) = page else { return Ok(batch) };
    let kinds = [word(TAGGED)?];
    let viewer = scribe.all_seeing();
    let edges = scribe.app.store.neighbours(&viewer, &[id], Direction::Out, &kinds, MANY).await?;
    let gone = edges.into_iter().filter(|edge| edge.target == tag.id);
    let batch = gone.fold(batch, |batch, edge| {
        batch.change(Change::DeleteEdge(EdgeRef::Id(edge.id), Expect::Any))
    });
    Ok(batch)
}

/// The node of a tag, hidden or not: a name is one tag.
pub(super) async fn find_tag(scribe: &Scribe, name: &str) -> Result<Option<Node>> {
    let query = NodeQuery {
        kinds: vec![word(TAG)?],
        name: Some(NameMatch::Exact(name.to_owned())),
        bin: Bin::Live,
        limit: 1,
        ..NodeQuery::default()
    };
    let page = scribe.app.store.find_nodes(&scribe.all_seeing(), query).await?;
    Ok(page.items.into_iter().next())
}

/// Gives every page that has a tag its new name, or takes the tag away.
pub(super) async fn retag(
    scribe: &Scribe,
    batch: Batch,
    tag: &Node,
    name: Option<&str>,
) -> Result<Batch> {
    let kinds = [word(TAGGED)?];
    let viewer = scribe.all_seeing();
    let store = &scribe.app.store;
    let edges = store.neighbours(&viewer, &[tag.id], Direction::In, &kinds, MANY).await?;
    let ids: Vec<NodeId> = edges.iter().map(|edge| edge.source).collect();
    let old = name_key(&tag.name);
    let mut batch = batch;
    for node in store.nodes(&viewer, &ids).await? {
        let kept = node.tags.iter().filter(|known| name_key(known) != old).cloned();
        let tags = kept.chain(name.map(str::to_owned)).collect();
        let patch = NodePatch { tags: Some(tags), ..NodePatch::default() };
        let expect = Expect::Version(node.version);
        batch = batch.change(Change::UpdateNode(NodeRef::Id(node.id), expect, patch));
    }
    Ok(batch)
}

/// Joins a page to what its texts mention, and parts it from what they no longer do.
/// A link is shown to whoever may read a text that makes it.
pub(crate) async fn set_mentions(
    scribe: &Scribe,
    batch: Batch,
    page: NodeRef,
    known: Option<NodeId>,
    sources: &[Source<'_>],
) -> Result<Batch> {
    let (store, eyes) = (scribe.app.store.as_ref(), scribe.all_seeing());
    let wanted = mentioned(store, &eyes, known, sources).await?;
    mentions_joined(store, &eyes, batch, page, known, wanted).await
}

/// Joins a node to what it mentions and parts it from the rest, as far as the viewer sees.
pub(crate) async fn mentions_joined(
    store: &dyn Store,
    viewer: &Viewer,
    batch: Batch,
    node: NodeRef,
    known: Option<NodeId>,
    wanted: BTreeMap<NodeId, Visibility>,
) -> Result<Batch> {
    joined(store, viewer, batch, (node, known), MENTIONS, wanted).await
}

/// Joins a page to the page it is part of, and parts it from any other.
pub(super) async fn set_parent(
    scribe: &Scribe,
    batch: Batch,
    page: NodeRef,
    known: Option<NodeId>,
    parent: Option<i64>,
) -> Result<Batch> {
    let numbers: Vec<i64> = parent.into_iter().collect();
    let found = scribe.app.store.nodes_by_number(&scribe.all_seeing(), &numbers).await?;
    let wanted = found.into_iter().map(|node| node.id).filter(|id| Some(*id) != known);
    let wanted = wanted.map(|id| (id, Visibility::Members)).collect();
    let (store, eyes) = (scribe.app.store.as_ref(), scribe.all_seeing());
    joined(store, &eyes, batch, (page, known), PARENT, wanted).await
}

/// Makes the edges of a kind from a page those that are wanted. What is as it shall be
/// is left alone.
async fn joined(
    store: &dyn Store,
    viewer: &Viewer,
    batch: Batch,
    (page, known): (NodeRef, Option<NodeId>),
    kind: &'static str,
    mut wanted: BTreeMap<NodeId, Visibility>,
) -> Result<Batch> {
    let mut batch = batch;
    if let Some(id) = known {
        let kinds = [word(kind)?];
        let edges = store.neighbours(viewer, &[id], Direction::Out, &kinds, MANY).await?;
        for edge in edges {
            match wanted.get(&edge.target) {
                None => {
                    batch = batch.change(Change::DeleteEdge(EdgeRef::Id(edge.id), Expect::Any));
                }
                Some(visibility) if *visibility == edge.visibility => {
                    wanted.remove(&edge.target);
                }
                Some(_) => {}
            }
        }
    }
    for (target, visibility) in wanted {
        let target = NodeRef::Id(target);
        batch = batch.change(Change::PutEdge(edge(page, target, kind, visibility)?));
    }
    Ok(batch)
}

/// What the texts mention, apart from the page itself, with who may know.
pub(crate) async fn mentioned(
    store: &dyn Store,
    viewer: &Viewer,
    page: Option<NodeId>,
    sources: &[Source<'_>],
) -> Result<BTreeMap<NodeId, Visibility>> {
    let mut numbers: BTreeMap<i64, Visibility> = BTreeMap::new();
    for source in sources {
        for found in mention::find(source.body) {
            let Target::Entity(number) = found.target else { continue };
            let seen = numbers.entry(number).or_insert(source.visibility);
            if source.visibility == Visibility::Members {
                *seen = Visibility::Members;
            }
        }
    }
    if numbers.is_empty() {
        return Ok(BTreeMap::new());
    }
    let asked: Vec<i64> = numbers.keys().copied().collect();
    let found = store.nodes_by_number(viewer, &asked).await?;
    let others = found.into_iter().filter(|node| Some(node.id) != page);
    Ok(others.filter_map(|node| Some((node.id, *numbers.get(&node.number)?))).collect())
}

/// Every text of a page but its own, whoever may read it: posts, and what other doors wrote.
pub(super) async fn other_texts(scribe: &Scribe, node: &Node) -> Result<Vec<Text>> {
    let viewer = scribe.all_seeing();
    let mut texts = scribe.app.store.texts_of(&viewer, node.id, Bin::Live).await?;
    texts.retain(|text| text.kind.as_str() != ENTRY);
    Ok(texts)
}

fn edge(
    source: NodeRef,
    target: NodeRef,
    kind: &'static str,
    visibility: Visibility,
) -> Result<NewEdge> {
    let properties = Properties::new();
    Ok(NewEdge { source, target, kind: word(kind)?, weight: 1.0, visibility, properties })
}

//! The tags of pages, and tags as pages.
//!
//! A name, however it is spelt, is one tag to everybody who sees it. A tag that only the game
//! master's side sees does not exist for others: if they use its name, they create an open tag of
//! their own. The store keeps track of which page has which of the two
//! (`lore-sqlite/src/commit/labels.rs`).

use lore_core::names::{name_key, plainly_spaced};
use lore_core::{Error, Node, NodeId, Properties, Result, Role, Viewer, Visibility};
use lore_store::{
    Batch, Change, Direction, EdgeRef, Expect, NameMatch, NewEdge, NewNode, NodePatch, NodeQuery,
    NodeRef, Require, Retag, TagSide,
};

use super::kinds::{TAG, TAGGED};
use super::scribe::Scribe;
use crate::play::{MANY, word};

/// A change of a page's tags.
pub(crate) struct Tags<'a> {
    /// The page.
    pub(crate) page: NodeRef,
    /// Who will see the page.
    pub(crate) visibility: Visibility,
    /// Its current tags, as far as the caller sees them.
    pub(crate) before: &'a [String],
    /// Its tags after the change.
    pub(crate) after: &'a [String],
}

/// The property of a tag that somebody hid on purpose. Such a tag stays hidden even on open pages.
pub(super) const KEPT_HIDDEN: &str = "kept_hidden";

/// Records among the properties of a tag whether it is hidden on purpose.
pub(super) fn keep_hidden(fields: &mut Properties, private: bool) {
    match private {
        true => fields.insert(KEPT_HIDDEN.into(), true.into()),
        false => fields.shift_remove(KEPT_HIDDEN),
    };
}

/// The change that hides a tag on purpose, creating it if necessary; `None` if it is already so.
pub(crate) async fn hide_tag(scribe: &Scribe, name: &str) -> Result<Option<Change>> {
    let mut found = namesakes(scribe, name).await?;
    if found.iter().any(|tag| tag.properties.contains_key(KEPT_HIDDEN)) {
        return Ok(None);
    }
    found.sort_by_key(|tag| tag.visibility != Visibility::Members);
    let before = found.first();
    let mut properties = before.map(|tag| tag.properties.clone()).unwrap_or_default();
    keep_hidden(&mut properties, true);
    let visibility = Visibility::Gm;
    Ok(Some(match before {
        Some(tag) => {
            let (visibility, properties) = (Some(visibility), Some(properties));
            let patch = NodePatch { visibility, properties, ..NodePatch::default() };
            Change::UpdateNode(NodeRef::Id(tag.id), Expect::Version(tag.version), patch)
        }
        None => {
            let page = NewNode::new(scribe.app.effects.uid(), word(TAG)?, name);
            Change::CreateNode(NewNode { visibility, properties, ..page })
        }
    }))
}

/// Joins a page to its tags, creating those that do not exist. A tag is hidden while only hidden
/// pages have it, or if somebody hid it on purpose.
pub(crate) async fn set_tags(scribe: &Scribe, batch: Batch, tags: Tags<'_>) -> Result<Batch> {
    let joined = joined(scribe, tags.page).await?;
    let mut batch = batch;
    for name in tags.after {
        let own = joined.iter().map(|(_, tag)| tag).find(|tag| is_named(tag, name)).cloned();
        let found = match own {
            Some(tag) => Some(tag),
            None => find_tag(scribe, name).await?,
        };
        batch = match found {
            Some(tag) => tagged(scribe, batch, &tags, &tag).await?,
            None => made(scribe, batch, &tags, name).await?,
        };
    }
    let kept: Vec<String> = tags.after.iter().map(|name| name_key(name)).collect();
    let gone = tags.before.iter().filter(|name| !kept.contains(&name_key(name)));
    for name in gone {
        for (edge, _) in joined.iter().filter(|(_, tag)| is_named(tag, name)) {
            batch = batch.change(Change::DeleteEdge(edge.clone(), Expect::Any));
        }
    }
    Ok(batch)
}

/// The tag that the caller means by a name: preferably one hidden on purpose, so that nothing is
/// revealed by mistake, otherwise an open one. Tags they do not see are not considered.
pub(super) async fn find_tag(scribe: &Scribe, name: &str) -> Result<Option<Node>> {
    let mut found = namesakes(scribe, name).await?;
    found.sort_by_key(|tag| match tag.visibility {
        Visibility::Gm if tag.properties.contains_key(KEPT_HIDDEN) => 0,
        Visibility::Members => 1,
        _ => 2,
    });
    Ok(found.into_iter().next())
}

/// Fails if a change would give a tag the name of another that the caller sees, or the same
/// visibility as another of its name.
pub(super) async fn check_alone(
    scribe: &Scribe,
    tag: &Node,
    name: Option<&str>,
    visibility: Visibility,
) -> Result<()> {
    let renamed = name.filter(|name| name_key(name) != name_key(&tag.name));
    let others = namesakes(scribe, name.unwrap_or(&tag.name)).await?;
    let mut others = others.into_iter().filter(|other| other.id != tag.id);
    let moved = visibility != tag.visibility;
    let is_beside = |other: &Node| moved && other.visibility == visibility;
    let Some(other) = others.find(|other| renamed.is_some() || is_beside(other)) else {
        return Ok(());
    };
    let hint = "use that one, or give one of them another name";
    let field = if renamed.is_some() { "name" } else { "is_private" };
    Err(Error::invalid(field, format!("would make a second tag {:?}", other.name), hint))
}

/// Renames a tag on every page that has it, or removes it from them.
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
    let side = match tag.visibility {
        Visibility::Gm => TagSide::Veiled,
        Visibility::Members | Visibility::Private(_) => TagSide::Open,
    };
    let retag = Retag { side, from: tag.name.clone(), to: name.map(str::to_owned) };
    let mut batch = batch;
    for node in store.nodes(&viewer, &ids).await? {
        let patch = NodePatch { retag: Some(retag.clone()), ..NodePatch::default() };
        let expect = Expect::Version(node.version);
        batch = batch.change(Change::UpdateNode(NodeRef::Id(node.id), expect, patch));
    }
    Ok(batch)
}

/// Joins a page to an existing tag. An open page makes its tags visible, except those hidden on
/// purpose.
async fn tagged(scribe: &Scribe, batch: Batch, tags: &Tags<'_>, tag: &Node) -> Result<Batch> {
    let id = NodeRef::Id(tag.id);
    let is_open = tag.visibility == Visibility::Members;
    let is_kept = tag.properties.contains_key(KEPT_HIDDEN);
    if is_open || is_kept || tags.visibility != Visibility::Members {
        return Ok(batch.change(Change::PutEdge(edge(tags.page, id)?)));
    }
    let patch = NodePatch { visibility: Some(Visibility::Members), ..NodePatch::default() };
    let shown = batch.change(Change::UpdateNode(id, Expect::Version(tag.version), patch));
    let others = namesakes(scribe, &tag.name).await?;
    match others.into_iter().find(|other| other.visibility == Visibility::Members) {
        Some(open) => {
            let joined = shown.change(Change::PutEdge(edge(tags.page, NodeRef::Id(open.id))?));
            absorbed(scribe, joined, tag, &open).await
        }
        None => Ok(shown.change(Change::PutEdge(edge(tags.page, id)?))),
    }
}

/// Replaces a tag that becomes visible by the open tag of the same name.
async fn absorbed(scribe: &Scribe, batch: Batch, tag: &Node, open: &Node) -> Result<Batch> {
    let kinds = [word(TAGGED)?];
    let (viewer, store) = (scribe.all_seeing(), &scribe.app.store);
    let mut batch = batch;
    for old in store.neighbours(&viewer, &[tag.id], Direction::In, &kinds, MANY).await? {
        let fresh = edge(NodeRef::Id(old.source), NodeRef::Id(open.id))?;
        batch = batch.change(Change::PutEdge(fresh));
        batch = batch.change(Change::DeleteEdge(EdgeRef::Id(old.id), Expect::Any));
    }
    Ok(batch.change(Change::DeleteNode(NodeRef::Id(tag.id), Expect::Any)))
}

/// Joins a page to a new tag. If open nodes of other doors already have the tag, a hidden page gets
/// no edge: a hidden tag page would hide the tag from those who see these nodes, and an open one
/// would reveal that something hidden has it.
async fn made(scribe: &Scribe, batch: Batch, tags: &Tags<'_>, name: &str) -> Result<Batch> {
    if tags.visibility != Visibility::Members && is_in_the_open(scribe, name).await? {
        return Ok(batch);
    }
    let uid = scribe.app.effects.uid();
    let mut node = NewNode::new(uid, word(TAG)?, name);
    node.visibility = tags.visibility;
    let free = Require::NameFree { kind: word(TAG)?, name: name.to_owned() };
    let batch = batch.require(free).change(Change::CreateNode(node));
    Ok(batch.change(Change::PutEdge(edge(tags.page, NodeRef::Uid(uid))?)))
}

async fn is_in_the_open(scribe: &Scribe, name: &str) -> Result<bool> {
    let viewer = Viewer { role: scribe.viewer.role.min(Role::Player), ..scribe.viewer };
    let query = NodeQuery { tags: vec![name.to_owned()], limit: MANY, ..NodeQuery::default() };
    let found = scribe.app.store.find_nodes(&viewer, query).await?;
    Ok(found.items.iter().any(|node| node.visibility == Visibility::Members))
}

/// The tags of a name that the caller sees.
async fn namesakes(scribe: &Scribe, name: &str) -> Result<Vec<Node>> {
    let query = NodeQuery {
        kinds: vec![word(TAG)?],
        name: Some(NameMatch::Exact(name.to_owned())),
        limit: MANY,
        ..NodeQuery::default()
    };
    let mut found = scribe.app.store.find_nodes(&scribe.viewer, query).await?.items;
    found.retain(|tag| is_named(tag, name));
    Ok(found)
}

/// The tags of a page that the caller sees, with their edges.
async fn joined(scribe: &Scribe, page: NodeRef) -> Result<Vec<(EdgeRef, Node)>> {
    let NodeRef::Id(id) = page else { return Ok(Vec::new()) };
    let kinds = [word(TAGGED)?];
    let (viewer, store) = (&scribe.viewer, &scribe.app.store);
    let edges = store.neighbours(viewer, &[id], Direction::Out, &kinds, MANY).await?;
    let ids: Vec<NodeId> = edges.iter().map(|edge| edge.target).collect();
    let tags = store.nodes(viewer, &ids).await?;
    let joined = edges.into_iter().filter_map(|edge| {
        let tag = tags.iter().find(|tag| tag.id == edge.target)?;
        Some((EdgeRef::Id(edge.id), tag.clone()))
    });
    Ok(joined.collect())
}

fn is_named(tag: &Node, name: &str) -> bool {
    // Names stored by earlier versions may contain other kinds of spaces.
    let key = |name: &str| name_key(&plainly_spaced(name));
    key(&tag.name) == key(name)
}

fn edge(page: NodeRef, tag: NodeRef) -> Result<NewEdge> {
    let (kind, visibility) = (word(TAGGED)?, Visibility::Members);
    let properties = Properties::new();
    Ok(NewEdge { source: page, target: tag, kind, weight: 1.0, visibility, properties })
}

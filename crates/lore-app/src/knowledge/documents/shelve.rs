//! Storing ("shelving") documents from outside: cut into searchable chunks and linked to the
//! entities they mention.

use std::collections::BTreeMap;

use futures::FutureExt;
use lore_core::names::{NAME_MAX, Word};
use lore_core::{
    Edge, Error, Node, NodeId, Properties, Provenance, Result, Text, Timestamp, Uid, Viewer,
    Visibility,
};
use lore_reader::Chunk;
use lore_store::{
    Batch, Bin, Change, Direction, EdgeRef, Expect, NameMatch, NewEdge, NewNode, NewText, NodeKey,
    NodePatch, NodeQuery, NodeRef, StoreError, TextPatch, TextRef,
};
use serde_json::json;

use crate::App;
use crate::knowledge::documents;
use crate::knowledge::entities::uri;
use crate::knowledge::librarian::Librarian;
use crate::knowledge::merge::mentioned::Mentioned;
use crate::knowledge::merge::named;
use crate::knowledge::relations::{EDGES_MAX, MENTIONS, by_notes};
use crate::knowledge::vault::stored_notes;
use crate::play::word;

/// Text kind of a chunk of a document.
const CHUNK: &str = "chunk";
/// Most chunks of a document; the rest is cut off.
const CHUNKS_MAX: usize = 1_000;

/// The property that holds a hash of what a document was made from.
pub(in crate::knowledge) const DIGEST: &str = "digest";

/// A document to store.
#[derive(Debug, Clone)]
pub(in crate::knowledge) struct NewDocument {
    /// Its RID: the name it has outside, such as `vault:People/Ada.md`.
    pub(in crate::knowledge) rid: String,
    /// Node kind.
    pub(in crate::knowledge) kind: &'static str,
    /// The kind of source it comes from, which is also its namespace.
    pub(in crate::knowledge) source: String,
    /// Its title.
    pub(in crate::knowledge) title: String,
    /// The web address it was read from.
    pub(in crate::knowledge) url: Option<String>,
    /// The author, as stated by the document.
    pub(in crate::knowledge) author: Option<String>,
    /// When it was written, as stated by the document.
    pub(in crate::knowledge) written: Option<Timestamp>,
    /// The content as Markdown.
    pub(in crate::knowledge) body: String,
    /// Hash of everything it was made from; if it is equal, nothing changed.
    pub(in crate::knowledge) digest: String,
    /// Further properties. They replace those that were stored with it before.
    pub(in crate::knowledge) further: Properties,
    /// Entities it mentions besides those whose names are found in its text.
    pub(in crate::knowledge) mentions: Vec<Mention>,
    /// Entities that are meant wherever the text uses a name they share with others.
    pub(in crate::knowledge) meant: Vec<NodeId>,
}

/// An entity that a document mentions. The string is the URI of the entity that is meant if it was
/// merged into that node, otherwise empty.
#[derive(Debug, Clone)]
pub(in crate::knowledge) enum Mention {
    /// Somebody says that the document is about it.
    Told(NodeId, String),
    /// The document itself names it.
    Named(NodeId, String),
}

impl Mention {
    /// Returns the node it leads to.
    pub(in crate::knowledge) fn node(&self) -> NodeId {
        match self {
            Self::Told(node, _) | Self::Named(node, _) => *node,
        }
    }

    fn parts(&self) -> (NodeId, Mentioned) {
        let mut mentioned = Mentioned::default();
        let (node, of, list) = match self {
            Self::Told(node, of) => (*node, of, &mut mentioned.told),
            Self::Named(node, of) => (*node, of, &mut mentioned.named),
        };
        list.insert(of.clone());
        (node, mentioned)
    }
}

/// Stores a document or updates the stored one, and returns its node.
pub(in crate::knowledge) async fn shelve(librarian: &Librarian, new: &NewDocument) -> Result<Node> {
    if shelved(librarian, &new.rid).await?.is_none() {
        make(librarian, new).await?;
    }
    let missing = || Error::Unavailable { what: "the document".into() };
    let node = shelved(librarian, &new.rid).await?.ok_or_else(missing)?;
    let plan = || async { Ok((update(librarian, new, node.id).await?, ())) }.boxed();
    librarian.carry_out(plan).await?;
    shelved(librarian, &new.rid).await?.ok_or_else(missing)
}

/// Creates a document, or restores it from the bin.
async fn make(librarian: &Librarian, new: &NewDocument) -> Result<()> {
    let uid = uri::derived_uid(&librarian.viewer, &new.rid)
        .ok_or_else(|| Error::Bug { what: "the id of a document".into() })?;
    let store = &librarian.app.store;
    let made = create(librarian, new, uid, Vec::new())?;
    match store.commit(&librarian.viewer, made).await {
        Err(StoreError::Exists(_)) if restore(librarian, uid, &new.rid).await? => Ok(()),
        // The uid belongs to a document that was here first and was moved since.
        Err(StoreError::Exists(_)) => {
            let uid = librarian.app.effects.uid();
            let made = create(librarian, new, uid, vec![new.rid.clone()])?;
            Ok(store.commit(&librarian.viewer, made).await.map(drop)?)
        }
        other => Ok(other.map(drop)?),
    }
}

/// Restores a document from the bin if it has this RID. Returns whether it is live now.
async fn restore(librarian: &Librarian, uid: Uid, rid: &str) -> Result<bool> {
    let (store, viewer) = (&librarian.app.store, &librarian.viewer);
    let find = || store.node(viewer, NodeKey::Uid(uid));
    if let Some(live) = find().await? {
        return Ok(uri::of_document(&live) == rid);
    }
    let back = librarian.batch().change(Change::RestoreNode(NodeRef::Uid(uid)));
    match store.commit(viewer, back).await {
        // Somebody else restored it first, or there is nothing to restore.
        Ok(_) | Err(StoreError::NotFound(_) | StoreError::Conflict(_)) => {}
        Err(other) => return Err(other.into()),
    }
    let Some(node) = find().await? else { return Ok(false) };
    if uri::of_document(&node) == rid {
        return Ok(true);
    }
    let gone = Change::DeleteNode(NodeRef::Uid(uid), Expect::Any);
    store.commit(viewer, librarian.batch().change(gone)).await?;
    Ok(false)
}

/// Changes the RID of a document, which stays the same node. Returns whether the document existed
/// and the new RID was free.
pub(in crate::knowledge) async fn rename(
    librarian: &Librarian,
    from: &str,
    to: &str,
) -> Result<bool> {
    if shelved(librarian, to).await?.is_some() {
        return Ok(false);
    }
    let Some(node) = shelved(librarian, from).await? else { return Ok(false) };
    let mut properties = node.properties.clone();
    properties.insert(uri::RID.into(), json!(to));
    let mut aliases = node.aliases.clone();
    aliases.retain(|alias| alias != from);
    aliases.push(to.to_owned());
    let patch =
        NodePatch { properties: Some(properties), aliases: Some(aliases), ..NodePatch::default() };
    let expect = Expect::Version(node.version);
    let change = Change::UpdateNode(NodeRef::Id(node.id), expect, patch);
    librarian.app.store.commit(&librarian.viewer, librarian.batch().change(change)).await?;
    Ok(true)
}

/// Deletes the document with this RID, if there is one.
pub(in crate::knowledge) async fn unshelve(librarian: &Librarian, rid: &str) -> Result<()> {
    let Some(node) = shelved(librarian, rid).await? else { return Ok(()) };
    let gone = Change::DeleteNode(NodeRef::Id(node.id), Expect::Any);
    librarian.app.store.commit(&librarian.viewer, librarian.batch().change(gone)).await?;
    Ok(())
}

/// Returns the document with this RID, as far as the caller sees it.
pub(in crate::knowledge) async fn shelved(
    librarian: &Librarian,
    rid: &str,
) -> Result<Option<Node>> {
    document(&librarian.app, &librarian.viewer, rid).await
}

/// Returns the document with this RID, as far as the viewer sees it. A document's uid is derived
/// from its first RID; one that was moved is found by its current RID, stored as an alias.
pub(crate) async fn document(app: &App, viewer: &Viewer, rid: &str) -> Result<Option<Node>> {
    let store = &app.store;
    let has_name = |node: &Node| uri::of_document(node) == rid;
    if let Some(uid) = uri::derived_uid(viewer, rid)
        && let Some(node) = store.node(viewer, NodeKey::Uid(uid)).await?.filter(has_name)
    {
        return Ok(Some(node));
    }
    let name = Some(NameMatch::Exact(rid.to_owned()));
    let moved = store.find_nodes(viewer, NodeQuery { name, ..NodeQuery::default() }).await?;
    Ok(moved.items.into_iter().find(has_name))
}

/// Turns a title into a valid name: a single line, not too long. Uses `otherwise` if it is empty.
pub(in crate::knowledge) fn title(text: &str, otherwise: &str) -> String {
    let line = |text: &str| -> String {
        let blank = |c: char| c.is_whitespace() || c.is_control();
        let words: Vec<&str> = text.split(blank).filter(|word| !word.is_empty()).collect();
        lore_core::names::cleaned(&words.join(" ")).chars().take(NAME_MAX).collect()
    };
    Some(line(text)).filter(|title| !title.is_empty()).unwrap_or_else(|| line(otherwise))
}

fn create(
    librarian: &Librarian,
    new: &NewDocument,
    uid: Uid,
    aliases: Vec<String>,
) -> Result<Batch> {
    let draft = NewNode {
        aliases,
        namespace: new.source.clone(),
        visibility: librarian.visibility(),
        properties: properties(new, Properties::new()),
        ..NewNode::new(uid, Word::new("kind", new.kind)?, title(&new.title, &new.rid))
    };
    let mut batch = librarian.batch().change(Change::CreateNode(draft));
    for (place, chunk) in chunks(new).into_iter().enumerate() {
        batch = batch.change(Change::CreateText(text(
            librarian,
            new,
            Place { node: NodeRef::Uid(uid), position: place, visibility: librarian.visibility() },
            chunk,
        )?));
    }
    Ok(batch)
}

fn properties(new: &NewDocument, mut known: Properties) -> Properties {
    known.insert(uri::RID.into(), json!(new.rid));
    known.insert(DIGEST.into(), json!(new.digest));
    if let Some(url) = &new.url {
        known.insert(documents::URL.into(), json!(url));
    }
    known.retain(|name, _| !stored_notes::FURTHER.contains(&name.as_str()));
    known.extend(new.further.clone());
    known
}

fn chunks(new: &NewDocument) -> Vec<Chunk> {
    let mut chunks = lore_reader::chunks(&new.body);
    chunks.truncate(CHUNKS_MAX);
    // A document without content can be found by its title.
    if chunks.is_empty() {
        let text = title(&new.title, &new.rid);
        chunks.push(Chunk { headings: Vec::new(), start: 0, text });
    }
    chunks
}

/// Where a chunk of a document goes, with the visibility of the document.
struct Place {
    node: NodeRef,
    position: usize,
    visibility: Visibility,
}

fn text(librarian: &Librarian, new: &NewDocument, place: Place, chunk: Chunk) -> Result<NewText> {
    let uid = librarian.app.effects.uid();
    Ok(NewText {
        title: chunk.headings.join(" › "),
        position: i64::try_from(place.position).unwrap_or(i64::MAX),
        provenance: provenance(new),
        visibility: place.visibility,
        ..NewText::new(uid, place.node, word(CHUNK)?, chunk.text)
    })
}

fn provenance(new: &NewDocument) -> Provenance {
    Provenance {
        source: Some(new.url.clone().unwrap_or_else(|| new.rid.clone())),
        session: Some(new.rid.clone()),
        author: new.author.clone(),
        occurred_at: new.written,
    }
}

/// Brings a stored document in line with its new content. Unchanged parts are not written.
async fn update(librarian: &Librarian, new: &NewDocument, id: NodeId) -> Result<Batch> {
    let store = &librarian.app.store;
    let found = store.node(&librarian.viewer, NodeKey::Id(id)).await?;
    let node = found.ok_or_else(|| Error::Unavailable { what: "the document".into() })?;
    let mut batch = librarian.batch();
    let name = title(&new.title, &new.rid);
    let wanted = properties(new, node.properties.clone());
    if node.name != name || node.properties != wanted {
        let patch =
            NodePatch { name: Some(name), properties: Some(wanted), ..NodePatch::default() };
        let expect = Expect::Version(node.version);
        batch = batch.change(Change::UpdateNode(NodeRef::Id(id), expect, patch));
    }
    let mut old = store.texts_of(&librarian.viewer, id, Bin::Live).await?;
    old.retain(|text| text.kind.as_str() == CHUNK);
    let mut old = old.into_iter();
    for (place, chunk) in chunks(new).into_iter().enumerate() {
        let change = match old.next() {
            Some(text) => changed_text(new, &text, chunk),
            None => {
                let (node, visibility) = (NodeRef::Id(id), node.visibility);
                let place = Place { node, position: place, visibility };
                Some(Change::CreateText(text(librarian, new, place, chunk)?))
            }
        };
        batch.changes.extend(change);
    }
    batch.changes.extend(old.map(|text| Change::DeleteText(TextRef::Id(text.id), Expect::Any)));
    batch.changes.extend(mentions(librarian, new, id).await?);
    Ok(batch)
}

fn changed_text(new: &NewDocument, old: &Text, chunk: Chunk) -> Option<Change> {
    let (title, provenance) = (chunk.headings.join(" › "), provenance(new));
    let same = old.body == chunk.text && old.title == title && old.provenance == provenance;
    (!same).then(|| {
        let patch = TextPatch {
            title: Some(title),
            body: Some(chunk.text),
            provenance: Some(provenance),
            ..TextPatch::default()
        };
        Change::UpdateText(TextRef::Id(old.id), Expect::Version(old.version), patch)
    })
}

/// Creates, updates and deletes the edges from a document to the entities it mentions.
async fn mentions(librarian: &Librarian, new: &NewDocument, id: NodeId) -> Result<Vec<Change>> {
    let mut wanted = grouped(&new.mentions);
    let meant: Vec<NodeId> = wanted.keys().chain(&new.meant).copied().collect();
    let spotted = librarian.catalogue().await?.spot_beside(&new.body, &meant);
    for (node, _) in spotted {
        let named = named::in_text(librarian, node, &new.body).await?;
        let named = named.into_iter().map(|of| Mention::Named(node, of));
        for (node, mentioned) in grouped(&named.collect::<Vec<_>>()) {
            let known = wanted.remove(&node).unwrap_or_default();
            wanted.insert(node, known.and(mentioned));
        }
    }
    wanted.remove(&id);
    let known = mentioned(librarian, id).await?;
    let gone = known.iter().filter(|edge| !wanted.contains_key(&edge.target));
    let mut changes: Vec<Change> =
        gone.map(|edge| Change::DeleteEdge(EdgeRef::Id(edge.id), Expect::Any)).collect();
    for (target, mentioned) in wanted {
        match known.iter().find(|edge| edge.target == target) {
            Some(edge) => changes.extend(retold(edge, &mentioned)),
            None => changes.push(mention(librarian, id, target, &mentioned)?),
        }
    }
    Ok(changes)
}

/// Groups mentions by the entities they lead to.
fn grouped(mentions: &[Mention]) -> BTreeMap<NodeId, Mentioned> {
    let mut grouped: BTreeMap<NodeId, Mentioned> = BTreeMap::new();
    for (node, mentioned) in mentions.iter().map(Mention::parts) {
        let known = grouped.remove(&node).unwrap_or_default();
        grouped.insert(node, known.and(mentioned));
    }
    grouped
}

/// Adds mentions to a stored document, besides those it has.
pub(in crate::knowledge) async fn join(
    librarian: &Librarian,
    rid: &str,
    to: &[Mention],
) -> Result<()> {
    let plan = || {
        async move {
            let mut batch = librarian.batch();
            let Some(document) = shelved(librarian, rid).await? else { return Ok((batch, ())) };
            let mut wanted = grouped(to);
            wanted.remove(&document.id);
            let known = mentioned(librarian, document.id).await?;
            for (target, more) in wanted {
                batch.changes.extend(match known.iter().find(|edge| edge.target == target) {
                    Some(edge) => retold(edge, &Mentioned::of(edge).and(more)),
                    None => Some(mention(librarian, document.id, target, &more)?),
                });
            }
            Ok((batch, ()))
        }
        .boxed()
    };
    librarian.carry_out(plan).await
}

/// Returns the edges from a document to the entities it mentions.
async fn mentioned(librarian: &Librarian, document: NodeId) -> Result<Vec<Edge>> {
    let (store, kinds) = (&librarian.app.store, [word(MENTIONS)?]);
    let viewer = &librarian.viewer;
    Ok(store.neighbours(viewer, &[document], Direction::Out, &kinds, EDGES_MAX).await?)
}

/// Returns the entities that somebody said a document is about.
pub(in crate::knowledge) async fn told_mentions(
    librarian: &Librarian,
    rid: &str,
) -> Result<Vec<Mention>> {
    let Some(node) = shelved(librarian, rid).await? else { return Ok(Vec::new()) };
    let edges = mentioned(librarian, node.id).await?;
    let told = edges.iter().flat_map(|edge| {
        let told = Mentioned::of(edge).told.into_iter();
        told.map(|of| Mention::Told(edge.target, of))
    });
    Ok(told.collect())
}

/// Returns the change that makes a mention be about these entities, unless it already is.
fn retold(edge: &Edge, mentioned: &Mentioned) -> Option<Change> {
    let properties = mentioned.kept(&edge.properties);
    (properties != edge.properties).then(|| by_notes::with(edge, properties))
}

/// Returns the change that adds a mention of these entities to a document.
pub(super) fn mention(
    librarian: &Librarian,
    document: NodeId,
    of: NodeId,
    mentioned: &Mentioned,
) -> Result<Change> {
    Ok(Change::PutEdge(NewEdge {
        source: NodeRef::Id(document),
        target: NodeRef::Id(of),
        kind: word(MENTIONS)?,
        weight: 1.0,
        visibility: librarian.visibility(),
        properties: mentioned.kept(&Properties::new()),
    }))
}

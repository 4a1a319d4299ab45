//! The edges of a page to what its texts mention and to its parent.

use std::collections::BTreeMap;

use lore_core::{Node, NodeId, Properties, Result, Text, Viewer, Visibility};
use lore_markup::mention::{self, Target};
use lore_store::{
    Batch, Bin, Change, Direction, EdgePatch, EdgeRef, Expect, NewEdge, NodeRef, Store,
};

use super::kinds::{ENTRY, MENTIONS, PARENT, PARENT_ID};
use super::scribe::Scribe;
use crate::play::{MANY, word};
use crate::{App, knowledge};

/// A text that may contain mentions.
pub(crate) struct Source<'a> {
    /// The text.
    pub(crate) body: &'a str,
    /// Who may read it.
    pub(crate) visibility: Visibility,
}

impl<'a> From<&'a Text> for Source<'a> {
    fn from(text: &'a Text) -> Self {
        Self { body: &text.body, visibility: text.visibility }
    }
}

/// Makes the mention edges of a page match its texts. An edge is visible to everybody who may read
/// a text that makes it.
pub(crate) async fn set_mentions(
    scribe: &Scribe,
    batch: Batch,
    page: NodeRef,
    known: Option<NodeId>,
    sources: &[Source<'_>],
) -> Result<Batch> {
    let (app, eyes) = (scribe.app.as_ref(), scribe.all_seeing());
    let wanted = mentioned(app, &eyes, known, sources).await?;
    mentions_joined(app.store.as_ref(), &eyes, batch, page, known, wanted).await
}

/// Makes the mention edges of a node those wanted, as far as the viewer sees.
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

/// Makes the edge to the parent page match `parent`.
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

/// Whether an edge from `page` repeats the parent that the page names itself.
pub(crate) fn is_parent(kind: &str, page: &Node) -> bool {
    kind == PARENT && page.properties.contains_key(PARENT_ID)
}

/// Makes the edges of one kind from a page those wanted. Edges that are already right are not
/// touched.
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
                Some(visibility) => {
                    let patch = EdgePatch { visibility: Some(*visibility), ..EdgePatch::default() };
                    let change = Change::UpdateEdge(EdgeRef::Id(edge.id), Expect::Any, patch);
                    batch = batch.change(change);
                    wanted.remove(&edge.target);
                }
            }
        }
    }
    for (target, visibility) in wanted {
        let target = NodeRef::Id(target);
        batch = batch.change(Change::PutEdge(edge(page, target, kind, visibility)?));
    }
    Ok(batch)
}

/// The nodes that texts mention, except the page itself, each with who may know. A mention of an
/// entity that was merged into another counts as a mention of that one for as long as they are
/// merged.
pub(crate) async fn mentioned(
    app: &App,
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
    let found = app.store.nodes_by_number(viewer, &asked).await?;
    let mut found: Vec<(i64, NodeId)> =
        found.into_iter().map(|node| (node.number, node.id)).collect();
    let is_found = |number: &&i64| found.iter().any(|(known, _)| known == *number);
    let missing: Vec<i64> = asked.iter().filter(|number| !is_found(number)).copied().collect();
    found.extend(knowledge::merged_into(app, viewer, &missing).await?);
    let mut wanted: BTreeMap<NodeId, Visibility> = BTreeMap::new();
    for (number, id) in found.into_iter().filter(|(_, id)| Some(*id) != page) {
        let Some(seen) = numbers.get(&number) else { continue };
        let known = wanted.entry(id).or_insert(*seen);
        if *seen == Visibility::Members {
            *known = Visibility::Members;
        }
    }
    Ok(wanted)
}

/// Every text of a page as it was written, whoever may read it: its main text, and separately posts
/// and texts of other doors.
pub(super) async fn whole_texts(scribe: &Scribe, node: &Node) -> Result<(String, Vec<Text>)> {
    let viewer = scribe.all_seeing();
    let texts = scribe.app.store.texts_of(&viewer, node.id, Bin::Live).await?;
    let (own, others): (Vec<Text>, Vec<Text>) =
        texts.into_iter().partition(|text| text.kind.as_str() == ENTRY);
    let own = own.into_iter().next().map(|text| text.body);
    Ok((own.unwrap_or_default(), others))
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

//! Turns mentions in texts into edges, whichever door wrote the text and in whichever form.
//!
//! Pages maintain their own mention edges (`pages/links.rs`). So do documents, for the names found
//! in them and, in notes, for mentions by number (`knowledge/documents/shelve.rs`). This file covers
//! all other texts.

use lore_core::{NodeId, Result, Role, Text, TextId, Viewer, Visibility};
use lore_markup::mention::{self, Target};
use lore_markup::veil;
use lore_store::{Batch, Bin, Change, NodeKey, NodeRef, Store, TextRef};

use crate::App;
use crate::access::all_seeing;
pub(crate) use crate::atlas::keep_mentions as keep;
use crate::pages::links::{self, Source};

/// A batch with the edges that follow from its texts, and the viewer it is to be committed as.
pub(crate) struct Followed {
    /// The batch, including the mention edges.
    pub(crate) batch: Batch,
    /// The viewer to commit as: the writer, or the writer with the game master's visibility.
    pub(crate) eyes: Viewer,
}

/// Converts the mentions in a batch to the form the world stores and adds the edges that follow
/// from them; see [`join`].
pub(crate) async fn follow(app: &App, viewer: &Viewer, mut batch: Batch) -> Result<Followed> {
    keep(app, viewer, &mut batch).await?;
    join(app, viewer, batch).await
}

/// Adds edges from each node whose texts the batch changes to everything its texts will then
/// mention.
///
/// Writers are joined only to nodes they see. But an edge that comes from somebody's hidden text
/// must not conflict with theirs, so a batch with mention edges is committed with the game master's
/// visibility.
pub(crate) async fn join(app: &App, viewer: &Viewer, batch: Batch) -> Result<Followed> {
    let store = app.store.as_ref();
    if viewer.role < Role::Player {
        return Ok(Followed { batch, eyes: *viewer });
    }
    let all_seeing = all_seeing(viewer);
    let (planned, mut batch) = (batch.changes.len(), batch);
    unveil(store, viewer, &mut batch).await?;
    for writing in writings(store, &all_seeing, &batch).await? {
        let known = writing.known(store, viewer, &batch).await?;
        let kept = match known {
            Some(id) => store.texts_of(&all_seeing, id, Bin::Live).await?,
            None => Vec::new(),
        };
        let kept = kept.iter().filter(|text| !writing.replaced.contains(&text.id));
        let mut sources: Vec<Source<'_>> = kept.map(Source::from).collect();
        sources.extend(writing.fresh.iter().map(Source::from));
        let wanted = links::mentioned(app, viewer, known, &sources).await?;
        batch = links::mentions_joined(store, viewer, batch, writing.node, known, wanted).await?;
    }
    if batch.changes.len() == planned || viewer.sees_gm_side() {
        return Ok(Followed { batch, eyes: *viewer });
    }
    Ok(Followed { batch: batch.with_lent_eyes(), eyes: all_seeing })
}

/// Returns what to store when somebody replaces a text. The veil shows a viewer plain words instead
/// of mentions of hidden nodes; when they send those words back, the mentions are restored.
pub(crate) async fn kept(
    store: &dyn Store,
    viewer: &Viewer,
    text: TextRef,
    sent: &str,
) -> Result<String> {
    if viewer.sees_gm_side() {
        return Ok(sent.to_owned());
    }
    let whole = text_at(store, &all_seeing(viewer), text).await?;
    let seen = text_at(store, viewer, text).await?;
    Ok(match (whole, seen) {
        (Some(whole), Some(seen)) if whole.body != seen.body => {
            veil::unveiled(&whole.body, &seen.body, sent)
        }
        _ => sent.to_owned(),
    })
}

/// Restores veiled mentions in all texts that a batch updates; see [`kept`].
async fn unveil(store: &dyn Store, viewer: &Viewer, batch: &mut Batch) -> Result<()> {
    for change in &mut batch.changes {
        if let Change::UpdateText(text, _, patch) = change
            && let Some(body) = &mut patch.body
        {
            *body = kept(store, viewer, *text, body).await?;
        }
    }
    Ok(())
}

/// Returns the visible nodes mentioned in a text that the store does not hold as a text of its own,
/// such as a vault note, which also mentions nodes by their number in the world.
pub(crate) async fn mentioned(app: &App, viewer: &Viewer, body: &str) -> Result<Vec<NodeId>> {
    let mut body = body.to_owned();
    keep(app, viewer, &mut body).await?;
    let source = Source { body: &body, visibility: Visibility::Members };
    let found = links::mentioned(app, viewer, None, &[source]).await?;
    Ok(found.into_keys().collect())
}

/// What a batch writes on one node: new bodies, and the texts that they replace.
struct Writing {
    node: NodeRef,
    fresh: Vec<Fresh>,
    replaced: Vec<TextId>,
}

/// A text as it will be after the commit.
struct Fresh {
    body: String,
    visibility: Visibility,
}

impl<'a> From<&'a Fresh> for Source<'a> {
    fn from(text: &'a Fresh) -> Self {
        Self { body: &text.body, visibility: text.visibility }
    }
}

impl Writing {
    /// The row id of the node, or `None` if this batch creates it.
    async fn known(
        &self,
        store: &dyn Store,
        viewer: &Viewer,
        batch: &Batch,
    ) -> Result<Option<NodeId>> {
        let uid = match self.node {
            NodeRef::Id(id) => return Ok(Some(id)),
            NodeRef::Uid(uid) => uid,
        };
        let makes = |change: &Change| matches!(change, Change::CreateNode(new) if new.uid == uid);
        if batch.changes.iter().any(makes) {
            return Ok(None);
        }
        Ok(store.node(viewer, NodeKey::Uid(uid)).await?.map(|node| node.id))
    }
}

/// Collects the nodes whose mentions may change with a batch.
async fn writings(store: &dyn Store, viewer: &Viewer, batch: &Batch) -> Result<Vec<Writing>> {
    let mut found: Vec<Writing> = Vec::new();
    for change in &batch.changes {
        match change {
            // Texts that only repeat another one are not searchable and do not count.
            Change::CreateText(new) if new.searchable && mentions_any(&new.body) => {
                let fresh = Fresh { body: new.body.clone(), visibility: new.visibility };
                add(&mut found, new.node, Some(fresh), None);
            }
            // The `MoveText` arm below handles it.
            Change::UpdateText(text, ..) if moves(batch, *text) => {}
            Change::UpdateText(text, _, patch) => {
                let Some(old) = text_at(store, viewer, *text).await? else { continue };
                let body = patch.body.as_ref().unwrap_or(&old.body);
                if mentions_any(&old.body) || mentions_any(body) {
                    let visibility = patch.visibility.unwrap_or(old.visibility);
                    let fresh = Fresh { body: body.clone(), visibility };
                    add(&mut found, NodeRef::Id(old.node), Some(fresh), Some(old.id));
                }
            }
            Change::MoveText(text, _, to) => {
                let Some(old) = text_at(store, viewer, *text).await? else { continue };
                let body = new_body(batch, *text).unwrap_or(&old.body);
                if mentions_any(&old.body) || mentions_any(body) {
                    let fresh = Fresh { body: body.to_owned(), visibility: old.visibility };
                    add(&mut found, NodeRef::Id(old.node), None, Some(old.id));
                    add(&mut found, *to, Some(fresh), None);
                }
            }
            Change::DeleteText(text, _) => {
                let old = text_at(store, viewer, *text).await?;
                if let Some(old) = old.filter(|old| mentions_any(&old.body)) {
                    add(&mut found, NodeRef::Id(old.node), None, Some(old.id));
                }
            }
            _ => {}
        }
    }
    Ok(found)
}

/// Whether a batch moves a text to another node.
fn moves(batch: &Batch, text: TextRef) -> bool {
    batch
        .changes
        .iter()
        .any(|change| matches!(change, Change::MoveText(moved, ..) if *moved == text))
}

/// The new body that a batch gives a text, if any.
fn new_body(batch: &Batch, text: TextRef) -> Option<&str> {
    batch.changes.iter().find_map(|change| match change {
        Change::UpdateText(written, _, patch) if *written == text => patch.body.as_deref(),
        _ => None,
    })
}

/// Records that a text is written on a node, replaces one, or both.
fn add(found: &mut Vec<Writing>, node: NodeRef, fresh: Option<Fresh>, replaced: Option<TextId>) {
    match found.iter_mut().find(|writing| writing.node == node) {
        Some(writing) => {
            writing.fresh.extend(fresh);
            writing.replaced.extend(replaced);
        }
        None => found.push(Writing {
            node,
            fresh: fresh.into_iter().collect(),
            replaced: replaced.into_iter().collect(),
        }),
    }
}

async fn text_at(store: &dyn Store, viewer: &Viewer, text: TextRef) -> Result<Option<Text>> {
    Ok(match text {
        TextRef::Id(id) => store.text(viewer, id).await?,
        TextRef::Uid(uid) => store.text_by_uid(viewer, uid).await?,
    })
}

fn mentions_any(body: &str) -> bool {
    mention::find(body).iter().any(|found| matches!(found.target, Target::Entity(_)))
}

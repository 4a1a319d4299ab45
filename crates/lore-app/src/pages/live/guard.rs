//! Refuses changes of Kanka's data that do not go through Kanka, whichever door (toolset) they come
//! from.
//!
//! `pages/door.rs` writes to Kanka, and the mirror follows. Any other change would be acknowledged,
//! never reach Kanka, and be undone by a later synchronisation. It is therefore refused with the
//! name of the tool to use. Data about a page that Kanka does not have (its sheet, aliases, edges,
//! memories) is local and not checked here.

use lore_core::{Node, NodeId, Properties, Result, Text, Uid, Viewer};
use lore_store::{
    Batch, Bin, Change, NodeKey, NodePatch, NodeQuery, NodeRef, StoreError, StoreResult, TextRef,
};

use super::super::kinds::{ENTRY, PARENT_ID, POST, PageKind};
use super::is_mirrored;
use super::progress::ROOT;
use super::put::{RECORD, keys, uid_of};
use crate::App;
use crate::access::all_seeing;

/// Fails if a batch changes data that Kanka owns. Not called for the mirror's own writes.
pub(crate) async fn admit(app: &App, viewer: &Viewer, batch: &Batch) -> StoreResult<()> {
    if !batch.changes.iter().any(may_trespass) || !is_mirror(app, viewer).await? {
        return Ok(());
    }
    for change in &batch.changes {
        // Pages that the viewer does not see belong to Kanka as well.
        if let Some((node, tool)) = trespass(app, &all_seeing(viewer), change).await? {
            return Err(kept(app, viewer, &node, tool));
        }
    }
    Ok(())
}

/// Fails in a world that mirrors a campaign which is not configured: new pages would never reach
/// Kanka.
pub(in super::super) async fn require_no_mirror(app: &App, viewer: &Viewer) -> Result<()> {
    if !is_mirror(app, viewer).await? {
        return Ok(());
    }
    let message = "this world mirrors a campaign on Kanka".to_owned();
    Err(StoreError::Kept { message, hint: UNCONFIGURED.into() }.into())
}

/// Whether a node is a page that Kanka owns, so that it cannot be deleted from here.
pub(crate) async fn keeps(app: &App, viewer: &Viewer, node: &Node) -> Result<bool> {
    Ok(is_kept(node) && is_mirror(app, viewer).await?)
}

/// The hint for a mirror whose campaign is not configured.
const UNCONFIGURED: &str = "set KANKA_TOKEN and KANKA_CAMPAIGN_ID, so that it is changed on \
                            Kanka as well; or work in another world";

/// Whether the viewer's world mirrors a campaign.
async fn is_mirror(app: &App, viewer: &Viewer) -> StoreResult<bool> {
    let root = NodeKey::Uid(uid_of(viewer, ROOT));
    Ok(app.store.node(&all_seeing(viewer), root).await?.is_some())
}

fn kept(app: &App, viewer: &Viewer, node: &Node, tool: &str) -> StoreError {
    let is_live = app.kanka.get().is_some_and(|campaign| campaign.world() == viewer.world);
    let hint = if is_live { format!("{tool} there") } else { UNCONFIGURED.to_owned() };
    let message = format!("{:?} (entity {}) is kept on Kanka", node.name, node.number);
    StoreError::Kept { message, hint }
}

/// Whether a change could concern Kanka's data, judged by its type alone.
fn may_trespass(change: &Change) -> bool {
    match change {
        Change::UpdateNode(..)
        | Change::DeleteNode(..)
        | Change::RestoreNode(_)
        | Change::UpdateText(..)
        | Change::MoveText(..)
        | Change::DeleteText(..) => true,
        Change::CreateText(new) => matches!(new.kind.as_str(), ENTRY | POST),
        _ => false,
    }
}

/// The page of Kanka's that a change concerns, and a hint how to change it there.
async fn trespass(
    app: &App,
    eyes: &Viewer,
    change: &Change,
) -> StoreResult<Option<(Node, &'static str)>> {
    const UPDATE: &str = "change it with update_entities, which changes it";
    const DELETE: &str = "delete it with delete_entities, which deletes it";
    const POSTS: &str = "use create_posts, update_posts or delete_posts, which change it";
    let told = |text: &Text| match text.kind.as_str() {
        ENTRY => Some(UPDATE),
        POST => Some(POSTS),
        _ => None,
    };
    let (node, hint) = match change {
        Change::UpdateNode(node, _, patch) => {
            let node = page_at(app, eyes, *node).await?;
            (node.filter(|node| is_changed(node, patch)), UPDATE)
        }
        Change::DeleteNode(node, _) => (page_at(app, eyes, *node).await?, DELETE),
        Change::RestoreNode(node) => {
            let hint =
                "recover it on Kanka, or create it again with create_entities, which makes it";
            (deleted_page_at(app, eyes, *node).await?, hint)
        }
        Change::CreateText(new) => {
            let hint = if new.kind.as_str() == ENTRY { UPDATE } else { POSTS };
            (page_at(app, eyes, new.node).await?, hint)
        }
        Change::UpdateText(text, ..) | Change::MoveText(text, ..) | Change::DeleteText(text, _) => {
            let text = match *text {
                TextRef::Id(id) => app.store.text(eyes, id).await?,
                TextRef::Uid(uid) => app.store.text_by_uid(eyes, uid).await?,
            };
            match text.and_then(|text| Some((told(&text)?, text.node))) {
                Some((hint, node)) => (page_at(app, eyes, NodeRef::Id(node)).await?, hint),
                None => return Ok(None),
            }
        }
        _ => return Ok(None),
    };
    Ok(node.map(|node| (node, hint)))
}

/// The node behind a reference, if it is a page of Kanka's.
async fn page_at(app: &App, eyes: &Viewer, node: NodeRef) -> StoreResult<Option<Node>> {
    let node = match node {
        NodeRef::Id(id) => app.store.nodes(eyes, &[id]).await?.into_iter().next(),
        NodeRef::Uid(uid) => app.store.node(eyes, NodeKey::Uid(uid)).await?,
    };
    Ok(node.filter(is_kept))
}

async fn deleted_page_at(app: &App, eyes: &Viewer, node: NodeRef) -> StoreResult<Option<Node>> {
    let is_it = |id: NodeId, uid: Uid| match node {
        NodeRef::Id(wanted) => wanted == id,
        NodeRef::Uid(wanted) => wanted == uid,
    };
    let mut bin = NodeQuery { bin: Bin::Deleted, ..NodeQuery::default() };
    loop {
        let page = app.store.find_nodes(eyes, bin.clone()).await?;
        let found = page.items.into_iter().find(|node| is_it(node.id, node.uid));
        bin.after = page.next;
        if found.is_some() || bin.after.is_none() {
            return Ok(found.filter(is_kept));
        }
    }
}

fn is_kept(node: &Node) -> bool {
    is_mirrored(node) && PageKind::of(&node.kind).is_some()
}

/// Whether a patch changes something that Kanka owns.
fn is_changed(node: &Node, patch: &NodePatch) -> bool {
    let changed_fields = |after: &Properties| {
        let own = PageKind::of(&node.kind).map_or(&[][..], PageKind::fields);
        let mut own = own.iter().copied().chain([PARENT_ID, RECORD]);
        own.any(|name| after.get(name) != node.properties.get(name))
    };
    patch.kind.as_ref().is_some_and(|kind| *kind != node.kind)
        || patch.name.as_ref().is_some_and(|name| *name != node.name)
        || patch.subtype.as_ref().is_some_and(|subtype| *subtype != node.subtype)
        || patch.tags.as_ref().is_some_and(|tags| keys(tags) != keys(&node.tags))
        || patch.retag.is_some()
        || patch.visibility.is_some_and(|visibility| visibility != node.visibility)
        || patch.properties.as_ref().is_some_and(changed_fields)
}

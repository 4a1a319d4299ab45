//! Imports a node that was exported to another world and comes back: changes made there are taken
//! over.
//!
//! The last change wins. Nothing that is here is deleted, because what is missing there may be
//! newer than the export.

use std::collections::HashSet;

use lore_core::{Node, Text, Timestamp};
use lore_store::{Bin, Change, Expect, NewNode, NewText, NodeKey, NodeRef, TextPatch, TextRef};

use super::super::super::cleaning::Cleaner;
use super::super::super::project::steps_of;
use super::super::super::refusal::Reply;
use super::super::identity::without_source;
use super::{ACTIVE, Put, Putting, SOURCE_TYPE, told};

/// Takes over what was changed elsewhere since the node was last changed here.
pub(super) async fn take(putting: &Putting<'_>) -> Reply<Put> {
    let (call, record) = (putting.call, putting.record);
    let (store, viewer) = (&call.app.store, &call.viewer);
    let key = NodeKey::Uid(putting.uid);
    let Some(node) = store.node(viewer, key).await? else { return Ok(Put::Known) };
    let live = store.texts_of(viewer, node.id, Bin::Live).await?;
    let mut cleaner = Cleaner::default();
    let mut batch = putting.batch();
    let is_newer = record.changed > Some(last_change(&node, &live));
    let is_edited = record.state.as_ref().is_some_and(|state| state.was_edited(record));
    if is_newer || is_edited {
        batch.changes.extend(text_changes(&live, putting.texts(&mut cleaner)?));
        batch.changes.extend(node_change(&node, putting.node(&mut cleaner)?));
    }
    let known = if record.steps.is_empty() { vec![] } else { steps_of(call, node.id).await? };
    let known: HashSet<&str> = known.iter().map(|step| step.id.as_str()).collect();
    let fresh = record.steps.iter().filter(|step| !known.contains(step.id.as_str()));
    let batch = putting.with_steps(batch, fresh);
    if batch.changes.is_empty() {
        return Ok(Put::Known);
    }
    call.app.commit(viewer, batch).await?;
    let masked = cleaner.count();
    Ok(match is_edited && !is_newer {
        true => Put::disputed(record, true, masked),
        false => Put::Updated { masked },
    })
}

pub(super) fn last_change(node: &Node, texts: &[Text]) -> Timestamp {
    texts.iter().map(|text| text.updated.at).fold(node.updated.at, Timestamp::max)
}

fn node_change(old: &Node, mut new: NewNode) -> Option<Change> {
    // Where the node came from, and which project is active, is decided here.
    without_source(&mut new.properties);
    [SOURCE_TYPE, ACTIVE].iter().for_each(|key| drop(new.properties.shift_remove(*key)));
    let mut properties = old.properties.clone();
    properties.extend(std::mem::take(&mut new.properties));
    let is_same = old.name == new.name
        && old.aliases == new.aliases
        && old.tags == new.tags
        && old.properties == properties;
    let patch = told(new, properties);
    let node = NodeRef::Id(old.id);
    (!is_same).then(|| Change::UpdateNode(node, Expect::Version(old.version), patch))
}

/// Plans the changes to the texts. Texts with the same content are matched; each of the others
/// replaces the next remaining text of its kind.
fn text_changes(live: &[Text], mut new: Vec<NewText>) -> Vec<Change> {
    let mut changed: Vec<&Text> = Vec::new();
    for old in live {
        let same = |new: &NewText| old.kind == new.kind && old.body == new.body;
        match new.iter().position(same) {
            Some(at) => drop(new.remove(at)),
            None => changed.push(old),
        }
    }
    let change = |new: NewText| match changed.iter().position(|old| old.kind == new.kind) {
        Some(at) => {
            let old = TextRef::Id(changed.remove(at).id);
            Change::UpdateText(old, Expect::Any, words(new))
        }
        None => Change::CreateText(new),
    };
    new.into_iter().map(change).collect()
}

/// The patch for the words of a text, without its position and provenance.
fn words(new: NewText) -> TextPatch {
    let (title, body) = (Some(new.title), Some(new.body));
    TextPatch { title, body, ..TextPatch::default() }
}

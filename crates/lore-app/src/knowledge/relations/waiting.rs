//! Relations of notes that wait for an end which is not known yet, because people link to notes
//! that they write later.
//!
//! They are stored in a property of the note's document, from which catalogues learn them.

use lore_core::{Node, NodeId, Result};
use lore_store::{Batch, Change, Expect, NodeKey, NodePatch, NodeRef};
use serde_json::{Value, json};

use super::{NewRelation, by_notes};
use crate::knowledge::documents::shelve::{self, Mention};
use crate::knowledge::entities::{Entity, uri};
use crate::knowledge::librarian::Librarian;
use crate::knowledge::vault::{note, stored_notes};

/// The property of a note's document that holds its waiting relations.
pub(in crate::knowledge) const WAITING: &str = "waiting";

/// Returns relations as a document property.
pub(in crate::knowledge) fn kept(items: &[NewRelation]) -> Option<(String, Value)> {
    let row = |item: &NewRelation| json!([item.subject, item.predicate, item.object]);
    let rows: Vec<Value> = items.iter().map(row).collect();
    (!rows.is_empty()).then(|| (WAITING.to_owned(), Value::Array(rows)))
}

/// Returns the relations that wait at a document.
pub(super) fn of(node: &Node) -> Vec<NewRelation> {
    let rows = node.properties.get(WAITING).and_then(Value::as_array);
    let read = |row: &Value| {
        let text = |place: usize| Some(row.get(place)?.as_str()?.to_owned());
        Some(NewRelation {
            subject: text(0)?,
            predicate: text(1)?,
            object: text(2)?,
            confidence: stored_notes::SURE,
        })
    };
    rows.into_iter().flatten().filter_map(read).collect()
}

/// Returns the names that relations of a document wait for, normalised for comparison.
pub(in crate::knowledge) fn names_of(node: &Node) -> Vec<String> {
    let ends = of(node).into_iter().flat_map(|item| [item.subject, item.object]);
    ends.filter(|end| !end.starts_with(uri::PREFIX)).map(|end| key(note::last(&end))).collect()
}

/// Normalises a name for comparison with those that are waited for.
pub(in crate::knowledge) fn key(name: &str) -> String {
    lore_resolve::key(name)
}

/// Creates the relations that waited for this entity. Failures are only logged: they are not the
/// fault of whoever created the entity.
pub(in crate::knowledge) async fn settle(librarian: &Librarian, entity: &Entity) {
    let work = async {
        let names = std::iter::once(&entity.node.name).chain(&entity.node.aliases);
        let mut keys: Vec<String> = names.map(|name| key(name)).collect();
        let notes = {
            let catalogue = librarian.catalogue().await?;
            keys.extend(catalogue.titles_of(entity).iter().map(|title| key(title)));
            catalogue.waiting_for(&keys)
        };
        for note in notes {
            settle_note(librarian, note).await?;
        }
        Ok::<_, lore_core::Error>(())
    };
    if let Err(error) = work.await {
        tracing::info!(code = error.code().meaning().name, node = %entity.node.id, "relations of notes still wait");
    }
}

/// Tries all waiting relations: what they wait for may have been created by another toolset.
pub(in crate::knowledge) async fn settle_all(librarian: &Librarian) -> Result<()> {
    let notes = librarian.catalogue().await?.waiting();
    for note in notes {
        settle_note(librarian, note).await?;
    }
    Ok(())
}

/// Tries the relations that wait at one note.
async fn settle_note(librarian: &Librarian, id: NodeId) -> Result<()> {
    let (store, viewer) = (&librarian.app.store, &librarian.viewer);
    let Some(node) = store.node(viewer, NodeKey::Id(id)).await? else { return Ok(()) };
    let items = of(&node);
    let rid = uri::of_document(&node);
    let told = by_notes::tell(librarian, &items, stored_notes::read_in(&rid)).await?;
    if told.waiting.len() < items.len() {
        let named: Vec<Mention> = told.named().collect();
        shelve::join(librarian, &rid, &named).await?;
        // If somebody changed the note meanwhile, this fails, and they have settled its relations.
        store.commit(viewer, shortened(librarian, &node, &told.waiting)).await?;
    }
    Ok(())
}

fn shortened(librarian: &Librarian, node: &Node, left: &[NewRelation]) -> Batch {
    let mut properties = node.properties.clone();
    properties.remove(WAITING);
    properties.extend(kept(left));
    let patch = NodePatch {
        // Writing the name, even unchanged, makes catalogues read the node again.
        name: Some(node.name.clone()),
        properties: Some(properties),
        ..NodePatch::default()
    };
    let expect = Expect::Version(node.version);
    librarian.batch().change(Change::UpdateNode(NodeRef::Id(node.id), expect, patch))
}

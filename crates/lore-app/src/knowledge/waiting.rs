//! Relations of notes that wait for an end which is not known yet: people link to notes that
//! they write later.
//!
//! A note's document keeps them among its properties, where every catalogue that sees the
//! note learns them.

use lore_core::{Node, NodeId, Result};
use lore_store::{Batch, Change, Expect, NodeKey, NodePatch, NodeRef};
use serde_json::{Value, json};

use super::entities::Entity;
use super::librarian::Librarian;
use super::relations::NewRelation;
use super::shelve::{self, Mention};
use super::{kept_notes, note, told, uri};

/// The property of a note's document that holds them.
pub(super) const WAITING: &str = "waiting";

/// Relations as a property.
pub(super) fn kept(items: &[NewRelation]) -> Option<(String, Value)> {
    let row = |item: &NewRelation| json!([item.subject, item.predicate, item.object]);
    let rows: Vec<Value> = items.iter().map(row).collect();
    (!rows.is_empty()).then(|| (WAITING.to_owned(), Value::Array(rows)))
}

/// The relations that wait at a document.
pub(super) fn of(node: &Node) -> Vec<NewRelation> {
    let rows = node.properties.get(WAITING).and_then(Value::as_array);
    let read = |row: &Value| {
        let text = |place: usize| Some(row.get(place)?.as_str()?.to_owned());
        Some(NewRelation {
            subject: text(0)?,
            predicate: text(1)?,
            object: text(2)?,
            confidence: kept_notes::SURE,
        })
    };
    rows.into_iter().flatten().filter_map(read).collect()
}

/// The names that relations of a document wait for, as they are compared.
pub(super) fn names_of(node: &Node) -> Vec<String> {
    let ends = of(node).into_iter().flat_map(|item| [item.subject, item.object]);
    ends.filter(|end| !end.starts_with(uri::PREFIX)).map(|end| key(note::last(&end))).collect()
}

/// How a name is compared with those that are waited for.
pub(super) fn key(name: &str) -> String {
    lore_resolve::key(name)
}

/// Makes the relations that waited for this entity. What goes wrong is told in the log alone:
/// whoever made the entity did nothing wrong.
pub(super) async fn settle(librarian: &Librarian, entity: &Entity) {
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
        tracing::info!(%error, uri = entity.uri, "relations of notes still wait");
    }
}

/// Tries every relation that waits: what they wait for may have come through another door.
pub(super) async fn settle_all(librarian: &Librarian) -> Result<()> {
    let notes = librarian.catalogue().await?.waiting();
    for note in notes {
        settle_note(librarian, note).await?;
    }
    Ok(())
}

/// Tries every relation that waits at a note.
async fn settle_note(librarian: &Librarian, id: NodeId) -> Result<()> {
    let (store, viewer) = (&librarian.app.store, &librarian.viewer);
    let Some(node) = store.node(viewer, NodeKey::Id(id)).await? else { return Ok(()) };
    let items = of(&node);
    let rid = uri::of_document(&node);
    let told = told::tell(librarian, &items, kept_notes::read_in(&rid)).await?;
    if told.waiting.len() < items.len() {
        let named: Vec<Mention> = told.named().collect();
        shelve::join(librarian, &rid, &named).await?;
        // Whoever changed the note meanwhile has settled it as well.
        store.commit(viewer, shortened(librarian, &node, &told.waiting)).await?;
    }
    Ok(())
}

fn shortened(librarian: &Librarian, node: &Node, left: &[NewRelation]) -> Batch {
    let mut properties = node.properties.clone();
    properties.remove(WAITING);
    properties.extend(kept(left));
    let patch = NodePatch {
        // Names are told to have changed, which is how catalogues learn of it.
        name: Some(node.name.clone()),
        properties: Some(properties),
        ..NodePatch::default()
    };
    let expect = Expect::Version(node.version);
    librarian.batch().change(Change::UpdateNode(NodeRef::Id(node.id), expect, patch))
}

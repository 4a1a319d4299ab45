//! Reading notes again after an unmerge, because the entities they mention are separate now.

use std::collections::{BTreeSet, HashSet};

use lore_core::{Error, Node, NodeId, Result, Timestamp};
use lore_store::Direction;
use lore_vault::NotePath;

use crate::knowledge::documents::shelve;
use crate::knowledge::entities::{self, Entity, uri};
use crate::knowledge::librarian::Librarian;
use crate::knowledge::relations::{EDGES_MAX, MENTIONS, around, by_notes};
use crate::knowledge::vault::{files, stored_notes};
use crate::play::word;

/// The end of the RID of a note while it is read again, as which it stated what it did before. No
/// note has such a path.
const PAST: &str = "#before";

/// Brings two unmerged entities in line with the notes that were written since they were merged. An
/// entity that a note introduced is deleted if no note is about it any more.
pub(super) async fn after_parting(
    librarian: &Librarian,
    uris: [&str; 2],
    merged_at: Timestamp,
) -> Result<()> {
    let mut parted = Vec::new();
    for uri in uris {
        parted.extend(entities::by_uri(librarian, uri).await?);
    }
    let ids: Vec<NodeId> = parted.iter().map(|entity| entity.node.id).collect();
    for rid in speaking(librarian, &ids).await? {
        match shelve::shelved(librarian, &rid).await? {
            Some(note) if note.updated.at < merged_at => {}
            Some(note) => read_again(librarian, &note, &parted).await?,
            None => withdraw(librarian, &rid, &parted).await?,
        }
    }
    for uri in uris {
        stored_notes::forget_unsaid(librarian, uri).await?;
    }
    Ok(())
}

/// Returns the RIDs of the notes that mention one of these entities or state a relation of one.
async fn speaking(librarian: &Librarian, ids: &[NodeId]) -> Result<BTreeSet<String>> {
    let (store, viewer, kinds) = (&librarian.app.store, &librarian.viewer, [word(MENTIONS)?]);
    let mentions = store.neighbours(viewer, ids, Direction::In, &kinds, EDGES_MAX).await?;
    let sources: Vec<NodeId> = mentions.iter().map(|edge| edge.source).collect();
    let nodes = store.nodes(viewer, &sources).await?;
    let notes = nodes.iter().filter(|node| node.kind.as_str() == stored_notes::KIND);
    let mut rids: BTreeSet<String> = notes.map(uri::of_document).collect();
    let edges = around(librarian, ids, &[]).await?;
    rids.extend(edges.iter().flat_map(by_notes::tellers));
    Ok(rids)
}

/// Reads a note again: states anew what it says, and withdraws what else it stated about both
/// entities. In between, that is stated by a note of the past, so that what others state too does
/// not become theirs alone.
async fn read_again(librarian: &Librarian, note: &Node, parted: &[Entity]) -> Result<()> {
    let rid = uri::of_document(note);
    let Some(path) = rid.strip_prefix(stored_notes::PREFIX) else { return Ok(()) };
    let path = NotePath::parse(path)?;
    let place = path.clone();
    match files::on_disk(librarian, move |vault| vault.read(&place)).await {
        // The vault watcher deletes its document.
        Err(Error::NotFound { .. }) => return Ok(()),
        text => text?,
    };
    let past = format!("{rid}{PAST}");
    for entity in parted {
        by_notes::readdress(librarian, entity.node.id, &rid, &past).await?;
    }
    stored_notes::read_anew(librarian, &path).await?;
    withdraw(librarian, &past, parted).await
}

async fn withdraw(librarian: &Librarian, rid: &str, parted: &[Entity]) -> Result<()> {
    for entity in parted {
        by_notes::withdraw(librarian, entity.node.id, rid, &HashSet::new()).await?;
    }
    Ok(())
}

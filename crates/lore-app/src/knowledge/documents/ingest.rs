//! Ingesting a document that another program read, with its entities and their relations.

use lore_core::{Error, Properties, Result, Role, names};
use sha2::{Digest, Sha256};

use super::shelve::{self, NewDocument};
use crate::knowledge::entities::uri;
use crate::knowledge::librarian::Librarian;
use crate::knowledge::relations::{self, ReadIn};
use crate::knowledge::vault::stored_notes;
use crate::knowledge::web::ingest::{Ingested, Intake, take_entities};

/// Node kind of a document that another program read.
const KIND: &str = "outside_document";
/// Longest text of a document, in characters.
const CONTENT_MAX: usize = 500_000;
/// Longest RID of a document, in characters.
const RID_MAX: usize = 1_000;

/// A document that another program read.
#[derive(Debug, Clone)]
pub struct Read {
    /// Its RID.
    pub rid: String,
    /// Its title; the RID if absent.
    pub title: Option<String>,
    /// The content as Markdown; may be empty.
    pub content: String,
    /// The kind of source it comes from.
    pub source: String,
}

/// Stores or updates a document with its entities and relations. May be repeated.
pub async fn take(librarian: &Librarian, read: &Read, intake: &Intake) -> Result<Ingested> {
    librarian.viewer.require(Role::Player)?;
    let rid = read.rid.trim();
    if rid.is_empty() {
        return Err(Error::invalid("document_rid", "is empty", "say what the document is called"));
    }
    names::checked_length("document_rid", rid, RID_MAX)?;
    names::checked_length("source", &read.source, names::NAME_MAX)?;
    names::checked_length("content", &read.content, CONTENT_MAX)?;
    check_owner(librarian, rid).await?;
    let found_at = Some(rid).filter(|rid| rid.starts_with("http"));
    let (entities, mentions) = take_entities(librarian, &intake.entities, found_at).await?;
    let read_in = ReadIn { source: &read.source, rid: Some(rid) };
    let relations = relations::relate(librarian, &intake.relations, read_in).await?;
    let document = NewDocument {
        rid: rid.to_owned(),
        kind: KIND,
        source: read.source.clone(),
        title: read.title.as_deref().map_or_else(|| rid.to_owned(), names::without_unseen),
        url: found_at.map(str::to_owned),
        author: None,
        written: None,
        body: names::without_unseen(&read.content),
        digest: uri::hex(&Sha256::digest(&read.content)),
        further: Properties::new(),
        mentions,
        meant: Vec::new(),
    };
    shelve::shelve(librarian, &document).await?;
    Ok(Ingested {
        url: document.url.unwrap_or_default(),
        rid: rid.to_owned(),
        note_path: None,
        entities,
        relations,
    })
}

/// Fails for documents that are kept in sync with another source, such as vault notes: the next
/// sync would undo the change.
async fn check_owner(librarian: &Librarian, rid: &str) -> Result<()> {
    let known = shelve::shelved(librarian, rid).await?;
    let others = known.is_some_and(|node| node.kind.as_str() != KIND);
    if others || rid.starts_with(stored_notes::PREFIX) {
        return Err(Error::Precondition {
            message: format!("document_rid {rid:?} is that of a document kept elsewhere"),
            hint: "change the note or page itself, or choose another document_rid".into(),
        });
    }
    Ok(())
}

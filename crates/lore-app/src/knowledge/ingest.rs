//! Taking in what another program read: a document, its entities and their relations.

use lore_core::{Error, Properties, Result, Role, names};
use sha2::{Digest, Sha256};

use super::intake::{Ingested, Intake, take_entities};
use super::kept_notes;
use super::librarian::Librarian;
use super::relations::{self, ReadIn};
use super::shelve::{self, NewDocument};
use super::uri;

/// Node kind of a document that another program read.
const KIND: &str = "outside_document";
/// Longest text of a document, in characters.
const CONTENT_MAX: usize = 500_000;
/// Longest name of a document, in characters.
const RID_MAX: usize = 1_000;

/// A document that another program read.
#[derive(Debug, Clone)]
pub struct Read {
    /// What it is called.
    pub rid: String,
    /// Its title; the name when absent.
    pub title: Option<String>,
    /// What it says, Markdown; only its name is known when empty.
    pub content: String,
    /// What sort of source it comes from.
    pub source: String,
}

/// Takes a document in, or what became of it. May be repeated.
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

/// Fails for documents that are kept in line with something else: what is told of them here
/// would be there until they are read again, and not be theirs.
async fn check_owner(librarian: &Librarian, rid: &str) -> Result<()> {
    let known = shelve::shelved(librarian, rid).await?;
    let others = known.is_some_and(|node| node.kind.as_str() != KIND);
    if others || rid.starts_with(kept_notes::PREFIX) {
        return Err(Error::Precondition {
            message: format!("document_rid {rid:?} is that of a document kept elsewhere"),
            hint: "change the note or page itself, or choose another document_rid".into(),
        });
    }
    Ok(())
}

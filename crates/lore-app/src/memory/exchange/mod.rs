//! Memory from and for elsewhere.
//!
//! A source is read into a [`Load`]: records and ties, each under a key that is the same
//! whenever the source is read. Ids follow from these keys, so importing again, or going on
//! after an interruption, makes nothing twice and brings nothing back that was removed.
//!
//! Nothing here touches files: whoever calls reads and writes them.

pub mod chats;
mod export;
pub mod kairn;
pub mod notes;
pub mod reference;

use futures::{StreamExt, stream};
use lore_core::{Error, Properties, Provenance, Result, Timestamp, Uid};
use lore_store::{Change, NewEdge, NewEvents, NewNode, NewText, NodeRef, StoreError};
use sha2::{Digest, Sha256};

pub use export::{Exported, export, markdown, relations};

use super::keeper::Keeper;
use super::kinds::{Sharing, Type, namespace_in, word};
use super::pen::{Pen, name_from};
use super::project::{Entry, event};
use super::refusal::Reply;
use super::{MEMORIES_URI, PROJECTS_URI, STATUS_URI};

/// Everything that a source holds.
#[derive(Debug, Clone, Default)]
pub struct Load {
    /// What the source is, such as `markdown notes`; a part of every id.
    pub label: String,
    /// Things with names and texts.
    pub records: Vec<Record>,
    /// What joins them.
    pub ties: Vec<Tie>,
    /// How many entries of the source could not be read.
    pub unreadable: usize,
}

/// A thing with a name and texts.
#[derive(Debug, Clone, Default)]
pub struct Record {
    /// What it is called within its source, always the same.
    pub key: String,
    /// When it was made, if the source says so.
    pub made: Option<Timestamp>,
    /// Its name.
    pub name: String,
    /// Whether the name is only cut from its text.
    pub derived_name: bool,
    /// Its type.
    pub type_name: String,
    /// Its namespace.
    pub namespace: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// Fields of its type.
    pub properties: Properties,
    /// The record that keeps it for good, by key; its own texts are then not searched.
    pub kept_by: Option<String>,
    /// Its texts, in order.
    pub passages: Vec<Passage>,
    /// The steps of a project, oldest first.
    pub steps: Vec<Entry>,
}

/// A text.
#[derive(Debug, Clone)]
pub struct Passage {
    /// What part of its record it is.
    pub kind: &'static str,
    /// The text.
    pub body: String,
    /// Who said it, when, in which conversation.
    pub provenance: Provenance,
}

/// What joins two records.
#[derive(Debug, Clone)]
pub struct Tie {
    /// Where it starts, by key.
    pub from: String,
    /// Where it ends, by key.
    pub to: String,
    /// How the two are joined.
    pub type_name: String,
    /// How strongly.
    pub weight: f64,
}

/// What an import did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Imported {
    /// Records that are new.
    pub made: usize,
    /// Records that were there, or had been removed, already.
    pub known: usize,
    /// Ties between records.
    pub tied: usize,
    /// Ties whose ends are missing.
    pub loose: usize,
    /// Secrets that were masked.
    pub masked: usize,
}

/// How many changes are on their way at once: they share commits.
const AT_ONCE: usize = 64;
/// Longest name made from a source's, in characters.
const NAME_LETTERS: usize = 150;

/// Imports a load. `progress` is told how many of how many entries are done.
pub async fn import(
    keeper: &Keeper,
    load: &Load,
    progress: &(dyn Fn(usize, usize) + Send + Sync),
) -> Reply<Imported> {
    keeper.require_writing()?;
    let total = load.records.len() + load.ties.len();
    let mut imported = Imported::default();
    let mut done = 0;
    let mut records =
        stream::iter(&load.records).map(|record| put(keeper, load, record)).buffered(AT_ONCE);
    while let Some(put) = records.next().await {
        let (is_new, masked) = put?;
        imported.made += usize::from(is_new);
        imported.known += usize::from(!is_new);
        imported.masked += masked;
        done += 1;
        progress(done, total);
    }
    let mut ties = stream::iter(&load.ties).map(|each| tie(keeper, load, each)).buffered(AT_ONCE);
    while let Some(tied) = ties.next().await {
        let tied = tied?;
        imported.tied += usize::from(tied);
        imported.loose += usize::from(!tied);
        done += 1;
        progress(done, total);
    }
    Ok(imported)
}

/// Keeps a record with everything that belongs to it; tells whether it is new, and how many
/// secrets were masked.
async fn put(keeper: &Keeper, load: &Load, record: &Record) -> Reply<(bool, usize)> {
    let mut pen = Pen::default();
    let mut batch = keeper.batch().touch(STATUS_URI).touch(MEMORIES_URI).touch(PROJECTS_URI);
    batch.origin.source = Some(load.label.clone());
    batch.at = record.made.unwrap_or(batch.at);
    let uid = uid_of(&load.label, &record.key);
    batch = batch.change(Change::CreateNode(node(keeper, load, record, uid, &mut pen)?));
    for (place, passage) in record.passages.iter().enumerate() {
        let key = format!("{}\u{0}{place}", record.key);
        let body = pen.text("text", &passage.body)?;
        let text = NewText {
            position: i64::try_from(place).unwrap_or(i64::MAX),
            provenance: Provenance {
                source: Some(load.label.clone()),
                ..passage.provenance.clone()
            },
            searchable: record.kept_by.is_none(),
            ..NewText::new(uid_of(&load.label, &key), NodeRef::Uid(uid), word(passage.kind)?, body)
        };
        batch = batch.change(Change::CreateText(text));
    }
    if !record.steps.is_empty() {
        let events = record.steps.iter().map(|step| event(keeper, step)).collect();
        let log = NewEvents { node: NodeRef::Uid(uid), after: None, events };
        batch = batch.change(Change::AppendEvents(log));
    }
    match keeper.app.store.commit(&keeper.viewer, batch).await {
        Ok(_) => Ok((true, pen.masked().len())),
        Err(StoreError::Exists(_)) => Ok((false, 0)),
        Err(other) => Err(other.into()),
    }
}

fn node(keeper: &Keeper, load: &Load, record: &Record, uid: Uid, pen: &mut Pen) -> Result<NewNode> {
    let kind = Type::of(&record.type_name)?;
    let mut properties = record.properties.clone();
    kind.note_in(&mut properties);
    properties.entry("source_type").or_insert("import".into());
    if let Some(kept_by) = &record.kept_by {
        properties.insert("node".into(), uid_of(&load.label, kept_by).to_string().into());
    }
    let name = pen.text("name", &record.name)?;
    let name = name_from("", if name.is_empty() { &record.key } else { &name }, NAME_LETTERS);
    Ok(NewNode {
        namespace: namespace_in(&record.namespace),
        derived_name: record.derived_name,
        tags: pen.list("tags", &record.tags)?,
        visibility: Sharing::Workspace.visibility(&keeper.viewer),
        properties,
        ..NewNode::new(uid, kind.kind, name)
    })
}

/// Joins two records; `false` when one of them is not there.
async fn tie(keeper: &Keeper, load: &Load, tie: &Tie) -> Reply<bool> {
    let kind = Type::of(&tie.type_name)?;
    let mut properties = Properties::new();
    kind.note_in(&mut properties);
    let edge = NewEdge {
        source: NodeRef::Uid(uid_of(&load.label, &tie.from)),
        target: NodeRef::Uid(uid_of(&load.label, &tie.to)),
        kind: kind.kind,
        weight: if tie.weight.is_finite() { tie.weight } else { 1.0 },
        visibility: Sharing::Workspace.visibility(&keeper.viewer),
        properties,
    };
    let mut batch = keeper.batch().change(Change::PutEdge(edge));
    batch.origin.source = Some(load.label.clone());
    match keeper.app.store.commit(&keeper.viewer, batch).await {
        Ok(_) => Ok(true),
        Err(StoreError::NotFound(_) | StoreError::Exists(_)) => Ok(false),
        Err(other) => Err(other.into()),
    }
}

/// The id of what a source calls `key`: always the same.
pub(super) fn uid_of(label: &str, key: &str) -> Uid {
    let hash = Sha256::new()
        .chain_update(label.as_bytes())
        .chain_update([0])
        .chain_update(key.as_bytes())
        .finalize();
    let mut bytes = [0_u8; 16];
    bytes.iter_mut().zip(hash).for_each(|(to, from)| *to = from);
    Uid::from_hash(bytes)
}

/// The error for a source that is not what it is said to be.
pub(super) fn not_readable(what: &str, problem: impl std::fmt::Display) -> Error {
    Error::invalid(what, format!("cannot be read: {problem}"), "check the format and the path")
}

/// Parts of a long text, cut between paragraphs where that is possible.
pub(super) fn parts(text: &str, letters: usize) -> Vec<String> {
    let mut parts = vec![String::new()];
    for paragraph in text.split_inclusive("\n\n") {
        let long = |part: &String| part.chars().count() + paragraph.chars().count() > letters;
        if parts.last().is_some_and(|part| !part.is_empty() && long(part)) {
            parts.push(String::new());
        }
        if let Some(last) = parts.last_mut() {
            last.push_str(paragraph);
        }
    }
    parts.into_iter().flat_map(|part| hard_parts(&part, letters)).collect()
}

/// A paragraph that is too long is cut where it must be.
fn hard_parts(text: &str, letters: usize) -> Vec<String> {
    let chars: Vec<char> = text.trim().chars().collect();
    chars.chunks(letters.max(1)).map(|part| part.iter().collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_key_has_the_same_id() {
        assert_eq!(uid_of("notes", "a"), uid_of("notes", "a"));
        assert_ne!(uid_of("notes", "a"), uid_of("notes", "b"));
        assert_ne!(uid_of("notes", "a"), uid_of("chats", "a"));
    }

    #[test]
    fn long_texts_are_cut_between_paragraphs_and_lose_nothing() {
        let text = format!("{}\n\n{}\n\n{}", "a".repeat(60), "b".repeat(60), "c".repeat(250));
        let parts = parts(&text, 100);
        assert!(parts.iter().all(|part| part.chars().count() <= 100), "{parts:?}");
        let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).count();
        assert_eq!(parts.iter().map(|part| letters(part)).sum::<usize>(), letters(&text));
        assert!(super::parts("", 100).is_empty());
    }
}

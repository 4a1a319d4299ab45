//! Memory from and for elsewhere.
//!
//! A source is read into a [`Load`]: records and ties, each under the key that the source
//! itself has for it, wherever the source lies. Ids follow from these keys, so importing
//! again, or going on after an interruption, makes nothing twice and brings nothing back that
//! was removed; what is new in the source, or changed there, is brought up to date.
//!
//! Nothing here touches files: whoever calls reads and writes them.

pub mod chats;
mod export;
mod identity;
pub mod kairn;
pub mod notes;
mod put;
pub mod reference;

use futures::{StreamExt, stream};
use lore_core::{Error, Properties, Provenance, Timestamp};
use lore_store::{Change, NewEdge, NodeRef, StoreError};

pub use export::{Exported, export, markdown, note_id, relations};

use super::keeper::Keeper;
use super::kinds::{Sharing, Type};
use super::project::Entry;
use super::refusal::Reply;
use identity::Identities;

/// Everything that a source holds.
#[derive(Debug, Clone, Default)]
pub struct Load {
    /// What the source is, such as `chatgpt`; a part of every id.
    pub label: String,
    /// Things with names and texts.
    pub records: Vec<Record>,
    /// What joins them.
    pub ties: Vec<Tie>,
    /// How many entries of the source could not be read.
    pub unreadable: usize,
    /// Whether keys are only places, so that a copy elsewhere is known by what it says.
    pub keys_are_places: bool,
}

/// A thing with a name and texts.
#[derive(Debug, Clone, Default)]
pub struct Record {
    /// What it is called within its source, always the same; an id of ours where it is one.
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
    /// What refines its kind.
    pub subtype: Option<String>,
    /// Other names.
    pub aliases: Vec<String>,
    /// Its tags.
    pub tags: Vec<String>,
    /// Fields of its type.
    pub properties: Properties,
    /// Who shall see it.
    pub sharing: Sharing,
    /// The record that keeps it for good.
    pub kept_by: Option<Kept>,
    /// The experience that it keeps for good, by key.
    pub keeps: Option<String>,
    /// Its texts, in order.
    pub passages: Vec<Passage>,
    /// The steps of a project, oldest first.
    pub steps: Vec<Entry>,
}

/// How an experience is kept for good, with the key of the record that does it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Kept {
    /// It was sure from the start: its node is searched, and it is not.
    Learned(String),
    /// It was asked for so often that a node was made of it.
    Promoted(String),
}

/// A text.
#[derive(Debug, Clone)]
pub struct Passage {
    /// What part of its record it is.
    pub kind: String,
    /// Its heading; empty when there is none.
    pub title: String,
    /// The text.
    pub body: String,
    /// Who said it, when, in which conversation.
    pub provenance: Provenance,
    /// Whether search finds it.
    pub searchable: bool,
    /// Who may see it, of those who see its record.
    pub sharing: Sharing,
}

impl Passage {
    /// A text of which nothing else is known.
    pub fn new(kind: &str, body: impl Into<String>) -> Self {
        Self {
            kind: kind.to_owned(),
            title: String::new(),
            body: body.into(),
            provenance: Provenance::default(),
            searchable: true,
            sharing: Sharing::Shared,
        }
    }
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
    /// Records that were there and have changed in the source since.
    pub updated: usize,
    /// Ties between records.
    pub tied: usize,
    /// Ties whose ends are missing.
    pub loose: usize,
    /// Secrets that were masked.
    pub masked: usize,
}

/// How many changes are on their way at once: they share commits.
const AT_ONCE: usize = 64;

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
    let identities = Identities::of(keeper, load).await?;
    let put = |record| put::put(keeper, load, &identities, record);
    let mut records = stream::iter(&load.records).map(put).buffered(AT_ONCE);
    while let Some(put) = records.next().await {
        imported.count(&put?);
        done += 1;
        progress(done, total);
    }
    let tie = |each| tie(keeper, load, &identities, each);
    let mut ties = stream::iter(&load.ties).map(tie).buffered(AT_ONCE);
    while let Some(tied) = ties.next().await {
        let tied = tied?;
        imported.tied += usize::from(tied);
        imported.loose += usize::from(!tied);
        done += 1;
        progress(done, total);
    }
    Ok(imported)
}

impl Imported {
    fn count(&mut self, put: &put::Put) {
        match put {
            put::Put::Made { masked } => {
                self.made += 1;
                self.masked += masked;
            }
            put::Put::Updated { masked } => {
                self.updated += 1;
                self.masked += masked;
            }
            put::Put::Known => self.known += 1,
        }
    }
}

/// Joins two records; `false` when one of them is not there.
async fn tie(keeper: &Keeper, load: &Load, identities: &Identities, tie: &Tie) -> Reply<bool> {
    let (Some(from), Some(to)) = (identities.uid(&tie.from), identities.uid(&tie.to)) else {
        return Ok(false);
    };
    let kind = Type::of(&tie.type_name)?;
    let mut properties = Properties::new();
    kind.note_in(&mut properties);
    let edge = NewEdge {
        source: NodeRef::Uid(from),
        target: NodeRef::Uid(to),
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
    fn long_texts_are_cut_between_paragraphs_and_lose_nothing() {
        let text = format!("{}\n\n{}\n\n{}", "a".repeat(60), "b".repeat(60), "c".repeat(250));
        let parts = parts(&text, 100);
        assert!(parts.iter().all(|part| part.chars().count() <= 100), "{parts:?}");
        let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).count();
        assert_eq!(parts.iter().map(|part| letters(part)).sum::<usize>(), letters(&text));
        assert!(super::parts("", 100).is_empty());
    }
}

//! Import of memory from other programs, and export.
//!
//! A source is parsed into a [`Load`]: records and ties, each under the key it has in the source.
//! Node ids are derived from these keys. Importing again, or continuing after an interruption,
//! therefore creates nothing twice and does not bring back what was removed; what is new or changed
//! in the source is updated. A node that comes back from another world is recognised as itself, and
//! an export that was edited by hand updates the nodes it was made from.
//!
//! Nothing here touches files; callers read and write them.

mod base;
pub mod chats;
mod export;
mod identity;
pub mod kairn;
mod links;
pub mod notes;
mod own;
mod put;
pub mod reference;
mod same_source;
mod state;

use futures::{StreamExt, stream};
use lore_core::{Error, Properties, Provenance, Timestamp};

pub use export::{Exported, export, relations};
pub use own::{markdown, may_be_replaced, note_id};
pub use state::State;

use super::access;
use super::call::MemoryCall;
use super::kinds::Sharing;
use super::project::Entry;
use super::refusal::Reply;
use base::Bases;
use identity::Identities;
use links::Links;

/// The contents of a source.
#[derive(Debug, Clone, Default)]
pub struct Load {
    /// The name of the source, such as `chatgpt`. It is part of every derived id.
    pub label: String,
    /// Its records.
    pub records: Vec<Record>,
    /// The ties between them.
    pub ties: Vec<Tie>,
    /// The number of entries that could not be parsed.
    pub unreadable: usize,
    /// The location of the source, where that helps to distinguish sources with the same label.
    pub place: Option<String>,
    /// Whether keys are file paths. The same record at another path is then recognised by its
    /// content.
    pub keys_are_places: bool,
    /// Whether records only ever grow, so that a shorter one is an older copy.
    pub only_grows: bool,
}

/// A record of a source: something with a name and texts.
#[derive(Debug, Clone, Default)]
pub struct Record {
    /// Its stable id within the source; the id of the node if it was exported by Lorewell.
    pub key: String,
    /// The id of the node in the world it first came from, if it was exported from another one
    /// since.
    pub origin: Option<String>,
    /// When it was created, if the source says so.
    pub made: Option<Timestamp>,
    /// When it was last changed, if the source says so.
    pub changed: Option<Timestamp>,
    /// The path of its file within the source.
    pub file: Option<String>,
    /// When that file was last written.
    pub written: Option<Timestamp>,
    /// Its state when it was exported, if Lorewell exported it.
    pub state: Option<State>,
    /// Its name.
    pub name: String,
    /// Whether the name is only an excerpt of its text.
    pub derived_name: bool,
    /// Its type.
    pub type_name: String,
    /// Its namespace.
    pub namespace: String,
    /// The subtype of its kind.
    pub subtype: Option<String>,
    /// Other names.
    pub aliases: Vec<String>,
    /// The tags.
    pub tags: Vec<String>,
    /// Its properties.
    pub properties: Properties,
    /// Who may see it.
    pub sharing: Sharing,
    /// The record of its lasting node, if it is an experience that has one.
    pub kept_by: Option<Kept>,
    /// The key of the experience whose lasting node it is.
    pub keeps: Option<String>,
    /// Its texts, in order.
    pub passages: Vec<Passage>,
    /// The steps of a project, oldest first. Its texts that tell of them are in a session with the
    /// key of the record.
    pub steps: Vec<Entry>,
    /// How often it was recalled.
    pub accesses: u64,
}

/// How an experience came to have a lasting node, with the key of that node's record.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Kept {
    /// It was learned with high confidence. Only the node's texts are searchable.
    Learned(String),
    /// It was recalled so often that a node was made of it.
    Promoted(String),
}

/// A text of a record.
#[derive(Debug, Clone)]
pub struct Passage {
    /// The uid of the text it was exported from.
    pub id: Option<String>,
    /// The text kind.
    pub kind: String,
    /// The title; empty if there is none.
    pub title: String,
    /// The body.
    pub body: String,
    /// Who said it, when, and in which conversation.
    pub provenance: Provenance,
    /// Its position in its conversation. If missing, the order of the source counts.
    pub position: Option<i64>,
    /// Whether search finds it.
    pub searchable: bool,
    /// Who may see it, among those who see its record.
    pub sharing: Sharing,
}

impl Passage {
    /// Creates a text with defaults for everything else.
    pub fn new(kind: &str, body: impl Into<String>) -> Self {
        Self {
            id: None,
            kind: kind.to_owned(),
            title: String::new(),
            body: body.into(),
            provenance: Provenance::default(),
            position: None,
            searchable: true,
            sharing: Sharing::Shared,
        }
    }
}

/// A connection between two records.
#[derive(Debug, Clone)]
pub struct Tie {
    /// The key of the record where it starts.
    pub from: String,
    /// The key of the record where it ends.
    pub to: String,
    /// The type of the edge.
    pub type_name: String,
    /// The weight of the edge.
    pub weight: f64,
    /// Who may see it.
    pub sharing: Sharing,
    /// The properties of the edge.
    pub properties: Properties,
}

/// The type of ties that follow from links in a text.
const LINKS_TO: &str = "links_to";

impl Tie {
    /// Creates a tie with defaults for everything else.
    pub fn new(from: String, to: String, type_name: String) -> Self {
        let (sharing, properties) = (Sharing::default(), Properties::new());
        Self { from, to, type_name, weight: 1.0, sharing, properties }
    }
}

/// The result of an import.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Imported {
    /// The number of new records.
    pub made: usize,
    /// The number of records that were there before, or had been removed.
    pub known: usize,
    /// The number of records that were there before and were updated.
    pub updated: usize,
    /// The number of ties whose both ends are there.
    pub tied: usize,
    /// The number of ties with a missing end.
    pub loose: usize,
    /// The number of secrets that were masked.
    pub masked: usize,
    /// The names of nodes that were changed both here and in the source since they were exported.
    pub disputed: Vec<String>,
}

/// How many changes are in progress at once. They share commits.
const AT_ONCE: usize = 64;

/// Imports a load. `progress` is called with the number of steps done and the total.
pub async fn import(
    call: &MemoryCall,
    load: &Load,
    progress: &(dyn Fn(usize, usize) + Send + Sync),
) -> Reply<Imported> {
    call.require_writing()?;
    let label = same_source::label(call, load).await?;
    let load = &Load { label, ..load.clone() };
    // Each record is first identified and then stored.
    let mut done = load.records.len();
    let total = 2 * done + load.ties.len();
    let mut imported = Imported::default();
    let identities = Identities::of(call, load, &|done| progress(done, total)).await?;
    let bases = Bases::of(call, load, &identities).await?;
    let active = put::may_be_active(call, load).await?;
    let putter = put::Putter { call, load, identities: &identities, bases: &bases, active };
    let put = |record| put::put(&putter, record);
    let mut records = stream::iter(&load.records).map(put).buffered(AT_ONCE);
    while let Some(put) = records.next().await {
        imported.count(put?);
        done += 1;
        progress(done, total);
    }
    let links = Links::of(call, load, &identities, &bases).await?;
    let mut ties = stream::iter(&load.ties).map(|tie| links.tie(tie)).buffered(AT_ONCE);
    while let Some(tied) = ties.next().await {
        let tied = tied?;
        imported.tied += usize::from(tied);
        imported.loose += usize::from(!tied);
        done += 1;
        progress(done, total);
    }
    links.untie().await?;
    // The program may end right after the import.
    access::write_counts(&call.app).await;
    Ok(imported)
}

impl Imported {
    fn count(&mut self, put: put::Put) {
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
            put::Put::Disputed { name, is_taken, masked } => {
                self.updated += usize::from(is_taken);
                self.known += usize::from(!is_taken);
                self.masked += masked;
                self.disputed.push(name);
            }
        }
    }
}

/// The error for a source that cannot be parsed.
pub(super) fn not_readable(what: &str, problem: impl std::fmt::Display) -> Error {
    Error::invalid(what, format!("cannot be read: {problem}"), "check the format and the path")
}

//! Memory from and for elsewhere.
//!
//! A source is read into a [`Load`]: records and ties, each under the key that the source
//! itself has for it, wherever the source lies. Ids follow from these keys, so importing
//! again, or going on after an interruption, makes nothing twice and brings nothing back that
//! was removed; what is new in the source, or changed there, is brought up to date. What comes
//! back from a world that it was brought to is what it was before, and what was exported and
//! changed by hand is changed here.
//!
//! Nothing here touches files: whoever calls reads and writes them.

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

use super::keeper::Keeper;
use super::kinds::Sharing;
use super::project::Entry;
use super::refusal::Reply;
use base::Bases;
use identity::Identities;
use links::Links;

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
    /// Where the source lies, where that helps to tell it from another that is called alike.
    pub place: Option<String>,
    /// Whether keys are only places, so that a copy elsewhere is known by what it says.
    pub keys_are_places: bool,
    /// Whether records only ever grow, so that one that says less is an older copy.
    pub only_grows: bool,
}

/// A thing with a name and texts.
#[derive(Debug, Clone, Default)]
pub struct Record {
    /// What it is called within its source, always the same; an id of ours where it is one.
    pub key: String,
    /// The id of ours that it had in the world that it came from there.
    pub origin: Option<String>,
    /// When it was made, if the source says so.
    pub made: Option<Timestamp>,
    /// When it was last changed, if the source says so.
    pub changed: Option<Timestamp>,
    /// The file that it stands in, within its source.
    pub file: Option<String>,
    /// When that file was written.
    pub written: Option<Timestamp>,
    /// What it said when it was exported here.
    pub state: Option<State>,
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
    /// The id of the text that it was exported from.
    pub id: Option<String>,
    /// What part of its record it is.
    pub kind: String,
    /// Its heading; empty when there is none.
    pub title: String,
    /// The text.
    pub body: String,
    /// Who said it, when, in which conversation.
    pub provenance: Provenance,
    /// Its place among the texts of its conversation; else they are in the order of the source.
    pub position: Option<i64>,
    /// Whether search finds it.
    pub searchable: bool,
    /// Who may see it, of those who see its record.
    pub sharing: Sharing,
}

impl Passage {
    /// A text of which nothing else is known.
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
    /// Who shall see it.
    pub sharing: Sharing,
    /// Fields of it.
    pub properties: Properties,
}

/// The type of the ties that stand in a text.
const LINKS_TO: &str = "links_to";

impl Tie {
    /// A tie of which nothing else is known.
    pub fn new(from: String, to: String, type_name: String) -> Self {
        let (sharing, properties) = (Sharing::default(), Properties::new());
        Self { from, to, type_name, weight: 1.0, sharing, properties }
    }
}

/// What an import did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
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
    /// What was changed here and there since it was exported, by name.
    pub disputed: Vec<String>,
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
    let label = same_source::label(keeper, load).await?;
    let load = &Load { label, ..load.clone() };
    let total = load.records.len() + load.ties.len();
    let mut imported = Imported::default();
    let mut done = 0;
    let identities = Identities::of(keeper, load).await?;
    let bases = Bases::of(keeper, load, &identities).await?;
    let active = put::may_be_active(keeper, load).await?;
    let putter = put::Putter { keeper, load, identities: &identities, bases: &bases, active };
    let put = |record| put::put(&putter, record);
    let mut records = stream::iter(&load.records).map(put).buffered(AT_ONCE);
    while let Some(put) = records.next().await {
        imported.count(put?);
        done += 1;
        progress(done, total);
    }
    let links = Links::of(keeper, load, &identities, &bases).await?;
    let mut ties = stream::iter(&load.ties).map(|tie| links.tie(tie)).buffered(AT_ONCE);
    while let Some(tied) = ties.next().await {
        let tied = tied?;
        imported.tied += usize::from(tied);
        imported.loose += usize::from(!tied);
        done += 1;
        progress(done, total);
    }
    links.untie().await?;
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

/// The error for a source that is not what it is said to be.
pub(super) fn not_readable(what: &str, problem: impl std::fmt::Display) -> Error {
    Error::invalid(what, format!("cannot be read: {problem}"), "check the format and the path")
}

//! Memory from and for elsewhere.
//!
//! A source is read into a [`Load`]: records and ties, each under the key that the source
//! itself has for it, wherever the source lies. Ids follow from these keys, so importing
//! again, or going on after an interruption, makes nothing twice and brings nothing back that
//! was removed; what is new in the source, or changed there, is brought up to date. What comes
//! back from a world that it was brought to is what it was before.
//!
//! Nothing here touches files: whoever calls reads and writes them.

pub mod chats;
mod export;
mod identity;
pub mod kairn;
pub mod notes;
mod own;
mod put;
pub mod reference;
mod same_source;

use std::collections::{HashMap, HashSet};

use futures::{StreamExt, stream};
use lore_core::{Edge, Error, NodeId, Properties, Provenance, Timestamp, Uid};
use lore_store::{Change, Direction, EdgeRef, Expect, NewEdge, NodeKey, NodeRef, StoreError};
use serde_json::json;

pub use export::{Exported, export, relations};
pub use own::{markdown, note_id};

use super::keeper::Keeper;
use super::kinds::{Sharing, Type, word};
use super::project::Entry;
use super::refusal::Reply;
use identity::{Identities, Identity, SOURCE};

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
    let label = same_source::label(keeper, load).await?;
    let load = &Load { label, ..load.clone() };
    let total = load.records.len() + load.ties.len();
    let mut imported = Imported::default();
    let mut done = 0;
    let identities = Identities::of(keeper, load).await?;
    let active = put::may_be_active(keeper, load).await?;
    let put = |record| put::put(keeper, load, &identities, active, record);
    let mut records = stream::iter(&load.records).map(put).buffered(AT_ONCE);
    while let Some(put) = records.next().await {
        imported.count(&put?);
        done += 1;
        progress(done, total);
    }
    let joined = joined(keeper, &identities).await?;
    let tie = |each| tie(keeper, load, &identities, &joined, each);
    let mut ties = stream::iter(&load.ties).map(tie).buffered(AT_ONCE);
    while let Some(tied) = ties.next().await {
        let tied = tied?;
        imported.tied += usize::from(tied);
        imported.loose += usize::from(!tied);
        done += 1;
        progress(done, total);
    }
    if load.keys_are_places {
        untie(keeper, load, &identities).await?;
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

/// Joins two records; `false` when one of them is not there. What is joined already stays as
/// it is.
async fn tie(
    keeper: &Keeper,
    load: &Load,
    identities: &Identities,
    joined: &HashSet<Join>,
    tie: &Tie,
) -> Reply<bool> {
    let (Some(from), Some(to)) = (identities.uid(&tie.from), identities.uid(&tie.to)) else {
        return Ok(false);
    };
    let kind = Type::of(&tie.type_name)?;
    if joined.contains(&(from, to, kind.kind.as_str().to_owned())) {
        return Ok(true);
    }
    let mut properties = tie.properties.clone();
    kind.note_in(&mut properties);
    if load.keys_are_places && tie.type_name == LINKS_TO {
        properties.insert(SOURCE.into(), json!(load.label));
    }
    let edge = NewEdge {
        source: NodeRef::Uid(from),
        target: NodeRef::Uid(to),
        kind: kind.kind,
        weight: if tie.weight.is_finite() { tie.weight } else { 1.0 },
        visibility: tie.sharing.visibility(&keeper.viewer),
        properties,
    };
    let mut batch = keeper.batch().change(Change::PutEdge(edge));
    batch.origin.source = Some(load.label.clone());
    match keeper.app.commit(&keeper.viewer, batch).await {
        Ok(_) => Ok(true),
        Err(StoreError::NotFound(_) | StoreError::Exists(_)) => Ok(false),
        Err(other) => Err(other.into()),
    }
}

/// An edge by its two ends and its kind.
type Join = (Uid, Uid, String);

/// The edges that are there between the nodes of a load.
async fn joined(keeper: &Keeper, identities: &Identities) -> Reply<HashSet<Join>> {
    /// How many nodes are looked at together, and how many edges of them.
    const PAGE: usize = 500;
    const EDGES: usize = 100_000;
    let (store, viewer) = (&keeper.app.store, &keeper.viewer);
    let mut here: HashMap<NodeId, Uid> = HashMap::new();
    for uids in identities.uids().chunks(PAGE) {
        let nodes = store.nodes_by_uid(viewer, uids).await?;
        here.extend(nodes.into_iter().map(|node| (node.id, node.uid)));
    }
    let ids: Vec<NodeId> = here.keys().copied().collect();
    let mut joined = HashSet::new();
    for ids in ids.chunks(PAGE) {
        let edges = store.neighbours(viewer, ids, Direction::Out, &[], EDGES).await?;
        let ends = |edge: &Edge| Some((*here.get(&edge.source)?, *here.get(&edge.target)?));
        let join =
            |edge: Edge| ends(&edge).map(|(from, to)| (from, to, edge.kind.as_str().to_owned()));
        joined.extend(edges.into_iter().filter_map(join));
    }
    Ok(joined)
}

/// Takes links away that a source made and no longer has.
async fn untie(keeper: &Keeper, load: &Load, identities: &Identities) -> Reply<()> {
    /// More links of one note than anybody makes.
    const MANY: usize = 10_000;
    let uids = |tie: &Tie| Some((identities.uid(&tie.from)?, identities.uid(&tie.to)?));
    let wanted: HashSet<_> = load.ties.iter().filter_map(uids).collect();
    let (store, viewer, kinds) = (&keeper.app.store, &keeper.viewer, [word(LINKS_TO)?]);
    for record in &load.records {
        let Some(Identity::Sourced(uid)) = identities.get(&record.key) else { continue };
        let Some(node) = store.node(viewer, NodeKey::Uid(uid)).await? else { continue };
        let mut edges = store.neighbours(viewer, &[node.id], Direction::Out, &kinds, MANY).await?;
        edges.retain(|edge| edge.properties.get(SOURCE) == Some(&json!(load.label)));
        let ends: Vec<_> = edges.iter().map(|edge| edge.target).collect();
        let ends = store.nodes(viewer, &ends).await?;
        let is_wanted = |edge: &Edge| {
            let end = ends.iter().find(|end| end.id == edge.target);
            end.is_some_and(|end| wanted.contains(&(uid, end.uid)))
        };
        let mut batch = keeper.batch();
        let stale = edges.iter().filter(|edge| !is_wanted(edge));
        let bin = |edge: &Edge| Change::DeleteEdge(EdgeRef::Id(edge.id), Expect::Any);
        batch.changes.extend(stale.map(bin));
        if !batch.changes.is_empty() {
            store.commit(viewer, batch).await?;
        }
    }
    Ok(())
}

/// The error for a source that is not what it is said to be.
pub(super) fn not_readable(what: &str, problem: impl std::fmt::Display) -> Error {
    Error::invalid(what, format!("cannot be read: {problem}"), "check the format and the path")
}

//! Merging entities.
//!
//! A merge moves one entity into the bin (soft-deletes it) and gives its names, relations and texts
//! to the other, the survivor. The survivor's log records what was given, so that the merge can be
//! undone:
//!
//! - `unmerge` undoes a merge.
//! - `shares` tells what each of the entities merged into one contributed.
//! - `bin` finds what a merged entity is part of when that lies in the bin itself.
//! - `mentioned` records which of them an edge from a document is about, and `named` finds out
//!   which of them a text means.

pub(super) mod bin;
pub(super) mod mentioned;
pub(super) mod named;
pub(super) mod shares;
pub(super) mod unmerge;

pub use unmerge::unmerge;

use std::collections::HashMap;

use futures::FutureExt;
use lore_core::{
    Edge, Error, Event, Node, NodeId, PrincipalId, Properties, Result, Text, Uid, Visibility,
};
use lore_store::{
    Batch, Bin, Change, Direction, Expect, NewEdge, NewText, NodePatch, NodeRef, Require,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::entities::history::{self, Entry, MERGED, stricter};
use super::entities::register::fresh_names;
use super::entities::{Entity, ontology, uri};
use super::librarian::Librarian;
use super::relations::predicates::a;
use super::relations::{EDGES_MAX, by_notes, is_bookkeeping, is_relation, tellings};
use crate::pages::live;
use crate::play::word;
use mentioned::Mentioned;
use shares::{Shares, entity_of};

/// Text kind of a post: a further text attached to a page.
const POST: &str = "post";
/// Text kind of a page's main text. A page has only one.
const ENTRY: &str = "entry";

/// What a merge gave to the survivor, as stored in its log.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Given {
    pub(super) uid: String,
    pub(super) uri: String,
    pub(super) name: String,
    pub(super) aliases: Vec<String>,
    /// The survivor's own aliases at that time. Missing in older entries.
    #[serde(default)]
    pub(super) stays: Option<Vec<String>>,
    pub(super) uris: Vec<String>,
    /// The URI under which the survivor was named, if that is the URI of an entity merged into it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) of: Option<String>,
    pub(super) edges: Vec<Triple>,
    /// Edges that both entities had. Missing in older entries.
    #[serde(default)]
    pub(super) shared: Vec<Triple>,
    /// Ids of edges that lie in the bin with the merged entity and that no edge of the survivor
    /// stands for: those between the two, and relations that the survivor has with another
    /// visibility. Missing in older entries.
    #[serde(default)]
    pub(super) aside: Vec<i64>,
    /// When it was merged, if the survivor was itself merged into another entity at that time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) at: Option<String>,
    pub(super) texts: Vec<String>,
    /// The originals of `texts`, in the same order. Missing in older entries.
    #[serde(default)]
    pub(super) originals: Vec<String>,
    /// Who could see each of `texts` when it was copied, in the same order. Missing in older
    /// entries.
    #[serde(default)]
    pub(super) seen: Vec<Seen>,
}

/// A visibility, as stored in a log.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Seen {
    Members,
    Gm,
    Private(i64),
}

impl From<Visibility> for Seen {
    fn from(visibility: Visibility) -> Self {
        match visibility {
            Visibility::Members => Self::Members,
            Visibility::Gm => Self::Gm,
            Visibility::Private(who) => Self::Private(who.0),
        }
    }
}

impl From<Seen> for Visibility {
    fn from(seen: Seen) -> Self {
        match seen {
            Seen::Members => Self::Members,
            Seen::Gm => Self::Gm,
            Seen::Private(who) => Self::Private(PrincipalId(who)),
        }
    }
}

/// Source, kind and target of an edge.
type Triple = (i64, String, i64);

impl Given {
    /// Whether a log entry is about the merged entity or about anything merged into it earlier.
    fn is_told_of(&self, event: &Event) -> bool {
        entity_of(event).is_some_and(|of| self.uris.contains(&of))
    }
}

/// The result of a merge.
#[derive(Debug, Clone, PartialEq)]
pub struct Merged {
    /// The survivor.
    pub entity: Entity,
    /// The name of the merged entity if everybody saw it and not everybody sees the survivor.
    pub out_of_sight: Option<String>,
}

/// Merges the entity `from` into `into`, which survives.
pub async fn merge(librarian: &Librarian, from: &str, into: &str, reason: &str) -> Result<Merged> {
    history::check_reason(reason)?;
    // What the caller does not see of the one goes to the other as well.
    let eyes = &librarian.all_seeing();
    let plan = || {
        async move {
            let (goes, stays) = (librarian.entity(from).await?, librarian.entity(into).await?);
            check_merge(&goes, &stays)?;
            check_whole(&Shares::of(librarian, &goes).await?, &goes, from)?;
            check_going(librarian, &goes, &stays).await?;
            librarian.may_change(&goes.node)?;
            librarian.may_change(&stays.node)?;
            let lost = (is_open(&goes) && !is_open(&stays)).then(|| goes.node.name.clone());
            let (goes, stays) = (eyes.entity(&goes.uri).await?, eyes.entity(&stays.uri).await?);
            let pair = Pair { from: &goes, into: &stays, told: into };
            Ok((merged(eyes, pair, reason).await?, (stays.uri, lost)))
        }
        .boxed()
    };
    let (uri, out_of_sight) = librarian.carry_out_whole(plan).await?;
    Ok(Merged { entity: librarian.entity(&uri).await?, out_of_sight })
}

/// The two entities of a merge, and the URI or name under which the survivor was named.
struct Pair<'a> {
    from: &'a Entity,
    into: &'a Entity,
    told: &'a str,
}

/// Fails if `uri` names an entity that is itself merged into another, which would go with it.
fn check_whole(shares: &Shares, goes: &Entity, uri: &str) -> Result<()> {
    let Some((part, _)) = shares.meant(uri) else { return Ok(()) };
    let (name, whole) = (&part.given.name, &goes.node.name);
    Err(Error::Precondition {
        message: format!("{name:?} is merged into {whole:?}, which would go with it"),
        hint: format!("undo that with /entity/unmerge first, or merge {}", goes.uri),
    })
}

fn check_merge(from: &Entity, into: &Entity) -> Result<()> {
    if from.node.id == into.node.id {
        return Err(Error::Precondition {
            message: "these are one entity already".into(),
            hint: "nothing needs to be merged".into(),
        });
    }
    if from.entity_type != into.entity_type {
        let (one, other) = (a(from.entity_type.as_str()), a(into.entity_type.as_str()));
        return Err(Error::Precondition {
            message: format!("{:?} is {one} and {:?} {other}", from.node.name, into.node.name),
            hint: hint_of_types(from, into),
        });
    }
    if !is_open(from) && is_open(into) {
        let (hidden, open) = (&from.node.name, &into.node.name);
        return Err(Error::Precondition {
            message: format!("{hidden:?} is hidden and {open:?} is not"),
            hint: format!(
                "merging would show its name to everybody; merged the other way round, {open:?} \
                 is gone for players, with its texts and relations, until they part again: do \
                 that if they may lose sight of it, or else keep both, joined by a relation"
            ),
        });
    }
    Ok(())
}

fn is_open(entity: &Entity) -> bool {
    entity.node.visibility == Visibility::Members
}

/// Tells how two entities of different types can be merged after all.
fn hint_of_types(from: &Entity, into: &Entity) -> String {
    let fits = |(one, other): &(&Entity, &Entity)| ontology::can_be(&one.node, other.entity_type);
    match [(from, into), (into, from)].into_iter().find(fits) {
        Some((one, other)) => {
            let (name, other) = (&one.node.name, other.entity_type.as_str());
            format!("make {name:?} {} with /entity/retype first", a(other))
        }
        None => "the types of pages stay: put what one says into the other with update_entities, \
                 then delete it with delete_entities"
            .into(),
    }
}

/// Fails if the entity to be merged away is kept on Kanka: the next sync would bring it back.
async fn check_going(librarian: &Librarian, from: &Entity, into: &Entity) -> Result<()> {
    let kept = |node| live::keeps(&librarian.app, &librarian.viewer, node);
    if !kept(&from.node).await? {
        return Ok(());
    }
    let hint = match kept(&into.node).await? {
        true => {
            "both are: put what one says into the other with update_entities, then delete it \
                 with delete_entities"
        }
        // A hidden entity cannot be merged into an open one.
        false if into.node.visibility != from.node.visibility => {
            "give the page the other name with /entity/alias"
        }
        false => "merge the other way round, so that the page of Kanka stays",
    };
    let message = format!("{:?} is kept on Kanka, so it cannot go from here", from.node.name);
    Err(Error::Precondition { message, hint: hint.into() })
}

async fn merged(librarian: &Librarian, pair: Pair<'_>, reason: &str) -> Result<Batch> {
    let Pair { from, into, told } = pair;
    let names = std::iter::once(&from.node.name).chain(&from.node.aliases);
    let aliases = fresh_names(&into.node, names);
    let mut uris = vec![from.uri.clone()];
    uris.extend(same_as(&from.node));
    let MovedEdges { edges, shared, aside, joins } = moved_edges(librarian, from, into).await?;
    let Copied { texts, originals, seen, copies } = copied_texts(librarian, from, into).await?;
    let behind = json!({
        "edges": edges.hidden, "shared": shared.hidden, "aside": aside.hidden,
        "texts": texts.hidden, "originals": originals.hidden, "seen": seen.hidden,
    });
    let shares = Shares::of(librarian, into).await?;
    let mut properties = into.node.properties.clone();
    let all: Vec<String> = same_as(&into.node).into_iter().chain(uris.clone()).collect();
    properties.insert(uri::SAME_AS.into(), json!(all));
    let numbers = same_numbers(&into.node).into_iter().chain(numbers(&from.node));
    properties.insert(uri::SAME_NUMBERS.into(), json!(numbers.collect::<Vec<i64>>()));
    let patch = NodePatch {
        aliases: Some(into.node.aliases.iter().chain(&aliases).cloned().collect()),
        properties: Some(properties),
        ..NodePatch::default()
    };
    let given = Given {
        uid: from.node.uid.to_string(),
        uri: from.uri.clone(),
        name: from.node.name.clone(),
        aliases,
        of: shares.meant_by(told, &into.node.name).cloned(),
        stays: Some(shares.own),
        uris,
        edges: edges.open,
        shared: shared.open,
        aside: aside.open,
        at: None,
        texts: texts.open,
        originals: originals.open,
        seen: seen.open,
    };
    let beside = from.node.visibility;
    let entry = Entry { kind: MERGED, reason, details: json!(given), behind, beside };
    let (stays, goes) = (NodeRef::Id(into.node.id), NodeRef::Id(from.node.id));
    if entry.size() > history::SIZE_MAX {
        return Err(too_large(from, "relations, mentions and texts"));
    }
    let mut batch = librarian
        .batch()
        .require(Require::NodeAt { node: goes, version: from.node.version })
        .change(Change::UpdateNode(stays, Expect::Version(into.node.version), patch));
    batch.changes.extend(joins);
    batch.changes.extend(copies);
    let gone = Change::DeleteNode(goes, Expect::Version(from.node.version));
    Ok(batch.change(gone).change(history::append(librarian, &into.node, entry, None)))
}

/// Moved items, separated into those that everybody may learn of and those that are hidden.
struct Moved<T> {
    open: Vec<T>,
    hidden: Vec<T>,
}

impl<T> Moved<T> {
    const NOTHING: Self = Self { open: Vec::new(), hidden: Vec::new() };

    fn add(&mut self, visibility: Visibility, one: T) {
        match visibility {
            Visibility::Members => self.open.push(one),
            Visibility::Gm | Visibility::Private(_) => self.hidden.push(one),
        }
    }
}

/// The edges affected by a merge: those given to the survivor, those both entities had, the ids of
/// those set aside, and the changes to make.
struct MovedEdges {
    edges: Moved<Triple>,
    shared: Moved<Triple>,
    aside: Moved<i64>,
    joins: Vec<Change>,
}

/// Moves the edges of the merged entity to the survivor, where it has no such edge yet.
async fn moved_edges(librarian: &Librarian, from: &Entity, into: &Entity) -> Result<MovedEdges> {
    let mut known: HashMap<Ends, Vec<Edge>> = HashMap::new();
    for edge in edges_of(librarian, into).await? {
        known.entry(ends(&edge)).or_default().push(edge);
    }
    let (edges, shared, aside) = (Moved::NOTHING, Moved::NOTHING, Moved::NOTHING);
    let mut moved = MovedEdges { edges, shared, aside, joins: Vec::new() };
    let edges = edges_of(librarian, from).await?;
    let nodes = ends_of(librarian, &edges).await?;
    let seen = |end| nodes.get(&end).map_or(Visibility::Gm, |node| node.visibility);
    // Bookkeeping follows from what its toolset keeps of either entity, so it stays with both.
    for edge in edges.into_iter().filter(|edge| !is_bookkeeping(edge, &nodes)) {
        let place = |end| if end == from.node.id { into.node.id } else { end };
        let (source, target) = (place(edge.source), place(edge.target));
        let visibility = stricter(edge.visibility, from.node.visibility);
        let by = stricter(visibility, stricter(seen(edge.source), seen(edge.target)));
        let triple = (source.0, edge.kind.to_string(), target.0);
        let own = known.get(&(source, edge.kind.to_string(), target)).and_then(|known| {
            let alike = known.iter().find(|own| own.visibility == visibility);
            alike.or(known.first())
        });
        // A hidden relation must not be added to one that everybody sees.
        let is_apart = own.is_some_and(|own| is_relation(own) && own.visibility != visibility);
        if source == target || is_apart {
            moved.aside.add(by, edge.id.0);
            continue;
        }
        if let Some(own) = own {
            moved.shared.add(by, triple);
            moved.joins.extend(told_too(own, &edge, from));
            continue;
        }
        moved.edges.add(by, triple);
        let (weight, properties) = as_told(&edge, from);
        moved.joins.push(Change::PutEdge(NewEdge {
            source: NodeRef::Id(source),
            target: NodeRef::Id(target),
            kind: edge.kind,
            weight,
            visibility,
            properties,
        }));
    }
    Ok(moved)
}

/// Returns the weight and properties that an edge of the merged entity has under its URI.
fn as_told(edge: &Edge, from: &Entity) -> (f64, Properties) {
    let properties = edge.properties.clone();
    if is_relation(edge) {
        let tellings = tellings::named(tellings::of(edge), edge, from.node.id, &from.uri);
        return tellings::held(&properties, &tellings).unwrap_or((edge.weight, properties));
    }
    match edge.target == from.node.id {
        true => (edge.weight, mentioned(edge, from).kept(&properties)),
        false => (edge.weight, properties),
    }
}

/// Adds what an edge of the merged entity (`edge`) states to the same edge of the survivor (`own`).
fn told_too(own: &Edge, edge: &Edge, from: &Entity) -> Option<Change> {
    if is_relation(own) {
        let mut tellings = tellings::of(own);
        tellings::add(
            &mut tellings,
            tellings::named(tellings::of(edge), edge, from.node.id, &from.uri),
        );
        return tellings::retold(own, &tellings);
    }
    if edge.target != from.node.id {
        return None;
    }
    let all = Mentioned::of(own).and(mentioned(edge, from));
    Some(by_notes::with(own, all.kept(&own.properties)))
}

/// Returns whom a mention of the merged entity is about, with that entity under its URI.
fn mentioned(edge: &Edge, from: &Entity) -> Mentioned {
    Mentioned::of(edge).renamed("", &from.uri)
}

/// Returns the nodes at the ends of edges.
async fn ends_of(librarian: &Librarian, edges: &[Edge]) -> Result<HashMap<NodeId, Node>> {
    let ids: Vec<NodeId> = edges.iter().flat_map(|edge| [edge.source, edge.target]).collect();
    let nodes = librarian.app.store.nodes(&librarian.viewer, &ids).await?;
    Ok(nodes.into_iter().map(|node| (node.id, node)).collect())
}

/// Returns all edges of an entity that is to be merged. Fails if there are more than one batch and
/// one log entry can hold.
async fn edges_of(librarian: &Librarian, entity: &Entity) -> Result<Vec<Edge>> {
    let (store, nodes) = (&librarian.app.store, [entity.node.id]);
    let edges =
        store.neighbours(&librarian.viewer, &nodes, Direction::Both, &[], EDGES_MAX + 1).await?;
    match edges.len() > EDGES_MAX {
        true => Err(too_large(entity, "relations and mentions")),
        false => Ok(edges),
    }
}

fn too_large(entity: &Entity, what: &str) -> Error {
    Error::Precondition {
        message: format!("{:?} has too many {what} to be merged", entity.node.name),
        hint: "merge the other way round, or keep both, joined by a relation".into(),
    }
}

/// Source, kind and target of an edge.
type Ends = (NodeId, String, NodeId);

fn ends(edge: &Edge) -> Ends {
    (edge.source, edge.kind.to_string(), edge.target)
}

/// Copied texts, their originals, and the changes that create the copies.
struct Copied {
    texts: Moved<String>,
    originals: Moved<String>,
    seen: Moved<Seen>,
    copies: Vec<Change>,
}

/// Copies the texts of the merged entity to the survivor.
async fn copied_texts(librarian: &Librarian, from: &Entity, into: &Entity) -> Result<Copied> {
    let texts = texts_of(librarian, from.node.id).await?;
    let last = texts_of(librarian, into.node.id).await?.iter().map(|text| text.position).max();
    let mut position = last.unwrap_or_default();
    let (copies, originals, seen) = (Moved::NOTHING, Moved::NOTHING, Moved::NOTHING);
    let mut copied = Copied { texts: copies, originals, seen, copies: Vec::new() };
    for text in texts {
        let uid = librarian.app.effects.uid();
        position += 1;
        let original = text.uid.to_string();
        let copy = copy(uid, from, into, text, position)?;
        copied.texts.add(copy.visibility, uid.to_string());
        copied.originals.add(copy.visibility, original);
        copied.seen.add(copy.visibility, copy.visibility.into());
        copied.copies.push(Change::CreateText(copy));
    }
    Ok(copied)
}

pub(super) async fn texts_of(librarian: &Librarian, node: NodeId) -> Result<Vec<Text>> {
    Ok(librarian.app.store.texts_of(&librarian.viewer, node, Bin::Live).await?)
}

fn copy(uid: Uid, from: &Entity, into: &Entity, text: Text, position: i64) -> Result<NewText> {
    // A page has only one main text, so the other's main text becomes a post.
    let kind = if text.kind.as_str() == ENTRY { word(POST)? } else { text.kind };
    let untitled = text.title.is_empty() && kind.as_str() == POST;
    Ok(NewText {
        title: if untitled { from.node.name.clone() } else { text.title },
        position,
        provenance: text.provenance,
        searchable: text.searchable,
        visibility: stricter(text.visibility, from.node.visibility),
        ..NewText::new(uid, NodeRef::Id(into.node.id), kind, text.body)
    })
}

/// Returns the URIs of everything merged into a node.
pub(super) fn same_as(node: &Node) -> Vec<String> {
    let known = node.properties.get(uri::SAME_AS).and_then(Value::as_array);
    known.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Returns the numbers of everything merged into a node.
pub(super) fn same_numbers(node: &Node) -> Vec<i64> {
    let known = node.properties.get(uri::SAME_NUMBERS).and_then(Value::as_array);
    known.into_iter().flatten().filter_map(Value::as_i64).collect()
}

/// Returns the numbers that mention a node: its own and those of everything merged into it.
fn numbers(node: &Node) -> Vec<i64> {
    std::iter::once(node.number).chain(same_numbers(node)).collect()
}

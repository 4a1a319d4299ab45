//! Merging entities, undoing it, and the log that says why.
//!
//! A merge puts one entity into the bin and gives the other its names, relations and
//! texts. What was given is written into the log of the one that stays, so that undoing
//! takes back exactly that.

use std::collections::HashSet;

use futures::FutureExt;
use lore_core::{Edge, Error, Event, Node, NodeId, Result, Text, Timestamp, Uid, Visibility};
use lore_store::{
    Batch, Bin, Change, Direction, EventOrder, EventQuery, Expect, NewEdge, NewEvent, NewEvents,
    NewText, NodePatch, NodeRef, Require, TextRef,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::changes::fresh_names;
use super::entities::Entity;
use super::librarian::Librarian;
use super::parting::{self, Parting};
use super::predicates::a;
use super::relations::EDGES_MAX;
use super::{kept_notes, uri};
use crate::pages::live;
use crate::play::word;

/// Entry: another entity was merged into this one.
pub(super) const MERGED: &str = "ENTITY_MERGED";
/// Entry: a merge was undone.
pub(super) const UNMERGED: &str = "ENTITY_UNMERGED";
/// Entry: it is of another type now.
pub(super) const RETYPED: &str = "ENTITY_RETYPED";
/// Entry: it has another name now.
pub(super) const RENAMED: &str = "ENTITY_RENAMED";
/// Entry: it has another name besides.
pub(super) const ALIAS_ADDED: &str = "ALIAS_ADDED";
/// Entry: it has a name less.
pub(super) const ALIAS_REMOVED: &str = "ALIAS_REMOVED";
/// In the details of an added name: the URI of what was merged and is called so.
pub(super) const OF: &str = "of";

/// Longest reason, in characters.
const REASON_MAX: usize = 2_000;
/// Text kind of what pages hang onto another.
const POST: &str = "post";
/// Text kind of a page's own text, of which a page has one.
const ENTRY: &str = "entry";

/// Something that was done to an entity.
#[derive(Debug, Clone, PartialEq)]
pub struct Logged {
    /// Its place in the log.
    pub sequence: i64,
    /// When.
    pub at: Timestamp,
    /// What.
    pub kind: String,
    /// Why, as it was given.
    pub reason: String,
    /// What exactly.
    pub details: Value,
}

/// An entry to make.
pub(super) struct Entry<'a> {
    pub(super) kind: &'static str,
    pub(super) reason: &'a str,
    pub(super) details: Value,
}

/// What a merge gave to the entity that stays.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Given {
    pub(super) uid: String,
    pub(super) uri: String,
    pub(super) name: String,
    pub(super) aliases: Vec<String>,
    uris: Vec<String>,
    pub(super) edges: Vec<(i64, String, i64)>,
    texts: Vec<String>,
}

/// What was done to an entity, newest first.
pub async fn history(librarian: &Librarian, uri: &str) -> Result<Vec<Logged>> {
    let entity = librarian.entity(uri).await?;
    let events = events(librarian, entity.node.id).await?;
    Ok(events.into_iter().map(logged).collect())
}

/// Merges the entity `from` into `into`.
pub async fn merge(librarian: &Librarian, from: &str, into: &str, reason: &str) -> Result<Entity> {
    check_reason(reason)?;
    let plan = || {
        async move {
            let from = librarian.entity(from).await?;
            let into = librarian.entity(into).await?;
            check_merge(&from, &into)?;
            check_going(librarian, &from, &into).await?;
            librarian.may_change(&from.node)?;
            librarian.may_change(&into.node)?;
            Ok((merged(librarian, &from, &into, reason).await?, into.uri))
        }
        .boxed()
    };
    let uri = librarian.carry_out(plan).await?;
    librarian.entity(&uri).await
}

fn check_reason(reason: &str) -> Result<()> {
    lore_core::names::checked_length("reason", reason, REASON_MAX)
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
            hint: "give one of them the type of the other with /entity/retype first".into(),
        });
    }
    let hidden = |entity: &Entity| entity.node.visibility != Visibility::Members;
    if hidden(from) && !hidden(into) {
        return Err(Error::Precondition {
            message: format!("{:?} is hidden and {:?} is not", from.node.name, into.node.name),
            hint: "merging would show its name to everybody: merge the other way round".into(),
        });
    }
    Ok(())
}

/// Fails where the one that would go is Kanka's: it would come back with the next look.
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
        // A hidden one is not merged into an open one.
        false if into.node.visibility != from.node.visibility => {
            "give the page the other name with /entity/alias"
        }
        false => "merge the other way round, so that the page of Kanka stays",
    };
    let message = format!("{:?} is kept on Kanka, so it cannot go from here", from.node.name);
    Err(Error::Precondition { message, hint: hint.into() })
}

async fn merged(
    librarian: &Librarian,
    from: &Entity,
    into: &Entity,
    reason: &str,
) -> Result<Batch> {
    let names = std::iter::once(&from.node.name).chain(&from.node.aliases);
    let aliases = fresh_names(&into.node, names);
    let mut uris = vec![from.uri.clone()];
    uris.extend(same_as(&from.node));
    let (edges, joins) = moved_edges(librarian, from, into).await?;
    let (texts, copies) = copied_texts(librarian, from, into).await?;
    let mut properties = into.node.properties.clone();
    let all: Vec<String> = same_as(&into.node).into_iter().chain(uris.clone()).collect();
    properties.insert(uri::SAME_AS.into(), json!(all));
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
        uris,
        edges,
        texts,
    };
    let entry = Entry { kind: MERGED, reason, details: json!(given) };
    let (stays, goes) = (NodeRef::Id(into.node.id), NodeRef::Id(from.node.id));
    let mut batch = librarian
        .batch()
        .require(Require::NodeAt { node: goes, version: from.node.version })
        .change(Change::UpdateNode(stays, Expect::Version(into.node.version), patch));
    batch.changes.extend(joins);
    batch.changes.extend(copies);
    let gone = Change::DeleteNode(goes, Expect::Version(from.node.version));
    Ok(batch.change(gone).change(append(librarian, &into.node, entry, None)))
}

/// Edges of the one that goes, as edges of the one that stays, where there is none yet.
async fn moved_edges(
    librarian: &Librarian,
    from: &Entity,
    into: &Entity,
) -> Result<(Vec<(i64, String, i64)>, Vec<Change>)> {
    let mut known: HashSet<(NodeId, String, NodeId)> =
        edges_of(librarian, into.node.id).await?.iter().map(ends).collect();
    let (mut moved, mut changes) = (Vec::new(), Vec::new());
    for edge in edges_of(librarian, from.node.id).await? {
        let place = |end| if end == from.node.id { into.node.id } else { end };
        let (source, target) = (place(edge.source), place(edge.target));
        if source == target || !known.insert((source, edge.kind.to_string(), target)) {
            continue;
        }
        moved.push((source.0, edge.kind.to_string(), target.0));
        changes.push(Change::PutEdge(NewEdge {
            source: NodeRef::Id(source),
            target: NodeRef::Id(target),
            kind: edge.kind,
            weight: edge.weight,
            visibility: stricter(edge.visibility, from.node.visibility),
            properties: edge.properties,
        }));
    }
    Ok((moved, changes))
}

pub(super) async fn edges_of(librarian: &Librarian, node: NodeId) -> Result<Vec<Edge>> {
    let store = &librarian.app.store;
    Ok(store.neighbours(&librarian.viewer, &[node], Direction::Both, &[], EDGES_MAX).await?)
}

pub(super) fn ends(edge: &Edge) -> (NodeId, String, NodeId) {
    (edge.source, edge.kind.to_string(), edge.target)
}

/// Texts of the one that goes, for the one that stays.
async fn copied_texts(
    librarian: &Librarian,
    from: &Entity,
    into: &Entity,
) -> Result<(Vec<String>, Vec<Change>)> {
    let texts = texts_of(librarian, from.node.id).await?;
    let last = texts_of(librarian, into.node.id).await?.iter().map(|text| text.position).max();
    let mut position = last.unwrap_or_default();
    let (mut copied, mut changes) = (Vec::new(), Vec::new());
    for text in texts {
        let uid = librarian.app.effects.uid();
        position += 1;
        copied.push(uid.to_string());
        changes.push(Change::CreateText(copy(uid, from, into, text, position)?));
    }
    Ok((copied, changes))
}

pub(super) async fn texts_of(librarian: &Librarian, node: NodeId) -> Result<Vec<Text>> {
    Ok(librarian.app.store.texts_of(&librarian.viewer, node, Bin::Live).await?)
}

fn copy(uid: Uid, from: &Entity, into: &Entity, text: Text, position: i64) -> Result<NewText> {
    // A page has one text of its own; that of another hangs onto it.
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

fn stricter(one: Visibility, other: Visibility) -> Visibility {
    match (one, other) {
        (Visibility::Members, stricter) | (stricter, Visibility::Members) => stricter,
        (Visibility::Private(who), _) | (_, Visibility::Private(who)) => Visibility::Private(who),
        (Visibility::Gm, Visibility::Gm) => Visibility::Gm,
    }
}

/// Undoes the merge that took the entity with this URI away.
pub async fn unmerge(librarian: &Librarian, uri: &str, reason: &str) -> Result<Entity> {
    check_reason(reason)?;
    let plan = || {
        async move {
            let kept = librarian.entity(uri).await?;
            librarian.may_change(&kept.node)?;
            let (sequence, given) = merge_of(librarian, &kept, uri).await?;
            Ok((unmerged(librarian, &kept, sequence, given, reason).await?, kept.uri))
        }
        .boxed()
    };
    let kept = librarian.carry_out(plan).await?;
    let restored = librarian.entity(uri).await?;
    if let Err(error) = kept_notes::forget_unsaid(librarian, &kept).await {
        tracing::info!(%error, uri = kept, "an entity whose note is gone was not taken away");
    }
    // Notes that were edited meanwhile say of it what its relations were before.
    if let Err(error) = kept_notes::reread(librarian, &restored).await {
        tracing::info!(%error, uri, "the notes about an entity were not read again");
    }
    librarian.entity(uri).await
}

/// The merge that took a URI away and was not undone yet.
async fn merge_of(librarian: &Librarian, kept: &Entity, uri: &str) -> Result<(i64, Given)> {
    let events = events(librarian, kept.node.id).await?;
    let undone: HashSet<i64> = events.iter().filter_map(|event| event.settles).collect();
    let merges = events.iter().filter(|event| event.kind == MERGED);
    let open = merges.filter(|event| !undone.contains(&event.sequence));
    let open: Vec<(i64, Given)> = open
        .filter_map(|event| Some((event.sequence, serde_json::from_value(details(event)).ok()?)))
        .collect();
    let through = open.iter().find(|(_, given)| given.uris.iter().any(|known| known == uri));
    let through = through.map(|(_, given)| given.name.clone());
    let own = open.into_iter().find(|(_, given)| given.uri == uri);
    own.ok_or_else(|| match through {
        Some(name) => Error::Precondition {
            message: format!("it came here as part of {name:?}"),
            hint: "undo that merge first".into(),
        },
        None => Error::Precondition {
            message: format!("{uri} was not merged into another entity"),
            hint: "give the URI of the entity that was merged away".into(),
        },
    })
}

async fn unmerged(
    librarian: &Librarian,
    kept: &Entity,
    sequence: i64,
    given: Given,
    reason: &str,
) -> Result<Batch> {
    let uid: Uid = given.uid.parse().map_err(|_| Error::Corrupt { what: "a merge".into() })?;
    let mut properties = kept.node.properties.clone();
    let left: Vec<String> =
        same_as(&kept.node).into_iter().filter(|known| !given.uris.contains(known)).collect();
    properties.insert(uri::SAME_AS.into(), json!(left));
    let events = events(librarian, kept.node.id).await?;
    let gained = parting::gained(&events, sequence, &given.uri);
    let mut aliases = kept.node.aliases.clone();
    aliases.retain(|alias| !given.aliases.contains(alias) && !gained.contains(alias));
    let stays = [&kept.node.name].into_iter().chain(&aliases).cloned().collect();
    let patch =
        NodePatch { aliases: Some(aliases), properties: Some(properties), ..NodePatch::default() };
    let update =
        Change::UpdateNode(NodeRef::Id(kept.node.id), Expect::Version(kept.node.version), patch);
    let mut batch = librarian.batch().change(Change::RestoreNode(NodeRef::Uid(uid))).change(update);
    let gone = parting::gone(librarian, &given).await?;
    if let Some(gone) = &gone {
        let details = json!({ "from": kept.uri });
        let entry = Entry { kind: UNMERGED, reason, details };
        batch = batch.change(append(librarian, gone, entry, None));
    }
    let mut lost = parting::lost(&events, sequence);
    lost.retain(|name| !gained.contains(name));
    if !gained.is_empty() || !lost.is_empty() {
        let own = gone.map(|node| node.aliases).unwrap_or_default().into_iter();
        let own = own.filter(|name| !lost.contains(name) && !gained.contains(name));
        let aliases = Some(own.chain(gained.iter().cloned()).collect());
        let patch = NodePatch { aliases, ..NodePatch::default() };
        batch = batch.change(Change::UpdateNode(NodeRef::Uid(uid), Expect::Any, patch));
    }
    let parting = Parting { kept, stays, uid, gained, given: &given };
    batch.changes.extend(parting.edges(librarian).await?);
    for text in texts_of(librarian, kept.node.id).await? {
        if given.texts.contains(&text.uid.to_string()) {
            batch = batch.change(Change::DeleteText(TextRef::Id(text.id), Expect::Any));
        }
    }
    let entry = Entry { kind: UNMERGED, reason, details: json!({ "uri": given.uri }) };
    Ok(batch.change(append(librarian, &kept.node, entry, Some(sequence))))
}

/// The change that adds an entry to the log of an entity.
pub(super) fn append(
    librarian: &Librarian,
    node: &Node,
    entry: Entry<'_>,
    settles: Option<i64>,
) -> Change {
    let payload = json!({ "reason": entry.reason.trim(), "details": entry.details });
    Change::AppendEvents(NewEvents {
        node: NodeRef::Id(node.id),
        after: None,
        events: vec![NewEvent {
            kind: entry.kind.to_owned(),
            request_id: librarian.request_id.clone(),
            invocation_id: librarian.request_id.clone(),
            participant: None,
            character: None,
            payload: payload.to_string(),
            secret: None,
            visibility: node.visibility,
            settles,
        }],
    })
}

/// The URIs of what was merged into a node.
fn same_as(node: &Node) -> Vec<String> {
    let known = node.properties.get(uri::SAME_AS).and_then(Value::as_array);
    known.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

async fn events(librarian: &Librarian, node: NodeId) -> Result<Vec<Event>> {
    let kinds = [MERGED, UNMERGED, RETYPED, RENAMED, ALIAS_ADDED, ALIAS_REMOVED];
    let kinds = kinds.map(str::to_owned).to_vec();
    let query = EventQuery { kinds, order: EventOrder::Descending, ..EventQuery::default() };
    Ok(librarian.app.store.events(&librarian.viewer, node, query).await?)
}

pub(super) fn details(event: &Event) -> Value {
    let payload: Value = serde_json::from_str(&event.payload).unwrap_or_default();
    payload.get("details").cloned().unwrap_or_default()
}

pub(super) fn reason(event: &Event) -> String {
    let payload: Value = serde_json::from_str(&event.payload).unwrap_or_default();
    payload.get("reason").and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn logged(event: Event) -> Logged {
    Logged {
        reason: reason(&event),
        details: details(&event),
        sequence: event.sequence,
        at: event.at,
        kind: event.kind,
    }
}

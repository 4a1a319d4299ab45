//! The log of an entity: what was done to it and why, and who may read what of that.
//!
//! The store tells nobody more than an entry's visibility and its secret part allow, so what is
//! written here is written to its readers: an entry is as hidden as the most hidden thing it is
//! about; and of what was done to something open, reasons and whatever only the game master's side
//! sees are its secret. Words name whomever they like, and nobody checks them.

use lore_core::names::name_key;
use lore_core::{Event, Node, NodeId, Result, Timestamp, Visibility};
use lore_store::{Bin, Change, EventOrder, EventQuery, NewEvent, NewEvents, NodeRef};
use serde_json::{Map, Value, json};

use super::entities::{self, Entity};
use super::librarian::Librarian;
use super::log::Given;
use super::uri;

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
/// Entry: somebody made what was merged known who is no note.
pub(super) const REGISTERED: &str = "ENTITY_REGISTERED";
/// Entry: something more was said of what was merged.
pub(super) const DESCRIBED: &str = "ENTITY_DESCRIBED";
/// In the details of an entry: that somebody gave a name who is no note.
pub(super) const GIVEN: &str = "given";
/// In the details of an entry: the URI of what was merged, where it was told under that.
pub(super) const OF: &str = "of";

/// The parts of an entry as it is kept.
const REASON: &str = "reason";
const DETAILS: &str = "details";
/// Longest reason, in characters.
const REASON_MAX: usize = 2_000;

/// Something that was done to an entity. Its number in the log is nobody's business: gaps would tell
/// of entries that are hidden.
#[derive(Debug, Clone, PartialEq)]
pub struct Logged {
    /// When.
    pub at: Timestamp,
    /// What.
    pub kind: String,
    /// Why, as it was given; empty for those who may not know.
    pub reason: String,
    /// What exactly, by names and URIs.
    pub details: Value,
}

/// What was done to an entity, newest first, as far as it tells of nothing but what the caller
/// sees now.
pub async fn history(librarian: &Librarian, uri: &str) -> Result<Vec<Logged>> {
    let entity = librarian.entity(uri).await?;
    let mut told = Vec::new();
    for event in events(librarian, entity.node.id, Bin::Live).await? {
        let entry = logged(librarian, &event);
        if is_read_by_anybody(librarian, &event)
            && !names_what_is_seen(librarian, &entity, &entry).await?
        {
            continue;
        }
        told.push(entry);
    }
    Ok(told)
}

/// Every entry of an entity's log that the caller sees, newest first.
pub(super) async fn entries(librarian: &Librarian, uri: &str) -> Result<Vec<Logged>> {
    let entity = librarian.entity(uri).await?;
    let events = events(librarian, entity.node.id, Bin::Live).await?;
    Ok(events.iter().map(|event| logged(librarian, event)).collect())
}

/// The entries of the log of a node, which is live or in the bin, newest first.
pub(super) async fn events(librarian: &Librarian, node: NodeId, bin: Bin) -> Result<Vec<Event>> {
    let told = [RETYPED, RENAMED, ALIAS_ADDED, ALIAS_REMOVED, REGISTERED, DESCRIBED];
    let kinds = [[MERGED, UNMERGED].as_slice(), &told].concat();
    let kinds = kinds.into_iter().map(str::to_owned).collect();
    let order = EventOrder::Descending;
    let query = EventQuery { kinds, order, bin, ..EventQuery::default() };
    Ok(librarian.app.store.events(&librarian.viewer, node, query).await?)
}

fn logged(librarian: &Librarian, event: &Event) -> Logged {
    Logged {
        at: event.at,
        kind: event.kind.clone(),
        reason: reason(librarian, event),
        details: told(details(event)),
    }
}

/// What is told of an entry: not what is needed to undo a merge.
fn told(mut details: Value) -> Value {
    if let Ok(given) = serde_json::from_value::<Given>(details.clone()) {
        let Given { uri, name, aliases, uris, .. } = given;
        return json!({ "uri": uri, "name": name, "aliases": aliases, "uris": uris });
    }
    if let Some(fields) = details.as_object_mut() {
        fields.remove(GIVEN);
    }
    details
}

/// Whether somebody reads an entry who may see no more than anybody does.
fn is_read_by_anybody(librarian: &Librarian, event: &Event) -> bool {
    event.visibility == Visibility::Members && !librarian.viewer.sees_gm_side()
}

/// Whether every name and URI that an entry tells is one that the caller finds: things are hidden
/// later, and names are taken back that were given by mistake.
async fn names_what_is_seen(
    librarian: &Librarian,
    entity: &Entity,
    entry: &Logged,
) -> Result<bool> {
    let called = |name: &str| {
        let mut names = entity.node.aliases.iter().chain([&entity.node.name]);
        names.any(|own| name_key(own) == name_key(name))
    };
    for text in texts(&entry.details) {
        let is_seen = match text.starts_with(uri::PREFIX) {
            true => entities::by_uri(librarian, text).await?.is_some(),
            // That tells types, which are nobody's names.
            false => entry.kind == RETYPED || called(text),
        };
        if !is_seen {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Every text in a value.
fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        Value::Object(fields) => fields.values().flat_map(texts).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}

/// An entry to make.
pub(super) struct Entry<'a> {
    pub(super) kind: &'a str,
    pub(super) reason: &'a str,
    /// What exactly, for whoever sees the entry.
    pub(super) details: Value,
    /// What else belongs to that and is not for all of them; null where nothing does.
    pub(super) behind: Value,
    /// Who sees the other that it is about, or everybody where there is none.
    pub(super) beside: Visibility,
}

impl<'a> Entry<'a> {
    /// One that is about a single entity.
    pub(super) fn of_one(kind: &'a str, reason: &'a str, details: Value) -> Self {
        Self { kind, reason, details, behind: Value::Null, beside: Visibility::Members }
    }
}

pub(super) fn check_reason(reason: &str) -> Result<()> {
    lore_core::names::checked_length(REASON, reason, REASON_MAX)
}

/// The change that adds an entry to the log of an entity.
pub(super) fn append(
    librarian: &Librarian,
    node: &Node,
    entry: Entry<'_>,
    settles: Option<i64>,
) -> Change {
    let visibility = stricter(node.visibility, entry.beside);
    let kind = entry.kind.to_owned();
    let (payload, secret) = written(librarian, visibility, entry);
    Change::AppendEvents(NewEvents {
        node: NodeRef::Id(node.id),
        after: None,
        events: vec![NewEvent {
            kind,
            request_id: librarian.request_id.clone(),
            invocation_id: librarian.request_id.clone(),
            participant: None,
            character: None,
            payload: payload.to_string(),
            secret: secret.map(|secret| secret.to_string()),
            visibility,
            settles,
        }],
    })
}

/// What everybody who sees an entry reads of it, and what the game master's side reads besides.
fn written(
    librarian: &Librarian,
    visibility: Visibility,
    entry: Entry<'_>,
) -> (Value, Option<Value>) {
    let (reason, Entry { details, behind, .. }) = (entry.reason.trim(), entry);
    if visibility != Visibility::Members {
        return (json!({ REASON: reason, DETAILS: joined(details, behind) }), None);
    }
    // What a player keeps back is that player's, and not the game master's either.
    let behind = if librarian.viewer.sees_gm_side() { behind } else { Value::Null };
    (json!({ DETAILS: details }), Some(json!({ REASON: reason, DETAILS: behind })))
}

/// The stricter of two.
pub(super) fn stricter(one: Visibility, other: Visibility) -> Visibility {
    match (one, other) {
        (Visibility::Members, stricter) | (stricter, Visibility::Members) => stricter,
        (Visibility::Private(who), _) | (_, Visibility::Private(who)) => Visibility::Private(who),
        (Visibility::Gm, Visibility::Gm) => Visibility::Gm,
    }
}

/// What an entry says exactly, as far as the caller sees it.
pub(super) fn details(event: &Event) -> Value {
    let (open, behind) = halves(event);
    joined(open, behind)
}

/// The same apart: what whoever sees the entry reads of it, and what belongs to that and is not for
/// all of them.
pub(super) fn halves(event: &Event) -> (Value, Value) {
    (part(&event.payload, DETAILS), secret(event, DETAILS))
}

/// Why something was done. Entries of former times have the reason where everybody reads.
pub(super) fn reason(librarian: &Librarian, event: &Event) -> String {
    let open = match is_read_by_anybody(librarian, event) {
        true => Value::Null,
        false => part(&event.payload, REASON),
    };
    let kept = [secret(event, REASON), open];
    kept.iter().find_map(Value::as_str).unwrap_or_default().to_owned()
}

fn secret(event: &Event, name: &str) -> Value {
    event.secret.as_deref().map(|secret| part(secret, name)).unwrap_or_default()
}

fn part(text: &str, name: &str) -> Value {
    let kept: Value = serde_json::from_str(text).unwrap_or_default();
    kept.get(name).cloned().unwrap_or_default()
}

/// Details with what belongs to them: lists go on.
fn joined(details: Value, behind: Value) -> Value {
    match (details, behind) {
        (Value::Object(fields), Value::Object(further)) => {
            let mut fields: Map<String, Value> = fields;
            for (name, value) in further {
                let known = fields.remove(&name).unwrap_or_default();
                fields.insert(name, joined(known, value));
            }
            Value::Object(fields)
        }
        (Value::Array(known), Value::Array(further)) => known.into_iter().chain(further).collect(),
        (Value::Null, further) => further,
        (details, _) => details,
    }
}

//! The log of an entity: what was done to it and why, and who may read which part.
//!
//! The store filters entries by their visibility and their secret part, so both are decided when an
//! entry is written:
//!
//! - An entry is as hidden as the most hidden thing it is about.
//! - In an entry that everybody sees, the secret part holds the reason and all details reserved for
//!   the game master's side. Reasons are free text and may name hidden things.

use lore_core::names::name_key;
use lore_core::{Event, Node, NodeId, Result, Timestamp, Visibility};
use lore_store::{Bin, Change, EventOrder, EventQuery, NewEvent, NewEvents, NodeRef};
use serde_json::{Map, Value, json};

use crate::knowledge::entities::{self, Entity, uri};
use crate::knowledge::librarian::Librarian;
use crate::knowledge::merge::Given;

/// Entry: another entity was merged into this one.
pub(in crate::knowledge) const MERGED: &str = "ENTITY_MERGED";
/// Entry: a merge was undone.
pub(in crate::knowledge) const UNMERGED: &str = "ENTITY_UNMERGED";
/// Entry: the type changed.
pub(in crate::knowledge) const RETYPED: &str = "ENTITY_RETYPED";
/// Entry: the primary name changed.
pub(in crate::knowledge) const RENAMED: &str = "ENTITY_RENAMED";
/// Entry: an alias was added.
pub(in crate::knowledge) const ALIAS_ADDED: &str = "ALIAS_ADDED";
/// Entry: an alias was removed.
pub(in crate::knowledge) const ALIAS_REMOVED: &str = "ALIAS_REMOVED";
/// Entry: somebody other than a vault note registered an entity that is merged into this one.
pub(in crate::knowledge) const REGISTERED: &str = "ENTITY_REGISTERED";
/// Entry: a description was added to an entity that is merged into this one.
pub(in crate::knowledge) const DESCRIBED: &str = "ENTITY_DESCRIBED";
/// Entry detail: whether a name was given by somebody other than a vault note.
pub(in crate::knowledge) const GIVEN: &str = "given";
/// Entry detail: the URI of the merged entity that the entry is about. Missing if the entry is
/// about the survivor itself.
pub(in crate::knowledge) const OF: &str = "of";

/// Keys of a stored entry.
const REASON: &str = "reason";
const DETAILS: &str = "details";
/// The largest entry that the store takes with certainty, in bytes.
pub(in crate::knowledge) const SIZE_MAX: usize = 240 * 1024;
/// Longest reason, in characters.
const REASON_MAX: usize = 2_000;

/// One log entry as a reader sees it. It has no sequence number, because gaps would reveal that
/// there are hidden entries.
#[derive(Debug, Clone, PartialEq)]
pub struct Logged {
    /// When it was done.
    pub at: Timestamp,
    /// The kind of the entry, such as `ENTITY_MERGED`.
    pub kind: String,
    /// The reason that was given; empty for readers who may not know it.
    pub reason: String,
    /// What exactly was done, by names and URIs.
    pub details: Value,
}

/// Returns what was done to an entity, newest first. Callers outside the game master's side get no
/// entry that names anything they cannot find now.
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

/// Returns every entry of an entity's log that the store shows the caller, newest first.
pub(in crate::knowledge) async fn entries(librarian: &Librarian, uri: &str) -> Result<Vec<Logged>> {
    let entity = librarian.entity(uri).await?;
    let events = events(librarian, entity.node.id, Bin::Live).await?;
    Ok(events.iter().map(|event| logged(librarian, event)).collect())
}

/// Returns the log of a node, live or in the bin, newest first.
pub(in crate::knowledge) async fn events(
    librarian: &Librarian,
    node: NodeId,
    bin: Bin,
) -> Result<Vec<Event>> {
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

/// Removes the details that serve only to undo a merge.
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

/// Whether everybody may read the entry and the caller is not on the game master's side.
fn is_read_by_anybody(librarian: &Librarian, event: &Event) -> bool {
    event.visibility == Visibility::Members && !librarian.viewer.sees_gm_side()
}

/// Whether the caller can find every name and URI in an entry. Entities may have been hidden, and
/// names given by mistake removed, after the entry was written.
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
            // These entries hold types, not names.
            false => entry.kind == RETYPED || called(text),
        };
        if !is_seen {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns every string in a JSON value.
fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        Value::Object(fields) => fields.values().flat_map(texts).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}

/// An entry to append.
pub(in crate::knowledge) struct Entry<'a> {
    pub(in crate::knowledge) kind: &'a str,
    pub(in crate::knowledge) reason: &'a str,
    /// Details for everybody who sees the entry.
    pub(in crate::knowledge) details: Value,
    /// Further details for the game master's side only; null if there are none.
    pub(in crate::knowledge) behind: Value,
    /// Visibility of the other entity the entry is about; `Members` if there is none.
    pub(in crate::knowledge) beside: Visibility,
}

impl<'a> Entry<'a> {
    /// An entry about a single entity.
    pub(in crate::knowledge) fn of_one(kind: &'a str, reason: &'a str, details: Value) -> Self {
        Self { kind, reason, details, behind: Value::Null, beside: Visibility::Members }
    }
}

impl Entry<'_> {
    /// Returns how large it is when it is stored, roughly.
    pub(in crate::knowledge) fn size(&self) -> usize {
        self.details.to_string().len() + self.behind.to_string().len() + self.reason.len()
    }
}

pub(in crate::knowledge) fn check_reason(reason: &str) -> Result<()> {
    lore_core::names::checked_length(REASON, reason, REASON_MAX)
}

/// Returns the change that appends an entry to an entity's log. `settles` is the sequence number of
/// the merge entry that this one undoes.
pub(in crate::knowledge) fn append(
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

/// Returns the payload of an entry and its secret part for the game master's side.
fn written(
    librarian: &Librarian,
    visibility: Visibility,
    entry: Entry<'_>,
) -> (Value, Option<Value>) {
    let (reason, Entry { details, behind, .. }) = (entry.reason.trim(), entry);
    if visibility != Visibility::Members {
        return (json!({ REASON: reason, DETAILS: joined(details, behind) }), None);
    }
    // What a player hides belongs to that player and is kept from the game master as well.
    let behind = if librarian.viewer.sees_gm_side() { behind } else { Value::Null };
    (json!({ DETAILS: details }), Some(json!({ REASON: reason, DETAILS: behind })))
}

/// Returns the stricter of two visibilities.
pub(in crate::knowledge) fn stricter(one: Visibility, other: Visibility) -> Visibility {
    match (one, other) {
        (Visibility::Members, stricter) | (stricter, Visibility::Members) => stricter,
        (Visibility::Private(who), _) | (_, Visibility::Private(who)) => Visibility::Private(who),
        (Visibility::Gm, Visibility::Gm) => Visibility::Gm,
    }
}

/// Returns the details of an entry, as far as the caller sees them.
pub(in crate::knowledge) fn details(event: &Event) -> Value {
    let (open, behind) = halves(event);
    joined(open, behind)
}

/// Returns the details of an entry in two parts: those for all its readers, and those for the game
/// master's side.
pub(in crate::knowledge) fn halves(event: &Event) -> (Value, Value) {
    (part(&event.payload, DETAILS), secret(event, DETAILS))
}

/// Returns the reason of an entry. Older entries hold it in the open part.
pub(in crate::knowledge) fn reason(librarian: &Librarian, event: &Event) -> String {
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

/// Merges two sets of details; lists are concatenated.
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

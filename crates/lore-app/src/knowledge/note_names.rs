//! What notes call the entities they are about, and what follows when they call them otherwise.

use lore_core::names::name_key;
use lore_core::{Node, Result};
use lore_store::{NameMatch, NodeQuery};
use lore_vault::NotePath;
use serde_json::{Value, json};

use super::amend;
use super::entities::{self, Entity};
use super::entries::{self, Logged};
use super::kept_notes::{self, Subject};
use super::librarian::Librarian;
use super::note::Note;
use super::ontology::EntityType;
use super::{spoken, uri};

/// The property of a note's document that holds what the note calls its entity, the name first.
pub(super) const CALLED: &str = "called";

/// Why an entity gets a name or a type that stands in its note, and why it loses a name.
pub(super) const SAYS_SO: &str = "its note says so";
const SAYS_SO_NO_MORE: &str = "its note no longer says so";
const IS_CALLED_SO: &str = "its note is called so";
const OTHER_IS_CALLED_SO: &str = "the note of another is called so";

/// What a note calls its entity now and did before, the name first.
pub(super) struct Names {
    pub(super) now: Vec<String>,
    before: Vec<String>,
}

impl Names {
    /// Those in a note, and those in its document, which was made when the note was last read.
    pub(super) fn of(path: &NotePath, note: &Note<'_>, document: Option<&Node>) -> Self {
        Self { now: names(path, note), before: called(document) }
    }
}

/// What a note calls its entity, the name first.
pub(super) fn names(path: &NotePath, note: &Note<'_>) -> Vec<String> {
    let name = note.first("name").unwrap_or_else(|| path.title()).to_owned();
    std::iter::once(name).chain(note.all("aliases").to_vec()).collect()
}

/// What a document called its entity when it was last kept, the name first.
pub(super) fn called(document: Option<&Node>) -> Vec<String> {
    let Some(document) = document else { return Vec::new() };
    let names = document.properties.get(CALLED).and_then(Value::as_array);
    match names {
        Some(names) => names.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        None => vec![document.name.clone()],
    }
}

/// Gives an entity the names its note has for it now, and takes those it has no more. Only a
/// note that named it before renames it: others may be about it, too.
pub(super) async fn named(librarian: &Librarian, known: Subject, names: &Names) -> Result<Subject> {
    let (uri, merged) = (known.uri.as_str(), known.is_merged());
    let mut entity = known.entity.clone();
    let first = names.now.first().zip(names.before.first());
    if let Some((now, before)) = first.filter(|(now, before)| !merged && now != before)
        && is(&entity.node.name, before)
    {
        entity = amend::rename(librarian, uri, now, IS_CALLED_SO).await?;
        entity = cleared(librarian, entity, before).await?;
    }
    for name in &names.now {
        if !was_taken(librarian, &entity, names, name).await? {
            entity = amend::say_alias(librarian, uri, name, SAYS_SO).await?;
        }
    }
    for gone in names.before.iter().skip(1) {
        let kept = names.now.iter().any(|name| is(name, gone)) || is(&entity.node.name, gone);
        if !kept && entity.node.aliases.iter().any(|alias| is(alias, gone)) {
            entity = amend::give_up_alias(librarian, uri, gone, SAYS_SO_NO_MORE).await?;
        }
    }
    Ok(Subject { uri: known.uri, entity })
}

/// Whether somebody took a name from an entity that its note had for it before and has still.
async fn was_taken(
    librarian: &Librarian,
    entity: &Entity,
    names: &Names,
    name: &str,
) -> Result<bool> {
    let mut shown = entity.node.aliases.iter().chain([&entity.node.name]);
    let is_new = !names.before.iter().any(|before| is(before, name));
    if is_new || shown.any(|shown| is(shown, name)) {
        return Ok(false);
    }
    let entries = entries::entries(librarian, &entity.uri).await?;
    let of_name = |entry: &&Logged| {
        entry.details.get("alias").and_then(Value::as_str).is_some_and(|alias| is(alias, name))
    };
    Ok(entries.iter().find(of_name).is_some_and(|entry| entry.kind == entries::ALIAS_REMOVED))
}

/// Takes the names back that a note, which is kept as `document`, has for an entity it is about no
/// more. What `others` that are about it call it stays, and so does what it was called first.
pub(super) async fn take_back(
    librarian: &Librarian,
    document: &Node,
    subject: &Subject,
    others: &[Node],
) -> Result<()> {
    let kept: Vec<String> = others.iter().flat_map(|note| called(Some(note))).collect();
    let entries = entries::entries(librarian, &subject.uri).await?;
    let given = |name: &str| {
        let added = |entry: &&Logged| entry.kind == entries::ALIAS_ADDED;
        let told = |entry: &Logged| {
            let alias = entry.details.get("alias").and_then(Value::as_str);
            entry.reason == SAYS_SO && alias.is_some_and(|alias| is(alias, name))
        };
        entries.iter().filter(added).any(told)
    };
    for (place, name) in called(Some(document)).iter().enumerate() {
        let known = subject.entity.node.aliases.iter().any(|alias| is(alias, name));
        let stays = kept.iter().any(|other| is(other, name)) || place == 0 && !given(name);
        if known && !stays {
            amend::give_up_alias(librarian, &subject.uri, name, SAYS_SO_NO_MORE).await?;
        }
    }
    Ok(())
}

fn is(one: &str, other: &str) -> bool {
    name_key(one) == name_key(other)
}

/// An entity that its note gave another name than `before`, after that is clear to all: who was
/// called otherwise once is known by that, too, but not by what the note of another is called.
async fn cleared(librarian: &Librarian, entity: Entity, before: &str) -> Result<Entity> {
    for other in called_so(librarian, &entity, &entity.node.name).await? {
        if was_renamed(librarian, &other, &entity.node.name).await? {
            let (uri, name) = (&other.uri, &entity.node.name);
            amend::remove_alias(librarian, uri, name, OTHER_IS_CALLED_SO).await?;
        }
    }
    let others = called_so(librarian, &entity, before).await?;
    match others.iter().any(|other| is(&other.node.name, before)) {
        true => amend::remove_alias(librarian, &entity.uri, before, OTHER_IS_CALLED_SO).await,
        false => Ok(entity),
    }
}

/// The URI of what the new note `rid` is about, where the one that its name makes is that of
/// another, whose note was called so before. That one gives the name up.
pub(super) async fn beside(
    librarian: &Librarian,
    entity_type: EntityType,
    name: &str,
    rid: &str,
) -> Result<Option<String>> {
    let mut named_so = false;
    for other in all_called_so(librarian, entity_type, name).await? {
        match was_renamed(librarian, &other, name).await? {
            true => amend::remove_alias(librarian, &other.uri, name, OTHER_IS_CALLED_SO).await?,
            false => {
                named_so = true;
                continue;
            }
        };
    }
    let first = entities::by_uri(librarian, &uri::proposed(Some(entity_type), name)).await?;
    let taken = first.is_some() && !named_so;
    Ok(taken.then(|| uri::proposed_beside(entity_type, name, rid)))
}

/// Others of the same type that go by a name.
async fn called_so(librarian: &Librarian, entity: &Entity, name: &str) -> Result<Vec<Entity>> {
    let mut others = all_called_so(librarian, entity.entity_type, name).await?;
    others.retain(|other| other.node.id != entity.node.id);
    Ok(others)
}

/// Those of a type that go by a name.
async fn all_called_so(
    librarian: &Librarian,
    entity_type: EntityType,
    name: &str,
) -> Result<Vec<Entity>> {
    let name = Some(NameMatch::Exact(name.to_owned()));
    let query = NodeQuery { name, ..NodeQuery::default() };
    let found = librarian.app.store.find_nodes(&librarian.viewer, query).await?.items;
    let found = found.into_iter().filter(|node| !librarian.would_tell(node));
    Ok(found.filter_map(Entity::of).filter(|one| one.entity_type == entity_type).collect())
}

/// Whether an entity goes by a name only because its note was called so before.
async fn was_renamed(librarian: &Librarian, entity: &Entity, name: &str) -> Result<bool> {
    if !entity.node.aliases.iter().any(|alias| is(alias, name)) {
        return Ok(false);
    }
    let notes = kept_notes::notes_about(librarian, entity).await?;
    // What it is called first, its note may just have been called no more.
    let mut listed = notes.iter().flat_map(|note| called(Some(note)).into_iter().skip(1));
    if listed.any(|listed| is(&listed, name)) {
        return Ok(false);
    }
    let entries = entries::entries(librarian, &entity.uri).await?;
    let by_note = |entry: &&Logged| entry.kind == entries::RENAMED && entry.reason == IS_CALLED_SO;
    let mut renames = entries.iter().filter(by_note);
    let given = |entry: &Logged| {
        entry.kind == entries::ALIAS_ADDED && entry.details.get("alias") == Some(&json!(name))
    };
    let left = |entry: &Logged| {
        entry.details.get("from").and_then(Value::as_str).is_some_and(|from| is(from, name))
    };
    let is_given = entries.iter().any(given) || spoken::is_given(&entity.node, name);
    Ok(renames.any(left) && !is_given)
}

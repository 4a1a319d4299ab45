//! The names that notes give their entities, and what happens when these names change.

use lore_core::names::is_same_name;
use lore_core::{Node, Result};
use lore_store::{NameMatch, NodeQuery};
use lore_vault::NotePath;
use serde_json::{Value, json};

use super::note::Note;
use super::stored_notes::{self, Subject};
use crate::knowledge::entities::history::{self, Logged};
use crate::knowledge::entities::register::ALIASES_MAX;
use crate::knowledge::entities::{self, Entity, EntityType, amend, uri, vouching};
use crate::knowledge::librarian::Librarian;
use crate::knowledge::merge::shares::Shares;

/// The property of a note's document that holds the names the note gives its entity, primary first.
pub(super) const CALLED: &str = "called";

/// Reasons logged when a note gives an entity a name or type, or takes a name away.
pub(super) const SAYS_SO: &str = "its note says so";
const SAYS_SO_NO_MORE: &str = "its note no longer says so";
const IS_CALLED_SO: &str = "its note is called so";
const OTHER_IS_CALLED_SO: &str = "the note of another is called so";

/// The names a note gives its entity now and gave it before, primary first.
pub(super) struct Names {
    pub(super) now: Vec<String>,
    before: Vec<String>,
}

impl Names {
    /// Reads the current names from the note and the former ones from its document.
    pub(super) fn of(path: &NotePath, note: &Note<'_>, document: Option<&Node>) -> Self {
        Self { now: names(path, note), before: called(document) }
    }
}

/// Returns the names a note gives its entity, primary first.
pub(super) fn names(path: &NotePath, note: &Note<'_>) -> Vec<String> {
    given(path, note).names
}

/// What a note calls its entity.
pub(super) struct Given {
    /// The names, primary first.
    pub(super) names: Vec<String>,
    /// What is left out because it cannot serve as a name, each with the reason.
    pub(super) left_out: Vec<String>,
}

/// Reads what a note calls its entity. What cannot serve as a name does not affect the rest; in the
/// place of such a primary name, the file name counts.
pub(super) fn given(path: &NotePath, note: &Note<'_>) -> Given {
    let mut given = Given { names: Vec::new(), left_out: Vec::new() };
    let name = note.first("name").map(|name| ("name", name));
    if !name.is_some_and(|(field, name)| given.take(field, name)) {
        given.take("file name", path.title());
    }
    let aliases = ["aliases", "alias"].map(|key| note.all(key)).concat();
    for alias in aliases.iter().filter(|alias| !alias.trim().is_empty()) {
        given.take("alias", alias);
    }
    if given.names.len() > 1 + ALIASES_MAX {
        given.names.truncate(1 + ALIASES_MAX);
        given.left_out.push(format!("only the first {ALIASES_MAX} aliases are read"));
    }
    given
}

impl Given {
    /// Adds a name unless it is there already. Returns whether it can serve as a name.
    fn take(&mut self, field: &str, name: &str) -> bool {
        match uri::checked_name(field, name) {
            Ok(name) if self.names.iter().any(|known| is_same_name(known, &name)) => true,
            Ok(name) => {
                self.names.push(name);
                true
            }
            Err(error) => {
                let told: String = name.chars().take(TOLD_MAX).collect();
                self.left_out.push(format!("{told:?} is no name: {error}"));
                false
            }
        }
    }
}

/// How much is repeated of what cannot serve as a name, in characters.
const TOLD_MAX: usize = 40;

/// Returns the names a document gave its entity when it was last stored, primary first.
pub(super) fn called(document: Option<&Node>) -> Vec<String> {
    let Some(document) = document else { return Vec::new() };
    let names = document.properties.get(CALLED).and_then(Value::as_array);
    match names {
        Some(names) => names.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        None => vec![document.name.clone()],
    }
}

/// Gives an entity the names its note has now, and removes those the note no longer has. The entity
/// is renamed only if its primary name came from this note, because other notes may be about it
/// too.
pub(super) async fn named(librarian: &Librarian, known: Subject, names: &Names) -> Result<Subject> {
    let (uri, merged) = (known.uri.as_str(), known.is_merged());
    let mut entity = known.entity.clone();
    let first = names.now.first().zip(names.before.first());
    if let Some((now, before)) = first.filter(|(now, before)| !merged && now != before)
        && is_same_name(&entity.node.name, before)
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
        let kept = names.now.iter().any(|name| is_same_name(name, gone));
        if !kept && is_alias(librarian, &entity, uri, gone).await? {
            entity = amend::give_up_alias(librarian, uri, gone, SAYS_SO_NO_MORE).await?;
        }
    }
    Ok(Subject { uri: known.uri, entity })
}

/// Whether somebody removed a name from an entity that its note gave before and still gives.
async fn was_taken(
    librarian: &Librarian,
    entity: &Entity,
    names: &Names,
    name: &str,
) -> Result<bool> {
    let mut shown = entity.node.aliases.iter().chain([&entity.node.name]);
    let is_new = !names.before.iter().any(|before| is_same_name(before, name));
    if is_new || shown.any(|shown| is_same_name(shown, name)) {
        return Ok(false);
    }
    let entries = history::entries(librarian, &entity.uri).await?;
    let of_name = |entry: &&Logged| {
        entry
            .details
            .get("alias")
            .and_then(Value::as_str)
            .is_some_and(|alias| is_same_name(alias, name))
    };
    Ok(entries.iter().find(of_name).is_some_and(|entry| entry.kind == history::ALIAS_REMOVED))
}

/// Removes the names that a note (stored as `document`) gave an entity it is no longer about. Names
/// that `others`, the remaining notes about it, give stay, and so does the note's primary name
/// unless the note added it as an alias.
pub(super) async fn take_back(
    librarian: &Librarian,
    document: &Node,
    subject: &Subject,
    others: &[Node],
) -> Result<()> {
    let kept: Vec<String> = others.iter().flat_map(|note| called(Some(note))).collect();
    let entries = history::entries(librarian, &subject.uri).await?;
    let given = |name: &str| {
        let added = |entry: &&Logged| entry.kind == history::ALIAS_ADDED;
        let told = |entry: &Logged| {
            let alias = entry.details.get("alias").and_then(Value::as_str);
            entry.reason == SAYS_SO && alias.is_some_and(|alias| is_same_name(alias, name))
        };
        entries.iter().filter(added).any(told)
    };
    for (place, name) in called(Some(document)).iter().enumerate() {
        let stays =
            kept.iter().any(|other| is_same_name(other, name)) || place == 0 && !given(name);
        if !stays && is_alias(librarian, &subject.entity, &subject.uri, name).await? {
            amend::give_up_alias(librarian, &subject.uri, name, SAYS_SO_NO_MORE).await?;
        }
    }
    Ok(())
}

/// Whether a name is an alias of the entity that a URI within `entity` refers to.
async fn is_alias(librarian: &Librarian, entity: &Entity, uri: &str, name: &str) -> Result<bool> {
    Ok(Shares::of(librarian, entity).await?.is_alias(&entity.node, uri, name))
}

/// Settles name conflicts after a note renamed its entity from `before`. The former name stays as
/// an alias, unless it is the primary name of another entity. Others that have the new name only as
/// a former name lose it.
async fn cleared(librarian: &Librarian, entity: Entity, before: &str) -> Result<Entity> {
    for other in called_so(librarian, &entity, &entity.node.name).await? {
        if was_renamed(librarian, &other, &entity.node.name).await? {
            let (uri, name) = (&other.uri, &entity.node.name);
            amend::remove_alias(librarian, uri, name, OTHER_IS_CALLED_SO).await?;
        }
    }
    let others = called_so(librarian, &entity, before).await?;
    match others.iter().any(|other| is_same_name(&other.node.name, before)) {
        true => amend::remove_alias(librarian, &entity.uri, before, OTHER_IS_CALLED_SO).await,
        false => Ok(entity),
    }
}

/// Returns a URI for the entity of the new note `rid` if the URI made from its name is taken by an
/// entity that no longer has this name. Entities that have the name only as a former name lose it.
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

/// Returns other entities of the same type with this name.
async fn called_so(librarian: &Librarian, entity: &Entity, name: &str) -> Result<Vec<Entity>> {
    let mut others = all_called_so(librarian, entity.entity_type, name).await?;
    others.retain(|other| other.node.id != entity.node.id);
    Ok(others)
}

/// Returns the entities of a type with this name.
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

/// Whether an entity has a name only because its note was formerly called so.
async fn was_renamed(librarian: &Librarian, entity: &Entity, name: &str) -> Result<bool> {
    if !entity.node.aliases.iter().any(|alias| is_same_name(alias, name)) {
        return Ok(false);
    }
    let notes = stored_notes::notes_about(librarian, entity).await?;
    // The primary name in a stored note may be out of date, because the note was just renamed.
    let mut listed = notes.iter().flat_map(|note| called(Some(note)).into_iter().skip(1));
    if listed.any(|listed| is_same_name(&listed, name)) {
        return Ok(false);
    }
    let entries = history::entries(librarian, &entity.uri).await?;
    let by_note = |entry: &&Logged| entry.kind == history::RENAMED && entry.reason == IS_CALLED_SO;
    let mut renames = entries.iter().filter(by_note);
    let given = |entry: &Logged| {
        entry.kind == history::ALIAS_ADDED && entry.details.get("alias") == Some(&json!(name))
    };
    let left = |entry: &Logged| {
        entry
            .details
            .get("from")
            .and_then(Value::as_str)
            .is_some_and(|from| is_same_name(from, name))
    };
    let is_given = entries.iter().any(given) || vouching::is_given(&entity.node, name);
    Ok(renames.any(left) && !is_given)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_a_name_takes_none_of_the_others_away() {
        let path = NotePath::parse("People/Ada Holt.md").unwrap();
        let long = "x".repeat(300);
        let many: String = (0..150).map(|number| format!("Ada {number}, ")).collect();
        let read = |properties: &str| {
            let text = format!("---\n{properties}\n---\n");
            given(&path, &Note::read(&text))
        };
        let one = read(&format!("name: Ada H.\naliases: [{long}, Addie, '', ADDIE]"));
        assert_eq!(one.names, ["Ada H.", "Addie"]);
        let [told] = one.left_out.as_slice() else { panic!("{:?}", one.left_out) };
        assert!(told.len() < 150 && told.contains("longer than 200"), "{told}");
        assert_eq!(read(&format!("name: {long}")).names, ["Ada Holt"]);
        let all = read(&format!("aliases: [{many}]"));
        assert_eq!((all.names.len(), all.left_out.len()), (1 + ALIASES_MAX, 1));
    }
}

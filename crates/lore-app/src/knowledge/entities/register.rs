//! Registering entities: recognising known ones and creating new ones.

use futures::FutureExt;
use lore_core::names::{self, Word, name_key};
use lore_core::{Error, Node, NodeId, Properties, Result, Uid};
use lore_resolve::{Candidate, Decision, Query, Resolution, Tier};
use lore_store::{Batch, Bin, Change, Expect, NameMatch, NewNode, NodePatch, NodeQuery, NodeRef};
use serde_json::json;

use super::ontology::{self, EntityType};
use super::registered_again::{self, Said};
use super::vouching::{self, Giver};
use crate::knowledge::documents::shelve;
use crate::knowledge::entities::{self, Entity, Meant, uri};
use crate::knowledge::librarian::Librarian;
use crate::knowledge::merge::{self, bin};
use crate::knowledge::relations::waiting;
use crate::knowledge::vault::linking::{self, Turned};
use crate::mentions::follow;

/// Most aliases of an entity.
pub(in crate::knowledge) const ALIASES_MAX: usize = 100;
/// Longest description, in characters.
const DESCRIPTION_MAX: usize = 20_000;

/// An entity to register.
#[derive(Debug, Clone)]
pub struct Registration {
    /// Its name.
    pub name: String,
    /// Its type.
    pub entity_type: EntityType,
    /// Its aliases.
    pub aliases: Vec<String>,
    /// A text that describes it.
    pub description: Option<String>,
    /// The web address of the description.
    pub found_at: Option<String>,
    /// Its URI, if the caller knows it. This alone then decides which entity is meant.
    pub uri: Option<String>,
    /// The RID of the vault note that registers it, if a note does.
    pub introduced_by: Option<String>,
}

impl Registration {
    pub(super) fn giver(&self) -> Giver<'_> {
        self.introduced_by.as_deref().map_or(Giver::Anybody, Giver::Note)
    }
}

/// The result of a registration.
#[derive(Debug, Clone)]
pub struct Registered {
    /// The entity.
    pub entity: Entity,
    /// Whether it was created.
    pub is_new: bool,
    /// The name it was known by, if that differs from the registered one.
    pub merged_with: Option<String>,
    /// Aliases that were left out, because the entity is visible to more people than what the
    /// caller adds, or has too many.
    pub kept_back: Vec<String>,
    /// What became of the description, if one was given for a known entity.
    pub said: Option<Said>,
    /// The URI of the entity that is meant, if that was merged into `entity`.
    pub of: Option<String>,
}

impl Registered {
    /// A known entity about which nothing new was said. `of` is the URI of the entity that is
    /// meant, if that was merged into it.
    pub(in crate::knowledge) fn known(entity: Entity, of: Option<String>) -> Self {
        let kept_back = Vec::new();
        Self { entity, is_new: false, merged_with: None, kept_back, said: None, of }
    }

    /// Whether the entity has as many aliases as it may have.
    pub fn is_full(&self) -> bool {
        self.entity.node.aliases.len() >= ALIASES_MAX
    }

    /// Returns a mention of it for a document that somebody says is about it.
    pub(in crate::knowledge) fn mention(&self) -> shelve::Mention {
        shelve::Mention::Told(self.entity.node.id, self.of.clone().unwrap_or_default())
    }
}

/// Registers an entity unless it is known already. A known entity recognised under a different
/// spelling is merged with the new one, so that the log explains it and the merge can be undone.
pub async fn register(librarian: &Librarian, given: &Registration) -> Result<Registered> {
    let name = uri::checked_name("name", &given.name)?;
    let aliases = checked_aliases(&name, &given.aliases)?;
    if let Some(text) = &given.description {
        names::checked_length("description", text, DESCRIPTION_MAX)?;
    }
    let uri = given.uri.clone().unwrap_or_else(|| uri::proposed(Some(given.entity_type), &name));
    let plan = || {
        let (name, aliases, uri) = (name.as_str(), aliases.as_slice(), uri.as_str());
        async move {
            let found = find(librarian, given, name, uri).await?;
            let old = match &found {
                Found::Same(_) => None,
                Found::Alike(..) | Found::Nothing => binned(librarian, name, uri).await?,
            };
            let (batch, said) = match (&found, &old) {
                (Found::Same(meant), _) => {
                    registered_again::told(librarian, meant, given, aliases).await?
                }
                (_, Some(old)) => (taken_out(librarian, given, old, aliases)?, None),
                (Found::Alike(meant, _), None) => {
                    let said = registered_again::said(librarian, meant, given).await?;
                    let unheard = said.as_ref().filter(|said| !said.is_kept()).is_some();
                    let description = given.description.clone().filter(|_| !unheard);
                    let given = Registration { description, ..given.clone() };
                    (created(librarian, &given, name, aliases, uri).await?, said)
                }
                (Found::Nothing, None) => {
                    (created(librarian, given, name, aliases, uri).await?, None)
                }
            };
            Ok((batch, (found, said, old.is_some())))
        }
        .boxed()
    };
    let (found, mut said, is_back) = librarian.carry_out(plan).await?;
    let (entity, of, is_new) = match found {
        Found::Same(Meant { entity, of }) => (librarian.entity(&entity.uri).await?, of, false),
        Found::Alike(Meant { entity, of }, why) => {
            let (into, why) = (of.as_ref().unwrap_or(&entity.uri), format!("{RECOGNISED}: {why}"));
            let merged = merge::merge(librarian, &uri, into, &why).await?;
            (merged.entity, Some(uri.clone()), false)
        }
        Found::Nothing => (librarian.entity(&uri).await?, None, true),
    };
    if is_back {
        said = described(librarian, &entity.uri, of.as_ref(), given).await?;
    }
    if is_new || !aliases.is_empty() || entity.uri != uri {
        waiting::settle(librarian, &entity).await;
        let names = std::iter::once(&name).chain(&aliases).cloned().collect();
        linking::turned(librarian, &entity, &Turned::Come(names)).await;
    }
    let other = name_key(&entity.node.name) != name_key(&name);
    let merged_with = (!is_new && other).then(|| entity.node.name.clone());
    let kept_back = fresh_names(&entity.node, aliases.iter());
    Ok(Registered { entity, is_new, merged_with, kept_back, said, of })
}

/// The reason logged for such a merge.
const RECOGNISED: &str = "recognised by its name";

/// Whether an entity to be registered is known already.
enum Found {
    /// It is this one, by URI, name or alias.
    Same(Meant),
    /// It is this one under a different spelling; with the reason for the match.
    Alike(Meant, String),
    Nothing,
}

/// Looks for the entity to be registered among the known ones.
async fn find(librarian: &Librarian, given: &Registration, name: &str, uri: &str) -> Result<Found> {
    let known = match entities::by_uri(librarian, uri).await? {
        Some(entity) => {
            let of = entities::entity_called(librarian, &entity, uri).await?;
            Some(Meant { entity, of })
        }
        None => None,
    };
    if given.uri.is_some() {
        return Ok(known.map_or(Found::Nothing, Found::Same));
    }
    let resolution = {
        let catalogue = librarian.catalogue().await?;
        let hint = Some(given.entity_type.as_str());
        catalogue.resolve(&Query { type_hint: hint, ..Query::new(name) })
    };
    if resolution.is_contested() {
        return Err(ambiguous(librarian, name, &resolution).await?);
    }
    // A match that is only likely creates a second entity: a later merge can be undone, a mix-up
    // cannot.
    let found = match resolution.pick().filter(|picked| picked.decision == Decision::Link) {
        Some(picked) => recognise(librarian, given, picked).await?,
        None => Found::Nothing,
    };
    // A URI outlives the name it was made from, which may belong to another entity by now.
    Ok(match (found, known) {
        (Found::Nothing | Found::Alike(..), Some(known)) => Found::Same(known),
        (found, _) => found,
    })
}

/// Looks in the bin for the entity to be registered. Fails if it is part of another: it comes back
/// when they part.
async fn binned(librarian: &Librarian, name: &str, uri: &str) -> Result<Option<Node>> {
    let uid = uri::derived_uid(&librarian.viewer, uri);
    let Some(old) = in_bin(librarian, uid, name).await? else { return Ok(None) };
    match bin::is_part(&librarian.app, &librarian.viewer, &old).await? {
        false => Ok(Some(old)),
        true => Err(Error::Precondition {
            message: format!("{name:?} was merged into another entity, which is not here"),
            hint: "undo that with /entity/unmerge, or give somebody new a URI of their own".into(),
        }),
    }
}

/// Decides whether a resolved candidate is the entity to be registered. Notes with different names
/// are about different entities unless one refers to the other. An entity is never merged into one
/// that the caller must not change or that is visible to more people.
async fn recognise(
    librarian: &Librarian,
    given: &Registration,
    picked: &Candidate<NodeId>,
) -> Result<Found> {
    let Some(entity) = librarian.entities(&[picked.key]).await?.pop() else {
        return Ok(Found::Nothing);
    };
    let same = matches!(picked.tier, Tier::Exact | Tier::Alias);
    let spelling = picked.alias.as_ref().unwrap_or(&picked.name);
    let of = entities::entity_called(librarian, &entity, spelling).await?;
    let mergeable = given.introduced_by.is_none()
        && !librarian.would_tell(&entity.node)
        && librarian.may_change(&entity.node).is_ok();
    let meant = Meant { entity, of };
    if same && lore_resolve::key(spelling) == lore_resolve::key(&given.name) {
        return Ok(Found::Same(meant));
    }
    Ok(match mergeable {
        true => Found::Alike(meant, picked.reason.clone()),
        // An abbreviation is the same name: Acme Corp, Acme Corporation.
        false if same => Found::Same(meant),
        false => Found::Nothing,
    })
}

async fn ambiguous(
    librarian: &Librarian,
    name: &str,
    resolution: &Resolution<NodeId>,
) -> Result<Error> {
    let ids: Vec<NodeId> = resolution.candidates.iter().map(|found| found.key).collect();
    let known: Vec<String> = librarian
        .entities(&ids)
        .await?
        .into_iter()
        .map(|entity| format!("{} ({})", entity.node.name, entity.uri))
        .collect();
    Ok(Error::Precondition {
        message: format!("{name:?} may be one of several known entities"),
        hint: format!(
            "say which by its URI: one of {}, or one of your own (`uri`) for somebody new",
            known.join(", ")
        ),
    })
}

/// Restores an entity from the bin. The names that notes gave it are gone with the notes, unless
/// others are merged into it, whose names they may be.
fn taken_out(
    librarian: &Librarian,
    given: &Registration,
    old: &Node,
    aliases: &[String],
) -> Result<Batch> {
    let kept = match merge::same_as(old).is_empty() {
        true => vouching::names_given(old),
        false => old.aliases.clone(),
    };
    let mut all = aliases.to_vec();
    all.extend(kept.into_iter().filter(|name| !aliases.contains(name)));
    let mut properties = given.giver().noted(old.properties.clone(), aliases);
    properties.insert(ontology::TYPE.into(), json!(given.entity_type.as_str()));
    let (aliases, properties) = (Some(all), Some(properties));
    let kind = Some(Word::new("kind", given.entity_type.kind())?);
    let patch = NodePatch { kind, aliases, properties, ..NodePatch::default() };
    let back = NodeRef::Uid(old.uid);
    let batch = librarian.batch().change(Change::RestoreNode(back));
    Ok(batch.change(Change::UpdateNode(back, Expect::Any, patch)))
}

/// Adds a description to an entity that was restored, unless it has the same already. Its texts
/// could not be read in the bin.
async fn described(
    librarian: &Librarian,
    uri: &str,
    of: Option<&String>,
    given: &Registration,
) -> Result<Option<Said>> {
    let plan = || {
        async move {
            let meant = Meant { entity: librarian.entity(uri).await?, of: of.cloned() };
            registered_again::told(librarian, &meant, given, &[]).await
        }
        .boxed()
    };
    librarian.carry_out(plan).await
}

/// Creates a new entity.
async fn created(
    librarian: &Librarian,
    given: &Registration,
    name: &str,
    aliases: &[String],
    uri: &str,
) -> Result<Batch> {
    let uid = uri::derived_uid(&librarian.viewer, uri)
        .ok_or_else(|| Error::Bug { what: "the id of an entity".into() })?;
    let mut properties = given.giver().noted(Properties::new(), aliases);
    properties.insert(uri::URI.into(), json!(uri));
    let kind = Word::new("kind", given.entity_type.kind())?;
    let node = NewNode {
        aliases: aliases.to_vec(),
        visibility: librarian.visibility(),
        properties,
        ..NewNode::new(uid, kind, name)
    };
    let mut batch = librarian.batch().change(Change::CreateNode(node));
    if let Some(text) = registered_again::description(librarian, given, NodeRef::Uid(uid))? {
        batch = batch.change(Change::CreateText(text));
    }
    Ok(follow(&librarian.app, &librarian.viewer, batch).await?.batch)
}

/// Returns the node in the bin with this uid and name.
async fn in_bin(librarian: &Librarian, uid: Option<Uid>, name: &str) -> Result<Option<Node>> {
    let query = NodeQuery {
        name: Some(NameMatch::Exact(name.to_owned())),
        bin: Bin::Deleted,
        ..NodeQuery::default()
    };
    let page = librarian.app.store.find_nodes(&librarian.viewer, query).await?;
    Ok(page.items.into_iter().find(|node| Some(node.uid) == uid))
}

/// Returns those of the `given` names that the node does not have yet.
pub(in crate::knowledge) fn fresh_names<'a>(
    node: &Node,
    given: impl Iterator<Item = &'a String>,
) -> Vec<String> {
    let mut known: Vec<String> =
        std::iter::once(&node.name).chain(&node.aliases).map(|name| name_key(name)).collect();
    let mut fresh = Vec::new();
    for name in given {
        let key = name_key(name);
        if !known.contains(&key) {
            known.push(key);
            fresh.push(name.clone());
        }
    }
    fresh
}

fn checked_aliases(name: &str, given: &[String]) -> Result<Vec<String>> {
    if given.len() > ALIASES_MAX {
        let limit = format!("{ALIASES_MAX} names");
        return Err(Error::TooLarge { what: "aliases".into(), limit });
    }
    let mut aliases: Vec<String> = Vec::new();
    for alias in given.iter().filter(|alias| !alias.trim().is_empty()) {
        let alias = uri::checked_name("aliases", alias)?;
        let known = aliases.iter().map(String::as_str).chain([name]);
        if !known.map(name_key).any(|key| key == name_key(&alias)) {
            aliases.push(alias);
        }
    }
    Ok(aliases)
}

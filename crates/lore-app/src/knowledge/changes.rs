//! Registering entities.

use futures::FutureExt;
use lore_core::names::{self, Word, name_key};
use lore_core::{Error, Node, NodeId, Properties, Result, Uid};
use lore_resolve::{Candidate, Decision, Query, Resolution, Tier};
use lore_store::{
    Batch, Bin, Change, Expect, NameMatch, NewNode, NewText, NodePatch, NodeQuery, NodeRef,
};
use serde_json::json;

use super::entities::{self, Entity};
use super::librarian::Librarian;
use super::linking::Turned;
use super::log;
use super::ontology::{self, EntityType};
use super::spoken::{self, Giver};
use super::{linking, uri, waiting};
use crate::mentions::follow;
use crate::play::word;

/// Most names of an entity besides the first.
const ALIASES_MAX: usize = 100;
/// Longest description, in characters.
const DESCRIPTION_MAX: usize = 20_000;
/// Text kind of what an entity is.
const DESCRIPTION: &str = "description";

/// Something to be known.
#[derive(Debug, Clone)]
pub struct Registration {
    /// Its name.
    pub name: String,
    /// What it is.
    pub entity_type: EntityType,
    /// Other names.
    pub aliases: Vec<String>,
    /// What is to be told of it.
    pub description: Option<String>,
    /// Where on the web that was found.
    pub found_at: Option<String>,
    /// Its URI, where it has one already. It is this thing then, whatever others are called.
    pub uri: Option<String>,
    /// The note that makes it known, if one does.
    pub introduced_by: Option<String>,
}

impl Registration {
    fn giver(&self) -> Giver<'_> {
        self.introduced_by.as_deref().map_or(Giver::Anybody, Giver::Note)
    }
}

/// What became of a registration.
#[derive(Debug, Clone)]
pub struct Registered {
    /// The entity.
    pub entity: Entity,
    /// Whether it was not known before.
    pub is_new: bool,
    /// The name it was known by, when that is another.
    pub merged_with: Option<String>,
    /// Names it was not given, because more people would see them than see what comes in
    /// here.
    pub kept_back: Vec<String>,
}

/// Makes an entity known, unless it is already. One that is recognised though its name is
/// written otherwise is merged, so that the log says why and the merge can be undone.
pub async fn register(librarian: &Librarian, given: &Registration) -> Result<Registered> {
    let name = names::checked_name("name", &given.name)?;
    let aliases = checked_aliases(&name, &given.aliases)?;
    if let Some(text) = &given.description {
        names::checked_length("description", text, DESCRIPTION_MAX)?;
    }
    let uri = given.uri.clone().unwrap_or_else(|| uri::proposed(Some(given.entity_type), &name));
    let plan = || {
        let (name, aliases, uri) = (name.as_str(), aliases.as_slice(), uri.as_str());
        async move {
            let found = find(librarian, given, name, uri).await?;
            let batch = match &found {
                Found::Same(known) => recognised(librarian, known, given.giver(), aliases),
                Found::Alike(..) => {
                    let unspoken = Registration { description: None, ..given.clone() };
                    created(librarian, &unspoken, name, aliases, uri).await?
                }
                Found::Nothing => created(librarian, given, name, aliases, uri).await?,
            };
            Ok((batch, found))
        }
        .boxed()
    };
    let (entity, is_new) = match librarian.carry_out(plan).await? {
        Found::Same(known) => (librarian.entity(&known.uri).await?, false),
        Found::Alike(known, why) => {
            let why = format!("{RECOGNISED}: {why}");
            (log::merge(librarian, &uri, &known.uri, &why).await?.entity, false)
        }
        Found::Nothing => (librarian.entity(&uri).await?, true),
    };
    if is_new || !aliases.is_empty() || entity.uri != uri {
        waiting::settle(librarian, &entity).await;
        let names = std::iter::once(&name).chain(&aliases).cloned().collect();
        linking::turned(librarian, &entity, &Turned::Come(names)).await;
    }
    let other = name_key(&entity.node.name) != name_key(&name);
    let merged_with = (!is_new && other).then(|| entity.node.name.clone());
    let kept_back = match librarian.would_tell(&entity.node) {
        true => fresh_names(&entity.node, aliases.iter()),
        false => Vec::new(),
    };
    Ok(Registered { entity, is_new, merged_with, kept_back })
}

/// Why what is registered was merged by itself.
const RECOGNISED: &str = "recognised by its name";

/// What is known of something that is registered.
enum Found {
    /// It is this: by its URI, its name or an alias.
    Same(Entity),
    /// It is this, though its name is written otherwise, for a reason.
    Alike(Entity, String),
    Nothing,
}

/// The entity that is meant, if one is known.
async fn find(librarian: &Librarian, given: &Registration, name: &str, uri: &str) -> Result<Found> {
    let known = entities::by_uri(librarian, uri).await?;
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
    // A likely match is no reason to make one of two: merging them later can be undone.
    let found = match resolution.pick().filter(|picked| picked.decision == Decision::Link) {
        Some(picked) => recognise(librarian, given, picked).await?,
        None => Found::Nothing,
    };
    // A URI outlives the name it was made from, which may be another's by now.
    Ok(match (found, known) {
        (Found::Nothing, Some(known)) => Found::Same(known),
        (found, _) => found,
    })
}

/// Whether what resolving found is what is registered. Two notes with different names are about
/// two things, unless one says it is the other; and what the caller must not change, or what
/// others would read, is not merged into.
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
    if same && lore_resolve::key(spelling) == lore_resolve::key(&given.name) {
        return Ok(Found::Same(entity));
    }
    let mergeable = given.introduced_by.is_none()
        && !librarian.would_tell(&entity.node)
        && librarian.may_change(&entity.node).is_ok();
    Ok(match mergeable {
        true => Found::Alike(entity, picked.reason.clone()),
        // Abbreviations make no other name: Acme Corp, Acme Corporation.
        false if same => Found::Same(entity),
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

/// What is known gains the names that are new, unless that would tell them to others. What
/// somebody registers is known without its note from then on.
fn recognised(
    librarian: &Librarian,
    known: &Entity,
    giver: Giver<'_>,
    aliases: &[String],
) -> Batch {
    let batch = librarian.batch();
    let fresh = fresh_names(&known.node, aliases.iter());
    let noted = match giver {
        Giver::Anybody => giver.noted(known.node.properties.clone(), aliases),
        Giver::Note(_) => known.node.properties.clone(),
    };
    let same = fresh.is_empty() && noted == known.node.properties;
    if same || librarian.would_tell(&known.node) {
        return batch;
    }
    let all = known.node.aliases.iter().cloned().chain(fresh).take(ALIASES_MAX).collect();
    let patch = NodePatch { aliases: Some(all), properties: Some(noted), ..NodePatch::default() };
    let expect = Expect::Version(known.node.version);
    batch.change(Change::UpdateNode(NodeRef::Id(known.node.id), expect, patch))
}

/// What is new is made, or taken out of the bin where it lies.
async fn created(
    librarian: &Librarian,
    given: &Registration,
    name: &str,
    aliases: &[String],
    uri: &str,
) -> Result<Batch> {
    let uid = uri::derived_uid(&librarian.viewer, uri)
        .ok_or_else(|| Error::Bug { what: "the id of an entity".into() })?;
    if let Some(old) = in_bin(librarian, uid, name).await? {
        let mut all = aliases.to_vec();
        all.extend(spoken::names_given(&old).into_iter().filter(|name| !aliases.contains(name)));
        let mut properties = given.giver().noted(old.properties, aliases);
        properties.insert(ontology::TYPE.into(), json!(given.entity_type.as_str()));
        let (aliases, properties) = (Some(all), Some(properties));
        let patch = NodePatch { aliases, properties, ..NodePatch::default() };
        let back = NodeRef::Uid(uid);
        let batch = librarian.batch().change(Change::RestoreNode(back));
        return Ok(batch.change(Change::UpdateNode(back, Expect::Any, patch)));
    }
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
    let told = given.description.as_deref().map(str::trim).filter(|text| !text.is_empty());
    if let Some(body) = told {
        let text = librarian.app.effects.uid();
        let mut text = NewText::new(text, NodeRef::Uid(uid), word(DESCRIPTION)?, body);
        text.visibility = librarian.visibility();
        text.provenance.source.clone_from(&given.found_at);
        batch = batch.change(Change::CreateText(text));
    }
    Ok(follow(librarian.app.store.as_ref(), &librarian.viewer, batch).await?.batch)
}

/// What lies in the bin under an id and a name.
async fn in_bin(librarian: &Librarian, uid: Uid, name: &str) -> Result<Option<Node>> {
    let query = NodeQuery {
        name: Some(NameMatch::Exact(name.to_owned())),
        bin: Bin::Deleted,
        ..NodeQuery::default()
    };
    let page = librarian.app.store.find_nodes(&librarian.viewer, query).await?;
    Ok(page.items.into_iter().find(|node| node.uid == uid))
}

/// Those of `given` that the node does not go by yet.
pub(super) fn fresh_names<'a>(node: &Node, given: impl Iterator<Item = &'a String>) -> Vec<String> {
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
        let alias = names::checked_name("aliases", alias)?;
        let known = aliases.iter().map(String::as_str).chain([name]);
        if !known.map(name_key).any(|key| key == name_key(&alias)) {
            aliases.push(alias);
        }
    }
    Ok(aliases)
}

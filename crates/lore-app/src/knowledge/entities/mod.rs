//! Entities: nodes that stand for a thing, and how they are found by URI, id or name.
//!
//! - `register` creates entities and recognises known ones, and `registered_again` says what a
//!   known one gets from being registered again.
//! - `amend` changes aliases, the primary name and the type.
//! - `ontology` has the types of entities, and `uri` the identifiers they have outside.
//! - `history` is the log of an entity: what was done to it, and who may read which part.
//! - `vouching` keeps apart what a note says about an entity and what anybody else does.

pub(super) mod amend;
pub(super) mod history;
pub(super) mod ontology;
pub(super) mod register;
mod registered_again;
pub(super) mod uri;
pub(super) mod vouching;

pub use amend::{add_alias, remove_alias, retype};
pub use history::{Logged, history};
pub use ontology::EntityType;
pub use register::{Registered, Registration, register};
pub use registered_again::Said;

use lore_core::{Error, Node, NodeId, Result, Viewer};
use lore_resolve::{Candidate, Decision, Query};
use lore_store::{NameMatch, NodeKey, NodeQuery};
use serde_json::Value;

use super::librarian::Librarian;
use super::merge;
use super::merge::shares::Shares;
use super::names::catalogue::Catalogue;
use super::vault::note;
use crate::federation::{DOCUMENT_TYPE, SAID_KIND};
use crate::{App, id_forms, play};

/// A node that stands for a thing.
#[derive(Debug, Clone, PartialEq)]
pub struct Entity {
    /// The node.
    pub node: Node,
    /// Its type.
    pub entity_type: EntityType,
    /// Its URI, the name it has outside.
    pub uri: String,
}

impl Entity {
    /// Returns a node as an entity; `None` if it is not one. A character that a fork copied is not:
    /// the entity is the original.
    pub fn of(node: Node) -> Option<Self> {
        if play::original(&node).is_some() {
            return None;
        }
        let entity_type = EntityType::of(&node)?;
        let uri = uri::of_entity(&node, entity_type);
        Some(Self { node, entity_type, uri })
    }

    /// Returns a node that another KOI-net node told us about as an entity; `None` if it is a
    /// document. It keeps the URI it has there. Its type is the one given there, else the one its
    /// RID type is named after, else `Concept`.
    pub(super) fn told(node: Node) -> Option<Self> {
        let rid_type = node.subtype.as_deref().unwrap_or_default();
        if rid_type == DOCUMENT_TYPE {
            return None;
        }
        let said = node.properties.get(SAID_KIND).and_then(Value::as_str);
        let entity_type = said.and_then(EntityType::read);
        let entity_type = entity_type.or_else(|| EntityType::read(rid_type.rsplit('.').next()?));
        let uri = uri::of_document(&node);
        Some(Self { node, entity_type: entity_type.unwrap_or(EntityType::Concept), uri })
    }
}

/// Most candidates that are offered when a name is ambiguous.
const OFFERED_MAX: usize = 3;

/// Finds an entity by its URI or by an id of another door (toolset), following merges.
pub async fn by_uri(librarian: &Librarian, uri: &str) -> Result<Option<Entity>> {
    let (app, viewer) = (&librarian.app, &librarian.viewer);
    let node = match id_forms::find(app, viewer, uri).await? {
        // Plain digits may be a name.
        None if uri.trim_start().starts_with(['#', '[']) => {
            id_forms::merged_into(app, viewer, uri).await?
        }
        node => node,
    };
    Ok(node.and_then(Entity::of))
}

/// Like [`by_uri`], and also accepts the entity's number in the world. For callers that expect an
/// id and never a name.
pub async fn by_id(librarian: &Librarian, id: &str) -> Result<Option<Entity>> {
    let (app, viewer) = (&librarian.app, &librarian.viewer);
    let node = match id_forms::find_any(app, viewer, id).await? {
        None => id_forms::merged_into(app, viewer, id).await?,
        node => node,
    };
    Ok(node.and_then(Entity::of))
}

/// Finds a node by the name it has outside: an entity by its own URI or that of an entity merged
/// into it, or a document by its RID.
pub(crate) async fn by_name_outside(
    app: &App,
    viewer: &Viewer,
    name: &str,
) -> Result<Option<Node>> {
    // Plain names are the common case and need no catalogue.
    if !name.contains(':') {
        return Ok(None);
    }
    let known = app.catalogues.open(app.store.as_ref(), viewer).await?.by_uri(name);
    if let Some(id) = known {
        return Ok(app.store.nodes(viewer, &[id]).await?.pop());
    }
    if !name.starts_with(uri::PREFIX) {
        return Ok(None);
    }
    let Some(uid) = uri::derived_uid(viewer, name) else { return Ok(None) };
    Ok(app.store.node(viewer, NodeKey::Uid(uid)).await?)
}

/// Finds what the entities with these numbers were merged into, as far as the viewer sees it.
pub(crate) async fn merged_into(
    app: &App,
    viewer: &Viewer,
    numbers: &[i64],
) -> Result<Vec<(i64, NodeId)>> {
    if numbers.is_empty() {
        return Ok(Vec::new());
    }
    let catalogue = app.catalogues.open(app.store.as_ref(), viewer).await?;
    let into = |number: &i64| Some((*number, catalogue.by_number(*number)?));
    Ok(numbers.iter().filter_map(into).collect())
}

/// What counts as a reference to an entity when something is stored about it. The match has to be
/// as certain as for registering, because a guess would be stored about the wrong entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fit {
    /// Its name or another spelling of it.
    Name,
    /// The same, or a link to its note by title or file name.
    Link,
}

/// Returns the entity that a URI or name certainly refers to. Entities of the `wanted` types take
/// precedence; if there is none, one of any type is accepted.
pub(super) async fn meant(
    librarian: &Librarian,
    text: &str,
    wanted: &[EntityType],
    fit: Fit,
) -> Result<Option<Meant>> {
    let text = text.trim();
    let (entity, called) = match text.starts_with(uri::PREFIX) {
        true => (by_uri(librarian, text).await?, text.to_owned()),
        false => {
            let found = named(&*librarian.catalogue().await?, text, wanted, fit);
            let Some((id, called)) = found else { return Ok(None) };
            (librarian.entities(&[id]).await?.pop(), called)
        }
    };
    let Some(entity) = entity else { return Ok(None) };
    let of = entity_called(librarian, &entity, &called).await?;
    Ok(Some(Meant { entity, of }))
}

/// An entity that a text refers to.
pub(super) struct Meant {
    pub(super) entity: Entity,
    /// The URI of the entity that is meant, if that was merged into `entity`.
    pub(super) of: Option<String>,
}

/// Returns the URI of the merged entity that a name or URI refers to; `None` if it refers to
/// `entity` itself.
pub(super) async fn entity_called(
    librarian: &Librarian,
    entity: &Entity,
    called: &str,
) -> Result<Option<String>> {
    if merge::same_as(&entity.node).is_empty() {
        return Ok(None);
    }
    let shares = Shares::of(librarian, entity).await?;
    Ok(shares.meant_by(called, &entity.node.name).cloned())
}

/// Returns the name of the entity with the URI `of` that was merged into `entity`, or the name of
/// `entity` if `of` is `None` or cannot be found.
pub(super) async fn name_told(
    librarian: &Librarian,
    entity: &Entity,
    of: Option<&str>,
) -> Result<String> {
    let Some(of) = of else { return Ok(entity.node.name.clone()) };
    let is_its = |binned: Entity| uri::anchor(&binned.uri) == uri::anchor(of);
    let is_meant = |node: &Node| Entity::of(node.clone()).is_some_and(is_its);
    let merged = merge::bin::first(&librarian.app, &librarian.viewer, is_meant).await?;
    Ok(merged.map_or_else(|| entity.node.name.clone(), |node| node.name))
}

/// Returns the node a text certainly refers to, and the name of it that matched.
fn named(
    catalogue: &Catalogue,
    text: &str,
    wanted: &[EntityType],
    fit: Fit,
) -> Option<(NodeId, String)> {
    let file = note::last(text);
    let linked = catalogue.linked(text, wanted).filter(|_| fit == Fit::Link).map(|(node, _)| node);
    let by_name = |name: &str| {
        let found = best(catalogue, name, wanted)?;
        Some((found.key, found.alias.unwrap_or(found.name)))
    };
    let by_file = || by_name(Some(file).filter(|file| fit == Fit::Link && *file != text)?);
    linked.map(|id| (id, file.to_owned())).or_else(|| by_name(text)).or_else(by_file)
}

fn best(catalogue: &Catalogue, text: &str, wanted: &[EntityType]) -> Option<Candidate<NodeId>> {
    let sure = |type_hint: Option<&str>| {
        let found = catalogue.resolve(&Query { type_hint, ..Query::new(text) });
        let fits = |candidate: &Candidate<NodeId>| candidate.decision == Decision::Link;
        found.candidates.into_iter().find(fits)
    };
    let hinted = wanted.iter().filter_map(|wanted| sure(Some(wanted.as_str())));
    let hinted = hinted.max_by(|a, b| a.confidence.total_cmp(&b.confidence));
    hinted.or_else(|| sure(None))
}

/// Returns the entities with exactly this name or alias, ignoring case; none if the text is a URI or
/// an id.
pub async fn exactly_named(librarian: &Librarian, text: &str) -> Result<Vec<Entity>> {
    /// More than anybody could choose from.
    const MANY: usize = 20;
    if by_uri(librarian, text).await?.is_some() {
        return Ok(Vec::new());
    }
    let name = Some(NameMatch::Exact(text.trim().to_owned()));
    let query = NodeQuery { name, limit: MANY, ..NodeQuery::default() };
    let found = librarian.app.store.find_nodes(&librarian.viewer, query).await?;
    Ok(found.items.into_iter().filter_map(Entity::of).collect())
}

/// Returns the best candidates for an ambiguous name, each with its name and URI.
pub(super) async fn offered(librarian: &Librarian, text: &str) -> Result<Vec<String>> {
    let candidates = librarian.catalogue().await?.resolve(&Query::new(text.trim())).candidates;
    let ids: Vec<NodeId> = candidates.iter().take(OFFERED_MAX).map(|one| one.key).collect();
    let entities = librarian.entities(&ids).await?.into_iter();
    Ok(entities.map(|entity| format!("{} ({})", entity.node.name, entity.uri)).collect())
}

/// Lists up to `limit` entities in order of creation, of one type or of all.
pub async fn list(
    librarian: &Librarian,
    entity_type: Option<EntityType>,
    limit: usize,
) -> Result<Vec<Entity>> {
    let mut found = Vec::new();
    let mut after = None;
    loop {
        let query = NodeQuery { after, ..NodeQuery::default() };
        let page = librarian.app.store.find_nodes(&librarian.viewer, query).await?;
        let wanted =
            |entity: &Entity| entity_type.is_none_or(|wanted| entity.entity_type == wanted);
        found.extend(page.items.into_iter().filter_map(Entity::of).filter(wanted));
        after = page.next;
        if after.is_none() || found.len() >= limit {
            found.truncate(limit);
            return Ok(found);
        }
    }
}

impl Librarian {
    /// Returns the catalogue of names the caller sees, up to date.
    pub(super) async fn catalogue(
        &self,
    ) -> Result<tokio::sync::OwnedMutexGuard<crate::views::View<Catalogue>>> {
        self.app.catalogues.open(self.app.store.as_ref(), &self.viewer).await
    }

    /// Returns the type a word stands for, including words defined by notes the caller sees.
    pub async fn entity_type(&self, text: &str) -> Result<Option<EntityType>> {
        // Most words are known without looking at notes.
        match EntityType::named(text) {
            Some(known) => Ok(Some(known)),
            None => Ok(self.catalogue().await?.type_called(text)),
        }
    }

    /// Returns those of these nodes that are entities the caller sees, in the given order.
    pub(super) async fn entities(&self, ids: &[NodeId]) -> Result<Vec<Entity>> {
        let nodes = self.app.store.nodes(&self.viewer, ids).await?;
        let mut found: Vec<Entity> = nodes.into_iter().filter_map(Entity::of).collect();
        found.sort_by_key(|entity| ids.iter().position(|id| *id == entity.node.id));
        Ok(found)
    }

    /// Returns the entity with this URI, or a "not found" error.
    pub(super) async fn entity(&self, uri: &str) -> Result<Entity> {
        by_uri(self, uri).await?.ok_or_else(|| {
            Error::not_found(format!("the entity {uri}"), "look for it with koi_search")
        })
    }
}

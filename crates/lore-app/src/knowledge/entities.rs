//! Entities: nodes that are something, under their URIs.

use lore_core::{Error, Node, NodeId, Result, Viewer};
use lore_resolve::{Candidate, Decision, Query};
use lore_store::{NodeKey, NodeQuery};
use serde_json::Value;

use super::catalogue::Catalogue;
use super::librarian::Librarian;
use super::ontology::EntityType;
use super::shares::Shares;
use super::{log, note, uri};
use crate::federation::{DOCUMENT_TYPE, SAID_KIND};
use crate::{App, id_forms};

/// A node that is something.
#[derive(Debug, Clone, PartialEq)]
pub struct Entity {
    /// The node.
    pub node: Node,
    /// What it is.
    pub entity_type: EntityType,
    /// What it is called outside.
    pub uri: String,
}

impl Entity {
    /// A node as an entity, if it is one.
    pub fn of(node: Node) -> Option<Self> {
        let entity_type = EntityType::of(&node)?;
        let uri = uri::of_entity(&node, entity_type);
        Some(Self { node, entity_type, uri })
    }

    /// What another node of the network told of, if that is something. It keeps its own name,
    /// and is what its node says or its name sounds like.
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

/// Most entities that are named where it is not clear which is meant.
const OFFERED_MAX: usize = 3;

/// The entity with this URI or an id of another door, or what it was merged into.
pub async fn by_uri(librarian: &Librarian, uri: &str) -> Result<Option<Entity>> {
    let node = id_forms::find(&librarian.app, &librarian.viewer, uri).await?;
    Ok(node.and_then(Entity::of))
}

/// The same, of those who ask for nothing but ids: the number in the world is one, too.
pub async fn by_id(librarian: &Librarian, id: &str) -> Result<Option<Entity>> {
    let node = id_forms::find_any(&librarian.app, &librarian.viewer, id).await?;
    Ok(node.and_then(Entity::of))
}

/// The node that is known outside by this name: an entity by its URI or that of what was merged
/// into it, or a document.
pub(crate) async fn by_name_outside(
    app: &App,
    viewer: &Viewer,
    name: &str,
) -> Result<Option<Node>> {
    // Most texts are names, for which nothing has to be opened.
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

/// What the things with these numbers were merged into, as far as the viewer sees it.
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

/// What may stand for an entity of which something is told. What is told is kept, so it must be
/// as sure as what is registered: a guess would tell it of somebody else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fit {
    /// Its name, or that name written otherwise.
    Name,
    /// The same, or a link to its note: who links notes writes their names or those of their
    /// files.
    Link,
}

/// The entity that a text surely stands for: by its URI, or by its name.
/// Entities of the `wanted` types come first; any will do where none is.
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
    let of = told_of(librarian, &entity, &called).await?;
    Ok(Some(Meant { entity, of }))
}

/// An entity that is meant.
pub(super) struct Meant {
    pub(super) entity: Entity,
    /// The URI of what was meant, where that was merged into it.
    pub(super) of: Option<String>,
}

/// The URI of whom something is told by a name or URI, where that was merged into the entity.
pub(super) async fn told_of(
    librarian: &Librarian,
    entity: &Entity,
    called: &str,
) -> Result<Option<String>> {
    if log::same_as(&entity.node).is_empty() {
        return Ok(None);
    }
    let shares = Shares::of(librarian, entity).await?;
    Ok(shares.told_of(called, &entity.node.name).cloned())
}

/// What somebody is called of whom something is told: what was merged into an entity and has the
/// URI `of`, or else the entity.
pub(super) async fn name_told(
    librarian: &Librarian,
    entity: &Entity,
    of: Option<&str>,
) -> Result<String> {
    let Some(of) = of else { return Ok(entity.node.name.clone()) };
    let is_its = |binned: Entity| uri::anchor(&binned.uri) == uri::anchor(of);
    let is_meant = |node: &Node| Entity::of(node.clone()).is_some_and(is_its);
    let merged = log::found_in_bin(librarian, is_meant).await?;
    Ok(merged.map_or_else(|| entity.node.name.clone(), |node| node.name))
}

/// Whom a text surely means, and the name it is known by that was meant.
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

/// Those that a name may mean, each by its name and URI, where it is not sure which.
pub(super) async fn offered(librarian: &Librarian, text: &str) -> Result<Vec<String>> {
    let candidates = librarian.catalogue().await?.resolve(&Query::new(text.trim())).candidates;
    let ids: Vec<NodeId> = candidates.iter().take(OFFERED_MAX).map(|one| one.key).collect();
    let entities = librarian.entities(&ids).await?.into_iter();
    Ok(entities.map(|entity| format!("{} ({})", entity.node.name, entity.uri)).collect())
}

/// A page of entities in order of creation, of one type or of all.
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
    /// The names the caller knows, up to date.
    pub(super) async fn catalogue(
        &self,
    ) -> Result<tokio::sync::OwnedMutexGuard<crate::views::View<super::catalogue::Catalogue>>> {
        self.app.catalogues.open(self.app.store.as_ref(), &self.viewer).await
    }

    /// The type that a word means to the caller, as the notes they see say.
    pub async fn entity_type(&self, text: &str) -> Result<Option<EntityType>> {
        // Most words need no notes to be understood.
        match EntityType::named(text) {
            Some(known) => Ok(Some(known)),
            None => Ok(self.catalogue().await?.type_called(text)),
        }
    }

    /// Those of these nodes that are entities the caller sees, in the given order.
    pub(super) async fn entities(&self, ids: &[NodeId]) -> Result<Vec<Entity>> {
        let nodes = self.app.store.nodes(&self.viewer, ids).await?;
        let mut found: Vec<Entity> = nodes.into_iter().filter_map(Entity::of).collect();
        found.sort_by_key(|entity| ids.iter().position(|id| *id == entity.node.id));
        Ok(found)
    }

    /// The entity with this URI, or an error that says so.
    pub(super) async fn entity(&self, uri: &str) -> Result<Entity> {
        by_uri(self, uri).await?.ok_or_else(|| {
            Error::not_found(format!("the entity {uri}"), "look for it with koi_search")
        })
    }
}

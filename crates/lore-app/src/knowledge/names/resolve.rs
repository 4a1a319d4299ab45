//! Resolving a name to an entity, by the name itself and by its context.

use std::collections::{HashMap, HashSet};

use lore_core::{Edge, NodeId, Result, names};
use lore_resolve::{Candidate, Profile, Query, Resolution, Shared};
use lore_store::Direction;

use super::catalogue::Catalogue;
use super::meaning;
use crate::knowledge::entities::{Entity, EntityType, uri};
use crate::knowledge::librarian::Librarian;
use crate::knowledge::relations::{EDGES_MAX, MENTIONS};
use crate::knowledge::vault::note::{last, named};
use crate::play::word;

/// Most candidates that are returned.
const CANDIDATES_MAX: usize = 50;
/// Most names of the context that are considered.
const SURROUNDINGS_MAX: usize = 10;
/// Longest context text that is read, in characters.
const TEXT_MAX: usize = 20_000;
/// How many candidates have their relations compared with the context.
const COMPARED: usize = 30;

/// A name to resolve.
#[derive(Debug, Clone, Default)]
pub struct Asked {
    /// The name.
    pub label: String,
    /// The type it should have, in any spelling.
    pub type_hint: Option<String>,
    /// Most candidates to return.
    pub limit: usize,
    /// The context of the name.
    pub surroundings: Surroundings,
}

/// The context of a name.
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    /// Names of people, projects and organisations mentioned alongside.
    pub beside: Vec<String>,
    /// Names of topics.
    pub topics: Vec<String>,
    /// The text that contains the name.
    pub text: String,
}

/// The result of resolving a name.
#[derive(Debug, Clone)]
pub struct Resolved {
    /// Candidates, likeliest first.
    pub candidates: Vec<Possible>,
    /// Whether no known entity is meant.
    pub is_new: bool,
    /// The URI the name would get if it were registered.
    pub proposed_uri: String,
}

/// A candidate for a name.
#[derive(Debug, Clone)]
pub struct Possible {
    /// The entity.
    pub entity: Entity,
    /// Confidence, from 0 to 1.
    pub confidence: f64,
    /// How it was found, such as `exact` or `semantic`.
    pub tier: &'static str,
    /// The reason for the match, in words.
    pub reason: String,
}

/// Resolves a name to candidates.
pub async fn resolve(librarian: &Librarian, asked: &Asked) -> Result<Resolved> {
    let label = names::checked_name("label", named(&names::cleaned(&asked.label)))?;
    // The type is only a hint: an unknown one does not restrict anything.
    let wanted = match asked.type_hint.as_deref() {
        Some(hint) => librarian.entity_type(hint).await?,
        None => None,
    };
    let limit = asked.limit.clamp(1, CANDIDATES_MAX);
    let query = Question { label: &label, wanted, limit };
    let nearby = nearby(librarian, &query, &asked.surroundings).await?;
    let resolution = ask(librarian, &query, nearby.as_ref()).await?;
    let is_new = resolution.is_new();
    let proposed_uri = uri::proposed(wanted, &label);
    let mut candidates = possible(librarian, resolution.candidates).await?;
    if is_new {
        let by_meaning = meaning::alike(librarian, &label, wanted, limit).await?;
        let fresh = by_meaning.into_iter().filter(|one| {
            candidates.iter().all(|known: &Possible| known.entity.node.id != one.entity.node.id)
        });
        let fresh: Vec<Possible> = fresh.collect();
        candidates.extend(fresh);
        candidates.truncate(limit);
    }
    Ok(Resolved { is_new, candidates, proposed_uri })
}

/// Returns the vault folder for each type, as this viewer's notes define it.
pub async fn folders(librarian: &Librarian) -> Result<Vec<String>> {
    let catalogue = librarian.catalogue().await?;
    Ok(EntityType::ALL.into_iter().map(|known| catalogue.folder(known)).collect())
}

/// Returns how names of each type are compared, for this viewer.
pub async fn profiles(librarian: &Librarian) -> Result<Vec<(EntityType, Profile)>> {
    let catalogue = librarian.catalogue().await?;
    Ok(EntityType::ALL.into_iter().map(|known| (known, catalogue.profile(known))).collect())
}

struct Question<'a> {
    label: &'a str,
    wanted: Option<EntityType>,
    limit: usize,
}

async fn ask(
    librarian: &Librarian,
    question: &Question<'_>,
    nearby: Option<&Nearby>,
) -> Result<Resolution<NodeId>> {
    let catalogue = librarian.catalogue().await?;
    Ok(look_up(&catalogue, question, nearby))
}

/// Separate from [`ask`], because the borrows of the query must not live across an await point.
fn look_up(
    catalogue: &Catalogue,
    question: &Question<'_>,
    nearby: Option<&Nearby>,
) -> Resolution<NodeId> {
    let shared = |node: &NodeId| nearby.map_or_else(Shared::default, |near| near.shared(*node));
    let context: Option<&dyn Fn(&NodeId) -> Shared> = nearby.map(|_| &shared as _);
    catalogue.resolve(&Query {
        label: question.label,
        type_hint: question.wanted.map(EntityType::as_str),
        context,
        limit: question.limit,
    })
}

async fn possible(
    librarian: &Librarian,
    candidates: Vec<Candidate<NodeId>>,
) -> Result<Vec<Possible>> {
    let ids: Vec<NodeId> = candidates.iter().map(|candidate| candidate.key).collect();
    let mut entities: HashMap<NodeId, Entity> = librarian
        .entities(&ids)
        .await?
        .into_iter()
        .map(|entity| (entity.node.id, entity))
        .collect();
    let shown = |candidate: Candidate<NodeId>| {
        Some(Possible {
            entity: entities.remove(&candidate.key)?,
            confidence: candidate.confidence,
            tier: candidate.tier.as_str(),
            reason: candidate.reason,
        })
    };
    Ok(candidates.into_iter().filter_map(shown).collect())
}

/// What the candidates have to do with the context of a name.
struct Nearby {
    /// The entities of the context that each entity is related to.
    related: HashMap<NodeId, HashSet<NodeId>>,
    topics: HashMap<NodeId, HashSet<NodeId>>,
    /// Candidates that have any edge.
    connected: HashSet<NodeId>,
    beside: usize,
}

impl Nearby {
    fn shared(&self, node: NodeId) -> Shared {
        let count = |known: &HashMap<NodeId, HashSet<NodeId>>| {
            known.get(&node).map_or(0, |found| u32::try_from(found.len()).unwrap_or(u32::MAX))
        };
        let related = count(&self.related);
        let strangers = if self.connected.contains(&node) { self.beside } else { 0 };
        let strangers = u32::try_from(strangers).unwrap_or(u32::MAX).saturating_sub(related);
        Shared { related, topics: count(&self.topics), strangers }
    }
}

/// Examines the context of a name; `None` if none of it is known.
async fn nearby(
    librarian: &Librarian,
    question: &Question<'_>,
    surroundings: &Surroundings,
) -> Result<Option<Nearby>> {
    let mut beside = known(librarian, &surroundings.beside).await?;
    beside.extend(read(librarian, question.label, &surroundings.text).await?);
    beside.sort();
    beside.dedup();
    let topics = known(librarian, &surroundings.topics).await?;
    if beside.is_empty() && topics.is_empty() {
        return Ok(None);
    }
    let first = ask(librarian, &Question { limit: COMPARED, ..*question }, None).await?;
    let candidates: Vec<NodeId> = first.candidates.iter().map(|found| found.key).collect();
    let edges = edges_at(librarian, &candidates).await?;
    let connected = edges.iter().flat_map(|edge| [edge.source, edge.target]).collect();
    let near_beside = neighbours(librarian, &beside, &candidates).await?;
    let near_topics = neighbours(librarian, &topics, &candidates).await?;
    let count = beside.len();
    Ok(Some(Nearby { related: near_beside, topics: near_topics, connected, beside: count }))
}

/// Returns the entities that names of the context certainly refer to.
async fn known(librarian: &Librarian, given: &[String]) -> Result<Vec<NodeId>> {
    let catalogue = librarian.catalogue().await?;
    let mut found = Vec::new();
    for name in given.iter().take(SURROUNDINGS_MAX) {
        if let Some(picked) = catalogue.resolve(&Query::new(last(named(name)))).pick() {
            found.push(picked.key);
        }
    }
    Ok(found)
}

/// Returns the entities a text mentions, without those the name itself may refer to.
async fn read(librarian: &Librarian, label: &str, text: &str) -> Result<Vec<NodeId>> {
    let text: String = text.chars().take(TEXT_MAX).collect();
    let mut catalogue = librarian.catalogue().await?;
    let own = catalogue.spot(label);
    let mentioned = catalogue.spot(&text).into_iter().map(|(node, _)| node);
    let others = mentioned.filter(|node| own.iter().all(|(named, _)| named != node));
    Ok(others.take(SURROUNDINGS_MAX).collect())
}

/// Returns what is related to `nodes`, directly or through a document that mentions both. If a
/// candidate is directly related to one of them, documents that mention that one do not count.
async fn neighbours(
    librarian: &Librarian,
    nodes: &[NodeId],
    candidates: &[NodeId],
) -> Result<HashMap<NodeId, HashSet<NodeId>>> {
    let mut near: HashMap<NodeId, HashSet<NodeId>> = HashMap::new();
    let mut documents: HashMap<NodeId, HashSet<NodeId>> = HashMap::new();
    for edge in edges_at(librarian, nodes).await? {
        let mentioned = edge.kind.as_str() == MENTIONS && nodes.contains(&edge.target);
        if mentioned {
            documents.entry(edge.source).or_default().insert(edge.target);
        }
        for (from, to) in [(edge.source, edge.target), (edge.target, edge.source)] {
            if nodes.contains(&from) {
                near.entry(to).or_default().insert(from);
            }
        }
    }
    let related = candidates.iter().filter_map(|one| near.get(one)).flatten();
    let related: HashSet<NodeId> = related.copied().collect();
    for mentioned in documents.values_mut() {
        mentioned.retain(|node| !related.contains(node));
    }
    let ids: Vec<NodeId> = documents.keys().copied().collect();
    let kinds = [word(MENTIONS)?];
    let store = &librarian.app.store;
    let viewer = &librarian.viewer;
    for edge in store.neighbours(viewer, &ids, Direction::Out, &kinds, EDGES_MAX).await? {
        let together = documents.get(&edge.source).into_iter().flatten();
        near.entry(edge.target).or_default().extend(together.filter(|node| **node != edge.target));
    }
    Ok(near)
}

async fn edges_at(librarian: &Librarian, nodes: &[NodeId]) -> Result<Vec<Edge>> {
    let store = &librarian.app.store;
    Ok(store.neighbours(&librarian.viewer, nodes, Direction::Both, &[], EDGES_MAX).await?)
}

//! Which entity a name means, judged by the name and by what it stands beside.

use std::collections::{HashMap, HashSet};

use lore_core::{Edge, NodeId, Result, names};
use lore_resolve::{Candidate, Profile, Query, Resolution, Shared};
use lore_store::Direction;

use super::catalogue::Catalogue;
use super::entities::Entity;
use super::librarian::Librarian;
use super::meaning;
use super::note::{last, named};
use super::ontology::EntityType;
use super::relations::{EDGES_MAX, MENTIONS};
use super::uri;
use crate::play::word;

/// Most candidates that are given.
const CANDIDATES_MAX: usize = 50;
/// Most names of the surroundings that are looked at.
const SURROUNDINGS_MAX: usize = 10;
/// Longest text around a name that is looked at, in characters.
const TEXT_MAX: usize = 20_000;
/// Candidates whose relations are looked at.
const COMPARED: usize = 30;

/// A name somebody used.
#[derive(Debug, Clone, Default)]
pub struct Asked {
    /// The name.
    pub label: String,
    /// The type it should have, in any spelling.
    pub type_hint: Option<String>,
    /// Most candidates to give.
    pub limit: usize,
    /// What the name stands beside.
    pub surroundings: Surroundings,
}

/// What a name stands beside, by name.
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    /// People, projects and organisations.
    pub beside: Vec<String>,
    /// Topics.
    pub topics: Vec<String>,
    /// The text the name stands in.
    pub text: String,
}

/// Whom a name may mean.
#[derive(Debug, Clone)]
pub struct Resolved {
    /// Entities that may be meant, likeliest first.
    pub candidates: Vec<Possible>,
    /// Whether nothing known is meant.
    pub is_new: bool,
    /// The URI the name gets when it is registered as something new.
    pub proposed_uri: String,
}

/// An entity that may be meant.
#[derive(Debug, Clone)]
pub struct Possible {
    /// The entity.
    pub entity: Entity,
    /// How far to rely on it, from 0 to 1.
    pub confidence: f64,
    /// What kind of likeness it was found by.
    pub tier: &'static str,
    /// Why, in words.
    pub reason: String,
}

/// Finds out whom a name means.
pub async fn resolve(librarian: &Librarian, asked: &Asked) -> Result<Resolved> {
    let label = names::checked_name("label", named(&names::cleaned(&asked.label)))?;
    // A hint is only that: a type nobody knows does not narrow anything.
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

/// The folder of the notes of each type, for this viewer.
pub async fn folders(librarian: &Librarian) -> Result<Vec<String>> {
    let catalogue = librarian.catalogue().await?;
    Ok(EntityType::ALL.into_iter().map(|known| catalogue.folder(known)).collect())
}

/// How names of each type are judged, for this viewer.
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

/// Not part of [`ask`], because what the query borrows must not outlive a pause.
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

/// What the surroundings of a name are known together with.
struct Nearby {
    /// Things beside the name that each entity is related to.
    related: HashMap<NodeId, HashSet<NodeId>>,
    topics: HashMap<NodeId, HashSet<NodeId>>,
    /// Candidates that have any relation.
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

/// Looks at the surroundings; none when nothing of them is known.
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

/// The entities that names of the surroundings mean, as far as they mean one.
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

/// The entities a text mentions besides the name itself.
async fn read(librarian: &Librarian, label: &str, text: &str) -> Result<Vec<NodeId>> {
    let text: String = text.chars().take(TEXT_MAX).collect();
    let mut catalogue = librarian.catalogue().await?;
    let own = catalogue.spot(label);
    let mentioned = catalogue.spot(&text).into_iter().map(|(node, _)| node);
    let others = mentioned.filter(|node| own.iter().all(|(named, _)| named != node));
    Ok(others.take(SURROUNDINGS_MAX).collect())
}

/// What is related to `nodes`, directly or by a document that mentions both. Where one of the
/// candidates is related to a node directly, a document tells nothing of the others.
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

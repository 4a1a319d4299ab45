//! Searching for entities and documents.

use std::collections::{HashMap, HashSet};

use lore_core::names::Word;
use lore_core::{Kind, Node, NodeId, Result, Text, Uid};
use lore_rules::memory::decay::ExperienceType;
use lore_search::{Filter, Query, Unit};
use lore_store::Answered;

use super::entities::ontology::DOCUMENT_KINDS;
use super::entities::{Entity, EntityType, uri};
use super::librarian::Librarian;
use super::{code, relations};
use crate::damage::sound_texts;
use crate::doors;
use crate::federation::{self, FEDERATED};
use crate::memory::kinds::{fact, learned};

/// Most results of a search.
const RESULTS_MAX: usize = 100;
/// How many times more results to request when they are then filtered by type.
const WIDER: usize = 10;
/// How many times more texts to request than documents are wanted.
const WIDER_TEXTS: usize = 4;

/// An entity found by a search.
#[derive(Debug, Clone)]
pub struct EntityHit {
    /// The entity.
    pub entity: Entity,
    /// The score, from 0 to 1.
    pub similarity: f64,
    /// The number of its relations.
    pub relations: usize,
    /// The KOI-net node that told of it; `None` if it is of this world.
    pub source: Option<String>,
}

/// Which entities to search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    /// Those of this world.
    Ours,
    /// Also those that other KOI-net nodes told of.
    Everybodys,
}

/// Returns the entities that match a query, best first.
pub async fn find_entities(
    librarian: &Librarian,
    text: &str,
    wanted: Option<EntityType>,
    whose: Whose,
    limit: usize,
) -> Result<Vec<EntityHit>> {
    let limit = limit.clamp(1, RESULTS_MAX);
    let looked_at = if wanted.is_some() { limit * WIDER } else { limit * 2 };
    let filter = Filter { except_kinds: document_kinds(whose)?, ..Filter::default() };
    let query = Query { filter, unit: Unit::Node, ..Query::new(text, looked_at) };
    let found = librarian.app.search(&librarian.viewer, query).await?;
    let mut hits: Vec<EntityHit> = found
        .answers
        .into_iter()
        .filter_map(entity_hit)
        .filter(|hit| wanted.is_none_or(|wanted| hit.entity.entity_type == wanted))
        .take(limit)
        .collect();
    let ids: Vec<NodeId> = hits.iter().map(|hit| hit.entity.node.id).collect();
    let counts = relations::counts(librarian, &ids).await?;
    for hit in &mut hits {
        hit.relations = counts.get(&hit.entity.node.id).copied().unwrap_or_default();
    }
    Ok(hits)
}

fn entity_hit(answer: Answered) -> Option<EntityHit> {
    let similarity = share(answer.hit.score);
    let source = federation::told_by(&answer.node);
    Some(EntityHit { entity: entity_of(answer.node)?, similarity, relations: 0, source })
}

/// Returns a node of this world or of another as an entity, if it is one.
fn entity_of(node: Node) -> Option<Entity> {
    match federation::told_by(&node) {
        Some(_) => Entity::told(node),
        None => Entity::of(node),
    }
}

/// Returns the documents that match a query by content or name and are not entities, best first.
pub async fn find_mere_documents(
    librarian: &Librarian,
    text: &str,
    limit: usize,
) -> Result<Vec<FoundDocument>> {
    let limit = limit.clamp(1, RESULTS_MAX);
    let filter = Filter { kinds: shown_document_kinds()?, ..Filter::default() };
    let query = Query { filter, unit: Unit::Node, ..Query::new(text, limit * 2) };
    let found = librarian.app.search(&librarian.viewer, query).await?;
    let mut once = Once::default();
    let mut documents: Vec<FoundDocument> = found
        .answers
        .into_iter()
        .filter(|answer| entity_of(answer.node.clone()).is_none())
        .map(found_document)
        .filter(|hit| once.tells(hit))
        .take(limit)
        .collect();
    let bare = documents.iter().filter(|hit| hit.text.is_none()).map(|hit| hit.node.id);
    let bare: Vec<NodeId> = bare.collect();
    let store = librarian.app.store.as_ref();
    let texts = sound_texts(store, &librarian.viewer, &bare).await?.texts;
    let mut first: HashMap<NodeId, Text> = HashMap::new();
    for text in texts {
        first.entry(text.node).or_insert(text);
    }
    for document in &mut documents {
        document.text = document.text.take().or_else(|| first.remove(&document.node.id));
    }
    Ok(documents)
}

/// Sources with their own name in answers: the namespace, and that name.
pub const SOURCES: [(&str, &str); 4] = [
    ("vault", "obsidian-sensor"),
    ("github", "github-sensor"),
    ("email", "email-sensor"),
    ("web", "web-sensor"),
];
/// The source of everything created by other doors (toolsets).
const WORLD: &str = "world";

/// Returns the names of the sources that are the same in every world.
pub fn source_names() -> impl Iterator<Item = &'static str> {
    SOURCES.into_iter().map(|(namespace, _)| namespace).chain([federation::SOURCE, WORLD])
}

/// Whether a name is that of such a source, or of one KOI-net node.
pub fn is_source(name: &str) -> bool {
    let lower = name.trim().to_lowercase();
    source_names().any(|known| known == lower)
        || SOURCES.iter().any(|(_, sensor)| *sensor == lower)
        || lower.starts_with(federation::SOURCE)
}

/// Whether to return single passages besides documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Passages {
    /// Documents only.
    Leave,
    /// The matching passages as well.
    Give,
}

/// The result of a document search.
#[derive(Debug, Clone, Default)]
pub struct FoundDocuments {
    /// Documents, best first.
    pub documents: Vec<FoundDocument>,
    /// Passages, best first.
    pub chunks: Vec<Chunk>,
}

/// A document found by a search.
#[derive(Debug, Clone)]
pub struct FoundDocument {
    /// The RID, the name it has outside.
    pub rid: String,
    /// Its node.
    pub node: Node,
    /// The best matching text, or the first one; `None` if the document has only a name.
    pub text: Option<Text>,
    /// The score, from 0 to 1.
    pub similarity: f64,
    /// Where it comes from.
    pub source: String,
}

/// A passage found by a search.
#[derive(Debug, Clone)]
pub struct Chunk {
    /// The RID of the passage: that of the document with a fragment.
    pub rid: String,
    /// The document it is part of.
    pub document: FoundDocument,
}

/// Returns the documents that match a query, and on request their passages.
pub async fn find_documents(
    librarian: &Librarian,
    text: &str,
    source: Option<&str>,
    limit: usize,
    passages: Passages,
) -> Result<FoundDocuments> {
    let limit = limit.clamp(1, RESULTS_MAX);
    let source = source.map(str::trim).filter(|source| !source.is_empty());
    let filter = source.map(of_source).transpose()?.unwrap_or_default();
    let ask = async |unit, limit| {
        let query = Query { filter: filter.clone(), unit, ..Query::new(text, limit) };
        librarian.app.search(&librarian.viewer, query).await
    };
    let found = ask(Unit::Text, limit * WIDER_TEXTS).await?;
    let more = found.answers.len() == limit * WIDER_TEXTS;
    let mut hits: Vec<_> = found.answers.into_iter().map(found_document).collect();
    let mut once = Once::default();
    hits.retain(|hit| once.tells(hit));
    let chunks = match passages {
        Passages::Leave => Vec::new(),
        Passages::Give => hits.iter().take(limit).cloned().filter_map(chunk).collect(),
    };
    let mut seen = HashSet::new();
    let mut documents: Vec<_> = hits.into_iter().filter(|hit| seen.insert(hit.node.id)).collect();
    if more && documents.len() < limit {
        // One long document took up most of the hits: search again by document.
        let others = ask(Unit::Node, limit).await?.answers.into_iter();
        let others = others.filter(|answer| answer.text.is_some()).map(found_document);
        documents.extend(others.filter(|hit| once.tells(hit) && seen.insert(hit.node.id)));
    }
    documents.truncate(limit);
    Ok(FoundDocuments { documents, chunks })
}

/// Removes duplicates: an experience and the node it was promoted to hold the same fact.
#[derive(Default)]
struct Once(HashMap<Uid, NodeId>);

impl Once {
    fn tells(&mut self, hit: &FoundDocument) -> bool {
        *self.0.entry(fact(&hit.node)).or_insert(hit.node.id) == hit.node.id
    }
}

fn found_document(answer: Answered) -> FoundDocument {
    FoundDocument {
        rid: uri::of_document(&answer.node),
        similarity: share(answer.hit.score),
        source: source_of(&answer.node),
        text: answer.text,
        node: answer.node,
    }
}

fn chunk(document: FoundDocument) -> Option<Chunk> {
    let text = document.text.as_ref()?;
    let rid = match text.kind.as_str() {
        code::CODE => format!("{}#entity:{}", document.rid, text.title),
        _ => format!("{}#chunk{}", document.rid, text.position),
    };
    Some(Chunk { rid, document })
}

/// Returns the filter for a source: all of KOI-net, one of its nodes, or a local namespace.
fn of_source(source: &str) -> Result<Filter> {
    let node = source.strip_prefix(federation::SOURCE);
    Ok(match node {
        Some("") => Filter { kinds: vec![Word::new("kind", FEDERATED)?], ..Filter::default() },
        Some(node) if node.starts_with(':') => {
            Filter { sources: vec![source.to_owned()], ..Filter::default() }
        }
        // Documents from KOI-net have no namespace of their own and do not belong to this world.
        _ => Filter {
            namespaces: vec![namespace(source)],
            except_kinds: vec![Word::new("kind", FEDERATED)?],
            ..Filter::default()
        },
    })
}

/// Returns the name of the source of a document.
fn source_of(node: &Node) -> String {
    if let Some(source) = federation::told_by(node) {
        return source;
    }
    let known = SOURCES.iter().find(|(namespace, _)| *namespace == node.namespace);
    match known {
        Some((_, sensor)) => (*sensor).to_owned(),
        // Only documents ingested here have an RID; elsewhere namespaces serve to group things.
        None if node.properties.contains_key(uri::RID) => node.namespace.clone(),
        None => WORLD.to_owned(),
    }
}

/// Returns the namespace of a source, given by either of its names.
fn namespace(source: &str) -> String {
    let lower = source.to_lowercase();
    let known = SOURCES.iter().find(|(name, sensor)| [*name, *sensor].contains(&lower.as_str()));
    match known {
        Some((namespace, _)) => (*namespace).to_owned(),
        None if lower == WORLD => String::new(),
        None => source.to_owned(),
    }
}

/// Returns the kinds to exclude from an entity search. Nodes from KOI-net are included on request,
/// whatever they are.
fn document_kinds(whose: Whose) -> Result<Vec<Kind>> {
    let kinds = DOCUMENT_KINDS.iter().filter(|kind| whose == Whose::Ours || **kind != FEDERATED);
    kinds.map(|kind| Word::new("kind", kind)).collect()
}

/// Returns the kinds of documents that a search may show.
fn shown_document_kinds() -> Result<Vec<Kind>> {
    let kinds = DOCUMENT_KINDS.iter().filter(|kind| !doors::INNER.contains(kind));
    let kinds = kinds.map(|kind| Word::new("kind", kind));
    kinds.chain(ExperienceType::ALL.into_iter().map(learned)).collect()
}

/// Converts a search score to the range 0 to 1.
fn share(score: f32) -> f64 {
    f64::from(score).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_is_known_by_both_its_names() {
        assert_eq!(namespace("vault"), "vault");
        assert_eq!(namespace("Obsidian-Sensor"), "vault");
        assert_eq!(namespace("world"), "");
        assert_eq!(namespace("my own"), "my own");
    }
}

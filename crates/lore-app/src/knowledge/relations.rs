//! How entities are related: reading what is known, and adding to it one by one.

use std::collections::HashMap;

use futures::FutureExt;
use lore_core::{Edge, EdgeKind, NodeId, Properties, Result};
use lore_store::{Batch, Change, Direction, NewEdge, NodeRef};
use serde_json::{Value, json};

use super::entities::{self, Entity};
use super::librarian::Librarian;
use super::predicates::{self, Kept, Predicate};
use crate::play::word;

/// Edge from a document to what it mentions.
pub(super) const MENTIONS: &str = "mentions";
/// Most edges that are looked at together.
pub(super) const EDGES_MAX: usize = 10_000;
/// Most relations of one call.
const ITEMS_MAX: usize = 500;

/// Edges that order things for one door and say nothing of them.
const INNER: [&str; 3] = [MENTIONS, "tagged", "kept_as"];

/// One entity, what it does, and another.
#[derive(Debug, Clone, PartialEq)]
pub struct Relation {
    /// From where.
    pub subject: Entity,
    /// How.
    pub predicate: String,
    /// To where.
    pub object: Entity,
    /// How sure it is, from 0 to 1.
    pub confidence: f64,
    /// Where it came from.
    pub source: String,
    /// The document it was read in.
    pub source_rid: Option<String>,
}

/// The relations of an entity in both directions: by predicate, then the surest first.
pub async fn relations(
    librarian: &Librarian,
    uri: &str,
    predicate: Option<&str>,
) -> Result<Vec<Relation>> {
    let Some(entity) = entities::by_uri(librarian, uri).await? else { return Ok(Vec::new()) };
    let wanted = predicate.map(predicates::spelled);
    let kinds: Vec<EdgeKind> = match wanted.as_deref().map(|name| EdgeKind::new("predicate", name))
    {
        Some(Ok(kind)) => vec![kind],
        // No edge is called that.
        Some(Err(_)) => return Ok(Vec::new()),
        None => Vec::new(),
    };
    let edges = around(librarian, &[entity.node.id], &kinds).await?;
    let mut found = relations_of(librarian, edges).await?;
    found.sort_by(|a, b| {
        let by_confidence = b.confidence.total_cmp(&a.confidence);
        let by_name = || {
            (&a.subject.node.name, &a.object.node.name)
                .cmp(&(&b.subject.node.name, &b.object.node.name))
        };
        a.predicate.cmp(&b.predicate).then(by_confidence).then_with(by_name)
    });
    Ok(found)
}

/// How many relations each of these entities has.
pub(super) async fn counts(
    librarian: &Librarian,
    nodes: &[NodeId],
) -> Result<HashMap<NodeId, usize>> {
    let mut counts = HashMap::new();
    for relation in relations_of(librarian, around(librarian, nodes, &[]).await?).await? {
        for end in [relation.subject.node.id, relation.object.node.id] {
            *counts.entry(end).or_default() += 1;
        }
    }
    Ok(counts)
}

async fn around(librarian: &Librarian, nodes: &[NodeId], kinds: &[EdgeKind]) -> Result<Vec<Edge>> {
    let store = &librarian.app.store;
    let viewer = &librarian.viewer;
    let mut edges = store.neighbours(viewer, nodes, Direction::Both, kinds, EDGES_MAX).await?;
    edges.retain(|edge| !INNER.contains(&edge.kind.as_str()));
    edges.sort_by_key(|edge| edge.id);
    edges.dedup_by_key(|edge| edge.id);
    Ok(edges)
}

/// Edges as relations, as far as they join two entities.
async fn relations_of(librarian: &Librarian, edges: Vec<Edge>) -> Result<Vec<Relation>> {
    let mut ids: Vec<NodeId> = edges.iter().flat_map(|edge| [edge.source, edge.target]).collect();
    ids.sort();
    ids.dedup();
    let nodes = librarian.app.store.nodes(&librarian.viewer, &ids).await?;
    let entities: HashMap<NodeId, Entity> =
        nodes.into_iter().filter_map(|node| Some((node.id, Entity::of(node)?))).collect();
    let shown = |edge: Edge| {
        let text = |key: &str| edge.properties.get(key).and_then(Value::as_str).map(str::to_owned);
        Some(Relation {
            subject: entities.get(&edge.source)?.clone(),
            object: entities.get(&edge.target)?.clone(),
            confidence: edge.weight.clamp(0.0, 1.0),
            source: text(SOURCE).unwrap_or_else(|| "world".into()),
            source_rid: text(SOURCE_RID),
            predicate: edge.kind.as_str().to_owned(),
        })
    };
    Ok(edges.into_iter().filter_map(shown).collect())
}

const SOURCE: &str = "source";
const SOURCE_RID: &str = "source_rid";

/// A relation to add. Its ends are URIs, names or aliases.
#[derive(Debug, Clone)]
pub struct NewRelation {
    /// From where.
    pub subject: String,
    /// How.
    pub predicate: String,
    /// To where.
    pub object: String,
    /// How sure it is, from 0 to 1.
    pub confidence: f64,
}

/// What became of a relation.
#[derive(Debug, Clone, PartialEq)]
pub enum Related {
    /// It was added, or known already.
    Added,
    /// It was not; why, in words.
    Refused(String),
}

/// Where relations were read.
#[derive(Debug, Clone, Copy)]
pub struct ReadIn<'a> {
    /// What sort of source it is: `web`, `vault`, `api`.
    pub source: &'a str,
    /// The document.
    pub rid: Option<&'a str>,
}

/// Adds relations. A bad one is told and never hurts its neighbours.
pub async fn relate(
    librarian: &Librarian,
    items: &[NewRelation],
    read_in: ReadIn<'_>,
) -> Result<Vec<Related>> {
    let mut outcomes = Vec::with_capacity(items.len());
    for (place, item) in items.iter().enumerate() {
        if place >= ITEMS_MAX {
            outcomes.push(Related::Refused(format!("only {ITEMS_MAX} are taken at once")));
            continue;
        }
        outcomes.push(add(librarian, item, read_in).await?);
    }
    Ok(outcomes)
}

async fn add(librarian: &Librarian, item: &NewRelation, read_in: ReadIn<'_>) -> Result<Related> {
    let Some(predicate) = Predicate::read(&item.predicate) else {
        return Ok(Related::Refused(format!("{:?} is no known predicate", item.predicate)));
    };
    let subject = entities::meant(librarian, &item.subject).await?;
    let object = entities::meant(librarian, &item.object).await?;
    let (Some(subject), Some(object)) = (&subject, &object) else {
        let unknown = if subject.is_none() { &item.subject } else { &item.object };
        return Ok(Related::Refused(format!("{unknown:?} is no known entity")));
    };
    if subject.node.id == object.node.id {
        return Ok(Related::Refused("it relates an entity to itself".into()));
    }
    if let Some(why) = predicate.objection(subject.entity_type, object.entity_type) {
        return Ok(Related::Refused(why));
    }
    let (from, to) = (subject.node.id, object.node.id);
    let plan = || {
        async move {
            let mut batch = librarian.batch();
            for (kind, from, to) in kept_as(predicate, from, to) {
                batch = join(librarian, batch, (kind, from, to), item.confidence, read_in).await?;
            }
            Ok((batch, ()))
        }
        .boxed()
    };
    librarian.carry_out(plan).await?;
    Ok(Related::Added)
}

/// The edges a relation is kept as.
fn kept_as(
    predicate: &Predicate,
    subject: NodeId,
    object: NodeId,
) -> Vec<(&'static str, NodeId, NodeId)> {
    match predicate.kept {
        Kept::Once => vec![(predicate.name, subject, object)],
        Kept::BothWays => {
            vec![(predicate.name, subject, object), (predicate.name, object, subject)]
        }
        Kept::As(other) => vec![(other, object, subject)],
    }
}

/// Adds an edge unless there is one: what others know and see stays as it is.
async fn join(
    librarian: &Librarian,
    batch: Batch,
    (kind, from, to): (&'static str, NodeId, NodeId),
    confidence: f64,
    read_in: ReadIn<'_>,
) -> Result<Batch> {
    let kind = word(kind)?;
    let kinds = std::slice::from_ref(&kind);
    let store = &librarian.app.store;
    let viewer = &librarian.viewer;
    let edges = store.neighbours(viewer, &[from], Direction::Out, kinds, EDGES_MAX).await?;
    if edges.iter().any(|edge| edge.target == to) {
        return Ok(batch);
    }
    let mut properties = Properties::new();
    properties.insert(SOURCE.into(), json!(read_in.source));
    if let Some(rid) = read_in.rid {
        properties.insert(SOURCE_RID.into(), json!(rid));
    }
    Ok(batch.change(Change::PutEdge(NewEdge {
        source: NodeRef::Id(from),
        target: NodeRef::Id(to),
        kind,
        weight: confidence.clamp(0.0, 1.0),
        visibility: librarian.visibility(),
        properties,
    })))
}

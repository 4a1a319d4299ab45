//! How entities are related: reading what is known, and adding to it one by one.

use std::collections::{BTreeMap, HashMap, HashSet};

use futures::FutureExt;
use lore_core::names::without_unseen;
use lore_core::{Edge, EdgeKind, Node, NodeId, Properties, Result};
use lore_store::{Change, Direction, NewEdge, NodeRef};
use serde_json::Value;

use super::entities::{self, Entity, Fit, Meant};
use super::librarian::Librarian;
use super::ontology::is_written_here;
use super::predicates::{self, Kept, Predicate};
use super::tellings::{self, Telling};
use super::{told, uri};
use crate::play::word;

/// Edge from a document to what it mentions.
pub(super) const MENTIONS: &str = "mentions";
/// Most edges that are looked at together.
pub(super) const EDGES_MAX: usize = 10_000;
/// How many entities' relations are counted at once.
const TALLIED_AT_ONCE: usize = 500;
/// Most relations of one call.
pub(super) const ITEMS_MAX: usize = 500;

/// Whether an edge tells how two are related, and is no mention.
pub(super) fn is_relation(edge: &Edge) -> bool {
    edge.kind.as_str() != MENTIONS
}

/// Edges that order things for one door and say nothing of them.
const INNER: [&str; 3] = [MENTIONS, "tagged", "kept_as"];

/// One entity, what it does, and another.
#[derive(Debug, Clone, PartialEq)]
pub struct Relation {
    /// From where.
    pub subject: End,
    /// How.
    pub predicate: String,
    /// To where.
    pub object: End,
    /// How sure it is, from 0 to 1.
    pub confidence: f64,
    /// Where it came from.
    pub source: String,
    /// The document it was read in.
    pub source_rid: Option<String>,
}

/// What is at one end of a relation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct End {
    /// Which node it is.
    pub id: NodeId,
    /// What it is called outside.
    pub uri: String,
    /// Its name.
    pub name: String,
    /// The type of an entity, or [`DOCUMENT`].
    pub type_name: &'static str,
}

/// The type of what tells of entities and is none.
const DOCUMENT: &str = "Document";

impl End {
    fn entity(node: Node) -> Option<Self> {
        let Entity { node, entity_type, uri } = Entity::of(node)?;
        Some(Self { id: node.id, uri, name: node.name, type_name: entity_type.as_str() })
    }

    /// An entity, or what somebody wrote here. What was read elsewhere may name an entity a
    /// thousand times over, and is listed among its documents alone.
    fn entity_or_writing(node: Node) -> Option<Self> {
        if is_written_here(&node) {
            let (id, uri) = (node.id, uri::of_document(&node));
            return Some(Self { id, uri, name: node.name, type_name: DOCUMENT });
        }
        Self::entity(node)
    }
}

/// The relations of an entity in both directions: by predicate, then the surest first.
pub async fn relations(
    librarian: &Librarian,
    uri: &str,
    predicate: Option<&str>,
) -> Result<Vec<Relation>> {
    let Some(entity) = entities::by_id(librarian, uri).await? else { return Ok(Vec::new()) };
    let wanted = predicate.map(predicates::spelled);
    let kinds: Vec<EdgeKind> = match wanted.as_deref().map(|name| EdgeKind::new("predicate", name))
    {
        Some(Ok(kind)) => vec![kind],
        // No edge is called that.
        Some(Err(_)) => return Ok(Vec::new()),
        None => Vec::new(),
    };
    let edges = around(librarian, &[entity.node.id], &kinds).await?;
    let mut found = relations_of(librarian, edges, End::entity).await?;
    if wanted.is_none_or(|name| name == MENTIONS) {
        let mentions = mentions_at(librarian, entity.node.id).await?;
        found.extend(relations_of(librarian, mentions, End::entity_or_writing).await?);
    }
    found.sort_by(|a, b| {
        let by_confidence = b.confidence.total_cmp(&a.confidence);
        let by_name = || (&a.subject.name, &a.object.name).cmp(&(&b.subject.name, &b.object.name));
        a.predicate.cmp(&b.predicate).then(by_confidence).then_with(by_name)
    });
    Ok(found)
}

/// Edges from what mentions an entity and to what it mentions.
async fn mentions_at(librarian: &Librarian, node: NodeId) -> Result<Vec<Edge>> {
    let (store, kinds) = (&librarian.app.store, [word(MENTIONS)?]);
    let both = Direction::Both;
    Ok(store.neighbours(&librarian.viewer, &[node], both, &kinds, EDGES_MAX).await?)
}

/// How many relations each of these entities has.
pub(super) async fn counts(
    librarian: &Librarian,
    nodes: &[NodeId],
) -> Result<HashMap<NodeId, usize>> {
    let mut counts = HashMap::new();
    let edges = around(librarian, nodes, &[]).await?;
    for relation in relations_of(librarian, edges, End::entity).await? {
        for end in [relation.subject.id, relation.object.id] {
            *counts.entry(end).or_default() += 1;
        }
    }
    Ok(counts)
}

/// How many relations there are of each predicate.
pub async fn tally(librarian: &Librarian) -> Result<BTreeMap<String, usize>> {
    let mut counts = BTreeMap::new();
    let entities = entities::list(librarian, None, usize::MAX).await?;
    let ids: Vec<NodeId> = entities.iter().map(|entity| entity.node.id).collect();
    let known: HashSet<NodeId> = ids.iter().copied().collect();
    for some in ids.chunks(TALLIED_AT_ONCE) {
        let (store, viewer) = (&librarian.app.store, &librarian.viewer);
        let edges = store.neighbours(viewer, some, Direction::Out, &[], usize::MAX).await?;
        let told = edges.iter().filter(|edge| !INNER.contains(&edge.kind.as_str()));
        for edge in told.filter(|edge| known.contains(&edge.target)) {
            *counts.entry(edge.kind.to_string()).or_default() += 1;
        }
    }
    Ok(counts)
}

pub(super) async fn around(
    librarian: &Librarian,
    nodes: &[NodeId],
    kinds: &[EdgeKind],
) -> Result<Vec<Edge>> {
    let store = &librarian.app.store;
    let viewer = &librarian.viewer;
    let mut edges = store.neighbours(viewer, nodes, Direction::Both, kinds, EDGES_MAX).await?;
    edges.retain(|edge| !INNER.contains(&edge.kind.as_str()));
    edges.sort_by_key(|edge| edge.id);
    edges.dedup_by_key(|edge| edge.id);
    Ok(edges)
}

/// Edges as relations, as far as they join two of what can be an end.
async fn relations_of(
    librarian: &Librarian,
    edges: Vec<Edge>,
    end: fn(Node) -> Option<End>,
) -> Result<Vec<Relation>> {
    let mut ids: Vec<NodeId> = edges.iter().flat_map(|edge| [edge.source, edge.target]).collect();
    ids.sort();
    ids.dedup();
    let nodes = librarian.app.store.nodes(&librarian.viewer, &ids).await?;
    let ends: HashMap<NodeId, End> =
        nodes.into_iter().filter_map(|node| Some((node.id, end(node)?))).collect();
    let shown = |edge: Edge| {
        let text = |key: &str| edge.properties.get(key).and_then(Value::as_str).map(str::to_owned);
        Some(Relation {
            subject: ends.get(&edge.source)?.clone(),
            object: ends.get(&edge.target)?.clone(),
            confidence: edge.weight.clamp(0.0, 1.0),
            source: text(SOURCE).unwrap_or_else(|| "world".into()),
            source_rid: text(SOURCE_RID),
            predicate: edge.kind.as_str().to_owned(),
        })
    };
    Ok(edges.into_iter().filter_map(shown).collect())
}

/// The property that holds what sort of source an edge was read in, and so that it was made
/// here.
pub(super) const SOURCE: &str = "source";
/// The property that holds the document an edge was first read in.
pub(super) const SOURCE_RID: &str = "source_rid";
/// The property that holds every note that says so.
pub(super) const TOLD_BY: &str = "told_by";
/// The properties that hold of whom an edge was told in former times, where that was merged into
/// what it joins. In a mention the second holds whom somebody says it is of.
pub(super) const SUBJECT_AS: &str = "subject_as";
pub(super) const OBJECT_AS: &str = "object_as";

/// A relation to add. Its ends are URIs, names or aliases.
#[derive(Debug, Clone, PartialEq)]
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

impl NewRelation {
    /// The same without what nobody sees: whoever is named in it has no such thing in their name.
    fn seen(&self) -> Self {
        let [subject, predicate, object] =
            [&self.subject, &self.predicate, &self.object].map(|text| without_unseen(text));
        Self { subject, predicate, object, confidence: self.confidence }
    }
}

/// What became of a relation.
#[derive(Debug, Clone, PartialEq)]
pub enum Related {
    /// It was added, or known already.
    Added,
    /// It is one that was told before in the same list.
    Repeated,
    /// It was not, because nothing that is known is surely called so.
    Unknown {
        /// The name.
        name: String,
        /// Those that may be meant, each by its name and URI.
        candidates: Vec<String>,
    },
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

/// Something of a list that came from outside, or why it cannot be read.
pub type Item<T> = std::result::Result<T, String>;

/// Adds relations. A bad one is told and never hurts its neighbours.
pub async fn relate(
    librarian: &Librarian,
    items: &[Item<NewRelation>],
    read_in: ReadIn<'_>,
) -> Result<Vec<Related>> {
    let mut outcomes = Vec::with_capacity(items.len());
    let mut told = HashSet::new();
    for (place, item) in items.iter().enumerate() {
        outcomes.push(match item {
            _ if place >= ITEMS_MAX => {
                Related::Refused(format!("only {ITEMS_MAX} are taken at once"))
            }
            Ok(item) => relate_one(librarian, &item.seen(), read_in, &mut told).await?,
            Err(unreadable) => Related::Refused(unreadable.clone()),
        });
    }
    Ok(outcomes)
}

async fn relate_one(
    librarian: &Librarian,
    item: &NewRelation,
    read_in: ReadIn<'_>,
    told: &mut HashSet<Ends>,
) -> Result<Related> {
    let joint = match understood(librarian, item, Fit::Name).await? {
        Ok(joint) => joint,
        Err(Related::Unknown { name, .. }) => {
            let candidates = entities::offered(librarian, &name).await?;
            return Ok(Related::Unknown { name, candidates });
        }
        Err(problem) => return Ok(problem),
    };
    let fresh = joint.edges().into_iter().filter(|edge| told.insert(edge.clone())).count();
    if fresh == 0 {
        return Ok(Related::Repeated);
    }
    keep(librarian, &joint, item.confidence, read_in, Teller::Anybody).await?;
    Ok(Related::Added)
}

/// Kind and ends of an edge.
pub(super) type Ends = (String, NodeId, NodeId);

/// Two entities and how they are joined.
pub(super) struct Joint {
    predicate: &'static Predicate,
    subject: (NodeId, Option<String>),
    object: (NodeId, Option<String>),
}

impl Joint {
    /// The edges it is kept as.
    pub(super) fn edges(&self) -> Vec<Ends> {
        let (from, to) = (self.subject.0, self.object.0);
        let name = self.predicate.name.to_owned();
        match self.predicate.kept {
            Kept::Once => vec![(name, from, to)],
            Kept::BothWays => vec![(name.clone(), from, to), (name, to, from)],
            Kept::As(other) => vec![(other.to_owned(), to, from)],
        }
    }

    /// Those it joins, each with the URI of who is meant, where that was merged into it, or an empty
    /// text.
    pub(super) fn ends(&self) -> [(NodeId, String); 2] {
        [&self.subject, &self.object].map(|(node, of)| (*node, of.clone().unwrap_or_default()))
    }

    /// It as a telling of one of its edges.
    fn telling(&self, (_, from, to): &Ends, confidence: f64, origin: Properties) -> Telling {
        let ends = [&self.subject, &self.object];
        let called = |end: &NodeId| {
            let meant = ends.into_iter().find(|(id, _)| id == end);
            meant.and_then(|(_, called)| called.clone()).unwrap_or_default()
        };
        let confidence = confidence.clamp(0.0, 1.0);
        Telling { subject: called(from), object: called(to), confidence, origin }
    }
}

/// Who is meant and whether that makes sense; else what is wrong.
pub(super) async fn understood(
    librarian: &Librarian,
    item: &NewRelation,
    fit: Fit,
) -> Result<std::result::Result<Joint, Related>> {
    let Some(predicate) = Predicate::read(&item.predicate) else {
        let problem = format!("{:?} is no known predicate", item.predicate);
        return Ok(Err(Related::Refused(problem)));
    };
    let subject = entities::meant(librarian, &item.subject, predicate.subjects, fit).await?;
    let object = entities::meant(librarian, &item.object, predicate.objects, fit).await?;
    let (Some(subject), Some(object)) = (&subject, &object) else {
        let unknown = if subject.is_none() { &item.subject } else { &item.object };
        let (name, candidates) = (unknown.clone(), Vec::new());
        return Ok(Err(Related::Unknown { name, candidates }));
    };
    if subject.entity.node.id == object.entity.node.id {
        let why = match subject.of == object.of {
            true => "it relates an entity to itself",
            false => "its ends are merged into one entity: undo that with /entity/unmerge first",
        };
        return Ok(Err(Related::Refused(why.into())));
    }
    if let Some(why) = predicate.objection(subject.entity.entity_type, object.entity.entity_type) {
        return Ok(Err(Related::Refused(why)));
    }
    let end = |meant: &Meant| (meant.entity.node.id, meant.of.clone());
    Ok(Ok(Joint { predicate, subject: end(subject), object: end(object) }))
}

/// Who says so.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Teller {
    /// Somebody, once.
    Anybody,
    /// A note, for as long as it does.
    Note,
}

pub(super) async fn keep(
    librarian: &Librarian,
    joint: &Joint,
    confidence: f64,
    read_in: ReadIn<'_>,
    teller: Teller,
) -> Result<()> {
    let plan = || {
        async move {
            let mut batch = librarian.batch();
            for edge in joint.edges() {
                let known = known_edge(librarian, &edge).await?;
                let telling = joint.telling(&edge, confidence, told::origin(read_in, teller));
                let change = match known {
                    None => new_edge(librarian, edge, telling)?,
                    // What others know and see stays as it is.
                    Some(known) => {
                        let mut tellings = tellings::of(&known);
                        let same = tellings.iter_mut().find(|known| known.is_of_same(&telling));
                        match same {
                            Some(same) => same.origin = told::again(&same.origin, read_in, teller),
                            None => tellings::add(&mut tellings, [telling]),
                        }
                        tellings::retold(&known, &tellings)
                    }
                };
                batch.changes.extend(change);
            }
            Ok((batch, ()))
        }
        .boxed()
    };
    librarian.carry_out(plan).await
}

/// Of whom an edge was told in former times, at the end that is `end`; an empty text is that entity
/// itself.
pub(super) fn called_at(edge: &Edge, end: NodeId) -> Vec<&str> {
    match edge.properties.get(end_key(edge, end)) {
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        Some(Value::String(name)) => vec![name],
        _ => vec![""],
    }
}

/// The property that held of whom an edge is told at one of its ends.
fn end_key(edge: &Edge, end: NodeId) -> &'static str {
    if edge.source == end { SUBJECT_AS } else { OBJECT_AS }
}

async fn known_edge(librarian: &Librarian, (kind, from, to): &Ends) -> Result<Option<Edge>> {
    let kinds = [EdgeKind::new("predicate", kind)?];
    let (store, viewer) = (&librarian.app.store, &librarian.viewer);
    let edges = store.neighbours(viewer, &[*from], Direction::Out, &kinds, EDGES_MAX).await?;
    Ok(edges.into_iter().find(|edge| edge.target == *to))
}

fn new_edge(
    librarian: &Librarian,
    (kind, from, to): Ends,
    telling: Telling,
) -> Result<Option<Change>> {
    let kind = EdgeKind::new("predicate", &kind)?;
    let held = tellings::held(&Properties::new(), &[telling]);
    Ok(held.map(|(weight, properties)| {
        Change::PutEdge(NewEdge {
            source: NodeRef::Id(from),
            target: NodeRef::Id(to),
            kind,
            weight,
            visibility: librarian.visibility(),
            properties,
        })
    }))
}

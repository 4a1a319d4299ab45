//! Relations between entities: reading them, and adding them one by one.
//!
//! - `predicates` has the kinds of relations, and between which types of entities they may be.
//! - `tellings` keeps who states a relation. An edge can rest on several tellings.
//! - `by_notes` adds what notes state and removes what they no longer state.
//! - `waiting` keeps the relations of notes whose other end is not known yet.

pub(super) mod by_notes;
pub mod predicates;
pub(super) mod tellings;
pub(super) mod waiting;

use std::collections::{BTreeMap, HashMap, HashSet};

use futures::FutureExt;
use lore_core::names::without_unseen;
use lore_core::{Edge, EdgeKind, Node, NodeId, Properties, Result};
use lore_store::{Change, Direction, NewEdge, NodeRef};
use serde_json::Value;

use super::entities::ontology::is_written_here;
use super::entities::{self, Entity, Fit, Meant, uri};
use super::librarian::Librarian;
use crate::pages::links;
use crate::play::{self, word};
use predicates::{Kept, Predicate};
use tellings::Telling;

/// Kind of the edge from a document to an entity it mentions.
pub(super) const MENTIONS: &str = "mentions";
/// Most edges that are read together.
pub(super) const EDGES_MAX: usize = 10_000;
/// For how many entities relations are counted at once.
const TALLIED_AT_ONCE: usize = 500;
/// Most relations that one call may add.
const ITEMS_MAX: usize = 500;

/// Whether an edge is a relation, as opposed to a mention.
pub(super) fn is_relation(edge: &Edge) -> bool {
    edge.kind.as_str() != MENTIONS
}

/// Whether an edge between two of these nodes only repeats what a toolset keeps of one of them, such
/// as the parent of a page or the campaign of a character.
pub(super) fn is_bookkeeping(edge: &Edge, nodes: &HashMap<NodeId, Node>) -> bool {
    let kind = edge.kind.as_str();
    let source = nodes.get(&edge.source);
    let ends = source.zip(nodes.get(&edge.target));
    INNER.contains(&kind) && is_relation(edge)
        || source.is_some_and(|source| links::is_parent(kind, source))
        || ends.is_some_and(|(source, target)| play::is_table_link(kind, [source, target]))
}

/// Kinds of edges that are no relations: mentions, and bookkeeping of single toolsets.
const INNER: [&str; 3] = [MENTIONS, "tagged", "kept_as"];

/// A relation between two entities.
#[derive(Debug, Clone, PartialEq)]
pub struct Relation {
    /// The entity it starts from.
    pub subject: End,
    /// The name of the predicate.
    pub predicate: String,
    /// The entity it leads to.
    pub object: End,
    /// Confidence, from 0 to 1.
    pub confidence: f64,
    /// The kind of source it came from; `world` if it was not created here.
    pub source: String,
    /// The RID of the document it was read in.
    pub source_rid: Option<String>,
}

/// One end of a relation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct End {
    /// The node.
    pub id: NodeId,
    /// The URI of an entity, or the RID of a document.
    pub uri: String,
    /// Its name.
    pub name: String,
    /// The name of the entity's type, or [`DOCUMENT`].
    pub type_name: &'static str,
}

/// The type shown for a document.
const DOCUMENT: &str = "Document";

impl End {
    fn entity(node: Node) -> Option<Self> {
        let Entity { node, entity_type, uri } = Entity::of(node)?;
        Some(Self { id: node.id, uri, name: node.name, type_name: entity_type.as_str() })
    }

    /// Accepts an entity or something written here. Documents read elsewhere are excluded: they may
    /// name an entity a thousand times, and are listed among its documents only.
    fn entity_or_writing(node: Node) -> Option<Self> {
        if is_written_here(&node) {
            let (id, uri) = (node.id, uri::of_document(&node));
            return Some(Self { id, uri, name: node.name, type_name: DOCUMENT });
        }
        Self::entity(node)
    }
}

/// Returns the relations of an entity in both directions, sorted by predicate, then by descending
/// confidence.
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
        // Not a valid kind of edge, so there is none.
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

/// Returns the mentions from and to a node.
async fn mentions_at(librarian: &Librarian, node: NodeId) -> Result<Vec<Edge>> {
    let (store, kinds) = (&librarian.app.store, [word(MENTIONS)?]);
    let both = Direction::Both;
    Ok(store.neighbours(&librarian.viewer, &[node], both, &kinds, EDGES_MAX).await?)
}

/// Counts the relations of each of these entities.
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

/// Counts the relations of each predicate.
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

/// Turns edges into relations. Drops those where `end` rejects one of the nodes.
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

/// The property that holds the kind of source an edge was read in. Only edges created here have it.
const SOURCE: &str = "source";
/// The property that holds the RID of the document an edge was first read in.
const SOURCE_RID: &str = "source_rid";
/// The property that holds the RIDs of all notes that state an edge.
const TOLD_BY: &str = "told_by";
/// Properties of edges written by older versions: the merged entities that the edge is about at its
/// source and target. In mentions, the second one is still in use for the entities that somebody
/// said the document is about.
const SUBJECT_AS: &str = "subject_as";
pub(super) const OBJECT_AS: &str = "object_as";

/// A relation to add. Its ends are URIs, names or aliases.
#[derive(Debug, Clone, PartialEq)]
pub struct NewRelation {
    /// The entity it starts from.
    pub subject: String,
    /// The name of the predicate.
    pub predicate: String,
    /// The entity it leads to.
    pub object: String,
    /// Confidence, from 0 to 1.
    pub confidence: f64,
}

impl NewRelation {
    /// Removes invisible characters, which no stored name contains.
    fn seen(&self) -> Self {
        let [subject, predicate, object] =
            [&self.subject, &self.predicate, &self.object].map(|text| without_unseen(text));
        Self { subject, predicate, object, confidence: self.confidence }
    }
}

/// The outcome of adding a relation.
#[derive(Debug, Clone, PartialEq)]
pub enum Related {
    /// It was added, or was known already.
    Added,
    /// It repeats an earlier one of the same list.
    Repeated,
    /// It was not added, because an end does not clearly refer to a known entity.
    Unknown {
        /// The name of that end.
        name: String,
        /// Entities that may be meant, each with its name and URI.
        candidates: Vec<String>,
    },
    /// It was not added, for this reason.
    Refused(String),
}

/// Where relations were read.
#[derive(Debug, Clone, Copy)]
pub struct ReadIn<'a> {
    /// The kind of source: `web`, `vault`, `api`.
    pub source: &'a str,
    /// The RID of the document.
    pub rid: Option<&'a str>,
}

/// An item of a list from outside, or the reason why it cannot be read.
pub type Item<T> = std::result::Result<T, String>;

/// Adds relations. One that is refused does not affect the others.
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

/// Kind, source and target of an edge.
type Ends = (String, NodeId, NodeId);

/// A relation whose ends are resolved. Each end is a node and, if the entity that is meant was
/// merged into it, that entity's URI.
struct Joint {
    predicate: &'static Predicate,
    subject: (NodeId, Option<String>),
    object: (NodeId, Option<String>),
}

impl Joint {
    /// Returns the edges that store it.
    fn edges(&self) -> Vec<Ends> {
        let (from, to) = (self.subject.0, self.object.0);
        let name = self.predicate.name.to_owned();
        match self.predicate.kept {
            Kept::Once => vec![(name, from, to)],
            Kept::BothWays => vec![(name.clone(), from, to), (name, to, from)],
            Kept::As(other) => vec![(other.to_owned(), to, from)],
        }
    }

    /// Returns both nodes, each with the URI of the merged entity that is meant, or an empty
    /// string.
    fn ends(&self) -> [(NodeId, String); 2] {
        [&self.subject, &self.object].map(|(node, of)| (*node, of.clone().unwrap_or_default()))
    }

    /// Returns it as a telling (a statement by one source) of one of its edges.
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

/// Resolves both ends of a relation and checks that their types fit. The inner error tells what is
/// wrong with it.
async fn understood(
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

/// Who states a relation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Teller {
    /// A person or program; permanent.
    Anybody,
    /// A vault note, for as long as it does.
    Note,
}

async fn keep(
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
                let telling = joint.telling(&edge, confidence, by_notes::origin(read_in, teller));
                let change = match known {
                    None => new_edge(librarian, edge, telling)?,
                    // A known edge keeps its visibility and confidence.
                    Some(known) => {
                        let mut tellings = tellings::of(&known);
                        let same = tellings.iter_mut().find(|known| known.is_of_same(&telling));
                        match same {
                            Some(same) => {
                                let sure = telling.confidence;
                                same.origin = by_notes::again(&same.origin, read_in, teller, sure)
                            }
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

/// Returns the entities that an edge of an older version is about at the given end; an empty string
/// stands for the node itself.
fn called_at(edge: &Edge, end: NodeId) -> Vec<&str> {
    match edge.properties.get(end_key(edge, end)) {
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        Some(Value::String(name)) => vec![name],
        _ => vec![""],
    }
}

/// Returns the property that older versions used for this end of an edge.
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

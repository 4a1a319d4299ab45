//! Adding, searching, removing and restoring nodes and edges of the graph.

use std::collections::HashMap;

use futures::FutureExt;
use lore_core::{Node, NodeId, Properties, Text, Uid};
use lore_search::{Filter, Query, Unit};
use lore_store::{
    Batch, Change, EdgeRef, Expect, NewEdge, NewNode, NewText, NodeKey, NodeRef, StoreError,
};
use serde_json::json;

use super::call::MemoryCall;
use super::cleaning::Cleaner;
use super::kinds::{
    AUTO_RELATED, DESCRIPTION, EXPERIENCE, KNOWLEDGE, OWN, PROMOTED, Sharing, Type, half_of,
    namespace_in, word,
};
use super::link::{edge_between, edge_not_found, may_relink};
use super::parts::{is_main, join, parts};
use super::project;
use super::refusal::{Refusal, Reply, required};
use super::supersession::{Replacement, replacements};
use crate::access::may_change;
use crate::damage::sound_texts;
use crate::federation::FEDERATED;
use crate::pages::leave_out_hidden;
use crate::preview::preview;
use crate::{doors, knowledge, play};

/// The maximum number of automatic links from a new node.
const AUTO_LINKS: usize = 3;
/// The weight of automatic links.
const AUTO_WEIGHT: f64 = 0.5;
/// The minimum score for an automatic link: about a quarter of the words in common.
const AUTO_SCORE_MIN: f32 = 0.25;

/// A node with its description.
#[derive(Debug, Clone, PartialEq)]
pub struct Known {
    /// The node.
    pub node: Node,
    /// Its description, if it has one.
    pub description: Option<String>,
    /// What superseded it, if anything did.
    pub replacement: Option<Replacement>,
}

/// The result of a write, with the secrets that were masked in it.
#[derive(Debug, Clone, PartialEq)]
pub struct Written<T> {
    /// What was stored.
    pub kept: T,
    /// The kinds of secrets that were masked.
    pub masked: Vec<&'static str>,
}

/// The input for adding a node.
#[derive(Debug, Clone, Default)]
pub struct NewKnown {
    /// The name.
    pub name: Option<String>,
    /// The type, any text.
    pub type_name: Option<String>,
    /// The namespace, [`KNOWLEDGE`] by default.
    pub namespace: Option<String>,
    /// The description.
    pub description: Option<String>,
    /// The tags.
    pub tags: Vec<String>,
    /// Who may see it.
    pub sharing: Sharing,
}

/// Adds a node and links it to similar ones.
pub async fn add(call: &MemoryCall, given: &NewKnown) -> Reply<Written<Known>> {
    let mut cleaner = Cleaner::default();
    let name = required("name", "add", given.name.as_deref())?;
    let type_name = required("type", "add", given.type_name.as_deref())?;
    let name = cleaner.name("name", name)?;
    let kind = Type::of(&cleaner.name("type", type_name)?)?;
    let namespace = cleaner.label("namespace", given.namespace.as_deref())?;
    let description = cleaner.optional("description", given.description.as_deref())?;
    let mut properties = Properties::new();
    kind.note_in(&mut properties);
    properties.insert("source_type".into(), json!("manual"));
    let new = NewNode {
        namespace: namespace_in(namespace.as_deref().unwrap_or(KNOWLEDGE)),
        subtype: kind.subtype(),
        tags: cleaner.list("tags", &given.tags)?,
        visibility: given.sharing.visibility(&call.viewer),
        properties,
        ..NewNode::new(call.app.effects.uid(), kind.kind, name)
    };
    let about = [Some(new.name.as_str()), description.as_deref()];
    let about = about.into_iter().flatten().collect::<Vec<_>>().join("\n");
    let plan = || plan_add(call, new.clone(), description.clone(), about.clone()).boxed();
    let kept = call.carry_out(plan).await?;
    Ok(Written { kept, masked: cleaner.masked() })
}

async fn plan_add(
    call: &MemoryCall,
    new: NewNode,
    description: Option<String>,
    about: String,
) -> Reply<(Batch, Known)> {
    let mut batch = call.batch();
    let node = preview(&call.viewer, &new, batch.at);
    let neighbours = similar_nodes(call, &about).await?;
    batch = batch.change(Change::CreateNode(new));
    if let Some(text) = &description {
        batch.changes.extend(describe(call, &node, text)?);
    }
    batch.changes.extend(auto_links(&node, &neighbours)?);
    Ok((batch, Known { node, description, replacement: None }))
}

/// The description of a new node, in parts if it is long.
fn describe(call: &MemoryCall, node: &Node, body: &str) -> Reply<Vec<Change>> {
    let kind = word(DESCRIPTION)?;
    let text = |body: &str| {
        let uid = call.app.effects.uid();
        Change::CreateText(NewText::new(uid, NodeRef::Uid(node.uid), kind.clone(), body))
    };
    Ok(parts(body).into_iter().map(text).collect())
}

/// Finds plain nodes that match a text well enough to be linked to it, best first.
pub(super) async fn similar_nodes(call: &MemoryCall, about: &str) -> Reply<Vec<Node>> {
    let query = Query {
        filter: plain()?,
        unit: Unit::Node,
        min_score: Some(AUTO_SCORE_MIN),
        ..Query::new(about, AUTO_LINKS)
    };
    let found = call.app.search(&call.viewer, query).await?;
    Ok(found.answers.into_iter().map(|answer| answer.node).collect())
}

/// The automatic links from a new node to its neighbours.
pub(super) fn auto_links(node: &Node, neighbours: &[Node]) -> Reply<Vec<Change>> {
    let kind = word(AUTO_RELATED)?;
    let others = neighbours.iter().filter(|other| other.uid != node.uid).take(AUTO_LINKS);
    let edge = |other: &Node| NewEdge {
        source: NodeRef::Uid(node.uid),
        target: NodeRef::Uid(other.uid),
        kind: kind.clone(),
        weight: AUTO_WEIGHT,
        visibility: node.visibility,
        properties: Properties::new(),
    };
    Ok(others.map(|other| Change::PutEdge(edge(other))).collect())
}

/// A filter for nodes of kinds without tools of their own.
pub(super) fn plain() -> Reply<Filter> {
    let except_kinds = OWN.into_iter().map(word).collect::<Result<_, _>>()?;
    Ok(Filter { except_kinds, ..Filter::default() })
}

/// Fails unless the caller may remove or restore this node with the tools of memory.
fn may_move(call: &MemoryCall, node: &Node) -> Reply<()> {
    let kind = node.kind.as_str();
    // Federation records and the internal nodes of doors are managed by their owners.
    if kind == FEDERATED || kind != PROMOTED && doors::INNER.contains(&kind) {
        return Err(doors::kept_elsewhere(node).into());
    }
    if play::is_table(node) {
        return Err(Refusal::refused(
            format!("{} is part of a table", node.name),
            "use the tools of the table, such as session_end and campaign_update",
        ));
    }
    Ok(may_change(&call.viewer, node.created.by, &node.name)?)
}

/// Which nodes to search for. All given conditions must be met.
#[derive(Debug, Clone, Default)]
pub struct NodeSearch {
    /// The id of the only node that is wanted.
    pub node: Option<String>,
    /// Words in their texts or names. If missing, the newest come first.
    pub text: Option<String>,
    /// Only this type.
    pub type_name: Option<String>,
    /// Only with all of these tags.
    pub tags: Vec<String>,
    /// Only in this namespace.
    pub namespace: Option<String>,
    /// The maximum number of nodes.
    pub limit: usize,
    /// Skip this many nodes.
    pub offset: usize,
}

/// A page of nodes that were found.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundNodes {
    /// The nodes, best first.
    pub nodes: Vec<Known>,
    /// Whether there are more after these.
    pub more: bool,
}

/// Searches nodes. With an id, returns that node alone.
pub async fn query(call: &MemoryCall, wanted: &NodeSearch) -> Reply<FoundNodes> {
    if let Some(id) = present(wanted.node.as_deref()) {
        let node = call.lookup_to_read("Node", id).await?;
        let nodes = with_descriptions(call, vec![node]).await?;
        return Ok(FoundNodes { nodes, more: false });
    }
    let mut filter = plain()?;
    if present(wanted.text.as_deref()).is_some() {
        // A search for words also finds projects and ideas. Experiences have their own search.
        filter.except_kinds = vec![word(EXPERIENCE)?];
    }
    if let Some(name) = present(wanted.type_name.as_deref()) {
        filter.except_kinds.clear();
        filter.kinds = vec![Type::of(name)?.kind];
    }
    let namespace = present(wanted.namespace.as_deref()).map(namespace_in);
    filter.namespaces.extend(namespace);
    filter.tags =
        wanted.tags.iter().filter_map(|tag| present(Some(tag))).map(str::to_owned).collect();
    let query = Query {
        text: present(wanted.text.as_deref()).unwrap_or_default().to_owned(),
        filter,
        unit: Unit::Node,
        limit: wanted.limit,
        offset: wanted.offset,
        ..Query::default()
    };
    let found = call.app.leaf(&call.viewer, &query).await?;
    let nodes = found.nodes.into_iter().map(|(node, _)| node).collect();
    Ok(FoundNodes { nodes: with_descriptions(call, nodes).await?, more: found.more })
}

/// Adds descriptions to nodes. Superseded ones are moved to the end.
async fn with_descriptions(call: &MemoryCall, mut nodes: Vec<Node>) -> Reply<Vec<Known>> {
    leave_out_hidden(&call.app, &call.viewer, &mut nodes).await?;
    let mut texts = main_texts(call, &mut nodes).await?;
    let mut replacements = replacements(call, &nodes.iter().collect::<Vec<_>>()).await?;
    let known = |node: Node| Known {
        description: texts.remove(&node.id).map(|text| text.body),
        replacement: replacements.remove(&node.uid),
        node,
    };
    let mut known: Vec<_> = nodes.into_iter().map(known).collect();
    known.sort_by_key(|known| known.replacement.is_some());
    Ok(known)
}

/// Reads the main text of each node: its description or content with all parts joined, else its
/// first text. Nodes with a damaged text are removed from `nodes`.
pub(super) async fn main_texts(
    call: &MemoryCall,
    nodes: &mut Vec<Node>,
) -> Reply<HashMap<NodeId, Text>> {
    let ids: Vec<_> = nodes.iter().map(|node| node.id).collect();
    let sound = sound_texts(call.app.store.as_ref(), &call.viewer, &ids).await?;
    nodes.retain(|node| !sound.damaged.contains(&node.id));
    // Each with its last part, which `join` needs.
    let mut whole: HashMap<NodeId, (Text, String)> = HashMap::new();
    for text in sound.texts {
        match whole.get_mut(&text.node) {
            Some((known, last)) if is_main(known) => {
                if is_main(&text) {
                    join(&mut known.body, last, &text.body);
                    *last = text.body;
                }
            }
            Some(_) if !is_main(&text) => {}
            _ => {
                let last = text.body.clone();
                whole.insert(text.node, (text, last));
            }
        }
    }
    Ok(whole.into_iter().map(|(node, (text, _))| (node, text)).collect())
}

fn present(given: Option<&str>) -> Option<&str> {
    given.map(str::trim).filter(|text| !text.is_empty())
}

/// What to remove or restore: a node, or an edge by its ends and type.
#[derive(Debug, Clone, Default)]
pub struct Target {
    /// The node.
    pub node: Option<String>,
    /// The source of the edge.
    pub source: Option<String>,
    /// The target of the edge.
    pub target: Option<String>,
    /// The type of the edge.
    pub edge_type: Option<String>,
}

/// What was removed or restored.
#[derive(Debug, Clone, PartialEq)]
pub enum Moved {
    /// A node.
    Node(Box<Node>),
    /// An edge, as its source and target.
    Edge(Box<(Node, Node)>),
}

/// Where something was when it was to be restored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Was {
    /// In the bin.
    Binned,
    /// Not in the bin, so nothing was changed.
    Live,
}

enum Chosen<'a> {
    Node(&'a str),
    Edge(&'a str, &'a str, &'a str),
}

impl Target {
    fn chosen(&self) -> Reply<Chosen<'_>> {
        let node = present(self.node.as_deref()).map(Chosen::Node);
        let ends = (present(self.source.as_deref()), present(self.target.as_deref()));
        let edge = match (ends, present(self.edge_type.as_deref())) {
            ((Some(source), Some(target)), Some(kind)) => Some(Chosen::Edge(source, target, kind)),
            _ => None,
        };
        node.or(edge).ok_or_else(|| {
            Refusal::refused(
                "Provide node_id or (source_id + target_id + edge_type)",
                "name the node, or the edge by its two ends and its type",
            )
        })
    }
}

/// Moves a node or an edge to the bin. Both halves of a fact are removed together.
pub async fn remove(call: &MemoryCall, target: &Target) -> Reply<Moved> {
    match target.chosen()? {
        Chosen::Node(id) => {
            let node = call.lookup("Node", id).await?;
            may_move(call, &node)?;
            let mut batch = call.batch().change(bin(node.uid));
            if let Some(half) = other_half(call, &node).await? {
                batch = batch.change(bin(half.uid));
            }
            call.app.commit(&call.viewer, batch).await.map_err(gone(id))?;
            Ok(Moved::Node(Box::new(node)))
        }
        Chosen::Edge(source, target, kind) => {
            let (source, target, edge) = ends(call, source, target, kind).await?;
            let kind = Type::of(kind)?.kind;
            let present = edge_between(call, &source, &target, &kind).await?;
            may_relink(call, present.as_ref(), kind.as_str(), [&source, &target])?;
            let batch = call.batch().change(Change::DeleteEdge(edge, Expect::Any));
            call.app.commit(&call.viewer, batch).await.map_err(edge_or)?;
            Ok(Moved::Edge(Box::new((source, target))))
        }
    }
}

/// Maps an error for a node that somebody else removed first.
fn gone(id: &str) -> impl FnOnce(StoreError) -> Refusal {
    move |error| match error {
        StoreError::NotFound(_) => Refusal::not_found("Node", id),
        other => other.into(),
    }
}

fn bin(uid: Uid) -> Change {
    Change::DeleteNode(NodeRef::Uid(uid), Expect::Any)
}

/// Finds the other half of a fact.
async fn other_half(call: &MemoryCall, node: &Node) -> Reply<Option<Node>> {
    let Some(uid) = half_of(node) else { return Ok(None) };
    Ok(call.app.store.node(&call.viewer, NodeKey::Uid(uid)).await?)
}

/// Restores a node or an edge from the bin. What is not in the bin stays as it is.
pub async fn restore(call: &MemoryCall, target: &Target) -> Reply<(Moved, Was)> {
    match target.chosen()? {
        Chosen::Node(id) => restore_node(call, id).await,
        Chosen::Edge(source, target, kind) => {
            let (source, target, edge) = ends(call, source, target, kind).await?;
            let kind = Type::of(kind)?.kind;
            if edge_between(call, &source, &target, &kind).await?.is_some() {
                return Ok((Moved::Edge(Box::new((source, target))), Was::Live));
            }
            may_relink(call, None, kind.as_str(), [&source, &target])?;
            let batch = call.batch().change(Change::RestoreEdge(edge));
            call.app.commit(&call.viewer, batch).await.map_err(edge_or)?;
            Ok((Moved::Edge(Box::new((source, target))), Was::Binned))
        }
    }
}

/// Fails if the node was merged into another entity. Restored, it would have the same names, texts
/// and relations as that one.
async fn check_whole(call: &MemoryCall, node: &Node) -> Reply<()> {
    match knowledge::is_merged(&call.app, &call.viewer, node).await? {
        false => Ok(()),
        true => Err(Refusal::refused(
            format!("{} was merged into another entity", node.name),
            "undo that with POST /entity/unmerge of the KOI API",
        )),
    }
}

/// Restores a node. Both halves of a fact are restored in one transaction, and a project becomes
/// inactive if another one is active by now.
async fn restore_node(call: &MemoryCall, id: &str) -> Reply<(Moved, Was)> {
    let Some(node) = call.lookup_bin(id).await? else {
        return Ok((Moved::Node(Box::new(call.lookup("Node", id).await?)), Was::Live));
    };
    may_move(call, &node)?;
    check_whole(call, &node).await?;
    let uid = NodeRef::Uid(node.uid);
    let mut batch = call.batch().change(Change::RestoreNode(uid));
    if let Some(half) = half_of(&node) {
        batch = batch.change(Change::RestoreNode(NodeRef::Uid(half)));
    }
    if let Some(patch) = project::resting(call, &node).await? {
        batch = batch.change(Change::UpdateNode(uid, Expect::Any, patch));
    }
    call.app.commit(&call.viewer, batch).await.map_err(gone(id))?;
    Ok((Moved::Node(Box::new(node)), Was::Binned))
}

async fn ends(
    call: &MemoryCall,
    source: &str,
    target: &str,
    kind: &str,
) -> Reply<(Node, Node, EdgeRef)> {
    let source = call.lookup("Source node", source).await?;
    let target = call.lookup("Target node", target).await?;
    let (from, to) = (NodeRef::Id(source.id), NodeRef::Id(target.id));
    let edge = EdgeRef::Between { source: from, target: to, kind: Type::of(kind)?.kind };
    Ok((source, target, edge))
}

fn edge_or(error: StoreError) -> Refusal {
    match error {
        StoreError::NotFound(_) => edge_not_found(),
        other => other.into(),
    }
}

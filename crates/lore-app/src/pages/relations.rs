//! Relations that people state between pages: "sister of", with an attitude.
//!
//! A relation is an edge. Its kind is made from its wording, such as `relation.sister_of`, so that
//! graph tools can follow it; the wording itself is a property.

use futures::FutureExt;
use lore_core::names::{self, Word};
use lore_core::{Edge, EdgeId, Error, Node, NodeId, Properties, Result, Timestamp, Visibility};
use lore_store::{
    Applied, Batch, Change, Committed, Direction, EdgePatch, EdgeRef, Expect, NewEdge, NodePatch,
    NodeRef,
};
use serde_json::{Value, json};

use super::page;
use super::scribe::Scribe;
use crate::access::may_change;
use crate::play::{MANY, word};

/// The property with the wording of a relation. Only relations have it.
const SAYS: &str = "relation";
/// The edge kind of relations whose wording yields no word, and the prefix of all others. The
/// prefix keeps users' wordings from producing an internal kind of edge.
const RELATION: &str = "relation";
/// The range of an attitude.
const ATTITUDE: std::ops::RangeInclusive<i64> = -100..=100;

/// A relation from one page to another.
#[derive(Debug, Clone, PartialEq)]
pub struct Relation {
    /// Its number.
    pub number: i64,
    /// The number of the page it starts from.
    pub owner: i64,
    /// The number of the page it leads to.
    pub target: i64,
    /// Its wording.
    pub says: String,
    /// The attitude, from -100 to 100.
    pub attitude: Option<i64>,
    /// A colour that only the caller interprets.
    pub colour: Option<String>,
    /// Whether it is shown beside the page.
    pub pinned: bool,
    /// Who sees it.
    pub visibility: Visibility,
    /// When it was created.
    pub created_at: Timestamp,
}

/// Fields of a relation to set; `None` leaves one alone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RelationPatch {
    /// The wording.
    pub says: Option<String>,
    /// The attitude, from -100 to 100.
    pub attitude: Option<i64>,
    /// A colour.
    pub colour: Option<String>,
    /// Whether it is shown beside the page.
    pub pinned: Option<bool>,
    /// Whether it is hidden from other members.
    pub private: Option<bool>,
}

/// Returns the relations that start from pages, oldest first.
pub async fn relations(scribe: &Scribe, pages: &[NodeId]) -> Result<Vec<Relation>> {
    let store = &scribe.app.store;
    let edges = store.neighbours(&scribe.viewer, pages, Direction::Out, &[], MANY).await?;
    let mut edges: Vec<Edge> =
        edges.into_iter().filter(|edge| edge.properties.contains_key(SAYS)).collect();
    edges.sort_by_key(|edge| edge.id);
    let ends: Vec<NodeId> = edges.iter().flat_map(|edge| [edge.source, edge.target]).collect();
    let nodes = store.nodes(&scribe.viewer, &ends).await?;
    let number = |id: NodeId| nodes.iter().find(|node| node.id == id).map(|node| node.number);
    let shown = |edge: &Edge| shown(edge, number(edge.source)?, number(edge.target)?);
    Ok(edges.iter().filter_map(shown).collect())
}

/// In which directions a relation is created.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ways {
    /// From the first page to the second.
    One,
    /// In both directions, with the same wording.
    Both,
}

/// Creates a relation and returns its number. The same wording between the same two pages is the
/// same relation.
pub async fn relate(
    scribe: &Scribe,
    owner: i64,
    target: i64,
    ways: Ways,
    patch: &RelationPatch,
) -> Result<i64> {
    let says = names::checked_name("relation", patch.says.as_deref().unwrap_or_default())?;
    let properties = patched(&Properties::new(), patch)?;
    let visibility = scribe.visibility(patch.private.unwrap_or(false));
    let plan = || {
        let (says, properties) = (says.clone(), properties.clone());
        async move {
            let node = owned(scribe, owner).await?;
            let other = other_end(scribe, target).await?;
            let edge = NewEdge {
                source: NodeRef::Id(node.id),
                target: NodeRef::Id(other.id),
                kind: kind_of(&says)?,
                weight: 1.0,
                visibility,
                properties,
            };
            let back = NewEdge { source: edge.target, target: edge.source, ..edge.clone() };
            let mut batch = scribe.batch().change(Change::PutEdge(edge)).change(touch(&node));
            if ways == Ways::Both && other.id != node.id {
                let other = owned(scribe, target).await?;
                batch = batch.change(Change::PutEdge(back)).change(touch(&other));
            }
            Ok((batch, ()))
        }
        .boxed()
    };
    let ((), committed) = scribe.carry_out(plan).await?;
    number_of(&committed)
}

/// Changes a relation and returns its number, which is a new one if another wording needs another
/// kind of edge.
pub async fn change_relation(
    scribe: &Scribe,
    owner: i64,
    number: i64,
    patch: &RelationPatch,
) -> Result<i64> {
    let plan = || {
        async move {
            let node = owned(scribe, owner).await?;
            let old = found(scribe, &node, number).await?;
            let properties = patched(&old.properties, patch)?;
            let visibility = patch.private.map(|private| scribe.visibility(private));
            let batch = rewritten(scribe, &old, properties, visibility)?;
            Ok((batch.change(touch(&node)), ()))
        }
        .boxed()
    };
    let ((), committed) = scribe.carry_out(plan).await?;
    number_of(&committed)
}

/// Removes a relation.
pub async fn part(scribe: &Scribe, owner: i64, number: i64) -> Result<()> {
    let plan = || {
        async move {
            let node = owned(scribe, owner).await?;
            let old = found(scribe, &node, number).await?;
            let gone = Change::DeleteEdge(EdgeRef::Id(old.id), Expect::Version(old.version));
            Ok((scribe.batch().change(gone).change(touch(&node)), ()))
        }
        .boxed()
    };
    scribe.carry_out(plan).await?;
    Ok(())
}

/// The number of the edge that a batch put first.
fn number_of(committed: &Committed) -> Result<i64> {
    match committed.applied.first() {
        Some(Applied::Edge { id, .. }) => Ok(id.0),
        _ => Err(Error::Bug { what: "a relation without a number".into() }),
    }
}

/// The batch that changes a relation. Another wording may need another kind of edge, and so a new
/// edge.
fn rewritten(
    scribe: &Scribe,
    old: &Edge,
    properties: Properties,
    visibility: Option<Visibility>,
) -> Result<Batch> {
    let kind = kind_of(properties.get(SAYS).and_then(Value::as_str).unwrap_or_default())?;
    let (edge, expect) = (EdgeRef::Id(old.id), Expect::Version(old.version));
    if kind.as_str() == old.kind.as_str() {
        let patch = EdgePatch { visibility, properties: Some(properties), ..EdgePatch::default() };
        return Ok(scribe.batch().change(Change::UpdateEdge(edge, expect, patch)));
    }
    let anew = NewEdge {
        source: NodeRef::Id(old.source),
        target: NodeRef::Id(old.target),
        kind,
        weight: old.weight,
        visibility: visibility.unwrap_or(old.visibility),
        properties,
    };
    let batch = scribe.batch().change(Change::PutEdge(anew));
    Ok(batch.change(Change::DeleteEdge(edge, expect)))
}

fn shown(edge: &Edge, owner: i64, target: i64) -> Option<Relation> {
    let text = |name: &str| edge.properties.get(name).and_then(Value::as_str).map(str::to_owned);
    Some(Relation {
        number: edge.id.0,
        owner,
        target,
        says: text(SAYS)?,
        attitude: edge.properties.get("attitude").and_then(Value::as_i64),
        colour: text("colour"),
        pinned: edge.properties.get("pinned").and_then(Value::as_bool).unwrap_or(false),
        visibility: edge.visibility,
        created_at: edge.created.at,
    })
}

fn patched(before: &Properties, patch: &RelationPatch) -> Result<Properties> {
    let mut after = before.clone();
    if let Some(says) = &patch.says {
        after.insert(SAYS.into(), json!(names::checked_name("relation", says)?));
    }
    if let Some(attitude) = patch.attitude {
        if !ATTITUDE.contains(&attitude) {
            return Err(Error::invalid("attitude", "is out of bounds", "use -100 to 100"));
        }
        after.insert("attitude".into(), json!(attitude));
    }
    if let Some(colour) = &patch.colour {
        after.insert("colour".into(), json!(names::checked_name("colour", colour)?));
    }
    if let Some(pinned) = patch.pinned {
        after.insert("pinned".into(), json!(pinned));
    }
    Ok(after)
}

/// The kind of edge for a wording: "Sister of" becomes `relation.sister_of`.
fn kind_of(says: &str) -> Result<Word> {
    let plain = says.to_lowercase();
    let parts = plain.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty());
    let joined = parts.collect::<Vec<_>>().join("_");
    match Word::new("relation", &format!("{RELATION}.{joined}")) {
        Ok(word) if plain.is_ascii() && !joined.is_empty() => Ok(word),
        _ => word(RELATION),
    }
}

async fn owned(scribe: &Scribe, number: i64) -> Result<Node> {
    scribe.require_local("relations")?;
    let node = page::node(scribe, number).await?;
    may_change(&scribe.viewer, node.created.by, &node.name)?;
    Ok(node)
}

async fn other_end(scribe: &Scribe, number: i64) -> Result<Node> {
    page::node(scribe, number).await.map_err(|error| match error {
        Error::NotFound { .. } => Error::invalid(
            "target_id",
            format!("is {number}, and there is no such entity"),
            "use the entity_id of another entity",
        ),
        other => other,
    })
}

/// A relation that starts from a page, if the viewer sees it.
async fn found(scribe: &Scribe, node: &Node, number: i64) -> Result<Edge> {
    let store = &scribe.app.store;
    let edges = store.neighbours(&scribe.viewer, &[node.id], Direction::Out, &[], MANY).await?;
    let edge = edges.into_iter().find(|edge| edge.id == EdgeId(number));
    edge.filter(|edge| edge.properties.contains_key(SAYS)).ok_or_else(|| {
        let what = format!("relation {number} of entity {}", node.number);
        Error::not_found(what, "list the relations there are")
    })
}

/// Touches the page, whose modification date moves with its relations.
fn touch(node: &Node) -> Change {
    let expect = Expect::Version(node.version);
    Change::UpdateNode(NodeRef::Id(node.id), expect, NodePatch::default())
}

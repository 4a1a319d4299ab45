//! Connecting two nodes by an edge.

use lore_core::{Edge, EdgeKind, Node};
use lore_store::{Change, Direction, NewEdge, NodeRef};

use super::call::MemoryCall;
use super::cleaning::Cleaner;
use super::graph::Written;
use super::kinds::{Sharing, Type};
use super::refusal::{Refusal, Reply, required};
use crate::access::may_change;
use crate::play;

/// An edge to create or change.
#[derive(Debug, Clone, Default)]
pub struct NewLink {
    /// The node where it starts.
    pub source: Option<String>,
    /// The node where it ends.
    pub target: Option<String>,
    /// The type of the edge, any text.
    pub type_name: Option<String>,
    /// The weight, from 0 to 1. If missing, an existing edge keeps its weight and a new one gets 1.
    pub weight: Option<f64>,
    /// Who may see it, among those who see both ends. If missing, an existing edge keeps its
    /// visibility and a new one is only for those who run the world.
    pub sharing: Option<Sharing>,
}

/// An edge with both its ends.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    /// The edge.
    pub edge: Edge,
    /// Where it starts.
    pub source: Node,
    /// Where it ends.
    pub target: Node,
}

/// Connects two nodes. If they are connected by this type already, changes at most the weight and
/// the visibility.
pub async fn connect(call: &MemoryCall, given: &NewLink) -> Reply<Written<Link>> {
    let mut cleaner = Cleaner::default();
    let source = required("source_id", "connect", given.source.as_deref())?;
    let target = required("target_id", "connect", given.target.as_deref())?;
    let type_name = required("edge_type", "connect", given.type_name.as_deref())?;
    let kind = Type::of(&cleaner.name("edge_type", type_name)?)?;
    let source = call.lookup("Source node", source).await?;
    let target = call.lookup("Target node", target).await?;
    let present = edge_between(call, &source, &target, &kind.kind).await?;
    may_relink(call, present.as_ref(), kind.kind.as_str(), [&source, &target])?;
    let visibility = given.sharing.map(|sharing| sharing.visibility(&call.viewer));
    let said = |edge: &Edge| {
        given.weight.is_none_or(|weight| weight == edge.weight)
            && visibility.is_none_or(|visibility| visibility == edge.visibility)
    };
    if let Some(edge) = present.clone().filter(said) {
        return Ok(Written { kept: Link { edge, source, target }, masked: cleaner.masked() });
    }
    // A connection between two open nodes can itself be a secret, so edges are not shared by
    // default.
    let seen = visibility.or(present.as_ref().map(|edge| edge.visibility));
    let edge = NewEdge {
        source: NodeRef::Id(source.id),
        target: NodeRef::Id(target.id),
        kind: kind.kind.clone(),
        weight: given.weight.or(present.as_ref().map(|edge| edge.weight)).unwrap_or(1.0),
        visibility: seen.unwrap_or_else(|| Sharing::Workspace.visibility(&call.viewer)),
        // Types that differ only in case are the same. The first spelling is kept.
        properties: present.map_or_else(|| kind.spelt(), |edge| edge.properties),
    };
    let batch = call.batch().change(Change::PutEdge(edge));
    call.app.commit(&call.viewer, batch).await?;
    let edge = edge_between(call, &source, &target, &kind.kind).await?;
    let edge = edge.ok_or_else(edge_not_found)?;
    Ok(Written { kept: Link { edge, source, target }, masked: cleaner.masked() })
}

/// Fails unless the caller may create, change or remove this edge with the tools of memory.
pub(super) fn may_relink(
    call: &MemoryCall,
    present: Option<&Edge>,
    kind: &str,
    ends: [&Node; 2],
) -> Reply<()> {
    if play::is_table_link(kind, ends) {
        return Err(Refusal::refused(
            format!("Edges of type {kind} at a table are the table's own"),
            "use character_control_set, or the tools that make campaigns and characters",
        ));
    }
    let [source, target] = ends;
    let name = format!("{} {kind} {}", source.name, target.name);
    Ok(present.map_or(Ok(()), |edge| may_change(&call.viewer, edge.created.by, &name))?)
}

/// Finds the edge of a kind from one node to another.
pub(super) async fn edge_between(
    call: &MemoryCall,
    source: &Node,
    target: &Node,
    kind: &EdgeKind,
) -> Reply<Option<Edge>> {
    /// A limit on edges of one kind per node, higher than any real number.
    const MANY: usize = 100_000;
    let kinds = [kind.clone()];
    let store = &call.app.store;
    let edges = store.neighbours(&call.viewer, &[source.id], Direction::Out, &kinds, MANY).await?;
    Ok(edges.into_iter().find(|edge| edge.target == target.id))
}

pub(super) fn edge_not_found() -> Refusal {
    Refusal::refused("Edge not found", "kn_intel related shows the edges at a node")
}

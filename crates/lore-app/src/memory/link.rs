//! Edges by hand.

use lore_core::{Edge, EdgeKind, Node};
use lore_store::{Change, Direction, NewEdge, NodeRef};

use super::graph::Written;
use super::keeper::Keeper;
use super::kinds::{Sharing, Type};
use super::pen::Pen;
use super::refusal::{Refusal, Reply, required};
use crate::access::may_change;
use crate::play;

/// An edge to draw.
#[derive(Debug, Clone, Default)]
pub struct NewLink {
    /// Where it starts.
    pub source: Option<String>,
    /// Where it ends.
    pub target: Option<String>,
    /// How the two are joined, any text.
    pub type_name: Option<String>,
    /// How strongly, 0 to 1; an edge that is there keeps its weight when nothing is said, and
    /// a new one has 1.
    pub weight: Option<f64>,
    /// Who shall see it, of those who see both ends; an edge that is there stays as it is when
    /// nothing is said, and a new one is seen by those who run the world.
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

/// Joins two nodes. Joining them again changes at most the weight and who sees it.
pub async fn connect(keeper: &Keeper, given: &NewLink) -> Reply<Written<Link>> {
    let mut pen = Pen::default();
    let source = required("source_id", "connect", given.source.as_deref())?;
    let target = required("target_id", "connect", given.target.as_deref())?;
    let type_name = required("edge_type", "connect", given.type_name.as_deref())?;
    let kind = Type::of(&pen.name("edge_type", type_name)?)?;
    let source = keeper.lookup("Source node", source).await?;
    let target = keeper.lookup("Target node", target).await?;
    let present = edge_between(keeper, &source, &target, &kind.kind).await?;
    may_relink(keeper, present.as_ref(), kind.kind.as_str(), [&source, &target])?;
    let visibility = given.sharing.map(|sharing| sharing.visibility(&keeper.viewer));
    let said = |edge: &Edge| {
        given.weight.is_none_or(|weight| weight == edge.weight)
            && visibility.is_none_or(|visibility| visibility == edge.visibility)
    };
    if let Some(edge) = present.clone().filter(said) {
        return Ok(Written { kept: Link { edge, source, target }, masked: pen.masked() });
    }
    // What is open may be joined by what players must not know, so nothing is shared unasked.
    let seen = visibility.or(present.as_ref().map(|edge| edge.visibility));
    let edge = NewEdge {
        source: NodeRef::Id(source.id),
        target: NodeRef::Id(target.id),
        kind: kind.kind.clone(),
        weight: given.weight.or(present.as_ref().map(|edge| edge.weight)).unwrap_or(1.0),
        visibility: seen.unwrap_or_else(|| Sharing::Workspace.visibility(&keeper.viewer)),
        // Types that differ in case alone are one; it stays spelt as it was first.
        properties: present.map_or_else(|| kind.spelt(), |edge| edge.properties),
    };
    let batch = keeper.batch().change(Change::PutEdge(edge));
    keeper.app.commit(&keeper.viewer, batch).await?;
    let edge = edge_between(keeper, &source, &target, &kind.kind).await?;
    let edge = edge.ok_or_else(edge_not_found)?;
    Ok(Written { kept: Link { edge, source, target }, masked: pen.masked() })
}

/// Whether an edge may be drawn, changed or taken away here.
pub(super) fn may_relink(
    keeper: &Keeper,
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
    Ok(present.map_or(Ok(()), |edge| may_change(&keeper.viewer, edge.created.by, &name))?)
}

/// The edge of a kind from one node to another.
pub(super) async fn edge_between(
    keeper: &Keeper,
    source: &Node,
    target: &Node,
    kind: &EdgeKind,
) -> Reply<Option<Edge>> {
    /// More edges of one kind at one node than anybody looks through.
    const MANY: usize = 100_000;
    let kinds = [kind.clone()];
    let store = &keeper.app.store;
    let edges =
        store.neighbours(&keeper.viewer, &[source.id], Direction::Out, &kinds, MANY).await?;
    Ok(edges.into_iter().find(|edge| edge.target == target.id))
}

pub(super) fn edge_not_found() -> Refusal {
    Refusal::refused("Edge not found", "kn_intel related shows the edges at a node")
}

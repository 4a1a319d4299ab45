//! Wire types for the surroundings of a node, the answer of the related action.

use lore_app::memory::answer_budget::{AnswerBudget, Piece};
use lore_app::memory::ids::shown;
use lore_app::memory::kinds::edge_type;
use lore_app::memory::related::{Hop, Near, Surroundings, Way};
use schemars::JsonSchema;
use serde::Serialize;

use super::envelope::{is_zero, written};
use super::recall_wire::ReplacementOut;
use super::wire::Brief;

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct RelatedOut {
    /// Number of results in this answer.
    count: usize,
    /// Nodes, nearest and most strongly connected first.
    results: Vec<NearOut>,
    /// Whether there are more nodes within the depth.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    more: bool,
    /// Number of further results that did not fit the token budget.
    #[serde(skip_serializing_if = "is_zero")]
    left_out: usize,
    /// What is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct NearOut {
    /// The node.
    node: Brief,
    #[serde(flatten)]
    replacement: ReplacementOut,
    /// Number of hops from the start.
    depth: usize,
    /// The hops from the start to this node.
    path: Vec<HopOut>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct HopOut {
    /// Id of the node that this hop leads to.
    id: String,
    #[serde(flatten)]
    way: WayOut,
    /// Other edges between the same two nodes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    also: Vec<WayOut>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct WayOut {
    /// Type of the edge.
    r#type: String,
    /// out: along the edge; in: against it.
    direction: &'static str,
    /// Weight of the edge.
    weight: f64,
}

/// Returns the token budget for the surroundings of a node.
pub(super) fn answer_budget(tokens: usize) -> AnswerBudget {
    let frame = r#"{"_v":"1.0","count":50,"results":[],"more":true,"left_out":50}"#;
    AnswerBudget::new(tokens, frame, |piece| match piece {
        Piece::Near(near) => written(&NearOut::of(near)),
        Piece::Memory(..) | Piece::Link(_) | Piece::World(_) => String::new(),
    })
}

impl RelatedOut {
    pub(super) fn of(found: Surroundings) -> Self {
        let results: Vec<_> = found.near.iter().map(NearOut::of).collect();
        let (more, left_out) = (found.more, found.left_out);
        Self { count: results.len(), results, more, left_out, error: None }
    }

    /// The empty answer for a node that does not exist, with the reason.
    pub(super) fn nowhere(why: String) -> Self {
        Self { error: Some(why), ..Self::of(Surroundings::default()) }
    }
}

impl NearOut {
    fn of(near: &Near) -> Self {
        Self {
            node: Brief::of(&near.node),
            replacement: ReplacementOut::of(&near.node, near.replacement.as_ref()),
            depth: near.depth,
            path: near.path.iter().map(HopOut::of).collect(),
        }
    }
}

impl HopOut {
    fn of(hop: &Hop) -> Self {
        let also = hop.others.iter().map(WayOut::of).collect();
        Self { id: shown(&hop.to), way: WayOut::of(&hop.edge), also }
    }
}

impl WayOut {
    fn of(way: &Way) -> Self {
        Self {
            r#type: edge_type(&way.edge).to_owned(),
            direction: if way.is_forward { "out" } else { "in" },
            weight: way.edge.weight,
        }
    }
}

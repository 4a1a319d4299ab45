//! What is near a node, as the contract shows it.

use lore_app::memory::ids::shown;
use lore_app::memory::kinds::edge_type;
use lore_app::memory::related::{Hop, Near, Surroundings, Way};
use lore_app::memory::room::{Piece, Room};
use schemars::JsonSchema;
use serde::Serialize;

use super::envelope::{is_zero, written};
use super::recall_wire::LapsedOut;
use super::wire::Brief;

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct RelatedOut {
    /// How many results follow.
    count: usize,
    /// Nodes, nearest and most strongly joined first.
    results: Vec<NearOut>,
    /// Whether there is more within the depth.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    more: bool,
    /// How many more the token budget left out.
    #[serde(skip_serializing_if = "is_zero")]
    left_out: usize,
    /// What is wrong with the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct NearOut {
    /// The node.
    node: Brief,
    #[serde(flatten)]
    lapsed: LapsedOut,
    /// How many hops away it is.
    depth: usize,
    /// The hops from the start to it.
    path: Vec<HopOut>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct HopOut {
    /// The node this hop leads to.
    id: String,
    #[serde(flatten)]
    way: WayOut,
    /// Other edges that join the same two.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    also: Vec<WayOut>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct WayOut {
    /// The edge's type.
    r#type: String,
    /// out along the edge, in against it.
    direction: &'static str,
    /// The edge's weight.
    weight: f64,
}

/// Room for what is near a node.
pub(super) fn room(tokens: usize) -> Room {
    let frame = r#"{"_v":"1.0","count":50,"results":[],"more":true,"left_out":50}"#;
    Room::new(tokens, frame, |piece| match piece {
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

    /// Nothing is near what does not exist; the answer says why it is empty.
    pub(super) fn nowhere(why: String) -> Self {
        Self { error: Some(why), ..Self::of(Surroundings::default()) }
    }
}

impl NearOut {
    fn of(near: &Near) -> Self {
        Self {
            node: Brief::of(&near.node),
            lapsed: LapsedOut::of(&near.node, near.lapsed.as_ref()),
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

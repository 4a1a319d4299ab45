//! Wire types for nodes and edges.

use lore_app::memory::graph::Known;
use lore_app::memory::ids::shown;
use lore_app::memory::kinds::{
    SOURCE_TAKEN, SUPERSEDED_BY, Sharing, VALID_TO, edge_type, namespace_of, type_of,
};
use lore_app::memory::link::Link;
use lore_core::Node;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::envelope::{Nullable, Version};
use super::recall_wire::ReplacementOut;

/// A node in short form.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Brief {
    /// Version of the contract.
    #[serde(rename = "_v")]
    version: Version,
    /// Id of the node.
    id: String,
    /// Name of the node.
    name: String,
    /// Type of the node.
    r#type: String,
}

impl Brief {
    pub(super) fn of(node: &Node) -> Self {
        Self {
            version: Version::V1,
            id: shown(node),
            name: node.name.clone(),
            r#type: type_of(node).to_owned(),
        }
    }
}

/// A node in full or short form.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct NodeOut {
    #[serde(flatten)]
    brief: Brief,
    #[serde(flatten)]
    replacement: ReplacementOut,
    #[serde(flatten)]
    full: Option<Full>,
}

impl NodeOut {
    pub(super) fn brief(known: &Known) -> Self {
        let replacement = ReplacementOut::of(&known.node, known.replacement.as_ref());
        Self { brief: Brief::of(&known.node), replacement, full: None }
    }

    pub(super) fn full(known: Known) -> Self {
        Self { full: Some(Full::of(known.clone())), ..Self::brief(&known) }
    }
}

/// The further fields of a node in full form.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Full {
    /// Namespace; world for nodes of other toolsets.
    namespace: String,
    /// Description, or null.
    description: Nullable<String>,
    /// Further fields.
    properties: Map<String, Value>,
    /// Its tags.
    tags: Vec<String>,
    /// Who sees it: workspace, private or shared.
    visibility: &'static str,
    /// How it was created: manual, learn or promotion.
    source_type: String,
    /// When it was created.
    created_at: String,
    /// When it was last changed.
    updated_at: String,
}

/// Removes internal properties. Whether something was superseded, and by what, is shown separately
/// and only to those who see the successor; the note of an import is for the next import.
pub(super) fn further(mut properties: Map<String, Value>) -> Map<String, Value> {
    for told_elsewhere in ["type", VALID_TO, SUPERSEDED_BY, SOURCE_TAKEN] {
        properties.shift_remove(told_elsewhere);
    }
    properties
}

impl Full {
    fn of(known: Known) -> Self {
        let node = known.node;
        let namespace = namespace_of(&node).to_owned();
        let mut properties = further(node.properties);
        let source = properties.shift_remove("source_type");
        Self {
            namespace,
            description: Nullable(known.description),
            properties,
            tags: node.tags,
            visibility: Sharing::of(node.visibility).as_str(),
            source_type: source.as_ref().and_then(Value::as_str).unwrap_or("manual").to_owned(),
            created_at: node.created.at.to_string(),
            updated_at: node.updated.at.to_string(),
        }
    }
}

/// An edge between two nodes.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct EdgeOut {
    /// Id of the node where the edge starts.
    source_id: String,
    /// Id of the node where the edge ends.
    target_id: String,
    /// Type of the edge.
    r#type: String,
    /// Weight of the edge.
    weight: f64,
}

impl EdgeOut {
    pub(super) fn of(link: &Link) -> Self {
        Self {
            source_id: shown(&link.source),
            target_id: shown(&link.target),
            r#type: edge_type(&link.edge).to_owned(),
            weight: link.edge.weight,
        }
    }
}

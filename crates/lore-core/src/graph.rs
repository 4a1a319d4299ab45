//! The content of a world: nodes, edges and texts.

use jiff::Timestamp;

use crate::ids::{EdgeId, NodeId, PrincipalId, TextId, Uid, WorldId};
use crate::names::Word;
use crate::people::Visibility;

/// What kind of thing a node is: `character`, `location`, `note`…
pub type Kind = Word;
/// The kind of relation between two nodes: `mentions`, `parent`, `member_of`…
pub type EdgeKind = Word;
/// What part of a node a text is: `entry`, `post`, `secret`…
pub type TextKind = Word;

/// Fields that only a certain kind of node or edge knows, stored as they came.
pub type Properties = serde_json::Map<String, serde_json::Value>;

/// The property of a node that only the game master's side may see and change. It allows hidden
/// fields on a node that everybody sees.
pub const BEHIND_SCREEN: &str = "behind_screen";

/// When something happened and who did it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    /// When.
    pub at: Timestamp,
    /// Who.
    pub by: PrincipalId,
}

/// Anything in a world that has a name.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Row id.
    pub id: NodeId,
    /// Stable id across stores.
    pub uid: Uid,
    /// The world it belongs to.
    pub world: WorldId,
    /// Running number in its world, over all kinds.
    pub number: i64,
    /// Running number in its world, within its kind.
    pub kind_number: i64,
    /// What kind of thing it is.
    pub kind: Kind,
    /// A free grouping within the world; empty if there is none.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// Whether the name is only cut from its text, so that it adds nothing.
    pub derived_name: bool,
    /// Free text that refines the kind, such as "NPC" or "City".
    pub subtype: Option<String>,
    /// Other names.
    pub aliases: Vec<String>,
    /// Tags, in their stored spelling, sorted.
    pub tags: Vec<String>,
    /// Who may see it.
    pub visibility: Visibility,
    /// Further fields, defined by its kind.
    pub properties: Properties,
    /// Increases with every change; used for optimistic locking.
    pub version: i64,
    /// Who created it, and when.
    pub created: Stamp,
    /// Who changed it last, and when. For the game master's side this is the last change of all;
    /// for others, the last change that everybody who sees the node could see.
    pub updated: Stamp,
    /// When it was soft-deleted, if it was.
    pub deleted_at: Option<Timestamp>,
}

/// Anything readable that belongs to a node. Visible only to viewers who see the node as well.
#[derive(Debug, Clone, PartialEq)]
pub struct Text {
    /// Row id.
    pub id: TextId,
    /// Stable id across stores.
    pub uid: Uid,
    /// The node it belongs to.
    pub node: NodeId,
    /// What part of the node it is.
    pub kind: TextKind,
    /// Its heading; empty if it has none.
    pub title: String,
    /// The text itself, in Markdown.
    pub body: String,
    /// Order among the texts of its node.
    pub position: i64,
    /// Who said it, when, in which conversation, and where it was found.
    pub provenance: Provenance,
    /// Whether search finds it. Texts that only repeat others are excluded.
    pub searchable: bool,
    /// Who may see it.
    pub visibility: Visibility,
    /// Increases with every change.
    pub version: i64,
    /// Who created it, and when.
    pub created: Stamp,
    /// Who changed it last, and when.
    pub updated: Stamp,
    /// When it was soft-deleted, if it was.
    pub deleted_at: Option<Timestamp>,
}

/// Where a text comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Provenance {
    /// Where it was found: a URL, a file, a connected service.
    pub source: Option<String>,
    /// The conversation, document or log it is a part of. Within one, texts are ordered by
    /// position, then by creation, and neighbours provide context for each other.
    pub session: Option<String>,
    /// Who said or wrote it.
    pub author: Option<String>,
    /// When it was said or happened, which may be long before it was stored.
    pub occurred_at: Option<Timestamp>,
}

/// A typed relation between two nodes. Visible only to viewers who see both nodes as well.
#[derive(Debug, Clone, PartialEq)]
pub struct Edge {
    /// Row id.
    pub id: EdgeId,
    /// The node where it starts.
    pub source: NodeId,
    /// The node where it ends.
    pub target: NodeId,
    /// The kind of relation.
    pub kind: EdgeKind,
    /// Its strength; 1.0 by default.
    pub weight: f64,
    /// Who may see it.
    pub visibility: Visibility,
    /// Further fields, defined by its kind.
    pub properties: Properties,
    /// Increases with every change.
    pub version: i64,
    /// Who created it, and when.
    pub created: Stamp,
    /// When it was soft-deleted, if it was.
    pub deleted_at: Option<Timestamp>,
}

//! What a world is made of: nodes, edges and texts.

use jiff::Timestamp;

use crate::ids::{EdgeId, NodeId, PrincipalId, TextId, Uid, WorldId};
use crate::names::Word;
use crate::people::Visibility;

/// What kind of thing a node is: `character`, `location`, `note`…
pub type Kind = Word;
/// How two nodes are joined: `mentions`, `parent`, `member_of`…
pub type EdgeKind = Word;
/// What part of a node a text is: `entry`, `post`, `secret`…
pub type TextKind = Word;

/// Fields that only one contract knows, kept as they came.
pub type Properties = serde_json::Map<String, serde_json::Value>;

/// The one property of a node that is for the game master's side alone: stores show it to nobody
/// else, and nobody else changes it. So there can be more to what everybody sees.
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
    /// A free grouping within the world; empty when there is none.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// The name is only cut from its text, so it says nothing of its own.
    pub derived_name: bool,
    /// Free text that refines the kind, such as "NPC" or "City".
    pub subtype: Option<String>,
    /// Other names it goes by.
    pub aliases: Vec<String>,
    /// Tags, in their stored spelling, sorted.
    pub tags: Vec<String>,
    /// Who may see it.
    pub visibility: Visibility,
    /// Fields of single contracts.
    pub properties: Properties,
    /// Counts up with every change; the basis of optimistic locking.
    pub version: i64,
    /// Who made it, when.
    pub created: Stamp,
    /// Who changed it last, when: for the game master's side the last change of all, for others
    /// the last that everybody who sees the node could see.
    pub updated: Stamp,
    /// Set when it is in the bin.
    pub deleted_at: Option<Timestamp>,
}

/// Anything readable that belongs to a node. Seen only by who sees the node too.
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
    /// Its heading; empty when there is none.
    pub title: String,
    /// The text itself, Markdown.
    pub body: String,
    /// Order among the texts of its node.
    pub position: i64,
    /// Who said it, when, in which conversation, and where it was found.
    pub provenance: Provenance,
    /// Whether search finds it. A text that only repeats another is left out.
    pub searchable: bool,
    /// Who may see it.
    pub visibility: Visibility,
    /// Counts up with every change.
    pub version: i64,
    /// Who made it, when.
    pub created: Stamp,
    /// Who changed it last, when.
    pub updated: Stamp,
    /// Set when it is in the bin.
    pub deleted_at: Option<Timestamp>,
}

/// What is known of how a text came about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Provenance {
    /// Where it was found: an address, a file, a connected service.
    pub source: Option<String>,
    /// The conversation, document or log it is a part of. Within one, texts are
    /// ordered by position and then as they came, and neighbours explain each other.
    pub session: Option<String>,
    /// Who said or wrote it.
    pub author: Option<String>,
    /// When it was said or happened, which may be long before it was stored.
    pub occurred_at: Option<Timestamp>,
}

/// A typed join of two nodes. Seen only by who sees both ends too.
#[derive(Debug, Clone, PartialEq)]
pub struct Edge {
    /// Row id.
    pub id: EdgeId,
    /// Where it starts.
    pub source: NodeId,
    /// Where it ends.
    pub target: NodeId,
    /// How the two are joined.
    pub kind: EdgeKind,
    /// Strength, 1.0 unless said otherwise.
    pub weight: f64,
    /// Who may see it.
    pub visibility: Visibility,
    /// Fields of single contracts.
    pub properties: Properties,
    /// Counts up with every change.
    pub version: i64,
    /// Who made it, when.
    pub created: Stamp,
    /// Set when it is in the bin.
    pub deleted_at: Option<Timestamp>,
}

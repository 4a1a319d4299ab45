//! Nodes in a batch: a node to create, or a patch of an existing one.

use lore_core::{Kind, Properties, Uid, Visibility};

/// A node to create.
#[derive(Debug, Clone)]
pub struct NewNode {
    /// Its uid, chosen by the caller.
    pub uid: Uid,
    /// Its kind.
    pub kind: Kind,
    /// Its name.
    pub name: String,
    /// Whether the name is only cut from its text; then search ignores it.
    pub derived_name: bool,
    /// The number to use, such as one from an imported campaign; otherwise the next free one.
    pub number: Option<i64>,
    /// The number within its kind to use; otherwise the next free one.
    pub kind_number: Option<i64>,
    /// Where the next number within its kind must be free.
    pub counting: Counting,
    /// A free grouping; empty if there is none.
    pub namespace: String,
    /// A refinement of the kind.
    pub subtype: Option<String>,
    /// Other names.
    pub aliases: Vec<String>,
    /// Tags.
    pub tags: Vec<String>,
    /// Who may see it.
    pub visibility: Visibility,
    /// Further fields, defined by its kind.
    pub properties: Properties,
}

/// Where the next number within a kind must be free.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counting {
    /// In the world of the node.
    InWorld,
    /// In every world of the store, so that the number alone identifies the node.
    InStore,
}

impl NewNode {
    /// Creates a node visible to all members, with defaults for everything optional.
    pub fn new(uid: Uid, kind: Kind, name: impl Into<String>) -> Self {
        Self {
            uid,
            kind,
            name: name.into(),
            derived_name: false,
            number: None,
            kind_number: None,
            counting: Counting::InWorld,
            namespace: String::new(),
            subtype: None,
            aliases: Vec::new(),
            tags: Vec::new(),
            visibility: Visibility::Members,
            properties: Properties::new(),
        }
    }
}

/// Changes to a node; `None` leaves a field alone.
#[derive(Debug, Clone, Default)]
pub struct NodePatch {
    /// New kind. The node gets the next number within that kind.
    pub kind: Option<Kind>,
    /// New name.
    pub name: Option<String>,
    /// New namespace.
    pub namespace: Option<String>,
    /// New subtype; `Some(None)` clears it.
    pub subtype: Option<Option<String>>,
    /// All aliases, replacing the current ones.
    pub aliases: Option<Vec<String>>,
    /// All tags, replacing the current ones that the author sees.
    pub tags: Option<Vec<String>>,
    /// Replaces one tag and keeps the others.
    pub retag: Option<Retag>,
    /// New visibility.
    pub visibility: Option<Visibility>,
    /// All properties, replacing the current ones.
    pub properties: Option<Properties>,
    /// Who can see the change, where the store cannot derive it: in properties, or outside the
    /// node. If `None`, changed properties count as visible to everybody who sees the node; without
    /// changed properties, the rest of the batch decides.
    pub seen: Option<Visibility>,
}

/// Replaces one tag by another, or removes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retag {
    /// Which of two tags that may share the name.
    pub side: TagSide,
    /// The name of the tag.
    pub from: String,
    /// The new name; `None` removes the tag.
    pub to: Option<String>,
}

/// Who knows a tag. Two tags may have the same name: where a hidden one has it, players create one
/// of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TagSide {
    /// Everybody who sees the tagged node.
    Open,
    /// Only the game master's side, because the page of the tag is hidden.
    Veiled,
}

//! What a batch says of a node: one to make, or what changes of it.

use lore_core::{Kind, Properties, Uid, Visibility};

/// A node to make.
#[derive(Debug, Clone)]
pub struct NewNode {
    /// Its id, chosen by the caller.
    pub uid: Uid,
    /// Its kind.
    pub kind: Kind,
    /// Its name.
    pub name: String,
    /// The name is only cut from its text, so search does not look at it.
    pub derived_name: bool,
    /// A number to keep, such as one from an imported campaign; else the next free.
    pub number: Option<i64>,
    /// A number within its kind to keep; else the next free.
    pub kind_number: Option<i64>,
    /// Where that next number is free.
    pub counting: Counting,
    /// Free grouping; empty when there is none.
    pub namespace: String,
    /// Refinement of the kind.
    pub subtype: Option<String>,
    /// Other names.
    pub aliases: Vec<String>,
    /// Tags.
    pub tags: Vec<String>,
    /// Who may see it.
    pub visibility: Visibility,
    /// Fields of single contracts.
    pub properties: Properties,
}

/// Where the next number within a kind is free.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counting {
    /// In the world of the node.
    InWorld,
    /// In every world, so that the number alone tells which node is meant.
    InStore,
}

impl NewNode {
    /// A node for all members, with everything optional left out.
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
    /// New kind. Its number within the kind is the next one there.
    pub kind: Option<Kind>,
    /// New name.
    pub name: Option<String>,
    /// New namespace.
    pub namespace: Option<String>,
    /// New subtype; `Some(None)` clears it.
    pub subtype: Option<Option<String>>,
    /// All aliases, replacing the present ones.
    pub aliases: Option<Vec<String>>,
    /// All tags, replacing the present ones that the author sees.
    pub tags: Option<Vec<String>>,
    /// One tag for another; the others stay.
    pub retag: Option<Retag>,
    /// New visibility.
    pub visibility: Option<Visibility>,
    /// All properties, replacing the present ones.
    pub properties: Option<Properties>,
    /// Who can see what changes, as far as the store cannot tell: in properties, or elsewhere.
    /// When absent, other properties are seen, and else it goes by the rest of the batch.
    pub seen: Option<Visibility>,
}

/// One tag for another, or for none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retag {
    /// Which of two tags that may have the name.
    pub side: TagSide,
    /// What it is called.
    pub from: String,
    /// What it shall be called; none takes it away.
    pub to: Option<String>,
}

/// Who knows a tag. A name may be two tags: players make one of their own where a hidden one has
/// the name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TagSide {
    /// Whoever sees what has it.
    Open,
    /// The game master's side: its page is hidden.
    Veiled,
}

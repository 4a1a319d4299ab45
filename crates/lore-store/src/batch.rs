//! Writes: a batch of primitive changes that happens whole or not at all.

mod node;
mod said;

pub use node::{Counting, NewNode, NodePatch, Retag, TagSide};

use lore_core::names::Word;
use lore_core::{
    EdgeId, EdgeKind, Kind, NodeId, Properties, Provenance, TextId, TextKind, Timestamp, Uid,
    Visibility,
};

/// A list of changes committed in one durable transaction.
#[derive(Debug, Clone)]
pub struct Batch {
    /// Where the batch comes from, for the audit log.
    pub origin: Origin,
    /// When it happens, by the caller's clock.
    pub at: Timestamp,
    /// Conditions that must hold, checked in the same transaction.
    pub require: Vec<Require>,
    /// The changes, applied in order.
    pub changes: Vec<Change>,
    /// Resources whose content this batch changes; they enter the change log.
    pub touches: Vec<Touch>,
    /// Resources whose content this batch may change for those who see what it changes; they
    /// enter the change log for them alone.
    pub echoes: Vec<String>,
    /// Makes the batch happen once, however often it is sent.
    pub once: Option<Once>,
    /// Whose eyes its viewer has.
    pub eyes: Eyes,
}

/// Whose eyes a batch is committed with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Eyes {
    /// The author's.
    Own,
    /// Those of the game master's side, lent to an author who does not have them, because what
    /// hangs on theirs may be hidden from them. Names mean what they mean to the author: nothing
    /// hidden has them.
    Lent,
}

impl Batch {
    /// An empty batch.
    pub fn new(origin: Origin, at: Timestamp) -> Self {
        Self {
            origin,
            at,
            require: Vec::new(),
            changes: Vec::new(),
            touches: Vec::new(),
            echoes: Vec::new(),
            once: None,
            eyes: Eyes::Own,
        }
    }

    /// The same for an author who has not got the eyes it is committed with.
    #[must_use]
    pub fn with_lent_eyes(self) -> Self {
        Self { eyes: Eyes::Lent, ..self }
    }

    /// Adds a change.
    #[must_use]
    pub fn change(mut self, change: Change) -> Self {
        self.changes.push(change);
        self
    }

    /// Adds a condition.
    #[must_use]
    pub fn require(mut self, require: Require) -> Self {
        self.require.push(require);
        self
    }

    /// Names a resource that this batch changes for everybody who reads it.
    #[must_use]
    pub fn touch(self, uri: impl Into<String>) -> Self {
        self.touch_for(Visibility::Members, uri)
    }

    /// Names a resource that this batch changes only for those who see so much.
    #[must_use]
    pub fn touch_for(mut self, visibility: Visibility, uri: impl Into<String>) -> Self {
        self.touches.push(Touch { uri: uri.into(), visibility });
        self
    }

    /// Names a resource that this batch may change for those who see what it changes, or saw it
    /// before.
    #[must_use]
    pub fn echo(mut self, uri: impl Into<String>) -> Self {
        self.echoes.push(uri.into());
        self
    }
}

/// A resource that a batch changes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Touch {
    /// Its URI.
    pub uri: String,
    /// Who can see what changed in it; the others are not told.
    pub visibility: Visibility,
}

/// Where a write comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The tool or command that writes.
    pub tool: String,
    /// The request it serves.
    pub request_id: String,
    /// The outside source of the content (a URL, a file, a peer), if any.
    pub source: Option<String>,
}

impl Origin {
    /// A write by `tool` on behalf of the request `request_id`.
    pub fn new(tool: impl Into<String>, request_id: impl Into<String>) -> Self {
        Self { tool: tool.into(), request_id: request_id.into(), source: None }
    }
}

/// A key under which the caller's answer is kept. A second batch of the same
/// principal and scope with the same key conflicts; [`crate::Log::answered`] then
/// has the answer of the first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Once {
    /// What shares its keys.
    pub scope: &'static str,
    /// The key, chosen by the client.
    pub key: String,
    /// The answer to give again, as JSON text.
    pub answer: String,
}

/// A condition on the state before the batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Require {
    /// No live node of this kind that the author sees has this name, ignoring case.
    /// Hidden ones do not count: a refusal would tell that they exist.
    NameFree {
        /// The kind.
        kind: Kind,
        /// The name.
        name: String,
    },
    /// The node exists and is at this version.
    NodeAt {
        /// The node.
        node: NodeRef,
        /// The version read before.
        version: i64,
    },
    /// A document of a live node is at this version.
    StateAt {
        /// The node.
        node: NodeRef,
        /// Which document of the node it is.
        name: Word,
        /// The version read before; 0 when there was none.
        version: i64,
    },
}

/// A node, by row or by the id its creator chose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NodeRef {
    /// By row.
    Id(NodeId),
    /// By uid; may be created earlier in the same batch.
    Uid(Uid),
}

/// A text, by row or uid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TextRef {
    /// By row.
    Id(TextId),
    /// By uid; may be created earlier in the same batch.
    Uid(Uid),
}

/// An edge, by row or by what it joins.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum EdgeRef {
    /// By row.
    Id(EdgeId),
    /// By its ends and kind.
    Between {
        /// Where it starts.
        source: NodeRef,
        /// Where it ends.
        target: NodeRef,
        /// How they are joined.
        kind: EdgeKind,
    },
}

/// The version a thing must have for a change to apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expect {
    /// Whatever it is now.
    Any,
    /// Exactly the version read before.
    Version(i64),
}

/// One primitive change. What is given the values that it has is as it was: neither its version
/// nor its date moves, and nobody is told. A patch of a node without another value moves its date
/// where the batch changes something of the node, or, if it tells who sees that, anything.
#[derive(Debug, Clone)]
pub enum Change {
    /// Makes a node.
    CreateNode(NewNode),
    /// Changes fields of a live node.
    UpdateNode(NodeRef, Expect, NodePatch),
    /// Puts a node into the bin. Its texts and edges vanish from view with it.
    DeleteNode(NodeRef, Expect),
    /// Takes a node out of the bin.
    RestoreNode(NodeRef),
    /// Makes a text.
    CreateText(NewText),
    /// Changes fields of a live text.
    UpdateText(TextRef, Expect, TextPatch),
    /// Gives a live text to another live node of the same world.
    MoveText(TextRef, Expect, NodeRef),
    /// Puts a text into the bin.
    DeleteText(TextRef, Expect),
    /// Takes a text out of the bin.
    RestoreText(TextRef),
    /// Joins two nodes. An edge of that kind between them is kept and updated.
    PutEdge(NewEdge),
    /// Changes fields of an edge that is not in the bin itself. By its row it may be one that lies
    /// there with a node.
    UpdateEdge(EdgeRef, Expect, EdgePatch),
    /// Puts an edge into the bin. By its row it may be one that lies there with a node.
    DeleteEdge(EdgeRef, Expect),
    /// Takes an edge out of the bin.
    RestoreEdge(EdgeRef),
    /// Makes or replaces a document of a node.
    PutState(NewState),
    /// Adds to the log of a node.
    AppendEvents(NewEvents),
    /// Counts that these nodes were asked for. Neither changes their version nor
    /// enters the audit log; a node that is gone or hidden is passed over.
    CountAccess(Vec<NodeId>),
    /// Lets running numbers go on after `past`. Numbers up to there are left to what brings
    /// its own.
    SkipNumbers {
        /// Which.
        counters: Counters,
        /// The last number that is passed over.
        past: i64,
    },
}

/// Running numbers of a world.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Counters {
    /// Those over all nodes, and those within these kinds.
    All(Vec<Kind>),
    /// Those within these kinds.
    OfKinds(Vec<Kind>),
}

/// A document to put.
#[derive(Debug, Clone)]
pub struct NewState {
    /// The node it belongs to.
    pub node: NodeRef,
    /// Which document of the node it is.
    pub name: Word,
    /// The version it must have; `Version(0)` when it must not exist yet.
    pub expect: Expect,
    /// The document, JSON.
    pub value: serde_json::Value,
    /// Who may see it.
    pub visibility: Visibility,
}

/// Entries to add to a log.
#[derive(Debug, Clone)]
pub struct NewEvents {
    /// The node whose log grows.
    pub node: NodeRef,
    /// The last sequence the log must have before, if it matters.
    pub after: Option<i64>,
    /// The entries, in order.
    pub events: Vec<NewEvent>,
}

/// Something that happened.
#[derive(Debug, Clone)]
pub struct NewEvent {
    /// What happened.
    pub kind: String,
    /// The request that caused it.
    pub request_id: String,
    /// The tool call that caused it.
    pub invocation_id: String,
    /// The participant who caused it.
    pub participant: Option<Uid>,
    /// The character it is about.
    pub character: Option<Uid>,
    /// The details as JSON text.
    pub payload: String,
    /// Details for the game master's side only, as JSON text.
    pub secret: Option<String>,
    /// Who may see it at all.
    pub visibility: Visibility,
    /// The earlier event it settles; a second event that settles the same one conflicts.
    pub settles: Option<i64>,
}

/// A text to make.
#[derive(Debug, Clone)]
pub struct NewText {
    /// Its id, chosen by the caller.
    pub uid: Uid,
    /// The node it belongs to.
    pub node: NodeRef,
    /// What part of the node it is.
    pub kind: TextKind,
    /// Its heading; empty when there is none.
    pub title: String,
    /// The text, Markdown.
    pub body: String,
    /// Order among the texts of the node.
    pub position: i64,
    /// How it came about.
    pub provenance: Provenance,
    /// Whether search finds it.
    pub searchable: bool,
    /// Who may see it.
    pub visibility: Visibility,
}

impl NewText {
    /// A text for all members, with everything optional left out.
    pub fn new(uid: Uid, node: NodeRef, kind: TextKind, body: impl Into<String>) -> Self {
        Self {
            uid,
            node,
            kind,
            title: String::new(),
            body: body.into(),
            position: 0,
            provenance: Provenance::default(),
            searchable: true,
            visibility: Visibility::Members,
        }
    }
}

/// Changes to a text; `None` leaves a field alone.
#[derive(Debug, Clone, Default)]
pub struct TextPatch {
    /// New heading.
    pub title: Option<String>,
    /// New text.
    pub body: Option<String>,
    /// New order.
    pub position: Option<i64>,
    /// Everything known of how it came about, replacing what was.
    pub provenance: Option<Provenance>,
    /// Whether search finds it from now on.
    pub searchable: Option<bool>,
    /// New visibility.
    pub visibility: Option<Visibility>,
}

/// An edge to put.
#[derive(Debug, Clone)]
pub struct NewEdge {
    /// Where it starts.
    pub source: NodeRef,
    /// Where it ends.
    pub target: NodeRef,
    /// How they are joined.
    pub kind: EdgeKind,
    /// Strength.
    pub weight: f64,
    /// Who may see it.
    pub visibility: Visibility,
    /// Fields of single contracts.
    pub properties: Properties,
}

/// Changes to an edge; `None` leaves a field alone.
#[derive(Debug, Clone, Default)]
pub struct EdgePatch {
    /// New strength.
    pub weight: Option<f64>,
    /// New visibility.
    pub visibility: Option<Visibility>,
    /// All properties, replacing the present ones.
    pub properties: Option<Properties>,
}

//! Writes: a batch of primitive changes that is applied as a whole or not at all.

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
    /// When the batch happens, by the caller's clock.
    pub at: Timestamp,
    /// Preconditions, checked in the same transaction.
    pub require: Vec<Require>,
    /// The changes, applied in order.
    pub changes: Vec<Change>,
    /// Resources whose content this batch changes; each gets an entry in the change log.
    pub touches: Vec<Touch>,
    /// Resources that may change for everybody who sees a change of this batch. Each gets a change
    /// log entry visible to exactly those people.
    pub echoes: Vec<String>,
    /// Makes the batch idempotent: it is applied once, however often it is sent.
    pub once: Option<Once>,
    /// Whether the viewer's rights are the author's own or lent for this batch.
    pub eyes: Eyes,
    /// Whose items the batch may change.
    pub reach: Reach,
}

/// Whose items a batch may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Those that the viewer sees.
    Seen,
    /// Everybody's, private ones of others as well: the program divides or joins what several people
    /// keep at one node. An edge that is put replaces only one that is private to the same
    /// principal, or to nobody like it.
    Everybodys,
}

/// Whether a batch is committed with its author's own rights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Eyes {
    /// The viewer has the author's own rights.
    Own,
    /// The viewer has the rights of the game master's side, lent to an author who does not have
    /// them. This is needed where a change to the author's items affects items hidden from the
    /// author. Names still mean what they mean to the author: hidden items do not count.
    Lent,
}

impl Batch {
    /// Creates an empty batch.
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
            reach: Reach::Seen,
        }
    }

    /// Lets the batch change what others keep to themselves; see [`Reach::Everybodys`].
    #[must_use]
    pub fn reaching_everybody(self) -> Self {
        Self { reach: Reach::Everybodys, ..self }
    }

    /// Marks the batch as committed with lent rights; see [`Eyes::Lent`].
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

    /// Adds a precondition.
    #[must_use]
    pub fn require(mut self, require: Require) -> Self {
        self.require.push(require);
        self
    }

    /// Adds a resource that this batch changes for everybody who reads it.
    #[must_use]
    pub fn touch(self, uri: impl Into<String>) -> Self {
        self.touch_for(Visibility::Members, uri)
    }

    /// Adds a resource that this batch changes only for those who may see `visibility`.
    #[must_use]
    pub fn touch_for(mut self, visibility: Visibility, uri: impl Into<String>) -> Self {
        self.touches.push(Touch { uri: uri.into(), visibility });
        self
    }

    /// Adds a resource that this batch may change for everybody who sees, or saw before, one of its
    /// changes.
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
    /// Who may see what changed in it; nobody else is told.
    pub visibility: Visibility,
}

/// The origin of a write, for the audit log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The tool or command that made the write.
    pub tool: String,
    /// The id of the request it serves.
    pub request_id: String,
    /// The external source of the content (a URL, a file, a peer), if any.
    pub source: Option<String>,
}

impl Origin {
    /// Creates the origin of a write by `tool` on behalf of the request `request_id`.
    pub fn new(tool: impl Into<String>, request_id: impl Into<String>) -> Self {
        Self { tool: tool.into(), request_id: request_id.into(), source: None }
    }
}

/// An idempotency key and the answer stored under it. A second batch of the same principal and
/// scope with the same key fails with a conflict; [`crate::Log::answered`] then returns the answer
/// of the first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Once {
    /// The namespace of the key.
    pub scope: &'static str,
    /// The key, chosen by the client.
    pub key: String,
    /// The answer to repeat, as JSON text.
    pub answer: String,
}

/// A precondition on the state before the batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Require {
    /// No live node of this kind that the author sees has this name, ignoring case. Hidden nodes do
    /// not count, because a refusal would reveal them.
    NameFree {
        /// The kind.
        kind: Kind,
        /// The name.
        name: String,
    },
    /// The node exists and has this version.
    NodeAt {
        /// The node.
        node: NodeRef,
        /// The version that was read before.
        version: i64,
    },
    /// A document of a live node has this version.
    StateAt {
        /// The node.
        node: NodeRef,
        /// Which document of the node it is.
        name: Word,
        /// The version that was read before; 0 if there was no document.
        version: i64,
    },
}

/// A node, by row id or by the uid its creator chose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NodeRef {
    /// By row id.
    Id(NodeId),
    /// By uid; the node may be created earlier in the same batch.
    Uid(Uid),
}

/// A text, by row id or uid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TextRef {
    /// By row id.
    Id(TextId),
    /// By uid; the text may be created earlier in the same batch.
    Uid(Uid),
}

/// An edge, by row id or by its end nodes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum EdgeRef {
    /// By row id.
    Id(EdgeId),
    /// By its end nodes and kind.
    Between {
        /// The node where it starts.
        source: NodeRef,
        /// The node where it ends.
        target: NodeRef,
        /// The kind of the edge.
        kind: EdgeKind,
    },
}

/// The version an item must have for a change to be applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expect {
    /// Any version.
    Any,
    /// Exactly this version, which was read before.
    Version(i64),
}

/// One primitive change.
///
/// A change that sets only values an item already has is skipped: version and change date stay the
/// same, and nobody is notified. A node patch without a new value still updates the change date if
/// the batch changes something else of that node or, if the patch says who sees the change
/// ([`NodePatch::seen`]), if the batch changes anything at all.
#[derive(Debug, Clone)]
pub enum Change {
    /// Creates a node.
    CreateNode(NewNode),
    /// Changes fields of a live node.
    UpdateNode(NodeRef, Expect, NodePatch),
    /// Soft-deletes a node. Its texts and edges are hidden with it.
    DeleteNode(NodeRef, Expect),
    /// Restores a deleted node.
    RestoreNode(NodeRef),
    /// Creates a text.
    CreateText(NewText),
    /// Changes fields of a live text.
    UpdateText(TextRef, Expect, TextPatch),
    /// Moves a live text to another live node of the same world.
    MoveText(TextRef, Expect, NodeRef),
    /// Soft-deletes a text.
    DeleteText(TextRef, Expect),
    /// Restores a deleted text.
    RestoreText(TextRef),
    /// Creates an edge between two nodes, or updates the existing one of that kind.
    PutEdge(NewEdge),
    /// Changes fields of an edge that is not deleted itself. Addressed by row id, its end nodes may
    /// be deleted.
    UpdateEdge(EdgeRef, Expect, EdgePatch),
    /// Soft-deletes an edge. Addressed by row id, its end nodes may be deleted.
    DeleteEdge(EdgeRef, Expect),
    /// Restores a deleted edge.
    RestoreEdge(EdgeRef),
    /// Creates or replaces a document of a node.
    PutState(NewState),
    /// Appends to the log of a node.
    AppendEvents(NewEvents),
    /// Counts an access of each node. Does not change versions and makes no audit entry; deleted
    /// and hidden nodes are skipped.
    CountAccess(Vec<NodeId>),
    /// Moves counters past `past`, so that an import can use the numbers up to there.
    SkipNumbers {
        /// The counters to move.
        counters: Counters,
        /// The last number to skip.
        past: i64,
    },
}

/// Counters for running numbers of a world.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Counters {
    /// The counter of all nodes, and those of these kinds.
    All(Vec<Kind>),
    /// The counters of these kinds.
    OfKinds(Vec<Kind>),
}

/// A document to store.
#[derive(Debug, Clone)]
pub struct NewState {
    /// The node it belongs to.
    pub node: NodeRef,
    /// The name of the document within the node.
    pub name: Word,
    /// The version it must have; `Version(0)` if it must not exist yet.
    pub expect: Expect,
    /// The JSON document.
    pub value: serde_json::Value,
    /// Who may see it.
    pub visibility: Visibility,
}

/// Events to append to a log.
#[derive(Debug, Clone)]
pub struct NewEvents {
    /// The node whose log it is.
    pub node: NodeRef,
    /// The sequence number the log must end at; `None` if it does not matter.
    pub after: Option<i64>,
    /// The events, in order.
    pub events: Vec<NewEvent>,
}

/// An event to append.
#[derive(Debug, Clone)]
pub struct NewEvent {
    /// The kind of event.
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
    /// The sequence number of the earlier event it settles. Settling the same event twice is a
    /// conflict.
    pub settles: Option<i64>,
}

/// A text to create.
#[derive(Debug, Clone)]
pub struct NewText {
    /// Its uid, chosen by the caller.
    pub uid: Uid,
    /// The node it belongs to.
    pub node: NodeRef,
    /// Which part of the node it is.
    pub kind: TextKind,
    /// Its heading; empty if it has none.
    pub title: String,
    /// The text, in Markdown.
    pub body: String,
    /// Order among the texts of the node.
    pub position: i64,
    /// Where it comes from.
    pub provenance: Provenance,
    /// Whether search finds it.
    pub searchable: bool,
    /// Who may see it.
    pub visibility: Visibility,
}

impl NewText {
    /// Creates a text visible to all members, with defaults for everything optional.
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
    /// New provenance, replacing the old one as a whole.
    pub provenance: Option<Provenance>,
    /// Whether search finds it from now on.
    pub searchable: Option<bool>,
    /// New visibility.
    pub visibility: Option<Visibility>,
}

/// An edge to create or update.
#[derive(Debug, Clone)]
pub struct NewEdge {
    /// The node where it starts.
    pub source: NodeRef,
    /// The node where it ends.
    pub target: NodeRef,
    /// The kind of the edge.
    pub kind: EdgeKind,
    /// Its strength.
    pub weight: f64,
    /// Who may see it.
    pub visibility: Visibility,
    /// Further fields, defined by its kind.
    pub properties: Properties,
}

/// Changes to an edge; `None` leaves a field alone.
#[derive(Debug, Clone, Default)]
pub struct EdgePatch {
    /// New strength.
    pub weight: Option<f64>,
    /// New visibility.
    pub visibility: Option<Visibility>,
    /// All properties, replacing the current ones.
    pub properties: Option<Properties>,
}

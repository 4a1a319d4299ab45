//! Helpers for the stories: a store with people in it, and short ways to write and read.

use std::fmt::Debug;
use std::sync::Arc;

use lore_core::names::Word;
use lore_core::{
    Edge, Effects, Node, NodeId, Principal, Properties, Role, Text, TextId, Timestamp, Uid, Viewer,
    Visibility,
};

use super::{Fresh, Harness};
use crate::{
    Applied, Batch, Change, Committed, Direction, EdgeRef, NewEdge, NewNode, NewText, NewToken,
    NodeKey, NodeRef, Origin, Store, StoreError, StoreResult,
};

/// A fresh store with its owner as a viewer.
pub(super) struct Stage {
    pub(super) owner: Viewer,
    pub(super) effects: Effects,
    fresh: Fresh,
}

impl Stage {
    /// Creates a fresh store and enters it as its owner.
    pub(super) async fn set(harness: &dyn Harness) -> Self {
        let fresh = harness.fresh().await;
        let world = fresh.store.default_world(Principal::LOCAL).await.unwrap().unwrap();
        let owner = fresh.store.enter(Principal::LOCAL, world).await.unwrap().unwrap();
        Self { owner, effects: Effects::fixed(moment(0), 0xC0FFEE), fresh }
    }

    /// Closes the store and opens it again.
    pub(super) async fn reopen(self, harness: &dyn Harness) -> Self {
        Self { fresh: harness.reopen(self.fresh).await, ..self }
    }

    /// The store.
    pub(super) fn store(&self) -> &dyn Store {
        self.fresh.store.as_ref()
    }

    /// The store, for use in another task.
    pub(super) fn shared(&self) -> Arc<dyn Store> {
        Arc::clone(&self.fresh.store)
    }

    /// A new id.
    pub(super) fn uid(&self) -> Uid {
        self.effects.uid()
    }

    /// Creates somebody with a role in the owner's world.
    pub(super) async fn person(&self, name: &str, role: Role) -> Viewer {
        self.person_in(&self.owner, name, role).await
    }

    /// Creates somebody with a role in the world of `owner`.
    pub(super) async fn person_in(&self, owner: &Viewer, name: &str, role: Role) -> Viewer {
        let token = self.token(name, role);
        let public_id = token.public_id.clone();
        self.store().create_token(owner, token).await.unwrap();
        let stored = self.store().token(&public_id).await.unwrap().unwrap();
        Viewer { principal: stored.principal, world: stored.world, role: stored.role }
    }

    /// A token to create.
    pub(super) fn token(&self, name: &str, role: Role) -> NewToken {
        NewToken {
            public_id: self.uid().to_string(),
            secret_hash: [7; 32],
            principal: name.to_owned(),
            role,
            at: moment(0),
        }
    }

    /// Creates another world of the owner.
    pub(super) async fn other_world(&self, name: &str) -> Viewer {
        let made = self
            .store()
            .create_world(Principal::LOCAL, self.uid(), name.into(), origin(), moment(0))
            .await
            .unwrap();
        self.store().enter(Principal::LOCAL, made.id).await.unwrap().unwrap()
    }

    /// A character to create.
    pub(super) fn draft(&self, name: &str) -> NewNode {
        NewNode::new(self.uid(), word("character"), name)
    }

    /// Creates a character.
    pub(super) async fn node(&self, viewer: &Viewer, name: &str) -> Node {
        self.make(viewer, self.draft(name)).await
    }

    /// Creates a character with a restricted visibility, which its author must be able to see.
    pub(super) async fn node_for(&self, viewer: &Viewer, visibility: Visibility) -> Node {
        self.make(viewer, NewNode { visibility, ..self.draft("Hidden") }).await
    }

    /// Creates a node and reads it back.
    pub(super) async fn make(&self, viewer: &Viewer, draft: NewNode) -> Node {
        let uid = draft.uid;
        self.commit(viewer, batch().change(Change::CreateNode(draft))).await;
        self.store().node(viewer, NodeKey::Uid(uid)).await.unwrap().expect("the node just made")
    }

    /// A text to create.
    pub(super) fn text_draft(&self, node: &Node, body: &str) -> NewText {
        NewText::new(self.uid(), NodeRef::Id(node.id), word("entry"), body)
    }

    /// Creates a text and reads it back.
    pub(super) async fn text(&self, viewer: &Viewer, node: &Node, body: &str) -> Text {
        self.write(viewer, self.text_draft(node, body)).await
    }

    /// Creates a text and reads it back.
    pub(super) async fn write(&self, viewer: &Viewer, draft: NewText) -> Text {
        let done = self.commit(viewer, batch().change(Change::CreateText(draft))).await;
        let id = text_id(&done);
        self.store().text(viewer, id).await.unwrap().expect("the text just made")
    }

    /// Creates an edge of the kind `knows`.
    pub(super) async fn join(&self, viewer: &Viewer, from: &Node, to: &Node) -> Edge {
        self.put(viewer, edge_draft(from, to)).await
    }

    /// Creates an edge and reads it back.
    pub(super) async fn put(&self, viewer: &Viewer, draft: NewEdge) -> Edge {
        let NodeRef::Id(source) = draft.source else { panic!("give the source by row") };
        let done = self.commit(viewer, batch().change(Change::PutEdge(draft))).await;
        let Applied::Edge { id, .. } = done.applied[0] else { panic!("{done:?}") };
        let edges = self.edges_out(viewer, source).await;
        edges.into_iter().find(|edge| edge.id == id).expect("the edge just put")
    }

    /// The edges that start at a node.
    pub(super) async fn edges_out(&self, viewer: &Viewer, node: NodeId) -> Vec<Edge> {
        self.store().neighbours(viewer, &[node], Direction::Out, &[], 1_000).await.unwrap()
    }

    /// Reads a node by row id.
    pub(super) async fn read(&self, viewer: &Viewer, id: NodeId) -> Option<Node> {
        self.store().node(viewer, NodeKey::Id(id)).await.unwrap()
    }

    /// Commits a batch that must succeed.
    pub(super) async fn commit(&self, viewer: &Viewer, batch: Batch) -> Committed {
        self.store().commit(viewer, batch).await.expect("the batch commits")
    }

    /// Commits one change that must succeed.
    pub(super) async fn change(&self, viewer: &Viewer, change: Change) -> Committed {
        self.commit(viewer, batch().change(change)).await
    }

    /// Tries one change.
    pub(super) async fn attempt(&self, viewer: &Viewer, change: Change) -> StoreResult<Committed> {
        self.store().commit(viewer, batch().change(change)).await
    }
}

/// The time `seconds` after the start of the stories.
pub(super) fn moment(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + seconds).unwrap()
}

/// A kind.
pub(super) fn word(text: &str) -> Word {
    Word::new("kind", text).unwrap()
}

/// The origin of the stories' writes.
pub(super) fn origin() -> Origin {
    Origin::new("story", "request-1")
}

/// An empty batch.
pub(super) fn batch() -> Batch {
    Batch::new(origin(), moment(1))
}

/// An edge to create: `from` knows `to`.
pub(super) fn edge_draft(from: &Node, to: &Node) -> NewEdge {
    NewEdge {
        source: NodeRef::Id(from.id),
        target: NodeRef::Id(to.id),
        kind: word("knows"),
        weight: 1.0,
        visibility: Visibility::Members,
        properties: Properties::new(),
    }
}

/// An edge by its end nodes.
pub(super) fn between(from: &Node, to: &Node) -> EdgeRef {
    EdgeRef::Between {
        source: NodeRef::Id(from.id),
        target: NodeRef::Id(to.id),
        kind: word("knows"),
    }
}

/// The id of the first node in a result.
pub(super) fn node_id(done: &Committed) -> NodeId {
    done.applied
        .iter()
        .find_map(|applied| match applied {
            Applied::Node { id, .. } => Some(*id),
            _ => None,
        })
        .expect("a node in the answer")
}

/// The id of the first text in a result.
pub(super) fn text_id(done: &Committed) -> TextId {
    done.applied
        .iter()
        .find_map(|applied| match applied {
            Applied::Text { id, .. } => Some(*id),
            _ => None,
        })
        .expect("a text in the answer")
}

/// The version in the first entry of a result.
pub(super) fn version(done: &Committed) -> i64 {
    match done.applied[0] {
        Applied::Node { version, .. }
        | Applied::Text { version, .. }
        | Applied::Edge { version, .. }
        | Applied::State { version } => version,
        Applied::Events { .. } | Applied::Access { .. } | Applied::Numbers => {
            panic!("it has no version")
        }
    }
}

macro_rules! expectation {
    ($($(#[$doc:meta])* $name:ident: $pattern:pat),* $(,)?) => {$(
        $(#[$doc])*
        #[track_caller]
        pub(super) fn $name<T: Debug>(answer: StoreResult<T>) {
            assert!(matches!(answer, Err($pattern)), "{answer:?}");
        }
    )*};
}

expectation! {
    /// Asserts that the item looks absent.
    not_found: StoreError::NotFound(_),
    /// Asserts that a precondition failed.
    conflict: StoreError::Conflict(_),
    /// Asserts that a name or id is taken.
    exists: StoreError::Exists(_),
    /// Asserts that the role does not allow it.
    forbidden: StoreError::Forbidden { .. },
    /// Asserts that the request is malformed.
    invalid: StoreError::Invalid(_),
}

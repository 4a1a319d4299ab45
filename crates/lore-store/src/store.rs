//! The traits that an engine implements.
//!
//! There are several narrow traits, so that a use case names what it needs, and one [`Store`], so
//! that a program holds one value.

use std::path::Path;

use async_trait::async_trait;
use lore_core::names::Word;
use lore_core::{
    Edge, EdgeKind, Event, Node, NodeId, Principal, PrincipalId, State, Text, TextId, Timestamp,
    TokenId, Uid, Viewer, World, WorldId,
};
use tokio::sync::watch;

use crate::applied::Committed;
use crate::batch::{Batch, Origin};
use crate::error::StoreResult;
use crate::query::{
    Bin, Direction, EventQuery, NewestNodes, NodeKey, NodeQuery, Page, TextPage, TextQuery,
};
use crate::records::{
    Access, AuditEntry, ChainReport, ChangeEntry, Health, NewToken, Renamed, SessionRecord,
    StoredToken, Tally, TokenInfo,
};
use crate::search::{Search, Vectors};

/// The resource that lists a principal's worlds. Creating a world touches it in every other world
/// of its owner.
pub const WORLDS_URI: &str = "lorewell://worlds";

/// A pseudo-resource that gets a change log entry with every change in a world. Code that must
/// react to any change follows it.
pub const WORLD_URI: &str = "lorewell://changes";

/// A complete engine.
#[async_trait]
pub trait Store:
    Directory
    + Nodes
    + Texts
    + Edges
    + States
    + Events
    + Search
    + Vectors
    + Log
    + Sessions
    + Maintenance
    + Send
    + Sync
{
    /// Commits a batch. Returns after it is durable; on error nothing changed.
    async fn commit(&self, viewer: &Viewer, batch: Batch) -> StoreResult<Committed>;
}

/// Worlds, their members and their tokens.
#[async_trait]
pub trait Directory {
    /// The worlds in which `principal` has a role, ordered by name.
    async fn worlds(&self, principal: PrincipalId) -> StoreResult<Vec<World>>;

    /// Creates a world owned by `principal`. Names are unique, ignoring case.
    async fn create_world(
        &self,
        principal: PrincipalId,
        uid: Uid,
        name: String,
        origin: Origin,
        at: Timestamp,
    ) -> StoreResult<World>;

    /// Renames the viewer's world. Only for owners.
    async fn rename_world(
        &self,
        viewer: &Viewer,
        name: String,
        origin: Origin,
        at: Timestamp,
    ) -> StoreResult<World>;

    /// A principal by id.
    async fn principal(&self, id: PrincipalId) -> StoreResult<Option<Principal>>;

    /// The world `principal` works in when they name none.
    async fn default_world(&self, principal: PrincipalId) -> StoreResult<Option<WorldId>>;

    /// Sets the default world; the principal must have a role in it.
    async fn set_default_world(&self, principal: PrincipalId, world: WorldId) -> StoreResult<()>;

    /// Returns the viewer for `principal` in `world`; `None` if they have no role there.
    async fn enter(&self, principal: PrincipalId, world: WorldId) -> StoreResult<Option<Viewer>>;

    /// Everybody who may act in any world, once with each role they were given there; ordered by
    /// world, then by principal. For the program's own work on their behalf.
    async fn everybody(&self) -> StoreResult<Vec<Viewer>>;

    /// Creates a token for the viewer's world. Only for owners.
    async fn create_token(&self, viewer: &Viewer, token: NewToken) -> StoreResult<TokenInfo>;

    /// The tokens of the viewer's world, including revoked ones. Only for owners.
    async fn tokens(&self, viewer: &Viewer) -> StoreResult<Vec<TokenInfo>>;

    /// Revokes a token of the viewer's world. Only for owners.
    async fn revoke_token(&self, viewer: &Viewer, id: TokenId, at: Timestamp) -> StoreResult<()>;

    /// An unrevoked token by its public part, for the authenticator.
    async fn token(&self, public_id: &str) -> StoreResult<Option<StoredToken>>;

    /// Whether a token was ever created in any world. Stays true when all tokens are revoked, so
    /// that revoking the last one does not turn authentication off.
    async fn has_tokens(&self) -> StoreResult<bool>;
}

/// Reading nodes. [`Nodes::node`] fails on a damaged node; lists leave damaged nodes out. The same
/// holds for edges and, in [`Texts::find_texts`] and search, for texts.
#[async_trait]
pub trait Nodes {
    /// One live node.
    async fn node(&self, viewer: &Viewer, key: NodeKey) -> StoreResult<Option<Node>>;

    /// One deleted node.
    async fn node_in_bin(&self, viewer: &Viewer, key: NodeKey) -> StoreResult<Option<Node>>;

    /// Several live nodes; absent and hidden ones are left out.
    async fn nodes(&self, viewer: &Viewer, ids: &[NodeId]) -> StoreResult<Vec<Node>>;

    /// Several live nodes by uid; absent and hidden ones are left out.
    async fn nodes_by_uid(&self, viewer: &Viewer, uids: &[Uid]) -> StoreResult<Vec<Node>>;

    /// Several live nodes by their numbers in the viewer's world; absent and hidden ones are left
    /// out.
    async fn nodes_by_number(&self, viewer: &Viewer, numbers: &[i64]) -> StoreResult<Vec<Node>>;

    /// Returns those of the keys that lead to something in the viewer's world that is hidden from
    /// the viewer: a live or deleted node, or a text with that uid. Callers use it to drop
    /// references to hidden items from content that others wrote.
    async fn concealed(&self, viewer: &Viewer, keys: &[NodeKey]) -> StoreResult<Vec<NodeKey>>;

    /// How often these nodes were read, as counted by [`crate::Change::CountAccess`]. Nodes that
    /// were never read, and absent or hidden ones, are left out.
    async fn accesses(&self, viewer: &Viewer, ids: &[NodeId]) -> StoreResult<Vec<Access>>;

    /// A page of nodes, in the order of the query.
    async fn find_nodes(&self, viewer: &Viewer, query: NodeQuery) -> StoreResult<Page<Node>>;

    /// The ids of all nodes that match a query, in its order. The paging fields
    /// ([`NodeQuery::after`], offset and limit) are ignored.
    async fn find_ids(&self, viewer: &Viewer, query: NodeQuery) -> StoreResult<Vec<NodeId>>;

    /// The newest live nodes of a kind in one namespace, newest first.
    async fn newest_nodes(&self, viewer: &Viewer, query: NewestNodes) -> StoreResult<Vec<Node>>;

    /// Nodes of the viewer's world that changed name, aliases, tags or visibility, or were deleted
    /// or restored, after `mark`; oldest change first, at most `limit`. Use [`Nodes::nodes`] to
    /// learn whether they still exist and the viewer sees them.
    async fn renamed(&self, viewer: &Viewer, mark: i64, limit: usize) -> StoreResult<Renamed>;

    /// The same, including nodes with a text that changed after `mark`. `limit` counts changes, and
    /// a node may have several.
    async fn rewritten(&self, viewer: &Viewer, mark: i64, limit: usize) -> StoreResult<Renamed>;

    /// The number of live nodes of each kind in each namespace.
    async fn tally(&self, viewer: &Viewer) -> StoreResult<Vec<Tally>>;
}

/// Reading texts.
#[async_trait]
pub trait Texts {
    /// One live text.
    async fn text(&self, viewer: &Viewer, id: TextId) -> StoreResult<Option<Text>>;

    /// One live text by uid.
    async fn text_by_uid(&self, viewer: &Viewer, uid: Uid) -> StoreResult<Option<Text>>;

    /// Live texts of any node, in order of creation.
    async fn find_texts(&self, viewer: &Viewer, query: TextQuery) -> StoreResult<TextPage>;

    /// The texts of a node, ordered by position.
    async fn texts_of(&self, viewer: &Viewer, node: NodeId, bin: Bin) -> StoreResult<Vec<Text>>;

    /// The live texts of several nodes, ordered by node, then by position. Fails if one is damaged.
    async fn texts_of_nodes(&self, viewer: &Viewer, nodes: &[NodeId]) -> StoreResult<Vec<Text>>;
}

/// Reading edges.
#[async_trait]
pub trait Edges {
    /// The edges at `nodes`, strongest first, at most `limit`. An empty list of kinds does not
    /// restrict.
    async fn neighbours(
        &self,
        viewer: &Viewer,
        nodes: &[NodeId],
        direction: Direction,
        kinds: &[EdgeKind],
        limit: usize,
    ) -> StoreResult<Vec<Edge>>;

    /// The edges between any two of `nodes`, strongest first, at most `limit`.
    async fn edges_among(
        &self,
        viewer: &Viewer,
        nodes: &[NodeId],
        limit: usize,
    ) -> StoreResult<Vec<Edge>>;

    /// The edges of a node, whether or not it and their other ends are deleted, strongest first, at
    /// most `limit`. Those between live nodes become visible again when a node is restored.
    async fn edges_in_bin(
        &self,
        viewer: &Viewer,
        node: NodeId,
        limit: usize,
    ) -> StoreResult<Vec<Edge>>;

    /// The principals who have private edges or texts at one of these nodes, whoever they are. For
    /// the program's own work on what several people keep there; never for answers.
    async fn keepers(&self, nodes: &[NodeId]) -> StoreResult<Vec<PrincipalId>>;

    /// The number of live edges.
    async fn count_edges(&self, viewer: &Viewer) -> StoreResult<u64>;
}

/// Reading documents of state, the named JSON values of a node.
#[async_trait]
pub trait States {
    /// The documents called `name` of these nodes. Absent and hidden ones are left out. A damaged
    /// one is left out if several nodes are asked for, and an error if it is only one.
    async fn states(
        &self,
        viewer: &Viewer,
        nodes: &[NodeId],
        name: &Word,
    ) -> StoreResult<Vec<State>>;
}

/// Reading the event logs of nodes.
#[async_trait]
pub trait Events {
    /// A range of a node's log. Secrets are included only for the game master's side.
    async fn events(
        &self,
        viewer: &Viewer,
        node: NodeId,
        query: EventQuery,
    ) -> StoreResult<Vec<Event>>;

    /// The event that settled the event `sequence` of a node's log, if there is one.
    async fn settled(
        &self,
        viewer: &Viewer,
        node: NodeId,
        sequence: i64,
    ) -> StoreResult<Option<Event>>;

    /// Verifies that a log has no gap, that every hash matches and that it ends at its stored head.
    /// Reveals nothing of the entries, so everybody who sees the node may call it.
    async fn verify_events(&self, viewer: &Viewer, node: NodeId) -> StoreResult<ChainReport>;
}

/// The change log, the audit log, and stored answers of idempotent batches.
#[async_trait]
pub trait Log {
    /// The answer stored under an idempotency key of this principal and scope.
    async fn answered(
        &self,
        viewer: &Viewer,
        scope: &str,
        key: &str,
    ) -> StoreResult<Option<String>>;

    /// Deletes stored answers older than `before`; returns how many.
    async fn forget_answers(&self, before: Timestamp) -> StoreResult<u64>;

    /// Change log entries of the viewer's world after `after` that the viewer may see, oldest
    /// first.
    async fn changes(
        &self,
        viewer: &Viewer,
        after: i64,
        limit: usize,
    ) -> StoreResult<Vec<ChangeEntry>>;

    /// The end of the change log, over all worlds.
    async fn sequence(&self) -> StoreResult<i64>;

    /// A receiver for the end of the change log, updated by commits of this process. Writes of
    /// other processes do not update it; poll [`Log::sequence`] for those.
    fn watch(&self) -> watch::Receiver<i64>;

    /// The newest audit entries of the viewer's world. Only for the game master's side.
    async fn audit(
        &self,
        viewer: &Viewer,
        before: Option<i64>,
        limit: usize,
    ) -> StoreResult<Vec<AuditEntry>>;
}

/// Protocol sessions that survive a restart of the server.
#[async_trait]
pub trait Sessions {
    /// Stores or replaces a session.
    async fn save_session(&self, session: SessionRecord) -> StoreResult<()>;

    /// Loads a session of this principal; one of somebody else counts as absent.
    async fn session(
        &self,
        principal: PrincipalId,
        key: &str,
    ) -> StoreResult<Option<SessionRecord>>;

    /// Updates when a session was last used.
    async fn touch_session(&self, key: &str, at: Timestamp) -> StoreResult<()>;

    /// Replaces the resources a session is subscribed to.
    async fn set_subscriptions(&self, key: &str, uris: Vec<String>) -> StoreResult<()>;

    /// Removes a session.
    async fn delete_session(&self, key: &str) -> StoreResult<()>;

    /// Removes sessions not used since `before`; returns how many.
    async fn purge_sessions(&self, before: Timestamp) -> StoreResult<u64>;
}

/// Checks, repairs and backups.
#[async_trait]
pub trait Maintenance {
    /// Runs every check. May take long.
    async fn check(&self) -> StoreResult<Health>;

    /// Rebuilds everything that search reads from its source. Returns the number of documents.
    async fn rebuild_index(&self) -> StoreResult<u64>;

    /// Accepts every damaged entry as it reads now, so that it can be read and changed again.
    /// Returns how many there were. For users without a good backup.
    async fn accept_damage(&self) -> StoreResult<u64>;

    /// Writes a consistent copy to `target`, which must not exist. Others can go on working.
    async fn backup(&self, target: &Path) -> StoreResult<()>;
}

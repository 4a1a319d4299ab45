//! The traits an engine implements.
//!
//! Several narrow traits, so that a use case names what it needs; one
//! [`Store`], so that a program holds one value.

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

/// The resource that lists a principal's worlds. Making a world touches it in each other
/// world of its owner.
pub const WORLDS_URI: &str = "lorewell://worlds";

/// Stands in the change log for whatever is changed in a world: what has no place in a batch of
/// its own follows it.
pub const WORLD_URI: &str = "lorewell://changes";

/// A whole engine.
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

/// Worlds, who may enter them, and their tokens.
#[async_trait]
pub trait Directory {
    /// The worlds `principal` has a role in, by name.
    async fn worlds(&self, principal: PrincipalId) -> StoreResult<Vec<World>>;

    /// Makes a world owned by `principal`. Names are unique, ignoring case.
    async fn create_world(
        &self,
        principal: PrincipalId,
        uid: Uid,
        name: String,
        origin: Origin,
        at: Timestamp,
    ) -> StoreResult<World>;

    /// Gives the viewer's world another name. Only an owner may.
    async fn rename_world(
        &self,
        viewer: &Viewer,
        name: String,
        origin: Origin,
        at: Timestamp,
    ) -> StoreResult<World>;

    /// Somebody, by id.
    async fn principal(&self, id: PrincipalId) -> StoreResult<Option<Principal>>;

    /// The world `principal` works in when none is named.
    async fn default_world(&self, principal: PrincipalId) -> StoreResult<Option<WorldId>>;

    /// Chooses that world; the principal must have a role in it.
    async fn set_default_world(&self, principal: PrincipalId, world: WorldId) -> StoreResult<()>;

    /// Lets `principal` into `world`; `None` when they have no role there.
    async fn enter(&self, principal: PrincipalId, world: WorldId) -> StoreResult<Option<Viewer>>;

    /// Makes a token for the viewer's world. Only an owner may.
    async fn create_token(&self, viewer: &Viewer, token: NewToken) -> StoreResult<TokenInfo>;

    /// The tokens of the viewer's world, revoked ones too. Only an owner may.
    async fn tokens(&self, viewer: &Viewer) -> StoreResult<Vec<TokenInfo>>;

    /// Revokes a token of the viewer's world. Only an owner may.
    async fn revoke_token(&self, viewer: &Viewer, id: TokenId, at: Timestamp) -> StoreResult<()>;

    /// An unrevoked token by its public part, for the authenticator.
    async fn token(&self, public_id: &str) -> StoreResult<Option<StoredToken>>;

    /// Whether a token was ever made, in any world. Revoking the last one opens no door.
    async fn has_tokens(&self) -> StoreResult<bool>;
}

/// Reading nodes. One that is damaged is refused by [`Nodes::node`] and left out of lists; so are
/// edges and, in [`Texts::find_texts`] and search, texts.
#[async_trait]
pub trait Nodes {
    /// One live node.
    async fn node(&self, viewer: &Viewer, key: NodeKey) -> StoreResult<Option<Node>>;

    /// Several live nodes; those that are absent or hidden are left out.
    async fn nodes(&self, viewer: &Viewer, ids: &[NodeId]) -> StoreResult<Vec<Node>>;

    /// Several live nodes by uid; those that are absent or hidden are left out.
    async fn nodes_by_uid(&self, viewer: &Viewer, uids: &[Uid]) -> StoreResult<Vec<Node>>;

    /// Several live nodes by their running numbers in the viewer's world; those that are
    /// absent or hidden are left out.
    async fn nodes_by_number(&self, viewer: &Viewer, numbers: &[i64]) -> StoreResult<Vec<Node>>;

    /// Those of these keys that lead to something in the viewer's world which the viewer may not
    /// see, live or in the bin: a node, or a text that has the uid. Who shows what others wrote
    /// leaves out by it what names such a thing.
    async fn concealed(&self, viewer: &Viewer, keys: &[NodeKey]) -> StoreResult<Vec<NodeKey>>;

    /// How often these nodes were asked for, as [`crate::Change::CountAccess`] counted;
    /// those never asked for are left out, like those absent or hidden.
    async fn accesses(&self, viewer: &Viewer, ids: &[NodeId]) -> StoreResult<Vec<Access>>;

    /// A page of nodes, in the order that the query asks for.
    async fn find_nodes(&self, viewer: &Viewer, query: NodeQuery) -> StoreResult<Page<Node>>;

    /// All nodes that a query finds, in the order that it asks for, without reading them. What
    /// cuts pages ([`NodeQuery::after`], offset and limit) does not count.
    async fn find_ids(&self, viewer: &Viewer, query: NodeQuery) -> StoreResult<Vec<NodeId>>;

    /// The newest live nodes of a kind in one namespace, newest first.
    async fn newest_nodes(&self, viewer: &Viewer, query: NewestNodes) -> StoreResult<Vec<Node>>;

    /// Nodes of the viewer's world whose name, aliases, tags, visibility or place in the
    /// bin changed after `mark`, oldest change first, at most `limit`. Whether they are
    /// still there, and seen by the viewer, is for [`Nodes::nodes`] to tell.
    async fn renamed(&self, viewer: &Viewer, mark: i64, limit: usize) -> StoreResult<Renamed>;

    /// The same for nodes of which this, or a text, changed after `mark`; `limit` counts
    /// changes, of which a node may have several.
    async fn rewritten(&self, viewer: &Viewer, mark: i64, limit: usize) -> StoreResult<Renamed>;

    /// How many live nodes there are of each kind in each namespace.
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

    /// The texts of a node by position.
    async fn texts_of(&self, viewer: &Viewer, node: NodeId, bin: Bin) -> StoreResult<Vec<Text>>;

    /// The live texts of several nodes: by node, then by position. Fails when one is damaged.
    async fn texts_of_nodes(&self, viewer: &Viewer, nodes: &[NodeId]) -> StoreResult<Vec<Text>>;
}

/// Following edges.
#[async_trait]
pub trait Edges {
    /// The edges at `nodes`, strongest first, at most `limit`. An empty list of
    /// kinds does not restrict.
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

    /// The edges that lie in the bin with a node, wherever their other ends are, strongest first, at
    /// most `limit`. Those to live nodes join it to them again when it is taken out.
    async fn edges_in_bin(
        &self,
        viewer: &Viewer,
        node: NodeId,
        limit: usize,
    ) -> StoreResult<Vec<Edge>>;

    /// How many live edges there are.
    async fn count_edges(&self, viewer: &Viewer) -> StoreResult<u64>;
}

/// Reading documents of nodes.
#[async_trait]
pub trait States {
    /// The documents called `name` of these nodes; those that are absent or
    /// hidden are left out, and of several nodes those that are damaged.
    async fn states(
        &self,
        viewer: &Viewer,
        nodes: &[NodeId],
        name: &Word,
    ) -> StoreResult<Vec<State>>;
}

/// Reading the logs of nodes.
#[async_trait]
pub trait Events {
    /// A part of a node's log. Secrets are included for the GM side only.
    async fn events(
        &self,
        viewer: &Viewer,
        node: NodeId,
        query: EventQuery,
    ) -> StoreResult<Vec<Event>>;

    /// The event that settled the event `sequence` of a node's log.
    async fn settled(
        &self,
        viewer: &Viewer,
        node: NodeId,
        sequence: i64,
    ) -> StoreResult<Option<Event>>;

    /// Checks that a log has no gap, that every hash fits, and that it ends where its
    /// head says. Tells nothing of what is in it, so whoever sees the node may ask.
    async fn verify_events(&self, viewer: &Viewer, node: NodeId) -> StoreResult<ChainReport>;
}

/// The change log, the audit log, and the answers of batches that happen once.
#[async_trait]
pub trait Log {
    /// The answer kept under a key by a batch of this principal and scope.
    async fn answered(
        &self,
        viewer: &Viewer,
        scope: &str,
        key: &str,
    ) -> StoreResult<Option<String>>;

    /// Forgets kept answers from before `before`; returns how many.
    async fn forget_answers(&self, before: Timestamp) -> StoreResult<u64>;

    /// Entries of the viewer's world after `after`, oldest first: those of changes that the
    /// viewer may know of.
    async fn changes(
        &self,
        viewer: &Viewer,
        after: i64,
        limit: usize,
    ) -> StoreResult<Vec<ChangeEntry>>;

    /// The end of the change log, over all worlds.
    async fn sequence(&self) -> StoreResult<i64>;

    /// Tells when this process committed something: holds the log's end.
    /// Writes of other processes do not wake it; poll [`Log::sequence`] for those.
    fn watch(&self) -> watch::Receiver<i64>;

    /// The newest audit entries of the viewer's world. Only the GM side may.
    async fn audit(
        &self,
        viewer: &Viewer,
        before: Option<i64>,
        limit: usize,
    ) -> StoreResult<Vec<AuditEntry>>;
}

/// Protocol sessions that outlive the process.
#[async_trait]
pub trait Sessions {
    /// Stores or replaces a session.
    async fn save_session(&self, session: SessionRecord) -> StoreResult<()>;

    /// Loads a session of this principal; another's is as good as absent.
    async fn session(
        &self,
        principal: PrincipalId,
        key: &str,
    ) -> StoreResult<Option<SessionRecord>>;

    /// Notes that a session was used.
    async fn touch_session(&self, key: &str, at: Timestamp) -> StoreResult<()>;

    /// Replaces the resources a session is subscribed to.
    async fn set_subscriptions(&self, key: &str, uris: Vec<String>) -> StoreResult<()>;

    /// Removes a session.
    async fn delete_session(&self, key: &str) -> StoreResult<()>;

    /// Removes sessions not used since `before`; returns how many.
    async fn purge_sessions(&self, before: Timestamp) -> StoreResult<u64>;
}

/// Looking after the store.
#[async_trait]
pub trait Maintenance {
    /// Checks everything that can be checked. May take long.
    async fn check(&self) -> StoreResult<Health>;

    /// Makes everything that search reads again from what it is derived from.
    /// Returns how many documents there are.
    async fn rebuild_index(&self) -> StoreResult<u64>;

    /// Takes every entry that is not what was written for what it reads now, so that it can be
    /// read and changed again. Returns how many there were. For those without a good backup.
    async fn accept_damage(&self) -> StoreResult<u64>;

    /// Writes a consistent copy to `target`, which must not exist, while others work.
    async fn backup(&self, target: &Path) -> StoreResult<()>;
}

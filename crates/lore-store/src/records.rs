//! Records about the store itself: tokens, sessions, logs, health.

use lore_core::{Kind, NodeId, PrincipalId, Role, Timestamp, TokenId, WorldId};

/// A bearer token to create. The secret itself never reaches the store.
#[derive(Debug, Clone)]
pub struct NewToken {
    /// The public part, by which the token is looked up.
    pub public_id: String,
    /// SHA-256 of the secret part.
    pub secret_hash: [u8; 32],
    /// The name of the principal it acts as; created if there is none of that name.
    pub principal: String,
    /// The principal's role in the viewer's world.
    pub role: Role,
    /// When it is made.
    pub at: Timestamp,
}

/// The data of a token that the authenticator needs.
#[derive(Debug, Clone)]
pub struct StoredToken {
    /// Row id.
    pub id: TokenId,
    /// SHA-256 of the secret part.
    pub secret_hash: [u8; 32],
    /// The principal it acts as.
    pub principal: PrincipalId,
    /// The world it was created for.
    pub world: WorldId,
    /// The role it grants there.
    pub role: Role,
}

/// The data of a token that is shown to people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenInfo {
    /// Row id.
    pub id: TokenId,
    /// The public part.
    pub public_id: String,
    /// The name of the principal it acts as.
    pub principal: String,
    /// The role it grants.
    pub role: Role,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was revoked, if it was.
    pub revoked_at: Option<Timestamp>,
}

/// A protocol session that survives a restart of the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionRecord {
    /// A hash of the session id, because the id itself is a credential.
    pub key: String,
    /// Whose session it is.
    pub principal: PrincipalId,
    /// The JSON message with which the client opened it.
    pub opening: String,
    /// Resources the client subscribed to.
    pub subscriptions: Vec<String>,
    /// When it was last used.
    pub seen_at: Timestamp,
}

/// One entry of the change log: a resource changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeEntry {
    /// Position in the log; increases by one.
    pub sequence: i64,
    /// The resource that changed.
    pub uri: String,
    /// When.
    pub at: Timestamp,
}

/// One entry of the audit log: somebody wrote something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEntry {
    /// Position in the log.
    pub id: i64,
    /// When.
    pub at: Timestamp,
    /// Who.
    pub principal: PrincipalId,
    /// With which tool or command.
    pub tool: String,
    /// On behalf of which request.
    pub request_id: String,
    /// From which outside source, if any.
    pub source: Option<String>,
    /// What was done, with the values that were replaced, as JSON.
    pub detail: String,
}

/// The result of verifying the hash chain of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChainReport {
    /// How many entries the log has, including hidden ones.
    pub length: i64,
    /// The first entry that does not match or is missing, if any.
    pub broken_at: Option<i64>,
    /// How many entries are missing at the end.
    pub missing: i64,
}

/// The number of nodes of a kind in a namespace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tally {
    /// The kind.
    pub kind: Kind,
    /// The namespace; empty for nodes without one.
    pub namespace: String,
    /// How many there are.
    pub count: u64,
}

/// Nodes whose searchable data changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Renamed {
    /// The nodes, without duplicates.
    pub nodes: Vec<NodeId>,
    /// Where to continue; 0 is the beginning.
    pub mark: i64,
}

/// How often a node was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    /// The node.
    pub node: NodeId,
    /// How often; at least once.
    pub count: i64,
    /// When it was last read.
    pub last_at: Timestamp,
}

/// How large the store is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreStats {
    /// Engine and version.
    pub engine: String,
    /// Schema version.
    pub schema: i64,
    /// Size on disk in bytes.
    pub bytes: u64,
    /// Number of worlds.
    pub worlds: u64,
    /// Number of live nodes.
    pub nodes: u64,
    /// Number of live edges.
    pub edges: u64,
    /// Number of live texts.
    pub texts: u64,
}

/// The result of a health check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Health {
    /// How large it is.
    pub stats: StoreStats,
    /// The problems found; empty if all is well.
    pub findings: Vec<Finding>,
}

/// A problem, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What is wrong.
    pub problem: String,
    /// How to fix it.
    pub remedy: String,
}

//! Rows about the store itself: tokens, sessions, logs, health.

use lore_core::{Kind, NodeId, PrincipalId, Role, Timestamp, TokenId, WorldId};

/// A bearer token to make. The secret itself never reaches the store.
#[derive(Debug, Clone)]
pub struct NewToken {
    /// The part that is looked up; not secret.
    pub public_id: String,
    /// SHA-256 of the secret part.
    pub secret_hash: [u8; 32],
    /// The principal it acts as; made when there is none of that name.
    pub principal: String,
    /// The principal's role in the viewer's world.
    pub role: Role,
    /// When it is made.
    pub at: Timestamp,
}

/// What the authenticator needs of a token.
#[derive(Debug, Clone)]
pub struct StoredToken {
    /// Row id.
    pub id: TokenId,
    /// SHA-256 of the secret part.
    pub secret_hash: [u8; 32],
    /// Whom it acts as.
    pub principal: PrincipalId,
    /// The world it was made for.
    pub world: WorldId,
    /// The role it grants there.
    pub role: Role,
}

/// What a person sees of a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenInfo {
    /// Row id.
    pub id: TokenId,
    /// The part that is not secret.
    pub public_id: String,
    /// Whom it acts as.
    pub principal: String,
    /// The role it grants.
    pub role: Role,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was revoked, if it was.
    pub revoked_at: Option<Timestamp>,
}

/// A protocol session that outlives the server process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionRecord {
    /// Hash of the session id; the id itself is a credential.
    pub key: String,
    /// Whose session it is.
    pub principal: PrincipalId,
    /// What the client sent to open it, as JSON.
    pub opening: String,
    /// Resources the client subscribed to.
    pub subscriptions: Vec<String>,
    /// When it was last used.
    pub seen_at: Timestamp,
}

/// One line of the change log: something readable changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeEntry {
    /// Position in the log; grows by one.
    pub sequence: i64,
    /// The resource that changed.
    pub uri: String,
    /// When.
    pub at: Timestamp,
}

/// One line of the audit log: somebody wrote something.
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

/// What checking the hashes of a log found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChainReport {
    /// How many entries the log has, hidden ones too.
    pub length: i64,
    /// The first entry that does not fit or is gone, if there is one.
    pub broken_at: Option<i64>,
    /// How many entries are gone.
    pub missing: i64,
}

/// How many nodes of a kind there are in a namespace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tally {
    /// The kind.
    pub kind: Kind,
    /// The namespace; empty when they have none.
    pub namespace: String,
    /// How many there are.
    pub count: u64,
}

/// Nodes that changed in what they are found by.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Renamed {
    /// The nodes, each once.
    pub nodes: Vec<NodeId>,
    /// Where to go on from; 0 is the beginning.
    pub mark: i64,
}

/// How often a node was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    /// The node.
    pub node: NodeId,
    /// How often, at least once.
    pub count: i64,
    /// When the last time.
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

/// What a check of the store found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Health {
    /// How large it is.
    pub stats: StoreStats,
    /// What is wrong; empty when all is well.
    pub findings: Vec<Finding>,
}

/// One thing that is wrong, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What is wrong.
    pub problem: String,
    /// How to mend it.
    pub remedy: String,
}

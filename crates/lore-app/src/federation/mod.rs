//! Federation: a KOI-net node over the world's own store.
//!
//! `lore-koinet` decides; here its decisions are made durable, what is shared is
//! gathered from the world, and what arrives becomes searchable, marked as what it is:
//! somebody else's word. An answer leaves after its writes are kept, and what is
//! private never gets as far as the node.

mod arrival;
mod coverage;
mod keeper;
mod key;
mod orders;
mod service;
mod shares;
mod status;

use async_trait::async_trait;
use lore_core::{Kind, Node};
use serde_json::Value;

pub use coverage::{DOCUMENT_TYPE, ENTITY_TYPE};
pub use key::{KeyFile, check_key, load_or_make_key};
pub use lore_koinet::node::{
    Answer, Approve, Endpoint, GivenBy, PeerStatus, Quotas, Settings, Standing, Status, Unanswered,
    Wants,
};
pub use lore_koinet::{EdgeStatus, NodeKind, NodeRid, is_address, is_rid_type};
pub use orders::{break_with, connect};
pub use service::{Config, Federation, Response};
pub use shares::{Opening, RuleReport, ShareRule, Shared, Stopped, rules, share, unshare};
pub use status::{disabled, health, introduction, report, stored_status};

/// Kind of the node that stands for the federation itself.
const ROOT: &str = "federation";
/// Kind of what the federation remembers for itself.
const RECORD: &str = "federation_record";
/// Kind of what came from other nodes.
pub const FEDERATED: &str = "federated";
/// Start of the sources of what came from other nodes.
pub const SOURCE: &str = "koi-net";
/// The property that names the node that told of a thing.
const TELLER: &str = "node";
/// The property that holds what its node says that a thing is.
pub(crate) const SAID_KIND: &str = "said_kind";

/// Where a node came from, if it is what another node of the network told.
pub fn told_by(node: &Node) -> Option<String> {
    teller(node).map(keeper::source)
}

/// The RID of the node of the network that told of a thing.
pub(crate) fn teller(node: &Node) -> Option<&str> {
    let teller = node.properties.get(TELLER).and_then(Value::as_str);
    teller.filter(|_| node.kind.as_str() == FEDERATED)
}

/// Whether nodes of a kind belong to the federation: its own records, and what came from
/// other nodes.
pub(crate) fn is_of_federation(kind: &Kind) -> bool {
    [ROOT, RECORD, FEDERATED].contains(&kind.as_str())
}

/// Carries messages to other nodes.
#[async_trait]
pub trait Carrier: Send + Sync {
    /// Posts a signed message to a path below a node's address.
    async fn post(
        &self,
        url: &str,
        given_by: GivenBy,
        path: &str,
        body: String,
    ) -> Result<Answer, Unanswered>;
}

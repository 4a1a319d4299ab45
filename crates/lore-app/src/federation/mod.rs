//! Federation: a KOI-net node on top of the world's own store.
//!
//! `lore-koinet` implements the protocol and its decisions. This module makes those decisions
//! durable, collects what is shared from the world, and makes what arrives searchable, marked as
//! untrusted. A reply is sent only after its writes are stored, and private data never reaches the
//! protocol node.
//!
//! Two kinds of node meet here: nodes of the KOI-net network (peers), and nodes of the store.

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

/// Kind of the store node that stands for the federation itself.
const ROOT: &str = "federation";
/// Kind of the federation's internal records.
const RECORD: &str = "federation_record";
/// Kind of what arrived from other KOI-net nodes.
pub const FEDERATED: &str = "federated";
/// Prefix of the source names of what arrived from other KOI-net nodes.
pub const SOURCE: &str = "koi-net";
/// The property that holds the RID of the KOI-net node an item came from.
const TELLER: &str = "node";
/// The property that holds the kind that node gives the item.
pub(crate) const SAID_KIND: &str = "said_kind";

/// Returns the source name of a store node that came from another KOI-net node; otherwise `None`.
pub fn told_by(node: &Node) -> Option<String> {
    teller(node).map(keeper::source)
}

/// Returns the RID of the KOI-net node that a store node came from.
pub(crate) fn teller(node: &Node) -> Option<&str> {
    let teller = node.properties.get(TELLER).and_then(Value::as_str);
    teller.filter(|_| node.kind.as_str() == FEDERATED)
}

/// Whether a kind belongs to the federation: internal records, or what came from other KOI-net
/// nodes.
pub(crate) fn is_of_federation(kind: &Kind) -> bool {
    [ROOT, RECORD, FEDERATED].contains(&kind.as_str())
}

/// Transport for messages to other KOI-net nodes.
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

//! The contents of the two RID types that make up the network itself: nodes and edges
//! (subscriptions).

use serde::{Deserialize, Serialize};

use crate::object::object;
use crate::rid::{NodeRid, Rid, is_rid_type};
use crate::wire::Contents;

/// Whether a node can be called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum NodeKind {
    /// It has an address at which others call it.
    Full,
    /// It only calls others, and polls for events.
    Partial,
}

/// The RID types that a node provides.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, remote = "Self")]
pub struct Provides {
    /// Types it sends events about.
    pub event: Vec<String>,
    /// Types that can be requested from it.
    pub state: Vec<String>,
}

object!(both Provides);

/// The profile of a node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct NodeProfile {
    /// The address at which it can be called.
    #[serde(default)]
    pub base_url: Option<String>,
    /// Whether it can be called.
    pub node_type: NodeKind,
    /// The types it provides.
    #[serde(default)]
    pub provides: Provides,
    /// Its public key: base64 of the DER form.
    #[serde(default)]
    pub public_key: Option<String>,
}

object!(both NodeProfile);

/// How events reach the subscriber.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum EdgeKind {
    /// The provider calls the subscriber.
    Webhook,
    /// The subscriber polls the provider.
    Poll,
}

/// Whether the provider has approved a subscription.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum EdgeStatus {
    /// Proposed, not approved yet.
    Proposed,
    /// Approved.
    Approved,
}

/// A subscription: `target` subscribes to events of `source`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct EdgeProfile {
    /// The provider, which approves.
    pub source: NodeRid,
    /// The subscriber, which proposes.
    pub target: NodeRid,
    /// How events are delivered.
    pub edge_type: EdgeKind,
    /// Whether the subscription is approved.
    pub status: EdgeStatus,
    /// The RID types it covers.
    pub rid_types: Vec<String>,
}

object!(both EdgeProfile);

impl NodeProfile {
    /// Longest accepted profile, in bytes.
    const MOST_BYTES: usize = 64 * 1024;

    /// Parses a profile. Fails if it is too long or its address is not valid.
    pub fn read(contents: &Contents) -> Option<Self> {
        if contents.as_str().len() > Self::MOST_BYTES {
            return None;
        }
        let profile: Self = serde_json::from_str(contents.as_str()).ok()?;
        profile.base_url.as_deref().is_none_or(is_address).then_some(profile)
    }

    /// The size of its texts, in bytes.
    pub(crate) fn size(&self) -> usize {
        let types = self.provides.event.iter().chain(&self.provides.state).map(String::len);
        let rest = [&self.base_url, &self.public_key].into_iter().flatten().map(String::len);
        types.chain(rest).sum()
    }
}

impl EdgeProfile {
    /// Parses a profile. Fails if it names invalid RID types.
    pub fn read(contents: &Contents) -> Option<Self> {
        let profile: Self = serde_json::from_str(contents.as_str()).ok()?;
        profile.rid_types.iter().all(|kind| is_rid_type(kind)).then_some(profile)
    }

    /// Returns the RID that an edge between these two nodes must have.
    pub fn rid(&self) -> Rid {
        Rid::of_edge(&self.source, &self.target)
    }

    /// Returns the other end of the edge if `me` is one end.
    pub fn other_end(&self, me: &NodeRid) -> Option<&NodeRid> {
        match (&self.source == me, &self.target == me) {
            (true, false) => Some(&self.target),
            (false, true) => Some(&self.source),
            _ => None,
        }
    }
}

/// Longest address of a node, in bytes.
const ADDRESS_MAX: usize = 2_000;

/// Whether a text is a valid node address. Addresses are shown to people, so control characters and
/// white space are not allowed.
pub fn is_address(text: &str) -> bool {
    let rest = text.strip_prefix("http://").or_else(|| text.strip_prefix("https://"));
    text.len() <= ADDRESS_MAX
        && rest.is_some_and(|rest| rest.split('/').next().is_some_and(|host| !host.is_empty()))
        && !text.chars().any(|c| c.is_control() || c.is_whitespace())
}

/// Serialises one of our profiles as contents.
pub fn contents_of(profile: &impl Serialize) -> Option<Contents> {
    Contents::parse(&serde_json::to_string(profile).ok()?)
}

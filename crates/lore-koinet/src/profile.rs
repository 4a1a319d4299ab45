//! The two kinds of contents that the network itself is made of: what a node is,
//! and who subscribes to whom.

use serde::{Deserialize, Serialize};

use crate::object::object;
use crate::rid::{NodeRid, Rid, is_rid_type};
use crate::wire::Contents;

/// Whether a node can be called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum NodeKind {
    /// It has an address, and others call it.
    Full,
    /// It only calls, and polls for what happened.
    Partial,
}

/// Which types of RIDs a node gives out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, remote = "Self")]
pub struct Provides {
    /// It tells what happens to these.
    pub event: Vec<String>,
    /// It can be asked for these.
    pub state: Vec<String>,
}

object!(both Provides);

/// What a node says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct NodeProfile {
    /// Where it can be called.
    #[serde(default)]
    pub base_url: Option<String>,
    /// Whether it can be called.
    pub node_type: NodeKind,
    /// What it gives out.
    #[serde(default)]
    pub provides: Provides,
    /// Its public key: base64 of the DER form.
    #[serde(default)]
    pub public_key: Option<String>,
}

object!(both NodeProfile);

/// How a subscriber gets events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum EdgeKind {
    /// The provider calls.
    Webhook,
    /// The subscriber asks.
    Poll,
}

/// Whether the provider agreed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum EdgeStatus {
    /// Not yet.
    Proposed,
    /// It did.
    Approved,
}

/// A subscription: `source` provides, `target` subscribes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct EdgeProfile {
    /// The provider, who approves.
    pub source: NodeRid,
    /// The subscriber, who proposes.
    pub target: NodeRid,
    /// How events travel.
    pub edge_type: EdgeKind,
    /// Whether they do.
    pub status: EdgeStatus,
    /// Events about which types.
    pub rid_types: Vec<String>,
}

object!(both EdgeProfile);

impl NodeProfile {
    /// Longest profile, in bytes.
    const MOST_BYTES: usize = 64 * 1024;

    /// Reads a profile; one that is endless, or names an address that is none, is wrong.
    pub fn read(contents: &Contents) -> Option<Self> {
        if contents.as_str().len() > Self::MOST_BYTES {
            return None;
        }
        let profile: Self = serde_json::from_str(contents.as_str()).ok()?;
        profile.base_url.as_deref().is_none_or(is_address).then_some(profile)
    }

    /// How much it says, in bytes.
    pub(crate) fn size(&self) -> usize {
        let types = self.provides.event.iter().chain(&self.provides.state).map(String::len);
        let rest = [&self.base_url, &self.public_key].into_iter().flatten().map(String::len);
        types.chain(rest).sum()
    }
}

impl EdgeProfile {
    /// Reads a profile; types that cannot be any are wrong.
    pub fn read(contents: &Contents) -> Option<Self> {
        let profile: Self = serde_json::from_str(contents.as_str()).ok()?;
        profile.rid_types.iter().all(|kind| is_rid_type(kind)).then_some(profile)
    }

    /// The RID that an edge between these two must have.
    pub fn rid(&self) -> Rid {
        Rid::of_edge(&self.source, &self.target)
    }

    /// The node at the other end, when `me` is at one.
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

/// Whether a node could be called there. It is shown to people, so nothing may hide in it.
pub fn is_address(text: &str) -> bool {
    let rest = text.strip_prefix("http://").or_else(|| text.strip_prefix("https://"));
    text.len() <= ADDRESS_MAX
        && rest.is_some_and(|rest| rest.split('/').next().is_some_and(|host| !host.is_empty()))
        && !text.chars().any(|c| c.is_control() || c.is_whitespace())
}

/// The contents that a profile of ours makes.
pub fn contents_of(profile: &impl Serialize) -> Option<Contents> {
    Contents::parse(&serde_json::to_string(profile).ok()?)
}

//! How a node is doing.

use jiff::Timestamp;

use super::{Node, PeerRecord, Standing};
use crate::profile::{EdgeStatus, NodeKind, NodeProfile};
use crate::rid::{NodeRid, Rid};

/// A node at a moment.
#[derive(Debug, Clone)]
pub struct Status {
    /// Who it is.
    pub rid: NodeRid,
    /// What it says of itself.
    pub profile: NodeProfile,
    /// The nodes it knows.
    pub peers: Vec<PeerStatus>,
    /// Events that somebody has still to be told.
    pub queue: usize,
    /// Things it shares.
    pub shared: usize,
    /// Things of others it has.
    pub foreign: usize,
    /// Events it passed over, by reason.
    pub refused: Vec<(&'static str, u64)>,
}

/// Another node, as seen from here.
#[derive(Debug, Clone)]
pub struct PeerStatus {
    /// Who it is.
    pub rid: NodeRid,
    /// How we know it.
    pub standing: Standing,
    /// Whether it can be called.
    pub kind: Option<NodeKind>,
    /// Its address.
    pub url: Option<String>,
    /// When a message of it last arrived.
    pub last_seen: Option<Timestamp>,
    /// Our subscription there.
    pub ours: Option<EdgeStatus>,
    /// Its subscription here.
    pub theirs: Option<EdgeStatus>,
    /// Events it has still to be told.
    pub queue: usize,
    /// Things of it that are here.
    pub things: usize,
    /// Calls that failed in a row.
    pub failures: u32,
}

impl Node {
    /// How the node is doing.
    pub fn status(&self) -> Status {
        let peers: Vec<_> = self.peers.values().map(|peer| self.peer_status(peer)).collect();
        Status {
            rid: self.me.clone(),
            profile: self.profile.clone(),
            queue: peers.iter().map(|peer| peer.queue).sum(),
            peers,
            shared: self.shared().count(),
            foreign: self.foreign().count(),
            refused: self.refused.iter().map(|(why, count)| (why.as_str(), *count)).collect(),
        }
    }

    fn peer_status(&self, peer: &PeerRecord) -> PeerStatus {
        let edge = |source: &NodeRid, target: &NodeRid| {
            let rid = Rid::of_edge(source, target);
            let edge = self.edges_with(&peer.rid).find(|edge| edge.profile.rid() == rid);
            edge.map(|edge| edge.profile.status)
        };
        let profile = peer.profile.as_ref();
        let waiting = self.feed.range(peer.told.last.saturating_add(1)..);
        PeerStatus {
            rid: peer.rid.clone(),
            standing: peer.standing.clone(),
            kind: profile.map(|profile| profile.node_type),
            url: peer.url.clone().or_else(|| profile.and_then(|profile| profile.base_url.clone())),
            last_seen: peer.last_seen.map(|time| time.instant()),
            ours: edge(&peer.rid, &self.me),
            theirs: edge(&self.me, &peer.rid),
            queue: waiting.filter(|(_, rid)| self.concerns(&peer.rid, rid)).count(),
            things: self.foreign().filter(|(_, record)| record.from == peer.rid).count(),
            failures: self.lines.get(&peer.rid).map_or(0, |line| line.failures),
        }
    }
}

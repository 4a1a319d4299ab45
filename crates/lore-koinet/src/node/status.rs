//! A report on the state of a node.

use jiff::Timestamp;

use super::{Node, PeerRecord, Standing};
use crate::profile::{EdgeStatus, NodeKind, NodeProfile};
use crate::rid::{NodeRid, Rid};

/// The state of a node at one moment.
#[derive(Debug, Clone)]
pub struct Status {
    /// Its RID.
    pub rid: NodeRid,
    /// Its profile.
    pub profile: NodeProfile,
    /// The nodes it knows.
    pub peers: Vec<PeerStatus>,
    /// Undelivered events, over all peers.
    pub queue: usize,
    /// Objects it shares.
    pub shared: usize,
    /// Objects of other nodes it has.
    pub foreign: usize,
    /// Events it skipped, by reason.
    pub refused: Vec<(&'static str, u64)>,
}

/// The state of another node, as seen from here.
#[derive(Debug, Clone)]
pub struct PeerStatus {
    /// Its RID.
    pub rid: NodeRid,
    /// How it became known to us.
    pub standing: Standing,
    /// Whether it can be called, if known.
    pub kind: Option<NodeKind>,
    /// Its address.
    pub url: Option<String>,
    /// When its last message arrived.
    pub last_seen: Option<Timestamp>,
    /// The state of our subscription there.
    pub ours: Option<EdgeStatus>,
    /// The state of its subscription here.
    pub theirs: Option<EdgeStatus>,
    /// Events that are not delivered to it yet.
    pub queue: usize,
    /// Objects of it that are stored here.
    pub things: usize,
    /// Failed calls in a row.
    pub failures: u32,
}

impl Node {
    /// Returns the current state of the node.
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

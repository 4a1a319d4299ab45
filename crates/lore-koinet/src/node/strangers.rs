//! The limit on remembered strangers, which are nodes that our owner did not connect to. Keys are
//! free, so anybody can pretend to be any number of nodes.

use std::time::Duration;

use jiff::Timestamp;

use super::{Node, PeerRecord, Refusal, Standing};
use crate::profile::NodeProfile;
use crate::rid::NodeRid;

/// How long a stranger without a subscription is remembered after its last message.
const PATIENCE: Duration = Duration::from_secs(7 * 24 * 3_600);

impl Node {
    /// Makes sure that there is room for a node's profile. If there is none, silent strangers are
    /// dropped first.
    pub(super) fn make_room_for(
        &mut self,
        rid: &NodeRid,
        profile: &NodeProfile,
        now: Timestamp,
    ) -> Result<(), Refusal> {
        if self.has_room_for(rid, profile) {
            return Ok(());
        }
        self.let_silent_strangers_go(now);
        self.has_room_for(rid, profile).then_some(()).ok_or(Refusal::OverQuota)
    }

    /// Drops silent strangers if more are stored than the quota permits.
    pub(super) fn thin_out_strangers(&mut self, now: Timestamp) {
        let kept = self.peers.values().filter(|peer| is_stranger(peer)).count();
        if kept > self.settings.quotas.strangers {
            self.let_silent_strangers_go(now);
        }
    }

    fn has_room_for(&self, rid: &NodeRid, profile: &NodeProfile) -> bool {
        if self.peers.get(rid).is_some_and(|peer| !is_stranger(peer)) {
            return true;
        }
        let others = self.peers.values().filter(|peer| peer.rid != *rid && is_stranger(peer));
        let sizes = others.map(|peer| peer.profile.as_ref().map_or(0, NodeProfile::size));
        let (count, bytes) = sizes.fold((0, 0), |(count, bytes), size| (count + 1, bytes + size));
        let quotas = &self.settings.quotas;
        count < quotas.strangers && bytes + profile.size() <= quotas.stranger_bytes
    }

    fn let_silent_strangers_go(&mut self, now: Timestamp) {
        let horizon = now.checked_sub(PATIENCE).unwrap_or(Timestamp::MIN);
        let silent = |peer: &&PeerRecord| {
            is_stranger(peer)
                && peer.last_seen.is_none_or(|then| then.instant() < horizon)
                && self.edges_with(&peer.rid).next().is_none()
                && !self.used.contains_key(&peer.rid)
        };
        let gone: Vec<_> =
            self.peers.values().filter(silent).map(|peer| peer.rid.clone()).collect();
        for rid in gone {
            self.peers.remove(&rid);
            self.lines.remove(&rid);
        }
    }
}

fn is_stranger(peer: &PeerRecord) -> bool {
    matches!(peer.standing, Standing::Met | Standing::Heard(_))
}

//! Subscriptions that another node lost, and leaving one.
//!
//! A node that forgets another does not say so: it just falls silent. So a provider is asked
//! now and then whether it still has our subscription, and who says that it does not know us
//! is asked for it anew. Who leaves by its owner's word tells the other end.

use std::time::Duration;

use jiff::Timestamp;

use super::take::Way;
use super::{EdgeRecord, Endpoint, Message, Node, Standing, Write, later_than};
use crate::profile::{EdgeProfile, EdgeStatus};
use crate::rid::{NodeRid, Rid};
use crate::wire::{BundlesPayload, EventType, FetchBundles};

/// How often a provider is asked whether it still has our subscription.
const ASK_EVERY: Duration = Duration::from_secs(30);
/// How long a proposal that arrived may take until the other end has it.
const UNDER_WAY: Duration = Duration::from_secs(10);
/// Calls that nobody answers before a farewell is given up: an hour's worth.
pub(super) const FAREWELL_TRIES: u32 = 20;

impl Node {
    /// The subscription of ours at a node.
    fn our_edge(&self, peer: &NodeRid) -> Option<&EdgeRecord> {
        let edge = self.edges.get(&Rid::of_edge(peer, &self.me))?;
        (edge.event != EventType::Forget).then_some(edge)
    }

    /// The question whether a provider still has our subscription, when it is due.
    pub(super) fn next_check(
        &mut self,
        peer: &NodeRid,
        now: Timestamp,
    ) -> Option<(Endpoint, Message)> {
        let edge = self.our_edge(peer)?.profile.rid();
        let line = self.line(peer);
        if line.next_check.is_some_and(|then| then > now) {
            return None;
        }
        line.next_check = now.checked_add(ASK_EVERY).ok();
        Some((Endpoint::Bundles, Message::FetchBundles(FetchBundles::new(vec![edge]))))
    }

    /// A provider says what it has of our subscription.
    pub(super) fn take_check(
        &mut self,
        peer: &NodeRid,
        reply: BundlesPayload,
        now: Timestamp,
    ) -> Vec<Write> {
        let rid = Rid::of_edge(peer, &self.me);
        let Some(ours) = self.our_edge(peer) else { return Vec::new() };
        let (wanted, since) = (ours.profile.status, ours.timestamp.instant());
        let Some(bundle) = reply.bundles.into_iter().find(|bundle| bundle.manifest.rid == rid)
        else {
            let young = wanted == EdgeStatus::Proposed
                && since.checked_add(UNDER_WAY).is_ok_and(|then| then > now);
            let lost = reply.not_found.contains(&rid) && !young;
            return if lost { self.propose_anew(peer, now) } else { Vec::new() };
        };
        match (EdgeProfile::read(&bundle.contents).map(|held| held.status), wanted) {
            // We missed its answer.
            (Some(EdgeStatus::Approved), EdgeStatus::Proposed) => {
                self.take_bundle(bundle, peer, Way::Asked, now).unwrap_or_default()
            }
            (Some(EdgeStatus::Proposed), EdgeStatus::Approved) => self.propose_anew(peer, now),
            _ => Vec::new(),
        }
    }

    /// A node says that it does not know us: it has none of our subscriptions either.
    pub(super) fn forgotten_by(&mut self, peer: &NodeRid, now: Timestamp) -> Vec<Write> {
        let told = self.peers.get(peer).map_or(0, |peer| peer.told.surely);
        let is_on_its_way =
            |edge: &EdgeRecord| edge.profile.status == EdgeStatus::Proposed && edge.sequence > told;
        match self.our_edge(peer) {
            Some(edge) if !is_on_its_way(edge) => self.propose_anew(peer, now),
            _ => Vec::new(),
        }
    }

    /// A node says once more who it is. Perhaps it left and is back, or lost what it knew.
    pub(super) fn meet_again(&mut self, peer: &NodeRid, now: Timestamp) -> Option<Write> {
        let line = self.line(peer);
        line.not_before = None;
        line.next_check = None;
        self.subscribe(peer, now)
    }

    fn propose_anew(&mut self, peer: &NodeRid, now: Timestamp) -> Vec<Write> {
        let Some(edge) = self.our_edge(peer) else { return Vec::new() };
        let profile = EdgeProfile { status: EdgeStatus::Proposed, ..edge.profile.clone() };
        let at = later_than(Some(edge.timestamp), now);
        vec![self.put_edge(profile, at.instant(), EventType::New)]
    }

    /// Breaks with a node by its owner's word: its things go, it is told, and its messages are
    /// refused until it is connected again.
    pub fn break_with(&mut self, rid: &NodeRid) -> Vec<Write> {
        if !self.peers.contains_key(rid) {
            return Vec::new();
        }
        let mut writes = self.forget_edges_with(rid, None);
        writes.extend(self.forget_all_of(rid));
        let peer = self.peer_entry(rid, Standing::Forgotten);
        peer.introduce = false;
        let never_met = peer.profile.is_none();
        self.lines.remove(rid);
        match never_met {
            true => writes.extend(self.said_farewell(rid)),
            false => {
                self.greet(rid);
                writes.extend(self.peer_write(rid));
            }
        }
        writes
    }

    /// Whether a node that our owner broke with has still to be told.
    pub(super) fn owes_farewell(&self, rid: &NodeRid) -> bool {
        let peer = self.peers.get(rid);
        peer.is_some_and(|peer| peer.standing == Standing::Forgotten && peer.greetings > 0)
    }

    /// Whether our owner broke with a node.
    pub(super) fn is_broken_with(&self, rid: &NodeRid) -> bool {
        self.peers.get(rid).is_some_and(|peer| peer.standing == Standing::Forgotten)
    }

    /// A farewell arrived. Being refused will do, too: who does not know us needs none.
    pub(super) fn farewell_heard(&mut self, rid: &NodeRid) -> Option<Write> {
        if self.is_broken_with(rid) {
            return self.said_farewell(rid);
        }
        // Connected again meanwhile: it may have heard this last.
        self.greet(rid);
        self.peer_write(rid)
    }

    fn said_farewell(&mut self, rid: &NodeRid) -> Option<Write> {
        let peer = self.peers.get_mut(rid)?;
        peer.greetings = 0;
        peer.url = None;
        self.peer_write(rid)
    }
}

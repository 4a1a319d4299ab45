//! Renewing subscriptions that another node lost, and leaving a node.
//!
//! A node that forgets another one does not announce it: it just stops sending. So each provider is
//! asked periodically whether it still has our subscription, and one that does not know us gets a
//! new proposal. When our owner breaks with a node, we send it a farewell.

use std::time::Duration;

use jiff::Timestamp;

use super::take::Way;
use super::{EdgeRecord, Endpoint, Message, Node, Standing, Write, later_than};
use crate::profile::{EdgeProfile, EdgeStatus};
use crate::rid::{NodeRid, Rid};
use crate::wire::{BundlesPayload, EventType, FetchBundles};

/// How often a provider is asked whether it still has our subscription.
const ASK_EVERY: Duration = Duration::from_secs(30);
/// How long the other end may take to process a proposal that has arrived.
const UNDER_WAY: Duration = Duration::from_secs(10);
/// Unanswered calls before a farewell is dropped; about an hour's worth.
pub(super) const FAREWELL_TRIES: u32 = 20;

impl Node {
    /// Returns our existing subscription at a node.
    fn our_edge(&self, peer: &NodeRid) -> Option<&EdgeRecord> {
        let edge = self.edges.get(&Rid::of_edge(peer, &self.me))?;
        (edge.event != EventType::Forget).then_some(edge)
    }

    /// Returns the request that asks a provider for our subscription, when it is due.
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

    /// Handles a provider's answer about our subscription.
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
            // The provider has approved, and we missed it.
            (Some(EdgeStatus::Approved), EdgeStatus::Proposed) => {
                self.take_bundle(bundle, peer, Way::Asked, now).unwrap_or_default()
            }
            (Some(EdgeStatus::Proposed), EdgeStatus::Approved) => self.propose_anew(peer, now),
            _ => Vec::new(),
        }
    }

    /// Handles a node's answer that it does not know us: it has none of our subscriptions either.
    pub(super) fn forgotten_by(&mut self, peer: &NodeRid, now: Timestamp) -> Vec<Write> {
        let told = self.peers.get(peer).map_or(0, |peer| peer.told.surely);
        let is_on_its_way =
            |edge: &EdgeRecord| edge.profile.status == EdgeStatus::Proposed && edge.sequence > told;
        match self.our_edge(peer) {
            Some(edge) if !is_on_its_way(edge) => self.propose_anew(peer, now),
            _ => Vec::new(),
        }
    }

    /// Handles a repeated introduction: the node may have left and come back, or lost its state.
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

    /// Breaks with a node by our owner's decision: removes its objects, sends it a farewell, and
    /// refuses its messages until the owner connects again.
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

    /// Whether a farewell to a node still has to be sent.
    pub(super) fn owes_farewell(&self, rid: &NodeRid) -> bool {
        let peer = self.peers.get(rid);
        peer.is_some_and(|peer| peer.standing == Standing::Forgotten && peer.greetings > 0)
    }

    /// Whether our owner broke with a node.
    pub(super) fn is_broken_with(&self, rid: &NodeRid) -> bool {
        self.peers.get(rid).is_some_and(|peer| peer.standing == Standing::Forgotten)
    }

    /// Handles a delivered farewell. A refused one counts as delivered: a node that does not know
    /// us needs none.
    pub(super) fn farewell_heard(&mut self, rid: &NodeRid) -> Option<Write> {
        if self.is_broken_with(rid) {
            return self.said_farewell(rid);
        }
        // Our owner connected again meanwhile, but the farewell may have arrived last: greet again.
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

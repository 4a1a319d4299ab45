//! Subscriptions (edges): proposing ours and deciding about those of others.

use jiff::Timestamp;

use super::{
    Approve, EdgeRecord, Node, Record, Refusal, Standing, Told, Wants, Write, is_network_type,
    later_than,
};
use crate::profile::{EdgeKind, EdgeProfile, EdgeStatus, NodeKind};
use crate::rid::{EDGE_TYPE, NODE_TYPE, NodeRid, Rid};
use crate::wire::{Bundle, EventType};

/// How many fingerprints of envelopes that ended a subscription are kept.
pub(super) const MARKS: usize = 16;

impl Node {
    /// Returns the existing subscriptions between a node and us, in either direction.
    pub(super) fn edges_with(&self, peer: &NodeRid) -> impl Iterator<Item = &EdgeRecord> {
        let both = [Rid::of_edge(&self.me, peer), Rid::of_edge(peer, &self.me)];
        let found = both.into_iter().filter_map(|rid| self.edges.get(&rid));
        found.filter(|edge| edge.event != EventType::Forget)
    }

    /// Whether a node subscribes to a type of ours.
    pub(super) fn subscribes(&self, peer: &NodeRid, kind: &str) -> bool {
        let edge = self.approved(&Rid::of_edge(&self.me, peer));
        edge.is_some_and(|edge| edge.profile.rid_types.iter().any(|wanted| wanted == kind))
    }

    /// Returns the types we are subscribed to at a node.
    pub(super) fn subscribed_types(&self, peer: &NodeRid) -> &[String] {
        let edge = self.approved(&Rid::of_edge(peer, &self.me));
        edge.map_or(&[], |edge| &edge.profile.rid_types)
    }

    /// Whether we have to poll a node for its events.
    pub(super) fn polls(&self, peer: &NodeRid) -> bool {
        let edge = self.edges.get(&Rid::of_edge(peer, &self.me));
        // A proposed subscription counts as well, because its approval arrives by polling.
        let subscribed = edge.is_some_and(|edge| {
            edge.event != EventType::Forget && edge.profile.edge_type == EdgeKind::Poll
        });
        // A partial node, which cannot be called, learns of proposals only by polling.
        subscribed || (self.settings.kind == NodeKind::Partial && self.is_connected_to(peer))
    }

    fn approved(&self, rid: &Rid) -> Option<&EdgeRecord> {
        let edge = self.edges.get(rid)?;
        let stands = edge.event != EventType::Forget && edge.profile.status == EdgeStatus::Approved;
        stands.then_some(edge)
    }

    /// Proposes the subscription we want at a node, unless it exists already.
    pub(super) fn subscribe(&mut self, peer: &NodeRid, now: Timestamp) -> Option<Write> {
        let rid_types = self.wanted_of(peer);
        if rid_types.is_empty() {
            return None;
        }
        let edge_type = match self.settings.kind {
            NodeKind::Full => EdgeKind::Webhook,
            NodeKind::Partial => EdgeKind::Poll,
        };
        let (source, target) = (peer.clone(), self.me.clone());
        let status = EdgeStatus::Proposed;
        let profile = EdgeProfile { source, target, edge_type, status, rid_types };
        let before = self.edges.get(&profile.rid());
        let there = before.filter(|edge| edge.event != EventType::Forget);
        let same = there.is_some_and(|edge| {
            let old = &edge.profile;
            (&old.rid_types, old.edge_type) == (&profile.rid_types, profile.edge_type)
        });
        if same {
            return None;
        }
        let timestamp = before.map(|edge| edge.timestamp);
        let event = if there.is_some() { EventType::Update } else { EventType::New };
        Some(self.put_edge(profile, later_than(timestamp, now).instant(), event))
    }

    /// Returns the types we want among those a node provides.
    fn wanted_of(&self, peer: &NodeRid) -> Vec<String> {
        let Some(record) = self.peers.get(peer) else { return Vec::new() };
        let Some(profile) = &record.profile else { return Vec::new() };
        // Two partial nodes cannot reach each other.
        if [profile.node_type, self.settings.kind] == [NodeKind::Partial; 2] {
            return Vec::new();
        }
        let offered = profile.provides.event.iter();
        match &self.settings.wants {
            Wants::Connected if record.standing == Standing::Connected => {
                offered.filter(|kind| *kind != EDGE_TYPE).cloned().collect()
            }
            Wants::Connected => Vec::new(),
            // To find types at every node, we must learn of other nodes.
            Wants::Types(wanted) => {
                let wanted = |kind: &&String| wanted.contains(kind) || *kind == NODE_TYPE;
                offered.filter(wanted).cloned().collect()
            }
        }
    }

    /// Handles an edge received from `from`.
    pub(super) fn take_edge(
        &mut self,
        bundle: &Bundle,
        from: &NodeRid,
        now: Timestamp,
    ) -> Result<Vec<Write>, Refusal> {
        let profile = EdgeProfile::read(&bundle.contents).ok_or(Refusal::Malformed)?;
        if profile.rid() != bundle.manifest.rid {
            return Err(Refusal::Malformed);
        }
        if profile.other_end(&self.me) != Some(from) {
            return Err(Refusal::NotTheOwner);
        }
        let timestamp = bundle.manifest.timestamp;
        let known = self.edges.get(&bundle.manifest.rid);
        if known.is_some_and(|edge| timestamp == edge.timestamp && profile == edge.profile) {
            return Ok(Vec::new());
        }
        if known.is_some_and(|edge| timestamp.instant() <= edge.timestamp.instant()) {
            return Err(Refusal::Stale);
        }
        if profile.source == self.me {
            self.decide(profile, timestamp.instant().max(now))
        } else {
            self.take_decision(profile, timestamp.instant(), now)
        }
    }

    /// Decides about a proposed subscription. Only the provider approves, and only for types it
    /// has.
    fn decide(&mut self, profile: EdgeProfile, at: Timestamp) -> Result<Vec<Write>, Refusal> {
        if profile.status != EdgeStatus::Proposed {
            return Err(Refusal::NotTheOwner);
        }
        let peer = profile.target.clone();
        let record = self.peers.get(&peer).ok_or(Refusal::NotTheOwner)?;
        let callable = record.profile.as_ref().is_some_and(|p| p.node_type == NodeKind::Full);
        let provided =
            |kind: &String| is_network_type(kind) || self.settings.provides.contains(kind);
        let possible = profile.rid_types.iter().all(provided)
            && (callable || profile.edge_type == EdgeKind::Poll);
        let later = later_than(Some(at.into()), at).instant();
        if !possible {
            return Ok(vec![self.put_edge(profile, later, EventType::Forget)]);
        }
        let network_only = profile.rid_types.iter().all(|kind| is_network_type(kind));
        let welcome = record.standing == Standing::Connected || network_only;
        if self.settings.approve == Approve::Connected && !welcome {
            let mut write = self.put_edge(profile, at, EventType::New);
            // The proposal waits for our owner. It leaves the feed because the other end knows of
            // it.
            if let Record::Edge(edge) = &mut write.record {
                self.feed.remove(&edge.sequence);
                edge.sequence = 0;
                self.edges.insert(edge.profile.rid(), edge.clone());
            }
            return Ok(vec![write]);
        }
        Ok(self.approve(profile, later))
    }

    /// Approves a proposal that was waiting for the owner.
    pub(super) fn approve_waiting(&mut self, peer: &NodeRid, now: Timestamp) -> Vec<Write> {
        let edge = self.edges.get(&Rid::of_edge(&self.me, peer));
        let waits = edge.filter(|edge| {
            edge.event != EventType::Forget && edge.profile.status == EdgeStatus::Proposed
        });
        let Some(edge) = waits else { return Vec::new() };
        let (profile, at) = (edge.profile.clone(), later_than(Some(edge.timestamp), now));
        self.approve(profile, at.instant())
    }

    /// Whether a node has an approved subscription here.
    pub(super) fn is_subscribed(&self, peer: &NodeRid) -> bool {
        self.approved(&Rid::of_edge(&self.me, peer)).is_some()
    }

    /// Approves a subscription. A subscriber that cannot call us for existing objects, or asked for
    /// them too early, is sent all of them after the approval, because before it the subscriber
    /// would not take them.
    fn approve(&mut self, mut profile: EdgeProfile, at: Timestamp) -> Vec<Write> {
        let peer = profile.target.clone();
        profile.status = EdgeStatus::Approved;
        let mut writes = vec![self.put_edge(profile, at, EventType::Update)];
        let early = self.early.iter().position(|asked| *asked == peer);
        let asked_early = early.and_then(|place| self.early.remove(place)).is_some();
        if (self.settings.kind == NodeKind::Partial || asked_early)
            && let Some(record) = self.peers.get_mut(&peer)
        {
            record.told = Told::default();
            self.greet(&peer);
            self.line(&peer).told_anew = true;
            writes.extend(self.peer_write(&peer));
        }
        writes
    }

    /// Handles a provider's decision about our proposal.
    fn take_decision(
        &mut self,
        profile: EdgeProfile,
        at: Timestamp,
        now: Timestamp,
    ) -> Result<Vec<Write>, Refusal> {
        let rid = profile.rid();
        let ours = self.edges.get(&rid).filter(|edge| edge.event != EventType::Forget);
        let asked = ours.is_some_and(|edge| {
            same_types(&edge.profile.rid_types, &profile.rid_types)
                && edge.profile.edge_type == profile.edge_type
        });
        if !asked || profile.status != EdgeStatus::Approved {
            return Err(Refusal::NotSubscribed);
        }
        let peer = profile.source.clone();
        let sequence = ours.map_or(0, |edge| edge.sequence);
        self.feed.remove(&sequence);
        let forgets = ours.map(|edge| edge.forgets.clone()).unwrap_or_default();
        let edge = EdgeRecord {
            profile,
            timestamp: at.into(),
            event: EventType::Update,
            sequence: 0,
            forgets,
        };
        self.edges.insert(rid, edge.clone());
        self.start_sync(&peer, now);
        Ok(vec![Write { record: Record::Edge(edge), contents: None }])
    }

    /// Stores an edge and queues it for the other end.
    pub(super) fn put_edge(
        &mut self,
        profile: EdgeProfile,
        at: Timestamp,
        event: EventType,
    ) -> Write {
        let rid = profile.rid();
        let before = self.edges.get(&rid);
        let forgets = before.map(|edge| edge.forgets.clone()).unwrap_or_default();
        let place = before.map_or(0, |edge| edge.sequence);
        let sequence = self.next_place(&rid, place);
        let edge = EdgeRecord { profile, timestamp: at.into(), event, sequence, forgets };
        self.edges.insert(rid, edge.clone());
        Write { record: Record::Edge(edge), contents: None }
    }

    /// Removes an edge because one of its ends said so.
    pub(super) fn forget_edge(
        &mut self,
        rid: &Rid,
        from: &NodeRid,
        mark: Option<&str>,
    ) -> Result<Vec<Write>, Refusal> {
        let Some(mut edge) = self.edges.get(rid).cloned() else { return Ok(Vec::new()) };
        if edge.profile.other_end(&self.me) != Some(from) {
            return Err(Refusal::NotTheOwner);
        }
        if mark.is_some_and(|mark| edge.forgets.iter().any(|seen| seen == mark)) {
            return Err(Refusal::Stale);
        }
        if edge.event == EventType::Forget {
            return Ok(Vec::new());
        }
        self.feed.remove(&edge.sequence);
        edge.event = EventType::Forget;
        edge.sequence = 0;
        remember_mark(&mut edge.forgets, mark);
        self.edges.insert(rid.clone(), edge.clone());
        Ok(vec![Write { record: Record::Edge(edge), contents: None }])
    }

    /// Ends every subscription between a node and us, because the node asked for it.
    pub(super) fn forget_edges_with(&mut self, peer: &NodeRid, mark: Option<&str>) -> Vec<Write> {
        let rids: Vec<_> = self.edges_with(peer).map(|edge| edge.profile.rid()).collect();
        let ended = rids.iter().filter_map(|rid| self.forget_edge(rid, peer, mark).ok());
        ended.flatten().collect()
    }

    /// Whether we subscribe to a node's events about other nodes.
    pub(super) fn hears_of_nodes(&self, peer: &NodeRid) -> bool {
        self.subscribed_types(peer).iter().any(|kind| kind == NODE_TYPE)
    }
}

/// Appends a fingerprint and drops the oldest ones beyond [`MARKS`].
pub(super) fn remember_mark(marks: &mut Vec<String>, mark: Option<&str>) {
    if let Some(mark) = mark {
        marks.push(mark.to_owned());
        if marks.len() > MARKS {
            marks.remove(0);
        }
    }
}

fn same_types(one: &[String], other: &[String]) -> bool {
    one.len() == other.len() && one.iter().all(|kind| other.contains(kind))
}

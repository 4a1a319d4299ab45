//! Handling of incoming requests.

use jiff::Timestamp;

use super::{Endpoint, Fault, Greeting, Message, Node, Told, Write};
use crate::envelope::Envelope;
use crate::key::PublicKey;
use crate::profile::{NodeKind, NodeProfile};
use crate::rid::{EDGE_TYPE, NodeRid, Rid};
use crate::wire::{
    ConfirmEvents, ConfirmEventsResponse, Event, EventType, EventsPayload, FetchBundles,
    FetchManifests, FetchRids, Manifest, ManifestsPayload, PollEvents, RidsPayload,
};

/// Most bytes of contents in one message; the rest is deferred.
const MESSAGE_BYTES: usize = 1024 * 1024;
/// Most objects in one message.
pub(super) const MESSAGE_ITEMS: usize = 200;

/// The outcome of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Received {
    /// Records that must be durable before the reply is sent.
    pub writes: Vec<Write>,
    /// The reply.
    pub reply: Reply,
}

/// A verified message: its sender is authentic, and it is for us.
#[derive(Debug, Clone)]
pub struct Admitted {
    endpoint: Endpoint,
    envelope: Envelope,
}

/// A reply to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// Accepted; the body is `null`.
    Taken,
    /// A message to be signed for a node.
    Message(NodeRid, Message),
    /// Refused.
    Refused(Fault),
}

/// Most nodes remembered for having asked before they were subscribed.
const EARLY_MAX: usize = 100;

impl Node {
    /// Processes a verified message.
    pub fn take(&mut self, admitted: &Admitted, now: Timestamp) -> Received {
        let mut writes = Vec::new();
        let reply = self.answer(admitted.endpoint, &admitted.envelope, now, &mut writes);
        Received { writes, reply: reply.unwrap_or_else(Reply::Refused) }
    }

    /// Verifies the sender, signature and receiver of a message, without processing it.
    pub fn admit(
        &mut self,
        endpoint: Endpoint,
        body: &[u8],
        now: Timestamp,
    ) -> Result<Admitted, Fault> {
        let envelope = Envelope::open(body).map_err(|error| Fault::Malformed(error.0))?;
        let events = self.checked_events(endpoint, &envelope)?;
        self.note_early(endpoint, &envelope.source);
        let may_hear_farewell = endpoint == Endpoint::Poll && self.owes_farewell(&envelope.source);
        if self.is_broken_with(&envelope.source) && !may_hear_farewell {
            return Err(Fault::UnknownNode);
        }
        let known = self.peers.get(&envelope.source);
        let profile = known.and_then(|peer| peer.profile.clone());
        let profile = profile.or_else(|| introduced(&events, &envelope.source));
        let profile = profile.ok_or(Fault::UnknownNode)?;
        self.verify(&envelope, profile.public_key.as_deref().unwrap_or_default())?;
        self.check_pace(&envelope.source, now)?;
        if endpoint != Endpoint::Broadcast
            && !self.line(&envelope.source).questions.is_to_be_answered(&envelope)
        {
            return Err(Fault::Replayed);
        }
        match self.peers.get_mut(&envelope.source) {
            Some(peer) => peer.last_seen = Some(now.into()),
            None => {
                self.make_room_for(&envelope.source, &profile, now).map_err(|_| Fault::Crowded)?
            }
        }
        Ok(Admitted { endpoint, envelope })
    }

    /// Remembers a node that asks for objects before it may see any. Some never ask again.
    fn note_early(&mut self, endpoint: Endpoint, source: &NodeRid) {
        let asks = matches!(endpoint, Endpoint::Rids | Endpoint::Manifests | Endpoint::Bundles);
        if !asks || self.is_subscribed(source) || self.early.contains(source) {
            return;
        }
        if self.early.len() >= EARLY_MAX {
            self.early.pop_front();
        }
        self.early.push_back(source.clone());
    }

    /// Returns the events of a message. Its format is checked before its sender, as in the
    /// reference implementation.
    fn checked_events(&self, endpoint: Endpoint, envelope: &Envelope) -> Result<Vec<Event>, Fault> {
        match endpoint {
            Endpoint::Broadcast => return Ok(self.checked::<EventsPayload>(envelope)?.events),
            Endpoint::Poll => self.check_form::<PollEvents>(envelope)?,
            Endpoint::Confirm => self.check_form::<ConfirmEvents>(envelope)?,
            Endpoint::Rids => self.check_form::<FetchRids>(envelope)?,
            Endpoint::Manifests => self.check_form::<FetchManifests>(envelope)?,
            Endpoint::Bundles => self.check_form::<FetchBundles>(envelope)?,
        }
        Ok(Vec::new())
    }

    fn check_form<T: serde::de::DeserializeOwned>(&self, envelope: &Envelope) -> Result<(), Fault> {
        self.checked::<T>(envelope).map(|_| ())
    }

    /// Applies the rate limit: one per known node, and one shared by all unknown nodes.
    fn check_pace(&mut self, source: &NodeRid, now: Timestamp) -> Result<(), Fault> {
        let rate = self.settings.quotas.per_second;
        let line = match self.peers.contains_key(source) {
            true => self.line(source),
            false => &mut self.newcomers,
        };
        line.may_speak(rate, now).then_some(()).ok_or(Fault::Throttled)
    }

    /// Makes the checks of the reference implementation, in its order.
    pub(super) fn verify(&self, envelope: &Envelope, key: &str) -> Result<(), Fault> {
        let key = PublicKey::parse(key).ok_or(Fault::InvalidKey)?;
        if !key.belongs_to(&envelope.source) {
            return Err(Fault::InvalidKey);
        }
        if !envelope.is_signed_by(&key) {
            return Err(Fault::InvalidSignature);
        }
        if envelope.target != self.me { Err(Fault::InvalidTarget) } else { Ok(()) }
    }

    fn checked<T: serde::de::DeserializeOwned>(&self, envelope: &Envelope) -> Result<T, Fault> {
        envelope.payload().map_err(|error| Fault::Malformed(error.0))
    }

    fn answer(
        &mut self,
        endpoint: Endpoint,
        envelope: &Envelope,
        now: Timestamp,
        writes: &mut Vec<Write>,
    ) -> Result<Reply, Fault> {
        let from = envelope.source.clone();
        let message = match endpoint {
            Endpoint::Broadcast => {
                let events = self.checked::<EventsPayload>(envelope)?.events;
                self.bounded(events.len())?;
                writes.extend(self.take_events(events, &from, &envelope.mark(), now));
                return Ok(Reply::Taken);
            }
            Endpoint::Poll => {
                let poll: PollEvents = self.checked(envelope)?;
                self.hand_out(&from, poll.limit, &envelope.mark(), writes)
            }
            Endpoint::Confirm => {
                let _: ConfirmEvents = self.checked(envelope)?;
                self.confirm(&from, writes)
            }
            Endpoint::Rids => {
                let asked: FetchRids = self.checked(envelope)?;
                Message::Rids(RidsPayload::new(self.readable(&from, &asked.rid_types)))
            }
            Endpoint::Manifests => {
                let asked: FetchManifests = self.checked(envelope)?;
                self.bounded(asked.rids.len())?;
                self.manifests_for(&from, asked)
            }
            Endpoint::Bundles => {
                let asked: FetchBundles = self.checked(envelope)?;
                self.bounded(asked.rids.len())?;
                self.bundles_for(&from, asked.rids)
            }
        };
        Ok(Reply::Message(from, message))
    }

    fn bounded(&self, items: usize) -> Result<(), Fault> {
        let limit = self.settings.quotas.items;
        if items <= limit {
            return Ok(());
        }
        Err(Fault::Malformed(format!("{items} items are more than {limit}")))
    }

    /// Returns our objects that a node may read, of these types or of all.
    fn readable(&self, peer: &NodeRid, types: &[String]) -> Vec<Rid> {
        let asked = |rid: &&Rid| types.is_empty() || types.iter().any(|kind| kind == rid.kind());
        let things =
            self.own.keys().filter(|rid| self.is_readable(peer, rid)).filter(asked).cloned();
        let edges: Vec<_> = self.edges_with(peer).map(|edge| edge.profile.rid()).collect();
        things.chain(edges.into_iter().filter(|rid| asked(&rid))).collect()
    }

    fn is_readable(&self, peer: &NodeRid, rid: &Rid) -> bool {
        if self.edges.contains_key(rid) {
            return self.edges_with(peer).any(|edge| edge.profile.rid() == *rid);
        }
        let live = self.own.get(rid).is_some_and(|own| own.event != EventType::Forget);
        live && (rid == self.me.rid() || self.may_read(peer))
    }

    fn manifests_for(&self, peer: &NodeRid, asked: FetchManifests) -> Message {
        let rids = match asked.rids.is_empty() {
            true => self.readable(peer, &asked.rid_types),
            false => asked.rids,
        };
        let (mut manifests, mut not_found) = (Vec::new(), Vec::new());
        for rid in rids {
            match self.manifest(&rid).filter(|_| self.is_readable(peer, &rid)) {
                Some(manifest) => manifests.push(manifest),
                None => not_found.push(rid),
            }
        }
        Message::Manifests(ManifestsPayload::new(manifests, not_found))
    }

    fn manifest(&self, rid: &Rid) -> Option<Manifest> {
        let own = || self.own.get(rid).map(|own| own.manifest.clone());
        let edge = || Some(self.bundle(rid, &super::Found::new())?.manifest);
        own().or_else(edge)
    }

    fn bundles_for(&self, peer: &NodeRid, asked: Vec<Rid>) -> Message {
        let (there, not_found): (Vec<_>, Vec<_>) =
            asked.into_iter().partition(|rid| self.is_readable(peer, rid));
        let fits = self.fitting(&there);
        let (rids, deferred) = there.split_at_checked(fits).unwrap_or((&there, &[]));
        Message::Bundles { rids: rids.to_vec(), not_found, deferred: deferred.to_vec() }
    }

    /// Returns how many of these objects fit into one message; at least one.
    pub(super) fn fitting(&self, rids: &[Rid]) -> usize {
        let mut bytes = 0;
        let within = rids.iter().take(MESSAGE_ITEMS).take_while(|rid| {
            bytes += self.own.get(*rid).map_or(0, |own| own.bytes);
            bytes <= MESSAGE_BYTES
        });
        within.count().max(1).min(rids.len())
    }

    /// Answers a poll with the events of earlier polls that are not certain to have arrived, then
    /// with new ones.
    fn hand_out(
        &mut self,
        to: &NodeRid,
        limit: u32,
        mark: &str,
        writes: &mut Vec<Write>,
    ) -> Message {
        let limit =
            if limit == 0 { usize::MAX } else { usize::try_from(limit).unwrap_or(usize::MAX) };
        let Some(peer) = self.peers.get(to) else {
            return Message::Events { greeting: Greeting::None, rids: Vec::new() };
        };
        if self.owes_farewell(to) {
            let told = Handed { again: peer.told.last, last: peer.told.last };
            self.note_handed_out(to, told, mark, writes);
            return Message::Events { greeting: Greeting::Farewell, rids: Vec::new() };
        }
        let repeated_poll = peer.marks.iter().any(|seen| seen == mark);
        let (told, greetings) = (peer.told, peer.greetings);
        let greeting = if greetings > 0 { Greeting::Hello } else { Greeting::None };
        let again = self.news_for(to, told.surely, limit);
        let again: Vec<_> =
            again.into_iter().take_while(|(place, _)| *place <= told.last).collect();
        let fresh = self.news_for(to, told.last, limit.saturating_sub(again.len()));
        let handed = Handed {
            again: self.handed_out_again(to, told, again.last().map(|(place, _)| *place)),
            last: fresh.last().map_or(told.last, |(place, _)| *place),
        };
        let rids = again.into_iter().chain(fresh).map(|(_, rid)| rid);
        // Edges go first: a node takes objects only if it is subscribed to them.
        let (edges, things): (Vec<_>, Vec<_>) = rids.partition(|rid| rid.kind() == EDGE_TYPE);
        let rids = [edges, things].concat();
        if !repeated_poll {
            self.note_handed_out(to, handed, mark, writes);
        }
        Message::Events { greeting, rids }
    }

    /// Returns up to which place events were sent at least twice. Events that the limit cut off do
    /// not count.
    fn handed_out_again(&self, to: &NodeRid, told: Told, last: Option<u64>) -> u64 {
        let end = last.unwrap_or(told.surely);
        let rest = self.news_for(to, end, 1);
        let is_cut = rest.first().is_some_and(|(place, _)| *place <= told.last);
        if is_cut { end } else { told.last }
    }

    fn note_handed_out(
        &mut self,
        to: &NodeRid,
        handed: Handed,
        mark: &str,
        writes: &mut Vec<Write>,
    ) {
        let Some(peer) = self.peers.get_mut(to) else { return };
        let surely = peer.told.before.min(handed.again);
        let told = Told { surely, before: peer.told.last, last: handed.last };
        if told == peer.told && peer.greetings == 0 {
            return;
        }
        peer.told = told;
        peer.greetings = peer.greetings.saturating_sub(1);
        super::edges::remember_mark(&mut peer.marks, Some(mark));
        writes.extend(self.peer_write(to));
    }

    /// Returns the events for a node after a place in the feed, as many as fit into a message.
    pub(super) fn news_for(&self, peer: &NodeRid, after: u64, most: usize) -> Vec<(u64, Rid)> {
        let news = self.feed.range(after.saturating_add(1)..);
        let news = news.filter(|(_, rid)| self.concerns(peer, rid));
        let mut picked: Vec<_> =
            news.take(most.min(MESSAGE_ITEMS)).map(|(place, rid)| (*place, rid.clone())).collect();
        let rids: Vec<_> = picked.iter().map(|(_, rid)| rid.clone()).collect();
        picked.truncate(self.fitting(&rids));
        picked
    }

    fn confirm(&mut self, from: &NodeRid, writes: &mut Vec<Write>) -> Message {
        let mut confirmed = 0;
        if let Some(peer) = self.peers.get(from) {
            let (surely, last) = (peer.told.surely, peer.told.last);
            let released =
                self.feed.range(surely.saturating_add(1)..=last.max(surely.saturating_add(1)));
            let released =
                released.filter(|(place, rid)| **place <= last && self.concerns(from, rid));
            confirmed = u64::try_from(released.count()).unwrap_or(u64::MAX);
        }
        if let Some(peer) = self.peers.get_mut(from) {
            let last = peer.told.last;
            peer.told = Told { surely: last, before: last, last };
            writes.extend(self.peer_write(from));
        }
        Message::Confirmed(ConfirmEventsResponse::new(confirmed))
    }

    /// Whether a node can be called. Assumed for a node whose profile is unknown.
    pub(super) fn is_callable(&self, peer: &NodeRid) -> bool {
        let profile = self.peers.get(peer).and_then(|peer| peer.profile.as_ref());
        profile.is_none_or(|profile| profile.node_type == NodeKind::Full)
    }
}

/// What a poll returned, as places in the feed.
#[derive(Debug, Clone, Copy)]
struct Handed {
    /// Up to here, events were sent at least twice.
    again: u64,
    /// Up to here, events were sent at least once.
    last: u64,
}

/// Returns the profile with which an unknown node introduces itself: a complete event about itself.
fn introduced(events: &[Event], source: &NodeRid) -> Option<NodeProfile> {
    let about_itself = events
        .iter()
        .find(|event| event.rid == *source.rid() && event.event_type == EventType::New)?;
    about_itself.manifest.as_ref()?;
    NodeProfile::read(about_itself.contents.as_ref()?)
}

//! Outgoing calls: which ones are due, and how their answers are handled.

use std::collections::VecDeque;
use std::time::Duration;

use jiff::Timestamp;

use super::questions::Questions;
use super::renewal::FAREWELL_TRIES;
use super::sync::Sync;
use super::take::Way;
use super::{Endpoint, Fault, Greeting, Message, Node, PeerRecord, Standing, Told, Write};
use crate::envelope::Envelope;
use crate::profile::{NodeKind, NodeProfile};
use crate::rid::{NodeRid, Rid};
use crate::wire::{BundlesPayload, EventsPayload, FetchBundles, PollEvents};

/// The interval between two polls.
const POLL_EVERY: Duration = Duration::from_secs(5);
/// The pause after a failure; it doubles with each further failure.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(300);
/// How many times a message may be refused before it is dropped.
const GIVE_UP_AFTER: u32 = 5;
/// How often everything is compared again, to find changes that were missed.
const SYNC_EVERY: Duration = Duration::from_secs(3_600);

/// A call to make: seal the message and POST it to the address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The node to call.
    pub peer: NodeRid,
    /// Its base address; the path of the endpoint is appended.
    pub url: String,
    /// Where the address comes from.
    pub given_by: GivenBy,
    /// The endpoint to call.
    pub endpoint: Endpoint,
    /// The message to send.
    pub message: Message,
    purpose: Purpose,
}

/// Where an address comes from. An address learned from the network must not be called unless it is
/// public.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GivenBy {
    /// Our owner configured it.
    Owner,
    /// The node itself or another node announced it.
    Network,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Purpose {
    Introduce,
    Greet,
    AskProfile,
    /// Delivers events up to this place in the feed.
    Deliver(u64),
    Poll,
    Sync,
    /// Asks whether our subscription still exists.
    Check,
    Farewell,
}

/// The answer to a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// The body.
    pub body: Vec<u8>,
}

/// The call got no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unanswered;

/// The transient connection state of a node.
#[derive(Debug, Default)]
pub(super) struct Line {
    busy: bool,
    pub(super) failures: u32,
    /// Whether the node is sent everything again, because it asked before it was subscribed.
    pub(super) told_anew: bool,
    pub(super) not_before: Option<Timestamp>,
    /// When to ask again whether our subscription still exists; immediately if not set.
    pub(super) next_check: Option<Timestamp>,
    next_poll: Option<Timestamp>,
    next_sync: Option<Timestamp>,
    pub(super) sync: Option<Sync>,
    pub(super) to_fetch: VecDeque<Rid>,
    pub(super) questions: Questions,
    /// The node's rate limit: how many messages it may still send, and when that was computed.
    allowance: Option<(f64, Timestamp)>,
}

/// Returns the address to call after so many failures. The owner's address comes first. If it
/// fails, attempts alternate with the address the node announces, which counts as the owner's if it
/// has the same host.
fn address(peer: &PeerRecord, failures: u32) -> Option<(String, GivenBy)> {
    let said = peer.profile.as_ref().and_then(|profile| profile.base_url.as_deref());
    let said = said.map(|url| url.trim_end_matches('/').to_owned());
    let Some(typed) = &peer.url else { return Some((said?, GivenBy::Network)) };
    match said.filter(|said| said != typed && failures % 2 == 1) {
        Some(said) if host(&said) == host(typed) => Some((said, GivenBy::Owner)),
        Some(said) => Some((said, GivenBy::Network)),
        None => Some((typed.clone(), GivenBy::Owner)),
    }
}

/// Returns the host of an address.
fn host(url: &str) -> Option<&str> {
    let authority = url.split_once("://")?.1.split('/').next()?;
    Some(authority.rsplit_once(':').map_or(authority, |(host, _)| host))
}

impl Line {
    /// Takes one message from the node's rate limit; false if none is left.
    pub(super) fn may_speak(&mut self, per_second: u32, now: Timestamp) -> bool {
        let (rate, most) = (f64::from(per_second), f64::from(per_second) * 4.0);
        let (level, at) = self.allowance.unwrap_or((most, now));
        let passed = now.duration_since(at).as_secs_f64().max(0.0);
        let level = (level + passed * rate).min(most);
        let enough = level >= 1.0;
        self.allowance = Some((if enough { level - 1.0 } else { level }, now));
        enough
    }
}

impl Node {
    pub(super) fn line(&mut self, peer: &NodeRid) -> &mut Line {
        self.lines.entry(peer.clone()).or_default()
    }

    /// After a start, asks every node we subscribe to for what we missed.
    pub(super) fn resume(&mut self, now: Timestamp) {
        let peers: Vec<_> = self.peers.keys().cloned().collect();
        for peer in peers {
            if !self.subscribed_types(&peer).is_empty() {
                self.start_sync(&peer, now);
            }
        }
    }

    /// Connects to a node by the owner's decision. A node without an address has to call us.
    pub fn connect(&mut self, rid: &NodeRid, url: Option<&str>, now: Timestamp) -> Vec<Write> {
        if *rid == self.me {
            return Vec::new();
        }
        let peer = self.peer_entry(rid, Standing::Connected);
        if let Some(url) = url {
            peer.url = Some(url.trim_end_matches('/').to_owned());
        }
        // Do not ask a node that knows us already to start afresh: that would end the subscriptions
        // it has just made.
        peer.introduce = peer.profile.is_none() && peer.url.is_some();
        self.greet(rid);
        *self.line(rid) = Line::default();
        let mut writes = self.approve_waiting(rid, now);
        writes.extend(self.subscribe(rid, now));
        writes.extend(self.peer_write(rid));
        writes
    }

    /// Returns the calls to make now, at most one per node. The outcome of each must be passed to
    /// [`Node::answered`].
    pub fn due(&mut self, now: Timestamp) -> Vec<Call> {
        let peers: Vec<_> = self.peers.keys().cloned().collect();
        peers.iter().filter_map(|peer| self.due_for(peer, now)).collect()
    }

    fn due_for(&mut self, rid: &NodeRid, now: Timestamp) -> Option<Call> {
        let peer = self.peers.get(rid)?;
        if peer.standing == Standing::Forgotten && !self.owes_farewell(rid) {
            return None;
        }
        let line = self.lines.get(rid);
        let (url, given_by) = address(peer, line.map_or(0, |line| line.failures))?;
        if line.is_some_and(|line| line.busy || line.not_before.is_some_and(|then| then > now)) {
            return None;
        }
        let (endpoint, message, purpose) = self.next_for(rid, now)?;
        self.line(rid).busy = true;
        Some(Call { peer: rid.clone(), url, given_by, endpoint, message, purpose })
    }

    fn next_for(&mut self, rid: &NodeRid, now: Timestamp) -> Option<(Endpoint, Message, Purpose)> {
        let peer = self.peers.get(rid)?;
        if peer.introduce {
            let afresh = Message::Events { greeting: Greeting::Afresh, rids: Vec::new() };
            return Some((Endpoint::Broadcast, afresh, Purpose::Introduce));
        }
        if peer.profile.is_none() {
            let heard_off = matches!(peer.standing, Standing::Heard(_));
            let ask = Message::FetchBundles(FetchBundles::new(vec![rid.rid().clone()]));
            return (!heard_off).then_some((Endpoint::Bundles, ask, Purpose::AskProfile));
        }
        if !self.is_callable(rid) {
            return None;
        }
        if self.owes_farewell(rid) {
            let farewell = Message::Events { greeting: Greeting::Farewell, rids: Vec::new() };
            return Some((Endpoint::Broadcast, farewell, Purpose::Farewell));
        }
        if peer.greetings > 0 {
            let (greeting, rids) = (Greeting::Hello, self.said_first(rid));
            return Some((Endpoint::Broadcast, Message::Events { greeting, rids }, Purpose::Greet));
        }
        let news = self.news_for(rid, peer.told.surely, usize::MAX);
        if let Some((last, _)) = news.last() {
            let purpose = Purpose::Deliver(*last);
            let rids = news.into_iter().map(|(_, rid)| rid).collect();
            let message = Message::Events { greeting: Greeting::None, rids };
            return Some((Endpoint::Broadcast, message, purpose));
        }
        if let Some((endpoint, message)) = self.next_check(rid, now) {
            return Some((endpoint, message, Purpose::Check));
        }
        if let Some((endpoint, message)) = self.next_question(rid) {
            return Some((endpoint, message, Purpose::Sync));
        }
        self.next_regular(rid, now)
    }

    /// Returns the edges to send before other events: if everything is sent again, the subscription
    /// that entitles the node to it.
    fn said_first(&self, rid: &NodeRid) -> Vec<Rid> {
        let told_anew = self.lines.get(rid).is_some_and(|line| line.told_anew);
        if self.settings.kind == NodeKind::Full && !told_anew {
            return Vec::new();
        }
        let edges = self.edges_with(rid).filter(|edge| edge.sequence > 0);
        edges.map(|edge| edge.profile.rid()).collect()
    }

    /// Returns the periodic call that is due, if any.
    fn next_regular(
        &mut self,
        rid: &NodeRid,
        now: Timestamp,
    ) -> Option<(Endpoint, Message, Purpose)> {
        let (polls, subscribed) = (self.polls(rid), !self.subscribed_types(rid).is_empty());
        let line = self.line(rid);
        if polls && line.next_poll.is_none_or(|then| then <= now) {
            line.next_poll = now.checked_add(POLL_EVERY).ok();
            return Some((Endpoint::Poll, Message::Poll(PollEvents::new(0)), Purpose::Poll));
        }
        if subscribed && line.next_sync.is_some_and(|then| then <= now) {
            self.start_sync(rid, now);
            let (endpoint, message) = self.next_question(rid)?;
            return Some((endpoint, message, Purpose::Sync));
        }
        None
    }

    pub(super) fn schedule_sync(&mut self, rid: &NodeRid, now: Timestamp) {
        self.line(rid).next_sync = now.checked_add(SYNC_EVERY).ok();
    }

    /// Handles the outcome of a call.
    pub fn answered(
        &mut self,
        call: &Call,
        outcome: Result<Answer, Unanswered>,
        now: Timestamp,
    ) -> Vec<Write> {
        self.line(&call.peer).busy = false;
        if self.is_broken_with(&call.peer) && call.purpose != Purpose::Farewell {
            return Vec::new();
        }
        match outcome {
            Ok(answer) if answer.status == 200 => match self.take_answer(call, &answer.body, now) {
                Ok(writes) => {
                    let line = self.line(&call.peer);
                    line.failures = 0;
                    line.not_before = None;
                    if let Some(peer) = self.peers.get_mut(&call.peer) {
                        peer.last_seen = Some(now.into());
                    }
                    writes.into_iter().chain(self.reached(call)).collect()
                }
                Err(_) => self.failed(call, None, now),
            },
            Ok(answer) => self.failed(call, Some(&answer), now),
            Err(Unanswered) => self.failed(call, None, now),
        }
    }

    /// If a node answered at its announced address rather than the owner's, stores that address.
    fn reached(&mut self, call: &Call) -> Option<Write> {
        let peer = self.peers.get_mut(&call.peer)?;
        let typed = peer.url.as_mut().filter(|typed| **typed != call.url)?;
        match call.given_by {
            GivenBy::Owner => typed.clone_from(&call.url),
            GivenBy::Network => peer.url = None,
        }
        self.peer_write(&call.peer)
    }

    fn take_answer(
        &mut self,
        call: &Call,
        body: &[u8],
        now: Timestamp,
    ) -> Result<Vec<Write>, Fault> {
        let peer = &call.peer;
        match &call.purpose {
            Purpose::Introduce => Ok(self.introduced_to(peer, now)),
            Purpose::Greet => Ok(self.greeted(peer)),
            Purpose::Farewell => Ok(self.farewell_heard(peer).into_iter().collect()),
            Purpose::Check => {
                let envelope = self.verified(peer, body)?;
                let reply = envelope.payload().map_err(|error| Fault::Malformed(error.0))?;
                Ok(self.take_check(peer, reply, now))
            }
            Purpose::Deliver(place) => Ok(self.delivered(peer, *place)),
            Purpose::AskProfile => self.learn_profile(peer, body, now),
            Purpose::Poll => {
                let envelope = self.verified(peer, body)?;
                let events: EventsPayload =
                    envelope.payload().map_err(|error| Fault::Malformed(error.0))?;
                Ok(self.take_events(events.events, peer, &envelope.mark(), now))
            }
            Purpose::Sync => {
                let envelope = self.verified(peer, body)?;
                self.take_sync_reply(peer, call.endpoint, &envelope, now)
            }
        }
    }

    /// The other node has dropped what it knew about us, so we drop edges it knew before. Edges
    /// that we have not sent yet stay.
    fn introduced_to(&mut self, rid: &NodeRid, now: Timestamp) -> Vec<Write> {
        let surely = self.peers.get(rid).map_or(0, |peer| peer.told.surely);
        let stale = self.edges_with(rid).filter(|edge| edge.sequence <= surely);
        let stale: Vec<_> = stale.map(|edge| edge.profile.rid()).collect();
        let ended = stale.iter().filter_map(|edge| self.forget_edge(edge, rid, None).ok());
        let mut writes: Vec<_> = ended.flatten().collect();
        if let Some(peer) = self.peers.get_mut(rid) {
            peer.introduce = false;
            peer.greetings = 0;
        }
        writes.extend(self.subscribe(rid, now));
        writes.extend(self.peer_write(rid));
        writes
    }

    fn greeted(&mut self, rid: &NodeRid) -> Vec<Write> {
        if let Some(peer) = self.peers.get_mut(rid) {
            peer.greetings = 0;
        }
        self.line(rid).told_anew = false;
        self.peer_write(rid).into_iter().collect()
    }

    fn delivered(&mut self, rid: &NodeRid, place: u64) -> Vec<Write> {
        if let Some(peer) = self.peers.get_mut(rid) {
            let place = place.max(peer.told.surely);
            peer.told = Told { surely: place, before: place, last: place };
        }
        self.peer_write(rid).into_iter().collect()
    }

    /// Reads a profile from a reply. The key in it verifies the signature, and the hash in the RID
    /// verifies the key.
    fn learn_profile(
        &mut self,
        rid: &NodeRid,
        body: &[u8],
        now: Timestamp,
    ) -> Result<Vec<Write>, Fault> {
        let envelope = Envelope::open(body).map_err(|error| Fault::Malformed(error.0))?;
        let reply: BundlesPayload =
            envelope.payload().map_err(|error| Fault::Malformed(error.0))?;
        let own = reply.bundles.into_iter().find(|bundle| bundle.manifest.rid == *rid.rid());
        let bundle = own.ok_or(Fault::UnknownNode)?;
        let profile = NodeProfile::read(&bundle.contents).ok_or(Fault::UnknownNode)?;
        if envelope.source != *rid {
            return Err(Fault::UnknownNode);
        }
        self.verify(&envelope, &profile.public_key.unwrap_or_default())?;
        let taken = self.take_bundle(bundle, rid, Way::Asked, now);
        taken.map_err(|refusal| Fault::Malformed(refusal.as_str().to_owned()))
    }

    /// Verifies a reply like a request: its sender, its signature, and that it is for us.
    fn verified(&self, rid: &NodeRid, body: &[u8]) -> Result<Envelope, Fault> {
        let envelope = Envelope::open(body).map_err(|error| Fault::Malformed(error.0))?;
        let profile = self.peers.get(rid).and_then(|peer| peer.profile.as_ref());
        let key = profile.and_then(|profile| profile.public_key.clone());
        if envelope.source != *rid {
            return Err(Fault::UnknownNode);
        }
        self.verify(&envelope, &key.ok_or(Fault::UnknownNode)?)?;
        Ok(envelope)
    }

    fn failed(&mut self, call: &Call, answer: Option<&Answer>, now: Timestamp) -> Vec<Write> {
        let refused = |answer: &Answer| (400..500).contains(&answer.status) && answer.status != 429;
        // A node that cannot be asked about subscriptions is otherwise treated as before.
        if call.purpose == Purpose::Check
            && answer.is_some_and(|answer| refused(answer) && !says_unknown(answer))
        {
            return Vec::new();
        }
        let jitter = self.entropy.next_u64() % 250;
        let line = self.line(&call.peer);
        line.failures = line.failures.saturating_add(1);
        let failures = line.failures;
        let pause = FIRST_PAUSE.saturating_mul(1_u32 << (failures - 1).min(16)).min(LONGEST_PAUSE);
        line.not_before = now.checked_add(pause + Duration::from_millis(jitter)).ok();
        match answer {
            _ if call.purpose == Purpose::Farewell => {
                let over = answer.is_some_and(refused) || failures >= FAREWELL_TRIES;
                let ended = if over { self.farewell_heard(&call.peer) } else { None };
                ended.into_iter().collect()
            }
            Some(answer) if says_unknown(answer) => {
                self.greet(&call.peer);
                self.forgotten_by(&call.peer, now)
            }
            Some(answer) if refused(answer) => self.give_up(call, failures),
            _ => Vec::new(),
        }
    }

    /// Drops a message that is refused repeatedly, so that it does not block those behind it.
    fn give_up(&mut self, call: &Call, failures: u32) -> Vec<Write> {
        if failures < GIVE_UP_AFTER {
            return Vec::new();
        }
        match call.purpose {
            Purpose::Deliver(place) => self.delivered(&call.peer, place),
            Purpose::Sync => {
                self.line(&call.peer).sync = None;
                self.line(&call.peer).to_fetch.clear();
                Vec::new()
            }
            _ => Vec::new(),
        }
    }
}

fn says_unknown(answer: &Answer) -> bool {
    let body: serde_json::Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    let error = body.get("error").and_then(serde_json::Value::as_str);
    error == Some("unknown_node")
}

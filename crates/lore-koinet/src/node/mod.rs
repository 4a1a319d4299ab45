//! The node: its state and its decisions. It does no I/O.
//!
//! The caller passes in incoming messages and the current time. It must make the writes of a step
//! durable before it sends the answer of that step. Then a node that is killed still knows
//! everything it has acknowledged.

mod call;
mod edges;
mod handshake;
mod message;
mod questions;
mod receive;
mod record;
mod renewal;
mod settings;
mod status;
mod strangers;
mod sync;
mod take;

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use lore_core::Entropy;

pub use call::{Answer, Call, GivenBy, Unanswered};
pub use message::{Endpoint, Fault, Found, Greeting, Message, Refusal};
pub use receive::{Admitted, Received, Reply};
pub use record::{
    EdgeRecord, ForeignRecord, OwnRecord, PeerRecord, Presence, Record, Standing, Told, Write,
};
pub use settings::{Approve, Quotas, Settings, Wants};
pub use status::{PeerStatus, Status};

use crate::envelope::{Malformed, seal};
use crate::key::{KeyPair, PublicKey};
use crate::profile::{NodeKind, NodeProfile, Provides, contents_of};
use crate::rid::{EDGE_TYPE, NODE_TYPE, NodeRid, Rid};
use crate::time::WireTime;
use crate::wire::{Bundle, BundlesPayload, Contents, Event, EventType, EventsPayload, Manifest};
use call::Line;

/// A KOI-net node.
pub struct Node {
    key: KeyPair,
    me: NodeRid,
    profile: NodeProfile,
    profile_contents: Contents,
    settings: Settings,
    entropy: Arc<dyn Entropy>,
    /// Our own objects, this node itself included.
    own: BTreeMap<Rid, OwnRecord>,
    foreign: HashMap<Rid, ForeignRecord>,
    edges: BTreeMap<Rid, EdgeRecord>,
    peers: BTreeMap<NodeRid, PeerRecord>,
    /// The objects and edges whose events are sent to others, in the order of the events.
    feed: BTreeMap<u64, Rid>,
    sequence: u64,
    /// The transient state of each connection; lost at the end of the process.
    lines: HashMap<NodeRid, Line>,
    /// The rate limit shared by all nodes that are not known yet.
    newcomers: Line,
    /// Nodes that asked for objects before they were subscribed, and got nothing.
    early: VecDeque<NodeRid>,
    /// How many objects and bytes of each node are stored here.
    used: HashMap<NodeRid, (usize, usize)>,
    refused: BTreeMap<Refusal, u64>,
}

/// Why a node cannot be created.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// The name is not valid in a RID.
    #[error("the node name {0:?} cannot be used: leave out '+' and control characters")]
    Name(String),
    /// A full node has no address.
    #[error("a full node needs the address under which others reach it")]
    NoAddress,
}

impl Node {
    /// Creates a node from its stored records. The returned writes contain what has changed since:
    /// a new address, for instance, has to be announced.
    pub fn restore(
        key: KeyPair,
        name: &str,
        settings: Settings,
        records: Vec<Record>,
        entropy: Arc<dyn Entropy>,
        now: Timestamp,
    ) -> Result<(Self, Vec<Write>), SetupError> {
        let me = key.node_rid(name).map_err(|_| SetupError::Name(name.to_owned()))?;
        if settings.kind == NodeKind::Full && settings.base_url.is_none() {
            return Err(SetupError::NoAddress);
        }
        let profile = own_profile(&settings, key.public());
        let profile_contents =
            contents_of(&profile).ok_or_else(|| SetupError::Name(name.to_owned()))?;
        let mut node = Self {
            key,
            me,
            profile,
            profile_contents,
            settings,
            entropy,
            own: BTreeMap::new(),
            foreign: HashMap::new(),
            edges: BTreeMap::new(),
            peers: BTreeMap::new(),
            feed: BTreeMap::new(),
            sequence: 0,
            lines: HashMap::new(),
            newcomers: Line::default(),
            early: VecDeque::new(),
            used: HashMap::new(),
            refused: BTreeMap::new(),
        };
        records.into_iter().for_each(|record| node.remember(record));
        node.thin_out_strangers(now);
        let writes = node.publish(node.me.rid().clone(), node.profile_contents.clone(), now);
        node.resume(now);
        Ok((node, writes.into_iter().collect()))
    }

    fn remember(&mut self, record: Record) {
        let rid = record.rid();
        match record {
            Record::Own(own) => {
                self.enlist(own.sequence, &rid);
                self.own.insert(rid, own);
            }
            Record::Edge(edge) => {
                self.enlist(edge.sequence, &rid);
                self.edges.insert(rid, edge);
            }
            Record::Foreign(foreign) => {
                self.charge(&foreign);
                self.foreign.insert(rid, foreign);
            }
            Record::Peer(peer) => {
                self.sequence = self.sequence.max(peer.told.last).max(peer.told.surely);
                self.peers.insert(peer.rid.clone(), peer);
            }
        }
    }

    fn enlist(&mut self, sequence: u64, rid: &Rid) {
        if sequence > 0 {
            self.feed.insert(sequence, rid.clone());
            self.sequence = self.sequence.max(sequence);
        }
    }

    /// Moves an object to the end of the feed and returns its new place.
    fn next_place(&mut self, rid: &Rid, before: u64) -> u64 {
        self.feed.remove(&before);
        self.sequence += 1;
        self.feed.insert(self.sequence, rid.clone());
        self.sequence
    }

    /// The RID of this node.
    pub fn rid(&self) -> &NodeRid {
        &self.me
    }

    /// The profile of this node.
    pub fn profile(&self) -> &NodeProfile {
        &self.profile
    }

    /// Shares an object or its new contents. Returns nothing if the contents have not changed.
    pub fn publish(&mut self, rid: Rid, contents: Contents, now: Timestamp) -> Option<Write> {
        let hash = contents.hash();
        let before = self.own.get(&rid);
        let live = before.filter(|own| own.event != EventType::Forget);
        if live.is_some_and(|own| own.manifest.sha256_hash == hash) {
            return None;
        }
        let event = if live.is_some() { EventType::Update } else { EventType::New };
        let timestamp = later_than(before.map(|own| own.manifest.timestamp), now);
        let place = before.map_or(0, |own| own.sequence);
        let own = OwnRecord {
            manifest: Manifest { rid: rid.clone(), timestamp, sha256_hash: hash, context: None },
            event,
            sequence: self.next_place(&rid, place),
            bytes: contents.as_str().len(),
        };
        self.own.insert(rid, own.clone());
        Some(Write { record: Record::Own(own), contents: Some(contents) })
    }

    /// Stops sharing an object.
    pub fn withdraw(&mut self, rid: &Rid) -> Option<Write> {
        let mut own = self.own.get(rid).filter(|own| own.event != EventType::Forget)?.clone();
        own.event = EventType::Forget;
        own.sequence = self.next_place(rid, own.sequence);
        own.bytes = 0;
        self.own.insert(rid.clone(), own.clone());
        Some(Write { record: Record::Own(own), contents: None })
    }

    /// Returns the shared objects, without this node itself.
    pub fn shared(&self) -> impl Iterator<Item = &Rid> {
        let live = self.own.iter().filter(|(_, own)| own.event != EventType::Forget);
        live.map(|(rid, _)| rid).filter(|rid| *rid != self.me.rid())
    }

    /// Returns the live objects of other nodes, with their records.
    pub fn foreign(&self) -> impl Iterator<Item = (&Rid, &ForeignRecord)> {
        self.foreign.iter().filter(|(_, foreign)| foreign.presence == Presence::Live)
    }

    /// Serialises and signs a message. Objects that no longer exist are omitted or listed as not
    /// found.
    pub fn seal(
        &self,
        to: &NodeRid,
        message: &Message,
        found: &Found,
    ) -> Result<String, Malformed> {
        match message {
            Message::Events { greeting, rids } => {
                let mut events = self.greeting(*greeting);
                events.extend(rids.iter().filter_map(|rid| self.event_about(rid, found)));
                self.signed(to, &EventsPayload::new(events))
            }
            Message::Bundles { rids, not_found, deferred } => {
                let mut not_found = not_found.clone();
                let mut bundles = Vec::with_capacity(rids.len());
                for rid in rids {
                    match self.bundle(rid, found) {
                        Some(bundle) => bundles.push(bundle),
                        None => not_found.push(rid.clone()),
                    }
                }
                self.signed(to, &BundlesPayload::new(bundles, not_found, deferred.clone()))
            }
            Message::Rids(payload) => self.signed(to, payload),
            Message::Manifests(payload) => self.signed(to, payload),
            Message::Confirmed(payload) => self.signed(to, payload),
            Message::FetchRids(payload) => self.signed(to, payload),
            Message::FetchManifests(payload) => self.signed(to, payload),
            Message::FetchBundles(payload) => self.signed(to, payload),
            Message::Poll(payload) => self.signed(to, payload),
        }
    }

    fn signed(&self, to: &NodeRid, payload: &impl serde::Serialize) -> Result<String, Malformed> {
        seal(&self.key, &self.me, to, payload, self.entropy.as_ref())
    }

    fn greeting(&self, greeting: Greeting) -> Vec<Event> {
        let me = self.me.rid();
        let hello = || self.bundle(me, &Found::new()).map(|b| Event::about(b, EventType::New));
        match greeting {
            Greeting::None => Vec::new(),
            Greeting::Hello => hello().into_iter().collect(),
            Greeting::Afresh => {
                [Some(Event::forget(me.clone())), hello()].into_iter().flatten().collect()
            }
            // The edges of a node end with it.
            Greeting::Farewell => vec![Event::forget(me.clone())],
        }
    }

    fn event_about(&self, rid: &Rid, found: &Found) -> Option<Event> {
        let event = match (self.own.get(rid), self.edges.get(rid)) {
            (Some(own), _) => own.event,
            (None, Some(edge)) => edge.event,
            (None, None) => return None,
        };
        match event {
            EventType::Forget => Some(Event::forget(rid.clone())),
            there => self.bundle(rid, found).map(|bundle| Event::about(bundle, there)),
        }
    }

    /// Returns one of our objects with its contents.
    fn bundle(&self, rid: &Rid, found: &Found) -> Option<Bundle> {
        if let Some(edge) = self.edges.get(rid) {
            let contents = contents_of(&edge.profile)?;
            return Some(Bundle { manifest: edge_manifest(edge, &contents), contents });
        }
        let own = self.own.get(rid).filter(|own| own.event != EventType::Forget)?;
        let contents = if rid == self.me.rid() {
            self.profile_contents.clone()
        } else {
            found.get(rid)?.clone()
        };
        Some(Bundle { manifest: own.manifest.clone(), contents })
    }

    /// Whether a node may read what we share.
    fn may_read(&self, peer: &NodeRid) -> bool {
        self.settings.approve == Approve::Anyone || self.is_connected_to(peer)
    }

    /// Whether our owner connected us to a node.
    fn is_connected_to(&self, peer: &NodeRid) -> bool {
        self.peers.get(peer).is_some_and(|peer| peer.standing == Standing::Connected)
    }

    /// Whether a node has to be told about an object of ours.
    fn concerns(&self, peer: &NodeRid, rid: &Rid) -> bool {
        if let Some(edge) = self.edges.get(rid) {
            return edge.profile.other_end(&self.me) == Some(peer);
        }
        match rid == self.me.rid() {
            true => self.edges_with(peer).next().is_some(),
            false => self.may_read(peer) && self.subscribes(peer, rid.kind()),
        }
    }

    fn count(&mut self, refusal: Refusal) {
        *self.refused.entry(refusal).or_default() += 1;
    }

    fn peer_write(&self, peer: &NodeRid) -> Option<Write> {
        let record = self.peers.get(peer).cloned().map(Record::Peer)?;
        Some(Write { record, contents: None })
    }
}

fn own_profile(settings: &Settings, key: &PublicKey) -> NodeProfile {
    let base_url = settings.base_url.clone().filter(|_| settings.kind == NodeKind::Full);
    let provides = Provides { event: settings.provides.clone(), state: settings.provides.clone() };
    let public_key = Some(key.as_str().to_owned());
    NodeProfile { base_url, node_type: settings.kind, provides, public_key }
}

fn edge_manifest(edge: &EdgeRecord, contents: &Contents) -> Manifest {
    Manifest {
        rid: edge.profile.rid(),
        timestamp: edge.timestamp,
        sha256_hash: contents.hash(),
        context: None,
    }
}

/// Returns now, or just after `earlier` if the clock is behind it: other nodes accept only newer
/// timestamps.
fn later_than(earlier: Option<WireTime>, now: Timestamp) -> WireTime {
    let after = earlier.and_then(|time| time.instant().checked_add(Duration::from_micros(1)).ok());
    after.map_or(now, |after| after.max(now)).into()
}

/// Whether a type belongs to the network itself (nodes and edges).
fn is_network_type(kind: &str) -> bool {
    kind == NODE_TYPE || kind == EDGE_TYPE
}

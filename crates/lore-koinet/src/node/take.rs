//! Processing of events from other nodes: who may change what, and what is new.

use std::time::Duration;

use jiff::Timestamp;

use super::edges::remember_mark;
use super::{
    ForeignRecord, Node, PeerRecord, Presence, Record, Refusal, Standing, Told, Write,
    is_network_type,
};
use crate::key::PublicKey;
use crate::profile::{NodeKind, NodeProfile};
use crate::rid::{EDGE_TYPE, NODE_TYPE, NodeRid, Rid};
use crate::wire::{Bundle, Event, EventType, Manifest};

/// How far the clock of another node may be ahead of ours.
const AHEAD: Duration = Duration::from_secs(3_600);
/// How many times a polling node is sent our profile.
const GREETINGS_BY_POLL: u8 = 3;

/// How an object reached us.
#[derive(Debug, Clone, Copy)]
pub(super) enum Way<'a> {
    /// Sent unasked, with the fingerprint of its envelope.
    Told(&'a str),
    /// As the reply to a request of ours.
    Asked,
}

impl Node {
    /// Processes the events of a message. An invalid one is counted and changes nothing.
    pub(super) fn take_events(
        &mut self,
        events: Vec<Event>,
        from: &NodeRid,
        mark: &str,
        now: Timestamp,
    ) -> Vec<Write> {
        let mut writes = Vec::new();
        if self.is_repeated_introduction(&events, from, mark) {
            self.count(Refusal::Stale);
            return writes;
        }
        let afresh = asks_to_start_afresh(&events, from);
        for event in events {
            if event.rid.kind() == NODE_TYPE
                && event.rid == *from.rid()
                && event.event_type == EventType::Forget
            {
                writes.extend(self.take_farewell(from, mark, afresh));
                continue;
            }
            match self.take_event(event, from, Way::Told(mark), now) {
                Ok(mut more) => writes.append(&mut more),
                Err(refusal) => self.count(refusal),
            }
        }
        if afresh {
            self.greet_back(from, mark);
            writes.extend(self.subscribe(from, now));
            writes.extend(self.peer_write(from));
        }
        writes
    }

    /// Handles the farewell of a node. A replay after the node came back would end its
    /// subscriptions, so the fingerprint is checked here; for introductions it was checked before.
    fn take_farewell(&mut self, from: &NodeRid, mark: &str, afresh: bool) -> Vec<Write> {
        if !afresh {
            if self.is_marked(from, mark) {
                self.count(Refusal::Stale);
                return Vec::new();
            }
            self.note_mark(from, mark);
        }
        let ended = self.forget_edges_with(from, None);
        ended.into_iter().chain(self.peer_write(from)).collect()
    }

    pub(super) fn take_event(
        &mut self,
        event: Event,
        from: &NodeRid,
        way: Way<'_>,
        now: Timestamp,
    ) -> Result<Vec<Write>, Refusal> {
        let Event { rid, event_type, manifest, contents } = event;
        if self.own.contains_key(&rid) {
            // Only we change our own objects. An event about this node itself is a harmless echo.
            return if rid == *self.me.rid() { Ok(Vec::new()) } else { Err(Refusal::NotTheOwner) };
        }
        if event_type == EventType::Forget {
            return self.take_forget(&rid, from, way);
        }
        if !is_network_type(rid.kind()) {
            self.check_asked_for(&rid, from, way)?;
        }
        match (manifest, contents) {
            (Some(manifest), Some(contents)) => {
                if manifest.rid != rid {
                    return Err(Refusal::Malformed);
                }
                self.take_bundle(Bundle { manifest, contents }, from, way, now)
            }
            (Some(manifest), None) if self.is_known(&manifest, from) => Ok(Vec::new()),
            (Some(manifest), None) if !self.is_news(&manifest, from) => Err(Refusal::Stale),
            _ if !self.is_callable(from) => Err(Refusal::OutOfReach),
            _ => {
                self.fetch_later(from, rid);
                Ok(Vec::new())
            }
        }
    }

    pub(super) fn take_bundle(
        &mut self,
        bundle: Bundle,
        from: &NodeRid,
        way: Way<'_>,
        now: Timestamp,
    ) -> Result<Vec<Write>, Refusal> {
        if bundle.manifest.sha256_hash != bundle.contents.hash() {
            return Err(Refusal::WrongHash);
        }
        let horizon = now.checked_add(AHEAD).unwrap_or(Timestamp::MAX);
        if bundle.manifest.timestamp.instant() > horizon {
            return Err(Refusal::FromTheFuture);
        }
        match bundle.manifest.rid.kind() {
            EDGE_TYPE => self.take_edge(&bundle, from, now),
            NODE_TYPE => self.take_node(&bundle, from, way, now),
            _ => {
                self.check_asked_for(&bundle.manifest.rid, from, way)?;
                self.take_thing(bundle, from)
            }
        }
    }

    /// Checks that we subscribed to an object's type at the sender, or asked for it.
    fn check_asked_for(&self, rid: &Rid, from: &NodeRid, way: Way<'_>) -> Result<(), Refusal> {
        let subscribed = || self.subscribed_types(from).iter().any(|kind| kind == rid.kind());
        match way {
            Way::Asked => Ok(()),
            Way::Told(_) if subscribed() => Ok(()),
            Way::Told(_) => Err(Refusal::NotSubscribed),
        }
    }

    /// Returns the known record of an object that `from` reports. Objects of a node that our owner
    /// broke with do not count: another node may claim them.
    fn known(&self, rid: &Rid, from: &NodeRid) -> Option<&ForeignRecord> {
        let known = self.foreign.get(rid)?;
        let left = known.from != *from
            && known.presence != Presence::Live
            && self.is_broken_with(&known.from);
        (!left).then_some(known)
    }

    /// Whether a manifest equals the known one: nodes repeat themselves, which is no error.
    fn is_known(&self, manifest: &Manifest, from: &NodeRid) -> bool {
        self.known(&manifest.rid, from).is_some_and(|known| {
            known.presence == Presence::Live && known.from == *from && known.manifest == *manifest
        })
    }

    /// Whether a manifest is newer than the known one.
    pub(super) fn is_news(&self, manifest: &Manifest, from: &NodeRid) -> bool {
        let Some(known) = self.known(&manifest.rid, from) else { return true };
        let (then, now) = (known.manifest.timestamp.instant(), manifest.timestamp.instant());
        match known.presence {
            Presence::Live => now > then && manifest.sha256_hash != known.manifest.sha256_hash,
            Presence::Forgotten => now > then,
            Presence::Missing => now >= then,
        }
    }

    fn take_thing(&mut self, bundle: Bundle, from: &NodeRid) -> Result<Vec<Write>, Refusal> {
        let rid = bundle.manifest.rid.clone();
        let known = self.known(&rid, from);
        if known.is_some_and(|known| known.from != *from) {
            return Err(Refusal::NotTheOwner);
        }
        if self.is_known(&bundle.manifest, from) {
            return Ok(Vec::new());
        }
        if !self.is_news(&bundle.manifest, from) {
            return Err(Refusal::Stale);
        }
        let bytes = bundle.contents.as_str().len();
        self.check_room(from, known, bytes)?;
        let forgets = known.map(|known| known.forgets.clone()).unwrap_or_default();
        let presence = Presence::Live;
        let record = ForeignRecord {
            manifest: bundle.manifest,
            from: from.clone(),
            presence,
            bytes,
            forgets,
        };
        self.put_foreign(record.clone());
        Ok(vec![Write { record: Record::Foreign(record), contents: Some(bundle.contents) }])
    }

    fn check_room(
        &self,
        from: &NodeRid,
        known: Option<&ForeignRecord>,
        bytes: usize,
    ) -> Result<(), Refusal> {
        let quotas = &self.settings.quotas;
        let (things, used) = self.used.get(from).copied().unwrap_or_default();
        let (all_things, all_used) =
            self.used.values().fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1));
        let replaced = known.map_or(0, |known| known.bytes);
        let fits = bytes <= quotas.object_bytes
            && used.saturating_sub(replaced) + bytes <= quotas.bytes
            && all_used.saturating_sub(replaced) + bytes <= quotas.all_bytes
            && (known.is_some() || (things < quotas.objects && all_things < quotas.all_objects));
        fits.then_some(()).ok_or(Refusal::OverQuota)
    }

    pub(super) fn put_foreign(&mut self, record: ForeignRecord) {
        let rid = record.manifest.rid.clone();
        if let Some(before) = self.foreign.remove(&rid) {
            let (things, bytes) = self.used.entry(before.from).or_default();
            *things = things.saturating_sub(1);
            *bytes = bytes.saturating_sub(before.bytes);
        }
        self.charge(&record);
        self.foreign.insert(rid, record);
    }

    pub(super) fn charge(&mut self, record: &ForeignRecord) {
        let (things, bytes) = self.used.entry(record.from.clone()).or_default();
        *things += 1;
        *bytes += record.bytes;
    }

    fn take_forget(
        &mut self,
        rid: &Rid,
        from: &NodeRid,
        way: Way<'_>,
    ) -> Result<Vec<Write>, Refusal> {
        let mark = match way {
            Way::Told(mark) => Some(mark),
            Way::Asked => None,
        };
        match rid.kind() {
            EDGE_TYPE => self.forget_edge(rid, from, mark),
            NODE_TYPE => Ok(self.unhear(rid, from).into_iter().collect()),
            _ => self.forget_thing(rid, from, mark),
        }
    }

    fn forget_thing(
        &mut self,
        rid: &Rid,
        from: &NodeRid,
        mark: Option<&str>,
    ) -> Result<Vec<Write>, Refusal> {
        let Some(known) = self.foreign.get(rid) else {
            return self.forget_unknown(rid, from, mark);
        };
        if known.from != *from {
            return Err(Refusal::NotTheOwner);
        }
        if known.presence == Presence::Forgotten {
            return Ok(Vec::new());
        }
        if mark.is_some_and(|mark| known.forgets.iter().any(|seen| seen == mark)) {
            return Err(Refusal::Stale);
        }
        let mut record = known.clone();
        record.presence = Presence::Forgotten;
        record.bytes = 0;
        remember_mark(&mut record.forgets, mark);
        self.put_foreign(record.clone());
        Ok(vec![Write { record: Record::Foreign(record), contents: None }])
    }

    /// Stores a tombstone for the removal of an unknown object, so that the removal cannot be
    /// replayed once the object exists.
    fn forget_unknown(
        &mut self,
        rid: &Rid,
        from: &NodeRid,
        mark: Option<&str>,
    ) -> Result<Vec<Write>, Refusal> {
        let Some(mark) = mark else { return Ok(Vec::new()) };
        self.check_asked_for(rid, from, Way::Told(mark))?;
        self.check_room(from, None, 0)?;
        let manifest = Manifest {
            rid: rid.clone(),
            timestamp: Timestamp::UNIX_EPOCH.into(),
            sha256_hash: String::new(),
            context: None,
        };
        let presence = Presence::Forgotten;
        let forgets = vec![mark.to_owned()];
        let record = ForeignRecord { manifest, from: from.clone(), presence, bytes: 0, forgets };
        self.put_foreign(record.clone());
        Ok(vec![Write { record: Record::Foreign(record), contents: None }])
    }

    /// Handles the profile of the sender or of another node.
    fn take_node(
        &mut self,
        bundle: &Bundle,
        from: &NodeRid,
        way: Way<'_>,
        now: Timestamp,
    ) -> Result<Vec<Write>, Refusal> {
        let profile = NodeProfile::read(&bundle.contents).ok_or(Refusal::Malformed)?;
        let rid = NodeRid::try_from(bundle.manifest.rid.clone()).map_err(|_| Refusal::Malformed)?;
        let key = profile.public_key.as_deref().and_then(PublicKey::parse);
        if !key.is_some_and(|key| key.belongs_to(&rid)) {
            return Err(Refusal::Malformed);
        }
        let known = self.peers.get(&rid);
        let moment = bundle.manifest.timestamp;
        let newer = known
            .and_then(|peer| peer.timestamp)
            .is_none_or(|then| moment.instant() > then.instant());
        if known.is_some_and(|peer| peer.profile.as_ref() == Some(&profile)) {
            let speaks_of_itself = rid == *from && matches!(way, Way::Told(_));
            let again = if speaks_of_itself { self.meet_again(&rid, now) } else { None };
            return Ok(again.into_iter().collect());
        }
        if !newer {
            return Err(Refusal::Stale);
        }
        let standing = match known.map(|peer| &peer.standing) {
            Some(Standing::Heard(through)) if rid != *from && through == from => {
                Standing::Heard(from.clone())
            }
            Some(Standing::Connected) if rid == *from => Standing::Connected,
            None if rid != *from && self.listens(from, way) => Standing::Heard(from.clone()),
            _ if rid == *from => Standing::Met,
            _ => return Err(Refusal::NotTheOwner),
        };
        let is_new = known.and_then(|peer| peer.profile.as_ref()).is_none();
        self.make_room_for(&rid, &profile, now)?;
        let peer = self.peer_entry(&rid, standing);
        peer.profile = Some(profile);
        peer.timestamp = Some(moment);
        if rid == *from {
            peer.last_seen = Some(now.into());
        }
        if is_new && rid == *from && matches!(way, Way::Told(_)) {
            self.greet(&rid);
        }
        let subscription = self.subscribe(&rid, now);
        Ok(self.peer_write(&rid).into_iter().chain(subscription).collect())
    }

    fn listens(&self, from: &NodeRid, way: Way<'_>) -> bool {
        matches!(way, Way::Asked) || self.hears_of_nodes(from)
    }

    /// Adds a node to the known ones if necessary, and sets its standing.
    pub(super) fn peer_entry(&mut self, rid: &NodeRid, standing: Standing) -> &mut PeerRecord {
        let sequence = self.sequence;
        let peer = self.peers.entry(rid.clone()).or_insert_with(|| PeerRecord {
            rid: rid.clone(),
            standing: standing.clone(),
            profile: None,
            timestamp: None,
            url: None,
            // Earlier events are not sent to a new node; it has to ask for existing objects.
            told: Told { surely: sequence, before: sequence, last: sequence },
            greetings: 0,
            introduce: false,
            marks: Vec::new(),
            last_seen: None,
        });
        peer.standing = standing;
        peer
    }

    /// Drops a node that only `from` told us about, because `from` removed it.
    fn unhear(&mut self, rid: &Rid, from: &NodeRid) -> Option<Write> {
        let rid = NodeRid::try_from(rid.clone()).ok()?;
        let peer = self.peers.get_mut(&rid)?;
        if peer.standing != Standing::Heard(from.clone()) {
            return None;
        }
        peer.profile = None;
        self.peer_write(&rid)
    }

    /// Whether an introduction is a replay, which would end subscriptions.
    fn is_repeated_introduction(&self, events: &[Event], from: &NodeRid, mark: &str) -> bool {
        asks_to_start_afresh(events, from) && self.is_marked(from, mark)
    }

    fn is_marked(&self, from: &NodeRid, mark: &str) -> bool {
        self.peers.get(from).is_some_and(|peer| peer.marks.iter().any(|seen| seen == mark))
    }

    fn note_mark(&mut self, from: &NodeRid, mark: &str) {
        if let Some(peer) = self.peers.get_mut(from) {
            remember_mark(&mut peer.marks, Some(mark));
        }
    }

    fn greet_back(&mut self, from: &NodeRid, mark: &str) {
        self.note_mark(from, mark);
        self.greet(from);
    }

    /// Makes the next messages to a node begin with our profile.
    pub(super) fn greet(&mut self, rid: &NodeRid) {
        let Some(peer) = self.peers.get_mut(rid) else { return };
        let kind = peer.profile.as_ref().map(|profile| profile.node_type);
        peer.greetings = if kind == Some(NodeKind::Partial) { GREETINGS_BY_POLL } else { 1 };
    }
}

/// Whether a node asks to start afresh: it reports itself as removed and as new. A farewell reports
/// only the removal.
fn asks_to_start_afresh(events: &[Event], from: &NodeRid) -> bool {
    let says = |kind: EventType| {
        events.iter().any(|event| event.rid == *from.rid() && event.event_type == kind)
    };
    says(EventType::Forget) && says(EventType::New)
}

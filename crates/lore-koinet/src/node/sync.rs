//! Catching up with a node: comparing its list of objects with ours.

use std::collections::{HashSet, VecDeque};

use jiff::Timestamp;

use super::receive::MESSAGE_ITEMS;
use super::take::Way;
use super::{Endpoint, Fault, Message, Node, Presence, Record, Write};
use crate::envelope::Envelope;
use crate::rid::{EDGE_TYPE, NODE_TYPE, NodeRid, Rid};
use crate::wire::{
    BundlesPayload, FetchBundles, FetchManifests, FetchRids, ManifestsPayload, RidsPayload,
};

/// Most manifests requested at once.
const MANIFESTS: usize = 1_000;

/// The progress of catching up with a node.
#[derive(Debug)]
pub(super) struct Sync {
    types: Vec<String>,
    listed: bool,
    /// Known objects whose manifests still have to be compared.
    to_compare: VecDeque<Rid>,
}

impl Node {
    /// Starts to catch up with a node, if it can be called.
    pub(super) fn start_sync(&mut self, peer: &NodeRid, now: Timestamp) {
        if !self.is_callable(peer) {
            return;
        }
        let types = self.subscribed_types(peer).iter();
        let types: Vec<_> = types.filter(|kind| *kind != EDGE_TYPE).cloned().collect();
        self.schedule_sync(peer, now);
        if !types.is_empty() {
            self.line(peer).sync = Some(Sync { types, listed: false, to_compare: VecDeque::new() });
        }
    }

    /// Queues an object that a node announced without contents.
    pub(super) fn fetch_later(&mut self, peer: &NodeRid, rid: Rid) {
        let limit = self.settings.quotas.items;
        let line = self.line(peer);
        if line.to_fetch.len() < limit && !line.to_fetch.contains(&rid) {
            line.to_fetch.push_back(rid);
        }
    }

    /// Returns the next request to send to a node.
    pub(super) fn next_question(&self, peer: &NodeRid) -> Option<(Endpoint, Message)> {
        let line = self.lines.get(peer)?;
        if !line.to_fetch.is_empty() {
            let rids = line.to_fetch.iter().take(MESSAGE_ITEMS).cloned().collect();
            return Some((Endpoint::Bundles, Message::FetchBundles(FetchBundles::new(rids))));
        }
        let sync = line.sync.as_ref()?;
        if !sync.listed {
            let question = FetchRids::new(sync.types.clone());
            return Some((Endpoint::Rids, Message::FetchRids(question)));
        }
        let rids = sync.to_compare.iter().take(MANIFESTS).cloned().collect();
        let question = FetchManifests::new(Vec::new(), rids);
        Some((Endpoint::Manifests, Message::FetchManifests(question)))
    }

    pub(super) fn take_sync_reply(
        &mut self,
        peer: &NodeRid,
        endpoint: Endpoint,
        envelope: &Envelope,
        now: Timestamp,
    ) -> Result<Vec<Write>, Fault> {
        let malformed = |error: crate::envelope::Malformed| Fault::Malformed(error.0);
        match endpoint {
            Endpoint::Rids => {
                let reply: RidsPayload = envelope.payload().map_err(malformed)?;
                Ok(self.take_list(peer, reply.rids))
            }
            Endpoint::Manifests => {
                let reply: ManifestsPayload = envelope.payload().map_err(malformed)?;
                self.compare(peer, &reply);
                Ok(Vec::new())
            }
            _ => {
                let reply: BundlesPayload = envelope.payload().map_err(malformed)?;
                Ok(self.take_bundles(peer, reply, now))
            }
        }
    }

    /// Sorts the objects a node lists into new, known and missing ones.
    fn take_list(&mut self, peer: &NodeRid, rids: Vec<Rid>) -> Vec<Write> {
        let limit = self.settings.quotas.objects;
        let Some(types) =
            self.lines.get(peer).and_then(|line| line.sync.as_ref()).map(|s| s.types.clone())
        else {
            return Vec::new();
        };
        let of_interest =
            |rid: &Rid| types.iter().any(|kind| kind == rid.kind()) && !self.own.contains_key(rid);
        let listed: HashSet<_> = rids.into_iter().filter(of_interest).take(limit).collect();
        let is_known = |rid: &Rid| self.foreign.get(rid).is_some_and(|known| known.from == *peer);
        let is_node_known = |rid: &Rid| {
            rid.kind() == NODE_TYPE
                && NodeRid::try_from(rid.clone()).is_ok_and(|node| self.peers.contains_key(&node))
        };
        let gone = self.missing(peer, &types, &listed);
        let (known, fresh): (Vec<_>, Vec<_>) = listed.into_iter().partition(is_known);
        let mut fresh: Vec<_> = fresh.into_iter().filter(|rid| !is_node_known(rid)).collect();
        fresh.sort_unstable();
        let line = self.line(peer);
        line.to_fetch.extend(fresh);
        line.sync =
            (!known.is_empty()).then(|| Sync { types, listed: true, to_compare: known.into() });
        gone.into_iter().filter_map(|rid| self.lose(&rid)).collect()
    }

    /// Returns the live objects of a node that it no longer lists.
    fn missing(&self, peer: &NodeRid, types: &[String], listed: &HashSet<Rid>) -> Vec<Rid> {
        let of_peer = self.foreign().filter(|(rid, record)| {
            record.from == *peer && types.iter().any(|kind| kind == rid.kind())
        });
        of_peer.map(|(rid, _)| rid).filter(|rid| !listed.contains(*rid)).cloned().collect()
    }

    fn lose(&mut self, rid: &Rid) -> Option<Write> {
        let mut record = self.foreign.get(rid)?.clone();
        record.presence = Presence::Missing;
        record.bytes = 0;
        self.put_foreign(record.clone());
        Some(Write { record: Record::Foreign(record), contents: None })
    }

    /// Removes all objects of a node.
    pub(super) fn forget_all_of(&mut self, peer: &NodeRid) -> Vec<Write> {
        let theirs = self.foreign().filter(|(_, record)| record.from == *peer);
        let theirs: Vec<_> = theirs.map(|(rid, _)| rid.clone()).collect();
        theirs.iter().filter_map(|rid| self.lose(rid)).collect()
    }

    fn compare(&mut self, peer: &NodeRid, reply: &ManifestsPayload) {
        let news = reply.manifests.iter().filter(|manifest| self.is_news(manifest, peer));
        let news: Vec<_> = news.map(|manifest| manifest.rid.clone()).collect();
        let line = self.line(peer);
        line.to_fetch.extend(news);
        let Some(sync) = &mut line.sync else { return };
        // These manifests were requested once, whatever the answer left out.
        sync.to_compare.drain(..sync.to_compare.len().min(MANIFESTS));
        if sync.to_compare.is_empty() {
            line.sync = None;
        }
    }

    fn take_bundles(
        &mut self,
        peer: &NodeRid,
        reply: BundlesPayload,
        now: Timestamp,
    ) -> Vec<Write> {
        let line = self.line(peer);
        let asked: HashSet<Rid> =
            line.to_fetch.drain(..line.to_fetch.len().min(MESSAGE_ITEMS)).collect();
        // Deferred objects are requested again only if something arrived; otherwise this would
        // never end.
        if !reply.bundles.is_empty() {
            let deferred = reply.deferred.into_iter().filter(|rid| asked.contains(rid));
            line.to_fetch.extend(deferred);
        }
        let mut writes = Vec::new();
        for bundle in reply.bundles {
            if !asked.contains(&bundle.manifest.rid) {
                continue;
            }
            match self.take_bundle(bundle, peer, Way::Asked, now) {
                Ok(mut more) => writes.append(&mut more),
                Err(refusal) => self.count(refusal),
            }
        }
        writes
    }
}

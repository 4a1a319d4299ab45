//! Nodes in memory, with a network that loses what a test wants lost.

#![allow(dead_code, reason = "each test file uses its part of the harness")]

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use lore_core::effects::FixedEntropy;
use lore_core::{Entropy, Timestamp};
use lore_koinet::node::{
    Answer, Approve, Call, Endpoint, Found, Node, Quotas, Record, Reply, Settings, Unanswered,
    Wants, Write,
};
use lore_koinet::{Contents, KeyPair, NodeKind, NodeRid, Rid};

pub(crate) const TYPE: &str = "orn:test.thing";

/// What becomes of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    Arrives,
    RequestLost,
    ReplyLost,
}

/// A node with its disk.
pub(crate) struct Site {
    pub(crate) node: Node,
    name: String,
    pem: String,
    settings: Settings,
    pub(crate) disk: BTreeMap<Rid, Record>,
    pub(crate) contents: Found,
    entropy: Arc<dyn Entropy>,
}

pub(crate) fn settings(kind: NodeKind, name: &str) -> Settings {
    Settings {
        kind,
        base_url: (kind == NodeKind::Full).then(|| format!("http://{name}/koi-net")),
        provides: vec![TYPE.to_owned()],
        wants: Wants::Connected,
        approve: Approve::Anyone,
        quotas: Quotas { per_second: 1_000_000, ..Quotas::default() },
    }
}

impl Site {
    pub(crate) fn new(name: &str, seed: u64, settings: Settings) -> Self {
        let entropy: Arc<dyn Entropy> = Arc::new(FixedEntropy::new(seed));
        let key = KeyPair::generate(entropy.as_ref());
        let pem = key.to_pem(None, entropy.as_ref()).unwrap();
        let (node, writes) =
            Node::restore(key, name, settings.clone(), vec![], Arc::clone(&entropy), start())
                .unwrap();
        let (disk, contents) = (BTreeMap::new(), HashMap::new());
        let name = name.to_owned();
        let mut site = Self { node, name, pem, settings, disk, contents, entropy };
        site.keep(writes);
        site
    }

    pub(crate) fn full(name: &str, seed: u64) -> Self {
        Self::new(name, seed, settings(NodeKind::Full, name))
    }

    pub(crate) fn rid(&self) -> NodeRid {
        self.node.rid().clone()
    }

    pub(crate) fn key(&self) -> KeyPair {
        KeyPair::from_pem(&self.pem, None).unwrap()
    }

    pub(crate) fn url(&self) -> String {
        self.settings.base_url.clone().unwrap_or_default()
    }

    /// Makes writes durable.
    pub(crate) fn keep(&mut self, writes: Vec<Write>) {
        for Write { record, contents } in writes {
            let rid = record.rid();
            if let Some(contents) = contents {
                self.contents.insert(rid.clone(), contents);
            }
            // What is kept must survive being written down.
            let text = serde_json::to_string(&record).unwrap();
            self.disk.insert(rid, serde_json::from_str(&text).unwrap());
        }
    }

    /// Everything but the disk is lost.
    pub(crate) fn restart(&mut self, now: Timestamp) {
        let records = self.disk.values().cloned().collect();
        let (settings, entropy) = (self.settings.clone(), Arc::clone(&self.entropy));
        let (node, writes) =
            Node::restore(self.key(), &self.name, settings, records, entropy, now).unwrap();
        self.node = node;
        self.keep(writes);
    }

    /// Some of what is on the disk is lost, too; the key is not.
    pub(crate) fn lose(&mut self, lost: impl Fn(&Record) -> bool, now: Timestamp) {
        self.disk.retain(|_, record| !lost(record));
        self.restart(now);
    }

    pub(crate) fn break_with(&mut self, other: &Site) {
        let writes = self.node.break_with(&other.rid());
        self.keep(writes);
    }

    /// Goes on at another address.
    pub(crate) fn move_to(&mut self, url: &str, now: Timestamp) {
        self.settings.base_url = Some(url.to_owned());
        self.restart(now);
    }

    pub(crate) fn share(&mut self, name: &str, text: &str, now: Timestamp) {
        let contents = thing(text);
        let write = self.node.publish(rid(name), contents, now);
        self.keep(write.into_iter().collect());
    }

    pub(crate) fn unshare(&mut self, name: &str) {
        let write = self.node.withdraw(&rid(name));
        self.keep(write.into_iter().collect());
    }

    pub(crate) fn connect(&mut self, other: &Site, now: Timestamp) {
        let url = Some(other.url()).filter(|url| !url.is_empty());
        let writes = self.node.connect(&other.rid(), url.as_deref(), now);
        self.keep(writes);
    }

    pub(crate) fn seal(&self, call: &Call) -> String {
        self.node.seal(&call.peer, &call.message, &self.contents).unwrap()
    }

    /// Takes a request in and answers it.
    pub(crate) fn serve(&mut self, endpoint: Endpoint, body: &[u8], now: Timestamp) -> Answer {
        let reply = match self.node.admit(endpoint, body, now) {
            Ok(admitted) => {
                let received = self.node.take(&admitted, now);
                self.keep(received.writes);
                received.reply
            }
            Err(fault) => Reply::Refused(fault),
        };
        let (status, body) = match reply {
            Reply::Taken => (200, "null".to_owned()),
            Reply::Message(to, message) => {
                (200, self.node.seal(&to, &message, &self.contents).unwrap())
            }
            Reply::Refused(fault) => (fault.status(), fault.body()),
        };
        Answer { status, body: body.into_bytes() }
    }

    /// What is here of others, by RID.
    pub(crate) fn foreign(&self) -> BTreeMap<String, String> {
        let live = self.node.foreign();
        live.map(|(rid, _)| (rid.to_string(), self.contents[rid].as_str().to_owned())).collect()
    }

    /// What is shared here, by RID.
    pub(crate) fn shared(&self) -> BTreeMap<String, String> {
        let shared = self.node.shared();
        shared.map(|rid| (rid.to_string(), self.contents[rid].as_str().to_owned())).collect()
    }
}

/// Lets nodes talk until they have nothing more to say; returns when that was.
pub(crate) fn settle(sites: &mut [Site], from: Timestamp) -> Timestamp {
    talk(sites, from, 400, |_| Fate::Arrives)
}

/// Lets nodes talk for some rounds of a quarter of a second each.
pub(crate) fn talk(
    sites: &mut [Site],
    from: Timestamp,
    rounds: usize,
    mut fate: impl FnMut(&Call) -> Fate,
) -> Timestamp {
    let mut now = from;
    let mut quiet = 0;
    for _ in 0..rounds {
        now = now.checked_add(Duration::from_millis(250)).unwrap();
        let mut spoke = false;
        for at in 0..sites.len() {
            for call in sites[at].node.due(now) {
                spoke = true;
                let outcome = carry(sites, at, &call, fate(&call), now);
                let writes = sites[at].node.answered(&call, outcome, now);
                sites[at].keep(writes);
            }
        }
        quiet = if spoke { 0 } else { quiet + 1 };
        if quiet > 40 {
            break;
        }
    }
    now
}

fn carry(
    sites: &mut [Site],
    at: usize,
    call: &Call,
    fate: Fate,
    now: Timestamp,
) -> Result<Answer, Unanswered> {
    let body = sites[at].seal(call);
    let target = sites.iter_mut().find(|site| site.url() == call.url).ok_or(Unanswered)?;
    if fate == Fate::RequestLost {
        return Err(Unanswered);
    }
    let answer = target.serve(call.endpoint, body.as_bytes(), now);
    if fate == Fate::ReplyLost { Err(Unanswered) } else { Ok(answer) }
}

pub(crate) fn rid(name: &str) -> Rid {
    Rid::parse(&format!("{TYPE}:{name}")).unwrap()
}

pub(crate) fn thing(text: &str) -> Contents {
    Contents::parse(&serde_json::json!({ "name": text }).to_string()).unwrap()
}

pub(crate) fn start() -> Timestamp {
    "2026-11-16T00:00:00Z".parse().unwrap()
}

/// The two of a pair, at once.
pub(crate) fn pair(sites: &mut [Site]) -> (&mut Site, &mut Site) {
    let (left, right) = sites.split_at_mut(1);
    (&mut left[0], &mut right[0])
}

//! What was copied from a service: which things, and what they say.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use lore_anvil::{Kind, Object};
use lore_core::{Error, Node, NodeId, Result, Uid, Visibility};
use lore_store::{Change, Expect, NewNode, NewState, NodeKey, NodeRef};
use serde_json::{Value, json};

use super::head;
use super::source::Atlas;
use super::sync::{SYNCED, uid_of_words};
use crate::pages::{ENTRY, Scribe};
use crate::play::word;

/// Node kind of what stands for a world that was copied.
const ROOT: &str = "world_anvil_copy";
/// The document of it that tells what was copied.
const RECORD: &str = "copied";
/// How many nodes have their texts read at once.
const AT_ONCE: usize = 500;

/// What was copied of a world so far: the service's ids, by the path of their kind.
pub(super) struct Record {
    root: NodeId,
    version: i64,
    ids: BTreeMap<String, BTreeSet<String>>,
}

impl Record {
    /// Those of a kind that were copied and are not among `present`.
    pub(super) fn missing(&self, kind: Kind, present: &BTreeSet<String>) -> Vec<String> {
        let known = self.ids.get(kind.row().path).into_iter().flatten();
        known.filter(|id| !present.contains(*id)).cloned().collect()
    }

    /// Notes that these are all there are of a kind.
    pub(super) fn note(&mut self, kind: Kind, present: BTreeSet<String>) {
        self.ids.insert(kind.row().path.to_owned(), present);
    }
}

impl Atlas {
    /// What was copied of a world of the service so far.
    pub(super) async fn record_of(&self, world: &str) -> Result<Record> {
        let uid = uid_of_words(&format!("copy {world} in {}", self.viewer().world));
        let root = match self.app().store.node(self.viewer(), NodeKey::Uid(uid)).await? {
            Some(root) => root.id,
            None => self.begin_record(uid, world).await?,
        };
        let states = self.app().store.states(self.viewer(), &[root], &word(RECORD)?).await?;
        let state = states.into_iter().next();
        let version = state.as_ref().map_or(0, |state| state.version);
        let ids = state.and_then(|state| serde_json::from_value(state.value).ok());
        Ok(Record { root, version, ids: ids.unwrap_or_default() })
    }

    async fn begin_record(&self, uid: Uid, world: &str) -> Result<NodeId> {
        let root = NewNode {
            derived_name: true,
            visibility: Visibility::Gm,
            ..NewNode::new(uid, word(ROOT)?, format!("World Anvil {world}"))
        };
        let batch = self.scribe.batch().change(Change::CreateNode(root));
        self.app().store.commit(self.viewer(), batch).await?;
        let root = self.app().store.node(self.viewer(), NodeKey::Uid(uid)).await?;
        root.map(|root| root.id).ok_or_else(|| Error::Bug { what: "the record of a copy".into() })
    }

    /// Writes down what was copied.
    pub(super) async fn keep_record(&self, record: &mut Record) -> Result<()> {
        let state = NewState {
            node: NodeRef::Id(record.root),
            name: word(RECORD)?,
            expect: Expect::Version(record.version),
            value: json!(record.ids),
            visibility: Visibility::Gm,
        };
        let batch = self.scribe.batch().change(Change::PutState(state));
        self.app().store.commit(self.viewer(), batch).await?;
        record.version += 1;
        Ok(())
    }

    /// Those of some articles of the service that were copied here, whoever may see them:
    /// the service's own answer decides who is shown what was found.
    pub(super) async fn copies_of(&self, ids: &HashSet<String>) -> Result<Vec<Object>> {
        let viewer = self.scribe.all_seeing();
        let everything = Self { scribe: Scribe { viewer, ..self.scribe.clone() } };
        let mut nodes = everything.every(Kind::Article).await?;
        nodes.retain(|node| {
            head::own(node, SYNCED).is_some() && ids.contains(&node.uid.to_string())
        });
        let mut copies = Vec::with_capacity(nodes.len());
        for some in nodes.chunks(AT_ONCE) {
            let keys: Vec<NodeId> = some.iter().map(|node| node.id).collect();
            let texts = self.app().store.texts_of_nodes(&viewer, &keys).await?;
            let entries = texts.into_iter().filter(|text| text.kind.as_str() == ENTRY);
            let mut bodies: HashMap<NodeId, String> =
                entries.map(|text| (text.node, text.body)).collect();
            copies.extend(some.iter().map(|node| copy(node, bodies.remove(&node.id))));
        }
        Ok(copies)
    }
}

fn copy(node: &Node, body: Option<String>) -> Object {
    let fields = [
        ("id", json!(node.uid.to_string())),
        ("title", json!(node.name)),
        ("tags", json!(node.tags)),
        ("content", Value::String(body.unwrap_or_default())),
    ];
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

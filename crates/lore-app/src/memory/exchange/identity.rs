//! Determines which node a record of a load is, independently of the path or format it came by.

use std::collections::{HashMap, HashSet};

use data_encoding::HEXLOWER;
use futures::{StreamExt, TryStreamExt, stream};
use lore_core::{Kind, Node, NodeId, Properties, Uid, WorldId};
use lore_store::{Bin, NameMatch, NodeKey, NodeQuery};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::super::call::MemoryCall;
use super::super::ids::show;
use super::super::kinds::{
    EXPERIENCE, ITS_EXPERIENCE, LASTING_NODE, PROMOTED_TO, SOURCE_TAKEN, SUPERSEDED_BY, Type,
    property,
};
use super::super::refusal::Reply;
use super::{Load, Record, reference};
use crate::all_nodes::all_nodes;
use crate::id_forms::read_uid;

/// Properties of an imported node: the label of its source, a fingerprint of the record, the phase
/// or status it had there, and a fingerprint of the source's place.
pub(super) const SOURCE: &str = "source";
pub(super) const SOURCE_PRINT: &str = "source_print";
pub(super) const SOURCE_STATE: &str = "source_state";
pub(super) const SOURCE_PLACE: &str = "source_place";
/// Property with the id that the node has in the world it first came from.
pub(super) const SOURCE_ID: &str = "source_id";

/// Properties with the uid of another node.
const REFERENCES: [&str; 4] = [LASTING_NODE, ITS_EXPERIENCE, PROMOTED_TO, SUPERSEDED_BY];
/// The property with the id of another node in the form clients see.
const SHOWN_REFERENCE: &str = "source_experience_id";

/// Whether a property refers to another node.
pub(super) fn is_reference(name: &str) -> bool {
    REFERENCES.contains(&name) || name == SHOWN_REFERENCE
}

/// The nodes of the records of a load, whether they exist already or not.
pub(super) struct Identities {
    by_key: HashMap<String, Identity>,
    /// The uids here, by the uids in the store they were exported from.
    moved: HashMap<Uid, Uid>,
}

/// The node of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Identity {
    /// The node that the record was exported from, live or in the bin, or a node that another
    /// source made of the same content. It changes only if the export was edited by hand.
    Settled(Uid),
    /// A live node of this world that was exported to another world and comes back.
    Returned(Uid),
    /// A node made from the source, which may have to be created or updated.
    Sourced(Uid),
}

impl Identity {
    pub(super) fn uid(self) -> Uid {
        match self {
            Self::Settled(uid) | Self::Returned(uid) | Self::Sourced(uid) => uid,
        }
    }
}

impl Identities {
    /// Determines the node of every record. `progress` is called with the number of records done.
    pub(super) async fn of(
        call: &MemoryCall,
        load: &Load,
        progress: &(dyn Fn(usize) + Send + Sync),
    ) -> Reply<Self> {
        let mut all = Self { by_key: HashMap::new(), moved: HashMap::new() };
        let mut lost: Option<Lost> = None;
        for records in load.records.chunks(PAGE) {
            let here = Here::of(call, load, records).await?;
            for record in records {
                let mut identity = identify(call, load, record, &here).await?;
                if load.keys_are_places && here.lacks(identity) {
                    if lost.is_none() {
                        lost = Some(Lost::of(call, load).await?);
                    }
                    let renamed = lost.as_mut().and_then(|lost| lost.take(record));
                    identity = renamed.map_or(identity, Identity::Sourced);
                }
                all.take(record, identity);
            }
            progress(all.by_key.len());
        }
        Ok(all)
    }

    fn take(&mut self, record: &Record, identity: Identity) {
        for own in [record.key.as_str(), record.first_key()].into_iter().filter_map(own_id) {
            self.moved.insert(own, identity.uid());
        }
        self.by_key.insert(record.key.clone(), identity);
    }

    pub(super) fn get(&self, key: &str) -> Option<Identity> {
        self.by_key.get(key).copied()
    }

    pub(super) fn uid(&self, key: &str) -> Option<Uid> {
        self.get(key).map(Identity::uid)
    }

    /// Returns the uids of all nodes of the load.
    pub(super) fn uids(&self) -> Vec<Uid> {
        self.by_key.values().map(|identity| identity.uid()).collect()
    }

    /// Returns the uid here of what has the uid `uid` in the source, if it is part of the load.
    pub(super) fn moved(&self, uid: &str) -> Option<Uid> {
        self.moved.get(&uid.parse().ok()?).copied()
    }

    /// Replaces references in properties by the uids that the nodes have here.
    pub(super) fn translate(&self, properties: &mut Properties) {
        for key in REFERENCES {
            let there = properties.get(key).and_then(Value::as_str);
            if let Some(here) = there.and_then(|uid| self.moved(uid)) {
                properties.insert(key.into(), json!(here.to_string()));
            }
        }
        let there = properties.get(SHOWN_REFERENCE).and_then(Value::as_str).and_then(read_uid);
        if let Some(here) = there.and_then(|uid| self.moved.get(&uid)) {
            properties.insert(SHOWN_REFERENCE.into(), json!(show(EXPERIENCE, *here)));
        }
    }
}

impl Record {
    /// The first key of the record, which it keeps from world to world.
    pub(super) fn first_key(&self) -> &str {
        self.origin.as_deref().unwrap_or(&self.key)
    }

    /// The label of its source. Exported records are identified by their id alone, so their label
    /// is the same whether they come as notes, from whatever folder, or as JSON lines.
    pub(super) fn label<'a>(&self, load: &'a Load) -> &'a str {
        if own_id(self.first_key()).is_some() { reference::LABEL } else { &load.label }
    }
}

/// A fingerprint of a place, so that the path itself is not stored.
pub(super) fn place_print(place: &str) -> String {
    let hash = Sha256::digest(place.as_bytes());
    HEXLOWER.encode(hash.get(..6).unwrap_or_default())
}

/// Removes the properties that describe where a node came from.
pub(super) fn without_source(properties: &mut Properties) {
    for key in [SOURCE, SOURCE_PRINT, SOURCE_STATE, SOURCE_PLACE, SOURCE_ID, SOURCE_TAKEN] {
        properties.shift_remove(key);
    }
}

/// The number of records whose nodes are read at once.
const PAGE: usize = 200;
/// The number of reads in progress at once.
const AT_ONCE: usize = 16;

/// Those of the nodes that a page of records can be that are in this world.
struct Here {
    live: HashSet<Uid>,
    in_bin: HashSet<Uid>,
}

impl Here {
    async fn of(call: &MemoryCall, load: &Load, records: &[Record]) -> Reply<Self> {
        let (store, viewer) = (&call.app.store, &call.viewer);
        let exported = records.iter().flat_map(exported_ids);
        let exported: HashSet<Uid> = exported.collect();
        let sourced = records.iter().map(|record| sourced_uid(call, load, record));
        let uids: Vec<Uid> = exported.iter().copied().chain(sourced).collect();
        let live = store.nodes_by_uid(viewer, &uids).await?;
        let live: HashSet<Uid> = live.into_iter().map(|node| node.uid).collect();
        let absent: Vec<Uid> = exported.difference(&live).copied().collect();
        let in_bin = stream::iter(absent).map(|uid| store.node_in_bin(viewer, NodeKey::Uid(uid)));
        let in_bin: Vec<Option<Node>> = in_bin.buffered(AT_ONCE).try_collect().await?;
        Ok(Self { live, in_bin: in_bin.into_iter().flatten().map(|node| node.uid).collect() })
    }

    /// Whether a node is live or in the bin.
    fn has(&self, uid: Uid) -> bool {
        self.live.contains(&uid) || self.in_bin.contains(&uid)
    }

    /// Whether the node has to be created.
    fn lacks(&self, identity: Identity) -> bool {
        matches!(identity, Identity::Sourced(uid) if !self.live.contains(&uid))
    }
}

/// The uids that a record has where it was exported, and where it first came from.
fn exported_ids(record: &Record) -> impl Iterator<Item = Uid> {
    [Some(record.key.as_str()), record.origin.as_deref()].into_iter().flatten().filter_map(own_id)
}

/// The uid of the node that is made of a record.
fn sourced_uid(call: &MemoryCall, load: &Load, record: &Record) -> Uid {
    uid_of(call.viewer.world, record.label(load), record.first_key())
}

async fn identify(call: &MemoryCall, load: &Load, record: &Record, here: &Here) -> Reply<Identity> {
    if let Some(own) = own_id(&record.key).filter(|own| here.has(*own)) {
        return Ok(Identity::Settled(own));
    }
    let first = record.origin.as_deref().and_then(own_id);
    if let Some(first) = first.filter(|first| here.has(*first)) {
        let is_live = here.live.contains(&first);
        return Ok(if is_live { Identity::Returned(first) } else { Identity::Settled(first) });
    }
    let sourced = Identity::Sourced(sourced_uid(call, load, record));
    if load.keys_are_places
        && here.lacks(sourced)
        && let Some(copy) = same_elsewhere(call, load, record).await?
    {
        return Ok(Identity::Settled(copy.uid));
    }
    Ok(sourced)
}

/// Nodes from the source whose keys are no longer in the load, with their texts. They may have been
/// renamed there.
struct Lost(Vec<(String, Uid)>);

/// The number of nodes whose texts are read at once.
const TOGETHER: usize = 50;

impl Lost {
    async fn of(call: &MemoryCall, load: &Load) -> Reply<Self> {
        let places = load.records.iter().map(|record| sourced_uid(call, load, record));
        let places: HashSet<Uid> = places.collect();
        let kinds = load.records.iter().map(|record| Ok(Type::of(&record.type_name)?.kind));
        let kinds: HashSet<Kind> = kinds.collect::<Reply<_>>()?;
        let query = NodeQuery { kinds: kinds.into_iter().collect(), ..NodeQuery::default() };
        let mut nodes = all_nodes(&call.app, &call.viewer, query).await?;
        nodes.retain(|node| {
            property(node, SOURCE) == Some(&load.label) && !places.contains(&node.uid)
        });
        let mut lost = Vec::new();
        for nodes in nodes.chunks(TOGETHER) {
            let ids: Vec<NodeId> = nodes.iter().map(|node| node.id).collect();
            let texts = call.app.store.texts_of_nodes(&call.viewer, &ids).await?;
            let words = |node: &Node| -> String {
                let own = texts.iter().filter(|text| text.node == node.id);
                own.map(|text| text.body.as_str()).collect()
            };
            lost.extend(nodes.iter().map(|node| (words(node), node.uid)));
        }
        Ok(Self(lost))
    }

    /// Takes the node whose texts are exactly those of the record.
    fn take(&mut self, record: &Record) -> Option<Uid> {
        let words: String = record.passages.iter().map(|passage| passage.body.as_str()).collect();
        let at = self.0.iter().position(|(known, _)| !words.is_empty() && *known == words)?;
        Some(self.0.swap_remove(at).1)
    }
}

/// Parses a key that is an id in Lorewell's form.
pub(super) fn own_id(key: &str) -> Option<Uid> {
    let ours = ["node_", "exp_", "proj_", "idea_"].iter().any(|prefix| key.starts_with(prefix));
    read_uid(key).filter(|_| ours)
}

/// Finds a node that another source made of exactly this record, live or in the bin.
async fn same_elsewhere(call: &MemoryCall, load: &Load, record: &Record) -> Reply<Option<Node>> {
    let print = print(record);
    let is_copy = |node: &Node| {
        property(node, SOURCE_PRINT) == Some(print.as_str())
            && property(node, SOURCE).is_some_and(|source| source != load.label)
    };
    // What was removed here must not come back from another source.
    for bin in [Bin::Live, Bin::Deleted] {
        let name = Some(NameMatch::Exact(record.name.trim().to_owned()));
        let query = NodeQuery { name, bin, ..NodeQuery::default() };
        let found = all_nodes(&call.app, &call.viewer, query).await?;
        if let Some(copy) = found.into_iter().find(is_copy) {
            return Ok(Some(copy));
        }
    }
    Ok(None)
}

/// Derives the uid in a world from the label of the source and the key.
pub(super) fn uid_of(world: WorldId, label: &str, key: &str) -> Uid {
    let world = world.0.to_string();
    let mut hash = Sha256::new();
    for part in [world.as_str(), label, key] {
        hash.update(part.as_bytes());
        hash.update([0]);
    }
    let mut bytes = [0_u8; 16];
    bytes.iter_mut().zip(hash.finalize()).for_each(|(to, from)| *to = from);
    Uid::from_hash(bytes)
}

/// A fingerprint of everything a source says about a record, regardless of its place.
pub(super) fn print(record: &Record) -> String {
    let passage = |passage: &super::Passage| {
        let at = passage.provenance.occurred_at.map(|at| at.to_string());
        json!([passage.kind, passage.title, passage.body, passage.provenance.author, at])
    };
    let passages: Vec<Value> = record.passages.iter().map(passage).collect();
    let steps: Vec<Value> = record.steps.iter().map(|step| json!([step.id, step.action])).collect();
    let all = json!([
        record.name,
        record.type_name,
        record.namespace,
        record.aliases,
        record.tags,
        record.properties,
        passages,
        steps,
    ]);
    let hash = Sha256::digest(all.to_string().as_bytes());
    HEXLOWER.encode(hash.get(..12).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_key_has_the_same_id_in_a_world() {
        let here = WorldId(1);
        assert_eq!(uid_of(here, "notes", "a"), uid_of(here, "notes", "a"));
        assert_ne!(uid_of(here, "notes", "a"), uid_of(here, "notes", "b"));
        assert_ne!(uid_of(here, "notes", "a"), uid_of(here, "chats", "a"));
        assert_ne!(uid_of(here, "notes", "a"), uid_of(WorldId(2), "notes", "a"));
    }

    #[test]
    fn a_print_is_of_what_is_said_and_not_of_where() {
        let here = Record { key: "a.md".into(), name: "A".into(), ..Record::default() };
        let there = Record { key: "b/a.md".into(), ..here.clone() };
        assert_eq!(print(&here), print(&there));
        assert_ne!(print(&here), print(&Record { name: "B".into(), ..here.clone() }));
    }
}

//! Storing the node's records.
//!
//! Every record is a node of the store. What came from other KOI-net nodes is searchable; all other
//! records are private to the owner. Deleted items stay in the bin with their records as
//! tombstones, so that an old message cannot bring them back.

use std::collections::HashMap;
use std::sync::Arc;

use lore_core::names::{NAME_MAX, Word, without_unseen};
use lore_core::{Error, Node, NodeId, Provenance, Result, Uid, Viewer, Visibility};
use lore_koinet::node::{ForeignRecord, Found, Presence, Record, Write};
use lore_koinet::{Contents, Rid};
use lore_store::{
    Batch, Bin, Change, Expect, NewNode, NewState, NewText, NodePatch, NodeQuery, NodeRef, Origin,
    TextPatch, TextRef,
};
use serde_json::{Value, json};

use super::arrival::{Arrival, describe};
use super::{FEDERATED, RECORD, ROOT, SAID_KIND, SOURCE, TELLER};
use crate::App;

/// Most records written in one commit.
const AT_ONCE: usize = 500;
/// The property that holds a record.
const FIELD: &str = "koi";

/// Access to the stored records of one world's federation.
pub(super) struct Keeper {
    pub(super) app: Arc<App>,
    pub(super) viewer: Viewer,
    pub(super) root: NodeId,
    places: HashMap<Rid, Place>,
}

/// Where a record is stored.
#[derive(Debug, Clone, Copy)]
struct Place {
    node: Uid,
    text: Option<Uid>,
    in_bin: bool,
}

impl Keeper {
    /// Reads all stored records; creates an empty federation if there is none.
    pub(super) async fn open(app: Arc<App>, viewer: Viewer) -> Result<(Self, Vec<Record>)> {
        let root = match find_root(&app, &viewer).await? {
            Some(root) => root,
            None => make_root(&app, &viewer).await?,
        };
        let mut keeper = Self { app, viewer, root, places: HashMap::new() };
        let records = keeper.load().await?;
        Ok((keeper, records))
    }

    /// Reads the records again.
    pub(super) async fn load(&mut self) -> Result<Vec<Record>> {
        self.places.clear();
        let mut records = Vec::new();
        for bin in [Bin::Live, Bin::Deleted] {
            for node in all_nodes(&self.app, &self.viewer, &[RECORD, FEDERATED], bin).await? {
                let kept = node.properties.get(FIELD).cloned().unwrap_or_default();
                let Ok(record) = serde_json::from_value::<Record>(kept) else {
                    tracing::warn!(node = %node.uid, "a record of the federation cannot be read");
                    continue;
                };
                let text = node.properties.get("text").and_then(Value::as_str);
                let text = text.and_then(|text| text.parse().ok());
                let place = Place { node: node.uid, text, in_bin: bin == Bin::Deleted };
                self.places.insert(record.rid(), place);
                records.push(record);
            }
        }
        Ok(records)
    }

    /// Makes writes durable. The `further` changes are part of the first commit.
    pub(super) async fn keep(&mut self, writes: Vec<Write>, further: Vec<Change>) -> Result<()> {
        let mut further = Some(further);
        let writes = newest(writes);
        for part in writes.chunks(AT_ONCE) {
            let mut batch = self.batch();
            batch.changes = further.take().unwrap_or_default();
            for write in part {
                self.add(&mut batch, write)?;
            }
            self.commit(batch).await?;
        }
        let mut batch = self.batch();
        batch.changes = further.unwrap_or_default();
        self.commit(batch).await
    }

    /// Commits a batch unless it is empty: forgetting something that was never here writes nothing.
    async fn commit(&self, batch: Batch) -> Result<()> {
        if !batch.changes.is_empty() {
            self.app.store.commit(&self.viewer, batch).await?;
        }
        Ok(())
    }

    pub(super) fn batch(&self) -> Batch {
        let now = self.app.effects.now();
        Batch::new(Origin::new("federation", self.app.effects.uid().to_string()), now)
    }

    fn add(&mut self, batch: &mut Batch, write: &Write) -> Result<()> {
        match &write.record {
            Record::Foreign(foreign) => self.add_foreign(batch, foreign, write.contents.as_ref()),
            other => self.add_hidden(batch, other, write.contents.as_ref()),
        }
    }

    /// Adds the write of an internal record.
    fn add_hidden(
        &mut self,
        batch: &mut Batch,
        record: &Record,
        contents: Option<&Contents>,
    ) -> Result<()> {
        let rid = record.rid();
        let properties = properties(record, None, None)?;
        let uid = match self.places.get(&rid) {
            Some(place) => {
                let patch = NodePatch { properties: Some(properties), ..NodePatch::default() };
                let node = NodeRef::Uid(place.node);
                batch.changes.push(Change::UpdateNode(node, Expect::Any, patch));
                place.node
            }
            None => {
                let uid = self.app.effects.uid();
                let name: String = rid.as_str().chars().take(NAME_MAX).collect();
                batch.changes.push(Change::CreateNode(NewNode {
                    derived_name: true,
                    visibility: Visibility::Private(self.viewer.principal),
                    properties,
                    ..NewNode::new(uid, word(RECORD)?, name)
                }));
                self.places.insert(rid, Place { node: uid, text: None, in_bin: false });
                uid
            }
        };
        if let Some(contents) = contents {
            let hidden = Visibility::Private(self.viewer.principal);
            batch.changes.push(put_contents(uid, contents, hidden)?);
        }
        Ok(())
    }

    /// Adds the write of something that came from another KOI-net node.
    fn add_foreign(
        &mut self,
        batch: &mut Batch,
        foreign: &ForeignRecord,
        contents: Option<&Contents>,
    ) -> Result<()> {
        batch.origin.source = Some(source_of(foreign));
        let rid = foreign.manifest.rid.clone();
        let arrival = contents.map(|contents| describe(foreign, &contents.value()));
        match (self.places.get(&rid).copied(), arrival) {
            (None, Some(arrival)) => self.create_foreign(batch, foreign, arrival)?,
            (Some(place), arrival) => self.change_foreign(batch, place, foreign, arrival)?,
            // It was never here and is to be forgotten.
            (None, None) => return Ok(()),
        }
        let Some(place) = self.places.get(&rid) else { return Ok(()) };
        if let Some(contents) = contents {
            batch.changes.push(put_contents(place.node, contents, Visibility::Members)?);
        }
        Ok(())
    }

    fn create_foreign(
        &mut self,
        batch: &mut Batch,
        foreign: &ForeignRecord,
        arrival: Arrival,
    ) -> Result<()> {
        let (node, text) = (self.app.effects.uid(), self.app.effects.uid());
        let (rid, record) = (foreign.manifest.rid.clone(), Record::Foreign(foreign.clone()));
        batch.changes.push(Change::CreateNode(NewNode {
            subtype: Some(without_unseen(rid.kind()).chars().take(NAME_MAX).collect()),
            aliases: arrival.aliases,
            tags: vec!["untrusted".to_owned()],
            properties: properties(&record, Some(text), arrival.kind.as_deref())?,
            ..NewNode::new(node, word(FEDERATED)?, arrival.name)
        }));
        batch.changes.push(Change::CreateText(NewText {
            provenance: provenance(foreign),
            ..NewText::new(text, NodeRef::Uid(node), word("content")?, arrival.body)
        }));
        self.places.insert(rid, Place { node, text: Some(text), in_bin: false });
        Ok(())
    }

    fn change_foreign(
        &mut self,
        batch: &mut Batch,
        place: Place,
        foreign: &ForeignRecord,
        arrival: Option<Arrival>,
    ) -> Result<()> {
        let node = NodeRef::Uid(place.node);
        if place.in_bin {
            batch.changes.push(Change::RestoreNode(node));
        }
        let said = arrival.as_ref().and_then(|arrival| arrival.kind.as_deref());
        let properties = properties(&Record::Foreign(foreign.clone()), place.text, said)?;
        let mut patch = NodePatch { properties: Some(properties), ..NodePatch::default() };
        if let Some(arrival) = arrival {
            patch.name = Some(arrival.name);
            patch.aliases = Some(arrival.aliases);
            if let Some(text) = place.text {
                let patch = TextPatch {
                    body: Some(arrival.body),
                    provenance: Some(provenance(foreign)),
                    ..TextPatch::default()
                };
                batch.changes.push(Change::UpdateText(TextRef::Uid(text), Expect::Any, patch));
            }
        }
        batch.changes.push(Change::UpdateNode(node, Expect::Any, patch));
        let in_bin = foreign.presence != Presence::Live;
        if in_bin {
            batch.changes.push(Change::DeleteNode(node, Expect::Any));
        }
        self.places.insert(foreign.manifest.rid.clone(), Place { in_bin, ..place });
        Ok(())
    }

    /// Returns the stored contents of these items.
    pub(super) async fn contents(&self, rids: &[Rid]) -> Result<Found> {
        let uids: HashMap<Uid, &Rid> =
            rids.iter().filter_map(|rid| Some((self.places.get(rid)?.node, rid))).collect();
        if uids.is_empty() {
            return Ok(Found::new());
        }
        let wanted: Vec<_> = uids.keys().copied().collect();
        let nodes = self.app.store.nodes_by_uid(&self.viewer, &wanted).await?;
        let by_id: HashMap<_, _> =
            nodes.iter().filter_map(|node| Some((node.id, *uids.get(&node.uid)?))).collect();
        let ids: Vec<_> = by_id.keys().copied().collect();
        let states = self.app.store.states(&self.viewer, &ids, &word("bundle")?).await?;
        let found = states.iter().filter_map(|state| {
            let text = state.value.get("contents").and_then(Value::as_str)?;
            Some(((*by_id.get(&state.node)?).clone(), Contents::parse(text)?))
        });
        Ok(found.collect())
    }
}

/// Returns the root node of the federation in the viewer's world, if there is one.
pub(super) async fn find_root(app: &App, viewer: &Viewer) -> Result<Option<NodeId>> {
    let nodes = all_nodes(app, viewer, &[ROOT], Bin::Live).await?;
    Ok(nodes.first().map(|node| node.id))
}

/// Creates the root node of the federation in the viewer's world.
pub(super) async fn make_root(app: &App, viewer: &Viewer) -> Result<NodeId> {
    let uid = app.effects.uid();
    let origin = Origin::new("federation", uid.to_string());
    let root = NewNode {
        derived_name: true,
        visibility: Visibility::Private(viewer.principal),
        ..NewNode::new(uid, word(ROOT)?, "Federation")
    };
    let batch = Batch::new(origin, app.effects.now()).change(Change::CreateNode(root));
    app.store.commit(viewer, batch).await?;
    find_root(app, viewer).await?.ok_or_else(|| Error::Bug { what: "the federation's node".into() })
}

/// Returns every node of these kinds that the viewer sees.
async fn all_nodes(app: &App, viewer: &Viewer, kinds: &[&str], bin: Bin) -> Result<Vec<Node>> {
    let kinds = kinds.iter().map(|kind| word(kind)).collect::<Result<Vec<_>>>()?;
    matching(app, viewer, NodeQuery { kinds, bin, ..NodeQuery::default() }).await
}

/// Returns every node that a query finds, page by page.
pub(super) async fn matching(app: &App, viewer: &Viewer, query: NodeQuery) -> Result<Vec<Node>> {
    Ok(crate::all_nodes::all_nodes(app, viewer, query).await?)
}

/// Parses a kind. Fails if the owner gave something that cannot be one.
pub(super) fn word(text: &str) -> Result<Word> {
    Word::new("kind", text)
}

/// Combines several writes of one record into the last.
fn newest(writes: Vec<Write>) -> Vec<Write> {
    let mut at: HashMap<Rid, usize> = HashMap::new();
    let mut kept: Vec<Write> = Vec::new();
    for write in writes {
        match at.get(&write.record.rid()).and_then(|at| kept.get_mut(*at)) {
            Some(earlier) => {
                earlier.record = write.record;
                earlier.contents = write.contents.or(earlier.contents.take());
            }
            None => {
                at.insert(write.record.rid(), kept.len());
                kept.push(write);
            }
        }
    }
    kept
}

fn properties(
    record: &Record,
    text: Option<Uid>,
    said_kind: Option<&str>,
) -> Result<lore_core::Properties> {
    let unwritable = |_| Error::Bug { what: "a record of the federation".into() };
    let kept = serde_json::to_value(record).map_err(unwritable)?;
    let mut properties = json!({ FIELD: kept });
    if let (Record::Foreign(foreign), Some(map)) = (record, properties.as_object_mut()) {
        map.insert("rid".into(), json!(foreign.manifest.rid));
        map.insert(TELLER.into(), json!(foreign.from));
        map.extend(said_kind.map(|kind| (SAID_KIND.to_owned(), json!(kind))));
        map.insert("trust".into(), json!("untrusted"));
        if let Some(text) = text {
            map.insert("text".into(), json!(text.to_string()));
        }
    }
    Ok(properties.as_object().cloned().unwrap_or_default())
}

fn provenance(foreign: &ForeignRecord) -> Provenance {
    Provenance {
        source: Some(source_of(foreign)),
        session: None,
        author: Some(without_unseen(foreign.from.name())),
        occurred_at: Some(foreign.manifest.timestamp.instant()),
    }
}

fn source_of(foreign: &ForeignRecord) -> String {
    source(foreign.from.as_str())
}

/// Returns the source name of a KOI-net node.
pub(super) fn source(node: &str) -> String {
    format!("{SOURCE}:{node}")
}

fn put_contents(node: Uid, contents: &Contents, visibility: Visibility) -> Result<Change> {
    Ok(Change::PutState(NewState {
        node: NodeRef::Uid(node),
        name: word("bundle")?,
        expect: Expect::Any,
        value: json!({ "contents": contents.as_str() }),
        visibility,
    }))
}

#[cfg(test)]
mod tests {
    use lore_core::Effects;
    use lore_koinet::{Manifest, NodeRid, WireTime};
    use lore_sqlite::SqliteStore;

    use super::*;
    use crate::access::{Identity, enter};

    #[tokio::test]
    async fn what_was_never_here_is_forgotten_without_a_trace() {
        let directory = tempfile::tempdir().unwrap();
        let (file, effects) = (directory.path().join("store.sqlite"), Effects::system());
        let store = SqliteStore::open(&file, lore_sqlite::Options::default(), &effects).unwrap();
        let app = Arc::new(App::new(Arc::new(store), effects));
        let viewer = enter(&app, Identity::LOCAL, None).await.unwrap();
        let (mut keeper, _) = Keeper::open(app, viewer).await.unwrap();
        let manifest = Manifest {
            rid: Rid::parse("orn:koi-net.practice:nope").unwrap(),
            timestamp: WireTime::parse("2026-01-01T00:00:00Z").unwrap(),
            sha256_hash: String::new(),
            context: None,
        };
        let record = Record::Foreign(ForeignRecord {
            manifest,
            from: NodeRid::new("coast", "00").unwrap(),
            presence: Presence::Forgotten,
            bytes: 0,
            forgets: Vec::new(),
        });
        keeper.keep(vec![Write { record, contents: None }], Vec::new()).await.unwrap();
        assert_eq!(keeper.load().await.unwrap(), []);
    }
}

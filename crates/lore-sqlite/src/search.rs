//! Search: one index in memory for each world, which catches up with the rows of [`crate::docs`]
//! before it answers.
//!
//! The index ranks only what the viewer sees. Its hits are then read from the store under the usual
//! visibility conditions, so the store has the last word on who sees what.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use async_trait::async_trait;
use lore_core::{Node, NodeId, Text, TextId, Timestamp, Viewer};
use lore_search::{Analysis, DocKey, Entry, Index, Meta, Query, Ranked, Vector, tag_key};
use lore_store::{Answered, Coverage, DocVector, Found, Search, StoreResult, Vectors, Waiting};
use parking_lot::{Mutex, RwLock};
use rusqlite::Connection;

use crate::fault::Answer;
use crate::rows::{self, Fields};
use crate::sight::{self, Sight};
use crate::store::{SqliteStore, capped};
use crate::{docs, nodes, texts};

#[async_trait]
impl Search for SqliteStore {
    async fn search(&self, viewer: &Viewer, query: Query) -> StoreResult<Found> {
        let (viewer, library) = (*viewer, Arc::clone(self.library()));
        self.read(move |db| {
            // One snapshot, so that everything the index names is still there.
            let snapshot = db.unchecked_transaction()?;
            let ranked = library.search(&snapshot, &viewer, &query)?;
            found(&snapshot, &viewer, ranked)
        })
        .await
    }

    async fn rank(&self, viewer: &Viewer, query: Query) -> StoreResult<Ranked> {
        let (viewer, library) = (*viewer, Arc::clone(self.library()));
        self.read(move |db| library.search(db, &viewer, &query)).await
    }
}

#[async_trait]
impl Vectors for SqliteStore {
    async fn without_vector(&self, model: &str, after: i64, limit: usize) -> StoreResult<Waiting> {
        let (model, limit) = (model.to_owned(), capped(limit));
        self.read(move |db| docs::without_vector(db, &model, after, limit)).await
    }

    async fn coverage(&self, viewer: &Viewer, model: &str) -> StoreResult<Coverage> {
        let (sight, model) = (Sight::of(viewer), model.to_owned());
        self.read(move |db| docs::coverage(db, sight, &model)).await
    }

    async fn put_vectors(&self, model: &str, vectors: Vec<DocVector>) -> StoreResult<usize> {
        let model = model.to_owned();
        self.write(move |db| {
            let mut kept = 0;
            for vector in &vectors {
                kept += usize::from(docs::put_vector(db, &model, vector)?);
            }
            Ok(kept)
        })
        .await
    }
}

/// The indexes of the worlds that were searched since the store was opened.
#[derive(Default)]
pub(crate) struct Library {
    shelves: Mutex<HashMap<i64, Arc<RwLock<Shelf>>>>,
}

/// The index of a world, and the sequence number of the last document row it has read.
#[derive(Default)]
struct Shelf {
    index: Index,
    read_to: i64,
}

impl Library {
    fn search(&self, db: &Connection, viewer: &Viewer, query: &Query) -> Answer<Ranked> {
        let world = viewer.world.0;
        let shelf = Arc::clone(self.shelves.lock().entry(world).or_default());
        let newest = newest(db, world)?;
        let shared = shelf.read();
        // Another reader may have seen a later commit than this one's snapshot.
        if shared.read_to >= newest {
            return Ok(shared.index.search(viewer, query));
        }
        drop(shared);
        shelf.write().catch_up(db, world)?;
        Ok(shelf.read().index.search(viewer, query))
    }
}

impl Shelf {
    fn catch_up(&mut self, db: &Connection, world: i64) -> Answer<()> {
        let mut statement = db.prepare_cached(&CHANGED)?;
        let mut rows = statement.query([world, self.read_to])?;
        while let Some(row) = rows.next()? {
            let mut fields = Fields::of(row);
            let seq = fields.take()?;
            match Known::read(db, fields)? {
                Known::Present(entry) => self.index.put(*entry),
                Known::Absent(key) => self.index.remove(key),
            }
            self.read_to = seq;
        }
        Ok(())
    }
}

/// Selects the documents of a world that an index has not read yet.
static CHANGED: LazyLock<String> = LazyLock::new(|| {
    format!(
        "SELECT d.seq, d.node, d.text,
      n.deleted_at IS NULL
        AND (d.text = 0 OR (t.deleted_at IS NULL AND t.searchable AND t.node = d.node)),
      d.analysis, d.model, d.vector,
      n.kind, n.namespace, n.subtype_key,
      (SELECT json_group_array(g.name) FROM node_tag ng JOIN tag g ON g.id = ng.tag
       WHERE ng.node = n.id AND {}),
      n.visibility, n.private_to, n.created_at,
      t.kind, t.visibility, t.private_to, t.created_at, t.position,
      t.source, t.session, t.author, t.occurred_at
    FROM doc d JOIN node n ON n.id = d.node LEFT JOIN text t ON t.id = d.text
    WHERE d.world = ?1 AND d.seq > ?2 ORDER BY d.seq",
        sight::open_tag()
    )
});

/// What a document row means for the index.
enum Known {
    Present(Box<Entry>),
    Absent(DocKey),
}

impl Known {
    fn read(db: &Connection, mut fields: Fields<'_, '_>) -> Answer<Self> {
        let key = docs::key(fields.take()?, fields.take()?);
        if !fields.take::<bool>()? {
            return Ok(Self::Absent(key));
        }
        let stored: Vec<u8> = fields.take()?;
        let analysis = match Analysis::decode(&stored) {
            Some(analysis) => analysis,
            // The row is older than stored analyses, or its analysis has another format.
            None => docs::analysis(db, key)?,
        };
        if analysis.is_empty() {
            return Ok(Self::Absent(key));
        }
        let vector = vector(fields.take()?, fields.take()?);
        let meta = meta(fields, key)?;
        Ok(Self::Present(Box::new(Entry { key, analysis: Arc::new(analysis), vector, meta })))
    }
}

fn meta(mut fields: Fields<'_, '_>, key: DocKey) -> Answer<Meta> {
    let mut meta = Meta::new(fields.word()?, Timestamp::UNIX_EPOCH);
    meta.namespace = fields.take()?;
    meta.subtype_key = fields.take::<Option<String>>()?.filter(|_| key.text.is_none());
    meta.tag_keys = fields.strings()?.iter().map(|tag| tag_key(tag)).collect();
    meta.node_visibility = fields.visibility()?;
    meta.text_visibility = meta.node_visibility;
    meta.created_at = fields.moment()?;
    if key.text.is_none() {
        return Ok(meta);
    }
    meta.text_kind = Some(fields.word()?);
    meta.text_visibility = fields.visibility()?;
    meta.created_at = fields.moment()?;
    meta.position = fields.take()?;
    let provenance = fields.provenance()?;
    meta.source = provenance.source;
    meta.session = provenance.session;
    meta.author = provenance.author;
    meta.occurred_at = provenance.occurred_at;
    Ok(meta)
}

/// Decodes a stored vector: four bytes per number, little-endian.
fn vector(model: Option<String>, bytes: Option<Vec<u8>>) -> Option<Vector> {
    let (model, bytes) = (model?, bytes?);
    let (numbers, _) = bytes.as_chunks::<4>();
    let values = numbers.iter().map(|number| f32::from_le_bytes(*number)).collect();
    Some(Vector { model: model.into(), values })
}

/// The sequence number of the newest document row of a world; 0 if there is none.
pub(crate) fn newest(db: &Connection, world: i64) -> Answer<i64> {
    let sql = "SELECT coalesce(max(seq), 0) FROM doc WHERE world = ?1";
    Ok(db.prepare_cached(sql)?.query_row([world], |row| row.get(0))?)
}

/// Reads the nodes and texts of the hits, as the viewer sees them.
fn found(db: &Connection, viewer: &Viewer, ranked: Ranked) -> Answer<Found> {
    let sight = Sight::of(viewer);
    let node_ids = rows::list(ranked.hits.iter().map(|hit| hit.key.node.0));
    let text_ids = rows::list(ranked.hits.iter().filter_map(|hit| hit.key.text).map(|text| text.0));
    let nodes: HashMap<NodeId, Node> = nodes::several(db, sight, "id", node_ids)?
        .into_iter()
        .map(|node| (node.id, node))
        .collect();
    let mut texts: HashMap<TextId, Text> =
        texts::several(db, sight, text_ids)?.into_iter().map(|text| (text.id, text)).collect();
    let answers = ranked.hits.into_iter().filter_map(|hit| {
        let node = nodes.get(&hit.key.node)?.clone();
        let text = match hit.key.text {
            Some(id) => Some(texts.remove(&id)?),
            None => None,
        };
        Some(Answered { hit, node, text })
    });
    Ok(Found { answers: answers.collect(), total: ranked.total })
}

//! The documents that search reads, as rows. Written together with their source, read by
//! [`crate::search`].
//!
//! A document is either a text, or the head of a node: its name, aliases, tags and subtype.
//! `migrations/0003_search.sql` explains how indexes in memory, including those of other processes,
//! learn of changes.

use std::collections::HashSet;

use lore_core::{NodeId, TextId};
use lore_markup::seen;
use lore_search::{Analysis, DocKey, Document, Head};
use lore_store::{Coverage, DocVector, Renamed, Unembedded, Waiting};
use rusqlite::{Connection, Transaction, TransactionBehavior, params};

use crate::counter;
use crate::fault::{Answer, missing};
use crate::rows::{self, Fields};
use crate::sight::{self, Named, Presence, Sight};

/// The table of documents.
pub(crate) const TABLE: &str = "doc";
/// How many nodes one transaction handles when documents are rebuilt.
pub(crate) const REBUILT_AT_ONCE: i64 = 500;
/// The value of the column `text` in the document of a node's head.
const HEAD: i64 = 0;

/// The key of the document in a row.
pub(crate) fn key(node: i64, text: i64) -> DocKey {
    let text = Some(TextId(text)).filter(|text| text.0 != HEAD);
    DocKey { node: NodeId(node), text }
}

/// Rewrites the document of a text.
pub(crate) fn put_text(db: &Connection, world: i64, node: i64, text: i64) -> Answer<()> {
    put(db, world, node, text, &text_analysis(db, text)?.encode())
}

/// Rewrites the document of a node's head.
pub(crate) fn put_head(db: &Connection, world: i64, node: i64) -> Answer<()> {
    put(db, world, node, HEAD, &head_analysis(db, node)?.encode())
}

/// Makes indexes read again whether a text is live and who sees it.
pub(crate) fn touch_text(db: &Connection, node: i64, text: i64) -> Answer<()> {
    let sql = "UPDATE doc SET seq = (SELECT max(seq) FROM doc) + 1 WHERE node = ?1 AND text = ?2";
    db.prepare_cached(sql)?.execute(params![node, text])?;
    Ok(())
}

/// Makes indexes read again the head and all texts of a node.
pub(crate) fn touch_node(db: &Connection, node: i64) -> Answer<()> {
    let mut statement = db.prepare_cached("SELECT text FROM doc WHERE node = ?1 ORDER BY text")?;
    let texts = rows::all(statement.query([node])?, |row| Fields::of(row).take::<i64>())?;
    texts.into_iter().try_for_each(|text| touch_text(db, node, text))
}

/// Rewrites the heads of all nodes with a tag, and makes indexes read their texts again.
pub(crate) fn put_tagged(db: &Connection, world: i64, tag: &str) -> Answer<()> {
    let sql = "SELECT ng.node FROM tag g JOIN node_tag ng ON ng.tag = g.id
               WHERE g.world = ?1 AND g.key = ?2 ORDER BY ng.node";
    let mut statement = db.prepare_cached(sql)?;
    let nodes = rows::all(statement.query(params![world, tag])?, |row| Fields::of(row).take())?;
    nodes.into_iter().try_for_each(|node| {
        touch_node(db, node)?;
        put_head(db, world, node)
    })
}

/// Which documents count when asking for changed nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Told {
    /// Only heads of nodes.
    Heads,
    /// Heads and texts.
    All,
}

/// The nodes of a world whose documents changed after `mark`.
pub(crate) fn changed(
    db: &Connection,
    world: i64,
    told: Told,
    mark: i64,
    limit: i64,
) -> Answer<Renamed> {
    let end = db
        .prepare_cached("SELECT coalesce(max(seq), 0) FROM doc WHERE world = ?1")?
        .query_row([world], |row| row.get::<_, i64>(0))?;
    let sql = match told {
        Told::Heads => {
            "SELECT node, seq FROM doc WHERE world = ?1 AND seq > ?2 AND seq <= ?3 AND text = 0
             ORDER BY seq LIMIT ?4"
        }
        Told::All => {
            "SELECT node, seq FROM doc WHERE world = ?1 AND seq > ?2 AND seq <= ?3
             ORDER BY seq LIMIT ?4"
        }
    };
    let mut statement = db.prepare_cached(sql)?;
    let rows = statement.query(params![world, mark, end, limit])?;
    let rows: Vec<(i64, i64)> = rows::all(rows, |row| {
        let mut fields = Fields::of(row);
        Ok((fields.take()?, fields.take()?))
    })?;
    let cut = rows.last().filter(|_| rows.len() as i64 == limit).map(|(_, seq)| *seq);
    let mut seen = HashSet::new();
    let nodes = rows.iter().map(|(node, _)| NodeId(*node)).filter(|node| seen.insert(*node));
    let nodes = nodes.collect();
    Ok(Renamed { nodes, mark: cut.unwrap_or(end).max(mark) })
}

/// Computes the search analysis of a document from its source.
pub(crate) fn analysis(db: &Connection, key: DocKey) -> Answer<Analysis> {
    match key.text {
        Some(text) => text_analysis(db, text.0),
        None => head_analysis(db, key.node.0),
    }
}

/// Rewrites the documents of up to `limit` nodes with ids above `node`. Returns the last of these
/// nodes and the number of documents written; `None` if there are no more nodes.
pub(crate) fn rebuild(db: &Connection, node: i64, limit: i64) -> Answer<Option<(i64, u64)>> {
    let sql = "SELECT id, world FROM node WHERE id > ?1 ORDER BY id LIMIT ?2";
    let mut statement = db.prepare_cached(sql)?;
    let nodes: Vec<(i64, i64)> = rows::all(statement.query([node, limit])?, |row| {
        let mut fields = Fields::of(row);
        Ok((fields.take()?, fields.take()?))
    })?;
    let mut written = 0;
    for (node, world) in &nodes {
        put_head(db, *world, *node)?;
        let mut texts = db.prepare_cached("SELECT id FROM text WHERE node = ?1 ORDER BY id")?;
        let texts = rows::all(texts.query([node])?, |row| Fields::of(row).take::<i64>())?;
        texts.iter().try_for_each(|text| put_text(db, *world, *node, *text))?;
        written += 1 + texts.len() as u64;
    }
    Ok(nodes.last().map(|(node, _)| (*node, written)))
}

/// Condition for the documents that get embedded: everything search finds, except heads whose name
/// is only derived from a text.
const READ: &str = "(d.text <> 0 AND t.deleted_at IS NULL AND t.searchable AND t.node = d.node
    OR d.text = 0 AND NOT n.derived_name)";

/// Documents without a vector of `model`, oldest change first. Starting at `after` avoids reading
/// again the documents that have a vector or never get one.
pub(crate) fn without_vector(
    db: &Connection,
    model: &str,
    after: i64,
    limit: i64,
) -> Answer<Waiting> {
    let end: i64 = db
        .prepare_cached("SELECT coalesce(max(seq), 0) FROM doc")?
        .query_row((), |row| row.get(0))?;
    let sql = format!(
        "SELECT d.seq, d.node, d.text FROM doc d
         JOIN node n ON n.id = d.node LEFT JOIN text t ON t.id = d.text
         WHERE d.seq > ?2 AND d.seq <= ?3 AND +d.model IS NOT ?1 AND n.deleted_at IS NULL AND {READ}
         ORDER BY d.seq LIMIT ?4"
    );
    let mut statement = db.prepare_cached(&sql)?;
    let docs = rows::all(statement.query(params![model, after, end, limit])?, |row| {
        let mut fields = Fields::of(row);
        let state = fields.take()?;
        Ok(Unembedded { state, text: said(db, key(fields.take()?, fields.take()?))? })
    })?;
    let cut = docs.last().filter(|_| docs.len() as i64 == limit).map(|last| last.state);
    Ok(Waiting { docs, mark: cut.unwrap_or(end).max(after) })
}

/// How many of the documents that a viewer sees have a vector of `model`, and how many do not.
pub(crate) fn coverage(db: &Connection, sight: Sight, model: &str) -> Answer<Coverage> {
    let sql = format!(
        "SELECT count(*) FILTER (WHERE d.model IS :model), count(*) FROM doc d
         JOIN node n ON n.id = d.node LEFT JOIN text t ON t.id = d.text
         WHERE d.world = :world AND {READ} AND (d.text = 0 AND {} OR d.text <> 0 AND {})",
        sight::known_node("n", Presence::Live),
        sight::text(Presence::Live)
    );
    let mut statement = db.prepare_cached(&sql)?;
    let own: [Named<'_>; 1] = [(":model", &model)];
    let counts = |row: &rusqlite::Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?));
    let (done, all) = statement.query_row(sight.with(&own).as_slice(), counts)?;
    Ok(Coverage { done: done.unsigned_abs(), waiting: (all - done).unsigned_abs() })
}

/// Stores the vector of a document, unless the document has changed since. Indexes treat this as a
/// change of the document. Returns whether the vector was stored.
pub(crate) fn put_vector(db: &Connection, model: &str, vector: &DocVector) -> Answer<bool> {
    let bytes: Vec<u8> = vector.values.iter().flat_map(|value| value.to_le_bytes()).collect();
    let sql = "UPDATE doc SET model = ?2, vector = ?3, seq = (SELECT max(seq) FROM doc) + 1
               WHERE seq = ?1";
    Ok(db.prepare_cached(sql)?.execute(params![vector.state, model, bytes])? != 0)
}

/// Rewrites all documents if another version of the analysis wrote them, or if the store is older
/// than the documents.
pub(crate) fn settle(db: &Connection) -> Answer<()> {
    let version = i64::from(Analysis::VERSION);
    if counter::last(db, counter::STORE, counter::ANALYSES)? == version {
        return Ok(());
    }
    let mut node = 0;
    loop {
        let transaction = Transaction::new_unchecked(db, TransactionBehavior::Immediate)?;
        let rebuilt = rebuild(&transaction, node, REBUILT_AT_ONCE)?;
        if rebuilt.is_none() {
            counter::set(&transaction, counter::STORE, counter::ANALYSES, version)?;
        }
        transaction.commit()?;
        match rebuilt {
            Some((last, _)) => node = last,
            None => return Ok(()),
        }
    }
}

/// Counts documents that are missing, damaged or out of date.
pub(crate) fn out_of_step(db: &Connection) -> Answer<u64> {
    let whole = "d.seal IS seal_of(d.seq, d.world, d.node, d.text, d.analysis, d.model, d.vector)";
    let sql = format!(
        "SELECT n.id, 0, d.analysis, {whole} FROM node n
         LEFT JOIN doc d ON d.node = n.id AND d.text = 0 AND d.world = n.world
         UNION ALL
         SELECT t.node, t.id, d.analysis, {whole} FROM text t JOIN node n ON n.id = t.node
         LEFT JOIN doc d ON d.node = t.node AND d.text = t.id AND d.world = n.world"
    );
    let mut statement = db.prepare(&sql)?;
    let mut rows = statement.query(())?;
    let mut wrong = 0;
    while let Some(row) = rows.next()? {
        let mut fields = Fields::of(row);
        let key = key(fields.take()?, fields.take()?);
        let stored: Option<Vec<u8>> = fields.take()?;
        let whole: bool = fields.take()?;
        if !whole || stored != Some(analysis(db, key)?.encode()) {
            wrong += 1;
        }
    }
    Ok(wrong)
}

/// Writes a document. This drops its vector, which belongs to the old words.
fn put(db: &Connection, world: i64, node: i64, text: i64, analysis: &[u8]) -> Answer<()> {
    let sql = "INSERT INTO doc (seq, world, node, text, analysis)
               VALUES ((SELECT coalesce(max(seq), 0) + 1 FROM doc), ?1, ?2, ?3, ?4)
               ON CONFLICT (node, text) DO UPDATE SET seq = excluded.seq,
                 analysis = excluded.analysis, model = NULL, vector = NULL";
    db.prepare_cached(sql)?.execute(params![world, node, text, analysis])?;
    Ok(())
}

/// The words of a document, for an embedding model.
fn said(db: &Connection, key: DocKey) -> Answer<String> {
    let sql = match key.text {
        Some(_) => "SELECT trim(title || char(10) || body, char(10)) FROM text WHERE id = ?1",
        None => "SELECT name || coalesce(', ' || subtype, '') FROM node WHERE id = ?1",
    };
    let id = key.text.map_or(key.node.0, |text| text.0);
    let said: String = db.prepare_cached(sql)?.query_row([id], |row| row.get(0))?;
    Ok(seen(&said).into_owned())
}

fn text_analysis(db: &Connection, text: i64) -> Answer<Analysis> {
    let sql = "SELECT title, body, author, occurred_at FROM text WHERE id = ?1";
    let mut statement = db.prepare_cached(sql)?;
    let read = |row: &rusqlite::Row<'_>| {
        let mut fields = Fields::of(row);
        let (title, body): (String, String) = (fields.take()?, fields.take()?);
        let author: Option<String> = fields.take()?;
        Ok(Analysis::of_text(&Document {
            title: &title,
            author: author.as_deref(),
            occurred_at: fields.maybe_moment()?,
            body: &body,
        }))
    };
    rows::first(statement.query([text])?, read)?.ok_or_else(|| missing(format!("text {text}")))
}

fn head_analysis(db: &Connection, node: i64) -> Answer<Analysis> {
    // One index serves everybody who sees the node, so it may hold only what all of them may know.
    let columns = rows::open_node_columns();
    let sql = format!("SELECT {columns} FROM node n WHERE n.id = ?1");
    let mut statement = db.prepare_cached(&sql)?;
    let node = rows::first(statement.query([node])?, rows::node)?
        .ok_or_else(|| missing(format!("node {node}")))?;
    Ok(Analysis::of_head(&Head {
        name: Some(node.name.as_str()).filter(|_| !node.derived_name),
        aliases: &node.aliases,
        tags: &node.tags,
        subtype: node.subtype.as_deref(),
    }))
}

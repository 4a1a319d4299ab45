//! The newest nodes, and counts of nodes and edges.

use lore_core::Node;
use lore_store::{NewestNodes, Tally};
use rusqlite::Connection;

use crate::fault::Answer;
use crate::rows::{self, Fields};
use crate::sight::{self, Presence, Sight};
use crate::store::limit_of;
use crate::veil;

/// The newest nodes of a kind and namespace. Reads the index `node_by_namespace` backwards.
pub(crate) fn newest(db: &Connection, sight: Sight, query: &NewestNodes) -> Answer<Vec<Node>> {
    let sql = format!(
        "SELECT {} FROM node n
         WHERE n.kind = :kind AND n.namespace = :namespace AND n.created_at < :before AND {}
         ORDER BY n.created_at DESC, n.id DESC LIMIT :limit OFFSET :offset",
        rows::node_columns(),
        sight::node("n", Presence::Live)
    );
    let before = query.before.map_or(i64::MAX, rows::micros);
    let offset = i64::try_from(query.offset).unwrap_or(i64::MAX);
    let limit = limit_of(query.limit);
    let kind = query.kind.as_str();
    let parameters = sight.with(&[
        (":kind", &kind),
        (":namespace", &query.namespace),
        (":before", &before),
        (":limit", &limit),
        (":offset", &offset),
    ]);
    let mut statement = db.prepare_cached(&sql)?;
    let mut nodes = rows::sound(statement.query(parameters.as_slice())?, rows::node)?;
    veil::draw(db, sight, &mut nodes)?;
    Ok(nodes)
}

/// Counts the nodes that the viewer sees, by kind and namespace.
pub(crate) fn tally(db: &Connection, sight: Sight) -> Answer<Vec<Tally>> {
    let sql = format!(
        "SELECT n.kind, n.namespace, count(*) FROM node n WHERE {}
         GROUP BY n.kind, n.namespace ORDER BY n.kind, n.namespace",
        sight::node("n", Presence::Live)
    );
    let mut statement = db.prepare_cached(&sql)?;
    rows::all(statement.query(sight.with(&[]).as_slice())?, |row| {
        let mut fields = Fields::of(row);
        let (kind, namespace, count) = (fields.word()?, fields.take()?, fields.take::<i64>()?);
        Ok(Tally { kind, namespace, count: count.unsigned_abs() })
    })
}

/// Counts the edges that the viewer sees.
pub(crate) fn edges(db: &Connection, sight: Sight) -> Answer<u64> {
    let sql = format!(
        "SELECT count(*) FROM edge e JOIN node s ON s.id = e.source JOIN node o ON o.id = e.target
         WHERE {}",
        sight::edge(Presence::Live)
    );
    let mut statement = db.prepare_cached(&sql)?;
    let count: i64 = statement.query_row(sight.with(&[]).as_slice(), |row| row.get(0))?;
    Ok(count.unsigned_abs())
}

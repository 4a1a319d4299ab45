//! Reading edges.

use async_trait::async_trait;
use lore_core::{Edge, EdgeKind, NodeId, PrincipalId, Viewer};
use lore_store::{Direction, Edges, StoreResult};
use rusqlite::Connection;

use crate::fault::Answer;
use crate::rows;
use crate::sight::{self, Named, Presence, Sight};
use crate::store::SqliteStore;
use crate::{tally, veil};

#[async_trait]
impl Edges for SqliteStore {
    async fn neighbours(
        &self,
        viewer: &Viewer,
        nodes: &[NodeId],
        direction: Direction,
        kinds: &[EdgeKind],
        limit: usize,
    ) -> StoreResult<Vec<Edge>> {
        let sight = Sight::of(viewer);
        let nodes: Vec<i64> = nodes.iter().map(|id| id.0).collect();
        let kinds: Vec<String> = kinds.iter().map(|kind| kind.as_str().to_owned()).collect();
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.read(move |db| neighbours(db, sight, nodes, direction, kinds, limit)).await
    }

    async fn edges_among(
        &self,
        viewer: &Viewer,
        nodes: &[NodeId],
        limit: usize,
    ) -> StoreResult<Vec<Edge>> {
        let sight = Sight::of(viewer);
        let nodes: Vec<i64> = nodes.iter().map(|id| id.0).collect();
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.read(move |db| {
            let sql = edges_sql(AMONG_NODES, "");
            let nodes = rows::list(nodes);
            let own: [Named<'_>; 2] = [(":nodes", &nodes), (":limit", &limit)];
            select(db, sight, &sql, &own)
        })
        .await
    }

    async fn edges_in_bin(
        &self,
        viewer: &Viewer,
        node: NodeId,
        limit: usize,
    ) -> StoreResult<Vec<Edge>> {
        let sight = Sight::of(viewer);
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.read(move |db| {
            let nodes = rows::list([node.0]);
            let own: [Named<'_>; 2] = [(":nodes", &nodes), (":limit", &limit)];
            let mut statement = db.prepare_cached(&binned_sql())?;
            rows::sound(statement.query(sight.with(&own).as_slice())?, rows::edge)
        })
        .await
    }

    async fn keepers(&self, nodes: &[NodeId]) -> StoreResult<Vec<PrincipalId>> {
        let nodes: Vec<i64> = nodes.iter().map(|id| id.0).collect();
        self.read(move |db| {
            let nodes = rows::list(nodes);
            let mut statement = db.prepare_cached(&keepers_sql())?;
            let own: [Named<'_>; 1] = [(":nodes", &nodes)];
            rows::all(statement.query(own.as_slice())?, |row| Ok(PrincipalId(row.get(0)?)))
        })
        .await
    }

    async fn count_edges(&self, viewer: &Viewer) -> StoreResult<u64> {
        let sight = Sight::of(viewer);
        self.read(move |db| tally::edges(db, sight)).await
    }
}

fn neighbours(
    db: &Connection,
    sight: Sight,
    nodes: Vec<i64>,
    direction: Direction,
    kinds: Vec<String>,
    limit: i64,
) -> Answer<Vec<Edge>> {
    let of_kind = if kinds.is_empty() { "" } else { "AND e.kind IN rarray(:kinds)" };
    let sql = edges_sql(at_nodes(direction), of_kind);
    let (nodes, kinds) = (rows::list(nodes), rows::list(kinds));
    let mut own: Vec<Named<'_>> = vec![(":nodes", &nodes), (":limit", &limit)];
    if !kinds.is_empty() {
        own.push((":kinds", &kinds));
    }
    select(db, sight, &sql, &own)
}

fn select(db: &Connection, sight: Sight, sql: &str, own: &[Named<'_>]) -> Answer<Vec<Edge>> {
    let mut statement = db.prepare_cached(sql)?;
    let mut edges = rows::sound(statement.query(sight.with(own).as_slice())?, rows::edge)?;
    veil::draw(db, sight, &mut edges)?;
    Ok(edges)
}

fn edges_sql(at_nodes: &str, of_kind: &str) -> String {
    selected(at_nodes, of_kind, &sight::edge(Presence::Live))
}

/// Edges of a node, whether or not it and their other ends are deleted.
fn binned_sql() -> String {
    let seen = sight::edge_between(Presence::Live, Presence::Any);
    selected(at_nodes(Direction::Both), "", &seen)
}

fn keepers_sql() -> String {
    format!(
        "SELECT e.private_to FROM edge e WHERE {} AND e.private_to IS NOT NULL
         UNION SELECT t.private_to FROM text t
         WHERE t.node IN rarray(:nodes) AND t.private_to IS NOT NULL ORDER BY 1",
        at_nodes(Direction::Both)
    )
}

fn selected(at_nodes: &str, of_kind: &str, seen: &str) -> String {
    format!(
        "SELECT {} FROM edge e CROSS JOIN node s ON s.id = e.source
           CROSS JOIN node o ON o.id = e.target
         WHERE {at_nodes} {of_kind} AND {seen} ORDER BY e.weight DESC, e.id LIMIT :limit",
        rows::EDGE,
    )
}

/// The plus sign keeps SQLite from using the index on `target`; the one on `source` is enough.
const AMONG_NODES: &str = "e.source IN rarray(:nodes) AND +e.target IN rarray(:nodes)";

/// Each direction uses its own index; for both directions an `OR` would use neither.
fn at_nodes(direction: Direction) -> &'static str {
    match direction {
        Direction::Out => "e.source IN rarray(:nodes)",
        Direction::In => "e.target IN rarray(:nodes)",
        Direction::Both => {
            "e.id IN (SELECT id FROM edge WHERE source IN rarray(:nodes)
                      UNION SELECT id FROM edge WHERE target IN rarray(:nodes))"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connection::tests::plan_of;

    #[test]
    fn edges_among_nodes_are_found_from_where_they_start() {
        let plan = plan_of(&edges_sql(AMONG_NODES, ""));
        assert!(plan.contains("source=?") && !plan.contains("target=?"), "{plan}");
    }

    #[test]
    fn neighbours_are_found_through_the_edges() {
        for direction in [Direction::Out, Direction::In, Direction::Both] {
            for of_kind in ["", "AND e.kind IN rarray(:kinds)"] {
                let plan = plan_of(&edges_sql(at_nodes(direction), of_kind));
                assert!(!plan.contains("world=?"), "{direction:?} {of_kind}\n{plan}");
                let scans = |line: &str| ["SCAN e", "SCAN s", "SCAN o"].contains(&line);
                assert!(!plan.lines().any(scans), "{direction:?} {of_kind}\n{plan}");
            }
        }
    }
}

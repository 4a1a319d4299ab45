//! Reading texts.

use async_trait::async_trait;
use lore_core::{NodeId, Text, TextId, Viewer};
use lore_store::{Bin, StoreResult, Texts};
use rusqlite::vtab::array::Array;
use rusqlite::{Connection, ToSql};

use crate::fault::Answer;
use crate::rows;
use crate::sight::{self, Presence, Sight};
use crate::store::SqliteStore;

#[async_trait]
impl Texts for SqliteStore {
    async fn text(&self, viewer: &Viewer, id: TextId) -> StoreResult<Option<Text>> {
        let sight = Sight::of(viewer);
        self.read(move |db| {
            let found = select(db, sight, "t.id = :key", &id.0, Presence::Live)?;
            Ok(found.into_iter().next())
        })
        .await
    }

    async fn texts_of(&self, viewer: &Viewer, node: NodeId, bin: Bin) -> StoreResult<Vec<Text>> {
        let sight = Sight::of(viewer);
        self.read(move |db| select(db, sight, "t.node = :key", &node.0, bin.into())).await
    }

    async fn texts_of_nodes(&self, viewer: &Viewer, nodes: &[NodeId]) -> StoreResult<Vec<Text>> {
        let sight = Sight::of(viewer);
        let nodes: Vec<i64> = nodes.iter().map(|node| node.0).collect();
        self.read(move |db| {
            let nodes = rows::list(nodes);
            select(db, sight, "t.node IN rarray(:key)", &nodes, Presence::Live)
        })
        .await
    }
}

/// Live texts by id.
pub(crate) fn several(db: &Connection, sight: Sight, ids: Array) -> Answer<Vec<Text>> {
    select(db, sight, "t.id IN rarray(:key)", &ids, Presence::Live)
}

fn select(
    db: &Connection,
    sight: Sight,
    condition: &str,
    key: &dyn ToSql,
    presence: Presence,
) -> Answer<Vec<Text>> {
    let sql = format!(
        "SELECT {} FROM text t JOIN node n ON n.id = t.node
         WHERE {condition} AND {} ORDER BY t.node, t.position, t.id",
        rows::TEXT,
        sight::text(presence)
    );
    let mut statement = db.prepare_cached(&sql)?;
    rows::all(statement.query(sight.with(&[(":key", key)]).as_slice())?, rows::text)
}

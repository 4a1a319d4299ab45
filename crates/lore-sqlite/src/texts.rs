//! Reading texts.

use async_trait::async_trait;
use lore_core::{NodeId, Text, TextId, Uid, Viewer};
use lore_store::{Bin, StoreResult, TextPage, TextQuery, Texts};
use rusqlite::vtab::array::Array;
use rusqlite::{Connection, ToSql};

use crate::fault::Answer;
use crate::rows;
use crate::sight::{self, Named, Presence, Sight};
use crate::store::{SqliteStore, limit_of};
use crate::veil;

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

    async fn text_by_uid(&self, viewer: &Viewer, uid: Uid) -> StoreResult<Option<Text>> {
        let sight = Sight::of(viewer);
        self.read(move |db| {
            let found = select(db, sight, "t.uid = :key", uid.as_bytes(), Presence::Live)?;
            Ok(found.into_iter().next())
        })
        .await
    }

    async fn find_texts(&self, viewer: &Viewer, query: TextQuery) -> StoreResult<TextPage> {
        let sight = Sight::of(viewer);
        self.read(move |db| find(db, sight, &query)).await
    }

    async fn texts_of(&self, viewer: &Viewer, node: NodeId, bin: Bin) -> StoreResult<Vec<Text>> {
        let sight = Sight::of(viewer);
        self.read(move |db| select(db, sight, "t.node = :key", &node.0, bin.into())).await
    }

    async fn texts_of_nodes(&self, viewer: &Viewer, nodes: &[NodeId]) -> StoreResult<Vec<Text>> {
        if nodes.is_empty() {
            return Ok(Vec::new());
        }
        let sight = Sight::of(viewer);
        let nodes: Vec<i64> = nodes.iter().map(|node| node.0).collect();
        self.read(move |db| {
            let nodes = rows::list(nodes);
            select(db, sight, "t.node IN rarray(:key)", &nodes, Presence::Live)
        })
        .await
    }
}

/// Live texts by id; damaged ones are left out.
pub(crate) fn several(db: &Connection, sight: Sight, ids: Array) -> Answer<Vec<Text>> {
    let mut statement = db.prepare_cached(&select_sql("t.id IN rarray(:key)", Presence::Live))?;
    let found = statement.query(sight.with(&[(":key", &ids)]).as_slice())?;
    let mut texts = rows::sound(found, rows::text)?;
    veil::draw(db, sight, &mut texts)?;
    Ok(texts)
}

/// The page and the total come from one snapshot.
fn find(db: &Connection, sight: Sight, query: &TextQuery) -> Answer<TextPage> {
    let snapshot = db.unchecked_transaction()?;
    let every = query.kinds.is_empty();
    let kinds = rows::list(query.kinds.iter().map(|kind| kind.as_str().to_owned()));
    let from = format!(
        "FROM text t JOIN node n ON n.id = t.node
         WHERE (:every OR t.kind IN rarray(:kinds))
           AND (NOT :hidden OR t.visibility <> 'members') AND {}",
        sight::text(Presence::Live)
    );
    let own: [Named<'_>; 3] = [(":every", &every), (":kinds", &kinds), (":hidden", &query.hidden)];
    let count = format!("SELECT count(*) {from}");
    let total: i64 = snapshot
        .prepare_cached(&count)?
        .query_row(sight.with(&own).as_slice(), |row| row.get(0))?;
    let limit = limit_of(query.limit);
    let offset = i64::try_from(query.offset).unwrap_or(i64::MAX);
    let page = format!("SELECT {} {from} ORDER BY t.id LIMIT :limit OFFSET :offset", rows::TEXT);
    let mut own = own.to_vec();
    own.extend([(":limit", &limit as &dyn ToSql), (":offset", &offset)]);
    let mut statement = snapshot.prepare_cached(&page)?;
    let mut items = rows::sound(statement.query(sight.with(&own).as_slice())?, rows::text)?;
    veil::draw(&snapshot, sight, &mut items)?;
    Ok(TextPage { items, total: total.unsigned_abs() })
}

fn select(
    db: &Connection,
    sight: Sight,
    condition: &str,
    key: &dyn ToSql,
    presence: Presence,
) -> Answer<Vec<Text>> {
    let mut statement = db.prepare_cached(&select_sql(condition, presence))?;
    let mut texts =
        rows::all(statement.query(sight.with(&[(":key", key)]).as_slice())?, rows::text)?;
    veil::draw(db, sight, &mut texts)?;
    Ok(texts)
}

/// Selects texts with their nodes. `CROSS` makes SQLite start from the texts instead of scanning
/// the nodes of all worlds.
fn select_sql(condition: &str, presence: Presence) -> String {
    format!(
        "SELECT {} FROM text t CROSS JOIN node n ON n.id = t.node
         WHERE {condition} AND {} ORDER BY t.node, t.position, t.id",
        rows::TEXT,
        sight::text(presence)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connection::tests::plan_of;

    #[test]
    fn texts_are_found_by_their_key_or_that_of_their_node() {
        for condition in ["t.id IN rarray(:key)", "t.node IN rarray(:key)", "t.uid = :key"] {
            let plan = plan_of(&select_sql(condition, Presence::Live));
            assert!(plan.starts_with("SEARCH t"), "{condition}\n{plan}");
            assert!(plan.contains("SEARCH n USING INTEGER PRIMARY KEY"), "{condition}\n{plan}");
        }
    }
}

//! Reading nodes.

use std::sync::Arc;

use async_trait::async_trait;
use lore_core::names::{name_key, plainly_spaced};
use lore_core::{Node, NodeId, Uid, Viewer};
use lore_store::{
    Access, Bin, NameMatch, NewestNodes, NodeKey, NodeOrder, NodeQuery, Nodes, Page, Renamed,
    StoreResult, Tally,
};
use rusqlite::vtab::array::Array;
use rusqlite::{Connection, ToSql};

use crate::docs::Told;
use crate::fault::Answer;
use crate::lists::{Asked, Lists};
use crate::rows::{self, Fields};
use crate::sight::{self, Named, Presence, Sight};
use crate::store::{SqliteStore, limit_of};
use crate::{docs, search, tally, veil};

#[async_trait]
impl Nodes for SqliteStore {
    async fn node(&self, viewer: &Viewer, key: NodeKey) -> StoreResult<Option<Node>> {
        let sight = Sight::of(viewer);
        self.glance(move |db| one(db, sight, &key, Presence::Live)).await
    }

    async fn node_in_bin(&self, viewer: &Viewer, key: NodeKey) -> StoreResult<Option<Node>> {
        let sight = Sight::of(viewer);
        self.glance(move |db| one(db, sight, &key, Presence::Deleted)).await
    }

    async fn nodes(&self, viewer: &Viewer, ids: &[NodeId]) -> StoreResult<Vec<Node>> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let sight = Sight::of(viewer);
        let ids: Vec<i64> = ids.iter().map(|id| id.0).collect();
        let rows = ids.len();
        self.read_up_to(rows, move |db| several(db, sight, "id", rows::list(ids))).await
    }

    async fn nodes_by_uid(&self, viewer: &Viewer, uids: &[Uid]) -> StoreResult<Vec<Node>> {
        let sight = Sight::of(viewer);
        let uids: Vec<Vec<u8>> = uids.iter().map(|uid| uid.as_bytes().to_vec()).collect();
        self.glance(move |db| several(db, sight, "uid", rows::list(uids))).await
    }

    async fn nodes_by_number(&self, viewer: &Viewer, numbers: &[i64]) -> StoreResult<Vec<Node>> {
        let sight = Sight::of(viewer);
        let numbers = numbers.to_vec();
        self.read(move |db| several(db, sight, "number", rows::list(numbers))).await
    }

    async fn concealed(&self, viewer: &Viewer, keys: &[NodeKey]) -> StoreResult<Vec<NodeKey>> {
        let sight = Sight::of(viewer);
        let (keys, rows) = (keys.to_vec(), keys.len());
        self.read_up_to(rows, move |db| {
            let mut concealed = Vec::new();
            for key in keys {
                if is_concealed(db, sight, &key)? {
                    concealed.push(key);
                }
            }
            Ok(concealed)
        })
        .await
    }

    async fn accesses(&self, viewer: &Viewer, ids: &[NodeId]) -> StoreResult<Vec<Access>> {
        let sight = Sight::of(viewer);
        let ids: Vec<i64> = ids.iter().map(|id| id.0).collect();
        self.glance(move |db| accesses(db, sight, rows::list(ids))).await
    }

    async fn find_nodes(&self, viewer: &Viewer, query: NodeQuery) -> StoreResult<Page<Node>> {
        let (sight, lists) = (Sight::of(viewer), Arc::clone(self.lists()));
        self.read(move |db| find(db, sight, &query, &lists)).await
    }

    async fn find_ids(&self, viewer: &Viewer, query: NodeQuery) -> StoreResult<Vec<NodeId>> {
        let (sight, lists) = (Sight::of(viewer), Arc::clone(self.lists()));
        self.read(move |db| {
            let snapshot = db.unchecked_transaction()?;
            Ok(listed(&snapshot, sight, &query, &lists)?.to_vec())
        })
        .await
    }

    async fn newest_nodes(&self, viewer: &Viewer, query: NewestNodes) -> StoreResult<Vec<Node>> {
        let sight = Sight::of(viewer);
        self.read(move |db| tally::newest(db, sight, &query)).await
    }

    async fn renamed(&self, viewer: &Viewer, mark: i64, limit: usize) -> StoreResult<Renamed> {
        let (world, limit) = (viewer.world.0, limit_of(limit));
        self.glance(move |db| docs::changed(db, world, Told::Heads, mark, limit)).await
    }

    async fn rewritten(&self, viewer: &Viewer, mark: i64, limit: usize) -> StoreResult<Renamed> {
        let (world, limit) = (viewer.world.0, limit_of(limit));
        self.glance(move |db| docs::changed(db, world, Told::All, mark, limit)).await
    }

    async fn tally(&self, viewer: &Viewer) -> StoreResult<Vec<Tally>> {
        let sight = Sight::of(viewer);
        self.read(move |db| tally::tally(db, sight)).await
    }
}

fn one(db: &Connection, sight: Sight, key: &NodeKey, presence: Presence) -> Answer<Option<Node>> {
    let (condition, parameters) = condition_of(key);
    let sql = format!(
        "SELECT {} FROM node n WHERE {condition} AND {}",
        rows::node_columns(),
        sight::node("n", presence)
    );
    let own = borrowed(&parameters);
    let mut statement = db.prepare_cached(&sql)?;
    let found = rows::first(statement.query(sight.with(&own).as_slice())?, rows::node)?;
    veil::drawn(db, sight, found)
}

/// The SQL condition that selects the node `n` for a key, with its parameters.
fn condition_of(key: &NodeKey) -> (&'static str, Vec<Owned>) {
    match key {
        NodeKey::Id(id) => ("n.id = :id", vec![(":id", Box::new(id.0))]),
        NodeKey::Uid(uid) => ("n.uid = :uid", vec![(":uid", Box::new(uid.as_bytes().to_vec()))]),
        NodeKey::Number(number) => ("n.number = :number", vec![(":number", Box::new(*number))]),
        NodeKey::KindNumber(kind, number) => (
            "n.kind = :kind AND n.kind_number = :number",
            vec![(":kind", Box::new(kind.as_str().to_owned())), (":number", Box::new(*number))],
        ),
    }
}

fn is_concealed(db: &Connection, sight: Sight, key: &NodeKey) -> Answer<bool> {
    let (condition, parameters) = condition_of(key);
    let own = borrowed(&parameters);
    let mut hidden = format!(
        "EXISTS (SELECT 1 FROM node n WHERE {condition} AND {})",
        sight::concealed_node("n")
    );
    if matches!(key, NodeKey::Uid(_)) {
        hidden += &format!(
            " OR EXISTS (SELECT 1 FROM text t JOIN node n ON n.id = t.node
               WHERE t.uid = :uid AND {})",
            sight::concealed_text()
        );
    }
    let mut statement = db.prepare_cached(&format!("SELECT {hidden}"))?;
    Ok(statement.query_row(sight.with(&own).as_slice(), |row| row.get(0))?)
}

/// Live nodes by a key column; damaged ones are left out.
pub(crate) fn several(
    db: &Connection,
    sight: Sight,
    column: &str,
    keys: Array,
) -> Answer<Vec<Node>> {
    several_of(db, sight, column, keys, Bin::Live)
}

/// Live or deleted nodes by a key column; damaged ones are left out.
fn several_of(
    db: &Connection,
    sight: Sight,
    column: &str,
    keys: Array,
    bin: Bin,
) -> Answer<Vec<Node>> {
    let mut statement = db.prepare_cached(&several_sql(column, bin))?;
    let found = statement.query(sight.with(&[(":keys", &keys)]).as_slice())?;
    let mut nodes = rows::sound(found, rows::node)?;
    veil::draw(db, sight, &mut nodes)?;
    Ok(nodes)
}

/// Numbers count within a world, so only the lookup by number may use the index on the world.
fn several_sql(column: &str, bin: Bin) -> String {
    let seen = if column == "number" { sight::node } else { sight::known_node };
    format!(
        "SELECT {} FROM node n WHERE n.{column} IN rarray(:keys) AND {} ORDER BY n.id",
        rows::node_columns(),
        seen("n", bin.into())
    )
}

/// `CROSS` makes SQLite read the accesses first, then their nodes.
fn accesses_sql() -> String {
    format!(
        "SELECT a.node, a.count, a.last_at FROM access a CROSS JOIN node n ON n.id = a.node
         WHERE a.node IN rarray(:ids) AND {} ORDER BY a.node",
        sight::known_node("n", Presence::Live)
    )
}

fn accesses(db: &Connection, sight: Sight, ids: Array) -> Answer<Vec<Access>> {
    let mut statement = db.prepare_cached(&accesses_sql())?;
    rows::all(statement.query(sight.with(&[(":ids", &ids)]).as_slice())?, |row| {
        let mut fields = Fields::of(row);
        Ok(Access {
            node: NodeId(fields.take()?),
            count: fields.take()?,
            last_at: fields.moment()?,
        })
    })
}

/// Finds a page of nodes. The page and the total come from one snapshot and one list of matching
/// ids; full rows, with tags and aliases, are read for the page only.
fn find(db: &Connection, sight: Sight, query: &NodeQuery, lists: &Lists) -> Answer<Page<Node>> {
    let snapshot = db.unchecked_transaction()?;
    let ids = listed(&snapshot, sight, query, lists)?;
    let place = |last| match query.order {
        // A last node that has been deleted since still has a place in this order.
        NodeOrder::Creation => ids.partition_point(|id| *id <= last),
        NodeOrder::Number => ids.iter().position(|id| *id == last).map_or(0, |at| at + 1),
    };
    let after = query.after.map_or(0, place);
    let limit = usize::try_from(limit_of(query.limit)).unwrap_or(usize::MAX);
    let left = ids.get(after.saturating_add(query.offset)..).unwrap_or_default();
    let shown = left.get(..limit).unwrap_or(left);
    let next = shown.last().copied().filter(|_| left.len() > shown.len());
    let keys = rows::list(shown.iter().map(|id| id.0));
    let mut items = several_of(&snapshot, sight, "id", keys, query.bin)?;
    if query.order == NodeOrder::Number {
        items.sort_unstable_by_key(|node| node.number);
    }
    Ok(Page { items, total: ids.len() as u64, next })
}

/// The ids of all nodes that match a query, in its order, within one snapshot. Uses the cache,
/// except for queries that find a few nodes faster than the cache would.
fn listed(
    snapshot: &Connection,
    sight: Sight,
    query: &NodeQuery,
    lists: &Lists,
) -> Answer<Arc<[NodeId]>> {
    let filter = Filter::of(query);
    let Some(asked) = Asked::of(sight, query).filter(|_| !filter.few) else {
        return Ok(filter.ids(snapshot, sight)?.into());
    };
    let newest = search::newest(snapshot, sight.world())?;
    if let Some(ids) = lists.find(&asked, newest) {
        return Ok(ids);
    }
    let ids: Arc<[NodeId]> = filter.ids(snapshot, sight)?.into();
    lists.keep(asked, newest, &ids);
    Ok(ids)
}

/// The SQL condition of a query, with its parameters.
struct Filter {
    /// Whether an index leads directly to a few nodes.
    few: bool,
    order: NodeOrder,
    condition: String,
    parameters: Vec<Owned>,
}

impl Filter {
    fn of(query: &NodeQuery) -> Self {
        // A name or a tag leads to few nodes, so SQLite must not go through all nodes of a kind
        // instead.
        let few = !query.tags.is_empty()
            || query.among.is_some()
            || matches!(query.name, Some(NameMatch::Exact(_)));
        let seen = if few { sight::known_node } else { sight::node };
        let condition = seen("n", query.bin.into());
        let mut filter = Self { few, order: query.order, condition, parameters: Vec::new() };
        if !query.kinds.is_empty() {
            let kinds = query.kinds.iter().map(|kind| kind.as_str().to_owned());
            let of_kind = match few || query.name.is_some() {
                true => "+n.kind IN rarray(:kinds)",
                false => "n.kind IN rarray(:kinds)",
            };
            filter.add(of_kind, ":kinds", rows::list(kinds));
        }
        if !query.except_kinds.is_empty() {
            let kinds = query.except_kinds.iter().map(|kind| kind.as_str().to_owned());
            filter.add("n.kind NOT IN rarray(:except)", ":except", rows::list(kinds));
        }
        if let Some(namespace) = &query.namespace {
            filter.add("n.namespace = :namespace", ":namespace", namespace.clone());
        }
        if let Some(subtype) = &query.subtype {
            filter.add("n.subtype_key = :subtype", ":subtype", name_key(subtype));
        }
        if let Some(since) = query.since {
            let later = format!("{} > :since", sight::changed("at"));
            filter.add(&later, ":since", rows::micros(since));
        }
        if let Some(among) = &query.among {
            let ids = rows::list(among.iter().map(|id| id.0));
            filter.add("n.id IN rarray(:among)", ":among", ids);
        }
        match &query.name {
            None => {}
            Some(NameMatch::Exact(name)) => {
                filter.add(EXACT_NAME, ":name", name_key(name));
                filter.parameters.push((":spaced", Box::new(name_key(&plainly_spaced(name)))));
            }
            Some(NameMatch::Contains(part)) => filter.add(PART_OF_NAME, ":name", name_key(part)),
        }
        filter.add_tags(&query.tags);
        filter
    }

    fn add(&mut self, condition: &str, name: &'static str, value: impl ToSql + 'static) {
        self.condition.push_str(" AND ");
        self.condition.push_str(condition);
        self.parameters.push((name, Box::new(value)));
    }

    fn add_tags(&mut self, tags: &[String]) {
        let mut keys: Vec<String> = tags.iter().map(|tag| name_key(tag)).collect();
        keys.sort_unstable();
        keys.dedup();
        if keys.is_empty() {
            return;
        }
        let wanted = keys.len() as i64;
        self.add(&all_tags(), ":tags", rows::list(keys));
        self.parameters.push((":wanted", Box::new(wanted)));
    }

    /// The ids of matching nodes, in the order of the query.
    fn ids(&self, db: &Connection, sight: Sight) -> Answer<Vec<NodeId>> {
        let own = borrowed(&self.parameters);
        let mut statement = db.prepare_cached(&self.ids_sql())?;
        let mut found = rows::all(statement.query(sight.with(&own).as_slice())?, |row| {
            let mut fields = Fields::of(row);
            Ok((fields.take::<i64>()?, NodeId(fields.take()?)))
        })?;
        // Sorting the numbers here is faster than sorting rows in SQLite.
        found.sort_unstable();
        Ok(found.into_iter().map(|(_, id)| id).collect())
    }

    fn ids_sql(&self) -> String {
        let place = match self.order {
            NodeOrder::Creation => "n.id",
            NodeOrder::Number => "n.number",
        };
        format!("SELECT {place}, n.id FROM node n WHERE {}", self.condition)
    }
}

/// Both halves use an index; an `OR` over the two tables would not. `:spaced` covers names that
/// earlier versions stored with other whitespace than spaces.
const EXACT_NAME: &str = "n.id IN (
    SELECT id FROM node WHERE world = :world AND name_key IN (:name, :spaced)
    UNION SELECT node FROM alias WHERE name_key IN (:name, :spaced))";

/// The indexes hold every name, so SQLite reads only the rows that match. `instr` takes the part
/// literally; `LIKE` would interpret wildcards in it.
const PART_OF_NAME: &str = "(instr(n.name_key, :name) > 0 OR n.id IN (
    SELECT node FROM alias WHERE instr(name_key, :name) > 0))";

/// The condition for nodes that have all wanted tags. `CROSS` makes SQLite start from the tags
/// instead of going through all nodes.
fn all_tags() -> String {
    format!(
        "n.id IN (
           SELECT n.id FROM tag g CROSS JOIN node_tag ng ON ng.tag = g.id
             CROSS JOIN node n ON n.id = ng.node
           WHERE g.world = :world AND g.key IN rarray(:tags) AND {}
           GROUP BY n.id HAVING count(DISTINCT g.key) = :wanted)",
        sight::tag()
    )
}

/// A named parameter that owns its value.
type Owned = (&'static str, Box<dyn ToSql>);

fn borrowed(parameters: &[Owned]) -> Vec<Named<'_>> {
    parameters.iter().map(|(name, value)| (*name, value.as_ref())).collect()
}

#[cfg(test)]
mod tests {
    use lore_core::names::Word;

    use super::*;
    use crate::connection::tests::plan_of;

    #[test]
    fn a_few_nodes_are_found_without_walking_through_the_world() {
        let kinds = vec![Word::new("kind", "character").unwrap()];
        let named = NodeQuery {
            kinds: kinds.clone(),
            name: Some(NameMatch::Exact("Aelysh".into())),
            ..NodeQuery::default()
        };
        let some = NodeQuery {
            kinds: kinds.clone(),
            among: Some(vec![NodeId(1)]),
            ..NodeQuery::default()
        };
        let tagged = NodeQuery { kinds, tags: vec!["elf".into()], ..NodeQuery::default() };
        for sql in [
            several_sql("id", Bin::Live),
            several_sql("uid", Bin::Live),
            accesses_sql(),
            Filter::of(&named).ids_sql(),
            Filter::of(&tagged).ids_sql(),
            Filter::of(&some).ids_sql(),
        ] {
            let plan = plan_of(&sql);
            assert!(!plan.contains("(world=?)"), "{sql}\n{plan}");
            assert!(!plan.contains("(world=? AND kind=?)"), "{sql}\n{plan}");
            assert!(!plan.lines().any(|line| line == "SCAN n"), "{sql}\n{plan}");
        }
    }

    #[test]
    fn what_was_seen_of_a_node_last_is_found_by_its_key() {
        let since = Some(lore_core::Timestamp::UNIX_EPOCH);
        let few = NodeQuery { since, among: Some(vec![NodeId(1)]), ..NodeQuery::default() };
        let many = NodeQuery { since, ..NodeQuery::default() };
        for sql in
            [several_sql("id", Bin::Live), Filter::of(&few).ids_sql(), Filter::of(&many).ids_sql()]
        {
            let plan = plan_of(&sql);
            assert!(plan.contains("SEARCH c USING INTEGER PRIMARY KEY"), "{sql}\n{plan}");
            assert!(!plan.lines().any(|line| line == "SCAN n"), "{sql}\n{plan}");
        }
    }

    #[test]
    fn part_of_a_name_is_looked_for_in_the_indexes_alone() {
        let part = NameMatch::Contains("ely".into());
        let kinds = vec![Word::new("kind", "character").unwrap()];
        let named = NodeQuery { name: Some(part), kinds, ..NodeQuery::default() };
        let plan = plan_of(&Filter::of(&named).ids_sql());
        assert!(plan.contains("SEARCH n USING INDEX node_by_name (world=?)"), "{plan}");
        assert!(plan.contains("SCAN alias USING COVERING INDEX alias_by_name"), "{plan}");
    }
}

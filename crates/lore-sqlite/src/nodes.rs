//! Reading nodes.

use async_trait::async_trait;
use lore_core::names::name_key;
use lore_core::{Node, NodeId, Uid, Viewer};
use lore_store::{
    Access, NameMatch, NewestNodes, NodeKey, NodeQuery, Nodes, Page, Renamed, StoreResult, Tally,
};
use rusqlite::vtab::array::Array;
use rusqlite::{Connection, ToSql};

use crate::docs::Told;
use crate::fault::Answer;
use crate::rows::{self, Fields};
use crate::sight::{self, Named, Presence, Sight};
use crate::store::{SqliteStore, limit_of};
use crate::{docs, tally};

#[async_trait]
impl Nodes for SqliteStore {
    async fn node(&self, viewer: &Viewer, key: NodeKey) -> StoreResult<Option<Node>> {
        let sight = Sight::of(viewer);
        self.glance(move |db| one(db, sight, &key)).await
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

    async fn accesses(&self, viewer: &Viewer, ids: &[NodeId]) -> StoreResult<Vec<Access>> {
        let sight = Sight::of(viewer);
        let ids: Vec<i64> = ids.iter().map(|id| id.0).collect();
        self.glance(move |db| accesses(db, sight, rows::list(ids))).await
    }

    async fn find_nodes(&self, viewer: &Viewer, query: NodeQuery) -> StoreResult<Page<Node>> {
        let sight = Sight::of(viewer);
        self.read(move |db| find(db, sight, &query)).await
    }

    async fn find_ids(&self, viewer: &Viewer, query: NodeQuery) -> StoreResult<Vec<NodeId>> {
        let sight = Sight::of(viewer);
        self.read(move |db| Filter::of(&query).ids(db, sight)).await
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

fn one(db: &Connection, sight: Sight, key: &NodeKey) -> Answer<Option<Node>> {
    let (condition, parameters): (&str, Vec<Owned>) = match key {
        NodeKey::Id(id) => ("n.id = :id", vec![(":id", Box::new(id.0))]),
        NodeKey::Uid(uid) => ("n.uid = :uid", vec![(":uid", Box::new(uid.as_bytes().to_vec()))]),
        NodeKey::Number(number) => ("n.number = :number", vec![(":number", Box::new(*number))]),
        NodeKey::KindNumber(kind, number) => (
            "n.kind = :kind AND n.kind_number = :number",
            vec![(":kind", Box::new(kind.as_str().to_owned())), (":number", Box::new(*number))],
        ),
    };
    let sql = format!(
        "SELECT {} FROM node n WHERE {condition} AND {}",
        rows::NODE,
        sight::node("n", Presence::Live)
    );
    let own = borrowed(&parameters);
    let mut statement = db.prepare_cached(&sql)?;
    rows::first(statement.query(sight.with(&own).as_slice())?, rows::node)
}

/// Live nodes by a key column.
pub(crate) fn several(
    db: &Connection,
    sight: Sight,
    column: &str,
    keys: Array,
) -> Answer<Vec<Node>> {
    let mut statement = db.prepare_cached(&several_sql(column))?;
    rows::all(statement.query(sight.with(&[(":keys", &keys)]).as_slice())?, rows::node)
}

/// Numbers count within a world, so only they are found through it.
fn several_sql(column: &str) -> String {
    let seen = if column == "number" { sight::node } else { sight::known_node };
    format!(
        "SELECT {} FROM node n WHERE n.{column} IN rarray(:keys) AND {} ORDER BY n.id",
        rows::NODE,
        seen("n", Presence::Live)
    )
}

/// Accesses first, then their nodes, whatever SQLite thinks of it.
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

/// The page and the total come from one snapshot.
fn find(db: &Connection, sight: Sight, query: &NodeQuery) -> Answer<Page<Node>> {
    let snapshot = db.unchecked_transaction()?;
    let filter = Filter::of(query);
    let total = filter.count(&snapshot, sight)?;
    let limit = limit_of(query.limit);
    let mut items = filter.page(&snapshot, sight, query, limit + 1)?;
    let more = items.len() as i64 > limit;
    items.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    let next = items.last().map(|last| last.id).filter(|_| more);
    Ok(Page { items, total, next })
}

/// The conditions of a query with their parameters.
struct Filter {
    condition: String,
    parameters: Vec<Owned>,
}

impl Filter {
    fn of(query: &NodeQuery) -> Self {
        // Who has a name or a tag is found through that, not among all of a kind.
        let few = !query.tags.is_empty()
            || query.among.is_some()
            || matches!(query.name, Some(NameMatch::Exact(_)));
        let (seen, of_kind) = if few {
            (sight::known_node("n", query.bin.into()), "+n.kind IN rarray(:kinds)")
        } else {
            (sight::node("n", query.bin.into()), "n.kind IN rarray(:kinds)")
        };
        let mut filter = Self { condition: seen, parameters: Vec::new() };
        if !query.kinds.is_empty() {
            let kinds = query.kinds.iter().map(|kind| kind.as_str().to_owned());
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
            filter.add("n.updated_at > :since", ":since", rows::micros(since));
        }
        if let Some(among) = &query.among {
            let ids = rows::list(among.iter().map(|id| id.0));
            filter.add("n.id IN rarray(:among)", ":among", ids);
        }
        match &query.name {
            None => {}
            Some(NameMatch::Exact(name)) => filter.add(EXACT_NAME, ":name", name_key(name)),
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
        self.add(ALL_TAGS, ":tags", rows::list(keys));
        self.parameters.push((":wanted", Box::new(wanted)));
    }

    fn count(&self, db: &Connection, sight: Sight) -> Answer<u64> {
        let sql = format!("SELECT count(*) FROM node n WHERE {}", self.condition);
        let own = borrowed(&self.parameters);
        let mut statement = db.prepare_cached(&sql)?;
        let count: i64 = statement.query_row(sight.with(&own).as_slice(), |row| row.get(0))?;
        Ok(count.unsigned_abs())
    }

    fn page(
        &self,
        db: &Connection,
        sight: Sight,
        query: &NodeQuery,
        limit: i64,
    ) -> Answer<Vec<Node>> {
        let after = query.after.map_or(0, |id| id.0);
        let offset = i64::try_from(query.offset).unwrap_or(i64::MAX);
        let mut own = borrowed(&self.parameters);
        own.extend([(":after", &after as &dyn ToSql), (":limit", &limit), (":offset", &offset)]);
        let mut statement = db.prepare_cached(&self.page_sql())?;
        rows::all(statement.query(sight.with(&own).as_slice())?, rows::node)
    }

    /// First the ids of the page, then their rows: sorting whole rows, with their tags and
    /// aliases, would read those of every node that matches.
    fn page_sql(&self) -> String {
        format!(
            "SELECT {} FROM node n WHERE n.id IN (
               SELECT n.id FROM node n WHERE {} AND n.id > :after
               ORDER BY n.id LIMIT :limit OFFSET :offset) ORDER BY n.id",
            rows::NODE,
            self.condition
        )
    }

    fn ids(&self, db: &Connection, sight: Sight) -> Answer<Vec<NodeId>> {
        let own = borrowed(&self.parameters);
        let mut statement = db.prepare_cached(&self.ids_sql())?;
        rows::all(statement.query(sight.with(&own).as_slice())?, |row| {
            Ok(NodeId(Fields::of(row).take()?))
        })
    }

    fn ids_sql(&self) -> String {
        format!("SELECT n.id FROM node n WHERE {} ORDER BY n.id", self.condition)
    }
}

/// Both halves use an index; an `OR` over the two tables would not.
const EXACT_NAME: &str = "n.id IN (
    SELECT id FROM node WHERE world = :world AND name_key = :name
    UNION SELECT node FROM alias WHERE name_key = :name)";

/// `instr` takes the part literally; `LIKE` would see wildcards in it.
const PART_OF_NAME: &str = "(instr(n.name_key, :name) > 0 OR EXISTS (
    SELECT 1 FROM alias a WHERE a.node = n.id AND instr(a.name_key, :name) > 0))";

const ALL_TAGS: &str = "n.id IN (
    SELECT ng.node FROM tag g JOIN node_tag ng ON ng.tag = g.id
    WHERE g.world = :world AND g.key IN rarray(:tags)
    GROUP BY ng.node HAVING count(*) = :wanted)";

/// A named parameter that keeps its value.
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
            several_sql("id"),
            several_sql("uid"),
            accesses_sql(),
            Filter::of(&named).page_sql(),
            Filter::of(&tagged).page_sql(),
            Filter::of(&some).ids_sql(),
        ] {
            let plan = plan_of(&sql);
            assert!(!plan.contains("(world=?)"), "{sql}\n{plan}");
            assert!(!plan.contains("(world=? AND kind=?)"), "{sql}\n{plan}");
            assert!(!plan.lines().any(|line| line == "SCAN n"), "{sql}\n{plan}");
        }
    }
}

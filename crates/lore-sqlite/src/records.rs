//! Reading documents of state and event logs.

use async_trait::async_trait;
use lore_core::names::Word;
use lore_core::{Event, NodeId, State, Viewer};
use lore_store::chain::{self, Head};
use lore_store::{ChainReport, EventOrder, EventQuery, Events, States, StoreResult};
use rusqlite::{Connection, Row, params};

use crate::audit::Author;
use crate::fault::{Answer, damaged, missing};
use crate::rows::{self, Fields};
use crate::sight::{self, Presence, Sight};
use crate::store::{SqliteStore, limit_of};
use crate::veil;

#[async_trait]
impl States for SqliteStore {
    async fn states(
        &self,
        viewer: &Viewer,
        nodes: &[NodeId],
        name: &Word,
    ) -> StoreResult<Vec<State>> {
        let sight = Sight::of(viewer);
        let ids: Vec<i64> = nodes.iter().map(|node| node.0).collect();
        let name = name.clone();
        self.glance(move |db| select_states(db, sight, ids, &name)).await
    }
}

#[async_trait]
impl Events for SqliteStore {
    async fn events(
        &self,
        viewer: &Viewer,
        node: NodeId,
        query: EventQuery,
    ) -> StoreResult<Vec<Event>> {
        let sight = Sight::of(viewer);
        self.read(move |db| select_events(db, sight, node, &query)).await
    }

    async fn settled(
        &self,
        viewer: &Viewer,
        node: NodeId,
        sequence: i64,
    ) -> StoreResult<Option<Event>> {
        let sight = Sight::of(viewer);
        self.glance(move |db| {
            let sql = format!("{} AND v.settles = :settles", events_sql(Presence::Live));
            let mut statement = db.prepare_cached(&sql)?;
            let parameters = sight.with(&[(":node", &node.0), (":settles", &sequence)]);
            let found = rows::first(statement.query(parameters.as_slice())?, event)?;
            veil::drawn(db, sight, found)
        })
        .await
    }

    async fn verify_events(&self, viewer: &Viewer, node: NodeId) -> StoreResult<ChainReport> {
        let sight = Sight::of(viewer);
        self.read(move |db| verify(db, sight, node)).await
    }
}

/// Whether the seal (checksum) of a document `r` matches its content.
pub(crate) const STATE_SEAL: &str = "r.seal IS seal_of(r.node, r.name, r.value, r.visibility,
    r.private_to, r.version, r.updated_at, r.updated_by)";

fn select_states(
    db: &Connection,
    sight: Sight,
    nodes: Vec<i64>,
    name: &Word,
) -> Answer<Vec<State>> {
    let sql = format!(
        "SELECT {STATE_SEAL}, r.node, r.name, r.value, r.visibility, r.private_to, r.version,
           r.updated_at, r.updated_by
         FROM state r CROSS JOIN node n ON n.id = r.node
         WHERE r.node IN rarray(:nodes) AND r.name = :name AND {} AND {}
         ORDER BY r.node",
        sight::record("r"),
        sight::known_node("n", Presence::Live)
    );
    let nodes = rows::list(nodes);
    let name = name.as_str();
    let mut statement = db.prepare_cached(&sql)?;
    let parameters = sight.with(&[(":nodes", &nodes), (":name", &name)]);
    let found = statement.query(parameters.as_slice())?;
    // A caller that asks for a single document, perhaps to change it, gets an error if it is
    // damaged.
    let mut states =
        if nodes.len() == 1 { rows::all(found, state) } else { rows::sound(found, state) }?;
    veil::draw(db, sight, &mut states)?;
    Ok(states)
}

fn state(row: &Row<'_>) -> Answer<State> {
    let mut fields = Fields::sealed("a document of node", row)?;
    Ok(State {
        node: NodeId(fields.take()?),
        name: fields.word()?,
        value: serde_json::from_str(&fields.take::<String>()?)
            .map_err(|_| damaged("a state is not JSON"))?,
        visibility: fields.visibility()?,
        version: fields.take()?,
        updated: fields.stamp()?,
    })
}

/// Selects the events of the node `:node` that the viewer sees; more conditions may be appended.
fn events_sql(presence: Presence) -> String {
    format!(
        "SELECT v.node, v.seq, v.at, v.kind, v.request_id, v.invocation_id, v.participant,
           v.character, v.payload, CASE WHEN :gm THEN v.secret END, v.visibility, v.private_to,
           v.settles, v.previous, v.hash
         FROM event v JOIN node n ON n.id = v.node
         WHERE v.node = :node AND {} AND {}",
        sight::record("v"),
        sight::node("n", presence)
    )
}

fn select_events(
    db: &Connection,
    sight: Sight,
    node: NodeId,
    query: &EventQuery,
) -> Answer<Vec<Event>> {
    let order = match query.order {
        EventOrder::Ascending => "ASC",
        EventOrder::Descending => "DESC",
    };
    let sql = format!(
        "{} AND v.seq > :after AND v.seq < :before
           AND (:any_kind OR v.kind IN rarray(:kinds))
         ORDER BY v.seq {order} LIMIT :limit",
        events_sql(query.bin.into())
    );
    let (after, before) = (query.after.unwrap_or(0), query.before.unwrap_or(i64::MAX));
    let any_kind = query.kinds.is_empty();
    let kinds = rows::list(query.kinds.iter().cloned());
    let limit = limit_of(query.limit);
    let mut statement = db.prepare_cached(&sql)?;
    let parameters = sight.with(&[
        (":node", &node.0),
        (":after", &after),
        (":before", &before),
        (":any_kind", &any_kind),
        (":kinds", &kinds),
        (":limit", &limit),
    ]);
    let mut events = rows::all(statement.query(parameters.as_slice())?, event)?;
    veil::draw(db, sight, &mut events)?;
    Ok(events)
}

fn event(row: &Row<'_>) -> Answer<Event> {
    let mut fields = Fields::of(row);
    Ok(Event {
        node: NodeId(fields.take()?),
        sequence: fields.take()?,
        at: fields.moment()?,
        kind: fields.take()?,
        request_id: fields.take()?,
        invocation_id: fields.take()?,
        participant: fields.maybe_uid()?,
        character: fields.maybe_uid()?,
        payload: fields.take()?,
        secret: fields.take()?,
        visibility: fields.visibility()?,
        settles: fields.take()?,
        previous: fields.hash()?,
        hash: fields.hash()?,
    })
}

/// Verifies the hash chain of a log, if the viewer sees its node. Reveals nothing of the entries.
fn verify(db: &Connection, sight: Sight, node: NodeId) -> Answer<ChainReport> {
    let seen =
        format!("SELECT 1 FROM node n WHERE n.id = :node AND {}", sight::node("n", Presence::Live));
    let mut statement = db.prepare_cached(&seen)?;
    if !statement.exists(sight.with(&[(":node", &node.0)]).as_slice())? {
        return Err(missing(format!("node {node}")));
    }
    follow_chain(db, node)
}

/// Verifies the whole log of a node, including hidden entries.
pub(crate) fn follow_chain(db: &Connection, node: NodeId) -> Answer<ChainReport> {
    let sql = "SELECT node, seq, at, kind, request_id, invocation_id, participant, character,
                 payload, secret, visibility, private_to, settles, previous, hash
               FROM event WHERE node = ?1 ORDER BY seq";
    let mut statement = db.prepare_cached(sql)?;
    let mut rows = statement.query([node.0])?;
    let mut report = ChainReport { length: 0, broken_at: None, missing: 0 };
    let mut previous = chain::START;
    while let Some(row) = rows.next()? {
        report.length += 1;
        let fits = event(row).is_ok_and(|event| {
            let in_place = event.sequence == report.length && event.previous == previous;
            previous = event.hash;
            in_place && chain::holds(&event)
        });
        if !fits && report.broken_at.is_none() {
            report.broken_at = Some(report.length);
        }
    }
    let end = Head { count: report.length, hash: previous };
    Ok(compared(report, end, head_of(db, node)?))
}

/// The end of a log, where the next entry is appended. If entries were cut off by something else,
/// the stored head counts: the gap remains as evidence.
pub(crate) fn log_end(db: &Connection, node: NodeId) -> Answer<Head> {
    let sql = "SELECT seq, hash FROM event WHERE node = ?1 ORDER BY seq DESC LIMIT 1";
    let mut statement = db.prepare_cached(sql)?;
    let last = rows::first(statement.query([node.0])?, |row| {
        let mut fields = Fields::of(row);
        Ok(Head { count: fields.take()?, hash: fields.hash()? })
    })?;
    let (last, head) = (last.unwrap_or(Head::EMPTY), head_of(db, node)?);
    Ok(if head.count > last.count { head } else { last })
}

/// Stores the head of a log: its number of entries and its last hash.
pub(crate) fn put_head(db: &Connection, node: NodeId, head: Head, author: Author) -> Answer<()> {
    let sql = "INSERT INTO state (node, name, value, visibility, version, updated_at, updated_by)
        VALUES (?1, ?2, ?3, 'members', 1, ?4, ?5)
        ON CONFLICT (node, name) DO UPDATE SET value = excluded.value, version = version + 1,
          updated_at = excluded.updated_at, updated_by = excluded.updated_by";
    let value = head.to_value().to_string();
    let parameters = params![node.0, chain::HEAD, value, author.at, author.principal];
    db.prepare_cached(sql)?.execute(parameters)?;
    Ok(())
}

/// The stored head of a log. A missing or unreadable head counts as that of an empty log.
pub(crate) fn head_of(db: &Connection, node: NodeId) -> Answer<Head> {
    let sql = "SELECT value FROM state WHERE node = ?1 AND name = ?2";
    let mut statement = db.prepare_cached(sql)?;
    let text: Option<String> =
        rows::first(statement.query((node.0, chain::HEAD))?, |row| Fields::of(row).take())?;
    let value = text.and_then(|text| serde_json::from_str(&text).ok());
    Ok(value.and_then(|value| Head::from_value(&value)).unwrap_or(Head::EMPTY))
}

/// Compares the end of a log with its stored head. If they differ, the log was cut off or something
/// else appended to it.
fn compared(mut report: ChainReport, end: Head, head: Head) -> ChainReport {
    report.missing = (head.count - end.count).max(0);
    if end != head && report.broken_at.is_none() {
        let same = if end.count == head.count { end.count - 1 } else { end.count.min(head.count) };
        report.broken_at = Some(same + 1);
    }
    report
}

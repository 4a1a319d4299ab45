//! Orders from the owner to the node, given from another process: entries in the federation's log,
//! which the running node reads, or the next one that starts.

use lore_core::{Error, NodeId, Result, Role, Viewer, Visibility};
use lore_koinet::NodeRid;
use lore_koinet::node::{Node, Write};
use lore_store::{
    Batch, Change, EventQuery, Expect, NewEvent, NewEvents, NewState, NodeRef, Origin,
};
use serde_json::{Value, json};

use super::keeper::{find_root, make_root, word};
use crate::App;

const CONNECT: &str = "FEDERATION_CONNECT";
const BREAK: &str = "FEDERATION_BREAK";

/// Orders the node to connect to a peer. A peer without an address calls us.
pub async fn connect(app: &App, viewer: &Viewer, peer: &NodeRid, url: Option<&str>) -> Result<()> {
    order(app, viewer, CONNECT, &json!({ "peer": peer, "url": url })).await
}

/// Orders the node to disconnect from a peer and forget it.
pub async fn break_with(app: &App, viewer: &Viewer, peer: &NodeRid) -> Result<()> {
    order(app, viewer, BREAK, &json!({ "peer": peer })).await
}

async fn order(app: &App, viewer: &Viewer, kind: &str, payload: &Value) -> Result<()> {
    viewer.require(Role::Owner)?;
    let root = match find_root(app, viewer).await? {
        Some(root) => root,
        None => make_root(app, viewer).await?,
    };
    let id = app.effects.uid().to_string();
    let event = NewEvent {
        kind: kind.to_owned(),
        request_id: id.clone(),
        invocation_id: id.clone(),
        participant: None,
        character: None,
        payload: payload.to_string(),
        secret: None,
        visibility: Visibility::Private(viewer.principal),
        settles: None,
    };
    let events = NewEvents { node: NodeRef::Id(root), after: None, events: vec![event] };
    let batch = Batch::new(Origin::new("federation", id), app.effects.now());
    app.store.commit(viewer, batch.change(Change::AppendEvents(events))).await?;
    Ok(())
}

/// Orders that were not carried out yet.
pub(super) struct Orders {
    orders: Vec<(String, Value)>,
    up_to: i64,
}

/// Reads the open orders; `None` if there are none.
pub(super) async fn open_orders(
    app: &App,
    viewer: &Viewer,
    root: NodeId,
) -> Result<Option<Orders>> {
    let done = app.store.states(viewer, &[root], &word("orders")?).await?;
    let done = done.first().and_then(|state| state.value.get("done").and_then(Value::as_i64));
    let query = EventQuery { after: Some(done.unwrap_or(0)), ..EventQuery::default() };
    let events = app.store.events(viewer, root, query).await?;
    let Some(last) = events.last() else { return Ok(None) };
    let up_to = last.sequence;
    let read = |text: &str| serde_json::from_str::<Value>(text).unwrap_or_default();
    let orders = events.into_iter().map(|event| (event.kind, read(&event.payload))).collect();
    Ok(Some(Orders { orders, up_to }))
}

impl Orders {
    /// Carries out the orders and returns the resulting writes.
    pub(super) fn carry_out(&self, node: &mut Node, now: lore_core::Timestamp) -> Vec<Write> {
        let mut writes = Vec::new();
        for (kind, order) in &self.orders {
            let text = |field: &str| order.get(field).and_then(Value::as_str).unwrap_or_default();
            let Ok(peer) = NodeRid::parse(text("peer")) else { continue };
            match kind.as_str() {
                CONNECT => {
                    let url = order.get("url").and_then(Value::as_str);
                    writes.extend(node.connect(&peer, url, now));
                }
                BREAK => writes.extend(node.break_with(&peer)),
                _ => {}
            }
        }
        writes
    }

    /// Returns the change that marks them as carried out, for the same commit as their writes.
    pub(super) fn done(&self, viewer: &Viewer, root: NodeId) -> Result<Change> {
        Ok(Change::PutState(NewState {
            node: NodeRef::Id(root),
            name: word("orders").map_err(|_| Error::Bug { what: "orders".into() })?,
            expect: Expect::Any,
            value: json!({ "done": self.up_to }),
            visibility: Visibility::Private(viewer.principal),
        }))
    }
}

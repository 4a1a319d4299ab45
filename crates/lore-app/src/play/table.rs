//! The state of a campaign's table: Fear, the running session, rests and countdowns.

use lore_core::names::Word;
use lore_core::{Error, Node, Result, Timestamp, Uid, Visibility};
use lore_store::{Change, Expect, NewState, NodeRef, Require};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::call::PlayCall;
use super::ids::Thing;
use super::word;

/// The state document, which every member may read.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Table {
    /// The GM's Fear, from 0 to 12.
    pub gm_fear: i64,
    /// The uid of the running session.
    active_session: Option<String>,
    /// The number of sessions so far.
    pub sessions: u32,
    /// The number of short rests since the last long one.
    pub short_rests: u8,
    /// The countdowns by name, serialised.
    pub countdowns: Value,
}

impl Table {
    /// The running session, if there is one.
    pub fn active_session(&self) -> Option<Uid> {
        self.active_session.as_deref().and_then(|text| text.parse().ok())
    }

    /// Sets or clears the running session.
    pub(crate) fn set_active_session(&mut self, session: Option<Uid>) {
        self.active_session = session.map(|uid| uid.to_string());
    }

    /// Fails while a session is running; `way_out` is the hint.
    pub(crate) fn require_no_session(&self, way_out: &str) -> Result<()> {
        let Some(running) = self.active_session() else { return Ok(()) };
        Err(Error::Precondition {
            message: format!("session {} is still running", Thing::Session.show(running)),
            hint: way_out.into(),
        })
    }

    pub(crate) fn to_value(&self) -> Result<Value> {
        serde_json::to_value(self).map_err(|_| Error::Bug { what: "the state of the table".into() })
    }
}

/// The name of the state document.
pub(crate) fn name() -> Result<Word> {
    word("table")
}

/// Loads the table of a campaign and its version, which is 0 if there is none yet.
pub(crate) async fn load(call: &PlayCall, campaign: &Node) -> Result<(Table, i64)> {
    let (table, version, _) = load_dated(call, campaign).await?;
    Ok((table, version))
}

/// Loads the table of a campaign, its version and the time of its last change.
pub(crate) async fn load_dated(
    call: &PlayCall,
    campaign: &Node,
) -> Result<(Table, i64, Timestamp)> {
    let found = call.app.store.states(&call.viewer, &[campaign.id], &name()?).await?;
    let Some(state) = found.into_iter().next() else {
        return Ok((Table::default(), 0, campaign.created.at));
    };
    let broken = |_| Error::Corrupt { what: "the state of a table".into() };
    let table = serde_json::from_value(state.value).map_err(broken)?;
    Ok((table, state.version, state.updated.at))
}

/// A precondition: the table still has this version.
pub(crate) fn unchanged(campaign: &Node, version: i64) -> Result<Require> {
    Ok(Require::StateAt { node: NodeRef::Id(campaign.id), name: name()?, version })
}

/// The change that stores a table which was read at `version`.
pub(crate) fn put(campaign: &Node, table: &Table, version: i64) -> Result<Change> {
    Ok(Change::PutState(NewState {
        node: NodeRef::Id(campaign.id),
        name: name()?,
        expect: Expect::Version(version),
        value: table.to_value()?,
        visibility: Visibility::Members,
    }))
}

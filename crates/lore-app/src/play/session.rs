//! Sessions: starting, ending and listing them. At most one is running per campaign.

use lore_core::{Error, Node, NodeId, Properties, Result, Timestamp, Uid, Visibility, names};
use lore_store::{
    Batch, Change, Expect, NewEvent, NewEvents, NewNode, NodePatch, NodeRef, Require,
};
use serde_json::{Value, json};

use super::call::{Plan, PlayCall};
use super::campaign::{self, home_of};
use super::ids::Thing;
use super::participant::joins;
use super::{CAMPAIGN, SESSION, rights, table, word};
use crate::preview::preview;

/// The status of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// It is running.
    Active,
    /// It is over.
    Ended,
}

impl Status {
    /// Its stored and displayed name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Active => "ACTIVE",
            Self::Ended => "ENDED",
        }
    }
}

/// A session.
#[derive(Debug, Clone)]
pub struct Session {
    /// Its node.
    pub node: Node,
    /// Its campaign.
    pub campaign: Uid,
    /// Its status.
    pub status: Status,
    /// When it started.
    pub started_at: Timestamp,
    /// When it ended, if it has.
    pub ended_at: Option<Timestamp>,
}

impl Session {
    /// A precondition: the session has not been changed, which means that it has not been ended.
    pub(crate) fn unchanged(&self) -> Require {
        Require::NodeAt { node: NodeRef::Id(self.node.id), version: self.node.version }
    }

    /// Fails unless the session is running.
    pub(crate) fn require_running(&self) -> Result<()> {
        match self.status {
            Status::Active => Ok(()),
            Status::Ended => Err(Error::Precondition {
                message: format!("session {} is over", Thing::Session.show(self.node.uid)),
                hint: "start a new one with session_start".into(),
            }),
        }
    }
}

/// Starts a session. Fails while another one is running.
pub async fn start(call: &PlayCall, campaign: Uid, name: Option<&str>) -> Result<Plan<Session>> {
    let home = call.find(Thing::Campaign, campaign).await?;
    let rights = rights::in_campaign(call, &home).await?;
    rights.require_gm()?;
    let (mut table, version) = table::load(call, &home).await?;
    table.require_no_session("end it with session_end, or play on in it")?;
    table.sessions += 1;
    let name = match name.map(str::trim).filter(|name| !name.is_empty()) {
        Some(name) => names::checked_name("name", name)?,
        None => format!("Session {}", table.sessions),
    };
    let uid = call.app.effects.uid();
    table.set_active_session(Some(uid));
    let mut batch = call.batch();
    let mut node = NewNode::new(uid, word(SESSION)?, name);
    node.properties = properties(campaign, Status::Active, batch.at, None);
    let payload = json!({ "campaign_id": Thing::Campaign.show(campaign) });
    let started = call.event(&rights, "SESSION_STARTED", &payload);
    let log = NewEvents { node: NodeRef::Uid(uid), after: Some(0), events: vec![started] };
    batch = batch
        .change(Change::CreateNode(node.clone()))
        .change(Change::PutEdge(joins(uid, campaign, Visibility::Members)?))
        .change(table::put(&home, &table, version)?)
        .change(Change::AppendEvents(log));
    for uri in touched(uid, campaign) {
        batch = batch.touch(uri);
    }
    let started_at = batch.at;
    let session = Session {
        node: preview(&call.viewer, &node, started_at),
        campaign,
        status: Status::Active,
        started_at,
        ended_at: None,
    };
    Ok(Plan::new(batch, session))
}

/// Ends a session. Does nothing if it has ended already.
pub async fn end(call: &PlayCall, uid: Uid, campaign: Option<Uid>) -> Result<EndPlan> {
    let (mut session, home) = find(call, uid).await?;
    if campaign.is_some_and(|wanted| wanted != home.uid) {
        return Err(Error::invalid(
            "campaign_id",
            "is not the campaign of this session",
            "leave campaign_id out, or give the session's own",
        ));
    }
    let rights = rights::in_campaign(call, &home).await?;
    rights.require_gm()?;
    if session.status == Status::Ended {
        return Ok(EndPlan::Over(Box::new(session)));
    }
    let (mut table, version) = table::load(call, &home).await?;
    if table.active_session() == Some(uid) {
        table.set_active_session(None);
    }
    let mut batch = call.batch();
    session.status = Status::Ended;
    session.ended_at = Some(batch.at);
    session.node.updated.at = batch.at;
    let payload = json!({
        "campaign_id": Thing::Campaign.show(home.uid), "ended_at": batch.at.to_string(),
    });
    let ended = call.event(&rights, "SESSION_ENDED", &payload);
    let log = call.append(&session.node, vec![ended]).await?;
    let patch = NodePatch {
        properties: Some(properties(home.uid, Status::Ended, session.started_at, session.ended_at)),
        ..NodePatch::default()
    };
    let expect = Expect::Version(session.node.version);
    batch = batch
        .change(Change::UpdateNode(NodeRef::Id(session.node.id), expect, patch))
        .change(table::put(&home, &table, version)?)
        .change(log);
    for uri in touched(uid, home.uid) {
        batch = batch.touch(uri);
    }
    Ok(EndPlan::Running(Box::new(Plan::new(batch, session))))
}

/// The result of ending a session.
pub enum EndPlan {
    /// It had ended already.
    Over(Box<Session>),
    /// The plan that ends it.
    Running(Box<Plan<Session>>),
}

/// Lists the sessions of a campaign, oldest first.
pub async fn list(call: &PlayCall, campaign: Uid) -> Result<Vec<Session>> {
    let home = call.find(Thing::Campaign, campaign).await?;
    let nodes = campaign::members(call, &home, SESSION).await?;
    Ok(nodes.into_iter().map(|node| shape(node, campaign)).collect())
}

/// Finds a session and its campaign.
pub(crate) async fn find(call: &PlayCall, uid: Uid) -> Result<(Session, Node)> {
    let node = call.find(Thing::Session, uid).await?;
    let home = home_of(call, &node, Thing::Session).await?;
    Ok((shape(node, home.uid), home))
}

/// The log to which changes are appended: that of the running session or, between sessions, of the
/// campaign.
pub(crate) struct OpenLog {
    /// The node that has the log.
    pub(crate) node: NodeId,
    /// The session, if one is running.
    pub(crate) session: Option<Uid>,
    /// A precondition: no session has started or ended since.
    pub(crate) unchanged: Require,
}

/// Finds the open log of a campaign.
pub(crate) async fn open_log(call: &PlayCall, home: &Node) -> Result<OpenLog> {
    let (table, version) = table::load(call, home).await?;
    if let Some(running) = table.active_session() {
        let (session, _) = find(call, running).await?;
        if session.status == Status::Active {
            let unchanged = session.unchanged();
            return Ok(OpenLog { node: session.node.id, session: Some(running), unchanged });
        }
        // The session ended after the table was read. The version is stale then, so the commit
        // fails and the plan is made again.
    }
    let unchanged = table::unchanged(home, version)?;
    Ok(OpenLog { node: home.id, session: None, unchanged })
}

/// The URI of a session's log.
fn events_uri(session: Uid) -> String {
    format!("session://{}/events", Thing::Session.show(session))
}

/// Notifies those who may see the new events that the log of a session has grown.
pub(crate) fn touching_log(batch: Batch, session: Uid, shown: Visibility) -> Batch {
    batch.touch_for(shown, events_uri(session))
}

/// Returns who can notice that a log has grown: everybody if one of the new events is visible to
/// all members, else the game master's side.
pub(crate) fn shown_of(events: &[NewEvent]) -> Visibility {
    let is_open = |event: &NewEvent| event.visibility == Visibility::Members;
    if events.iter().any(is_open) { Visibility::Members } else { Visibility::Gm }
}

fn touched(session: Uid, campaign: Uid) -> [String; 4] {
    let campaign = campaign::uri(campaign);
    let sessions = format!("{campaign}/sessions");
    ["campaigns://list".into(), campaign, sessions, events_uri(session)]
}

pub(super) fn shape(node: Node, campaign: Uid) -> Session {
    let text = |key: &str| node.properties.get(key).and_then(Value::as_str);
    let moment = |key: &str| text(key).and_then(|text| text.parse().ok());
    let status = if text("status") == Some("ENDED") { Status::Ended } else { Status::Active };
    let started_at = moment("started_at").unwrap_or(node.created.at);
    let ended_at = moment("ended_at");
    Session { node, campaign, status, started_at, ended_at }
}

fn properties(
    campaign: Uid,
    status: Status,
    started: Timestamp,
    ended: Option<Timestamp>,
) -> Properties {
    let mut properties = Properties::new();
    properties.insert(CAMPAIGN.into(), json!(campaign.to_string()));
    properties.insert("status".into(), json!(status.as_str()));
    properties.insert("started_at".into(), json!(started.to_string()));
    if let Some(ended) = ended {
        properties.insert("ended_at".into(), json!(ended.to_string()));
    }
    properties
}

//! Wire types for campaigns, participants, sessions and events.

use lore_app::play::campaign::{Campaign, GmMode};
use lore_app::play::ids::Thing;
use lore_app::play::participant::{Controller, Participant, Seat};
use lore_app::play::session::{Session, Status};
use lore_core::{Event, Timestamp, Uid};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::choice::choice;

choice! {
    /// Who is the game master.
    pub(super) enum GmModeWire { Human = "HUMAN", Ai = "AI", Hybrid = "HYBRID" }
}

choice! {
    /// A participant's role at the table.
    pub(super) enum RoleWire { Gm = "GM", Player = "PLAYER" }
}

choice! {
    /// Whether a participant is a person or an agent.
    pub(super) enum ControllerWire { Human = "HUMAN", Ai = "AI" }
}

choice! {
    /// Whether a session is running.
    pub(super) enum StatusWire { Active = "ACTIVE", Ended = "ENDED" }
}

/// A campaign.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct CampaignOut {
    /// Id of the campaign.
    pub id: String,
    /// Name of the campaign.
    pub name: String,
    /// Who is the GM.
    pub gm_mode: GmModeWire,
    /// Number of participants.
    pub participant_count: usize,
    /// Number of characters that you see.
    pub character_count: usize,
    /// The GM's Fear, 0 to 12.
    pub gm_fear: i64,
    /// Theme of the story.
    pub theme_prompt: String,
    /// Countdowns by name: start, current value, kind and loop.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub countdowns: Map<String, Value>,
    /// The running session; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active_session_id: Option<String>,
    /// When it was created.
    pub created_at: String,
    /// When it last changed.
    pub updated_at: String,
}

/// A participant.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ParticipantOut {
    /// Id of the participant.
    pub id: String,
    /// Id of the campaign.
    pub campaign_id: String,
    /// Name at the table.
    pub display_name: String,
    /// Role at the table.
    pub role: RoleWire,
    /// Whether a person or an agent plays.
    pub controller: ControllerWire,
    /// When they joined.
    pub created_at: String,
    /// When they last changed.
    pub updated_at: String,
}

/// A session.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct SessionOut {
    /// Id of the session.
    pub id: String,
    /// Id of the campaign.
    pub campaign_id: String,
    /// Name of the session.
    pub name: String,
    /// Whether it is running.
    pub status: StatusWire,
    /// When it started.
    pub started_at: String,
    /// When it last changed.
    pub updated_at: String,
    /// When it ended; absent while it runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
}

/// An event of a session's log.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct EventOut {
    /// Id of the session.
    pub session_id: String,
    /// Its number in the log.
    pub seq: i64,
    /// When it happened.
    pub ts: String,
    /// Type of the event.
    #[serde(rename = "type")]
    pub kind: String,
    /// Id of the request that caused it.
    pub request_id: String,
    /// Id of the tool call that caused it.
    pub invocation_id: String,
    /// The participant who caused it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub participant_id: Option<String>,
    /// The character it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub character_id: Option<String>,
    /// Details as JSON text.
    pub payload_json: String,
    /// Details for the GM only, as JSON text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gm_payload_json: Option<String>,
    /// Hash of the previous event.
    pub prev_hash: String,
    /// Hash of this event.
    pub hash: String,
}

impl EventOut {
    /// Converts an event of a session.
    pub(super) fn new(session: Uid, event: Event) -> Self {
        Self {
            session_id: Thing::Session.show(session),
            seq: event.sequence,
            ts: moment(event.at),
            kind: event.kind,
            request_id: event.request_id,
            invocation_id: event.invocation_id,
            participant_id: event.participant.map(|uid| Thing::Participant.show(uid)),
            character_id: event.character.map(|uid| Thing::Character.show(uid)),
            payload_json: event.payload,
            gm_payload_json: event.secret,
            prev_hash: hex(&event.previous),
            hash: hex(&event.hash),
        }
    }
}

fn hex(hash: &lore_core::Hash) -> String {
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Formats a time as the contract does: UTC, whole seconds.
pub(super) fn moment(at: Timestamp) -> String {
    format!("{at:.0}")
}

impl From<Campaign> for CampaignOut {
    fn from(campaign: Campaign) -> Self {
        let running = campaign.table.active_session();
        Self {
            id: Thing::Campaign.show(campaign.node.uid),
            name: campaign.node.name,
            gm_mode: campaign.gm_mode.into(),
            participant_count: campaign.participant_count,
            character_count: campaign.character_count,
            gm_fear: campaign.table.gm_fear,
            theme_prompt: campaign.theme_prompt,
            countdowns: campaign.table.countdowns.as_object().cloned().unwrap_or_default(),
            active_session_id: running.map(|uid| Thing::Session.show(uid)),
            created_at: moment(campaign.node.created.at),
            updated_at: moment(campaign.node.updated.at),
        }
    }
}

impl From<Participant> for ParticipantOut {
    fn from(participant: Participant) -> Self {
        Self {
            id: Thing::Participant.show(participant.node.uid),
            campaign_id: Thing::Campaign.show(participant.campaign),
            display_name: participant.node.name,
            role: match participant.seat {
                Seat::Gm => RoleWire::Gm,
                Seat::Player => RoleWire::Player,
            },
            controller: match participant.controller {
                Controller::Human => ControllerWire::Human,
                Controller::Ai => ControllerWire::Ai,
            },
            created_at: moment(participant.node.created.at),
            updated_at: moment(participant.node.updated.at),
        }
    }
}

impl From<Session> for SessionOut {
    fn from(session: Session) -> Self {
        Self {
            id: Thing::Session.show(session.node.uid),
            campaign_id: Thing::Campaign.show(session.campaign),
            name: session.node.name,
            status: match session.status {
                Status::Active => StatusWire::Active,
                Status::Ended => StatusWire::Ended,
            },
            started_at: moment(session.started_at),
            updated_at: moment(session.node.updated.at),
            ended_at: session.ended_at.map(moment),
        }
    }
}

impl From<GmMode> for GmModeWire {
    fn from(mode: GmMode) -> Self {
        match mode {
            GmMode::Human => Self::Human,
            GmMode::Ai => Self::Ai,
            GmMode::Hybrid => Self::Hybrid,
        }
    }
}

impl From<GmModeWire> for GmMode {
    fn from(mode: GmModeWire) -> Self {
        match mode {
            GmModeWire::Human => Self::Human,
            GmModeWire::Ai => Self::Ai,
            GmModeWire::Hybrid => Self::Hybrid,
        }
    }
}

impl From<RoleWire> for Seat {
    fn from(role: RoleWire) -> Self {
        match role {
            RoleWire::Gm => Self::Gm,
            RoleWire::Player => Self::Player,
        }
    }
}

impl From<ControllerWire> for Controller {
    fn from(controller: ControllerWire) -> Self {
        match controller {
            ControllerWire::Human => Self::Human,
            ControllerWire::Ai => Self::Ai,
        }
    }
}

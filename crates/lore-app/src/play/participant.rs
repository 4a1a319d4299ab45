//! Participants: the people and agents at a table.

use lore_core::{Error, Node, Properties, Result, Role, Uid, Visibility, names};
use lore_store::{Batch, Change, Expect, NewEdge, NewNode, NodePatch, NodeRef};
use serde_json::{Value, json};

use super::call::{Plan, PlayCall};
use super::campaign::{self, find_live, home_of};
use super::history::Edits;
use super::ids::Thing;
use super::{CAMPAIGN, PARTICIPANT, history, rights, sheet, word};
use crate::preview::preview;

/// The role of a participant at the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seat {
    /// Leads the game.
    Gm,
    /// Plays in it.
    Player,
}

impl Seat {
    /// Its stored and displayed name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Gm => "GM",
            Self::Player => "PLAYER",
        }
    }
}

/// Who acts for a participant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Controller {
    /// A person.
    Human,
    /// An agent.
    Ai,
}

impl Controller {
    /// Its stored and displayed name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Human => "HUMAN",
            Self::Ai => "AI",
        }
    }
}

/// The input for adding a participant.
#[derive(Debug, Clone)]
pub struct NewParticipant {
    /// The campaign.
    pub campaign: Uid,
    /// The display name.
    pub display_name: String,
    /// The role.
    pub seat: Seat,
    /// Who acts for them.
    pub controller: Controller,
}

/// Changes to a participant; `None` leaves a field as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ParticipantPatch {
    /// The new name.
    pub display_name: Option<String>,
    /// The new role.
    pub seat: Option<Seat>,
    /// The new controller.
    pub controller: Option<Controller>,
    /// Whether to archive or restore them.
    pub archived: Option<bool>,
}

/// A participant.
#[derive(Debug, Clone)]
pub struct Participant {
    /// Its node.
    pub node: Node,
    /// Its campaign.
    pub campaign: Uid,
    /// Its role.
    pub seat: Seat,
    /// Who acts for it.
    pub controller: Controller,
}

/// Adds a participant. A player adds themselves and claims the participant at once; they can have
/// one per campaign.
pub async fn create(call: &PlayCall, new: &NewParticipant) -> Result<Plan<Participant>> {
    let campaign = call.find(Thing::Campaign, new.campaign).await?;
    if new.seat == Seat::Gm {
        call.viewer.require(Role::Gm)?;
    }
    let uid = call.app.effects.uid();
    let name = names::checked_name("display_name", &new.display_name)?;
    let mut node = NewNode::new(uid, word(PARTICIPANT)?, name);
    node.properties = properties(new.seat, new.controller);
    node.properties.insert(CAMPAIGN.into(), json!(campaign.uid.to_string()));
    let mut batch = touching(call.batch(), campaign.uid);
    if call.viewer.role < Role::Gm {
        rights::require_seatless(call, &campaign).await?;
        rights::take(call, &mut node.properties, batch.at);
        batch = batch.require(rights::same_seats(&campaign));
    }
    let batch = batch
        .change(Change::CreateNode(node.clone()))
        .change(Change::PutEdge(joins(uid, campaign.uid, Visibility::Members)?))
        .change(campaign::stir(&campaign, Visibility::Members));
    let payload = json!({
        "summary": format!("{} sits down as {}", node.name, new.seat.as_str()),
        "participant_id": Thing::Participant.show(uid), "role": new.seat.as_str(),
    });
    // A player who adds themselves is the author of the event.
    let acting = if call.viewer.role < Role::Gm { Some(uid) } else { call.participant };
    let event = call.event_by(acting, "PARTICIPANT_CREATED", &payload);
    let batch = history::remember(call, &campaign, batch, event).await?;
    let participant = Participant {
        node: preview(&call.viewer, &node, batch.at),
        campaign: campaign.uid,
        seat: new.seat,
        controller: new.controller,
    };
    Ok(Plan::new(batch, participant))
}

/// Changes a participant, and archives them if requested. Archiving removes the claim.
pub async fn update(
    call: &PlayCall,
    uid: Uid,
    patch: &ParticipantPatch,
) -> Result<Plan<Participant>> {
    let node = find_live(call, Thing::Participant, uid).await?;
    let home = home_of(call, &node, Thing::Participant).await?;
    let rights = rights::in_campaign(call, &home).await?;
    rights.require_gm()?;
    let mut edits = Edits::of("PARTICIPANT_UPDATED", Thing::Participant, &node);
    let mut participant = shape(node.clone(), home.uid);
    if let Some(name) = &patch.display_name {
        participant.node.name = names::checked_name("display_name", name)?;
        edits.note("display_name", node.name.as_str(), participant.node.name.as_str());
    }
    if let Some(seat) = patch.seat {
        match (participant.seat, seat) {
            (Seat::Gm, Seat::Player) => require_known_characters(call, &node).await?,
            (Seat::Player, Seat::Gm) => rights::require_free(&node)?,
            _ => {}
        }
        edits.note("role", participant.seat.as_str(), seat.as_str());
        participant.seat = seat;
    }
    if let Some(controller) = patch.controller {
        edits.note("controller", participant.controller.as_str(), controller.as_str());
        participant.controller = controller;
    }
    let leaves = patch.archived == Some(true);
    if leaves {
        edits.note("archived", false, true);
    }
    let mut batch = touching(call.batch(), home.uid);
    if !edits.is_empty() {
        let stored = &mut participant.node.properties;
        stored.extend(properties(participant.seat, participant.controller));
        if leaves {
            rights::leave(stored);
        }
        let fields = NodePatch {
            name: Some(participant.node.name.clone()),
            properties: Some(stored.clone()),
            ..NodePatch::default()
        };
        let expect = Expect::Version(node.version);
        batch = batch
            .change(Change::UpdateNode(NodeRef::Uid(uid), expect, fields))
            .change(campaign::stir(&home, Visibility::Members));
        participant.node.updated.at = batch.at;
    }
    if leaves {
        let gone = Change::DeleteNode(NodeRef::Uid(uid), Expect::Any);
        batch = batch.change(gone).touch(campaign::archive_uri(home.uid));
    }
    let batch = history::record(call, &rights, &home, batch, edits).await?;
    Ok(Plan::new(batch, participant))
}

/// Fails if a participant who is to become a player controls hidden characters, because players see
/// what they control.
async fn require_known_characters(call: &PlayCall, person: &Node) -> Result<()> {
    let held = rights::controlled(call, person).await?;
    for character in call.app.store.nodes(&call.viewer, &held).await? {
        let (.., shown) = sheet::load_with_visibility(call, &character).await?;
        if [character.visibility, shown].contains(&Visibility::Gm) {
            return Err(Error::Precondition {
                message: format!("{} moves {}, who is hidden", person.name, character.name),
                hint: "give it to the GM with character_control_set, or reveal its SHEET".into(),
            });
        }
    }
    Ok(())
}

/// Lists the participants of a campaign, oldest first.
pub async fn list(call: &PlayCall, campaign: Uid) -> Result<Vec<Participant>> {
    let home = call.find(Thing::Campaign, campaign).await?;
    let nodes = campaign::members(call, &home, PARTICIPANT).await?;
    Ok(nodes.into_iter().map(|node| shape(node, campaign)).collect())
}

/// Lists the archived participants of a campaign, oldest first. Only for the GM.
pub async fn list_archived(call: &PlayCall, campaign: Uid) -> Result<Vec<Participant>> {
    let home = call.find(Thing::Campaign, campaign).await?;
    let nodes = campaign::archived_members(call, &home, Thing::Participant).await?;
    Ok(nodes.into_iter().map(|node| shape(node, campaign)).collect())
}

/// Returns an archived participant, for the GM.
pub async fn archived(call: &PlayCall, uid: Uid) -> Result<Option<Participant>> {
    let found = campaign::archived_node(call, Thing::Participant, uid).await?;
    Ok(found.and_then(|node| Some(shape(node.clone(), campaign::of(&node)?))))
}

/// Returns the role of a participant.
pub(crate) fn seat_of(participant: &Node) -> Seat {
    let is_gm = participant.properties.get("role").and_then(Value::as_str) == Some("GM");
    if is_gm { Seat::Gm } else { Seat::Player }
}

/// The membership edge from a node to its campaign.
pub(crate) fn joins(uid: Uid, campaign: Uid, visibility: Visibility) -> Result<NewEdge> {
    Ok(NewEdge {
        source: NodeRef::Uid(uid),
        target: NodeRef::Uid(campaign),
        kind: rights::membership()?,
        weight: 1.0,
        visibility,
        properties: Properties::new(),
    })
}

/// Marks the resources that show who is at a table as changed.
pub(crate) fn touching(batch: Batch, campaign: Uid) -> Batch {
    let campaign = campaign::uri(campaign);
    let participants = format!("{campaign}/participants");
    batch.touch("campaigns://list").touch(campaign).touch(participants)
}

fn shape(node: Node, campaign: Uid) -> Participant {
    let is_ai = node.properties.get("controller").and_then(Value::as_str) == Some("AI");
    let controller = if is_ai { Controller::Ai } else { Controller::Human };
    Participant { seat: seat_of(&node), node, campaign, controller }
}

fn properties(seat: Seat, controller: Controller) -> Properties {
    let mut properties = Properties::new();
    properties.insert("role".into(), json!(seat.as_str()));
    properties.insert("controller".into(), json!(controller.as_str()));
    properties
}

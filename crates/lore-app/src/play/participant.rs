//! Participants: who sits at the table.

use lore_core::{Node, Properties, Result, Role, Uid, names};
use lore_store::{Change, Expect, NewEdge, NewNode, NodePatch, NodeRef};
use serde_json::{Value, json};

use super::campaign::{self, find_live, home_of, preview};
use super::desk::{Desk, Plan};
use super::ids::Thing;
use super::{CAMPAIGN, PARTICIPANT, rights, word};

/// What a participant is at the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seat {
    /// Leads the game.
    Gm,
    /// Plays in it.
    Player,
}

impl Seat {
    /// Its stored and shown name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Gm => "GM",
            Self::Player => "PLAYER",
        }
    }
}

/// Who moves a participant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Controller {
    /// A person.
    Human,
    /// An agent.
    Ai,
}

impl Controller {
    /// Its stored and shown name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Human => "HUMAN",
            Self::Ai => "AI",
        }
    }
}

/// A participant to add.
#[derive(Debug, Clone)]
pub struct NewParticipant {
    /// The campaign.
    pub campaign: Uid,
    /// What the table calls them.
    pub display_name: String,
    /// What they are at the table.
    pub seat: Seat,
    /// Who moves them.
    pub controller: Controller,
}

/// Changes to a participant; `None` leaves a field alone.
#[derive(Debug, Clone, Default)]
pub struct ParticipantPatch {
    /// New name.
    pub display_name: Option<String>,
    /// New seat.
    pub seat: Option<Seat>,
    /// New controller.
    pub controller: Option<Controller>,
    /// Into the archive, or out of it.
    pub archived: Option<bool>,
}

/// A participant.
#[derive(Debug, Clone)]
pub struct Participant {
    /// The node.
    pub node: Node,
    /// The campaign.
    pub campaign: Uid,
    /// What they are at the table.
    pub seat: Seat,
    /// Who moves them.
    pub controller: Controller,
}

/// Adds a participant. A player's token adds itself and takes the seat at once.
pub async fn create(desk: &Desk, new: &NewParticipant) -> Result<Plan<Participant>> {
    let campaign = desk.find(Thing::Campaign, new.campaign).await?;
    if new.seat == Seat::Gm {
        desk.viewer.require(Role::Gm)?;
    }
    let uid = desk.app.effects.uid();
    let name = names::checked_name("display_name", &new.display_name)?;
    let mut node = NewNode::new(uid, word(PARTICIPANT)?, name);
    node.properties = properties(new.seat, new.controller);
    node.properties.insert(CAMPAIGN.into(), json!(campaign.uid.to_string()));
    if desk.viewer.role < Role::Gm {
        node.properties.insert("claimed_by".into(), json!(desk.viewer.principal.0));
    }
    let batch = desk
        .batch()
        .change(Change::CreateNode(node.clone()))
        .change(Change::PutEdge(joins(uid, campaign.uid)?))
        .touch("campaigns://list")
        .touch(campaign::uri(campaign.uid))
        .touch(list_uri(campaign.uid));
    let participant = Participant {
        node: preview(desk, node),
        campaign: campaign.uid,
        seat: new.seat,
        controller: new.controller,
    };
    Ok(Plan::new(batch, participant))
}

/// Changes a participant, or moves them into the archive and back.
pub async fn update(desk: &Desk, uid: Uid, patch: &ParticipantPatch) -> Result<Plan<Participant>> {
    let node = find_live(desk, Thing::Participant, uid).await?;
    let home = home_of(desk, &node, Thing::Participant).await?;
    rights::in_campaign(desk, &home).await?.require_gm()?;
    let mut participant = shape(node, home.uid);
    if let Some(name) = &patch.display_name {
        participant.node.name = names::checked_name("display_name", name)?;
    }
    participant.seat = patch.seat.unwrap_or(participant.seat);
    participant.controller = patch.controller.unwrap_or(participant.controller);
    let mut stored = participant.node.properties.clone();
    stored.extend(properties(participant.seat, participant.controller));
    let mut batch = desk
        .batch()
        .touch("campaigns://list")
        .touch(campaign::uri(home.uid))
        .touch(list_uri(home.uid));
    let fields = NodePatch {
        name: Some(participant.node.name.clone()),
        properties: Some(stored),
        ..NodePatch::default()
    };
    let expect = Expect::Version(participant.node.version);
    batch = batch.change(Change::UpdateNode(NodeRef::Uid(uid), expect, fields));
    if patch.archived == Some(true) {
        batch = batch.change(Change::DeleteNode(NodeRef::Uid(uid), Expect::Any));
    }
    participant.node.updated.at = batch.at;
    Ok(Plan::new(batch, participant))
}

/// Everybody at the table, oldest first.
pub async fn list(desk: &Desk, campaign: Uid) -> Result<Vec<Participant>> {
    let home = desk.find(Thing::Campaign, campaign).await?;
    let nodes = campaign::members(desk, &home, PARTICIPANT).await?;
    Ok(nodes.into_iter().map(|node| shape(node, campaign)).collect())
}

/// The edge from a thing to its campaign.
pub(crate) fn joins(uid: Uid, campaign: Uid) -> Result<NewEdge> {
    Ok(NewEdge {
        source: NodeRef::Uid(uid),
        target: NodeRef::Uid(campaign),
        kind: rights::membership()?,
        weight: 1.0,
        visibility: lore_core::Visibility::Members,
        properties: Properties::new(),
    })
}

fn list_uri(campaign: Uid) -> String {
    format!("{}/participants", campaign::uri(campaign))
}

fn shape(node: Node, campaign: Uid) -> Participant {
    let is = |key: &str, word: &str| node.properties.get(key).and_then(Value::as_str) == Some(word);
    let seat = if is("role", "GM") { Seat::Gm } else { Seat::Player };
    let controller = if is("controller", "AI") { Controller::Ai } else { Controller::Human };
    Participant { node, campaign, seat, controller }
}

fn properties(seat: Seat, controller: Controller) -> Properties {
    let mut properties = Properties::new();
    properties.insert("role".into(), json!(seat.as_str()));
    properties.insert("controller".into(), json!(controller.as_str()));
    properties
}

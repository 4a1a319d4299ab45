//! Who may do what at the table.
//!
//! A game master's token may do anything and act as anybody. A player's token acts
//! only as the participant it has claimed, and moves only what that one controls.

use lore_core::{Error, Node, NodeId, Result, Role, Uid};
use lore_store::{Change, Direction, Expect, NodePatch, NodeRef};
use serde_json::json;

use super::desk::Desk;
use super::ids::Thing;
use super::{CONTROLS, PART_OF, PARTICIPANT, word};

/// What the caller may move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rights {
    /// Anything in the campaign.
    Gm {
        /// The participant they act as, if they have a seat.
        participant: Option<Uid>,
    },
    /// Only what this participant controls.
    Player {
        /// The participant.
        participant: Uid,
        /// The characters they control.
        characters: Vec<NodeId>,
    },
}

impl Rights {
    /// Whether the caller leads the game.
    pub fn is_gm(&self) -> bool {
        matches!(self, Self::Gm { .. })
    }

    /// The participant the caller acts as, for the log.
    pub fn participant(&self) -> Option<Uid> {
        match self {
            Self::Gm { participant } => *participant,
            Self::Player { participant, .. } => Some(*participant),
        }
    }

    /// Fails unless the caller may move `character`.
    pub fn require(&self, character: &Node) -> Result<()> {
        match self {
            Self::Gm { .. } => Ok(()),
            Self::Player { characters, .. } if characters.contains(&character.id) => Ok(()),
            Self::Player { .. } => Err(Error::Forbidden {
                action: format!("you do not control {}", character.name),
                hint: "act for a character you control, or ask the GM to use character_control_set"
                    .into(),
            }),
        }
    }

    /// Fails unless the caller is the game master.
    pub fn require_gm(&self) -> Result<()> {
        match self {
            Self::Gm { .. } => Ok(()),
            Self::Player { .. } => Err(Error::Forbidden {
                action: "this is for the GM".into(),
                hint: "ask the GM, or act as a GM participant with set_context".into(),
            }),
        }
    }
}

/// What the caller may move in a campaign. The seat of their context counts in its own
/// campaign only.
pub async fn in_campaign(desk: &Desk, campaign: &Node) -> Result<Rights> {
    let chosen = match desk.participant {
        Some(uid) => Some(desk.find(Thing::Participant, uid).await?),
        None => None,
    };
    let acting = match chosen.filter(|seat| super::campaign::of(seat) == Some(campaign.uid)) {
        Some(seat) => Some(seat),
        None if desk.viewer.role >= Role::Gm => None,
        None => Some(own_participant(desk, campaign).await?),
    };
    let Some(participant) = acting else { return Ok(Rights::Gm { participant: None }) };
    let is_gm = participant.properties.get("role") == Some(&json!("GM"));
    if desk.viewer.role < Role::Gm {
        check_claim(desk, &participant)?;
    }
    if is_gm {
        return Ok(Rights::Gm { participant: Some(participant.uid) });
    }
    let edges = desk
        .app
        .store
        .neighbours(
            &desk.viewer,
            &[participant.id],
            Direction::Out,
            &[word(CONTROLS)?],
            super::MANY,
        )
        .await?;
    let characters = edges.into_iter().map(|edge| edge.target).collect();
    Ok(Rights::Player { participant: participant.uid, characters })
}

/// Lets a player's token take a seat nobody has taken. A game master needs none.
pub(crate) async fn claim(desk: &Desk, participant: &Node) -> Result<()> {
    if desk.viewer.role >= Role::Gm {
        return Ok(());
    }
    if participant.properties.contains_key("claimed_by") {
        return check_claim(desk, participant);
    }
    if participant.properties.get("role") == Some(&json!("GM")) {
        return Err(not_yours(participant));
    }
    let mut properties = participant.properties.clone();
    properties.insert("claimed_by".into(), json!(desk.viewer.principal.0));
    let patch = NodePatch { properties: Some(properties), ..NodePatch::default() };
    let node = NodeRef::Id(participant.id);
    let change = Change::UpdateNode(node, Expect::Version(participant.version), patch);
    desk.app.store.commit(&desk.viewer, desk.batch().change(change)).await?;
    Ok(())
}

fn check_claim(desk: &Desk, participant: &Node) -> Result<()> {
    if participant.properties.get("claimed_by") == Some(&json!(desk.viewer.principal.0)) {
        return Ok(());
    }
    Err(not_yours(participant))
}

fn not_yours(participant: &Node) -> Error {
    Error::Forbidden {
        action: format!("{} is not your seat at this table", participant.name),
        hint: "use set_context with a PLAYER participant that nobody has taken".into(),
    }
}

/// The one seat a player has taken in a campaign.
async fn own_participant(desk: &Desk, campaign: &Node) -> Result<Node> {
    let members = super::campaign::members(desk, campaign, PARTICIPANT).await?;
    let mine = json!(desk.viewer.principal.0);
    let mut own =
        members.into_iter().filter(|node| node.properties.get("claimed_by") == Some(&mine));
    match (own.next(), own.next()) {
        (Some(participant), None) => Ok(participant),
        _ => Err(Error::Precondition {
            message: "it is not clear which participant you are".into(),
            hint: "call set_context with your participant_id first".into(),
        }),
    }
}

/// The participant who controls a character; `None` when the GM does.
pub(crate) async fn controller_of(desk: &Desk, character: &Node) -> Result<Option<NodeId>> {
    let edges = desk
        .app
        .store
        .neighbours(&desk.viewer, &[character.id], Direction::In, &[word(CONTROLS)?], 1)
        .await?;
    Ok(edges.first().map(|edge| edge.source))
}

/// Edge kind that joins a thing to its campaign.
pub(crate) fn membership() -> Result<lore_core::names::Word> {
    word(PART_OF)
}

//! Permissions at the table.
//!
//! The holder of a game master's token may do anything and act as anybody. The holder of a player's
//! token acts only as the participant they have claimed, and only for the characters that
//! participant controls.

use lore_core::{Edge, Error, Node, NodeId, Properties, Result, Role, Timestamp, Uid, Visibility};
use lore_store::{Change, Direction, Expect, NodePatch, NodeRef, Require, StoreError};
use serde_json::json;

use super::call::PlayCall;
use super::ids::Thing;
use super::participant::{self, Seat};
use super::{CONTROLS, PART_OF, PARTICIPANT, word};
use crate::attempts::Attempts;

/// Property of a participant: the principal who claimed it.
const CLAIMED_BY: &str = "claimed_by";
/// Property of a participant: when it was claimed.
const CLAIMED_AT: &str = "claimed_at";

/// What the caller may act for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rights {
    /// Everything in the campaign.
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
        /// The role of the caller's token. A game master may take a player's seat as well.
        token: Role,
    },
}

impl Rights {
    /// Whether the caller acts as the game master.
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

    /// Fails unless the caller may act for `character`.
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

    /// Fails unless the caller acts as the game master.
    pub fn require_gm(&self) -> Result<()> {
        match self {
            Self::Gm { .. } => Ok(()),
            Self::Player { token, .. } => Err(Error::Forbidden {
                action: "this is for the GM".into(),
                hint: match token {
                    Role::Gm | Role::Owner => {
                        "leave the PLAYER seat: set_context without participant_id".into()
                    }
                    Role::Player | Role::Reader => "ask the GM to do it".into(),
                },
            }),
        }
    }
}

/// Determines the caller's rights in a campaign. The participant of their context counts only in
/// its own campaign.
pub async fn in_campaign(call: &PlayCall, campaign: &Node) -> Result<Rights> {
    let chosen = match call.participant {
        Some(uid) => Some(call.find(Thing::Participant, uid).await?),
        None => None,
    };
    let acting = match chosen.filter(|seat| super::campaign::of(seat) == Some(campaign.uid)) {
        Some(seat) => Some(seat),
        None if call.viewer.role >= Role::Gm => None,
        None => Some(own_participant(call, campaign).await?),
    };
    let Some(participant) = acting else { return Ok(Rights::Gm { participant: None }) };
    if call.viewer.role < Role::Gm {
        check_claim(call, &participant)?;
    } else if participant::seat_of(&participant) == Seat::Gm {
        return Ok(Rights::Gm { participant: Some(participant.uid) });
    }
    let characters = controlled(call, &participant).await?;
    Ok(Rights::Player { participant: participant.uid, characters, token: call.viewer.role })
}

/// Returns the characters a participant controls.
pub(crate) async fn controlled(call: &PlayCall, participant: &Node) -> Result<Vec<NodeId>> {
    let (store, kinds) = (&call.app.store, [word(CONTROLS)?]);
    let ids = [participant.id];
    let edges = store.neighbours(&call.viewer, &ids, Direction::Out, &kinds, super::MANY).await?;
    Ok(edges.into_iter().map(|edge| edge.target).collect())
}

/// Claims a participant for the holder of a player's token. Fails for the GM's seat, for a
/// participant claimed by somebody else, or if the caller has claimed another one in this campaign.
/// Game masters do not need to claim one.
pub(crate) async fn claim(call: &PlayCall, campaign: &Node, participant: &Node) -> Result<()> {
    if call.viewer.role >= Role::Gm {
        return Ok(());
    }
    let (mut campaign, mut participant) = (campaign.clone(), participant.clone());
    let mut attempts = Attempts::new(&call.app);
    loop {
        attempts.next("the seat").await?;
        if participant.properties.contains_key(CLAIMED_BY) {
            return check_claim(call, &participant);
        }
        if participant::seat_of(&participant) == Seat::Gm {
            return Err(not_yours(&participant));
        }
        match own_seats(call, &campaign).await?.first() {
            None => {}
            // A concurrent call of the same player has claimed it.
            Some(own) if own.uid == participant.uid => return Ok(()),
            Some(own) => return Err(has_seat(own)),
        }
        match take_seat(call, &campaign, &participant).await {
            Ok(_) => return Ok(()),
            Err(StoreError::Conflict(_)) => {}
            Err(error) => return Err(error.into()),
        }
        campaign = call.find(Thing::Campaign, campaign.uid).await?;
        participant = call.find(Thing::Participant, participant.uid).await?;
    }
}

async fn take_seat(
    call: &PlayCall,
    campaign: &Node,
    participant: &Node,
) -> lore_store::StoreResult<lore_store::Committed> {
    let batch = participant::touching(call.batch(), campaign.uid);
    let mut properties = participant.properties.clone();
    take(call, &mut properties, batch.at);
    let patch = NodePatch { properties: Some(properties), ..NodePatch::default() };
    let expect = Expect::Version(participant.version);
    let seat = Change::UpdateNode(NodeRef::Id(participant.id), expect, patch);
    let stirred = super::campaign::stir(campaign, Visibility::Members);
    let batch = batch.require(same_seats(campaign)).change(seat).change(stirred);
    call.app.commit(&call.viewer, batch).await
}

/// Marks a participant as claimed by the caller.
pub(crate) fn take(call: &PlayCall, seat: &mut Properties, at: Timestamp) {
    seat.insert(CLAIMED_BY.into(), json!(call.viewer.principal.0));
    seat.insert(CLAIMED_AT.into(), json!(at.to_string()));
}

/// Removes the claim from a participant.
pub(crate) fn leave(seat: &mut Properties) {
    seat.shift_remove(CLAIMED_BY);
    seat.shift_remove(CLAIMED_AT);
}

/// Fails if a participant is claimed by the holder of a player's token. Visibility follows from the
/// token, so a player in a GM's seat would lead a game without seeing all of it.
pub(crate) fn require_free(participant: &Node) -> Result<()> {
    if !participant.properties.contains_key(CLAIMED_BY) {
        return Ok(());
    }
    Err(Error::Precondition {
        message: format!("{} is the seat of a player's token", participant.name),
        hint: "give them a gm token, which needs no seat; archiving the participant frees this one"
            .into(),
    })
}

/// Returns when a participant was claimed, if it is.
pub(crate) fn taken_at(participant: &Node) -> Option<Timestamp> {
    participant.properties.get(CLAIMED_AT)?.as_str()?.parse().ok()
}

/// A precondition: no participant was added or claimed meanwhile. Both change the campaign's
/// version.
pub(crate) fn same_seats(campaign: &Node) -> Require {
    Require::NodeAt { node: NodeRef::Id(campaign.id), version: campaign.version }
}

/// Fails if the caller has claimed a participant in the campaign.
pub(crate) async fn require_seatless(call: &PlayCall, campaign: &Node) -> Result<()> {
    own_seats(call, campaign).await?.first().map_or(Ok(()), |own| Err(has_seat(own)))
}

fn has_seat(own: &Node) -> Error {
    Error::Precondition {
        message: format!("you have a seat at this table: {}", own.name),
        hint: format!(
            "use participant_id {}; for another one ask the GM to archive it first",
            Thing::Participant.show(own.uid)
        ),
    }
}

async fn own_seats(call: &PlayCall, campaign: &Node) -> Result<Vec<Node>> {
    let mut seats = super::campaign::members(call, campaign, PARTICIPANT).await?;
    let mine = json!(call.viewer.principal.0);
    seats.retain(|seat| seat.properties.get(CLAIMED_BY) == Some(&mine));
    Ok(seats)
}

fn check_claim(call: &PlayCall, participant: &Node) -> Result<()> {
    if participant.properties.get(CLAIMED_BY) == Some(&json!(call.viewer.principal.0)) {
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

/// Returns the only participant that the player has claimed in a campaign.
async fn own_participant(call: &PlayCall, campaign: &Node) -> Result<Node> {
    let mut own = own_seats(call, campaign).await?.into_iter();
    match (own.next(), own.next()) {
        (Some(participant), None) => Ok(participant),
        _ => Err(Error::Precondition {
            message: "it is not clear which participant you are".into(),
            hint: "call set_context with your participant_id first".into(),
        }),
    }
}

/// Returns the participant who controls a character; `None` is the GM.
pub(crate) async fn controller_of(call: &PlayCall, character: &Node) -> Result<Option<NodeId>> {
    Ok(control_of(call, character).await?.map(|edge| edge.source))
}

/// Returns the edge from the controlling participant to a character.
pub(crate) async fn control_of(call: &PlayCall, character: &Node) -> Result<Option<Edge>> {
    let edges = call
        .app
        .store
        .neighbours(&call.viewer, &[character.id], Direction::In, &[word(CONTROLS)?], 1)
        .await?;
    Ok(edges.into_iter().next())
}

/// The edge kind of membership in a campaign.
pub(crate) fn membership() -> Result<lore_core::names::Word> {
    word(PART_OF)
}

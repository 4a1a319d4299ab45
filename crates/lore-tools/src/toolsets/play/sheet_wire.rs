//! How characters and their sheets look on the wire.

use std::collections::BTreeMap;

use lore_app::play::character::{Character, Kind, Reveal};
use lore_app::play::ids::Thing;
use lore_app::play::sheet::{FieldChange, Profile, Sheet};
use lore_core::Uid;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::records::moment;
use crate::choice::choice;

choice! {
    /// Whose a character is.
    pub(super) enum KindWire { Pc = "PC", Npc = "NPC" }
}

choice! {
    /// How much of a character the players know.
    pub(super) enum RevealWire { Nothing = "NOTHING", Name = "NAME", Sheet = "SHEET" }
}

/// A character.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct CharacterOut {
    /// Its id.
    pub id: String,
    /// The campaign.
    pub campaign_id: String,
    /// Its name.
    pub name: String,
    /// Whose it is.
    pub kind: KindWire,
    /// What is noted about it.
    pub notes: String,
    /// Who moves it: GM or a participant's id.
    pub controller: String,
    /// When it was made.
    pub created_at: String,
    /// When it last changed.
    pub updated_at: String,
}

/// What a character can do.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ProfileOut {
    /// The character.
    pub character_id: String,
    /// Traits by name.
    pub traits: BTreeMap<String, i64>,
    /// Slots of hit points.
    pub hp_max: i64,
    /// Slots of stress.
    pub stress_max: i64,
    /// What attacks must meet.
    pub evasion: i64,
    /// Damage from which two hit points are marked.
    pub major_threshold: i64,
    /// Damage from which three hit points are marked.
    pub severe_threshold: i64,
}

/// How a character fares.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct StateOut {
    /// The character.
    pub character_id: String,
    /// Hope it holds.
    pub hope: i64,
    /// Stress it has marked.
    pub stress: i64,
    /// Hit points it has left.
    pub hp: i64,
}

/// A value that a new maximum took with it.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ClampedOut {
    /// The field.
    pub field: &'static str,
    /// What it was.
    pub before: Value,
    /// What it is.
    pub after: Value,
}

impl From<Character> for CharacterOut {
    fn from(character: Character) -> Self {
        Self {
            id: Thing::Character.show(character.node.uid),
            campaign_id: Thing::Campaign.show(character.campaign),
            name: character.node.name,
            kind: match character.kind {
                Kind::Pc => KindWire::Pc,
                Kind::Npc => KindWire::Npc,
            },
            notes: character.notes,
            controller: controller(character.controller),
            created_at: moment(character.node.created.at),
            updated_at: moment(character.node.updated.at),
        }
    }
}

impl ProfileOut {
    pub(super) fn new(character: Uid, profile: Profile) -> Self {
        Self {
            character_id: Thing::Character.show(character),
            traits: profile.traits,
            hp_max: profile.hp_max,
            stress_max: profile.stress_max,
            evasion: profile.evasion,
            major_threshold: profile.major_threshold,
            severe_threshold: profile.severe_threshold,
        }
    }
}

impl StateOut {
    pub(super) fn new(character: Uid, sheet: &Sheet) -> Self {
        let state = &sheet.state;
        Self {
            character_id: Thing::Character.show(character),
            hope: state.hope,
            stress: state.stress,
            hp: state.hp,
        }
    }
}

impl From<FieldChange> for ClampedOut {
    fn from(change: FieldChange) -> Self {
        Self { field: change.field, before: change.before, after: change.after }
    }
}

impl From<KindWire> for Kind {
    fn from(kind: KindWire) -> Self {
        match kind {
            KindWire::Pc => Self::Pc,
            KindWire::Npc => Self::Npc,
        }
    }
}

impl From<RevealWire> for Reveal {
    fn from(reveal: RevealWire) -> Self {
        match reveal {
            RevealWire::Nothing => Self::Nothing,
            RevealWire::Name => Self::Name,
            RevealWire::Sheet => Self::Sheet,
        }
    }
}

/// Who moves a character, as the contract says it.
pub(super) fn controller(participant: Option<Uid>) -> String {
    participant.map_or_else(|| "GM".to_owned(), |uid| Thing::Participant.show(uid))
}

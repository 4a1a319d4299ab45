//! Wire types for characters and their sheets.

use std::collections::BTreeMap;

use lore_app::play::character::{Character, Kind, Reveal};
use lore_app::play::ids::Thing;
use lore_app::play::sheet::{FieldChange, Played, Sheet};
use lore_core::Uid;
use lore_rules::table::Life;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::records::moment;
use crate::choice::choice;

choice! {
    /// Whether a character is a player character.
    pub(super) enum KindWire { Pc = "PC", Npc = "NPC" }
}

choice! {
    /// How much the players know about a character.
    pub(super) enum RevealWire { Nothing = "NOTHING", Name = "NAME", Sheet = "SHEET" }
}

/// A character.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct CharacterOut {
    /// Id of the character.
    pub id: String,
    /// Id of the campaign.
    pub campaign_id: String,
    /// Name of the character.
    pub name: String,
    /// Player character (PC) or not (NPC).
    pub kind: KindWire,
    /// Notes about the character.
    pub notes: String,
    /// Who controls it: GM or a participant's id.
    pub controller: String,
    /// Its entity_id in find_entities and get_entities.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entity_id: Option<i64>,
    /// When it was created.
    pub created_at: String,
    /// When it last changed.
    pub updated_at: String,
}

/// The profile of a character: what it can do.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ProfileOut {
    /// Id of the character.
    pub character_id: String,
    /// Trait values by name.
    pub traits: BTreeMap<String, i64>,
    /// Hit point slots.
    pub hp_max: i64,
    /// Stress slots.
    pub stress_max: i64,
    /// Difficulty of attacks against it.
    pub evasion: i64,
    /// Damage from which two hit points are marked.
    pub major_threshold: i64,
    /// Damage from which three hit points are marked.
    pub severe_threshold: i64,
    /// Level, 1 to 10.
    pub level: i64,
    /// Armor slots.
    pub armor_score: i64,
}

/// The changing state of a character.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct StateOut {
    /// Id of the character.
    pub character_id: String,
    /// Hope available.
    pub hope: i64,
    /// Stress marked.
    pub stress: i64,
    /// Hit points left.
    pub hp: i64,
    /// Armor slots marked.
    #[serde(skip_serializing_if = "is_zero")]
    pub armor_marked: i64,
    /// Active conditions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<String>,
    /// Hope slots lost for good.
    #[serde(skip_serializing_if = "is_zero")]
    pub scars: i64,
    /// unconscious, dead or departed; absent while active.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub life: Option<&'static str>,
}

/// The sheet of a character that is played in a campaign, shown beside its page.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::toolsets) struct PlayedOut {
    /// Id of the campaign.
    campaign_id: String,
    /// Player character (PC) or not (NPC).
    kind: KindWire,
    /// Traits, maxima and thresholds.
    profile: ProfileOut,
    /// Hope, stress, hit points and conditions.
    state: StateOut,
}

impl From<&Played> for PlayedOut {
    fn from(played: &Played) -> Self {
        Self {
            campaign_id: Thing::Campaign.show(played.campaign),
            kind: played.kind.into(),
            profile: ProfileOut::new(played.character, &played.sheet),
            state: StateOut::new(played.character, &played.sheet),
        }
    }
}

/// Any JSON value except an array or a fraction. Used for schemas only.
pub(super) struct Scalar;

impl JsonSchema for Scalar {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Scalar".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "anyOf": [
            { "type": "integer" }, { "type": "string" }, { "type": "boolean" }, { "type": "object" },
            { "type": "null" },
        ] })
    }
}

/// A value that was reduced to a lowered maximum.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ClampedOut {
    /// Name of the value.
    pub field: String,
    /// Value before.
    #[schemars(with = "Scalar")]
    pub before: Value,
    /// Value after.
    #[schemars(with = "Scalar")]
    pub after: Value,
}

impl From<Character> for CharacterOut {
    fn from(character: Character) -> Self {
        Self {
            id: Thing::Character.show(character.node.uid),
            campaign_id: Thing::Campaign.show(character.campaign),
            name: character.node.name,
            kind: character.kind.into(),
            notes: character.notes,
            controller: controller(character.controller),
            entity_id: Some(character.node.number).filter(|number| *number != 0),
            created_at: moment(character.node.created.at),
            updated_at: moment(character.node.updated.at),
        }
    }
}

impl ProfileOut {
    pub(super) fn new(character: Uid, sheet: &Sheet) -> Self {
        let profile = sheet.profile.fields().clone();
        Self {
            character_id: Thing::Character.show(character),
            traits: profile.traits,
            hp_max: profile.hp_max,
            stress_max: profile.stress_max,
            evasion: profile.evasion,
            major_threshold: profile.major_threshold,
            severe_threshold: profile.severe_threshold,
            level: profile.level,
            armor_score: profile.armor_score,
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
            armor_marked: state.armor_marked,
            conditions: state.active_conditions().iter().map(|c| c.name().to_owned()).collect(),
            scars: state.scars,
            life: (state.life != Life::Active).then(|| state.life.as_str()),
        }
    }
}

/// Whether a number is zero, and so need not be written.
pub(super) fn is_zero(number: &i64) -> bool {
    *number == 0
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

impl From<Kind> for KindWire {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Pc => Self::Pc,
            Kind::Npc => Self::Npc,
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

/// Returns who controls a character in the contract's form: `GM` or a participant's id.
pub(super) fn controller(participant: Option<Uid>) -> String {
    participant.map_or_else(|| "GM".to_owned(), |uid| Thing::Participant.show(uid))
}

//! Character sheets as they are stored: a profile (what a character can do) and a state (how it
//! fares).
//!
//! The rules are in `lore_rules::table`. This file connects them to the store and maps their errors
//! to the arguments of calls.

use std::collections::{BTreeMap, HashMap};

use lore_core::names::{self, Word};
use lore_core::{Error, Node, NodeId, Result, Uid, Viewer, Visibility};
use lore_rules::table::{
    self, CharacterKind, Condition, Field, Life, Note, Profile, ProfileError, ProfileFields, State,
    StatePatch, Step, TableError, Value as RuleValue,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::call::PlayCall;
use super::character::Kind;
use super::ids::Thing;
use super::{campaign, word};
use crate::App;
use crate::damage::spared;

/// A sheet.
#[derive(Debug, Clone, PartialEq)]
pub struct Sheet {
    /// What the character can do.
    pub profile: Profile,
    /// How it fares.
    pub state: State,
}

/// Changes to a profile; `None` leaves a field as it is.
#[derive(Debug, Clone, Default)]
pub struct ProfilePatch {
    /// The new level.
    pub level: Option<i64>,
    /// All traits, replacing the present ones.
    pub traits: Option<BTreeMap<String, i64>>,
    /// The new number of hit point slots.
    pub hp_max: Option<i64>,
    /// The new number of stress slots.
    pub stress_max: Option<i64>,
    /// The new evasion.
    pub evasion: Option<i64>,
    /// The new major damage threshold.
    pub major_threshold: Option<i64>,
    /// The new severe damage threshold.
    pub severe_threshold: Option<i64>,
    /// The new number of armour slots.
    pub armor_score: Option<i64>,
}

/// A change of a field.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldChange {
    /// Its name; `condition.NAME` for conditions.
    pub field: String,
    /// The value before.
    pub before: Value,
    /// The value after.
    pub after: Value,
}

/// The result of changing a sheet.
#[derive(Debug, Clone)]
pub struct Changed {
    /// The sheet after the change.
    pub sheet: Sheet,
    /// The fields that changed.
    pub changes: Vec<FieldChange>,
    /// Notes for the people at the table.
    pub notes: Vec<Note>,
}

impl Sheet {
    /// Returns the starting sheet of a kind of character.
    pub fn starting(kind: CharacterKind) -> Result<Self> {
        let profile = Profile::new(ProfileFields::starting(kind)).map_err(profile_error)?;
        let state = State::starting(kind, &profile);
        Ok(Self { profile, state })
    }

    /// Changes the profile. State values above a lowered maximum are reduced to it.
    pub fn patch_profile(&self, patch: &ProfilePatch) -> Result<Changed> {
        let mut fields = self.profile.fields().clone();
        let set = |to: &mut i64, new: Option<i64>| *to = new.unwrap_or(*to);
        set(&mut fields.level, patch.level);
        set(&mut fields.hp_max, patch.hp_max);
        set(&mut fields.stress_max, patch.stress_max);
        set(&mut fields.evasion, patch.evasion);
        set(&mut fields.major_threshold, patch.major_threshold);
        set(&mut fields.severe_threshold, patch.severe_threshold);
        set(&mut fields.armor_score, patch.armor_score);
        if let Some(traits) = &patch.traits {
            if traits.is_empty() {
                let hint =
                    "name every trait the character shall have, or leave it out to keep them";
                return Err(Error::invalid("traits", "is empty", hint));
            }
            fields.traits = named(traits)?;
        }
        let profile = Profile::new(fields).map_err(profile_error)?;
        let mut changed = self.stepped(table::clamp_to(&profile, &self.state));
        if profile != self.profile {
            let value = |profile: &Profile| json!(StoredProfile::from(profile));
            let (before, after) = (value(&self.profile), value(&profile));
            changed.changes.push(FieldChange { field: "profile".into(), before, after });
        }
        changed.sheet.profile = profile;
        Ok(changed)
    }

    /// Sets values of the state, within the limits of the profile.
    pub fn patch_state(&self, patch: StatePatch) -> Result<Changed> {
        let step = table::patch(&self.profile, &self.state, patch).map_err(table_error)?;
        Ok(self.stepped(step))
    }

    /// Returns the sheet after a step of the rules.
    pub fn stepped(&self, step: Step) -> Changed {
        let changes = step.changes.iter().map(FieldChange::from).collect();
        let sheet = Self { profile: self.profile.clone(), state: step.state };
        Changed { sheet, changes, notes: step.notes }
    }

    /// Sets a field back to the value an event says it had before. An invalid value is ignored.
    pub(crate) fn set_back(&mut self, field: &str, before: &Value) {
        let mut stored = StoredSheet::from(&*self);
        stored.set(field, before);
        if let Ok(sheet) = Self::try_from(stored) {
            *self = sheet;
        }
    }

    /// Fails unless the character can act. `name` is used in the error.
    pub(crate) fn require_able(&self, name: &str) -> Result<()> {
        let hint = match self.state.life {
            Life::Active => return Ok(()),
            Life::Unconscious => "clear a hit point first, with session_effect_apply and heal",
            Life::Dead | Life::Departed => REVIVE,
        };
        let message = format!("{name} is {} and cannot act", self.state.life.as_str());
        Err(Error::Precondition { message, hint: hint.into() })
    }

    /// Returns the value of a trait, ignoring case.
    pub fn trait_value(&self, name: &str) -> Option<i64> {
        let traits = &self.profile.fields().traits;
        let wanted = name.to_lowercase();
        traits.iter().find(|(known, _)| known.to_lowercase() == wanted).map(|(_, value)| *value)
    }

    /// Returns the names of all traits.
    pub fn trait_names(&self) -> Vec<&str> {
        self.profile.fields().traits.keys().map(String::as_str).collect()
    }

    pub(crate) fn to_value(&self) -> Value {
        json!(StoredSheet::from(self))
    }

    pub(crate) fn from_value(value: Value) -> Result<Self> {
        let broken = || Error::Corrupt { what: "a sheet".into() };
        let stored: StoredSheet = serde_json::from_value(value).map_err(|_| broken())?;
        Self::try_from(stored).map_err(|_| broken())
    }
}

/// Loads the sheet of a character and its version.
pub(crate) async fn load(call: &PlayCall, node: &Node) -> Result<(Sheet, i64)> {
    let (sheet, version, _) = load_with_visibility(call, node).await?;
    Ok((sheet, version))
}

/// Loads the sheet of a character, its version and its visibility.
pub(crate) async fn load_with_visibility(
    call: &PlayCall,
    node: &Node,
) -> Result<(Sheet, i64, Visibility)> {
    let found = call.app.store.states(&call.viewer, &[node.id], &name()?).await?;
    let state = found.into_iter().next().ok_or_else(|| {
        Error::not_found(
            format!("the sheet of {}", Thing::Character.show(node.uid)),
            "only the GM sees it until it is revealed",
        )
    })?;
    Ok((Sheet::from_value(state.value)?, state.version, state.visibility))
}

/// A node that is played as a character.
#[derive(Debug, Clone, PartialEq)]
pub struct Played {
    /// The character.
    pub character: Uid,
    /// The campaign.
    pub campaign: Uid,
    /// Its kind.
    pub kind: Kind,
    /// Its sheet.
    pub sheet: Sheet,
}

/// Returns which of the nodes are played and their sheets, as far as the viewer may see them.
pub async fn played(
    app: &App,
    viewer: &Viewer,
    nodes: &[&Node],
) -> Result<HashMap<NodeId, Played>> {
    let nodes: HashMap<NodeId, (&Node, Uid)> =
        nodes.iter().filter_map(|node| Some((node.id, (*node, campaign::of(node)?)))).collect();
    let ids: Vec<NodeId> = nodes.keys().copied().collect();
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let mut played = HashMap::new();
    let found = app.store.states(viewer, &ids, &name()?).await.map_err(Error::from);
    for state in spared(found)?.unwrap_or_default() {
        let Some((node, campaign)) = nodes.get(&state.node) else { continue };
        let (kind, sheet) = (Kind::of(node), Sheet::from_value(state.value)?);
        let (character, campaign) = (node.uid, *campaign);
        played.insert(state.node, Played { character, campaign, kind, sheet });
    }
    Ok(played)
}

/// The name of the state document.
pub(crate) fn name() -> Result<Word> {
    word("sheet")
}

/// The hint for characters that are out of play.
pub(crate) const REVIVE: &str =
    "a GM brings the character back with character_state_patch and an hp above 0";

/// Converts an error of the rules, naming the argument and its range.
pub(crate) fn table_error(error: TableError) -> Error {
    match error {
        TableError::OutOfRange { field, value, min, max } => out_of_range(field, value, min, max),
        TableError::NotInPlay(_) => {
            Error::Precondition { message: error.to_string(), hint: REVIVE.into() }
        }
        TableError::BadConditionName { max } => Error::invalid(
            "condition.name",
            format!("is not 1 to {max} characters long"),
            "use Hidden, Restrained, Vulnerable or a short name of your own",
        ),
        other => Error::Precondition { hint: way_out(&other), message: other.to_string() },
    }
}

/// Returns a hint for an error that depends on the state.
fn way_out(refusal: &TableError) -> String {
    match refusal {
        TableError::NotEnoughHope { have, .. } => format!("spend at most {have}"),
        TableError::NotEnoughFear { have, .. } => format!("spend at most {have}"),
        TableError::NotEnoughStress { free, .. } => format!("mark at most {free}"),
        TableError::NoArmorSlot => "leave use_armor out, or use repair_armor first".into(),
        TableError::DirectDamage => "leave use_armor or direct out".into(),
        TableError::TooManyConditions { .. } => "remove a condition first".into(),
        TableError::NoDeathMoveDue => "make it when hp is 0".into(),
        TableError::DeathMoveMade => "wake the character with heal".into(),
        _ => "read character_sheet_get for the present state".into(),
    }
}

/// Checks and normalises the names of traits. Blank names are left to the rules, which refuse them.
fn named(traits: &BTreeMap<String, i64>) -> Result<BTreeMap<String, i64>> {
    let mut named = BTreeMap::new();
    for (given, value) in traits {
        let name = match given.trim().is_empty() {
            true => given.clone(),
            false => names::checked_name("traits", given)?,
        };
        if named.insert(name, *value).is_some() {
            let problem = format!("has {given:?} twice");
            return Err(Error::invalid("traits", problem, "give each trait once"));
        }
    }
    Ok(named)
}

fn profile_error(error: ProfileError) -> Error {
    match error {
        ProfileError::OutOfRange { field, value, min, max } => out_of_range(field, value, min, max),
        ProfileError::TraitOutOfRange { name, value, min, max } => {
            out_of_range(&format!("traits.{name}"), value, min, max)
        }
        ProfileError::TooManyTraits { given, max } => {
            Error::invalid("traits", format!("are {given}"), format!("give at most {max}"))
        }
        other => Error::invalid("traits", format!("are wrong: {other}"), "correct their names"),
    }
}

fn out_of_range(field: &str, value: i64, min: i64, max: i64) -> Error {
    Error::invalid(field, format!("is {value}"), format!("use a whole number from {min} to {max}"))
}

impl From<&table::Change> for FieldChange {
    fn from(change: &table::Change) -> Self {
        let field = match &change.field {
            Field::Condition(condition) => format!("condition.{}", condition.name()),
            other => other.as_str().to_owned(),
        };
        Self { field, before: plain(change.before), after: plain(change.after) }
    }
}

fn plain(value: RuleValue) -> Value {
    match value {
        RuleValue::Number(number) => json!(number),
        RuleValue::Flag(flag) => json!(flag),
        RuleValue::Life(life) => json!(life.as_str()),
    }
}

/// The stored form of a sheet.
#[derive(Debug, Serialize, Deserialize)]
struct StoredSheet {
    profile: StoredProfile,
    state: StoredState,
}

#[derive(Debug, Serialize, Deserialize)]
struct StoredProfile {
    level: i64,
    traits: BTreeMap<String, i64>,
    hp_max: i64,
    stress_max: i64,
    evasion: i64,
    major_threshold: i64,
    severe_threshold: i64,
    armor_score: i64,
    proficiency: i64,
}

#[derive(Debug, Serialize, Deserialize)]
struct StoredState {
    hope: i64,
    stress: i64,
    hp: i64,
    armor_marked: i64,
    scars: i64,
    conditions: Vec<String>,
    vulnerable_from_stress: bool,
    life: String,
}

impl StoredSheet {
    fn set(&mut self, field: &str, value: &Value) {
        if let Some(name) = field.strip_prefix("condition.") {
            self.state.conditions.retain(|known| known != name);
            if value == &json!(true) {
                self.state.conditions.push(name.to_owned());
            }
            return;
        }
        if field == "profile" {
            if let Ok(profile) = serde_json::from_value(value.clone()) {
                self.profile = profile;
            }
            return;
        }
        let mut state = json!(self.state);
        if let Some(slot) = state.get_mut(field) {
            *slot = value.clone();
        }
        if let Ok(state) = serde_json::from_value(state) {
            self.state = state;
        }
    }
}

impl From<&Sheet> for StoredSheet {
    fn from(sheet: &Sheet) -> Self {
        let state = &sheet.state;
        Self {
            profile: StoredProfile::from(&sheet.profile),
            state: StoredState {
                hope: state.hope,
                stress: state.stress,
                hp: state.hp,
                armor_marked: state.armor_marked,
                scars: state.scars,
                conditions: state.conditions.iter().map(|c| c.name().to_owned()).collect(),
                vulnerable_from_stress: state.vulnerable_from_stress,
                life: state.life.as_str().to_owned(),
            },
        }
    }
}

impl From<&Profile> for StoredProfile {
    fn from(profile: &Profile) -> Self {
        let fields = profile.fields().clone();
        Self {
            level: fields.level,
            traits: fields.traits,
            hp_max: fields.hp_max,
            stress_max: fields.stress_max,
            evasion: fields.evasion,
            major_threshold: fields.major_threshold,
            severe_threshold: fields.severe_threshold,
            armor_score: fields.armor_score,
            proficiency: fields.proficiency,
        }
    }
}

impl TryFrom<StoredSheet> for Sheet {
    type Error = ();

    fn try_from(stored: StoredSheet) -> std::result::Result<Self, ()> {
        let StoredSheet { profile, state } = stored;
        let profile = Profile::new(ProfileFields {
            level: profile.level,
            traits: profile.traits,
            hp_max: profile.hp_max,
            stress_max: profile.stress_max,
            evasion: profile.evasion,
            major_threshold: profile.major_threshold,
            severe_threshold: profile.severe_threshold,
            armor_score: profile.armor_score,
            proficiency: profile.proficiency,
        });
        let conditions = state.conditions.iter().map(|name| Condition::named(name));
        Ok(Self {
            profile: profile.map_err(|_| ())?,
            state: State {
                hope: state.hope,
                stress: state.stress,
                hp: state.hp,
                armor_marked: state.armor_marked,
                scars: state.scars,
                conditions: conditions.collect::<std::result::Result<_, _>>().map_err(|_| ())?,
                vulnerable_from_stress: state.vulnerable_from_stress,
                life: life(&state.life).ok_or(())?,
            },
        })
    }
}

fn life(text: &str) -> Option<Life> {
    let all = [Life::Active, Life::Unconscious, Life::Dead, Life::Departed];
    all.into_iter().find(|life| life.as_str() == text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sheet_survives_being_stored() {
        let mut sheet = Sheet::starting(CharacterKind::Pc).unwrap();
        sheet.state.conditions.insert(Condition::Restrained);
        sheet.state.life = Life::Unconscious;
        assert_eq!(Sheet::from_value(sheet.to_value()).unwrap(), sheet);
    }

    #[test]
    fn every_change_can_be_set_back() {
        let sheet = Sheet::starting(CharacterKind::Pc).unwrap();
        let patch = ProfilePatch { hp_max: Some(4), ..ProfilePatch::default() };
        let mut changed = sheet.patch_profile(&patch).unwrap();
        assert_eq!(changed.sheet.state.hp, 4);
        for change in changed.changes.iter().rev() {
            changed.sheet.set_back(&change.field, &change.before);
        }
        assert_eq!(changed.sheet, sheet);
    }

    #[test]
    fn names_of_traits_are_names() {
        let sheet = Sheet::starting(CharacterKind::Pc).unwrap();
        let patched = |names: &[&str]| {
            let traits = names.iter().map(|name| ((*name).to_owned(), 1)).collect();
            sheet.patch_profile(&ProfilePatch { traits: Some(traits), ..ProfilePatch::default() })
        };
        let told = patched(&["Iron\u{a0}Will"]).unwrap();
        assert_eq!(told.sheet.trait_names(), ["Iron Will"]);
        for bad in [&["Will\u{e000}"][..], &["Wi\u{200b}ll"], &["A\u{a0}B", "A B"]] {
            assert!(patched(bad).is_err_and(|error| error.to_string().starts_with("traits has")));
        }
    }

    #[test]
    fn values_out_of_range_name_their_field() {
        let sheet = Sheet::starting(CharacterKind::Pc).unwrap();
        let patch = StatePatch { hope: Some(7), ..StatePatch::default() };
        assert_eq!(sheet.patch_state(patch).unwrap_err().to_string(), "hope is 7");
    }
}

//! Sheets: what a character can do and how it fares.

use std::collections::BTreeMap;

use lore_core::names::Word;
use lore_core::{Error, Node, Result, Visibility};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::character::Kind;
use super::desk::Desk;
use super::ids::Thing;
use super::word;

/// The six traits everybody has.
const TRAITS: [&str; 6] = ["agility", "strength", "finesse", "instinct", "presence", "knowledge"];
/// Most Hope a character holds.
pub const HOPE_MAX: i64 = 6;
/// Most slots of hit points or stress; the game itself sets no limit.
const SLOTS_MAX: i64 = 100;
/// Highest evasion or threshold.
const NUMBER_MAX: i64 = 1_000;
/// The range of a trait.
const TRAIT_RANGE: (i64, i64) = (-2, 4);
/// Most traits on a sheet, and longest name of one.
const TRAITS_MAX: (usize, usize) = (30, 40);

/// A sheet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sheet {
    /// What the character can do.
    pub profile: Profile,
    /// How it fares.
    pub state: State,
}

/// What a character can do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Profile {
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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// Hope it holds.
    pub hope: i64,
    /// Stress it has marked.
    pub stress: i64,
    /// Hit points it has left.
    pub hp: i64,
}

/// Changes to a profile; `None` leaves a field alone.
#[derive(Debug, Clone, Default)]
pub struct ProfilePatch {
    /// All traits, replacing the present ones.
    pub traits: Option<BTreeMap<String, i64>>,
    /// New slots of hit points.
    pub hp_max: Option<i64>,
    /// New slots of stress.
    pub stress_max: Option<i64>,
    /// New evasion.
    pub evasion: Option<i64>,
    /// New major threshold.
    pub major_threshold: Option<i64>,
    /// New severe threshold.
    pub severe_threshold: Option<i64>,
}

/// Changes to a state; `None` leaves a field alone.
#[derive(Debug, Clone, Copy, Default)]
pub struct StatePatch {
    /// New Hope.
    pub hope: Option<i64>,
    /// New stress.
    pub stress: Option<i64>,
    /// New hit points.
    pub hp: Option<i64>,
}

/// A field of a sheet that changed.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldChange {
    /// Its name.
    pub field: &'static str,
    /// What it was.
    pub before: Value,
    /// What it is.
    pub after: Value,
}

impl Sheet {
    /// The sheet everybody of a kind starts with.
    pub fn starting(kind: Kind) -> Self {
        let traits = TRAITS.iter().map(|name| ((*name).to_owned(), 0)).collect();
        let (hp_max, stress_max, evasion, major_threshold, severe_threshold, hope) = match kind {
            Kind::Pc => (6, 6, 10, 8, 12, 2),
            Kind::Npc => (3, 3, 8, 6, 10, 0),
        };
        let profile =
            Profile { traits, hp_max, stress_max, evasion, major_threshold, severe_threshold };
        Self { profile, state: State { hope, stress: 0, hp: hp_max } }
    }

    /// Changes the profile. A maximum that is lowered takes the present value with it.
    pub fn patch_profile(&self, patch: &ProfilePatch) -> Result<Self> {
        let old = &self.profile;
        let traits =
            patch.traits.as_ref().map_or_else(|| Ok(old.traits.clone()), checked_traits)?;
        let profile = Profile {
            traits,
            hp_max: patch.hp_max.unwrap_or(old.hp_max),
            stress_max: patch.stress_max.unwrap_or(old.stress_max),
            evasion: patch.evasion.unwrap_or(old.evasion),
            major_threshold: patch.major_threshold.unwrap_or(old.major_threshold),
            severe_threshold: patch.severe_threshold.unwrap_or(old.severe_threshold),
        };
        profile.check()?;
        let state = State {
            hope: self.state.hope,
            stress: self.state.stress.min(profile.stress_max),
            hp: self.state.hp.min(profile.hp_max),
        };
        Ok(Self { profile, state })
    }

    /// Changes the state, within what the profile allows.
    pub fn patch_state(&self, patch: &StatePatch) -> Result<Self> {
        let state = State {
            hope: patch.hope.unwrap_or(self.state.hope),
            stress: patch.stress.unwrap_or(self.state.stress),
            hp: patch.hp.unwrap_or(self.state.hp),
        };
        in_range("hope", state.hope, 0, HOPE_MAX)?;
        in_range("stress", state.stress, 0, self.profile.stress_max)?;
        in_range("hp", state.hp, 0, self.profile.hp_max)?;
        Ok(Self { profile: self.profile.clone(), state })
    }

    /// Moves Hope and stress by these amounts, as far as they go.
    #[must_use]
    pub fn moved(&self, hope: i64, stress: i64) -> Self {
        let mut moved = self.clone();
        moved.state.hope = (self.state.hope + hope).clamp(0, HOPE_MAX);
        moved.state.stress = (self.state.stress + stress).clamp(0, self.profile.stress_max);
        moved
    }

    /// What differs in the state of `after`.
    pub fn state_changes(&self, after: &Self) -> Vec<FieldChange> {
        let pairs = [
            ("hope", self.state.hope, after.state.hope),
            ("stress", self.state.stress, after.state.stress),
            ("hp", self.state.hp, after.state.hp),
        ];
        let changed = pairs.into_iter().filter(|(_, before, after)| before != after);
        changed
            .map(|(field, before, after)| FieldChange {
                field,
                before: before.into(),
                after: after.into(),
            })
            .collect()
    }

    /// What differs in `after`, the profile as a whole.
    pub fn changes(&self, after: &Self) -> Vec<FieldChange> {
        let mut changes = self.state_changes(after);
        if self.profile != after.profile {
            let value = |profile: &Profile| serde_json::to_value(profile).unwrap_or_default();
            let (before, after) = (value(&self.profile), value(&after.profile));
            changes.push(FieldChange { field: "profile", before, after });
        }
        changes
    }

    /// Puts a field back to what an event says it was.
    pub(crate) fn set_back(&mut self, field: &str, before: Value) {
        let number = before.as_i64();
        match (field, number) {
            ("hope", Some(hope)) => self.state.hope = hope,
            ("stress", Some(stress)) => self.state.stress = stress,
            ("hp", Some(hp)) => self.state.hp = hp,
            ("profile", _) => {
                if let Ok(profile) = serde_json::from_value(before) {
                    self.profile = profile;
                }
            }
            _ => {}
        }
    }

    pub(crate) fn to_value(&self) -> Result<Value> {
        serde_json::to_value(self).map_err(|_| Error::Bug { what: "a sheet".into() })
    }
}

impl Profile {
    /// The value of a trait, ignoring case.
    pub fn trait_value(&self, name: &str) -> Option<i64> {
        let found = self.traits.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| *value)
    }

    /// The names of all traits.
    pub fn trait_names(&self) -> Vec<&str> {
        self.traits.keys().map(String::as_str).collect()
    }

    fn check(&self) -> Result<()> {
        in_range("hp_max", self.hp_max, 1, SLOTS_MAX)?;
        in_range("stress_max", self.stress_max, 0, SLOTS_MAX)?;
        in_range("evasion", self.evasion, 0, NUMBER_MAX)?;
        in_range("severe_threshold", self.severe_threshold, 0, NUMBER_MAX)?;
        in_range("major_threshold", self.major_threshold, 0, self.severe_threshold)
    }
}

/// The sheet of a character, with its version.
pub(crate) async fn load(desk: &Desk, node: &Node) -> Result<(Sheet, i64)> {
    let (sheet, version, _) = load_with_visibility(desk, node).await?;
    Ok((sheet, version))
}

/// The sheet of a character, with its version and who may see it.
pub(crate) async fn load_with_visibility(
    desk: &Desk,
    node: &Node,
) -> Result<(Sheet, i64, Visibility)> {
    let found = desk.app.store.states(&desk.viewer, &[node.id], &name()?).await?;
    let state = found.into_iter().next().ok_or_else(|| {
        Error::not_found(
            format!("the sheet of {}", Thing::Character.show(node.uid)),
            "only the GM sees it until it is revealed",
        )
    })?;
    let broken = |_| Error::Corrupt { what: "a sheet".into() };
    let sheet = serde_json::from_value(state.value).map_err(broken)?;
    Ok((sheet, state.version, state.visibility))
}

/// The name of the document.
pub(crate) fn name() -> Result<Word> {
    word("sheet")
}

fn checked_traits(given: &BTreeMap<String, i64>) -> Result<BTreeMap<String, i64>> {
    if given.len() > TRAITS_MAX.0 {
        let hint = format!("keep at most {}", TRAITS_MAX.0);
        return Err(Error::invalid("traits", "are too many", hint));
    }
    let mut traits = BTreeMap::new();
    for (name, value) in given {
        let trimmed = name.trim();
        if trimmed.is_empty() || trimmed.chars().count() > TRAITS_MAX.1 {
            let hint = format!("name traits with 1 to {} characters", TRAITS_MAX.1);
            return Err(Error::invalid("traits", format!("has the name {name:?}"), hint));
        }
        in_range(&format!("traits.{trimmed}"), *value, TRAIT_RANGE.0, TRAIT_RANGE.1)?;
        traits.insert(trimmed.to_owned(), *value);
    }
    Ok(traits)
}

fn in_range(field: &str, value: i64, min: i64, max: i64) -> Result<()> {
    if (min..=max).contains(&value) {
        return Ok(());
    }
    Err(Error::invalid(
        field,
        format!("is {value}"),
        format!("use a whole number from {min} to {max}"),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lowering_a_maximum_takes_the_present_value_with_it() {
        let sheet = Sheet::starting(Kind::Pc);
        let stressed = sheet.patch_state(&StatePatch { stress: Some(5), ..StatePatch::default() });
        let patch =
            ProfilePatch { hp_max: Some(4), stress_max: Some(3), ..ProfilePatch::default() };
        let lowered = stressed.unwrap().patch_profile(&patch).unwrap();
        assert_eq!((lowered.state.hp, lowered.state.stress), (4, 3));
    }

    #[test]
    fn values_out_of_range_name_their_field() {
        let sheet = Sheet::starting(Kind::Pc);
        let state = |patch| sheet.patch_state(&patch).unwrap_err().to_string();
        assert_eq!(state(StatePatch { hope: Some(7), ..StatePatch::default() }), "hope is 7");
        assert_eq!(state(StatePatch { hp: Some(-1), ..StatePatch::default() }), "hp is -1");
        let profile = ProfilePatch { major_threshold: Some(13), ..ProfilePatch::default() };
        let error = sheet.patch_profile(&profile).unwrap_err();
        assert_eq!(error.to_string(), "major_threshold is 13");
    }

    #[test]
    fn a_player_starts_with_six_traits_and_two_hope() {
        let sheet = Sheet::starting(Kind::Pc);
        assert_eq!((sheet.profile.traits.len(), sheet.state.hope), (6, 2));
    }
}

//! The state of a character: the numbers that play changes.
//!
//! A state belongs to a [`Profile`], which holds its maxima. A stored state may be older than its
//! profile: [`clamp_to`] adapts it, and must never change a number that is in range.

use std::collections::BTreeSet;

use super::condition::Condition;
use super::error::{TableError, within};
use super::note::Note;
use super::profile::{CharacterKind, Profile};
use super::step::Step;

/// The state of a character.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct State {
    /// The Hope available, 0 to [`State::hope_max`].
    pub hope: i64,
    /// The number of marked Stress slots.
    pub stress: i64,
    /// The number of Hit Points left.
    pub hp: i64,
    /// The number of marked Armor Slots.
    pub armor_marked: i64,
    /// The number of Hope slots lost for good, 0 to 6.
    pub scars: i64,
    /// The conditions that somebody added.
    pub conditions: BTreeSet<Condition>,
    /// Whether the character is Vulnerable because the last Stress slot is marked. Kept apart from
    /// the conditions, so that clearing Stress does not remove a Vulnerable from another source.
    pub vulnerable_from_stress: bool,
    /// Whether the character still takes part in play.
    pub life: Life,
}

impl State {
    /// The number of Hope slots of a character without scars.
    pub const HOPE_SLOTS: i64 = 6;
    /// The maximum number of conditions of a character.
    pub const MAX_CONDITIONS: usize = 30;

    /// Returns the state of a new character: unhurt, with two Hope for a player character.
    pub fn starting(kind: CharacterKind, profile: &Profile) -> Self {
        let hope = match kind {
            CharacterKind::Pc => 2,
            CharacterKind::Npc => 0,
        };
        Self { hope, hp: profile.hp_max(), ..Self::default() }
    }

    /// The maximum Hope of the character.
    pub const fn hope_max(&self) -> i64 {
        let left = Self::HOPE_SLOTS.saturating_sub(self.scars);
        if left < 0 { 0 } else { left }
    }

    /// Whether the character has a condition, from any source.
    pub fn has(&self, condition: &Condition) -> bool {
        self.conditions.contains(condition)
            || (self.vulnerable_from_stress && *condition == Condition::Vulnerable)
    }

    /// All conditions of the character, from any source.
    pub fn active_conditions(&self) -> BTreeSet<Condition> {
        let mut all = self.conditions.clone();
        if self.vulnerable_from_stress {
            all.insert(Condition::Vulnerable);
        }
        all
    }

    /// Returns a copy to start a change from, with every number in range. An error if the character
    /// no longer takes part in play.
    pub(super) fn ready(&self, profile: &Profile) -> Result<Self, TableError> {
        if self.life.is_in_play() {
            return Ok(self.clamped(profile));
        }
        Err(TableError::NotInPlay(self.life))
    }

    /// Marks Hit Points. If none are left, marking one calls for a death move as well.
    pub(super) fn mark_hp(&mut self, marked: i64, notes: &mut Vec<Note>) {
        if marked > 0 && self.hp == 0 && self.life == Life::Active {
            notes.push(Note::DeathMoveDue);
        }
        self.hp -= marked;
    }

    /// Returns a copy with every number in range.
    pub(super) fn clamped(&self, profile: &Profile) -> Self {
        let mut state = self.clone();
        state.scars = state.scars.clamp(0, Self::HOPE_SLOTS);
        state.hope = state.hope.clamp(0, state.hope_max());
        state.stress = state.stress.clamp(0, profile.stress_max());
        state.hp = state.hp.clamp(0, profile.hp_max());
        state.armor_marked = state.armor_marked.clamp(0, profile.armor_score());
        state
    }

    /// The numbers that have a maximum.
    const fn numbers(&self) -> [i64; 5] {
        [self.scars, self.hope, self.stress, self.hp, self.armor_marked]
    }
}

/// Whether a character still takes part in play.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Life {
    /// Alive and conscious.
    #[default]
    Active,
    /// Alive, but unable to act.
    Unconscious,
    /// Dead.
    Dead,
    /// Alive, but no longer in play: no Hope slot is left.
    Departed,
}

impl Life {
    /// Whether play can still change the character's state.
    pub const fn is_in_play(self) -> bool {
        matches!(self, Self::Active | Self::Unconscious)
    }

    /// The name, for records.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Unconscious => "unconscious",
            Self::Dead => "dead",
            Self::Departed => "departed",
        }
    }
}

/// Brings every number into the range of a profile that has changed.
pub fn clamp_to(profile: &Profile, state: &State) -> Step {
    let clamped = state.clamped(profile);
    let is_lowered = clamped.numbers().into_iter().zip(state.numbers()).any(|(new, old)| new < old);
    let notes = if is_lowered { vec![Note::LoweredToMaximum] } else { Vec::new() };
    Step::settled(profile, state, clamped, notes)
}

/// New values for some fields of a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StatePatch {
    /// The new Hope.
    pub hope: Option<i64>,
    /// The new number of marked Stress slots.
    pub stress: Option<i64>,
    /// The new number of Hit Points left.
    pub hp: Option<i64>,
    /// The new number of marked Armor Slots.
    pub armor_marked: Option<i64>,
    /// The new number of scars.
    pub scars: Option<i64>,
    /// Whether the character still takes part in play.
    pub life: Option<Life>,
}

/// Sets some values, each of which has to be in range. This is how the Game Master overrides the
/// rules, and it can bring back the dead: a character who gets Hit Points is in play again, unless
/// the patch sets `life`.
pub fn patch(profile: &Profile, state: &State, patch: StatePatch) -> Result<Step, TableError> {
    let set = |field, new: Option<i64>, old, max| match new {
        Some(value) => within(field, value, 0, max),
        None => Ok(old),
    };
    let mut next = state.clamped(profile);
    next.life = patch.life.unwrap_or(next.life);
    next.scars = set("scars", patch.scars, next.scars, State::HOPE_SLOTS)?;
    next.hope = next.hope.min(next.hope_max());
    next.hope = set("hope", patch.hope, next.hope, next.hope_max())?;
    next.stress = set("stress", patch.stress, next.stress, profile.stress_max())?;
    next.hp = set("hp", patch.hp, next.hp, profile.hp_max())?;
    let armor = profile.armor_score();
    next.armor_marked = set("armor_marked", patch.armor_marked, next.armor_marked, armor)?;
    let mut notes = Vec::new();
    if patch.life.is_none() && patch.hp.is_some_and(|hp| hp > 0) && !next.life.is_in_play() {
        next.life = Life::Active;
        notes.push(Note::CameBack);
    }
    Ok(Step::settled(profile, state, next, notes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::ProfileFields;

    fn profile(change: fn(&mut ProfileFields)) -> Profile {
        let mut fields = ProfileFields::starting(CharacterKind::Pc);
        change(&mut fields);
        Profile::new(fields).unwrap()
    }

    #[test]
    fn new_characters_start_unhurt() {
        let profile = profile(|_| {});
        let pc = State::starting(CharacterKind::Pc, &profile);
        assert_eq!((pc.hope, pc.hope_max(), pc.stress, pc.hp), (2, 6, 0, 6));
        assert_eq!(State::starting(CharacterKind::Npc, &profile).hope, 0);
    }

    #[test]
    fn a_lower_maximum_lowers_what_is_above_it() {
        let hurt =
            State { hope: 6, stress: 6, hp: 6, armor_marked: 3, scars: 1, ..State::default() };
        let lowered = profile(|fields| {
            fields.hp_max = 4;
            fields.stress_max = 5;
            fields.armor_score = 2;
        });
        let step = clamp_to(&lowered, &hurt);
        let State { hope, stress, hp, armor_marked, .. } = step.state;
        assert_eq!((hope, stress, hp, armor_marked), (5, 5, 4, 2));
        assert_eq!(step.changes.len(), 5);
        assert_eq!(step.notes, [Note::LoweredToMaximum, Note::BecameVulnerable]);
        let again = clamp_to(&lowered, &step.state);
        assert_eq!((again.changes, again.notes), (vec![], vec![]));
    }

    #[test]
    fn a_negative_number_is_raised_without_a_note_about_a_maximum() {
        let broken = State { stress: -1, hp: 6, ..State::default() };
        let step = clamp_to(&profile(|_| {}), &broken);
        assert_eq!((step.state.stress, step.changes.len(), step.notes), (0, 1, vec![]));
    }

    #[test]
    fn patches_name_the_bad_field() {
        let profile = profile(|_| {});
        let state = State::starting(CharacterKind::Pc, &profile);
        for (wrong, field, value, max) in [
            (StatePatch { hope: Some(7), ..StatePatch::default() }, "hope", 7, 6),
            (StatePatch { hope: Some(-1), ..StatePatch::default() }, "hope", -1, 6),
            (StatePatch { stress: Some(7), ..StatePatch::default() }, "stress", 7, 6),
            (StatePatch { hp: Some(7), ..StatePatch::default() }, "hp", 7, 6),
            (StatePatch { armor_marked: Some(1), ..StatePatch::default() }, "armor_marked", 1, 0),
        ] {
            let error = TableError::OutOfRange { field, value, min: 0, max };
            assert_eq!(patch(&profile, &state, wrong), Err(error));
        }
        let good = StatePatch { hope: Some(0), hp: Some(1), ..StatePatch::default() };
        let step = patch(&profile, &state, good).unwrap();
        assert_eq!((step.state.hope, step.state.hp, step.changes.len()), (0, 1, 2));
        let dead = State { life: Life::Dead, ..state.clone() };
        let raise =
            StatePatch { life: Some(Life::Active), scars: Some(2), ..StatePatch::default() };
        let raised = patch(&profile, &dead, raise).unwrap().state;
        assert_eq!((raised.life, raised.hope_max()), (Life::Active, 4));
        let nothing = patch(&profile, &state, StatePatch::default()).unwrap();
        assert_eq!(nothing.changes, []);
    }

    #[test]
    fn who_gets_hit_points_is_back_in_play() {
        let profile = profile(|_| {});
        for life in [Life::Dead, Life::Departed, Life::Unconscious] {
            let gone = State { life, ..State::default() };
            let hp = |hp| StatePatch { hp: Some(hp), ..StatePatch::default() };
            let back = patch(&profile, &gone, hp(1)).unwrap();
            assert_eq!((back.state.life, back.state.hp), (Life::Active, 1), "{life:?}");
            assert_eq!(back.notes.len(), 1);
            assert_eq!(patch(&profile, &gone, hp(0)).unwrap().state.life, life);
        }
    }

    #[test]
    fn two_reasons_to_be_vulnerable_are_kept_apart() {
        let mut state = State { vulnerable_from_stress: true, ..State::default() };
        assert!(state.has(&Condition::Vulnerable));
        assert_eq!(state.active_conditions().len(), 1);
        state.conditions.insert(Condition::Vulnerable);
        state.vulnerable_from_stress = false;
        assert!(state.has(&Condition::Vulnerable) && !state.has(&Condition::Hidden));
    }
}

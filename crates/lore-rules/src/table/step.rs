//! The result of a rule: the new state, the changes and the notes.
//!
//! [`Step::settled`] is the one place that brings states into range and derives what follows from
//! the numbers. Every new state must go through it; a rest combines states that did.

use super::change::{Change, between};
use super::note::Note;
use super::profile::{CharacterKind, Profile};
use super::state::{Life, State};

/// The result of a rule for a character.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The new state.
    pub state: State,
    /// The fields that changed, and no others.
    pub changes: Vec<Change>,
    /// Notes to the people at the table.
    pub notes: Vec<Note>,
}

impl Step {
    /// Whether the character has just marked the last Hit Point.
    pub fn death_move_due(&self) -> bool {
        self.notes.contains(&Note::DeathMoveDue)
    }

    /// Adapts the notes to the kind of character: only player characters make death moves.
    #[must_use]
    pub fn of_kind(mut self, kind: CharacterKind) -> Self {
        if kind == CharacterKind::Npc {
            let due = self.notes.iter_mut().filter(|note| **note == Note::DeathMoveDue);
            due.for_each(|note| *note = Note::Defeated);
        }
        self
    }

    /// Creates the step from one settled state to another.
    pub(super) fn between(before: &State, state: State, notes: Vec<Note>) -> Self {
        Self { changes: between(before, &state), state, notes }
    }

    /// Brings a new state into range and applies what follows from it.
    pub(super) fn settled(
        profile: &Profile,
        before: &State,
        next: State,
        mut notes: Vec<Note>,
    ) -> Self {
        let mut state = next.clamped(profile);
        settle_stress(profile, before, &mut state, &mut notes);
        settle_life(before, &mut state, &mut notes);
        Self::between(before, state, notes)
    }
}

/// Makes the character Vulnerable as long as the last Stress slot is marked.
fn settle_stress(profile: &Profile, before: &State, state: &mut State, notes: &mut Vec<Note>) {
    state.vulnerable_from_stress = profile.stress_max() > 0 && state.stress == profile.stress_max();
    match (before.vulnerable_from_stress, state.vulnerable_from_stress) {
        (false, true) => notes.push(Note::BecameVulnerable),
        (true, false) => notes.push(Note::NoLongerVulnerable),
        _ => {}
    }
}

/// Wakes an unconscious character who gains Hit Points, and notes a death move for the last one
/// marked.
fn settle_life(before: &State, state: &mut State, notes: &mut Vec<Note>) {
    if state.life == Life::Unconscious && before.hp == 0 && state.hp > 0 {
        state.life = Life::Active;
        notes.push(Note::WokeUp);
    }
    if state.life == Life::Active && before.hp > 0 && state.hp == 0 {
        notes.push(Note::DeathMoveDue);
    }
}

//! The answer of a rule: the new state, what changed and what to say about it.
//!
//! States are settled in one place, [`Step::settled`], which follows up on what the numbers mean.
//! No rule may hand out a state that did not go through it.

use super::change::{Change, between};
use super::note::Note;
use super::profile::{CharacterKind, Profile};
use super::state::{Life, State};

/// What a rule did to a character.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The new state.
    pub state: State,
    /// What changed, and nothing else.
    pub changes: Vec<Change>,
    /// What the people at the table should hear.
    pub notes: Vec<Note>,
}

impl Step {
    /// Whether the character has just marked the last Hit Point.
    pub fn death_move_due(&self) -> bool {
        self.notes.contains(&Note::DeathMoveDue)
    }

    /// What the step means for a character of a kind: only those of players make death moves.
    #[must_use]
    pub fn of_kind(mut self, kind: CharacterKind) -> Self {
        if kind == CharacterKind::Npc {
            let due = self.notes.iter_mut().filter(|note| **note == Note::DeathMoveDue);
            due.for_each(|note| *note = Note::Defeated);
        }
        self
    }

    /// The way from one settled state to another.
    pub(super) fn between(before: &State, state: State, notes: Vec<Note>) -> Self {
        Self { changes: between(before, &state), state, notes }
    }

    /// Brings a new state into range and adds what follows from it.
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

/// The last Stress slot makes Vulnerable for as long as it is marked.
fn settle_stress(profile: &Profile, before: &State, state: &mut State, notes: &mut Vec<Note>) {
    state.vulnerable_from_stress = profile.stress_max() > 0 && state.stress == profile.stress_max();
    match (before.vulnerable_from_stress, state.vulnerable_from_stress) {
        (false, true) => notes.push(Note::BecameVulnerable),
        (true, false) => notes.push(Note::NoLongerVulnerable),
        _ => {}
    }
}

/// Hit Points wake an unconscious character, and the last one marked calls for a death move.
fn settle_life(before: &State, state: &mut State, notes: &mut Vec<Note>) {
    if state.life == Life::Unconscious && before.hp == 0 && state.hp > 0 {
        state.life = Life::Active;
        notes.push(Note::WokeUp);
    }
    if state.life == Life::Active && before.hp > 0 && state.hp == 0 {
        notes.push(Note::DeathMoveDue);
    }
}

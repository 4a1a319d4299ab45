//! Marking Stress.
//!
//! If Stress has to be marked without enough free slots, one Hit Point is marked instead: a single
//! one, however many slots are missing.

use super::error::{TableError, amount};
use super::note::Note;
use super::profile::Profile;
use super::state::State;
use super::step::Step;

/// Marks Stress.
pub fn mark_stress(
    profile: &Profile,
    state: &State,
    marked: i64,
    cause: StressCause,
) -> Result<Step, TableError> {
    let mut next = state.ready(profile)?;
    let need = amount(marked)?;
    let free = profile.stress_max() - next.stress;
    if cause == StressCause::Chosen && need > free {
        return Err(TableError::NotEnoughStress { free, need });
    }
    next.stress += need.min(free);
    if need <= free {
        return Ok(Step::settled(profile, state, next, Vec::new()));
    }
    let overflow = if next.hp > 0 { Note::StressOverflowed } else { Note::NothingLeftToMark };
    let mut notes = vec![overflow];
    next.mark_hp(1, &mut notes);
    Ok(Step::settled(profile, state, next, notes))
}

/// Why Stress is marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StressCause {
    /// The character has no choice. Excess Stress marks a Hit Point.
    Forced,
    /// The character pays with it for a move, which requires enough free slots.
    Chosen,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{CharacterKind, Condition, ProfileFields, clear_stress};

    fn marked(stress: i64, hp: i64, more: i64, cause: StressCause) -> Result<Step, TableError> {
        let profile = profile();
        mark_stress(&profile, &State { stress, hp, ..State::default() }, more, cause)
    }

    fn profile() -> Profile {
        Profile::new(ProfileFields::starting(CharacterKind::Pc)).unwrap()
    }

    #[test]
    fn the_last_slot_makes_vulnerable_until_one_is_cleared() {
        let step = marked(5, 6, 1, StressCause::Chosen).unwrap();
        assert!(step.state.has(&Condition::Vulnerable));
        assert_eq!(step.notes, [Note::BecameVulnerable]);
        let cleared = clear_stress(&profile(), &step.state, 1).unwrap();
        assert!(!cleared.state.has(&Condition::Vulnerable));
        assert_eq!(cleared.notes, [Note::NoLongerVulnerable]);
        assert!(!marked(4, 6, 1, StressCause::Forced).unwrap().state.has(&Condition::Vulnerable));
    }

    #[test]
    fn clearing_stress_leaves_a_vulnerable_with_another_cause() {
        let mut state =
            State { stress: 6, hp: 6, vulnerable_from_stress: true, ..State::default() };
        state.conditions.insert(Condition::Vulnerable);
        let cleared = clear_stress(&profile(), &state, 1).unwrap();
        assert!(cleared.state.has(&Condition::Vulnerable));
    }

    #[test]
    fn overflow_costs_one_hit_point_once() {
        for (stress, more, expected) in
            [(6, 1, (6, 5)), (6, 4, (6, 5)), (4, 4, (6, 5)), (4, 2, (6, 6))]
        {
            let step = marked(stress, 6, more, StressCause::Forced).unwrap();
            assert_eq!((step.state.stress, step.state.hp), expected, "{stress} + {more}");
            assert_eq!(step.notes.contains(&Note::StressOverflowed), expected.1 < 6);
        }
    }

    #[test]
    fn overflow_without_a_hit_point_says_that_nothing_is_left() {
        let step = marked(6, 0, 1, StressCause::Forced).unwrap();
        assert_eq!(step.notes[..2], [Note::NothingLeftToMark, Note::DeathMoveDue]);
        assert_eq!((step.state.stress, step.state.hp), (6, 0));
    }

    #[test]
    fn overflow_can_mark_the_last_hit_point() {
        let step = marked(6, 1, 1, StressCause::Forced).unwrap();
        assert!(step.death_move_due());
        assert_eq!(step.state.hp, 0);
    }

    #[test]
    fn nobody_can_choose_stress_that_does_not_fit() {
        let refused = TableError::NotEnoughStress { free: 1, need: 2 };
        assert_eq!(marked(5, 6, 2, StressCause::Chosen), Err(refused));
        assert!(marked(5, 6, -1, StressCause::Forced).is_err());
    }
}

//! Clearing Hit Points, Stress and Armor Slots.
//!
//! Clearing more than is marked is allowed; the surplus is lost. Nothing here may bring back the
//! dead.

use super::error::{TableError, amount};
use super::profile::Profile;
use super::state::State;
use super::step::Step;

/// Clears marked Hit Points. An unconscious character wakes up.
pub fn heal(profile: &Profile, state: &State, cleared: i64) -> Result<Step, TableError> {
    let mut next = state.ready(profile)?;
    next.hp += amount(cleared)?;
    Ok(Step::settled(profile, state, next, Vec::new()))
}

/// Clears marked Stress.
pub fn clear_stress(profile: &Profile, state: &State, cleared: i64) -> Result<Step, TableError> {
    let mut next = state.ready(profile)?;
    next.stress -= amount(cleared)?;
    Ok(Step::settled(profile, state, next, Vec::new()))
}

/// Clears marked Armor Slots.
pub fn repair_armor(profile: &Profile, state: &State, cleared: i64) -> Result<Step, TableError> {
    let mut next = state.ready(profile)?;
    next.armor_marked -= amount(cleared)?;
    Ok(Step::settled(profile, state, next, Vec::new()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{CharacterKind, Life, Note, ProfileFields};

    fn profile() -> Profile {
        let fields = ProfileFields::starting(CharacterKind::Pc);
        Profile::new(ProfileFields { armor_score: 3, ..fields }).unwrap()
    }

    #[test]
    fn nothing_is_cleared_beyond_what_is_marked() {
        let state = State { hp: 5, stress: 1, armor_marked: 1, ..State::default() };
        assert_eq!(heal(&profile(), &state, 3).unwrap().state.hp, 6);
        assert_eq!(clear_stress(&profile(), &state, 3).unwrap().state.stress, 0);
        assert_eq!(repair_armor(&profile(), &state, 3).unwrap().state.armor_marked, 0);
        assert_eq!(heal(&profile(), &state, 0).unwrap().changes, []);
        assert!(heal(&profile(), &state, -1).is_err());
    }

    #[test]
    fn healing_wakes_the_unconscious_but_not_the_dead() {
        let state = State { life: Life::Unconscious, ..State::default() };
        let step = heal(&profile(), &state, 1).unwrap();
        assert_eq!((step.state.life, step.notes), (Life::Active, vec![Note::WokeUp]));
        for life in [Life::Dead, Life::Departed] {
            let gone = State { life, ..State::default() };
            assert_eq!(heal(&profile(), &gone, 1), Err(TableError::NotInPlay(life)));
        }
    }
}

//! Conditions, which last on a character until they are removed.
//!
//! The same condition does not stack: a character has it or not. This module must never change the
//! Vulnerable condition that comes from Stress.

use super::error::TableError;
use super::note::Note;
use super::profile::Profile;
use super::state::State;
use super::step::Step;

/// Adds a condition to a character.
pub fn add_condition(
    profile: &Profile,
    state: &State,
    condition: Condition,
) -> Result<Step, TableError> {
    let mut next = state.ready(profile)?;
    if !next.conditions.insert(condition) {
        return Ok(Step::settled(profile, state, next, vec![Note::HadCondition]));
    }
    if next.conditions.len() > State::MAX_CONDITIONS {
        return Err(TableError::TooManyConditions { max: State::MAX_CONDITIONS });
    }
    Ok(Step::settled(profile, state, next, Vec::new()))
}

/// Removes a condition.
pub fn remove_condition(
    profile: &Profile,
    state: &State,
    condition: &Condition,
) -> Result<Step, TableError> {
    let mut next = state.ready(profile)?;
    let notes =
        if next.conditions.remove(condition) { Vec::new() } else { vec![Note::HadNoCondition] };
    Ok(Step::settled(profile, state, next, notes))
}

/// A lasting condition of a character.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Condition {
    /// Rolls against the character have disadvantage.
    Hidden,
    /// The character cannot move.
    Restrained,
    /// Rolls against the character have advantage.
    Vulnerable,
    /// Any other condition the table agrees on, in lower case; created by [`Condition::named`].
    Custom(String),
}

impl Condition {
    /// The maximum length of a name, in characters.
    pub const MAX_NAME: usize = 40;

    /// Returns the condition with this name. Case and extra white space do not matter.
    pub fn named(name: &str) -> Result<Self, TableError> {
        let words: Vec<String> = name.split_whitespace().map(str::to_lowercase).collect();
        let name = words.join(" ");
        if name.is_empty() || name.chars().count() > Self::MAX_NAME {
            return Err(TableError::BadConditionName { max: Self::MAX_NAME });
        }
        Ok(match name.as_str() {
            "hidden" => Self::Hidden,
            "restrained" => Self::Restrained,
            "vulnerable" => Self::Vulnerable,
            _ => Self::Custom(name),
        })
    }

    /// The name of the condition, in lower case.
    pub fn name(&self) -> &str {
        match self {
            Self::Hidden => "hidden",
            Self::Restrained => "restrained",
            Self::Vulnerable => "vulnerable",
            Self::Custom(name) => name,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{CharacterKind, Life, ProfileFields};

    fn start() -> (Profile, State) {
        let profile = Profile::new(ProfileFields::starting(CharacterKind::Pc)).unwrap();
        let state = State::starting(CharacterKind::Pc, &profile);
        (profile, state)
    }

    #[test]
    fn names_are_folded() {
        assert_eq!(Condition::named(" HIDDEN "), Ok(Condition::Hidden));
        assert_eq!(Condition::named("On  Fire"), Ok(Condition::Custom("on fire".to_owned())));
        for condition in [Condition::Hidden, Condition::Restrained, Condition::Vulnerable] {
            assert_eq!(Condition::named(condition.name()), Ok(condition));
        }
        for bad in ["", " \t", &"x".repeat(41)] {
            assert_eq!(Condition::named(bad), Err(TableError::BadConditionName { max: 40 }));
        }
    }

    #[test]
    fn the_same_condition_does_not_stack() {
        let (profile, state) = start();
        let once = add_condition(&profile, &state, Condition::Restrained).unwrap();
        assert_eq!((once.changes.len(), once.notes.len()), (1, 0));
        let twice = add_condition(&profile, &once.state, Condition::Restrained).unwrap();
        assert_eq!((twice.changes, twice.notes), (vec![], vec![Note::HadCondition]));
        let gone = remove_condition(&profile, &twice.state, &Condition::Restrained).unwrap();
        assert_eq!(gone.state, state);
        let none = remove_condition(&profile, &gone.state, &Condition::Restrained).unwrap();
        assert_eq!((none.changes, none.notes), (vec![], vec![Note::HadNoCondition]));
    }

    #[test]
    fn conditions_have_limits() {
        let (profile, mut state) = start();
        for number in 0..State::MAX_CONDITIONS {
            let condition = Condition::named(&number.to_string()).unwrap();
            state = add_condition(&profile, &state, condition).unwrap().state;
        }
        let refused = add_condition(&profile, &state, Condition::Hidden);
        assert_eq!(refused, Err(TableError::TooManyConditions { max: 30 }));
        let dead = State { life: Life::Dead, ..state };
        let refused = add_condition(&profile, &dead, Condition::Hidden);
        assert_eq!(refused, Err(TableError::NotInPlay(Life::Dead)));
    }
}

//! The effects of the outcome of an action roll on Hope, Stress and Fear.
//!
//! Only which die was higher matters here, Hope or Fear; success and failure never change a number.
//! Anything beyond a maximum is lost, so every outcome can be applied at any time. Reaction rolls
//! have outcomes of another type and so cannot be applied.

use crate::duality::Outcome;

use super::error::TableError;
use super::fear::{FearStep, GmFear};
use super::note::Note;
use super::profile::Profile;
use super::state::State;
use super::step::Step;

/// Returns the effects of an outcome.
pub const fn outcome_effects(outcome: Outcome) -> OutcomeEffects {
    let (hope, stress, gm_fear) = match outcome {
        Outcome::CriticalSuccess => (1, -1, 0),
        Outcome::RollWithHope | Outcome::SuccessWithHope | Outcome::FailureWithHope => (1, 0, 0),
        Outcome::RollWithFear | Outcome::SuccessWithFear | Outcome::FailureWithFear => (0, 0, 1),
    };
    OutcomeEffects { hope, stress, gm_fear, requires_complication: gm_fear > 0 }
}

/// Applies the effects of an outcome on the character who rolled.
pub fn apply_outcome(
    profile: &Profile,
    state: &State,
    outcome: Outcome,
) -> Result<Step, TableError> {
    let mut next = state.ready(profile)?;
    let effects = outcome_effects(outcome);
    next.hope += effects.hope;
    next.stress += effects.stress;
    let notes = if next.hope > next.hope_max() { vec![Note::HopeFull] } else { Vec::new() };
    Ok(Step::settled(profile, state, next, notes))
}

/// Applies the effects of an outcome on the Game Master's Fear.
pub fn apply_outcome_to_fear(fear: GmFear, outcome: Outcome) -> Result<FearStep, TableError> {
    fear.gain(outcome_effects(outcome).gm_fear)
}

/// The effects of an outcome, before any maximum is applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutcomeEffects {
    /// The Hope gained.
    pub hope: i64,
    /// The Stress marked or, if negative, cleared.
    pub stress: i64,
    /// The Fear that the Game Master gains.
    pub gm_fear: i64,
    /// Whether the Game Master adds a complication: true for every roll with Fear.
    pub requires_complication: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{CharacterKind, ProfileFields};

    fn applied(hope: i64, stress: i64, fear: i64, outcome: Outcome) -> (i64, i64, i64) {
        let profile = Profile::new(ProfileFields::starting(CharacterKind::Pc)).unwrap();
        let state = State::starting(CharacterKind::Pc, &profile);
        let state = State { hope, stress, ..state };
        let step = apply_outcome(&profile, &state, outcome).unwrap();
        let fear = apply_outcome_to_fear(GmFear::new(fear).unwrap(), outcome).unwrap();
        (step.state.hope, step.state.stress, fear.fear.value())
    }

    #[test]
    fn outcomes_bring_hope_or_fear() {
        use Outcome::{
            CriticalSuccess, FailureWithFear, FailureWithHope, RollWithFear, RollWithHope,
            SuccessWithFear, SuccessWithHope,
        };
        assert_eq!(applied(2, 3, 4, CriticalSuccess), (3, 2, 4));
        for outcome in [RollWithHope, SuccessWithHope, FailureWithHope] {
            assert_eq!(applied(2, 3, 4, outcome), (3, 3, 4));
        }
        for outcome in [RollWithFear, SuccessWithFear, FailureWithFear] {
            assert_eq!(applied(2, 3, 4, outcome), (2, 3, 5));
        }
    }

    #[test]
    fn nothing_goes_past_its_limits() {
        assert_eq!(applied(6, 0, 12, Outcome::CriticalSuccess), (6, 0, 12));
        assert_eq!(applied(6, 0, 12, Outcome::FailureWithFear), (6, 0, 12));
    }

    #[test]
    fn only_fear_requires_a_complication() {
        let asking = Outcome::ALL.map(|outcome| outcome_effects(outcome).requires_complication);
        assert_eq!(asking, [false, true, false, true, false, true, false]);
    }
}

//! Gaining and spending Hope.
//!
//! Hope beyond the maximum is lost; spending more than there is is an error.

use super::error::{MAX_AMOUNT, TableError, amount, within};
use super::note::Note;
use super::profile::Profile;
use super::state::State;
use super::step::Step;

/// Adds Hope, up to the number of slots that are not scarred.
pub fn gain_hope(profile: &Profile, state: &State, gained: i64) -> Result<Step, TableError> {
    let mut next = state.ready(profile)?;
    next.hope += amount(gained)?;
    let notes = if next.hope > next.hope_max() { vec![Note::HopeFull] } else { Vec::new() };
    Ok(Step::settled(profile, state, next, notes))
}

/// Pays for something with Hope, if there is enough.
pub fn spend_hope(profile: &Profile, state: &State, on: HopeUse) -> Result<Step, TableError> {
    let mut next = state.ready(profile)?;
    let need = within("amount", on.cost(), 1, MAX_AMOUNT)?;
    if need > next.hope {
        return Err(TableError::NotEnoughHope { have: next.hope, need });
    }
    next.hope -= need;
    Ok(Step::settled(profile, state, next, Vec::new()))
}

/// A use of Hope.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HopeUse {
    /// Helping an ally with a roll.
    HelpAlly,
    /// Adding one Experience to a roll.
    Experience,
    /// Starting a Tag Team roll.
    TagTeam,
    /// The Hope feature of a class.
    HopeFeature,
    /// Anything else, with its cost.
    Other(i64),
}

impl HopeUse {
    /// The amount of Hope it costs.
    pub const fn cost(self) -> i64 {
        match self {
            Self::HelpAlly | Self::Experience => 1,
            Self::TagTeam | Self::HopeFeature => 3,
            Self::Other(cost) => cost,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{CharacterKind, ProfileFields};

    fn start(hope: i64, scars: i64) -> (Profile, State) {
        let profile = Profile::new(ProfileFields::starting(CharacterKind::Pc)).unwrap();
        let state = State::starting(CharacterKind::Pc, &profile);
        (profile, State { hope, scars, ..state })
    }

    #[test]
    fn hope_stops_at_the_slots_that_are_left() {
        for (hope, scars, gained, expected) in [(2, 0, 1, 3), (6, 0, 1, 6), (3, 2, 5, 4)] {
            let (profile, state) = start(hope, scars);
            let step = gain_hope(&profile, &state, gained).unwrap();
            assert_eq!(step.state.hope, expected);
            assert_eq!(step.notes.contains(&Note::HopeFull), hope + gained > 6 - scars);
        }
    }

    #[test]
    fn uses_have_their_price() {
        for (on, left) in [
            (HopeUse::HelpAlly, Some(2)),
            (HopeUse::Experience, Some(2)),
            (HopeUse::TagTeam, Some(0)),
            (HopeUse::HopeFeature, Some(0)),
            (HopeUse::Other(2), Some(1)),
            (HopeUse::Other(4), None),
        ] {
            let (profile, state) = start(3, 0);
            let spent = spend_hope(&profile, &state, on);
            let refused = TableError::NotEnoughHope { have: 3, need: on.cost() };
            assert_eq!(spent.map(|step| step.state.hope), left.ok_or(refused));
        }
    }

    #[test]
    fn prices_below_one_are_refused() {
        let (profile, state) = start(3, 0);
        for cost in [0, -1, i64::MIN, i64::MAX] {
            assert!(spend_hope(&profile, &state, HopeUse::Other(cost)).is_err());
        }
    }
}

//! Death moves, which characters make after marking their last Hit Point.
//!
//! The dice come from the caller. Everything that can be rejected can be checked before they are
//! rolled, so that no roll is ever wasted. Only a dying character can make a death move.

use crate::duality::{Die12, DualityDice};

use super::error::{TableError, within};
use super::note::Note;
use super::profile::Profile;
use super::state::{Life, State};
use super::step::Step;

/// Blaze of Glory: one last action, which is critical without a roll, and then death.
pub fn blaze_of_glory(profile: &Profile, state: &State) -> Result<Step, TableError> {
    let next = State { life: Life::Dead, ..dying(profile, state)? };
    let notes = vec![Note::LastActionIsCritical, Note::Died];
    Ok(Step::settled(profile, state, next, notes))
}

/// Avoid Death: the character falls unconscious and, if the Hope die is at most the level, gets a
/// scar.
pub fn avoid_death(
    profile: &Profile,
    state: &State,
    hope_die: Die12,
) -> Result<AvoidDeath, TableError> {
    let mut next = State { life: Life::Unconscious, ..dying(profile, state)? };
    let low = i64::from(hope_die.value()) <= profile.level().value();
    // A character without Hope slots has none to lose.
    let scarred = low && next.hope_max() > 0;
    let mut notes = Vec::new();
    if scarred {
        next.scars += 1;
        notes.push(Note::Scarred);
    }
    if next.hope_max() == 0 {
        next.life = Life::Departed;
        notes.push(Note::JourneyEnded);
    } else {
        notes.insert(0, Note::FellUnconscious);
    }
    Ok(AvoidDeath { hope_die, scarred, step: Step::settled(profile, state, next, notes) })
}

/// Risk It All: if the Hope die is higher, the character clears Hit Points and Stress; if the Fear
/// die is higher, the character dies; if the dice are equal, everything is cleared.
///
/// The wishes matter only if Hope is higher, but they are validated in any case.
pub fn risk_it_all(
    profile: &Profile,
    state: &State,
    dice: DualityDice,
    wishes: Wishes,
) -> Result<Step, TableError> {
    let mut next = dying(profile, state)?;
    wishes.check(profile, &next)?;
    let mut notes = Vec::new();
    if dice.is_crit() {
        next.hp = profile.hp_max();
        next.stress = 0;
    } else if dice.hope > dice.fear {
        let (hp, stress) = wishes.cleared(profile, &next, i64::from(dice.hope.value()));
        next.hp += hp;
        next.stress -= stress;
    } else {
        next.life = Life::Dead;
        notes.push(Note::Died);
    }
    Ok(Step::settled(profile, state, next, notes))
}

/// The result of Avoid Death.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AvoidDeath {
    /// The die that was compared with the level.
    pub hope_die: Die12,
    /// Whether a Hope slot was lost.
    pub scarred: bool,
    /// The new state.
    pub step: Step,
}

/// How the points of Risk It All are spent first. The number of points is not known beforehand, so
/// wishes are fulfilled first, Hit Points before Stress, and points that are left clear the rest in
/// the same order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Wishes {
    /// The number of Hit Points to clear first.
    pub hp: i64,
    /// The amount of Stress to clear before more Hit Points.
    pub stress: i64,
}

impl Wishes {
    fn check(self, profile: &Profile, state: &State) -> Result<(), TableError> {
        within("clear_hp", self.hp, 0, profile.hp_max() - state.hp)?;
        within("clear_stress", self.stress, 0, state.stress)?;
        Ok(())
    }

    /// Returns how many Hit Points and how much Stress this many points clear.
    fn cleared(self, profile: &Profile, state: &State, points: i64) -> (i64, i64) {
        let mut left = points;
        let mut spend = |wanted: i64| {
            let spent = wanted.min(left);
            left -= spent;
            spent
        };
        let (hp, stress) = (spend(self.hp), spend(self.stress));
        let hp = hp + spend(profile.hp_max() - state.hp - hp);
        (hp, stress + spend(state.stress - stress))
    }
}

/// Returns the state to start a death move from, or why none is due.
fn dying(profile: &Profile, state: &State) -> Result<State, TableError> {
    let start = state.ready(profile)?;
    match (start.life, start.hp) {
        (Life::Active, 0) => Ok(start),
        (Life::Unconscious, 0) => Err(TableError::DeathMoveMade),
        _ => Err(TableError::NoDeathMoveDue),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{CharacterKind, ProfileFields};

    fn profile(level: i64) -> Profile {
        let fields = ProfileFields::starting(CharacterKind::Pc);
        Profile::new(ProfileFields { level, ..fields }).unwrap()
    }

    fn downed() -> State {
        State { hope: 5, stress: 4, ..State::default() }
    }

    fn dice(hope: i64, fear: i64) -> DualityDice {
        DualityDice { hope: Die12::new(hope).unwrap(), fear: Die12::new(fear).unwrap() }
    }

    #[test]
    fn a_blaze_of_glory_ends_in_death() {
        let step = blaze_of_glory(&profile(1), &downed()).unwrap();
        assert_eq!(step.state.life, Life::Dead);
        assert_eq!(step.notes, [Note::LastActionIsCritical, Note::Died]);
    }

    #[test]
    fn avoiding_death_scars_up_to_the_level() {
        for (die, scarred) in [(1, true), (3, true), (4, false), (12, false)] {
            let avoided = avoid_death(&profile(3), &downed(), Die12::new(die).unwrap()).unwrap();
            assert_eq!(avoided.scarred, scarred);
            assert_eq!(avoided.step.state.scars, i64::from(scarred));
            assert_eq!(avoided.step.state.life, Life::Unconscious);
        }
    }

    #[test]
    fn a_scar_takes_the_hope_in_its_slot() {
        let full = State { hope: 6, ..downed() };
        let avoided = avoid_death(&profile(10), &full, Die12::new(10).unwrap()).unwrap();
        assert_eq!((avoided.step.state.hope, avoided.step.state.hope_max()), (5, 5));
    }

    #[test]
    fn the_last_hope_slot_ends_the_journey() {
        let worn = State { hope: 1, scars: 5, ..downed() };
        let scarred = avoid_death(&profile(1), &worn, Die12::new(1).unwrap()).unwrap();
        assert_eq!(scarred.step.state.life, Life::Departed);
        assert_eq!(scarred.step.notes, [Note::Scarred, Note::JourneyEnded]);
        let spared = avoid_death(&profile(1), &worn, Die12::new(2).unwrap()).unwrap();
        assert_eq!(spared.step.state.life, Life::Unconscious);
    }

    #[test]
    fn who_has_no_hope_slot_is_not_scarred_again() {
        let worn = State { hope: 0, scars: 6, ..downed() };
        for die in [1, 12] {
            let avoided = avoid_death(&profile(10), &worn, Die12::new(die).unwrap()).unwrap();
            assert_eq!((avoided.scarred, avoided.step.state.scars), (false, 6));
            assert_eq!(avoided.step.state.life, Life::Departed);
            assert_eq!(avoided.step.notes, [Note::JourneyEnded]);
        }
    }

    #[test]
    fn doubles_clear_everything() {
        for face in 1..=12 {
            let risked = risk_it_all(&profile(1), &downed(), dice(face, face), Wishes::default());
            let state = risked.unwrap().state;
            assert_eq!((state.hp, state.stress, state.life), (6, 0, Life::Active));
        }
    }

    #[test]
    fn higher_fear_kills() {
        let risked = risk_it_all(&profile(1), &downed(), dice(3, 4), Wishes::default()).unwrap();
        assert_eq!((risked.state.life, risked.notes), (Life::Dead, vec![Note::Died]));
    }

    #[test]
    fn higher_hope_clears_hit_points_first_unless_told_otherwise() {
        for (die, expected) in [(4, (4, 4)), (6, (6, 4)), (8, (6, 2)), (12, (6, 0))] {
            let risked = risk_it_all(&profile(1), &downed(), dice(die, 1), Wishes::default());
            let state = risked.unwrap().state;
            assert_eq!((state.hp, state.stress), expected, "{die}");
        }
        for (die, (hp, stress), expected) in [
            (4, (1, 3), (1, 1)),
            (4, (0, 4), (0, 0)),
            (4, (3, 4), (3, 3)),
            (8, (0, 4), (4, 0)),
            (3, (6, 4), (3, 4)),
            (12, (1, 1), (6, 0)),
        ] {
            let risked = risk_it_all(&profile(1), &downed(), dice(die, 1), Wishes { hp, stress });
            let state = risked.unwrap().state;
            assert_eq!((state.hp, state.stress), expected, "{die}: {hp} and {stress}");
        }
    }

    #[test]
    fn wishes_are_refused_whatever_the_dice_say() {
        for (hp, stress, field, value) in [
            (7, 0, "clear_hp", 7),
            (-1, 0, "clear_hp", -1),
            (0, 5, "clear_stress", 5),
            (i64::MAX, i64::MIN, "clear_hp", i64::MAX),
        ] {
            for (hope, fear) in [(4, 1), (1, 4), (4, 4)] {
                let wishes = Wishes { hp, stress };
                let risked = risk_it_all(&profile(1), &downed(), dice(hope, fear), wishes);
                let max = if field == "clear_hp" { 6 } else { 4 };
                let refused = TableError::OutOfRange { field, value, min: 0, max };
                assert_eq!(risked, Err(refused));
            }
        }
    }

    #[test]
    fn only_the_dying_make_death_moves() {
        let alive = State { hp: 1, ..downed() };
        let asleep = State { life: Life::Unconscious, ..downed() };
        for (state, refused) in
            [(alive, TableError::NoDeathMoveDue), (asleep, TableError::DeathMoveMade)]
        {
            assert_eq!(blaze_of_glory(&profile(1), &state), Err(refused));
        }
        let dead = State { life: Life::Dead, ..downed() };
        assert_eq!(blaze_of_glory(&profile(1), &dead), Err(TableError::NotInPlay(Life::Dead)));
    }
}

//! Death moves: what a character does who has marked the last Hit Point.
//!
//! The dice come in from the caller, who can show them before points are shared out. A death move
//! must never be made by somebody who is not dying.

use crate::duality::{Die12, DualityDice};

use super::error::TableError;
use super::note::Note;
use super::profile::Profile;
use super::state::{Life, State};
use super::step::Step;

/// Blaze of Glory: one last action, critical without a roll, and then death.
pub fn blaze_of_glory(profile: &Profile, state: &State) -> Result<Step, TableError> {
    let next = State { life: Life::Dead, ..dying(profile, state)? };
    let notes = vec![Note::LastActionIsCritical, Note::Died];
    Ok(Step::settled(profile, state, next, notes))
}

/// Avoid Death: the character falls unconscious, and a Hope die up to the level leaves a scar.
pub fn avoid_death(
    profile: &Profile,
    state: &State,
    hope_die: Die12,
) -> Result<AvoidDeath, TableError> {
    let mut next = State { life: Life::Unconscious, ..dying(profile, state)? };
    let scarred = i64::from(hope_die.value()) <= profile.level().value();
    let mut notes = vec![Note::FellUnconscious];
    if scarred {
        next.scars += 1;
        notes.push(Note::Scarred);
    }
    if next.hope_max() == 0 {
        next.life = Life::Departed;
        notes.push(Note::JourneyEnded);
    }
    Ok(AvoidDeath { hope_die, scarred, step: Step::settled(profile, state, next, notes) })
}

/// Risk It All: with the higher Hope die the character stands up again, with the higher Fear die
/// dies, and with equal dice clears everything.
///
/// The split counts only when Hope is higher.
pub fn risk_it_all(
    profile: &Profile,
    state: &State,
    dice: DualityDice,
    split: Split,
) -> Result<Step, TableError> {
    let mut next = dying(profile, state)?;
    let mut notes = Vec::new();
    if dice.is_crit() {
        next.hp = profile.hp_max();
        next.stress = 0;
    } else if dice.hope > dice.fear {
        let (hp, stress) = split.cleared(profile, &next, i64::from(dice.hope.value()))?;
        next.hp += hp;
        next.stress -= stress;
    } else {
        next.life = Life::Dead;
        notes.push(Note::Died);
    }
    Ok(Step::settled(profile, state, next, notes))
}

/// What Avoid Death brought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AvoidDeath {
    /// The die that was compared with the level.
    pub hope_die: Die12,
    /// Whether a Hope slot is lost.
    pub scarred: bool,
    /// The new state.
    pub step: Step,
}

/// How the points of Risk It All are shared out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Split {
    /// On Hit Points, and what is left on Stress.
    HitPointsFirst,
    /// As the player says. No point may go where nothing is marked, or be left while something is.
    Exactly {
        /// The Hit Points to clear.
        hp: i64,
        /// The Stress to clear.
        stress: i64,
    },
}

impl Split {
    /// The Hit Points and the Stress that are cleared with so many points.
    fn cleared(
        self,
        profile: &Profile,
        state: &State,
        points: i64,
    ) -> Result<(i64, i64), TableError> {
        let (hp_marked, marked) = (profile.hp_max() - state.hp, state.stress);
        match self {
            Self::HitPointsFirst => {
                let hp = points.min(hp_marked);
                Ok((hp, (points - hp).min(marked)))
            }
            Self::Exactly { hp, stress } => {
                let fits = (0..=hp_marked).contains(&hp) && (0..=marked).contains(&stress);
                if fits && hp + stress == points.min(hp_marked + marked) {
                    return Ok((hp, stress));
                }
                Err(TableError::BadSplit { points, hp: hp_marked, stress: marked })
            }
        }
    }
}

/// The state to start a death move from.
fn dying(profile: &Profile, state: &State) -> Result<State, TableError> {
    let start = state.ready(profile)?;
    if start.life == Life::Active && start.hp == 0 {
        return Ok(start);
    }
    Err(TableError::NoDeathMoveDue)
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
        assert!(scarred.step.notes.contains(&Note::JourneyEnded));
        let spared = avoid_death(&profile(1), &worn, Die12::new(2).unwrap()).unwrap();
        assert_eq!(spared.step.state.life, Life::Unconscious);
    }

    #[test]
    fn doubles_clear_everything() {
        for face in 1..=12 {
            let risked =
                risk_it_all(&profile(1), &downed(), dice(face, face), Split::HitPointsFirst);
            let state = risked.unwrap().state;
            assert_eq!((state.hp, state.stress, state.life), (6, 0, Life::Active));
        }
    }

    #[test]
    fn higher_fear_kills() {
        let risked =
            risk_it_all(&profile(1), &downed(), dice(3, 4), Split::HitPointsFirst).unwrap();
        assert_eq!((risked.state.life, risked.notes), (Life::Dead, vec![Note::Died]));
    }

    #[test]
    fn higher_hope_clears_hit_points_first_unless_told_otherwise() {
        for (die, expected) in [(4, (4, 4)), (6, (6, 4)), (8, (6, 2)), (12, (6, 0))] {
            let risked = risk_it_all(&profile(1), &downed(), dice(die, 1), Split::HitPointsFirst);
            let state = risked.unwrap().state;
            assert_eq!((state.hp, state.stress), expected, "{die}");
        }
        let split = Split::Exactly { hp: 1, stress: 3 };
        let state = risk_it_all(&profile(1), &downed(), dice(4, 1), split).unwrap().state;
        assert_eq!((state.hp, state.stress), (1, 1));
    }

    #[test]
    fn splits_must_come_out_even() {
        for (die, hp, stress) in
            [(4, 4, 1), (4, 3, 0), (4, -1, 5), (8, 7, 1), (8, 3, 5), (12, 6, 3), (4, i64::MAX, 1)]
        {
            let risked =
                risk_it_all(&profile(1), &downed(), dice(die, 1), Split::Exactly { hp, stress });
            let refused = TableError::BadSplit { points: die, hp: 6, stress: 4 };
            assert_eq!(risked, Err(refused), "{die}: {hp} and {stress}");
        }
        let all =
            risk_it_all(&profile(1), &downed(), dice(12, 1), Split::Exactly { hp: 6, stress: 4 });
        assert!(all.is_ok());
    }

    #[test]
    fn only_the_dying_make_death_moves() {
        let alive = State { hp: 1, ..downed() };
        let asleep = State { life: Life::Unconscious, ..downed() };
        for state in [alive, asleep] {
            assert_eq!(blaze_of_glory(&profile(1), &state), Err(TableError::NoDeathMoveDue));
        }
        let dead = State { life: Life::Dead, ..downed() };
        assert_eq!(blaze_of_glory(&profile(1), &dead), Err(TableError::NotInPlay(Life::Dead)));
    }
}

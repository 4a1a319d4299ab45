//! Tests of rests, case by case. No test may depend on what a particular seed rolls.

use super::*;
use crate::dice::Seed;
use crate::table::{CharacterKind, ProfileFields};

use Company::{Alone, Together};
use RestCourse::{Finished, Interrupted};
use RestKind::{Long, Short};
use RestMove::{ClearStress, Prepare, RepairArmor, TendWounds, WorkOnProject};

fn profile(level: i64) -> Profile {
    let fields = ProfileFields::starting(CharacterKind::Pc);
    let fields = ProfileFields { level, hp_max: 12, stress_max: 12, armor_score: 12, ..fields };
    Profile::new(fields).unwrap()
}

fn worn() -> State {
    let stressed = State { stress: 12, vulnerable_from_stress: true, ..State::default() };
    State { hope: 1, hp: 1, armor_marked: 12, ..stressed }
}

fn run(
    kind: RestKind,
    course: RestCourse,
    moves: &[&[RestMove]],
    states: &[State],
) -> Result<RestStep, RestError> {
    let profile = profile(5);
    let party: Vec<Rester<'_>> =
        moves.iter().zip(states).map(|(moves, state)| resting(&profile, state, moves)).collect();
    rest(kind, course, &party, RestLog::default(), GmFear::new(2).unwrap(), dice())
}

fn resting<'a>(profile: &'a Profile, state: &'a State, moves: &'a [RestMove]) -> Rester<'a> {
    let (kind, place) = (CharacterKind::Pc, Place::AtTheTable);
    Rester { kind, profile, state, moves, place }
}

fn dice() -> RestDice {
    let stream = |seed| DiceStream::new(Seed::new(seed).unwrap());
    RestDice { open: stream(9), hidden: stream(10) }
}

/// The dice of members behind the screen and those of the others are independent, in any order of
/// members.
#[test]
fn who_is_behind_the_screen_does_not_move_the_dice_of_the_others() {
    let (profile, state) = (profile(5), worn());
    let moves: &[RestMove] = &[TendWounds { whom: 0 }, ClearStress];
    let known = resting(&profile, &state, moves);
    let hidden = || Rester { place: Place::BehindTheScreen, ..resting(&profile, &state, moves) };
    let fear = GmFear::new(2).unwrap();
    let alone = rest(Short, Finished, &[known], RestLog::default(), fear, dice()).unwrap();
    let party = [hidden(), resting(&profile, &state, moves), hidden()];
    let together = rest(Short, Finished, &party, RestLog::default(), fear, dice()).unwrap();
    let faces = |step: &RestStep, member| -> Vec<u32> {
        step.rolls.iter().filter(|roll| roll.member == member).map(|roll| roll.die).collect()
    };
    assert_eq!(faces(&together, 1), faces(&alone, 0));
    assert_eq!(together.fear_die, alone.fear_die);
    assert_eq!((faces(&together, 0).len(), faces(&together, 2).len()), (2, 2));
}

#[test]
fn a_short_rest_clears_a_die_and_the_tier() {
    let moves: &[RestMove] = &[TendWounds { whom: 0 }, RepairArmor { whom: 0 }];
    let done = run(Short, Finished, &[moves, &[ClearStress]], &[worn(), worn()]).unwrap();
    let amounts: Vec<i64> = done.rolls.iter().map(|roll| roll.amount).collect();
    assert!(done.rolls.iter().all(|roll| roll.amount == i64::from(roll.die) + 3));
    let [first, second] = &done.members[..] else { panic!("{done:?}") };
    assert_eq!(first.state.hp, 1 + amounts[0]);
    assert_eq!(first.state.armor_marked, 12 - amounts[1]);
    assert_eq!(second.state.stress, 12 - amounts[2]);
    assert_eq!(second.notes, [Note::NoLongerVulnerable]);
    let gained = i64::from(done.fear_die.unwrap());
    assert!((1..=4).contains(&gained));
    assert_eq!(done.fear.fear.value(), 2 + gained);
    assert_eq!((done.counts_as, done.log.short_in_a_row()), (Some(Short), 1));
}

#[test]
fn a_long_rest_clears_everything() {
    let moves: &[&[RestMove]] = &[
        &[TendWounds { whom: 1 }, TendWounds { whom: 0 }],
        &[RepairArmor { whom: 0 }, ClearStress],
    ];
    let done = run(Long, Finished, moves, &[worn(), worn()]).unwrap();
    let [first, second] = &done.members[..] else { panic!("{done:?}") };
    assert_eq!((first.state.hp, first.state.armor_marked, first.state.stress), (12, 0, 12));
    assert_eq!((second.state.hp, second.state.armor_marked, second.state.stress), (12, 12, 0));
    assert_eq!(done.rolls, []);
    assert_eq!(done.fear.fear.value(), 2 + i64::from(done.fear_die.unwrap()) + 2);
    assert_eq!((done.notes, done.log.short_in_a_row()), (vec![Note::CountdownMayAdvance], 0));
}

#[test]
fn preparing_together_brings_more() {
    let moves: &[&[RestMove]] =
        &[&[Prepare(Alone), Prepare(Alone)], &[Prepare(Together)], &[Prepare(Together)]];
    let done = run(Short, Finished, moves, &[worn(), worn(), worn()]).unwrap();
    let hope: Vec<i64> = done.members.iter().map(|member| member.state.hope).collect();
    assert_eq!(hope, [3, 3, 3]);
    let lonely = run(Short, Finished, &[&[Prepare(Together); 2], &[]], &[worn(), worn()]);
    assert_eq!(lonely, Err(RestError::PreparesAlone { member: 0 }));
}

#[test]
fn interrupted_rests_bring_less() {
    let moves: &[RestMove] = &[ClearStress, WorkOnProject];
    let shortened = run(Long, Interrupted, &[moves], &[worn()]).unwrap();
    assert_eq!(shortened.counts_as, Some(Short));
    assert_eq!((shortened.rolls.len(), shortened.notes), (1, vec![Note::RestShortened]));
    assert!(shortened.members[0].notes.contains(&Note::ProjectLost));
    let lost = run(Short, Interrupted, &[&[ClearStress]], &[worn()]).unwrap();
    assert_eq!((lost.counts_as, lost.fear_die, lost.log), (None, None, RestLog::default()));
    assert_eq!(lost.members[0].state.stress, 12);
    assert_eq!((lost.fear.changes, lost.notes), (vec![], vec![Note::RestLost]));
}

#[test]
fn only_player_characters_count_for_the_fear_of_a_long_rest() {
    let (profile, state) = (profile(1), worn());
    let resting = |kind| Rester { kind, ..resting(&profile, &state, &[]) };
    let gained = |party: &[Rester<'_>]| {
        let (log, fear) = (RestLog::default(), GmFear::default());
        let done = rest(Long, Finished, party, log, fear, dice()).unwrap();
        done.fear.fear.value() - i64::from(done.fear_die.unwrap())
    };
    assert_eq!(gained(&[resting(CharacterKind::Pc), resting(CharacterKind::Npc)]), 1);
    assert_eq!(gained(&[resting(CharacterKind::Npc)]), 0);
}

#[test]
fn three_short_rests_in_a_row_are_the_most() {
    let (profile, state) = (profile(1), worn());
    let party = [resting(&profile, &state, &[])];
    let go = |kind, course, log| {
        let done = rest(kind, course, &party, log, GmFear::default(), dice());
        done.map(|done| done.log.short_in_a_row())
    };
    let three = RestLog::new(3).unwrap();
    assert_eq!(go(Short, Finished, RestLog::new(2).unwrap()), Ok(3));
    assert_eq!(go(Short, Finished, three), Err(RestError::TooManyShortRests { max: 3 }));
    assert_eq!(go(Long, Interrupted, three), Ok(3));
    assert_eq!(go(Long, Finished, three), Ok(0));
    assert!(RestLog::new(4).is_err());
}

#[test]
fn the_unconscious_wake_up_in_a_long_rest_or_when_tended() {
    let asleep = State { hp: 0, life: Life::Unconscious, ..worn() };
    let done = run(Long, Finished, &[&[]], std::slice::from_ref(&asleep)).unwrap();
    assert_eq!(done.members[0].state.life, Life::Active);
    assert!(done.members[0].notes.contains(&Note::WokeUp));
    let still = run(Short, Finished, &[&[]], std::slice::from_ref(&asleep)).unwrap();
    assert_eq!(still.members[0].state.life, Life::Unconscious);
    let acting = run(Short, Finished, &[&[ClearStress]], std::slice::from_ref(&asleep));
    assert_eq!(acting, Err(RestError::Unconscious { member: 0 }));
    let tended: &[&[RestMove]] = &[&[TendWounds { whom: 1 }], &[ClearStress]];
    let done = run(Short, Finished, tended, &[worn(), asleep]).unwrap();
    assert_eq!(done.members[1].state.life, Life::Active);
}

#[test]
fn impossible_plans_are_refused() {
    let dead = State { life: Life::Dead, ..State::default() };
    let three: &[RestMove] = &[ClearStress; 3];
    for (moves, state, expected) in [
        (three, worn(), RestError::TooManyMoves { member: 0, given: 3, max: 2 }),
        (&[TendWounds { whom: 1 }], worn(), RestError::UnknownMember { member: 0, whom: 1 }),
        (&[RepairArmor { whom: 9 }], worn(), RestError::UnknownMember { member: 0, whom: 9 }),
        (&[WorkOnProject], worn(), RestError::ProjectNeedsLongRest { member: 0 }),
        (&[], dead, RestError::NotInPlay { member: 0, life: Life::Dead }),
    ] {
        assert_eq!(run(Short, Finished, &[moves], &[state]), Err(expected));
    }
    assert_eq!(run(Short, Finished, &[], &[]), Err(RestError::NobodyRests));
}

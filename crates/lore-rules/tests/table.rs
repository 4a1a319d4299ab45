//! Properties of the table that must hold for every sequence of events.
//!
//! Events are generated at random. No test may depend on anything but the public interface.

use lore_rules::dice::{DiceStream, Seed};
use lore_rules::duality::{Die12, DualityDice, Outcome};
use lore_rules::table::{
    ArmorUse, CharacterKind, Company, Condition, Countdown, CountdownKind, Damage, DamageKind,
    DamageOptions, Defence, Directness, GmFear, HopeUse, Life, Looping, MassiveDamage, Note, Place,
    Profile, ProfileFields, Protection, RestCourse, RestDice, RestKind, RestLog, RestMove, Rester,
    State, StatePatch, Step, StressCause, TableError, Wishes, add_condition, advance,
    apply_outcome, apply_outcome_to_fear, avoid_death, blaze_of_glory, clamp_to, clear_stress,
    gain_hope, heal, mark_stress, patch, reduced_damage, remove_condition, repair_armor, rest,
    risk_it_all, spend_hope, take_damage,
};
use proptest::prelude::*;
use proptest::sample::select;

/// An event that can happen to a character.
#[derive(Debug, Clone)]
enum Event {
    Outcome(Outcome),
    Damage(Damage, Defence, DamageOptions),
    Heal(i64),
    ClearStress(i64),
    RepairArmor(i64),
    Stress(i64, StressCause),
    GainHope(i64),
    SpendHope(HopeUse),
    Add(Condition),
    Remove(Condition),
    Patch(StatePatch),
    Blaze,
    Avoid(i64),
    Risk(i64, i64, Wishes),
    Rest(RestKind, RestCourse, Vec<RestMove>, u64),
}

fn profile() -> impl Strategy<Value = Profile> {
    let numbers = (1..=10_i64, 1..=12_i64, 0..=12_i64, 0..=12_i64, 0..30_i64, 0..30_i64);
    numbers.prop_filter_map("a profile", |(level, hp_max, stress_max, armor_score, major, more)| {
        let fields = ProfileFields {
            level,
            hp_max,
            stress_max,
            armor_score,
            major_threshold: major,
            severe_threshold: major + more,
            ..ProfileFields::starting(CharacterKind::Pc)
        };
        Profile::new(fields).ok()
    })
}

/// Any state at all, including invalid ones that a damaged store might return.
fn state() -> impl Strategy<Value = State> {
    let number = || prop_oneof![8 => 0..13_i64, 1 => any::<i64>()];
    let life =
        select(vec![Life::Active, Life::Active, Life::Active, Life::Unconscious, Life::Dead]);
    let flag = any::<bool>();
    (number(), number(), number(), number(), 0..7_i64, flag, life).prop_map(
        |(hope, stress, hp, armor_marked, scars, vulnerable_from_stress, life)| State {
            hope,
            stress,
            hp,
            armor_marked,
            scars,
            vulnerable_from_stress,
            life,
            ..State::default()
        },
    )
}

fn amount() -> impl Strategy<Value = i64> {
    prop_oneof![6 => 0..8_i64, 1 => any::<i64>()]
}

fn damage() -> impl Strategy<Value = (Damage, Defence, DamageOptions)> {
    let kind = select(vec![DamageKind::Physical, DamageKind::Magic, DamageKind::Both]);
    let directness = select(vec![Directness::Normal, Directness::Direct]);
    let protection = || select(vec![Protection::None, Protection::Resistant, Protection::Immune]);
    let armor = select(vec![ArmorUse::Spare, ArmorUse::MarkSlot]);
    let massive = select(vec![MassiveDamage::Off, MassiveDamage::Counts]);
    let number = prop_oneof![6 => 0..80_i64, 1 => any::<i64>()];
    (number, kind, directness, protection(), protection(), armor, massive).prop_map(
        |(amount, kind, directness, physical, magic, armor, massive)| {
            let defence = Defence { physical, magic };
            (Damage { amount, kind, directness }, defence, DamageOptions { armor, massive })
        },
    )
}

fn rest_event() -> impl Strategy<Value = Event> {
    let moves = select(vec![
        RestMove::TendWounds { whom: 0 },
        RestMove::RepairArmor { whom: 0 },
        RestMove::ClearStress,
        RestMove::Prepare(Company::Alone),
        RestMove::WorkOnProject,
    ]);
    let kind = select(vec![RestKind::Short, RestKind::Long]);
    let course = select(vec![RestCourse::Finished, RestCourse::Interrupted]);
    (kind, course, prop::collection::vec(moves, 0..4), any::<u64>())
        .prop_map(|(kind, course, moves, seed)| Event::Rest(kind, course, moves, seed))
}

fn event() -> impl Strategy<Value = Event> {
    let condition = || {
        select(vec![Condition::Hidden, Condition::Vulnerable, Condition::Custom("wet".to_owned())])
    };
    let cause = select(vec![StressCause::Forced, StressCause::Chosen]);
    let wishes = (0..7_i64, 0..7_i64).prop_map(|(hp, stress)| Wishes { hp, stress });
    let hope = prop_oneof![
        select(vec![
            HopeUse::HelpAlly,
            HopeUse::Experience,
            HopeUse::TagTeam,
            HopeUse::HopeFeature
        ]),
        amount().prop_map(HopeUse::Other),
    ];
    let some = || prop::option::of(-1..13_i64);
    let patched = (some(), some(), some(), some()).prop_map(|(hope, stress, hp, armor_marked)| {
        Event::Patch(StatePatch { hope, stress, hp, armor_marked, ..StatePatch::default() })
    });
    prop_oneof![
        3 => select(Outcome::ALL.to_vec()).prop_map(Event::Outcome),
        4 => damage().prop_map(|(damage, defence, options)| Event::Damage(damage, defence, options)),
        2 => amount().prop_map(Event::Heal),
        1 => amount().prop_map(Event::ClearStress),
        1 => amount().prop_map(Event::RepairArmor),
        3 => (amount(), cause).prop_map(|(amount, cause)| Event::Stress(amount, cause)),
        1 => amount().prop_map(Event::GainHope),
        1 => hope.prop_map(Event::SpendHope),
        1 => condition().prop_map(Event::Add),
        1 => condition().prop_map(Event::Remove),
        1 => patched,
        1 => Just(Event::Blaze),
        3 => (1..=12_i64).prop_map(Event::Avoid),
        3 => (1..=12_i64, 1..=12_i64, wishes).prop_map(|(hope, fear, wishes)| Event::Risk(hope, fear, wishes)),
        2 => rest_event(),
    ]
}

/// Returns the result of an event for a character; `None` if the rules reject it.
fn happen(profile: &Profile, state: &State, event: &Event) -> Option<Step> {
    let die = |value| Die12::new(value).ok();
    match event {
        Event::Outcome(outcome) => apply_outcome(profile, state, *outcome).ok(),
        Event::Damage(damage, defence, options) => {
            take_damage(profile, state, *damage, *defence, *options).ok().map(|done| done.step)
        }
        Event::Heal(amount) => heal(profile, state, *amount).ok(),
        Event::ClearStress(amount) => clear_stress(profile, state, *amount).ok(),
        Event::RepairArmor(amount) => repair_armor(profile, state, *amount).ok(),
        Event::Stress(amount, cause) => mark_stress(profile, state, *amount, *cause).ok(),
        Event::GainHope(amount) => gain_hope(profile, state, *amount).ok(),
        Event::SpendHope(on) => spend_hope(profile, state, *on).ok(),
        Event::Add(condition) => add_condition(profile, state, condition.clone()).ok(),
        Event::Remove(condition) => remove_condition(profile, state, condition).ok(),
        Event::Patch(change) => patch(profile, state, *change).ok(),
        Event::Blaze => blaze_of_glory(profile, state).ok(),
        Event::Avoid(face) => avoid_death(profile, state, die(*face)?).ok().map(|done| done.step),
        Event::Risk(hope, fear, wishes) => {
            let dice = DualityDice { hope: die(*hope)?, fear: die(*fear)? };
            risk_it_all(profile, state, dice, *wishes).ok()
        }
        Event::Rest(kind, course, moves, seed) => {
            let (kind_of_member, place) = (CharacterKind::Pc, Place::AtTheTable);
            let party = [Rester { kind: kind_of_member, profile, state, moves, place }];
            let stream = || DiceStream::new(Seed::from_random(*seed));
            let dice = RestDice { open: stream(), hidden: stream() };
            let (log, fear) = (RestLog::default(), GmFear::default());
            rest(*kind, *course, &party, log, fear, dice).ok()?.members.pop()
        }
    }
}

fn check(profile: &Profile, before: &State, step: &Step) -> Result<(), TestCaseError> {
    let State { hope, stress, hp, armor_marked, scars, .. } = step.state;
    prop_assert!((0..=6).contains(&scars) && (0..=6 - scars).contains(&hope));
    prop_assert!((0..=profile.stress_max()).contains(&stress));
    prop_assert!((0..=profile.hp_max()).contains(&hp));
    prop_assert!((0..=profile.armor_score()).contains(&armor_marked));
    let full = profile.stress_max() > 0 && stress == profile.stress_max();
    prop_assert_eq!(step.state.vulnerable_from_stress, full);
    prop_assert_eq!(before.replay(&step.changes), Ok(step.state.clone()));
    prop_assert!(step.changes.iter().all(|change| change.before != change.after));
    let turned = step.changes.iter().cloned().map(|mut change| {
        std::mem::swap(&mut change.before, &mut change.after);
        change
    });
    let back: Vec<_> = turned.collect();
    prop_assert_eq!(step.state.replay(&back), Ok(before.clone()));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn no_life_leaves_the_rules(
        profile in profile(),
        start in state(),
        life in prop::collection::vec(event(), 0..40),
    ) {
        let mut state = start;
        for event in life {
            let Some(step) = happen(&profile, &state, &event) else { continue };
            check(&profile, &state, &step)?;
            state = step.state;
        }
    }

    #[test]
    fn any_state_fits_after_clamping(profile in profile(), start in state()) {
        let step = clamp_to(&profile, &start);
        check(&profile, &start, &step)?;
        prop_assert!(clamp_to(&profile, &step.state).changes.is_empty());
    }

    #[test]
    fn fear_stays_in_range(start in 0..=12_i64, life in prop::collection::vec((0..3_u8, amount()), 0..40)) {
        let mut fear = GmFear::new(start).expect("in range");
        for (what, amount) in life {
            let step = match what {
                0 => apply_outcome_to_fear(fear, Outcome::FailureWithFear),
                1 => fear.gain(amount),
                _ => fear.spend(amount),
            };
            if what == 0 {
                let after = step.as_ref().map(|step| step.fear.value());
                prop_assert_eq!(after, Ok((fear.value() + 1).min(12)), "always applicable");
            }
            fear = step.map_or(fear, |step| step.fear);
            prop_assert!((0..=12).contains(&fear.value()));
        }
    }

    #[test]
    fn resistance_rounds_up(amount in 0..=1_000_000_i64) {
        let damage = Damage { amount, kind: DamageKind::Magic, directness: Directness::Normal };
        let defence = Defence { magic: Protection::Resistant, ..Defence::default() };
        let halved = reduced_damage(damage, defence);
        prop_assert!(halved * 2 == amount || halved * 2 == amount + 1);
    }

    #[test]
    fn stress_overflow_costs_one_hit_point_once(profile in profile(), marked in 0..=12_i64, more in 0..=1_000_i64) {
        let stress = marked.min(profile.stress_max());
        let state = State { stress, hp: profile.hp_max(), ..State::default() };
        let step = mark_stress(&profile, &state, more, StressCause::Forced).expect("forced");
        let overflow = stress + more > profile.stress_max();
        prop_assert_eq!(step.state.hp, profile.hp_max() - i64::from(overflow));
        prop_assert_eq!(step.state.stress, (stress + more).min(profile.stress_max()));
        prop_assert_eq!(step.notes.contains(&Note::StressOverflowed), overflow);
    }

    #[test]
    fn doubles_clear_all(profile in profile(), stress in 0..=12_i64, face in 1..=12_i64) {
        let dying = State { stress: stress.min(profile.stress_max()), ..State::default() };
        let die = Die12::new(face).expect("a face");
        let dice = DualityDice { hope: die, fear: die };
        let step = risk_it_all(&profile, &dying, dice, Wishes::default()).expect("a death move");
        prop_assert_eq!((step.state.hp, step.state.stress), (profile.hp_max(), 0));
        prop_assert_eq!(step.state.life, Life::Active);
    }

    #[test]
    fn countdowns_stay_in_range(
        start in 1..=100_i64,
        looping in select(vec![Looping::Once, Looping::Same, Looping::Increasing, Looping::Decreasing]),
        advances in prop::collection::vec(amount(), 0..60),
    ) {
        let made = Countdown::new(start, CountdownKind::Standard, looping);
        let mut countdown = made.expect("in range");
        for by in advances {
            let was_over = countdown.is_over();
            let Ok((next, triggered)) = advance(countdown, by) else { continue };
            prop_assert!((0..=next.start()).contains(&next.current()) && next.start() <= 100);
            prop_assert!(!(was_over && triggered));
            countdown = next;
        }
    }
}

#[test]
fn the_dead_stay_dead() {
    let profile = Profile::new(ProfileFields::starting(CharacterKind::Pc)).expect("a profile");
    for life in [Life::Dead, Life::Departed] {
        let gone = State { life, ..State::default() };
        let refused = Err(TableError::NotInPlay(life));
        assert_eq!(heal(&profile, &gone, 5), refused);
        assert_eq!(apply_outcome(&profile, &gone, Outcome::CriticalSuccess), refused);
    }
}

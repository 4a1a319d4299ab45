//! Properties of memory that must hold for every clock and every input.

use lore_rules::memory::decay::{
    Confidence, ExperienceType, NUDGE_MAX, days_until_below, nudge, rate, relevance,
};
use lore_rules::memory::lifecycle::{Phase, Status};
use lore_rules::memory::likeness::Statement;
use lore_rules::memory::{budget, secrets};
use proptest::prelude::*;
use proptest::sample::select;

fn mask(text: &str) -> secrets::Masked {
    secrets::mask(text, |c| c == '\u{200b}')
}

fn experience_type() -> impl Strategy<Value = ExperienceType> {
    select(ExperienceType::ALL.to_vec())
}

fn confidence() -> impl Strategy<Value = Confidence> {
    select(Confidence::ALL.to_vec())
}

/// Any age that a clock could report, including invalid ones.
fn days() -> impl Strategy<Value = f64> {
    prop_oneof![8 => -1e4..1e5_f64, 1 => any::<f64>()]
}

proptest! {
    #[test]
    fn relevance_is_a_share_whatever_the_clock_says(rate in any::<f64>(), days in any::<f64>()) {
        let left = relevance(rate, days);
        prop_assert!((0.0..=1.0).contains(&left), "{left}");
        let factor = nudge(left);
        prop_assert!((1.0 - NUDGE_MAX..=1.0 + NUDGE_MAX).contains(&factor), "{factor}");
    }

    #[test]
    fn nothing_gains_relevance_by_waiting(
        experience_type in experience_type(), confidence in confidence(), days in days(), more in 0.0..1e6_f64,
    ) {
        let rate = rate(experience_type, confidence);
        prop_assert!(relevance(rate, days + more) <= relevance(rate, days));
    }

    #[test]
    fn a_clock_set_back_and_forth_leaves_no_trace(
        experience_type in experience_type(), confidence in confidence(), days in 0.0..1e4_f64, jump in days(),
    ) {
        let rate = rate(experience_type, confidence);
        let before = relevance(rate, days);
        let _ = relevance(rate, days + jump);
        prop_assert_eq!(relevance(rate, days), before);
        prop_assert_eq!(relevance(rate, -days), 1.0);
    }

    #[test]
    fn the_less_sure_the_faster_it_fades(experience_type in experience_type(), days in 0.01..1e4_f64) {
        let left = Confidence::ALL.map(|confidence| relevance(rate(experience_type, confidence), days));
        prop_assert!(left[0] >= left[1] && left[1] >= left[2]);
    }

    #[test]
    fn what_is_below_the_threshold_is_older_than_its_day(
        experience_type in experience_type(), confidence in confidence(), threshold in 1e-6..1.0_f64,
    ) {
        let rate = rate(experience_type, confidence);
        let day = days_until_below(rate, threshold).unwrap();
        prop_assert!(relevance(rate, day + 0.001) < threshold);
        prop_assert!(relevance(rate, day - 0.001) > threshold * 0.999);
    }

    #[test]
    fn a_nudge_never_reverses_a_clear_match(a in 0.0..=1.0_f64, b in 0.0..=1.0_f64) {
        // A match whose score is a quarter higher stays ahead, however old it is.
        prop_assert!(1.25 * nudge(a) > 1.0 * nudge(b));
    }

    #[test]
    fn masking_is_total_and_settles(text in "\\PC{0,200}") {
        let once = mask(&text);
        let twice = mask(&once.text);
        prop_assert_eq!(&twice.text, &once.text);
        prop_assert_eq!(once.found.is_empty(), once.text == text);
    }

    #[test]
    fn no_key_survives_masking(
        before in "[a-z ]{0,20}", body in "[a-zA-Z0-9]{35}[0-9]", after in "[ .,][a-z ]{0,20}",
    ) {
        for start in ["ghp_", "sk-ant-", "sk-", "glpat-", "hf_"] {
            let text = format!("{before} {start}{body}{after}");
            prop_assert!(!mask(&text).text.contains(&body), "{text}");
            let hidden: String = text.chars().flat_map(|c| [c, '\u{200b}']).collect();
            let shown = mask(&hidden).text.replace('\u{200b}', "");
            prop_assert!(!shown.contains(&body), "{text}");
        }
    }

    #[test]
    fn likeness_is_mutual_and_a_share(one in "\\PC{0,80}", other in "\\PC{0,80}") {
        let (one, other) = (Statement::of(&one), Statement::of(&other));
        let there = one.compare(&other);
        prop_assert_eq!(there, other.compare(&one));
        if let Some((_, similarity)) = there {
            prop_assert!((0.0..=1.0).contains(&similarity));
        }
    }

    #[test]
    fn a_budget_is_kept_by_all_but_the_first(
        costs in prop::collection::vec(0..1_000_usize, 0..50), limit in 0..5_000_usize,
    ) {
        let fitting = budget::that_fit(costs.iter().copied(), limit);
        let spent: usize = costs.iter().take(fitting).sum();
        prop_assert!(spent <= limit || fitting == 1);
        if let Some(next) = costs.get(fitting) {
            prop_assert!(spent + next > limit);
        }
    }
}

#[test]
fn machines_never_leave_their_states() {
    for phase in Phase::ALL {
        assert_eq!(Phase::named(phase.as_str()), Some(phase));
        assert!(phase.next().iter().all(|next| phase.may_become(*next) && *next != phase));
    }
    for status in Status::ALL {
        assert_eq!(Status::named(status.as_str()), Some(status));
        assert!(status.next().iter().all(|next| status.may_become(*next) && *next != status));
    }
}

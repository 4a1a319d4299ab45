//! How the relevance of experiences decays.
//!
//! After `d` days, the relevance is `exp(-rate * d)`: half of it is left after one half-life. The
//! rate follows from the type of the experience and from how sure its writer was. Reading an
//! experience does not slow its decay; the number of reads only decides what becomes permanent.

use std::f64::consts::LN_2;

/// The type of an experience.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ExperienceType {
    /// How a problem was solved.
    Solution,
    /// Something that keeps recurring; lasts longest.
    Pattern,
    /// What was chosen, and why.
    Decision,
    /// What helps for now; decays fastest.
    Workaround,
    /// A pitfall to remember.
    Gotcha,
}

impl ExperienceType {
    /// Every lesson, in the order of the contract.
    pub const ALL: [Self; 5] =
        [Self::Solution, Self::Pattern, Self::Decision, Self::Workaround, Self::Gotcha];

    /// The name of the type.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Solution => "solution",
            Self::Pattern => "pattern",
            Self::Decision => "decision",
            Self::Workaround => "workaround",
            Self::Gotcha => "gotcha",
        }
    }

    /// Returns the type with this name; case and surrounding white space are ignored.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|experience_type| experience_type.as_str().eq_ignore_ascii_case(name.trim()))
    }

    /// The half-life in days, for a writer with high confidence.
    pub const fn half_life_days(self) -> f64 {
        match self {
            Self::Pattern => 300.0,
            Self::Solution | Self::Gotcha => 200.0,
            Self::Decision => 100.0,
            Self::Workaround => 50.0,
        }
    }
}

/// How sure the writer was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Confidence {
    /// Sure.
    High,
    /// Fairly sure: decays twice as fast.
    Medium,
    /// Guessing: decays four times as fast.
    Low,
}

impl Confidence {
    /// Every level, surest first.
    pub const ALL: [Self; 3] = [Self::High, Self::Medium, Self::Low];

    /// The name of the level.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::High => "high",
            Self::Medium => "medium",
            Self::Low => "low",
        }
    }

    /// Returns the level with this name; case and surrounding white space are ignored.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.as_str().eq_ignore_ascii_case(name.trim()))
    }

    const fn speed(self) -> f64 {
        match self {
            Self::High => 1.0,
            Self::Medium => 2.0,
            Self::Low => 4.0,
        }
    }
}

/// The decay rate per day.
pub fn rate(experience_type: ExperienceType, confidence: Confidence) -> f64 {
    LN_2 * confidence.speed() / experience_type.half_life_days()
}

/// Returns the relevance after `days`, from 1 down to 0. A negative age, from a clock that was set
/// back, counts as zero, and every input gives a number from 0 to 1.
pub fn relevance(rate: f64, days: f64) -> f64 {
    let days = if days.is_nan() { 0.0 } else { days.max(0.0) };
    let rate = if rate.is_nan() { 0.0 } else { rate.max(0.0) };
    let exponent = rate * days;
    // `0 * inf`: a rate of zero never decays, however long.
    if exponent.is_nan() { 1.0 } else { (-exponent).exp() }
}

/// Returns the number of days after which the relevance falls below `threshold`; `None` if it never
/// does.
pub fn days_until_below(rate: f64, threshold: f64) -> Option<f64> {
    let reachable = rate > 0.0 && threshold > 0.0;
    reachable.then(|| (-threshold.min(1.0).ln() / rate).max(0.0))
}

/// The maximum relative change of a ranking score by relevance.
pub const NUDGE_MAX: f64 = 0.1;

/// The factor by which relevance changes the score of a match: at most a tenth up or down, so that
/// what fits the query is never buried under what is merely new.
pub fn nudge(relevance: f64) -> f64 {
    let relevance = if relevance.is_nan() { 0.0 } else { relevance.clamp(0.0, 1.0) };
    1.0 - NUDGE_MAX + 2.0 * NUDGE_MAX * relevance
}

/// Rounds relevance as it is displayed. Filters compare the rounded value as well, so that an
/// experience displayed with a relevance of 1 is found by a filter for 1.
pub fn shown(relevance: f64) -> f64 {
    (relevance * 10_000.0).round() / 10_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_compared_is_what_is_shown() {
        assert!(shown(relevance(rate(ExperienceType::Solution, Confidence::High), 0.000_1)) >= 1.0);
        assert!(shown(0.499_97) >= 0.5 && shown(0.499_9) < 0.5);
    }

    #[test]
    fn half_is_left_after_a_half_life() {
        for experience_type in ExperienceType::ALL {
            let left = relevance(
                rate(experience_type, Confidence::High),
                experience_type.half_life_days(),
            );
            assert!((left - 0.5).abs() < 1e-12, "{experience_type:?}: {left}");
        }
    }

    #[test]
    fn the_rates_are_those_of_the_contract() {
        let shown =
            |experience_type, confidence| format!("{:.6}", rate(experience_type, confidence));
        assert_eq!(shown(ExperienceType::Solution, Confidence::High), "0.003466");
        assert_eq!(shown(ExperienceType::Pattern, Confidence::High), "0.002310");
        assert_eq!(shown(ExperienceType::Decision, Confidence::High), "0.006931");
        assert_eq!(shown(ExperienceType::Workaround, Confidence::High), "0.013863");
        assert_eq!(shown(ExperienceType::Workaround, Confidence::Low), "0.055452");
    }

    #[test]
    fn names_are_read_in_any_case() {
        assert_eq!(ExperienceType::named(" Gotcha "), Some(ExperienceType::Gotcha));
        assert_eq!(Confidence::named("LOW"), Some(Confidence::Low));
        assert_eq!(ExperienceType::named("lesson"), None);
    }
}

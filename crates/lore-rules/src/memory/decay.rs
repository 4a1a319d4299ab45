//! How experiences fade.
//!
//! What is left after `d` days is `exp(-rate * d)`: half of it after one half-life. The rate
//! follows from the type of the experience and from how sure its writer was. Reading something
//! does not make it last longer; being read only decides what becomes permanent.

use std::f64::consts::LN_2;

/// What sort of lesson an experience is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lesson {
    /// How a problem was solved.
    Solution,
    /// Something that keeps coming back; lasts longest.
    Pattern,
    /// What was chosen, and why.
    Decision,
    /// What helps for now; fades fastest.
    Workaround,
    /// A trap to remember.
    Gotcha,
}

impl Lesson {
    /// Every lesson, in the order of the contract.
    pub const ALL: [Self; 5] =
        [Self::Solution, Self::Pattern, Self::Decision, Self::Workaround, Self::Gotcha];

    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Solution => "solution",
            Self::Pattern => "pattern",
            Self::Decision => "decision",
            Self::Workaround => "workaround",
            Self::Gotcha => "gotcha",
        }
    }

    /// The lesson of this name; case and blanks around it do not count.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|lesson| lesson.as_str().eq_ignore_ascii_case(name.trim()))
    }

    /// After how many days half of it is left, for a sure writer.
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
    /// Fairly sure: fades twice as fast.
    Medium,
    /// Guessing: fades four times as fast.
    Low,
}

impl Confidence {
    /// Every level, surest first.
    pub const ALL: [Self; 3] = [Self::High, Self::Medium, Self::Low];

    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::High => "high",
            Self::Medium => "medium",
            Self::Low => "low",
        }
    }

    /// The level of this name; case and blanks around it do not count.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.as_str().eq_ignore_ascii_case(name.trim()))
    }

    const fn haste(self) -> f64 {
        match self {
            Self::High => 1.0,
            Self::Medium => 2.0,
            Self::Low => 4.0,
        }
    }
}

/// The decay per day.
pub fn rate(lesson: Lesson, confidence: Confidence) -> f64 {
    LN_2 * confidence.haste() / lesson.half_life_days()
}

/// What is left after `days`, from 1 down to 0. A clock that was set back makes nothing more
/// than fresh, and no input makes it anything but a number from 0 to 1.
pub fn relevance(rate: f64, days: f64) -> f64 {
    let days = if days.is_nan() { 0.0 } else { days.max(0.0) };
    let rate = if rate.is_nan() { 0.0 } else { rate.max(0.0) };
    let exponent = rate * days;
    // Nothing fades at all, however long: zero times forever.
    if exponent.is_nan() { 1.0 } else { (-exponent).exp() }
}

/// After how many days less than `threshold` is left; `None` when that never happens.
pub fn days_until_below(rate: f64, threshold: f64) -> Option<f64> {
    let reachable = rate > 0.0 && threshold > 0.0;
    reachable.then(|| (-threshold.min(1.0).ln() / rate).max(0.0))
}

/// The farthest a ranking may be moved by freshness.
pub const NUDGE_MAX: f64 = 0.1;

/// The factor by which freshness moves a match: at most a tenth up or down, so that what fits
/// the question is never buried under what is merely new.
pub fn nudge(relevance: f64) -> f64 {
    let relevance = if relevance.is_nan() { 0.0 } else { relevance.clamp(0.0, 1.0) };
    1.0 - NUDGE_MAX + 2.0 * NUDGE_MAX * relevance
}

/// What is left as it is shown, which is also what is compared with what people ask for: who
/// reads that all of it is left finds it among those of which all is left.
pub fn shown(relevance: f64) -> f64 {
    (relevance * 10_000.0).round() / 10_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_compared_is_what_is_shown() {
        assert!(shown(relevance(rate(Lesson::Solution, Confidence::High), 0.000_1)) >= 1.0);
        assert!(shown(0.499_97) >= 0.5 && shown(0.499_9) < 0.5);
    }

    #[test]
    fn half_is_left_after_a_half_life() {
        for lesson in Lesson::ALL {
            let left = relevance(rate(lesson, Confidence::High), lesson.half_life_days());
            assert!((left - 0.5).abs() < 1e-12, "{lesson:?}: {left}");
        }
    }

    #[test]
    fn the_rates_are_those_of_the_contract() {
        let shown = |lesson, confidence| format!("{:.6}", rate(lesson, confidence));
        assert_eq!(shown(Lesson::Solution, Confidence::High), "0.003466");
        assert_eq!(shown(Lesson::Pattern, Confidence::High), "0.002310");
        assert_eq!(shown(Lesson::Decision, Confidence::High), "0.006931");
        assert_eq!(shown(Lesson::Workaround, Confidence::High), "0.013863");
        assert_eq!(shown(Lesson::Workaround, Confidence::Low), "0.055452");
    }

    #[test]
    fn names_are_read_in_any_case() {
        assert_eq!(Lesson::named(" Gotcha "), Some(Lesson::Gotcha));
        assert_eq!(Confidence::named("LOW"), Some(Confidence::Low));
        assert_eq!(Lesson::named("lesson"), None);
    }
}

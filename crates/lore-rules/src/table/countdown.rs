//! Countdowns, which tick down until something happens.
//!
//! A countdown triggers when it reaches zero, at most once per advance; further ticks are lost. A
//! countdown that is over never advances.

use crate::duality::Outcome;

use super::error::{TableError, amount, within};
use super::rest::RestKind;

/// Advances a countdown by this many ticks and returns whether it triggered.
pub fn advance(countdown: Countdown, by: i64) -> Result<(Countdown, bool), TableError> {
    let by = amount(by)?;
    if countdown.is_over() {
        return Ok((countdown, false));
    }
    let current = (countdown.current - by).max(0);
    if current > 0 {
        return Ok((Countdown { current, ..countdown }, false));
    }
    Ok((countdown.restarted(), true))
}

/// Advances a countdown by the ticks that the outcome of an action roll is worth.
pub fn advance_by_outcome(
    countdown: Countdown,
    outcome: Outcome,
) -> Result<(Countdown, bool), TableError> {
    advance(countdown, ticks(countdown.kind, outcome))
}

/// Advances linked countdowns: one roll counts for all of them.
pub fn advance_linked(
    countdowns: &[Countdown],
    outcome: Outcome,
) -> Result<Vec<(Countdown, bool)>, TableError> {
    countdowns.iter().map(|countdown| advance_by_outcome(*countdown, outcome)).collect()
}

/// Advances a countdown after a finished rest: a long-term countdown by one tick for a long rest,
/// others not at all.
pub fn advance_by_rest(
    countdown: Countdown,
    rest: RestKind,
) -> Result<(Countdown, bool), TableError> {
    let by = match (countdown.kind, rest) {
        (CountdownKind::LongTerm, RestKind::Long) => 1,
        _ => 0,
    };
    advance(countdown, by)
}

/// The number of ticks that the outcome of an action roll is worth.
pub const fn ticks(kind: CountdownKind, outcome: Outcome) -> i64 {
    match (kind, outcome) {
        (CountdownKind::Standard, _) => 1,
        (CountdownKind::Progress, Outcome::CriticalSuccess) => 3,
        (CountdownKind::Progress, Outcome::SuccessWithHope) => 2,
        (CountdownKind::Progress, Outcome::SuccessWithFear) => 1,
        (CountdownKind::Consequence, Outcome::FailureWithFear) => 3,
        (CountdownKind::Consequence, Outcome::FailureWithHope) => 2,
        (CountdownKind::Consequence, Outcome::SuccessWithFear) => 1,
        (CountdownKind::Progress | CountdownKind::Consequence | CountdownKind::LongTerm, _) => 0,
    }
}

/// The state of a countdown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Countdown {
    start: i64,
    current: i64,
    kind: CountdownKind,
    looping: Looping,
}

impl Countdown {
    /// The maximum number of ticks of a countdown.
    pub const MAX: i64 = 100;

    /// Creates a countdown that has just been set.
    pub fn new(start: i64, kind: CountdownKind, looping: Looping) -> Result<Self, TableError> {
        Self::resumed(start, start, kind, looping)
    }

    /// Restores a countdown from its stored values.
    pub fn resumed(
        start: i64,
        current: i64,
        kind: CountdownKind,
        looping: Looping,
    ) -> Result<Self, TableError> {
        let start = within("start", start, 1, Self::MAX)?;
        let current = within("current", current, 0, start)?;
        Ok(Self { start, current, kind, looping })
    }

    /// The number of ticks it started from the last time.
    pub const fn start(self) -> i64 {
        self.start
    }

    /// The number of ticks left.
    pub const fn current(self) -> i64 {
        self.current
    }

    /// What advances it.
    pub const fn kind(self) -> CountdownKind {
        self.kind
    }

    /// What happens after it has triggered.
    pub const fn looping(self) -> Looping {
        self.looping
    }

    /// Whether it is over and cannot trigger again.
    pub const fn is_over(self) -> bool {
        self.current == 0
    }

    /// Returns the countdown as it is right after it triggered.
    fn restarted(self) -> Self {
        let start = match self.looping {
            Looping::Once => 0,
            Looping::Same => self.start,
            Looping::Increasing => (self.start + 1).min(Self::MAX),
            Looping::Decreasing => self.start - 1,
        };
        Self { start: if start == 0 { self.start } else { start }, current: start, ..self }
    }
}

/// What advances a countdown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CountdownKind {
    /// Every action roll, by one tick.
    Standard,
    /// Success; the better the outcome, the more ticks.
    Progress,
    /// Failure, with more ticks for worse outcomes, and success with Fear.
    Consequence,
    /// Long rests.
    LongTerm,
}

/// What happens after a countdown has triggered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Looping {
    /// It is over.
    Once,
    /// It restarts from the same number.
    Same,
    /// It restarts from one more.
    Increasing,
    /// It restarts from one less, and is over when that is zero.
    Decreasing,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn countdown(start: i64, looping: Looping) -> Countdown {
        Countdown::new(start, CountdownKind::Standard, looping).unwrap()
    }

    /// The numbers that a countdown shows while it is ticked one by one, each with whether it
    /// triggered.
    fn shown(mut countdown: Countdown, count: usize) -> Vec<(i64, bool)> {
        let tick = |_| {
            let triggered;
            (countdown, triggered) = advance(countdown, 1).unwrap();
            (countdown.current(), triggered)
        };
        (0..count).map(tick).collect()
    }

    #[test]
    fn loops_start_again() {
        assert_eq!(shown(countdown(2, Looping::Once), 3), [(1, false), (0, true), (0, false)]);
        assert_eq!(
            shown(countdown(2, Looping::Same), 4),
            [(1, false), (2, true), (1, false), (2, true)]
        );
        assert_eq!(
            shown(countdown(1, Looping::Increasing), 4),
            [(2, true), (1, false), (3, true), (2, false)]
        );
        assert_eq!(
            shown(countdown(2, Looping::Decreasing), 4),
            [(1, false), (1, true), (0, true), (0, false)]
        );
        let longest = countdown(Countdown::MAX, Looping::Increasing);
        assert_eq!(advance(longest, 100).unwrap().0.current(), Countdown::MAX);
    }

    #[test]
    fn ticks_beyond_zero_are_lost() {
        let (after, triggered) = advance(countdown(4, Looping::Same), 1_000).unwrap();
        assert_eq!((after.current(), triggered), (4, true));
        assert_eq!(advance(after, 0), Ok((after, false)));
        for bad in [-1, 1_001, i64::MIN] {
            assert!(advance(after, bad).is_err());
        }
    }

    #[test]
    fn outcomes_are_worth_their_ticks() {
        // In the order of the contract: without difficulty, success, failure, critical.
        let worth = |kind| Outcome::ALL.map(|outcome| ticks(kind, outcome));
        assert_eq!(worth(CountdownKind::Standard), [1; 7]);
        assert_eq!(worth(CountdownKind::Progress), [0, 0, 2, 1, 0, 0, 3]);
        assert_eq!(worth(CountdownKind::Consequence), [0, 0, 0, 1, 2, 3, 0]);
        assert_eq!(worth(CountdownKind::LongTerm), [0; 7]);
    }

    #[test]
    fn linked_countdowns_share_a_roll() {
        let progress = Countdown::new(4, CountdownKind::Progress, Looping::Once).unwrap();
        let consequence = Countdown::new(1, CountdownKind::Consequence, Looping::Once).unwrap();
        let after = advance_linked(&[progress, consequence], Outcome::SuccessWithFear).unwrap();
        let after: Vec<(i64, bool)> =
            after.iter().map(|(countdown, triggered)| (countdown.current(), *triggered)).collect();
        assert_eq!(after, [(3, false), (0, true)]);
    }

    #[test]
    fn only_long_rests_advance_long_term_countdowns() {
        let long = Countdown::new(3, CountdownKind::LongTerm, Looping::Once).unwrap();
        assert_eq!(advance_by_rest(long, RestKind::Long).unwrap().0.current(), 2);
        assert_eq!(advance_by_rest(long, RestKind::Short).unwrap().0.current(), 3);
        let other = countdown(3, Looping::Once);
        assert_eq!(advance_by_rest(other, RestKind::Long).unwrap().0.current(), 3);
    }

    #[test]
    fn countdowns_have_limits() {
        let resumed = |start, current| {
            Countdown::resumed(start, current, CountdownKind::Standard, Looping::Once)
        };
        for (start, current) in [(0, 0), (101, 5), (4, 5), (4, -1)] {
            assert!(resumed(start, current).is_err(), "{start}, {current}");
        }
        assert!(resumed(4, 0).unwrap().is_over());
    }
}

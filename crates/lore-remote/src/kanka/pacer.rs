//! Decides when the next request may be sent.
//!
//! Kanka counts requests in windows of one minute and says in every answer how many are left.
//! Background copying of a campaign leaves some of them unused, so that requests somebody waits for
//! can still be sent.

use std::time::Duration;

use lore_app::pages::live::Pace;
use lore_net::RateLimit;
use parking_lot::Mutex;
use tokio::time::Instant;

/// The length of a window, plus one second for clocks that differ.
const WINDOW: Duration = Duration::from_secs(61);
/// Background requests leave one in this many of the window's requests to interactive ones.
const RESERVED: u32 = 5;
/// The pause after a first 429 without a `Retry-After`; it doubles.
const FIRST_PAUSE: Duration = Duration::from_secs(2);
/// The longest pause that is respected; longer ones are cut to this.
const LONGEST_PAUSE: Duration = Duration::from_secs(600);

/// Keeps requests within the rate limit of the service.
#[derive(Default)]
pub(super) struct Pacer(Mutex<Window>);

#[derive(Default)]
struct Window {
    /// When the current window began, as far as is known.
    since: Option<Instant>,
    limit: u32,
    remaining: u32,
    /// No request is sent before this time.
    until: Option<Instant>,
}

impl Pacer {
    /// Returns how long a request has to wait. If it need not wait, it is counted as sent.
    pub(super) fn turn(&self, now: Instant, pace: Pace) -> Duration {
        let mut window = self.0.lock();
        if let Some(until) = window.until.filter(|until| *until > now) {
            return until - now;
        }
        let Some(end) = window.since.map(|since| since + WINDOW).filter(|end| *end > now) else {
            return Duration::ZERO;
        };
        let reserved = if pace == Pace::Leisure { window.limit / RESERVED } else { 0 };
        if window.remaining <= reserved {
            return end - now;
        }
        window.remaining -= 1;
        Duration::ZERO
    }

    /// Updates the window from the rate-limit headers of an answer.
    pub(super) fn learn(&self, now: Instant, told: RateLimit) {
        let (Some(limit), Some(remaining)) = (told.limit, told.remaining) else { return };
        let mut window = self.0.lock();
        let is_over = window.since.is_none_or(|since| now >= since + WINDOW);
        // If more requests are left than before, the service has begun a new window.
        if is_over || remaining > window.remaining || remaining + 1 >= limit {
            window.since = Some(now);
        }
        window.limit = limit;
        // Answers may arrive out of order; the smallest number counts.
        window.remaining =
            if window.since == Some(now) { remaining } else { remaining.min(window.remaining) };
    }

    /// Records the `refusals`th 429 in a row and returns how long to wait.
    pub(super) fn refused(&self, now: Instant, told: RateLimit, refusals: u32) -> Duration {
        let doubled = FIRST_PAUSE.saturating_mul(1 << refusals.saturating_sub(1).min(8));
        // A `Retry-After` of zero is ignored: the service has just refused.
        let told = told.retry_after.filter(|pause| !pause.is_zero());
        let pause = told.unwrap_or(doubled).min(LONGEST_PAUSE);
        let mut window = self.0.lock();
        window.until = Some(now + pause);
        pause
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(limit: u32, remaining: u32) -> RateLimit {
        RateLimit { limit: Some(limit), remaining: Some(remaining), retry_after: None }
    }

    #[test]
    fn a_window_is_used_up_and_then_waited_for() {
        let (pacer, start) = (Pacer::default(), Instant::now());
        assert_eq!(pacer.turn(start, Pace::Leisure), Duration::ZERO);
        pacer.learn(start, told(30, 29));
        let free = (0..).take_while(|_| pacer.turn(start, Pace::Leisure).is_zero()).count();
        assert_eq!(free, 23, "six are left to those who wait");
        let waiting = (0..).take_while(|_| pacer.turn(start, Pace::Waiting).is_zero()).count();
        assert_eq!(waiting, 6);
        let later = start + Duration::from_secs(20);
        assert_eq!(pacer.turn(later, Pace::Waiting), Duration::from_secs(41));
        assert_eq!(pacer.turn(start + WINDOW, Pace::Leisure), Duration::ZERO);
    }

    #[test]
    fn what_others_use_of_the_same_account_counts() {
        let (pacer, start) = (Pacer::default(), Instant::now());
        pacer.learn(start, told(30, 20));
        pacer.learn(start + Duration::from_secs(1), told(30, 3));
        assert!(!pacer.turn(start + Duration::from_secs(2), Pace::Leisure).is_zero());
        assert!(pacer.turn(start + Duration::from_secs(2), Pace::Waiting).is_zero());
    }

    #[test]
    fn a_new_window_of_theirs_is_a_new_window_of_ours() {
        let (pacer, start) = (Pacer::default(), Instant::now());
        pacer.learn(start, told(30, 0));
        let later = start + Duration::from_secs(30);
        pacer.learn(later, told(30, 29));
        assert!(pacer.turn(later, Pace::Leisure).is_zero());
    }

    #[test]
    fn refusals_are_waited_out_as_told_or_longer_each_time() {
        let (pacer, now) = (Pacer::default(), Instant::now());
        let bare: Vec<u64> =
            (1..=5).map(|n| pacer.refused(now, RateLimit::default(), n).as_secs()).collect();
        assert_eq!(bare, [2, 4, 8, 16, 32]);
        let after = RateLimit { retry_after: Some(Duration::from_secs(7)), ..told(30, 0) };
        assert_eq!(pacer.refused(now, after, 1), Duration::from_secs(7));
        assert_eq!(pacer.turn(now, Pace::Waiting), Duration::from_secs(7));
        let at_once = RateLimit { retry_after: Some(Duration::ZERO), ..told(30, 0) };
        assert_eq!(pacer.refused(now, at_once, 2), Duration::from_secs(4));
        let forever = RateLimit { retry_after: Some(Duration::MAX), ..told(30, 0) };
        assert_eq!(pacer.refused(now, forever, 1), LONGEST_PAUSE);
    }
}

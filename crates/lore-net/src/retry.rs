//! Asking again, where that can neither do harm twice nor annoy a service.

use std::time::Duration;

use lore_core::Entropy;

use crate::answer::Answer;
use crate::error::NetError;

/// How patiently a call is repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retry {
    /// Most attempts, the first included.
    pub attempts: u32,
    /// The wait after the first failure; it doubles with every further one.
    pub first_wait: Duration,
    /// The longest wait. A service that asks for more gets no further attempt, and
    /// its answer goes back to the caller, who can wait better than we can.
    pub longest_wait: Duration,
    /// No further attempt begins so long after the first: who asked has waited enough.
    pub patience: Duration,
}

impl Retry {
    /// No second attempt.
    pub const fn never() -> Self {
        Self {
            attempts: 1,
            first_wait: Duration::ZERO,
            longest_wait: Duration::ZERO,
            patience: Duration::ZERO,
        }
    }

    /// Three attempts, all begun within half a minute.
    pub const fn standard() -> Self {
        Self {
            attempts: 3,
            first_wait: Duration::from_millis(500),
            longest_wait: Duration::from_secs(10),
            patience: Duration::from_secs(30),
        }
    }

    /// How long to wait before the next attempt, or `None` when `outcome` stands.
    pub(crate) fn pause(
        &self,
        attempt: u32,
        effect: Effect,
        outcome: &Result<Answer, NetError>,
        entropy: &dyn Entropy,
    ) -> Option<Duration> {
        if attempt >= self.attempts || !worth_repeating(effect, outcome) {
            return None;
        }
        let asked = outcome.as_ref().ok().and_then(|answer| answer.rate_limit().retry_after);
        match asked {
            Some(wait) => (wait <= self.longest_wait).then_some(wait),
            None => Some(self.backoff(attempt, entropy)),
        }
    }

    /// Half of the wait is fixed and half is chance, so that many clients that
    /// failed together do not come back together.
    fn backoff(&self, attempt: u32, entropy: &dyn Entropy) -> Duration {
        let doubled = self.first_wait.saturating_mul(1 << (attempt.saturating_sub(1)).min(16));
        let half = doubled.min(self.longest_wait) / 2;
        let part = u32::from(u16::try_from(entropy.next_u64() >> 48).unwrap_or(u16::MAX));
        half + half.saturating_mul(part) / u32::from(u16::MAX)
    }
}

/// What a request does when it arrives twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    Once,
    Repeatable,
}

/// A request that never arrived, or that was turned away, may always be repeated;
/// one that may have had its effect only if a second one changes nothing.
fn worth_repeating(effect: Effect, outcome: &Result<Answer, NetError>) -> bool {
    let turned_away = match outcome {
        Ok(answer) => answer.status() == 429,
        Err(error) => matches!(error, NetError::Unreachable { .. }),
    };
    let unclear = match outcome {
        Ok(answer) => matches!(answer.status(), 408 | 502 | 503 | 504),
        Err(error) => matches!(error, NetError::TimedOut { .. } | NetError::Broken { .. }),
    };
    turned_away || (unclear && effect == Effect::Repeatable)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lore_core::effects::FixedEntropy;

    fn unreachable() -> Result<Answer, NetError> {
        Err(NetError::Unreachable { host: "example.org".into() })
    }

    #[test]
    fn waits_double_within_their_bounds() {
        let retry = Retry { attempts: 12, ..Retry::standard() };
        let entropy = FixedEntropy::new(7);
        for attempt in 1..12 {
            let full = retry.first_wait.saturating_mul(1 << (attempt - 1)).min(retry.longest_wait);
            let wait = retry.pause(attempt, Effect::Once, &unreachable(), &entropy).unwrap();
            assert!(wait >= full / 2 && wait <= full, "{attempt}: {wait:?} of {full:?}");
        }
        assert_eq!(retry.pause(12, Effect::Once, &unreachable(), &entropy), None);
    }

    #[test]
    fn what_may_have_happened_is_not_repeated_unless_that_is_harmless() {
        let broken = Err(NetError::Broken { host: "example.org".into() });
        let entropy = FixedEntropy::new(7);
        assert!(Retry::standard().pause(1, Effect::Once, &broken, &entropy).is_none());
        assert!(Retry::standard().pause(1, Effect::Repeatable, &broken, &entropy).is_some());
    }

    #[test]
    fn a_refused_address_is_not_asked_again() {
        let refused = Err(NetError::Refused(crate::Refusal::NotPublic));
        let entropy = FixedEntropy::new(7);
        assert!(Retry::standard().pause(1, Effect::Repeatable, &refused, &entropy).is_none());
    }
}

//! Retries requests, where this neither repeats an effect nor overloads a service.

use std::time::Duration;

use lore_core::Entropy;

use crate::answer::Answer;
use crate::error::NetError;

/// How often and how long a call is retried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retry {
    /// The most attempts, including the first.
    pub attempts: u32,
    /// The wait after the first failure. It doubles with each further one.
    pub first_wait: Duration,
    /// The longest wait. If a service asks for more, there is no further attempt; its answer is
    /// returned to the caller, who can wait better.
    pub longest_wait: Duration,
    /// The time after which no further attempt starts, because the caller has waited long enough.
    pub patience: Duration,
}

impl Retry {
    /// Returns a policy without retries.
    pub const fn never() -> Self {
        Self {
            attempts: 1,
            first_wait: Duration::ZERO,
            longest_wait: Duration::ZERO,
            patience: Duration::ZERO,
        }
    }

    /// Returns a policy with three attempts, all started within 30 s.
    pub const fn standard() -> Self {
        Self {
            attempts: 3,
            first_wait: Duration::from_millis(500),
            longest_wait: Duration::from_secs(10),
            patience: Duration::from_secs(30),
        }
    }

    /// Returns how long to wait before the next attempt; `None` if `outcome` is final.
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

    /// Returns a wait of which half is fixed and half is random, so that many clients that failed
    /// together do not retry together.
    fn backoff(&self, attempt: u32, entropy: &dyn Entropy) -> Duration {
        let doubled = self.first_wait.saturating_mul(1 << (attempt.saturating_sub(1)).min(16));
        let half = doubled.min(self.longest_wait) / 2;
        let part = u32::from(u16::try_from(entropy.next_u64() >> 48).unwrap_or(u16::MAX));
        half + half.saturating_mul(part) / u32::from(u16::MAX)
    }
}

/// What happens if a request arrives twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    Once,
    Repeatable,
}

/// Whether a request may be retried: always if it never arrived or was rejected; if it may have had
/// an effect, only if a second one changes nothing.
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

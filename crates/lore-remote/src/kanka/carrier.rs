//! Sends requests to Kanka: waits for the rate limit, retries where that is safe, and turns every
//! outcome into a body or a clear error.

use std::time::Duration;

use lore_app::pages::live::Pace;
use lore_core::{Error, Result};
use lore_net::{Answer, Api, Call, Limits, NetError, Retry, Secret};
use serde_json::Value;
use tokio::time::{Instant, sleep};

use super::complaint;
use super::pacer::Pacer;

/// Attempts of a request that fails.
const ATTEMPTS: u32 = 3;
/// Attempts of a request that is rejected with status 429 (too many requests).
const TURNED_AWAY: u32 = 7;
/// The pause before the second attempt; it doubles with each further one.
const PAUSE: Duration = Duration::from_secs(1);

/// The status of a successful answer without a body.
const NO_CONTENT: u16 = 204;

/// What a request changes at the service if it arrives twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    /// It creates something each time, so it must not be sent twice.
    Once,
    /// It changes something, but is idempotent.
    Repeatable,
    /// It changes nothing.
    None,
}

/// Sends requests to one service, within its rate limit.
pub(super) struct Carrier {
    pub(super) api: Api,
    pacer: Pacer,
    patience: Duration,
    /// The token, which must be masked in error messages that quote the service.
    token: Secret,
}

/// What to do after an attempt.
enum Next {
    Take(Answer),
    Fail(Error),
    Again { after: Duration, or: Error },
}

/// How many attempts of a request failed, and how many were rejected with status 429.
#[derive(Default)]
struct Tries {
    failed: u32,
    turned_away: u32,
}

impl Tries {
    /// Counts a failed attempt and decides: retry only if that is `safe` and attempts are left.
    fn failed(&mut self, or: Error, safe: bool) -> Next {
        self.failed += 1;
        if !safe || self.failed >= ATTEMPTS {
            return Next::Fail(or);
        }
        Next::Again { after: PAUSE.saturating_mul(1 << self.failed.saturating_sub(1)), or }
    }
}

impl Carrier {
    pub(super) fn new(api: Api, patience: Duration, token: Secret) -> Self {
        Self { api, pacer: Pacer::default(), patience, token }
    }

    /// Sends a request and returns the body of a successful answer; null for status 204.
    pub(super) async fn ask(
        &self,
        pace: Pace,
        effect: Effect,
        call: impl Fn() -> Call + Send + Sync,
    ) -> Result<Value> {
        let deadline = Instant::now() + self.longest(pace);
        let mut tries = Tries::default();
        loop {
            self.await_turn(pace, deadline).await?;
            let limits = Limits { total: self.patience, ..Limits::service() };
            let outcome = call().limits(limits).retry(Retry::never()).send().await;
            match self.judge(outcome, effect, &mut tries) {
                Next::Take(answer) => return self.body(&answer, effect),
                Next::Fail(error) => return Err(error),
                Next::Again { after, or } if Instant::now() + after > deadline => return Err(or),
                Next::Again { after, .. } => sleep(after).await,
            }
        }
    }

    async fn await_turn(&self, pace: Pace, deadline: Instant) -> Result<()> {
        loop {
            let now = Instant::now();
            let wait = self.pacer.turn(now, pace);
            if wait.is_zero() {
                return Ok(());
            }
            if now + wait > deadline {
                return Err(Error::Throttled { to: "Kanka", retry_after: wait });
            }
            sleep(wait).await;
        }
    }

    /// How long a request may take in all. A caller who waits for the answer gets an error early
    /// rather than a long wait; background work may take longer.
    fn longest(&self, pace: Pace) -> Duration {
        match pace {
            Pace::Waiting => self.patience,
            Pace::Leisure => self.patience + Duration::from_secs(240),
        }
    }

    fn judge(
        &self,
        outcome: std::result::Result<Answer, NetError>,
        effect: Effect,
        tries: &mut Tries,
    ) -> Next {
        let answer = match outcome {
            Ok(answer) => answer,
            Err(error) => {
                // A request that never reached the service may be sent again.
                let safe = effect != Effect::Once || matches!(error, NetError::Unreachable { .. });
                return tries.failed(complaint::unanswered(&error, effect), safe);
            }
        };
        let told = answer.rate_limit();
        let refusal = || complaint::refusal(&answer, effect, &self.token);
        self.pacer.learn(Instant::now(), told);
        match answer.status() {
            200..=299 => Next::Take(answer),
            429 => {
                tries.turned_away += 1;
                let after = self.pacer.refused(Instant::now(), told, tries.turned_away);
                let or = Error::Throttled { to: "Kanka", retry_after: after };
                if tries.turned_away < TURNED_AWAY {
                    Next::Again { after, or }
                } else {
                    Next::Fail(or)
                }
            }
            500..=599 => tries.failed(refusal(), effect != Effect::Once),
            _ => Next::Fail(refusal()),
        }
    }

    fn body(&self, answer: &Answer, effect: Effect) -> Result<Value> {
        if answer.status() == NO_CONTENT {
            return Ok(Value::Null);
        }
        let body: Value = answer.json().map_err(|_| complaint::unreadable(answer, effect))?;
        if body.is_null() { Err(complaint::unknown_form(effect)) } else { Ok(body) }
    }
}

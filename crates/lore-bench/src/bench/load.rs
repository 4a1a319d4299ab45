//! The figures of a round of closed-loop load, and the best of several rounds.

use std::time::{Duration, Instant};

/// The response times of one round.
#[derive(Debug)]
pub(crate) struct Tally {
    nanoseconds: Vec<u32>,
    started: Instant,
    lasted: Duration,
}

impl Tally {
    /// Starts the round.
    pub(crate) fn start() -> Self {
        Self { nanoseconds: Vec::new(), started: Instant::now(), lasted: Duration::ZERO }
    }

    /// Records the answer to a request sent at `sent`, and returns the current time.
    pub(crate) fn note(&mut self, sent: Instant) -> Instant {
        let now = Instant::now();
        let took = u32::try_from((now - sent).as_nanos()).unwrap_or(u32::MAX);
        self.nanoseconds.push(took);
        self.lasted = now - self.started;
        now
    }

    /// Whether the round has lasted as long as `window`.
    pub(crate) fn is_over(&self, now: Instant, window: Duration) -> bool {
        now - self.started >= window
    }

    /// Adds the response times of another connection in the same round.
    pub(crate) fn merge(&mut self, other: Self) {
        self.nanoseconds.extend(other.nanoseconds);
        self.lasted = self.lasted.max(other.lasted);
    }

    /// Computes the figures of the round; `cpu` is the CPU time the server used in it.
    pub(crate) fn sample(mut self, cpu: Duration) -> Sample {
        self.nanoseconds.sort_unstable();
        let micros = |share: f64| {
            let at = (self.nanoseconds.len() as f64 * share) as usize;
            let found = self.nanoseconds.get(at).or(self.nanoseconds.last());
            found.map_or(f64::INFINITY, |nanoseconds| f64::from(*nanoseconds) / 1e3)
        };
        let count = self.nanoseconds.len() as f64;
        Sample {
            rate: count / self.lasted.as_secs_f64(),
            p50: micros(0.50),
            p99: micros(0.99),
            cpu: cpu.as_secs_f64() * 1e6 / count,
        }
    }
}

/// The figures of a round; times are in microseconds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sample {
    /// Answers per second.
    pub(crate) rate: f64,
    /// The median response time.
    pub(crate) p50: f64,
    /// The 99th percentile of response times.
    pub(crate) p99: f64,
    /// The server's CPU time per request.
    pub(crate) cpu: f64,
}

impl Sample {
    /// The starting value before the first round.
    pub(crate) const NONE: Self =
        Self { rate: 0.0, p50: f64::INFINITY, p99: f64::INFINITY, cpu: f64::INFINITY };

    /// Returns the better of two rounds in each figure, because other load on the machine can only
    /// make figures worse.
    #[must_use]
    pub(crate) fn best(self, other: Self) -> Self {
        Self {
            rate: self.rate.max(other.rate),
            p50: self.p50.min(other.p50),
            p99: self.p99.min(other.p99),
            cpu: self.cpu.min(other.cpu),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_number_is_the_best_of_its_own() {
        let one = Sample { rate: 10.0, p50: 2.0, p99: 9.0, cpu: 4.0 };
        let two = Sample { rate: 12.0, p50: 3.0, p99: 5.0, cpu: 5.0 };
        let best = Sample::NONE.best(one).best(two);
        assert_eq!((best.rate, best.p50, best.p99, best.cpu), (12.0, 2.0, 5.0, 4.0));
    }
}

//! Rate limits and size limits.

use std::collections::HashMap;
use std::hash::Hash;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// The server's limits.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Largest request body in bytes.
    pub body: usize,
    /// The most bytes of request line and headers together.
    pub headers: usize,
    /// The most connections at once.
    pub connections: usize,
    /// The most requests being handled at once.
    pub in_flight: usize,
    /// The most MCP sessions open at once.
    pub sessions: usize,
    /// Requests per second for each token, with bursts of twice as many; 0 means no limit.
    pub per_second: u32,
    /// The same for callers from this machine, who have no token.
    pub local_per_second: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body: 4 * 1024 * 1024,
            headers: 64 * 1024,
            connections: 1_024,
            in_flight: 512,
            sessions: 1_000,
            per_second: 100,
            local_per_second: 0,
        }
    }
}

/// Token buckets, one for each caller.
pub(crate) struct Buckets<K> {
    per_second: f64,
    burst: f64,
    levels: Mutex<HashMap<K, (f64, Instant)>>,
}

/// From this many callers on, full buckets are dropped.
const CALLERS_MAX: usize = 10_000;

impl<K: Hash + Eq> Buckets<K> {
    /// Creates buckets that refill at `per_second` and hold at most `burst`.
    pub(crate) fn new(per_second: f64, burst: f64) -> Self {
        Self { per_second, burst, levels: Mutex::default() }
    }

    /// Takes one token from the caller's bucket, or returns how long to wait for one.
    pub(crate) fn take(&self, caller: K) -> Result<(), Duration> {
        self.take_at(caller, Instant::now())
    }

    fn take_at(&self, caller: K, now: Instant) -> Result<(), Duration> {
        if self.per_second <= 0.0 {
            return Ok(());
        }
        let mut levels = self.levels.lock();
        if levels.len() >= CALLERS_MAX {
            levels.retain(|_, (level, at)| self.refilled(*level, *at, now) < self.burst);
        }
        let (level, at) = levels.entry(caller).or_insert((self.burst, now));
        *level = self.refilled(*level, *at, now);
        *at = now;
        if *level < 1.0 {
            return Err(Duration::from_secs_f64((1.0 - *level) / self.per_second));
        }
        *level -= 1.0;
        Ok(())
    }

    fn refilled(&self, level: f64, at: Instant, now: Instant) -> f64 {
        let gained = now.saturating_duration_since(at).as_secs_f64() * self.per_second;
        (level + gained).min(self.burst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_passes_then_the_rate_holds() {
        let buckets = Buckets::new(2.0, 3.0);
        let start = Instant::now();
        for _ in 0..3 {
            assert!(buckets.take_at("a", start).is_ok());
        }
        assert_eq!(buckets.take_at("a", start), Err(Duration::from_millis(500)));
        assert!(buckets.take_at("b", start).is_ok(), "callers do not share a bucket");
        assert!(buckets.take_at("a", start + Duration::from_millis(500)).is_ok());
    }

    #[test]
    fn no_rate_is_no_limit() {
        let buckets = Buckets::new(0.0, 0.0);
        assert!((0..10_000).all(|_| buckets.take("a").is_ok()));
    }
}

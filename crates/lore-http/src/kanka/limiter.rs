//! A limit of requests per minute for each user, counted as Kanka does.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::http::{HeaderValue, Response};
use lore_core::PrincipalId;
use parking_lot::Mutex;

const WINDOW: Duration = Duration::from_secs(60);
/// From this many users on, those whose window is over are dropped.
const USERS_MAX: usize = 10_000;
/// The limit that is announced when there is none.
const UNLIMITED: u32 = 10_000;

/// Counts requests in windows of one minute, which start with a user's first request.
pub(crate) struct Limiter {
    per_minute: Option<u32>,
    windows: Mutex<HashMap<PrincipalId, (Instant, u32)>>,
}

/// What is left of a user's current window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Room {
    limit: u32,
    remaining: u32,
}

impl Limiter {
    /// Allows `per_minute` requests per minute; no limit when `None`.
    pub(crate) fn new(per_minute: Option<u32>) -> Self {
        Self { per_minute, windows: Mutex::default() }
    }

    /// Counts a request, or returns the limit that it would exceed.
    pub(super) fn take(&self, user: PrincipalId) -> Result<Room, u32> {
        self.take_at(user, Instant::now())
    }

    fn take_at(&self, user: PrincipalId, now: Instant) -> Result<Room, u32> {
        let Some(limit) = self.per_minute else {
            return Ok(Room { limit: UNLIMITED, remaining: UNLIMITED });
        };
        let mut windows = self.windows.lock();
        let is_over = |start: Instant| now.saturating_duration_since(start) >= WINDOW;
        if windows.len() >= USERS_MAX {
            windows.retain(|_, (start, _)| !is_over(*start));
        }
        let (start, used) = windows.entry(user).or_insert((now, 0));
        if is_over(*start) {
            (*start, *used) = (now, 0);
        }
        if *used >= limit {
            return Err(limit);
        }
        *used += 1;
        Ok(Room { limit, remaining: limit - *used })
    }
}

impl Room {
    /// Adds the rate-limit headers to a response.
    pub(super) fn announce(self, response: &mut Response<Body>) {
        let headers = response.headers_mut();
        headers.insert("x-ratelimit-limit", HeaderValue::from(self.limit));
        headers.insert("x-ratelimit-remaining", HeaderValue::from(self.remaining));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minute_has_so_many_requests_for_each_user() {
        let limiter = Limiter::new(Some(2));
        let start = Instant::now();
        let (one, two) = (PrincipalId(1), PrincipalId(2));
        assert_eq!(limiter.take_at(one, start), Ok(Room { limit: 2, remaining: 1 }));
        assert_eq!(limiter.take_at(one, start), Ok(Room { limit: 2, remaining: 0 }));
        assert_eq!(limiter.take_at(one, start + Duration::from_secs(59)), Err(2));
        assert!(limiter.take_at(two, start).is_ok());
        assert!(limiter.take_at(one, start + WINDOW).is_ok());
    }

    #[test]
    fn without_a_limit_there_is_always_room() {
        let limiter = Limiter::new(None);
        assert!((0..1_000).all(|_| limiter.take(PrincipalId(1)).is_ok()));
    }
}

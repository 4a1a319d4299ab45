//! Timers that run on another runtime than the one that serves requests.
//!
//! A runtime with at least one timer arms a kernel timer whenever it goes to sleep, even between
//! two requests. On virtual machines that costs as much as answering a small request, so the timers
//! of connections belong to the background runtime.

use std::pin::Pin;
use std::time::{Duration, Instant};

use hyper::rt::{Sleep, Timer};
use hyper_util::rt::TokioTimer;
use tokio::runtime::Handle;

/// The timers of one runtime, for use on another.
#[derive(Debug, Clone)]
pub struct Clock(Handle);

impl Clock {
    /// Creates a clock whose timers `runtime` drives.
    pub fn of(runtime: Handle) -> Self {
        Self(runtime)
    }

    /// Returns a future that completes after `duration`.
    pub(crate) fn sleep(&self, duration: Duration) -> tokio::time::Sleep {
        let _inside = self.0.enter();
        tokio::time::sleep(duration)
    }

    /// Runs `work`, but for no longer than `duration`.
    pub(crate) fn timeout<F: Future>(
        &self,
        duration: Duration,
        work: F,
    ) -> tokio::time::Timeout<F> {
        let _inside = self.0.enter();
        tokio::time::timeout(duration, work)
    }
}

impl Timer for Clock {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Sleep>> {
        let _inside = self.0.enter();
        TokioTimer::new().sleep(duration)
    }

    fn sleep_until(&self, deadline: Instant) -> Pin<Box<dyn Sleep>> {
        let _inside = self.0.enter();
        TokioTimer::new().sleep_until(deadline)
    }

    fn reset(&self, sleep: &mut Pin<Box<dyn Sleep>>, new_deadline: Instant) {
        TokioTimer::new().reset(sleep, new_deadline);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_runtime_without_timers_can_wait_by_those_of_another() {
        let keeper = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_time()
            .build()
            .unwrap();
        let clock = Clock::of(keeper.handle().clone());
        let timeless = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let late = timeless.block_on(async {
            clock.sleep(Duration::from_millis(1)).await;
            Timer::sleep(&clock, Duration::from_millis(1)).await;
            clock.timeout(Duration::from_millis(1), std::future::pending::<()>()).await
        });
        assert!(late.is_err());
    }
}

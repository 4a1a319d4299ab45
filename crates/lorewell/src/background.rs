//! The runtime for background work, separate from the one that answers requests.
//!
//! It is separate because of its timers: a runtime without timers goes to sleep and wakes up
//! considerably faster, and that is most of the cost of a small request.

use std::time::Duration;

use tokio::runtime::{Builder, Handle, Runtime};

/// Runs background work until it is stopped.
pub(crate) struct Background(Runtime);

/// How long tasks may take to reach a point where they can be cancelled.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);

impl Background {
    /// Starts a runtime without any tasks.
    pub(crate) fn start() -> std::io::Result<Self> {
        let mut builder = Builder::new_multi_thread();
        Ok(Self(builder.worker_threads(1).thread_name("background").enable_all().build()?))
    }

    /// Runs a task for as long as the program runs.
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.0.spawn(task);
    }

    /// A handle to this runtime, for timers that it shall drive.
    pub(crate) fn handle(&self) -> Handle {
        self.0.handle().clone()
    }

    /// Cancels all tasks, so that the store is closed cleanly once the last of them has released
    /// it. Work that was not committed is repeated after the next start.
    pub(crate) fn stop(self) {
        self.0.shutdown_timeout(PATIENCE);
    }
}

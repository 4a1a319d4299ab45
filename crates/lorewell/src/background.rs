//! The runtime for what goes on beside the answering of requests.
//!
//! It is one of its own because of its timers: a runtime that has none goes to sleep
//! and wakes up considerably faster, and that is most of what a small request costs.

use std::time::Duration;

use tokio::runtime::{Builder, Handle, Runtime};

/// Runs background work until it is stopped.
pub(crate) struct Background(Runtime);

/// How long work may take to come to a place where it can be broken off.
const PATIENCE: Duration = Duration::from_secs(5);

impl Background {
    /// Starts a runtime that has no work yet.
    pub(crate) fn start() -> std::io::Result<Self> {
        let mut builder = Builder::new_multi_thread();
        Ok(Self(builder.worker_threads(1).thread_name("background").enable_all().build()?))
    }

    /// Lets a task go on for as long as the program runs.
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.0.spawn(task);
    }

    /// For timers that this runtime is to look after.
    pub(crate) fn handle(&self) -> Handle {
        self.0.handle().clone()
    }

    /// Breaks all work off, so that the store is closed in order when the last of it has
    /// let go. What was not committed is done again at the next start.
    pub(crate) fn stop(self) {
        self.0.shutdown_timeout(PATIENCE);
    }
}

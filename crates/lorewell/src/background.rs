//! The runtime for what goes on beside the answering of requests.
//!
//! It is one of its own because of its timers: a runtime that has none goes to sleep
//! and wakes up considerably faster, and that is most of what a small request costs.

use tokio::runtime::{Builder, Handle, Runtime};

/// Runs background work until it is dropped.
pub(crate) struct Background(Option<Runtime>);

impl Background {
    /// Starts a runtime that has no work yet.
    pub(crate) fn start() -> std::io::Result<Self> {
        let mut builder = Builder::new_multi_thread();
        builder.worker_threads(1).thread_name("background").enable_all();
        Ok(Self(Some(builder.build()?)))
    }

    /// Lets a task go on for as long as the program runs.
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        if let Some(runtime) = &self.0 {
            runtime.spawn(task);
        }
    }

    /// For timers that this runtime is to look after.
    pub(crate) fn handle(&self) -> Handle {
        self.0.as_ref().map_or_else(Handle::current, |runtime| runtime.handle().clone())
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        // What is not committed is done again at the next start.
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

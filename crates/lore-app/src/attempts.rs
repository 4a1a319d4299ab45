//! Optimistic concurrency: plan and commit, and plan again if somebody else was faster.
//!
//! A plan is made from what was read, and its batch states what must still be true of it. The first
//! [`FREE`] attempts run without waiting for others. After that, a change waits in a fair queue, so
//! that many changes to the same thing take turns instead of invalidating each other's plans
//! forever.

use lore_core::Error;
use tokio::sync::{Mutex, MutexGuard};

use crate::App;

/// The queue for changes that lost their first attempts. It is fair: first come, first served.
pub type Line = Mutex<()>;

/// The number of attempts before a change has to queue.
const FREE: usize = 3;

/// The maximum number of attempts. The queue does not help against other processes, which do not
/// use it.
const TRIES: usize = 64;

/// The attempts of one change. Planning must not start another change: that one could queue behind
/// the change that is waiting for it, which would deadlock.
pub(crate) struct Attempts<'a> {
    line: &'a Line,
    made: usize,
    turn: Option<MutexGuard<'a, ()>>,
}

impl<'a> Attempts<'a> {
    /// Starts counting at zero attempts.
    pub(crate) fn new(app: &'a App) -> Self {
        Self { line: &app.line, made: 0, turn: None }
    }

    /// Waits until the next attempt may be made. Fails after [`TRIES`] attempts; `what` names the
    /// contended thing in the error.
    pub(crate) async fn next(&mut self, what: &str) -> Result<(), Error> {
        match self.made {
            0 => {}
            TRIES.. => {
                let what = format!("{what} (too many changes at once)");
                return Err(Error::Unavailable { what });
            }
            1..FREE => tokio::task::yield_now().await,
            _ if self.turn.is_none() => self.turn = Some(self.line.lock().await),
            _ => tokio::task::yield_now().await,
        }
        self.made += 1;
        Ok(())
    }
}

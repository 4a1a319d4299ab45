//! Planning and committing until it holds.
//!
//! A plan is made from what was read, and its batch says what must still be true of
//! it. Who finds that somebody else was faster plans anew. A few tries are free; who
//! loses them waits in line, so that a crowd around one thing takes turns instead of
//! spoiling each other's plans for ever.

use lore_core::Error;
use tokio::sync::{Mutex, MutexGuard};

use crate::App;

/// The line of those who were too slow. It is fair: who comes first goes first.
pub type Line = Mutex<()>;

/// How many tries are free.
const FREE: usize = 3;

/// How many there are in all. Other processes do not stand in our line.
const TRIES: usize = 64;

/// The tries of one change. Planning must not begin another change, which could wait
/// in line behind the one that waits for it.
pub(crate) struct Attempts<'a> {
    line: &'a Line,
    made: usize,
    turn: Option<MutexGuard<'a, ()>>,
}

impl<'a> Attempts<'a> {
    /// No try was made yet.
    pub(crate) fn new(app: &'a App) -> Self {
        Self { line: &app.line, made: 0, turn: None }
    }

    /// Waits until the next try may be made; fails when there were enough of them.
    /// `what` everybody wants to change is named then.
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

//! Allows one World Anvil copy at a time, across processes: two would plan from the same record and
//! interfere with each other.

use std::fs::{File, OpenOptions, TryLockError};

use anyhow::Context as _;

use crate::config::Settings;
use crate::output;

/// The lock file in the data directory.
const FILE: &str = "world-anvil.lock";

/// The right to copy. The lock ends with the process, however that ends.
pub(crate) struct Turn(#[expect(dead_code, reason = "held, never read")] File);

/// Waits until no other process copies into the store, and tells the user if it has to wait.
pub(crate) async fn take(settings: &Settings) -> anyhow::Result<Turn> {
    let path = settings.data.join(FILE);
    let named = || format!("{} cannot be locked", path.display());
    let file = OpenOptions::new().create(true).append(true).open(&path).with_context(named)?;
    match file.try_lock() {
        Ok(()) => return Ok(Turn(file)),
        Err(TryLockError::WouldBlock) => {
            output::aside("another copy of a world is under way; waiting for it to end");
        }
        Err(TryLockError::Error(error)) => return Err(error).with_context(named),
    }
    let waiting = tokio::task::spawn_blocking(move || file.lock().map(|()| file));
    Ok(Turn(waiting.await?.with_context(named)?))
}

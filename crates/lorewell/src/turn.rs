//! One copy of a world at a time, whichever process makes it: two would plan from the same record
//! and get into each other's way.

use std::fs::{File, OpenOptions, TryLockError};

use anyhow::Context as _;

use crate::config::Settings;
use crate::output;

/// The file in the data directory that whoever copies holds.
const FILE: &str = "world-anvil.lock";

/// The right to copy. It ends with the process, however that ends.
pub(crate) struct Turn(#[expect(dead_code, reason = "held, never read")] File);

/// Waits until nobody else copies into a store, and says so.
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

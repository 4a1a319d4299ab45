//! Counting what a query costs, and stopping it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::Limits;
use crate::error::{Budget, CypherError, Result};
use crate::value::{Shape, Value};

/// How deep lists may be nested; comparing and dropping go that deep.
const DEPTH: u32 = 200;
/// How many steps go by between two looks at the clock.
const LOOK: u64 = 4096;

/// What a query has used.
pub(crate) struct Meter<'q> {
    limits: &'q Limits,
    cancel: &'q AtomicBool,
    start: Instant,
    steps: u64,
    held: u64,
}

impl<'q> Meter<'q> {
    pub(crate) fn new(limits: &'q Limits, cancel: &'q AtomicBool) -> Self {
        Self { limits, cancel, start: Instant::now(), steps: 0, held: 0 }
    }

    /// One step through the graph or a list.
    pub(crate) fn step(&mut self) -> Result<()> {
        self.steps += 1;
        if self.steps.is_multiple_of(LOOK) { self.look() } else { Ok(()) }
    }

    /// Many steps at once.
    pub(crate) fn steps(&mut self, steps: usize) -> Result<()> {
        let before = self.steps / LOOK;
        self.steps += steps as u64;
        if self.steps / LOOK == before { Ok(()) } else { self.look() }
    }

    /// Rows of the answer so far.
    pub(crate) fn rows(&self, rows: usize) -> Result<()> {
        if rows as u64 > self.limits.rows {
            return Err(CypherError::OverBudget(Budget::Rows(self.limits.rows)));
        }
        Ok(())
    }

    /// Values that are kept until the query ends.
    pub(crate) fn hold(&mut self, values: &[Value]) -> Result<()> {
        let bytes = values.iter().map(|value| value.shape().weight);
        self.hold_bytes(bytes.fold(24, u64::saturating_add))
    }

    /// Memory that is kept until the query ends.
    pub(crate) fn hold_bytes(&mut self, bytes: u64) -> Result<()> {
        self.held = self.held.saturating_add(bytes);
        if self.held > self.limits.memory_bytes {
            return self.too_much_memory();
        }
        Ok(())
    }

    /// Makes sure that so much can be allocated for one value.
    pub(crate) fn room_for(&self, bytes: u64) -> Result<()> {
        let in_use = self.held.saturating_add(bytes);
        if in_use > self.limits.memory_bytes { self.too_much_memory() } else { Ok(()) }
    }

    /// A list or map that was built, should it not be too large or too deep.
    pub(crate) fn built(&self, value: Value) -> Result<Value> {
        let Shape { weight, depth } = value.shape();
        self.room_for(weight)?;
        if depth > DEPTH {
            let message = format!("lists cannot be nested more than {DEPTH} deep");
            return Err(CypherError::Failed(message));
        }
        Ok(value)
    }

    fn look(&self) -> Result<()> {
        if self.cancel.load(Ordering::Relaxed) {
            return Err(CypherError::Cancelled);
        }
        if self.steps > self.limits.steps {
            return Err(CypherError::OverBudget(Budget::Steps(self.limits.steps)));
        }
        if self.start.elapsed() > self.limits.time {
            return Err(CypherError::OverBudget(Budget::Time(self.limits.time)));
        }
        Ok(())
    }

    fn too_much_memory<T>(&self) -> Result<T> {
        Err(CypherError::OverBudget(Budget::Memory(self.limits.memory_bytes)))
    }
}

//! Counting what a query costs, and stopping it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::Limits;
use crate::error::{Budget, CypherError, Result};
use crate::value::{Shape, Value};

/// How deep lists may be nested; comparing and dropping go that deep.
const DEPTH: u32 = 200;
/// How many steps, or as much other work, go by between two looks at the clock.
const LOOK: u64 = 4096;
/// How many bytes are gone over in the time of a step.
const BYTES_A_STEP: u64 = 64;
/// How long a text may become: so long that going over it once is still no time.
const TEXT_BYTES: u64 = 4 << 20;

/// What a query has used.
pub(crate) struct Meter<'q> {
    limits: &'q Limits,
    cancel: &'q AtomicBool,
    start: Instant,
    steps: u64,
    /// Work since the last look at the clock.
    unseen: u64,
    held: u64,
}

impl<'q> Meter<'q> {
    pub(crate) fn new(limits: &'q Limits, cancel: &'q AtomicBool, start: Instant) -> Self {
        Self { limits, cancel, start, steps: 0, unseen: 0, held: 0 }
    }

    /// One step through the graph or a list.
    pub(crate) fn step(&mut self) -> Result<()> {
        self.steps += 1;
        self.work(1)
    }

    /// Many steps at once.
    pub(crate) fn steps(&mut self, steps: usize) -> Result<()> {
        self.steps = self.steps.saturating_add(steps as u64);
        self.work(steps as u64)
    }

    /// Work that takes about as long as so many steps, but is none.
    pub(crate) fn work(&mut self, steps: u64) -> Result<()> {
        self.unseen = self.unseen.saturating_add(steps);
        if self.unseen < LOOK { Ok(()) } else { self.look() }
    }

    /// Work on so many bytes of a text or of a list.
    pub(crate) fn over(&mut self, bytes: u64) -> Result<()> {
        self.work(1 + bytes / BYTES_A_STEP)
    }

    /// Work on all of a value.
    pub(crate) fn pass(&mut self, value: &Value) -> Result<()> {
        match value {
            Value::String(_) | Value::List(_) | Value::Map(_) | Value::Path(_) => {
                self.over(value.shape().weight)
            }
            _ => Ok(()),
        }
    }

    /// Comparing two values: no more than the smaller one is looked at.
    pub(crate) fn compare(&mut self, left: &Value, right: &Value) -> Result<()> {
        match (left, right) {
            (Value::String(_), Value::String(_))
            | (Value::List(_) | Value::Map(_), Value::List(_) | Value::Map(_)) => {
                self.over(left.shape().weight.min(right.shape().weight))
            }
            _ => Ok(()),
        }
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
        self.hold_bytes(weight(values))
    }

    /// Memory that is kept until the query ends.
    pub(crate) fn hold_bytes(&mut self, bytes: u64) -> Result<()> {
        self.held = self.held.saturating_add(bytes);
        if self.held > self.limits.memory_bytes {
            return self.too_much_memory();
        }
        Ok(())
    }

    /// Memory that is not kept after all.
    pub(crate) fn release(&mut self, bytes: u64) {
        self.held = self.held.saturating_sub(bytes);
    }

    /// Makes sure that so much can be allocated for one value.
    pub(crate) fn room_for(&self, bytes: u64) -> Result<()> {
        let in_use = self.held.saturating_add(bytes);
        if in_use > self.limits.memory_bytes { self.too_much_memory() } else { Ok(()) }
    }

    /// Makes sure that a text may become so long.
    pub(crate) fn room_for_text(&self, bytes: u64) -> Result<()> {
        self.room_for(bytes)?;
        if bytes > TEXT_BYTES {
            let message = format!("a text cannot be longer than {TEXT_BYTES} bytes");
            return Err(CypherError::failure(message));
        }
        Ok(())
    }

    /// A list or map that was built, should it not be too large or too deep.
    pub(crate) fn built(&self, value: Value) -> Result<Value> {
        let Shape { weight, depth } = value.shape();
        self.room_for(weight)?;
        if depth > DEPTH {
            let message = format!("lists cannot be nested more than {DEPTH} deep");
            return Err(CypherError::failure(message));
        }
        Ok(value)
    }

    /// Looks whether the query may go on.
    pub(crate) fn look(&mut self) -> Result<()> {
        self.unseen = 0;
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

/// What values of a row take that is kept.
pub(crate) fn weight(values: &[Value]) -> u64 {
    const PLACE: u64 = 48;
    let weights = values.iter().map(|value| value.shape().weight);
    weights.fold(PLACE, u64::saturating_add)
}

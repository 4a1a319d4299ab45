//! Counts the cost of a query and enforces its limits.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::Limits;
use crate::error::{Budget, CypherError, Result};
use crate::value::{Shape, Value};

/// The maximum nesting depth of lists and maps, which bounds recursion when comparing and dropping
/// values.
const DEPTH: u32 = 200;
/// The amount of work, in steps, between two checks of the clock.
const LOOK: u64 = 4096;
/// The number of bytes processed in the time of one step.
const BYTES_A_STEP: u64 = 64;
/// The maximum length of a string, so that one pass over it takes negligible time.
const TEXT_BYTES: u64 = 4 << 20;

/// The resources that a query has used.
pub(crate) struct Meter<'q> {
    limits: &'q Limits,
    cancel: &'q AtomicBool,
    start: Instant,
    steps: u64,
    /// Work since the last check of the clock.
    unseen: u64,
    held: u64,
}

impl<'q> Meter<'q> {
    pub(crate) fn new(limits: &'q Limits, cancel: &'q AtomicBool, start: Instant) -> Self {
        Self { limits, cancel, start, steps: 0, unseen: 0, held: 0 }
    }

    /// Counts one step through the graph or a list.
    pub(crate) fn step(&mut self) -> Result<()> {
        self.steps += 1;
        self.work(1)
    }

    /// Counts several steps.
    pub(crate) fn steps(&mut self, steps: usize) -> Result<()> {
        self.steps = self.steps.saturating_add(steps as u64);
        self.work(steps as u64)
    }

    /// Counts work that takes as long as this many steps, but does not count towards the limit of
    /// steps.
    pub(crate) fn work(&mut self, steps: u64) -> Result<()> {
        self.unseen = self.unseen.saturating_add(steps);
        if self.unseen < LOOK { Ok(()) } else { self.look() }
    }

    /// Counts work on this many bytes.
    pub(crate) fn over(&mut self, bytes: u64) -> Result<()> {
        self.work(1 + bytes / BYTES_A_STEP)
    }

    /// Counts work on a whole value.
    pub(crate) fn pass(&mut self, value: &Value) -> Result<()> {
        match value {
            Value::String(_) | Value::List(_) | Value::Map(_) | Value::Path(_) => {
                self.over(value.shape().weight)
            }
            _ => Ok(()),
        }
    }

    /// Counts the comparison of two values, which reads no more than the size of the smaller one.
    pub(crate) fn compare(&mut self, left: &Value, right: &Value) -> Result<()> {
        match (left, right) {
            (Value::String(_), Value::String(_))
            | (Value::List(_) | Value::Map(_), Value::List(_) | Value::Map(_)) => {
                self.over(left.shape().weight.min(right.shape().weight))
            }
            _ => Ok(()),
        }
    }

    /// Checks the number of rows in the answer.
    pub(crate) fn rows(&self, rows: usize) -> Result<()> {
        if rows as u64 > self.limits.rows {
            return Err(CypherError::OverBudget(Budget::Rows(self.limits.rows)));
        }
        Ok(())
    }

    /// Counts memory for values that are kept until the query ends.
    pub(crate) fn hold(&mut self, values: &[Value]) -> Result<()> {
        self.hold_bytes(weight(values))
    }

    /// Counts memory that is kept until the query ends.
    pub(crate) fn hold_bytes(&mut self, bytes: u64) -> Result<()> {
        self.held = self.held.saturating_add(bytes);
        if self.held > self.limits.memory_bytes {
            return self.too_much_memory();
        }
        Ok(())
    }

    /// Subtracts memory that is freed early.
    pub(crate) fn release(&mut self, bytes: u64) {
        self.held = self.held.saturating_sub(bytes);
    }

    /// Checks that this much memory can be allocated temporarily.
    pub(crate) fn room_for(&self, bytes: u64) -> Result<()> {
        let in_use = self.held.saturating_add(bytes);
        if in_use > self.limits.memory_bytes { self.too_much_memory() } else { Ok(()) }
    }

    /// Checks that a string may have this length.
    pub(crate) fn room_for_text(&self, bytes: u64) -> Result<()> {
        self.room_for(bytes)?;
        if bytes > TEXT_BYTES {
            let message = format!("a text cannot be longer than {TEXT_BYTES} bytes");
            return Err(CypherError::failure(message));
        }
        Ok(())
    }

    /// Returns a new value if it is not too large or too deeply nested.
    pub(crate) fn built(&self, value: Value) -> Result<Value> {
        let Shape { weight, depth } = value.shape();
        self.room_for(weight)?;
        if depth > DEPTH {
            let message = format!("lists cannot be nested more than {DEPTH} deep");
            return Err(CypherError::failure(message));
        }
        Ok(value)
    }

    /// Checks whether the query was cancelled, or exceeded its steps or time.
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

/// The memory of a stored row with these values.
pub(crate) fn weight(values: &[Value]) -> u64 {
    const PLACE: u64 = 48;
    let weights = values.iter().map(|value| value.shape().weight);
    weights.fold(PLACE, u64::saturating_add)
}

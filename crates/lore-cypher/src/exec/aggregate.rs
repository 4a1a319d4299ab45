//! Executes aggregating functions.

use super::Exec;
use super::arithmetic;
use super::table::Seen;
use crate::compare;
use crate::error::{Result, failed};
use crate::functions::Aggregate;
use crate::plan::{Aggregation, Arithmetic, Distinct, Slot};
use crate::value::Value;

/// The accumulator of one aggregating call for one group.
pub(super) struct Gathered {
    function: Aggregate,
    seen: Option<Box<Seen>>,
    count: i64,
    /// The sum, or the smallest or largest value.
    value: Value,
    /// The running mean, used if the sum overflows.
    mean: f64,
    values: Vec<Value>,
    percentile: Value,
}

impl Gathered {
    /// Creates empty accumulators for all calls.
    pub(super) fn all(calls: &[(Slot, Aggregation)]) -> impl Iterator<Item = Self> {
        calls.iter().map(|(_, call)| Self::new(call))
    }

    fn new(call: &Aggregation) -> Self {
        Self {
            function: call.function,
            seen: (call.distinct == Distinct::Yes).then(|| Box::new(Seen::new())),
            count: 0,
            value: Value::Null,
            mean: 0.0,
            values: Vec::new(),
            percentile: Value::Null,
        }
    }

    /// Returns the result of the group.
    pub(super) fn result(self, exec: &Exec<'_>) -> Result<Value> {
        match self.function {
            Aggregate::Count => Ok(Value::Int(self.count)),
            Aggregate::Sum if self.count == 0 => Ok(Value::Int(0)),
            Aggregate::Sum | Aggregate::Min | Aggregate::Max => Ok(self.value),
            Aggregate::Avg if self.count == 0 => Ok(Value::Null),
            Aggregate::Avg => match self.value {
                Value::Float(sum) if !sum.is_finite() => Ok(Value::Float(self.mean)),
                sum => {
                    arithmetic::apply(Arithmetic::Divide, &sum, &Value::Float(self.count as f64))
                }
            },
            Aggregate::Collect => exec.meter.built(Value::list(self.values)),
            Aggregate::PercentileCont | Aggregate::PercentileDisc => self.percentile(),
            Aggregate::StDev => Ok(Value::Float(deviation(&self.values, 1))),
            Aggregate::StDevP => Ok(Value::Float(deviation(&self.values, 0))),
        }
    }

    /// Updates the running mean. No intermediate value is larger than the largest input, so it
    /// cannot overflow.
    fn follow_mean(&mut self, value: &Value) {
        let count = self.count as f64;
        self.mean = self.mean * ((count - 1.0) / count) + number(value) / count;
    }

    fn percentile(mut self) -> Result<Value> {
        let share = match self.percentile {
            Value::Null if self.values.is_empty() => return Ok(Value::Null),
            Value::Int(share) => share as f64,
            Value::Float(share) => share,
            other => return failed(format!("a percentile is a number, not {}", other.kind())),
        };
        if !(0.0..=1.0).contains(&share) {
            return failed("a percentile is between 0.0 and 1.0");
        }
        self.values.sort_by(compare::order);
        let Some(last) = self.values.len().checked_sub(1) else { return Ok(Value::Null) };
        let value = |at: usize| self.values.get(at).map_or(0.0, number);
        if self.function == Aggregate::PercentileDisc {
            let at = (share * self.values.len() as f64).ceil() as usize;
            return Ok(self.values.get(at.saturating_sub(1)).cloned().unwrap_or_default());
        }
        let at = share * last as f64;
        let (below, above) = (at.floor(), at.ceil());
        let (low, high) = (value(below as usize), value(above as usize));
        Ok(Value::Float(between(low, high, at - below)))
    }
}

impl<'q> Exec<'q> {
    /// Adds the value of the current row; null is ignored.
    pub(super) fn add(&mut self, gathered: &mut Gathered, call: &'q Aggregation) -> Result<()> {
        let Some(argument) = &call.argument else {
            return self.count(gathered);
        };
        let value = self.eval(argument)?;
        if let Some(parameter) = &call.parameter {
            gathered.percentile = self.eval(parameter)?;
        }
        if value.is_null() {
            return Ok(());
        }
        if let Some(seen) = &mut gathered.seen
            && !seen.insert(&value, &mut self.meter)?
        {
            return Ok(());
        }
        if gathered.function == Aggregate::Count && gathered.seen.is_none() {
            return self.count(gathered);
        }
        gathered.count += 1;
        let advice = || Some("it takes numbers; leave others out with WHERE".to_owned());
        self.take(gathered, value).map_err(|error| self.placed(error, call.place, advice))
    }

    /// Adds the weight of the current row to the count.
    fn count(&self, gathered: &mut Gathered) -> Result<()> {
        let count = i64::try_from(self.weight).ok().and_then(|n| gathered.count.checked_add(n));
        match count {
            Some(count) => gathered.count = count,
            None => return failed("there are too many rows to count"),
        }
        Ok(())
    }

    fn take(&mut self, gathered: &mut Gathered, value: Value) -> Result<()> {
        match gathered.function {
            Aggregate::Count => {}
            Aggregate::Sum | Aggregate::Avg => {
                if !matches!(value, Value::Int(_) | Value::Float(_) | Value::Temporal(_)) {
                    return failed(format!("only numbers can be summed, not {}", value.kind()));
                }
                gathered.follow_mean(&value);
                gathered.value = match (gathered.count, gathered.function) {
                    (1, _) => value,
                    (_, Aggregate::Avg) => summed(&gathered.value, &value)?,
                    _ => arithmetic::apply(Arithmetic::Add, &gathered.value, &value)?,
                };
            }
            Aggregate::Min => {
                self.meter.compare(&value, &gathered.value)?;
                if gathered.count == 1 || compare::order(&value, &gathered.value).is_lt() {
                    gathered.value = value;
                }
            }
            Aggregate::Max => {
                self.meter.compare(&value, &gathered.value)?;
                if gathered.count == 1 || compare::order(&value, &gathered.value).is_gt() {
                    gathered.value = value;
                }
            }
            Aggregate::Collect => {
                self.meter.hold(std::slice::from_ref(&value))?;
                gathered.values.push(value);
            }
            _ => {
                if !matches!(value, Value::Int(_) | Value::Float(_)) {
                    let message = format!("only numbers have percentiles, not {}", value.kind());
                    return failed(message);
                }
                self.meter.hold(std::slice::from_ref(&value))?;
                gathered.values.push(value);
            }
        }
        Ok(())
    }
}

/// Adds to the sum for a mean, which may exceed 64-bit integers.
fn summed(left: &Value, right: &Value) -> Result<Value> {
    match (left, right) {
        (Value::Int(a), Value::Int(b)) => {
            Ok(a.checked_add(*b).map_or(Value::Float(*a as f64 + *b as f64), Value::Int))
        }
        _ => arithmetic::apply(Arithmetic::Add, left, right),
    }
}

/// Interpolates between two numbers, even if their difference overflows.
fn between(low: f64, high: f64, part: f64) -> f64 {
    let distance = high - low;
    if distance.is_finite() { low + distance * part } else { low * (1.0 - part) + high * part }
}

fn number(value: &Value) -> f64 {
    match value {
        Value::Int(number) => *number as f64,
        Value::Float(number) => *number,
        _ => 0.0,
    }
}

/// The standard deviation: of a sample if `taken` is 1, of a population if it is 0.
fn deviation(values: &[Value], taken: usize) -> f64 {
    if values.len() <= taken.max(1) {
        return 0.0;
    }
    let plain = scaled_deviation(values, taken, 1.0);
    if plain.is_finite() {
        return plain;
    }
    // Squares of large numbers overflow even if the result does not, so the numbers are scaled.
    let largest = values.iter().map(|value| number(value).abs()).fold(0.0, f64::max);
    scaled_deviation(values, taken, largest) * largest
}

/// The standard deviation of numbers divided by `scale`.
fn scaled_deviation(values: &[Value], taken: usize, scale: f64) -> f64 {
    let count = values.len() as f64;
    let scaled = |value: &Value| number(value) / scale;
    let mean = values.iter().map(scaled).sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (scaled(value) - mean).powi(2)).sum();
    (squares / (count - taken as f64)).sqrt()
}

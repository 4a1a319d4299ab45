//! Calls functions of values.

use std::sync::Arc;

use super::{Exec, convert, type_name};
use crate::error::{CypherError, Result, failed};
use crate::functions::{self, Function};
use crate::temporal;
use crate::value::Value;

impl Exec<'_> {
    /// Calls a function.
    pub(super) fn call(&mut self, function: Function, arguments: &[Value]) -> Result<Value> {
        let first = arguments.first().unwrap_or(&Value::Null);
        let second = arguments.get(1);
        match function {
            Function::Coalesce => {
                let known = arguments.iter().find(|argument| !argument.is_null());
                Ok(known.cloned().unwrap_or_default())
            }
            Function::E => Ok(Value::Float(std::f64::consts::E)),
            Function::Pi => Ok(Value::Float(std::f64::consts::PI)),
            Function::Rand => Ok(Value::Float(self.random())),
            Function::Exists => Ok(Value::Bool(!first.is_null())),
            Function::Temporal(function) => temporal::call(function, arguments, self.now),
            Function::ToBooleanOrNull => Ok(convert::to_boolean(first).unwrap_or_default()),
            Function::ToFloatOrNull => Ok(convert::to_float(first).unwrap_or_default()),
            Function::ToIntegerOrNull => Ok(convert::to_integer(first).unwrap_or_default()),
            Function::ToStringOrNull => Ok(convert::to_text(first).unwrap_or_default()),
            Function::ValueType => {
                self.meter.pass(first)?;
                self.text(type_name::of(first))
            }
            Function::NullIf => {
                let same = second.and_then(|second| crate::compare::equals(first, second));
                Ok(if same == Some(true) { Value::Null } else { first.clone() })
            }
            _ if arguments.iter().any(Value::is_null) => Ok(Value::Null),
            Function::Truncate(function) => temporal::truncate(function, arguments, self.now),
            Function::Between(measure) => temporal::between(measure, arguments),
            Function::FromEpoch => temporal::of_epoch(arguments, temporal::SECOND),
            Function::FromEpochMillis => temporal::of_epoch(arguments, 1_000_000),
            Function::ToBoolean => convert::to_boolean(first),
            Function::ToFloat => convert::to_float(first),
            Function::ToInteger => convert::to_integer(first),
            Function::ToString => convert::to_text(first),
            Function::Range => self.range(arguments),
            _ => match first {
                Value::String(text) => self.of_text(function, text, arguments),
                Value::List(list) => of_list(function, list),
                Value::Int(_) | Value::Float(_) => of_number(function, first, second),
                _ => self.of_element(function, first),
            },
        }
    }

    fn of_element(&self, function: Function, value: &Value) -> Result<Value> {
        let relationships = |ids: &[_]| ids.iter().copied().map(Value::Relationship).collect();
        Ok(match (function, value) {
            (Function::Labels, Value::Node(node)) => self.graph.label_list(*node),
            (Function::Type, Value::Relationship(relationship)) => {
                let name = self.graph.type_name(*relationship);
                name.map_or(Value::Null, |name| Value::String(Arc::clone(name)))
            }
            (Function::Id, Value::Node(node)) => Value::Int(i64::from(node.0)),
            (Function::Id, Value::Relationship(relationship)) => {
                Value::Int(i64::from(relationship.0))
            }
            (Function::ElementId, Value::Node(node)) => Value::text(node.0.to_string()),
            (Function::ElementId, Value::Relationship(relationship)) => {
                Value::text(relationship.0.to_string())
            }
            (Function::Properties, value) => {
                self.meter.built(Value::map(self.properties(value)?))?
            }
            (Function::Keys, value) => {
                let keys = self.properties(value)?.into_keys();
                Value::list(keys.map(Value::String).collect())
            }
            (Function::StartNode, Value::Relationship(relationship)) => {
                let found = self.graph.relationship(*relationship);
                found.map_or(Value::Null, |found| Value::Node(found.start))
            }
            (Function::EndNode, Value::Relationship(relationship)) => {
                let found = self.graph.relationship(*relationship);
                found.map_or(Value::Null, |found| Value::Node(found.end))
            }
            (Function::Length, Value::Path(path)) => Value::Int(path.relationships.len() as i64),
            (Function::Nodes, Value::Path(path)) => {
                Value::list(path.nodes.iter().copied().map(Value::Node).collect())
            }
            (Function::Relationships, Value::Path(path)) => {
                Value::list(relationships(&path.relationships))
            }
            (Function::IsEmpty, Value::Map(map)) => Value::Bool(map.entries().is_empty()),
            _ => return unfit(function, value),
        })
    }

    fn of_text(
        &mut self,
        function: Function,
        text: &Arc<str>,
        arguments: &[Value],
    ) -> Result<Value> {
        let part = |number: usize| match arguments.get(number) {
            Some(Value::String(part)) => Ok(&**part),
            other => failed(format!("a string was expected, not {}", kind_of(other))),
        };
        let count = |number: usize| match arguments.get(number) {
            Some(Value::Int(count)) => usize::try_from(*count).map_err(|_| {
                CypherError::failure("positions and lengths cannot be negative".to_owned())
            }),
            other => failed(format!("an integer was expected, not {}", kind_of(other))),
        };
        Ok(match function {
            Function::Size => Value::Int(text.chars().count() as i64),
            Function::IsEmpty => Value::Bool(text.is_empty()),
            Function::Reverse => Value::text(text.chars().rev().collect::<String>()),
            Function::ToLower => self.text(text.to_lowercase())?,
            Function::ToUpper => self.text(text.to_uppercase())?,
            Function::Trim => Value::text(text.trim()),
            Function::LTrim => Value::text(text.trim_start()),
            Function::RTrim => Value::text(text.trim_end()),
            Function::Left => Value::text(text.chars().take(count(1)?).collect::<String>()),
            Function::Right => {
                let all = text.chars().count();
                let skipped = all.saturating_sub(count(1)?);
                Value::text(text.chars().skip(skipped).collect::<String>())
            }
            Function::Substring => {
                let length = if arguments.len() > 2 { count(2)? } else { usize::MAX };
                Value::text(text.chars().skip(count(1)?).take(length).collect::<String>())
            }
            Function::Replace => self.replace(text, part(1)?, part(2)?)?,
            Function::Split => self.split(text, part(1)?)?,
            _ => return unfit(function, &Value::String(Arc::clone(text))),
        })
    }

    fn replace(&mut self, text: &str, old: &str, new: &str) -> Result<Value> {
        let times = text.matches(old).count() as u64;
        let grown = (text.len() as u64).saturating_add(times.saturating_mul(new.len() as u64));
        self.meter.room_for_text(grown)?;
        self.meter.over(grown)?;
        Ok(Value::text(text.replace(old, new)))
    }

    /// Splits a string. The parts take much more memory than the string.
    fn split(&mut self, text: &str, separator: &str) -> Result<Value> {
        let (mut parts, mut weight) = (Vec::new(), 0_u64);
        for part in text.split(separator).map(Value::text) {
            self.meter.step()?;
            weight = weight.saturating_add(part.shape().weight);
            self.meter.room_for(weight)?;
            parts.push(part);
        }
        self.meter.built(Value::list(parts))
    }

    /// Checks the length of a text, because some letters become longer in another case.
    fn text(&self, text: String) -> Result<Value> {
        self.meter.room_for_text(text.len() as u64)?;
        Ok(Value::text(text))
    }

    fn range(&mut self, arguments: &[Value]) -> Result<Value> {
        let mut numbers = [0, 0, 1];
        for (place, argument) in numbers.iter_mut().zip(arguments) {
            let Value::Int(number) = argument else {
                return failed(format!("range needs integers, not {}", argument.kind()));
            };
            *place = *number;
        }
        let [from, to, step] = numbers;
        if step == 0 {
            return failed("the step of a range cannot be zero");
        }
        let distance = i128::from(to) - i128::from(from);
        let count = distance / i128::from(step) + 1;
        if distance != 0 && (distance < 0) != (step < 0) {
            return Ok(Value::list(Vec::new()));
        }
        self.meter.room_for(u64::try_from(count).unwrap_or(u64::MAX).saturating_mul(24))?;
        self.meter.steps(usize::try_from(count).unwrap_or(usize::MAX))?;
        let numbers = (0..count).map(|number| i128::from(from) + number * i128::from(step));
        Ok(Value::list(numbers.map(|number| Value::Int(number as i64)).collect()))
    }

    /// SplitMix64, with a seed from the options, so that a run can be repeated.
    fn random(&mut self) -> f64 {
        self.random = self.random.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.random;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Calls a function of a list.
fn of_list(function: Function, list: &crate::value::List) -> Result<Value> {
    let items = list.items();
    Ok(match function {
        Function::Size => Value::Int(items.len() as i64),
        Function::IsEmpty => Value::Bool(items.is_empty()),
        Function::Head => items.first().cloned().unwrap_or_default(),
        Function::Last => items.last().cloned().unwrap_or_default(),
        Function::Tail => Value::list(items.get(1..).unwrap_or_default().to_vec()),
        Function::Reverse => Value::list(items.iter().rev().cloned().collect()),
        _ => return unfit(function, &Value::list(Vec::new())),
    })
}

fn of_number(function: Function, value: &Value, second: Option<&Value>) -> Result<Value> {
    if let (Function::Abs, Value::Int(number)) = (function, value) {
        return number.checked_abs().map(Value::Int).ok_or_else(|| {
            CypherError::failure("the result does not fit an integer of 64 bits".to_owned())
        });
    }
    let float = |value: &Value| match value {
        Value::Int(number) => *number as f64,
        Value::Float(number) => *number,
        _ => f64::NAN,
    };
    let number = float(value);
    let places = second.map_or(0.0, float);
    Ok(Value::Float(match function {
        Function::Abs => number.abs(),
        Function::Acos => number.acos(),
        Function::Asin => number.asin(),
        Function::Atan => number.atan(),
        Function::Atan2 => number.atan2(places),
        Function::Ceil => number.ceil(),
        Function::Cos => number.cos(),
        Function::Cot => 1.0 / number.tan(),
        Function::Degrees => number.to_degrees(),
        Function::Exp => number.exp(),
        Function::Floor => number.floor(),
        Function::Haversin => (1.0 - number.cos()) / 2.0,
        Function::Log => number.ln(),
        Function::Log10 => number.log10(),
        Function::Radians => number.to_radians(),
        Function::Round => {
            let scale = 10_f64.powi(places as i32);
            match number * scale {
                // The number does not have that many digits.
                scaled if !scaled.is_finite() => number,
                _ if scale == 0.0 => 0.0,
                scaled => half_up(scaled) / scale,
            }
        }
        Function::Sin => number.sin(),
        Function::Sqrt => number.sqrt(),
        Function::Tan => number.tan(),
        Function::IsNan => return Ok(Value::Bool(number.is_nan())),
        Function::Sign if number == 0.0 || number.is_nan() => return Ok(Value::Int(0)),
        Function::Sign => return Ok(Value::Int(number.signum() as i64)),
        _ => return unfit(function, value),
    }))
}

/// Rounds to the nearest whole number, and a half upwards. Adding a half and taking the floor would
/// itself round, and turn the largest number below a half into one.
fn half_up(number: f64) -> f64 {
    let floor = number.floor();
    if number - floor >= 0.5 { floor + 1.0 } else { floor }
}

fn unfit<T>(function: Function, value: &Value) -> Result<T> {
    failed(format!("{} does not take {}", functions::name(function), value.kind()))
}

fn kind_of(value: Option<&Value>) -> &'static str {
    value.map_or("nothing", Value::kind)
}

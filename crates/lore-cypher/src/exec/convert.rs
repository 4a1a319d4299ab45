//! Conversions between types of values.

use crate::error::{Result, failed};
use crate::value::Value;

/// `toBoolean`; a string that is not a boolean becomes null.
pub(super) fn to_boolean(value: &Value) -> Result<Value> {
    Ok(match value {
        Value::Null => Value::Null,
        Value::Bool(truth) => Value::Bool(*truth),
        Value::Int(number) => Value::Bool(*number != 0),
        Value::String(text) => match text.trim().to_lowercase().as_str() {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            _ => Value::Null,
        },
        other => return failed(format!("{} cannot be made a boolean", other.kind())),
    })
}

/// `toInteger`; fractions are truncated.
pub(super) fn to_integer(value: &Value) -> Result<Value> {
    Ok(match value {
        Value::Null => Value::Null,
        Value::Int(number) => Value::Int(*number),
        Value::Float(number) => whole(*number),
        Value::Bool(truth) => Value::Int(i64::from(*truth)),
        Value::String(text) => {
            let text = text.trim();
            let float = || text.parse::<f64>().map_or(Value::Null, whole);
            text.parse::<i64>().map_or_else(|_| float(), Value::Int)
        }
        other => return failed(format!("{} cannot be made an integer", other.kind())),
    })
}

/// `toFloat`.
pub(super) fn to_float(value: &Value) -> Result<Value> {
    Ok(match value {
        Value::Null => Value::Null,
        Value::Int(number) => Value::Float(*number as f64),
        Value::Float(number) => Value::Float(*number),
        Value::String(text) => float_of(text.trim()).map_or(Value::Null, Value::Float),
        other => return failed(format!("{} cannot be made a float", other.kind())),
    })
}

/// Parses a float. Of the words that stand for no finite number, only those that
/// [`number_text`] writes are read.
fn float_of(text: &str) -> Option<f64> {
    let is_word = text.trim_start_matches(['+', '-']).starts_with(|c: char| c.is_alphabetic());
    match text {
        "NaN" | "Infinity" | "-Infinity" => text.parse().ok(),
        _ if is_word => None,
        _ => text.parse().ok(),
    }
}

/// `toString`.
pub(super) fn to_text(value: &Value) -> Result<Value> {
    Ok(match value {
        Value::Null => Value::Null,
        Value::String(_) => value.clone(),
        Value::Bool(truth) => Value::text(truth.to_string()),
        Value::Int(_) | Value::Float(_) => Value::text(number_text(value)),
        Value::Temporal(temporal) => Value::text(temporal.to_string()),
        other => return failed(format!("{} cannot be made a string", other.kind())),
    })
}

/// Formats a number as Cypher does: floats always look like floats.
pub(super) fn number_text(value: &Value) -> String {
    match value {
        Value::Int(number) => number.to_string(),
        Value::Float(number) if number.is_nan() => "NaN".to_owned(),
        Value::Float(number) if number.is_infinite() => {
            if *number > 0.0 {
                "Infinity".to_owned()
            } else {
                "-Infinity".to_owned()
            }
        }
        Value::Float(number) if number.abs() >= 1e16 || (*number != 0.0 && number.abs() < 1e-5) => {
            let text = format!("{number:E}");
            match text.split_once('E') {
                Some((digits, exponent)) if !digits.contains('.') => {
                    format!("{digits}.0E{exponent}")
                }
                _ => text,
            }
        }
        Value::Float(number) => format!("{number:?}"),
        _ => String::new(),
    }
}

fn whole(number: f64) -> Value {
    const BEYOND: f64 = 9_223_372_036_854_775_808.0;
    let whole = number.trunc();
    if (-BEYOND..BEYOND).contains(&whole) { Value::Int(whole as i64) } else { Value::Null }
}

//! Operators on numbers, strings, lists and temporal values.

use crate::error::{CypherError, Result, failed};
use crate::plan::Arithmetic;
use crate::temporal;
use crate::value::Value;

/// Applies an operator; a null operand gives null.
pub(super) fn apply(operator: Arithmetic, left: &Value, right: &Value) -> Result<Value> {
    match (operator, left, right) {
        (Arithmetic::Add, Value::List(_), _) | (Arithmetic::Add, _, Value::List(_)) => {
            join(left, right)
        }
        (_, Value::Null, _) | (_, _, Value::Null) => Ok(Value::Null),
        (_, Value::Int(left), Value::Int(right)) => integers(operator, *left, *right),
        (_, Value::Int(_) | Value::Float(_), Value::Int(_) | Value::Float(_)) => {
            Ok(Value::Float(floats(operator, float(left), float(right))))
        }
        (Arithmetic::Add, Value::String(left), Value::String(right)) => {
            Ok(Value::text(format!("{left}{right}")))
        }
        (Arithmetic::Add, Value::String(left), Value::Int(_) | Value::Float(_)) => {
            Ok(Value::text(format!("{left}{}", super::convert::number_text(right))))
        }
        (Arithmetic::Add, Value::Int(_) | Value::Float(_), Value::String(right)) => {
            Ok(Value::text(format!("{}{right}", super::convert::number_text(left))))
        }
        (_, Value::Temporal(_), _) | (_, _, Value::Temporal(_)) => {
            temporal::arithmetic(operator, left, right)
        }
        _ => failed(format!(
            "{} and {} cannot be {}",
            left.kind(),
            right.kind(),
            match operator {
                Arithmetic::Add => "added",
                Arithmetic::Subtract => "subtracted",
                Arithmetic::Multiply => "multiplied",
                Arithmetic::Divide | Arithmetic::Remainder => "divided",
                Arithmetic::Power => "raised to a power",
            }
        )),
    }
}

/// Negates a value.
pub(super) fn negate(value: &Value) -> Result<Value> {
    match value {
        Value::Null => Ok(Value::Null),
        Value::Int(number) => number.checked_neg().map(Value::Int).ok_or_else(overflow),
        Value::Float(number) => Ok(Value::Float(-number)),
        Value::Temporal(_) => temporal::arithmetic(Arithmetic::Multiply, value, &Value::Int(-1)),
        other => failed(format!("{} has no sign", other.kind())),
    }
}

fn join(left: &Value, right: &Value) -> Result<Value> {
    let items = match (left, right) {
        (Value::Null, _) | (_, Value::Null) => return Ok(Value::Null),
        (Value::List(left), Value::List(right)) => [left.items(), right.items()].concat(),
        (Value::List(left), right) => [left.items(), std::slice::from_ref(right)].concat(),
        (left, Value::List(right)) => [std::slice::from_ref(left), right.items()].concat(),
        _ => Vec::new(),
    };
    Ok(Value::list(items))
}

fn integers(operator: Arithmetic, left: i64, right: i64) -> Result<Value> {
    let result = match operator {
        Arithmetic::Add => left.checked_add(right),
        Arithmetic::Subtract => left.checked_sub(right),
        Arithmetic::Multiply => left.checked_mul(right),
        Arithmetic::Divide | Arithmetic::Remainder if right == 0 => {
            return failed("integers cannot be divided by zero");
        }
        Arithmetic::Divide => left.checked_div(right),
        // The remainder by -1 is defined even for the smallest integer, whose quotient overflows.
        Arithmetic::Remainder => Some(left.wrapping_rem(right)),
        Arithmetic::Power => return Ok(Value::Float((left as f64).powf(right as f64))),
    };
    result.map(Value::Int).ok_or_else(overflow)
}

fn floats(operator: Arithmetic, left: f64, right: f64) -> f64 {
    match operator {
        Arithmetic::Add => left + right,
        Arithmetic::Subtract => left - right,
        Arithmetic::Multiply => left * right,
        Arithmetic::Divide => left / right,
        Arithmetic::Remainder => left % right,
        Arithmetic::Power => left.powf(right),
    }
}

fn float(value: &Value) -> f64 {
    match value {
        Value::Int(number) => *number as f64,
        Value::Float(number) => *number,
        _ => f64::NAN,
    }
}

fn overflow() -> CypherError {
    CypherError::failure("the result does not fit an integer of 64 bits".to_owned())
}

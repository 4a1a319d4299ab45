//! Equality, comparison and order of values, as openCypher defines them.
//!
//! These relations must not be confused: *equality* (`=`) and *comparison* (`<`) may be unknown;
//! *equivalence* (grouping, `DISTINCT`) treats unknown values as equal; the *order* (`ORDER BY`) is
//! total.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

use crate::value::{Map, Value};

/// Cypher's `=`; `None` means unknown.
pub fn equals(left: &Value, right: &Value) -> Option<bool> {
    match (left, right) {
        (Value::Null, _) | (_, Value::Null) => None,
        (Value::List(left), Value::List(right)) => lists_equal(left.items(), right.items()),
        (Value::Map(left), Value::Map(right)) => maps_equal(left, right),
        (Value::Float(left), Value::Float(right)) => Some(left == right),
        _ => Some(equivalent(left, right)),
    }
}

/// Cypher's `<` and the like; `None` means unknown or not comparable.
///
/// `NaN` is comparable with numbers but neither smaller, equal nor larger: that is `Some(None)`.
pub fn compare(left: &Value, right: &Value) -> Option<Option<Ordering>> {
    match (left, right) {
        (Value::Int(_) | Value::Float(_), Value::Int(_) | Value::Float(_)) => {
            if is_nan(left) || is_nan(right) { Some(None) } else { Some(Some(order(left, right))) }
        }
        (Value::String(left), Value::String(right)) => Some(Some(left.cmp(right))),
        (Value::Bool(left), Value::Bool(right)) => Some(Some(left.cmp(right))),
        (Value::List(left), Value::List(right)) => compare_lists(left.items(), right.items()),
        (Value::Temporal(left), Value::Temporal(right)) => left.compare(right).map(Some),
        _ => None,
    }
}

/// Whether both are the same for grouping: null equals null, and `NaN` equals `NaN`.
pub fn equivalent(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Null, Value::Null) => true,
        (Value::Bool(left), Value::Bool(right)) => left == right,
        (Value::String(left), Value::String(right)) => left == right,
        (Value::Node(left), Value::Node(right)) => left == right,
        (Value::Relationship(left), Value::Relationship(right)) => left == right,
        (Value::Path(left), Value::Path(right)) => left == right,
        (Value::Int(_) | Value::Float(_), Value::Int(_) | Value::Float(_)) => {
            order(left, right) == Ordering::Equal
        }
        (Value::List(left), Value::List(right)) => {
            let (left, right) = (left.items(), right.items());
            left.len() == right.len() && left.iter().zip(right).all(|(l, r)| equivalent(l, r))
        }
        (Value::Map(left), Value::Map(right)) => {
            same_names(left, right)
                && left
                    .entries()
                    .values()
                    .zip(right.entries().values())
                    .all(|(l, r)| equivalent(l, r))
        }
        (Value::Temporal(left), Value::Temporal(right)) => left.same(right),
        _ => false,
    }
}

/// The order of `ORDER BY`, a total order of all values.
pub fn order(left: &Value, right: &Value) -> Ordering {
    match (left, right) {
        (Value::Int(left), Value::Int(right)) => left.cmp(right),
        (Value::Float(left), Value::Float(right)) => order_floats(*left, *right),
        (Value::Int(left), Value::Float(right)) => order_mixed(*left, *right),
        (Value::Float(left), Value::Int(right)) => order_mixed(*right, *left).reverse(),
        (Value::String(left), Value::String(right)) => left.cmp(right),
        (Value::Bool(left), Value::Bool(right)) => left.cmp(right),
        (Value::Node(left), Value::Node(right)) => left.cmp(right),
        (Value::Relationship(left), Value::Relationship(right)) => left.cmp(right),
        (Value::Path(left), Value::Path(right)) => left.cmp(right),
        (Value::List(left), Value::List(right)) => order_lists(left.items(), right.items()),
        (Value::Map(left), Value::Map(right)) => order_maps(left, right),
        (Value::Temporal(left), Value::Temporal(right)) => left.order(right),
        _ => rank(left).cmp(&rank(right)),
    }
}

/// Feeds a value to a hasher; equivalent values give the same hash.
pub(crate) fn hash(value: &Value, state: &mut impl Hasher) {
    rank(value).hash(state);
    match value {
        Value::Null => {}
        Value::Bool(truth) => truth.hash(state),
        Value::Int(number) => (*number as f64).to_bits().hash(state),
        Value::Float(number) => canonical(*number).to_bits().hash(state),
        Value::String(text) => text.hash(state),
        Value::Node(node) => node.hash(state),
        Value::Relationship(relationship) => relationship.hash(state),
        Value::Path(path) => path.hash(state),
        Value::List(list) => list.items().iter().for_each(|item| hash(item, state)),
        Value::Map(map) => map.entries().iter().for_each(|(name, value)| {
            name.hash(state);
            hash(value, state);
        }),
        Value::Temporal(temporal) => temporal.feed(state),
    }
}

fn lists_equal(left: &[Value], right: &[Value]) -> Option<bool> {
    if left.len() != right.len() {
        return Some(false);
    }
    all_equal(left.iter().zip(right))
}

fn maps_equal(left: &Map, right: &Map) -> Option<bool> {
    if !same_names(left, right) {
        return Some(false);
    }
    all_equal(left.entries().values().zip(right.entries().values()))
}

/// False if any pair differs; otherwise unknown if any is unknown.
fn all_equal<'v>(pairs: impl Iterator<Item = (&'v Value, &'v Value)>) -> Option<bool> {
    let mut known = true;
    for (left, right) in pairs {
        match equals(left, right) {
            Some(true) => {}
            Some(false) => return Some(false),
            None => known = false,
        }
    }
    known.then_some(true)
}

fn same_names(left: &Map, right: &Map) -> bool {
    left.entries().len() == right.entries().len()
        && left.entries().keys().eq(right.entries().keys())
}

/// The first difference decides; if an unknown comes before it, the result is unknown.
fn compare_lists(left: &[Value], right: &[Value]) -> Option<Option<Ordering>> {
    for (left, right) in left.iter().zip(right) {
        match compare(left, right) {
            Some(Some(Ordering::Equal)) => {}
            Some(decided) => return Some(decided),
            // Not comparable but known to be equal, such as two nodes or two maps.
            None if equals(left, right) == Some(true) => {}
            None => return None,
        }
    }
    Some(Some(left.len().cmp(&right.len())))
}

fn order_lists(left: &[Value], right: &[Value]) -> Ordering {
    let mut differences = left.iter().zip(right).map(|(left, right)| order(left, right));
    differences.find(|order| order.is_ne()).unwrap_or_else(|| left.len().cmp(&right.len()))
}

fn order_maps(left: &Map, right: &Map) -> Ordering {
    let (left, right) = (left.entries(), right.entries());
    let names = || left.keys().cmp(right.keys());
    let values = || {
        left.values()
            .zip(right.values())
            .map(|(left, right)| order(left, right))
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    };
    left.len().cmp(&right.len()).then_with(names).then_with(values)
}

fn is_nan(value: &Value) -> bool {
    matches!(value, Value::Float(number) if number.is_nan())
}

/// Maps both zeros to one and all `NaN`s to one, so that equal numbers have equal bits.
fn canonical(number: f64) -> f64 {
    if number.is_nan() {
        f64::NAN
    } else if number == 0.0 {
        0.0
    } else {
        number
    }
}

/// `NaN` is the largest number.
fn order_floats(left: f64, right: f64) -> Ordering {
    left.partial_cmp(&right).unwrap_or_else(|| left.is_nan().cmp(&right.is_nan()))
}

/// Compares exactly, although not every integer can be represented as a float.
fn order_mixed(left: i64, right: f64) -> Ordering {
    const BEYOND: f64 = 9_223_372_036_854_775_808.0;
    if right.is_nan() || right >= BEYOND {
        return Ordering::Less;
    }
    if right < -BEYOND {
        return Ordering::Greater;
    }
    let whole = right.trunc();
    left.cmp(&(whole as i64)).then_with(|| order_floats(whole, right))
}

/// The order of types.
fn rank(value: &Value) -> u8 {
    match value {
        Value::Map(_) => 0,
        Value::Node(_) => 1,
        Value::Relationship(_) => 2,
        Value::List(_) => 3,
        Value::Path(_) => 4,
        Value::Temporal(temporal) => 5 + temporal.rank(),
        Value::String(_) => 20,
        Value::Bool(_) => 21,
        Value::Int(_) | Value::Float(_) => 22,
        Value::Null => 23,
    }
}

//! The names that Cypher gives to the types of values, for `valueType`.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::temporal::Temporal;
use crate::value::Value;

/// The type of a value: `INTEGER NOT NULL`, `LIST<STRING> NOT NULL`, `NULL`.
pub(super) fn of(value: &Value) -> String {
    match plain(value) {
        Some((_, name)) => format!("{name} NOT NULL"),
        None => "NULL".to_owned(),
    }
}

/// The type without `NOT NULL`, after its place in Cypher's order of types; `None` for null.
fn plain(value: &Value) -> Option<(u8, Cow<'static, str>)> {
    let (place, name) = match value {
        Value::Null => return None,
        Value::Bool(_) => (1, "BOOLEAN"),
        Value::String(_) => (2, "STRING"),
        Value::Int(_) => (3, "INTEGER"),
        Value::Float(_) => (4, "FLOAT"),
        Value::Temporal(temporal) => match **temporal {
            Temporal::Date { .. } => (5, "DATE"),
            Temporal::LocalTime { .. } => (6, "LOCAL TIME"),
            Temporal::Time { .. } => (7, "ZONED TIME"),
            Temporal::LocalDateTime { .. } => (8, "LOCAL DATETIME"),
            Temporal::DateTime { .. } => (9, "ZONED DATETIME"),
            Temporal::Duration(_) => (10, "DURATION"),
        },
        Value::Node(_) => (11, "NODE"),
        Value::Relationship(_) => (12, "RELATIONSHIP"),
        Value::Map(_) => (13, "MAP"),
        Value::List(list) => return Some((14, format!("LIST<{}>", inner(list.items())).into())),
        Value::Path(_) => (15, "PATH"),
    };
    Some((place, name.into()))
}

/// The types of the elements of a list, each once, in Cypher's order. If an element is null, none
/// of them is `NOT NULL`.
fn inner(items: &[Value]) -> String {
    let types: BTreeSet<_> = items.iter().filter_map(plain).collect();
    if types.is_empty() {
        return if items.is_empty() { "NOTHING" } else { "NULL" }.to_owned();
    }
    let suffix = if items.iter().any(Value::is_null) { "" } else { " NOT NULL" };
    let names: Vec<_> = types.into_iter().map(|(_, name)| format!("{name}{suffix}")).collect();
    names.join(" | ")
}

//! Parses the arguments of tools whose schemas are generated from the table.

use lore_anvil::Shape;
use lore_core::{Error, Result};
use serde_json::{Map, Value};

/// The arguments of a call, by name.
pub(super) struct Arguments(Map<String, Value>);

impl Arguments {
    /// Fails if an argument is not declared in the schema `known`.
    pub(super) fn of(given: Map<String, Value>, known: &Map<String, Value>) -> Result<Self> {
        let declared = known.get("properties").and_then(Value::as_object);
        let stranger = given.keys().find(|name| !declared.is_some_and(|d| d.contains_key(*name)));
        let Some(name) = stranger else { return Ok(Self(given)) };
        let names: Vec<_> = declared.into_iter().flat_map(Map::keys).map(String::as_str).collect();
        let problem = match names.as_slice() {
            [] => "is not a known field: there are none".to_owned(),
            names => format!("is not a known field: expected one of {}", names.join(", ")),
        };
        Err(Error::invalid(name, problem, HINT))
    }

    /// Parses an id, given as text or number; `None` if it is absent or blank.
    pub(super) fn id(&self, name: &str) -> Result<Option<String>> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => {
                Ok(Some(text.trim()).filter(|text| !text.is_empty()).map(str::to_owned))
            }
            Some(Value::Number(number)) => Ok(Some(number.to_string())),
            Some(_) => Err(Error::invalid(name, "is not an id", "give it as a text")),
        }
    }

    /// Parses an id that is required.
    pub(super) fn needed_id(&self, name: &str) -> Result<String> {
        self.id(name)?.ok_or_else(|| Error::invalid(name, "is required", HINT))
    }

    /// Parses a number from 0.
    pub(super) fn whole(&self, name: &str, default: usize) -> Result<usize> {
        let wrong = || Error::invalid(name, "is not a whole number from 0 up", HINT);
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(default),
            Some(Value::Number(number)) => {
                let whole = number.as_u64().or_else(|| {
                    let float = number.as_f64().filter(|n| n.fract() == 0.0 && *n >= 0.0)?;
                    Some(float as u64)
                });
                whole.and_then(|n| usize::try_from(n).ok()).ok_or_else(wrong)
            }
            // Some clients send numbers as text, as does the service's own API.
            Some(Value::String(text)) => text.trim().parse().map_err(|_| wrong()),
            Some(_) => Err(wrong()),
        }
    }

    /// Parses the granularity: 0, 1 or 2.
    pub(super) fn granularity(&self) -> Result<u8> {
        let wrong = || Error::invalid("granularity", "is not 0, 1 or 2", HINT);
        let level = self.whole("granularity", 1).map_err(|_| wrong())?;
        u8::try_from(level).ok().filter(|level| *level <= 2).ok_or_else(wrong)
    }

    /// Returns the verbose shape if `verbose` is true.
    pub(super) fn shape(&self) -> Result<Shape> {
        match self.0.get("verbose") {
            None | Some(Value::Null | Value::Bool(false)) => Ok(Shape::Compact),
            Some(Value::Bool(true)) => Ok(Shape::Verbose),
            Some(_) => Err(Error::invalid("verbose", "is neither true nor false", HINT)),
        }
    }

    /// Returns a value unchanged.
    pub(super) fn value(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }
}

const HINT: &str = "see the tool's input schema for names, types and ranges";

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn arguments(given: Value) -> Result<Arguments> {
        let (Value::Object(given), Value::Object(known)) =
            (given, json!({ "properties": { "limit": {}, "map_id": {}, "verbose": {} } }))
        else {
            unreachable!()
        };
        Arguments::of(given, &known)
    }

    #[test]
    fn strangers_are_named() {
        let error = arguments(json!({ "lmit": 3 })).err().unwrap();
        let wanted = "lmit is not a known field: expected one of limit, map_id, verbose";
        assert_eq!(error.to_string(), wanted);
    }

    #[test]
    fn numbers_and_ids_are_read_in_every_form() {
        for limit in [json!(7), json!(7.0), json!("7")] {
            assert_eq!(arguments(json!({ "limit": limit })).unwrap().whole("limit", 1), Ok(7));
        }
        for limit in [json!(-1), json!(1.5), json!("x"), json!([])] {
            assert!(arguments(json!({ "limit": limit })).unwrap().whole("limit", 1).is_err());
        }
        for id in [json!("7"), json!(7), json!(" 7 ")] {
            let id = arguments(json!({ "map_id": id })).unwrap().id("map_id").unwrap();
            assert_eq!(id.as_deref(), Some("7"));
        }
        assert_eq!(arguments(json!({ "map_id": "" })).unwrap().id("map_id"), Ok(None));
        assert!(arguments(json!({ "verbose": 1 })).unwrap().shape().is_err());
    }
}

//! The fields of an object: what they hold, and how tools show them.

use serde_json::{Number, Value};

use crate::table::Kind;

/// A field of an object of the API.
#[derive(Debug)]
pub struct Field {
    /// Its name in the API.
    pub name: &'static str,
    /// The lowest granularity at which the service includes it.
    pub from: i8,
    /// What it holds.
    pub form: Form,
    /// How tools show it.
    pub look: Look,
    /// Its name in answers of tools; empty if it is the API's name in snake case.
    pub shown: &'static str,
    /// Its description in the schema of answers; fields with an empty one are left out of the
    /// schema.
    pub gist: &'static str,
    /// Its JSON types in that schema; empty if they follow from its form, or if any type is
    /// allowed.
    pub types: &'static [&'static str],
}

/// What a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// The main text of the object.
    Text,
    /// A further text, stored as a section under the field's name.
    Section,
    /// A section that only the game master's side may see.
    HiddenSection,
    /// A plain value.
    Value,
    /// A reference to one object, stored as an edge of this kind to it.
    One(Kind, &'static str),
    /// References to objects that have an edge of this kind to this one. Read-only.
    Many(Kind, &'static str),
    /// References to several objects, stored as edges of this kind to them.
    Several(Kind, &'static str),
    /// When the object was created. Read-only.
    Created,
    /// Computed from other data, and read-only unless a writer handles the field by name.
    Derived,
}

/// How tools show a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// Unchanged.
    Plain,
    /// Only the URL of what it refers to.
    Address,
    /// Only in the verbose shape, because it says little.
    Noise,
    /// Only at granularity 2 of the contract, or in the verbose shape, although the service
    /// includes it earlier.
    Extended,
    /// Among the sections of the object.
    Section,
}

impl Field {
    pub(crate) const fn new(name: &'static str, from: i8, form: Form) -> Self {
        Self { name, from, form, look: Look::Plain, shown: "", gist: "", types: &[] }
    }

    /// Returns the field with another look.
    pub(crate) const fn look(self, look: Look) -> Self {
        Self { look, ..self }
    }

    /// Returns the field with another name in answers of tools.
    pub(crate) const fn named(self, shown: &'static str) -> Self {
        Self { shown, ..self }
    }

    /// Returns the field with a description in the schema of answers.
    pub(crate) const fn told(self, gist: &'static str) -> Self {
        Self { gist, ..self }
    }

    /// Returns the field with explicit JSON types.
    pub(crate) const fn typed(self, types: &'static [&'static str]) -> Self {
        Self { types, ..self }
    }

    /// Its JSON types without null; empty if any type is allowed.
    pub fn json_types(&self) -> &'static [&'static str] {
        match (self.types, self.look, self.form) {
            ([], Look::Address, _) => &["string"],
            ([], _, Form::Text | Form::Section | Form::HiddenSection) => &["string"],
            ([], _, Form::One(..) | Form::Created) => &["object"],
            ([], _, Form::Many(..) | Form::Several(..)) => &["array"],
            (types, ..) => types,
        }
    }

    /// Converts a value to the type of the field, because clients and services send numbers as
    /// strings, too. Fails if a string in a number field is not a number.
    pub fn typed_value(&self, value: &Value) -> Result<Value, &'static str> {
        let Value::String(text) = value else { return Ok(value.clone()) };
        match (self.types, text.trim()) {
            (["number"], "") => Ok(Value::Null),
            (["number"], text) => number(text).ok_or("is not a number"),
            _ => Ok(value.clone()),
        }
    }

    /// Whether it holds running text.
    pub fn is_markup(&self) -> bool {
        matches!(self.form, Form::Text | Form::Section | Form::HiddenSection)
    }

    /// Whether the API writes it as BBCode: running text and the excerpt.
    pub fn is_bbcode(&self) -> bool {
        self.is_markup() || self.name == EXCERPT
    }
}

/// The field with the summary of an object.
const EXCERPT: &str = "excerpt";

/// Parses a number.
fn number(text: &str) -> Option<Value> {
    let whole = text.parse::<i64>().ok().map(Value::from);
    whole.or_else(|| Number::from_f64(text.parse().ok()?).map(Value::Number))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_are_numbers_however_they_are_sent() {
        let place = Kind::Marker.row().field("geoX").unwrap();
        for (sent, kept) in [
            (json!("12"), json!(12)),
            (json!(" -1.5 "), json!(-1.5)),
            (json!(7), json!(7)),
            (json!(""), Value::Null),
            (Value::Null, Value::Null),
        ] {
            assert_eq!(place.typed_value(&sent), Ok(kept));
        }
        assert!(place.typed_value(&json!("north")).is_err());
        let label = Kind::Marker.row().field("labelTitle").unwrap();
        assert_eq!(label.typed_value(&json!("12")), Ok(json!("12")), "a text stays one");
    }
}

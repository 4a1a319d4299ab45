//! What a field of an object is made of, and how it is shown.

use serde_json::{Number, Value};

use crate::table::Kind;

/// A field of an object of the API.
#[derive(Debug)]
pub struct Field {
    /// Its name in the API.
    pub name: &'static str,
    /// The granularity from which on it is told.
    pub from: i8,
    /// What it is made of.
    pub form: Form,
    /// How tools show it.
    pub look: Look,
    /// Its name in answers of tools; empty is the API's name in snake case.
    pub shown: &'static str,
    /// What it tells, for the schema of answers; empty leaves it out there.
    pub gist: &'static str,
    /// Its JSON types there; empty where its form says it, or where it may be anything.
    pub types: &'static [&'static str],
}

/// What a field is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// The text of the thing.
    Text,
    /// A further text, kept under the field's name.
    Section,
    /// A further text for the game master's side.
    HiddenSection,
    /// A plain value.
    Value,
    /// A reference to another thing, joined by an edge of this kind.
    One(Kind, &'static str),
    /// References to things that are joined to this one by an edge of this kind.
    Many(Kind, &'static str),
    /// References to several things that this one is joined to by an edge of this kind.
    Several(Kind, &'static str),
    /// When it was made.
    Created,
    /// Follows from everything else; not written.
    Derived,
}

/// How tools show a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// As it is.
    Plain,
    /// Only the address of what it refers to.
    Address,
    /// Only where everything is wanted: it says little.
    Noise,
    /// Only at granularity 2 of the contract, although the service tells it earlier.
    Extended,
    /// Among the sections of the thing.
    Section,
}

impl Field {
    pub(crate) const fn new(name: &'static str, from: i8, form: Form) -> Self {
        Self { name, from, form, look: Look::Plain, shown: "", gist: "", types: &[] }
    }

    /// Shows it in another way.
    pub(crate) const fn look(self, look: Look) -> Self {
        Self { look, ..self }
    }

    /// Shows it under another name.
    pub(crate) const fn named(self, shown: &'static str) -> Self {
        Self { shown, ..self }
    }

    /// Tells what it is in the schema of answers.
    pub(crate) const fn told(self, gist: &'static str) -> Self {
        Self { gist, ..self }
    }

    /// Tells its JSON types, too.
    pub(crate) const fn typed(self, types: &'static [&'static str]) -> Self {
        Self { types, ..self }
    }

    /// Its JSON types, null apart; empty where it may be anything.
    pub fn json_types(&self) -> &'static [&'static str] {
        match (self.types, self.look, self.form) {
            ([], Look::Address, _) => &["string"],
            ([], _, Form::Text | Form::Section | Form::HiddenSection) => &["string"],
            ([], _, Form::One(..) | Form::Created) => &["object"],
            ([], _, Form::Many(..) | Form::Several(..)) => &["array"],
            (types, ..) => types,
        }
    }

    /// A value in the type of the field: numbers are sent as texts, too. Fails when it says
    /// something else.
    pub fn typed_value(&self, value: &Value) -> Result<Value, &'static str> {
        let Value::String(text) = value else { return Ok(value.clone()) };
        match (self.types, text.trim()) {
            (["number"], "") => Ok(Value::Null),
            (["number"], text) => number(text).ok_or("is no number"),
            _ => Ok(value.clone()),
        }
    }

    /// Whether it holds running text of the thing.
    pub fn is_markup(&self) -> bool {
        matches!(self.form, Form::Text | Form::Section | Form::HiddenSection)
    }

    /// Whether the API writes it as BBCode: running text, and what tells it in short.
    pub fn is_bbcode(&self) -> bool {
        self.is_markup() || self.name == EXCERPT
    }
}

/// How a thing is told in short.
const EXCERPT: &str = "excerpt";

/// A number that is written as a text.
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

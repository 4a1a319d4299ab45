//! The id of a page in arguments: its number, or the form in which another door shows it.

use std::borrow::Cow;
use std::fmt;

use lore_app::{App, pages};
use lore_core::{Error, Result, Viewer};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// The id of a page, or of a post of one. Any JSON value is accepted at first, because clients send
/// a number also as text or as a mention, and ids that other tools showed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PageId(Value);

impl PageId {
    /// Returns the number, if the value contains one.
    pub(super) fn written(&self) -> Option<i64> {
        number_in(&self.0)
    }

    /// Returns the page's number. Pages that the viewer does not see are not found.
    pub(super) async fn find(&self, app: &App, viewer: &Viewer, field: &str) -> Result<i64> {
        if let Some(number) = self.written() {
            return Ok(number);
        }
        let found = match &self.0 {
            Value::String(text) => pages::number_of(app, viewer, text).await?,
            _ => None,
        };
        found.ok_or_else(|| {
            let problem = format!("is {self}, which is not the id of an entity");
            Error::invalid(field, problem, "use an entity_id from find_entities")
        })
    }
}

impl fmt::Display for PageId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

impl<'de> Deserialize<'de> for PageId {
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        Value::deserialize(from).map(Self)
    }
}

impl JsonSchema for PageId {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "PageId".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        // Not a list of types: some clients support only schemas with a single type.
        schemars::json_schema!({ "anyOf": [{ "type": "integer" }, { "type": "string" }] })
    }
}

/// Parses a number, the digits of one, or a mention such as `[entity:12|Bob]`.
pub(super) fn number_in(given: &Value) -> Option<i64> {
    match given {
        Value::Number(number) => number.as_i64(),
        Value::String(text) => {
            let text = text.trim();
            let inside = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
            let digits = inside.map_or(text, |inside| {
                let (_, id) = inside.split_once(':').unwrap_or(("", inside));
                id.split('|').next().unwrap_or_default()
            });
            digits.parse().ok()
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_number_is_read_in_every_form_it_is_sent() {
        for given in [
            json!(12),
            json!("12"),
            json!(" 12 "),
            json!("[entity:12]"),
            json!("[character:12|Bob]"),
        ] {
            assert_eq!(number_in(&given), Some(12), "{given}");
        }
        for given in [json!("Bob"), json!(null), json!([12]), json!(1.5), json!("node_12")] {
            assert_eq!(number_in(&given), None, "{given}");
        }
    }
}

//! Values that are serialised as null instead of being left out, where a contract requires it.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;

/// A value that may be null.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub(crate) struct Nullable<T>(pub(crate) Option<T>);

impl<T> JsonSchema for Nullable<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Nullable".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        // The schema admits any value: `schema::simplify` removes every `null` type, and clients
        // validate answers against the schema.
        json_schema!({})
    }
}

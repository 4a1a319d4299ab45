//! Values that are null rather than left out, where a contract writes them so.

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
        // Any value: schemas here name no null, and clients check answers against them.
        json_schema!({})
    }
}

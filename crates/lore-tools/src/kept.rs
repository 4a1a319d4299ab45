//! Answers that may have been given before.

use lore_app::play::desk::Done;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::Value;

/// The answer of a write: a fresh one, or the one that was kept under the same
/// idempotency key. On the wire both look alike.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Kept<T> {
    /// Given now.
    Fresh(T),
    /// Given before.
    Again(Value),
}

impl<T> From<Done<T>> for Kept<T> {
    fn from(done: Done<T>) -> Self {
        match done {
            Done::Fresh(answer) => Self::Fresh(answer),
            Done::Again(answer) => Self::Again(answer),
        }
    }
}

impl<T: JsonSchema> JsonSchema for Kept<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        T::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

//! Answers of writes that can be repeated with an idempotency key.

use lore_app::play::call::Done;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::Value;

/// The answer of a write: a fresh one, or the one that was stored under the same idempotency key.
/// Both are serialised alike.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Kept<T> {
    /// Computed by this call.
    Fresh(T),
    /// Stored by an earlier call with the same key.
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

//! Answers that pass through as they came, under the schema of their form.

use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};
use serde_json::Value;

/// JSON of the form `T`.
pub(crate) struct Shaped<T> {
    value: Value,
    form: PhantomData<fn() -> T>,
}

impl<T> From<Value> for Shaped<T> {
    fn from(value: Value) -> Self {
        Self { value, form: PhantomData }
    }
}

impl<T> Shaped<T> {
    /// The answer as it is.
    pub(crate) fn value(&self) -> &Value {
        &self.value
    }
}

impl<T> Serialize for Shaped<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.value.serialize(to)
    }
}

impl<T: JsonSchema> JsonSchema for Shaped<T> {
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

//! Answers that are passed on unchanged, declared with the schema of a type.

use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

/// A JSON value that is declared to have the form `T`.
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
    /// The JSON value.
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
        let mut schema = T::json_schema(generator);
        if let Some(form) = schema.as_object_mut() {
            leave_open(form);
        }
        schema
    }
}

/// Makes all fields optional, at any depth: other servers leave out what they do not know, and
/// clients must not reject their answers.
fn leave_open(form: &mut Map<String, Value>) {
    form.shift_remove("required");
    for inner in form.values_mut() {
        match inner {
            Value::Object(inner) => leave_open(inner),
            Value::Array(forms) => {
                forms.iter_mut().filter_map(Value::as_object_mut).for_each(leave_open);
            }
            _ => {}
        }
    }
}

//! Answers of other servers, made to fit the form that was promised for them.
//!
//! Clients refuse an answer that is not of its schema, and then nobody reads what it says. So
//! what is written otherwise is read as what it should be, and what cannot be is left out.

use serde_json::{Map, Value};

/// Makes an answer one of `schema`, which holds no references. What is no object at all
/// becomes its `answer`.
pub(super) fn fitted(answer: Value, schema: &Map<String, Value>) -> Value {
    let schema = Value::Object(schema.clone());
    match fit(answer.clone(), &schema) {
        Some(fitting) => fitting,
        None => {
            let mut blank = blank(&schema);
            if let Value::Object(fields) = &mut blank {
                fields.insert("answer".into(), answer);
            }
            blank
        }
    }
}

/// The value as one of the schema, if it can be read so.
fn fit(value: Value, schema: &Value) -> Option<Value> {
    let forms = ["anyOf", "oneOf"].iter().find_map(|key| schema.get(key)?.as_array());
    if let Some(forms) = forms {
        let own = forms.iter().find(|form| allows(form, kind(&value)));
        return own.into_iter().chain(forms).find_map(|form| fit(value.clone(), form));
    }
    if !allows(schema, kind(&value)) {
        return reread(&value, schema).and_then(|value| fit(value, schema));
    }
    match value {
        Value::Object(fields) => Some(Value::Object(fit_fields(fields, schema))),
        Value::Array(items) => Some(fit_items(items, schema)),
        plain => is_within(&plain, schema).then_some(plain),
    }
}

fn fit_fields(mut fields: Map<String, Value>, schema: &Value) -> Map<String, Value> {
    let known = schema.get("properties").and_then(Value::as_object);
    for (name, form) in known.into_iter().flatten() {
        let Some(value) = fields.remove(name) else { continue };
        if let Some(value) = fit(value, form) {
            fields.insert(name.clone(), value);
        }
    }
    let required = schema.get("required").and_then(Value::as_array);
    for name in required.into_iter().flatten().filter_map(Value::as_str) {
        let form = known.and_then(|known| known.get(name)).unwrap_or(&Value::Null);
        fields.entry(name).or_insert_with(|| blank(form));
    }
    fields
}

fn fit_items(items: Vec<Value>, schema: &Value) -> Value {
    match schema.get("items") {
        Some(form) => items.into_iter().filter_map(|item| fit(item, form)).collect(),
        None => items.into(),
    }
}

/// The same in another form: JSON in a text, a number in a text, a text that is a number.
fn reread(value: &Value, schema: &Value) -> Option<Value> {
    match value {
        Value::String(text) => {
            let read: Value = serde_json::from_str(text).ok()?;
            allows(schema, kind(&read)).then_some(read)
        }
        Value::Number(_) | Value::Bool(_) if allows(schema, "string") => {
            Some(Value::String(value.to_string()))
        }
        _ => None,
    }
}

fn is_within(value: &Value, schema: &Value) -> bool {
    let bound = |key: &str| schema.get(key).and_then(Value::as_f64);
    let number = value.as_f64();
    let listed = schema.get("enum").and_then(Value::as_array);
    listed.is_none_or(|values| values.contains(value))
        && number.is_none_or(|number| bound("minimum").is_none_or(|least| number >= least))
        && number.is_none_or(|number| bound("maximum").is_none_or(|most| number <= most))
}

/// Whether values of a kind are of the schema, as far as the kind tells.
fn allows(schema: &Value, kind: &str) -> bool {
    let is = |name: &str| name == kind || name == "number" && kind == "integer";
    match schema.get("type") {
        Some(Value::String(name)) => is(name),
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).any(is),
        _ => true,
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_i64() || number.is_u64() => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// The least that a schema asks for.
fn blank(schema: &Value) -> Value {
    let listed = schema.get("enum").and_then(Value::as_array).and_then(|values| values.first());
    if let Some(first) = listed {
        return first.clone();
    }
    match ["object", "array", "string", "integer", "boolean"]
        .iter()
        .find(|name| allows(schema, name))
    {
        _ if allows(schema, "null") => Value::Null,
        Some(&"object") => Value::Object(fit_fields(Map::new(), schema)),
        Some(&"array") => Value::Array(Vec::new()),
        Some(&"string") => Value::String(String::new()),
        Some(&"integer") => Value::from(0),
        Some(&"boolean") => Value::Bool(false),
        _ => Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn schema() -> Map<String, Value> {
        let row = json!({
            "type": "object", "required": ["rid"],
            "properties": {
                "rid": { "type": "string" }, "score": { "type": "number", "maximum": 1.0 },
                "metadata": { "type": "object" },
            },
        });
        let schema = json!({
            "type": "object", "required": ["count", "results"],
            "properties": {
                "count": { "type": "integer", "minimum": 0 },
                "results": { "type": "array", "items": row },
                "note": { "type": ["string", "null"] },
            },
        });
        schema.as_object().unwrap().clone()
    }

    #[test]
    fn what_fits_stays_as_it_is_with_all_that_is_unknown() {
        let answer = json!({ "count": 1, "results": [{ "rid": "a", "more": [1] }], "note": null });
        assert_eq!(fitted(answer.clone(), &schema()), answer);
    }

    #[test]
    fn what_is_written_otherwise_is_read_and_the_rest_left_out() {
        let answer = json!({ "count": "2", "results": [
            { "rid": 7, "metadata": "{\"a\":1}", "score": 4 }, "no row", { "score": null },
        ] });
        let fitting = json!({ "count": 2, "results": [
            { "rid": "7", "metadata": { "a": 1 } }, { "rid": "" },
        ] });
        assert_eq!(fitted(answer, &schema()), fitting);
    }

    #[test]
    fn what_is_no_object_is_kept_beside_the_least() {
        for answer in [json!([1, 2]), json!("hello"), json!(null)] {
            let fitting = json!({ "count": 0, "results": [], "answer": answer });
            assert_eq!(fitted(answer, &schema()), fitting);
        }
    }
}

//! Makes the answers of other KOI APIs fit the declared schema.
//!
//! Fields are neither added nor reordered. Clients reject a whole answer if one value does not have
//! the type that the schema declares. Values of another type are therefore converted, and dropped
//! if that is impossible. Answers are untrusted: invisible characters are removed, and texts are
//! cut before they fill a model's context.

use lore_core::{Error, Result};
use serde_json::{Map, Value};

/// The maximum length of one text, in characters.
const TEXT_MAX: usize = 10_000;
/// The maximum length of all texts of an answer together, in characters.
const ANSWER_MAX: usize = 400_000;
/// Marks where a text was cut.
const CUT: char = '…';

/// Makes an answer fit `schema`, which must not contain references.
pub(super) fn fitted(answer: Value, schema: &Map<String, Value>) -> Result<Value> {
    if !answer.is_object() {
        let what = "the KOI API (its answer is not a JSON object)".into();
        return Err(Error::Unavailable { what });
    }
    let schema = Value::Object(schema.clone());
    let mut left = ANSWER_MAX;
    let seen = seen(answer, &mut left);
    Ok(fit(seen, &schema).unwrap_or_else(|| Value::Object(Map::new())))
}

/// Removes invisible characters from all texts and cuts them to the limits.
fn seen(value: Value, left: &mut usize) -> Value {
    match value {
        Value::String(text) => Value::String(shortened(&text, left)),
        Value::Array(items) => items.into_iter().map(|item| seen(item, left)).collect(),
        Value::Object(fields) => {
            let fields = fields.into_iter();
            fields.map(|(name, value)| (shortened(&name, left), seen(value, left))).collect()
        }
        plain => plain,
    }
}

fn shortened(text: &str, left: &mut usize) -> String {
    let most = TEXT_MAX.min(*left);
    let visible = lore_core::names::without_unseen(text);
    let mut kept: String = visible.chars().take(most).collect();
    *left = left.saturating_sub(kept.chars().count());
    if kept.len() < visible.len() {
        kept.push(CUT);
    }
    kept
}

/// Converts a value to the type that the schema declares; `None` if that is impossible.
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

fn fit_fields(fields: Map<String, Value>, schema: &Value) -> Map<String, Value> {
    let known = schema.get("properties").and_then(Value::as_object);
    let fitting = fields.into_iter().filter_map(|(name, value)| {
        let form = known.and_then(|known| known.get(&name));
        let value = match form {
            Some(form) => fit(value, form)?,
            None => value,
        };
        Some((name, value))
    });
    fitting.collect()
}

fn fit_items(items: Vec<Value>, schema: &Value) -> Value {
    match schema.get("items") {
        Some(form) => items.into_iter().filter_map(|item| fit(item, form)).collect(),
        None => items.into(),
    }
}

/// Reads a value in another form: JSON in a text, or a number or boolean as a text.
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

/// Whether the schema admits values of a JSON type. Other constraints are not checked.
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

    fn fit(answer: Value) -> String {
        fitted(answer, &schema()).unwrap().to_string()
    }

    #[test]
    fn what_fits_stays_as_it_is_in_its_order_with_all_that_is_unknown() {
        for answer in [
            json!({ "z": 1, "results": [{ "score": 0.5, "rid": "a", "more": [1] }], "count": 1 }),
            json!({ "already": true, "message": "m" }),
            json!({}),
        ] {
            assert_eq!(fit(answer.clone()), answer.to_string());
        }
    }

    #[test]
    fn what_is_written_otherwise_is_read_and_what_no_client_takes_left_out() {
        let answer = json!({ "count": "2", "results": [
            { "rid": 7, "metadata": "{\"a\":1}", "score": 4 }, "no row", { "score": null },
        ] });
        let fitting = json!({ "count": 2, "results": [
            { "rid": "7", "metadata": { "a": 1 } }, {},
        ] });
        assert_eq!(fit(answer), fitting.to_string());
    }

    #[test]
    fn what_is_no_object_is_no_answer() {
        for answer in [json!([1, 2]), json!("hello"), json!(null)] {
            let refused = fitted(answer, &schema()).unwrap_err();
            assert!(refused.to_string().contains("not a JSON object"), "{refused}");
        }
    }

    #[test]
    fn nobody_hides_signs_in_an_answer_or_fills_it() {
        let answer = json!({ "a\u{200b}": "p\u{202e}evil\u{e0041}", "b": "L".repeat(200_000) });
        let shown = fitted(answer, &schema()).unwrap();
        assert_eq!(shown["a"], "pevil");
        assert_eq!(shown["b"].as_str().unwrap().chars().count(), TEXT_MAX + 1);
        let many: Vec<String> = vec!["L".repeat(9_000); 100];
        assert!(fit(json!({ "many": many })).len() < ANSWER_MAX + 1_000);
    }
}

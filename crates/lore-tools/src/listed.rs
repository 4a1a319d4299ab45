//! The output schema of a tool as clients get it.
//!
//! Some clients validate every structured answer against the listed schema, including errors, and
//! show the validation error instead of the answer. The listed schema therefore also admits the
//! error object. It is one plain object, because many schema readers do not support alternatives at
//! the root. The strict schema that it is derived from, which describes successful answers only, is
//! not listed.

use serde_json::{Map, Value, json};

use crate::tool::DAMAGED;

/// The schema keywords that hold alternatives.
const ALTERNATIVES: [&str; 3] = ["anyOf", "oneOf", "allOf"];

/// Merges the fields of all alternatives of a strict schema, and those of an error object, into one
/// plain object schema without required fields.
pub(crate) fn flattened(strict: &Map<String, Value>) -> Map<String, Value> {
    let mut fields = Map::new();
    gather(&mut fields, strict);
    for (name, field) in failure() {
        match fields.get_mut(&name) {
            Some(known) => *known = doubled(known, field),
            None => {
                fields.insert(name, field);
            }
        }
    }
    let said = "Names of damaged items that were left out; see `lorewell doctor`.";
    let names = json!({ "type": "array", "items": { "type": "string" }, "description": said });
    fields.entry(DAMAGED).or_insert(names);
    let mut listed = Map::new();
    listed.insert("type".into(), "object".into());
    listed.insert("properties".into(), Value::Object(fields));
    for key in ["description", "additionalProperties"] {
        if let Some(said) = strict.get(key).filter(|said| **said != json!(false)) {
            listed.insert(key.into(), said.clone());
        }
    }
    listed
}

/// The fields of an error object; see [`crate::error_object`].
fn failure() -> Map<String, Value> {
    let told = |kind: &str, what: &str| json!({ "type": kind, "description": format!("Only when the call failed: {what}.") });
    let fields = [
        ("code", told("string", "the kind of error")),
        ("message", told("string", "what is wrong")),
        ("hint", told("string", "what to try next")),
        ("field", told("string", "the argument to blame")),
        ("retry_after", told("integer", "seconds to wait")),
    ];
    fields.into_iter().map(|(name, field)| (name.to_owned(), field)).collect()
}

/// Adds the fields of a schema and of its alternatives, at any depth.
fn gather(fields: &mut Map<String, Value>, schema: &Map<String, Value>) {
    let own = schema.get("properties").and_then(Value::as_object);
    for (name, field) in own.into_iter().flatten() {
        let known = fields.get(name).map(|known| either(known, field));
        fields.insert(name.clone(), known.unwrap_or_else(|| field.clone()));
    }
    let alternatives = ALTERNATIVES.iter().filter_map(|key| schema.get(*key)?.as_array());
    for alternative in alternatives.flatten().filter_map(Value::as_object) {
        gather(fields, alternative);
    }
}

/// Combines two schemas of a field into one that admits both.
fn either(known: &Value, other: &Value) -> Value {
    let mut forms = forms_of(known);
    if !forms.iter().any(|form| is_like(form, other)) {
        forms.push(other.clone());
    }
    match forms.as_slice() {
        [only] => only.clone(),
        _ => json!({ "anyOf": forms }),
    }
}

/// Combines a field that successful answers have with the error object's field of the same name.
fn doubled(known: &Value, failed: Value) -> Value {
    let words = |field: &Value| field.get("description")?.as_str().map(str::to_owned);
    match (is_like(known, &failed), words(known), words(&failed)) {
        (true, Some(usually), Some(then)) => {
            let mut both = failed;
            if let Some(fields) = both.as_object_mut() {
                fields.insert("description".into(), format!("{usually} {then}").into());
            }
            both
        }
        (true, ..) => failed,
        (false, ..) => either(known, &failed),
    }
}

/// The alternatives that a field was combined from by [`either`].
fn forms_of(field: &Value) -> Vec<Value> {
    let only = field.as_object().filter(|fields| fields.len() == 1);
    let several = only.and_then(|fields| fields.get("anyOf")?.as_array());
    several.cloned().unwrap_or_else(|| vec![field.clone()])
}

/// Whether two field schemas differ at most in their descriptions.
fn is_like(one: &Value, other: &Value) -> bool {
    let silent = |field: &Value| {
        let mut field = field.clone();
        if let Some(fields) = field.as_object_mut() {
            fields.shift_remove("description");
        }
        field
    };
    silent(one) == silent(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(strict: Value) -> Value {
        let Value::Object(strict) = strict else { unreachable!() };
        Value::Object(flattened(&strict))
    }

    #[test]
    fn alternatives_become_one_object_that_requires_nothing() {
        let found = |kind: &str| json!({ "type": kind, "description": "What was found." });
        let schema = listed(json!({
            "type": "object", "properties": {}, "description": "An answer.",
            "anyOf": [
                { "properties": { "a": found("string"), "b": found("string") }, "required": ["a"] },
                { "anyOf": [{ "properties": { "a": found("integer"), "b": found("string") } }] },
            ],
        }));
        let keys: Vec<_> = schema.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["type", "properties", "description"]);
        let fields = &schema["properties"];
        assert_eq!(fields["a"], json!({ "anyOf": [found("string"), found("integer")] }));
        assert_eq!(fields["b"], found("string"));
        assert_eq!(fields["code"]["type"], "string");
    }

    #[test]
    fn a_field_of_good_answers_and_of_failures_says_both() {
        let of = |kind: &str| {
            let field = json!({ "type": kind, "description": "What to do." });
            listed(json!({ "type": "object", "properties": { "message": field } }))
        };
        let both = &of("string")["properties"]["message"]["description"];
        assert_eq!(both, "What to do. Only when the call failed: what is wrong.");
        assert_eq!(of("integer")["properties"]["message"]["anyOf"].as_array().unwrap().len(), 2);
    }

    #[test]
    fn what_stands_inside_stays_strict() {
        let inner = json!({ "type": "object", "properties": {}, "required": ["x"] });
        let schema = listed(json!({ "type": "object", "properties": { "inner": inner } }));
        assert_eq!(schema["properties"]["inner"]["required"], json!(["x"]));
    }
}

//! Makes the answers of other KOI APIs fit the declared schema.
//!
//! Fields are neither added nor reordered. Clients reject a whole answer if one value does not have
//! the type that the schema declares. Values of another type are therefore converted, and dropped
//! if that is impossible. Answers are untrusted: invisible characters are removed, and texts and
//! lists are cut before they fill a model's context. An answer whose lists were cut says so in
//! `truncated`.

use lore_core::{Error, Result};
use serde_json::{Map, Value};

/// The maximum length of one text, in characters.
const TEXT_MAX: usize = 10_000;
/// The maximum length of all texts of an answer together, in characters.
const ANSWER_MAX: usize = 400_000;
/// How much of that is for texts outside of lists, so that a long list leaves the rest readable.
const BESIDES_LISTS: usize = 40_000;
/// The maximum length of the name of a field, in characters.
const NAME_MAX: usize = 200;
/// The maximum number of fields of an object.
const FIELDS_MAX: usize = 1_000;
/// Marks where a text was cut.
const CUT: char = '…';
/// The field that says that something was left out.
const TRUNCATED: &str = "truncated";

/// Makes an answer fit `schema`, which must not contain references.
pub(super) fn fitted(answer: Value, schema: &Map<String, Value>) -> Result<Value> {
    if !answer.is_object() {
        let what = "the KOI API (its answer is not a JSON object)".into();
        return Err(Error::Unavailable { what });
    }
    let schema = Value::Object(schema.clone());
    let mut room = Room { left: ANSWER_MAX, is_cut: false };
    let mut seen = room.seen(answer);
    if let (Value::Object(fields), true) = (&mut seen, room.is_cut) {
        fields.insert(TRUNCATED.into(), Value::Bool(true));
    }
    Ok(fit(seen, &schema).unwrap_or_else(|| Value::Object(Map::new())))
}

/// What is left for an answer.
struct Room {
    /// In characters.
    left: usize,
    /// Whether items of a list, or fields, were left out.
    is_cut: bool,
}

impl Room {
    /// Removes invisible characters from all texts and cuts texts and lists to the limits.
    fn seen(&mut self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.shortened(&text, TEXT_MAX)),
            Value::Array(items) => Value::Array(self.items(items)),
            Value::Object(fields) => {
                self.is_cut |= fields.len() > FIELDS_MAX;
                let fields = fields.into_iter().take(FIELDS_MAX);
                fields.map(|(name, value)| (self.name(&name), self.seen(value))).collect()
            }
            plain => plain,
        }
    }

    /// Returns the items that there is room for. No item is cut in two, except for one that alone
    /// fills the answer.
    fn items(&mut self, items: Vec<Value>) -> Vec<Value> {
        let mut kept = Vec::new();
        for item in items {
            let item = self.seen(item);
            if self.left < BESIDES_LISTS && !kept.is_empty() {
                self.is_cut = true;
                break;
            }
            // What is no text takes room as well.
            self.left = self.left.saturating_sub(1);
            kept.push(item);
        }
        kept
    }

    /// Names of fields stay whole: clients look for them.
    fn name(&mut self, name: &str) -> String {
        let room = std::mem::replace(&mut self.left, NAME_MAX);
        let kept = self.shortened(name, NAME_MAX);
        self.left = room.saturating_sub(kept.chars().count());
        kept
    }

    fn shortened(&mut self, text: &str, most: usize) -> String {
        let visible = lore_core::names::without_unseen(text);
        let mut kept: String = visible.chars().take(most.min(self.left)).collect();
        self.left = self.left.saturating_sub(kept.chars().count());
        if kept.len() < visible.len() {
            kept.push(CUT);
        }
        kept
    }
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

    #[test]
    fn a_long_list_is_cut_between_its_items_and_says_so() {
        let row = json!({ "rid": "r".repeat(100), "score": 0.5, "metadata": { "key": "k" } });
        let rows = vec![row.clone(); 10_000];
        let answer = json!({
            "about": "a", "results": rows, "count": 10_000, "note": "n", "truncated": false,
        });
        let shown = fitted(answer, &schema()).unwrap();
        let fields: Vec<&String> = shown.as_object().unwrap().keys().collect();
        assert_eq!(fields, ["about", "results", "count", "note", "truncated"]);
        let listed = shown["results"].as_array().unwrap();
        assert!(listed.len() > 1_000 && listed.iter().all(|one| *one == row), "{}", listed.len());
        assert_eq!((&shown["note"], &shown["truncated"]), (&json!("n"), &json!(true)));
        assert!(shown.to_string().len() < ANSWER_MAX * 2);
        let many: Map<String, Value> = (0..9_000).map(|n| (n.to_string(), json!(n))).collect();
        assert_eq!(fitted(many.into(), &schema()).unwrap().as_object().unwrap().len(), 1_001);
    }
}

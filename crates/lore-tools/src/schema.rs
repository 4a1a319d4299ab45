//! Converts Rust types to JSON schemas, and JSON arguments to Rust types.
//!
//! Schemas are read by language models and by many validators, so they are kept plain: everything
//! inlined, no `$schema`, no titles, no number formats, and no `null` alternatives for optional
//! fields (leaving a field out means the same). Models read the input schemas of all tools before
//! they do anything, so those contain only what helps to fill in the arguments. All other checks
//! are left to the server.

use lore_core::{Error, Result};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

/// Returns the schema of a tool's arguments.
pub fn input<T: JsonSchema>() -> Map<String, Value> {
    let mut schema = schema_of::<T>(SchemaSettings::draft2020_12().for_deserialize());
    slim(&mut schema);
    schema
}

/// Returns the schema of a tool's structured answer.
pub fn output<T: JsonSchema>() -> Map<String, Value> {
    let mut schema = schema_of::<T>(SchemaSettings::draft2020_12().for_serialize());
    each_child(&mut schema, name_anything);
    schema
}

/// Spells out schemas that admit anything, including null. Some clients take an empty schema for a
/// mistake.
pub(crate) fn name_anything(schema: &mut Map<String, Value>) {
    if schema.keys().all(|key| key == "description") {
        let object = json!({ "type": "object", "additionalProperties": true });
        let plain = ["string", "number", "boolean", "null"].map(|name| json!({ "type": name }));
        let forms: Vec<Value> = plain.into_iter().chain([object]).collect();
        schema.insert("anyOf".into(), forms.into());
        return;
    }
    if schema.get("items") == Some(&Value::Bool(true)) {
        schema.insert("items".into(), json!({}));
    }
    each_child(schema, name_anything);
}

/// Parses arguments. Errors name the field by its path. Null means the same as leaving a field out,
/// unless the type gives null a meaning of its own.
pub fn parse<T: DeserializeOwned>(arguments: Map<String, Value>) -> Result<T> {
    read(arguments, Numbers::Whole)
}

/// How to read numbers that are written as floats but have no fraction, such as `4.0`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Numbers {
    /// As integers: `4.0` is 4.
    Whole,
    /// As floats, for languages such as Cypher that distinguish them from integers.
    AsGiven,
}

/// Parses arguments like [`parse`], with a choice of how to read numbers.
pub fn read<T: DeserializeOwned>(arguments: Map<String, Value>, numbers: Numbers) -> Result<T> {
    let mut arguments = Value::Object(arguments);
    if numbers == Numbers::Whole {
        make_whole(&mut arguments);
    }
    if has_null(&arguments)
        && let Ok(read) = T::deserialize(&arguments)
    {
        return Ok(read);
    }
    let mut nulls = Vec::new();
    find_nulls(&arguments, &mut String::new(), &mut nulls);
    drop_nulls(&mut arguments);
    nulls.iter().try_for_each(|place| check_known::<T>(&arguments, place))?;
    serde_path_to_error::deserialize(arguments).map_err(explained)
}

fn explained(error: serde_path_to_error::Error<serde_json::Error>) -> Error {
    let path = error.path().to_string();
    let message = error.into_inner().to_string();
    if let Some((problem, hint)) = mistyped(&message).filter(|_| path != ".") {
        return Error::invalid(path, problem, hint);
    }
    let (field, problem) = describe(&path, &message);
    Error::invalid(field, problem, "see the tool's input schema for names, types and ranges")
}

/// A field that was null and is dropped.
struct Null {
    /// The JSON pointer of the object that contained it.
    holder: String,
    name: String,
}

/// Fails if the type has no field of the name of a dropped null.
fn check_known<T: DeserializeOwned>(arguments: &Value, null: &Null) -> Result<()> {
    let mut with = arguments.clone();
    if let Some(Value::Object(fields)) = with.pointer_mut(&null.holder) {
        fields.insert(null.name.clone(), Value::Null);
    }
    let unknown = format!("unknown field `{}`", null.name);
    match serde_path_to_error::deserialize::<_, T>(with) {
        Err(error) if error.inner().to_string().starts_with(&unknown) => Err(explained(error)),
        _ => Ok(()),
    }
}

/// Collects the fields that are null.
fn find_nulls(value: &Value, at: &mut String, found: &mut Vec<Null>) {
    /// The maximum number of nulls to check. Each costs a separate deserialization, so a request
    /// full of nulls must not become expensive.
    const MOST: usize = 16;
    let end = at.len();
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                if value.is_null() && found.len() < MOST {
                    found.push(Null { holder: at.clone(), name: name.clone() });
                }
                at.push('/');
                at.push_str(&name.replace('~', "~0").replace('/', "~1"));
                find_nulls(value, at, found);
                at.truncate(end);
            }
        }
        Value::Array(items) => {
            for (number, item) in items.iter().enumerate() {
                at.push_str(&format!("/{number}"));
                find_nulls(item, at, found);
                at.truncate(end);
            }
        }
        _ => {}
    }
}

/// Turns floats without a fraction into integers: `4.0` is an integer in JSON Schema, and some
/// clients send integers that way.
fn make_whole(value: &mut Value) {
    /// 2^53. Beyond it, a float does not identify one integer exactly.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match value {
        Value::Number(number) if number.is_f64() => {
            let whole = number.as_f64().filter(|n| n.fract() == 0.0 && n.abs() < EXACT);
            if let Some(whole) = whole {
                *value = Value::from(whole as i64);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(make_whole),
        Value::Object(fields) => fields.values_mut().for_each(make_whole),
        _ => {}
    }
}

fn has_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.iter().any(has_null),
        Value::Object(fields) => fields.values().any(has_null),
        _ => false,
    }
}

fn drop_nulls(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(drop_nulls),
        Value::Object(fields) => {
            fields.retain(|_, value| !value.is_null());
            fields.values_mut().for_each(drop_nulls);
        }
        _ => {}
    }
}

fn schema_of<T: JsonSchema>(mut settings: SchemaSettings) -> Map<String, Value> {
    settings.inline_subschemas = true;
    settings.meta_schema = None;
    let schema = settings.into_generator().into_root_schema_for::<T>();
    let Value::Object(mut map) = schema.to_value() else { return Map::new() };
    simplify(&mut map);
    if !map.contains_key("properties") {
        map.insert("type".into(), "object".into());
        map.insert("properties".into(), Value::Object(Map::new()));
    }
    map
}

fn simplify(schema: &mut Map<String, Value>) {
    schema.shift_remove("title");
    schema.shift_remove("format");
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            schema.insert("type".into(), only);
        }
    }
    drop_null_alternative(schema);
    if let Some(Value::Array(values)) = schema.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    each_child(schema, simplify);
}

/// Removes what a model does not need in order to fill in a field: that unknown fields are refused,
/// defaults that are empty, and limits that only protect the server. The error names such a limit
/// when it is exceeded.
fn slim(schema: &mut Map<String, Value>) {
    /// Bounds of this size or more protect the server rather than express a rule of the game.
    const LARGE: f64 = 100.0;
    let nothing =
        |value: &Value| [json!(null), json!(false), json!(0), json!(""), json!([])].contains(value);
    let large = |value: &Value| value.as_f64().is_some_and(|bound| bound.abs() >= LARGE);
    // A share has two meaningful bounds. That a count is not negative goes without saying.
    let is_share = schema.get("type") == Some(&json!("number"))
        && schema.get("maximum").is_some_and(|most| !large(most));
    schema.retain(|key, value| match key.as_str() {
        "additionalProperties" => *value != json!(false),
        "default" => !nothing(value),
        "minimum" => !large(value) && (is_share || *value != json!(0)),
        "maximum" => !large(value),
        "minLength" | "maxLength" | "minItems" | "maxItems" => false,
        _ => true,
    });
    each_child(schema, slim);
}

/// Applies a function to every direct subschema.
fn each_child(schema: &mut Map<String, Value>, work: fn(&mut Map<String, Value>)) {
    for (key, value) in schema.iter_mut() {
        match (key.as_str(), value) {
            ("properties" | "$defs", Value::Object(children)) => {
                children.values_mut().filter_map(Value::as_object_mut).for_each(work);
            }
            ("items" | "additionalProperties", Value::Object(child)) => work(child),
            ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(children)) => {
                children.iter_mut().filter_map(Value::as_object_mut).for_each(work);
            }
            _ => {}
        }
    }
}

/// Replaces `anyOf: [X, null]`, which schemars generates for an optional object, by `X`.
fn drop_null_alternative(schema: &mut Map<String, Value>) {
    let Some(Value::Array(options)) = schema.get_mut("anyOf") else { return };
    options.retain(|option| option.get("type") != Some(&Value::from("null")));
    let [Value::Object(only)] = options.as_slice() else { return };
    let only = only.clone();
    schema.shift_remove("anyOf");
    for (key, value) in only {
        schema.entry(key).or_insert(value);
    }
}

/// Translates serde's message about a wrong type into a problem and a hint; `None` for other
/// messages.
fn mistyped(message: &str) -> Option<(String, String)> {
    /// The maximum length of a sent value that the message repeats, in characters.
    const TOLD: usize = 80;
    let wrong = message.strip_prefix("invalid type: ");
    let wrong = wrong.or_else(|| message.strip_prefix("invalid value: "));
    // serde reports a list in place of an object as a wrong length.
    let list = message.strip_prefix("invalid length ").filter(|_| wrong.is_none());
    let (found, expected) = wrong.or(list)?.rsplit_once(", expected ")?;
    let found = if list.is_some() { "sequence" } else { found };
    let (wanted, example) = match expected {
        "a boolean" => ("true or false", ""),
        "a string" => ("a text", ", in quotes"),
        "a sequence" => ("a list", ""),
        "a map" => ("an object", ""),
        "f32" | "f64" => ("a number", ", such as 0.5"),
        other if other.starts_with("struct ") => ("an object", ""),
        other if other.starts_with(['i', 'u']) && other.get(1..)?.parse::<u8>().is_ok() => {
            ("a whole number", ", such as 2")
        }
        _ => return None,
    };
    let found = match found.split_once('`').and_then(|(_, rest)| rest.split_once('`')) {
        Some((value, _)) => value,
        None if found == "sequence" => "a list",
        None if found == "map" => "an object",
        None => found.strip_prefix("string ").unwrap_or(found),
    };
    let found: String = found.chars().take(TOLD).collect();
    Some((format!("is {found}, not {wanted}"), format!("send {wanted}{example}")))
}

/// Splits a serde message into the field and the problem. serde reports missing and unknown fields
/// at their parent's path.
fn describe(path: &str, message: &str) -> (String, String) {
    let named = |prefix: &str| -> Option<String> {
        let (name, _) = message.strip_prefix(prefix)?.split_once('`')?;
        Some(if path == "." { name.to_owned() } else { format!("{path}.{name}") })
    };
    if let Some(field) = named("missing field `") {
        return (field, "is required".into());
    }
    if let Some(name) =
        message.strip_prefix("unknown field `").and_then(|rest| rest.split('`').next())
    {
        let known = message.split_once(", ").map_or("", |(_, known)| known);
        let field = if path.ends_with(name) {
            path.to_owned()
        } else {
            named("unknown field `").unwrap_or_default()
        };
        return (field, format!("is not a known field: {known}"));
    }
    if path == "." {
        return ("arguments".into(), format!("are wrong: {message}"));
    }
    (path.to_owned(), format!("is wrong: {message}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "some fields are only parsed")]
    struct Sample {
        #[schemars(range(min = 1, max = 12))]
        hope: i64,
        note: Option<String>,
        inner: Option<Inner>,
    }

    #[derive(Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only parsed")]
    struct Inner {
        sides: i64,
    }

    fn problem(arguments: Value) -> String {
        let Value::Object(map) = arguments else { unreachable!() };
        parse::<Sample>(map).err().unwrap().to_string()
    }

    #[test]
    fn schemas_are_plain() {
        let schema = Value::Object(input::<Sample>());
        assert_eq!(
            schema["properties"]["hope"],
            json!({"type": "integer", "minimum": 1, "maximum": 12})
        );
        assert_eq!(schema["properties"]["note"], json!({"type": "string"}));
        assert_eq!(schema["properties"]["inner"]["properties"]["sides"]["type"], "integer");
        assert!(!schema.to_string().contains("null") && !schema.to_string().contains("$ref"));
    }

    #[test]
    fn null_is_no_way_round_the_names_of_fields() {
        for (arguments, named) in [
            (json!({ "hope": 1, "zz": null }), "zz"),
            (json!({ "hope": 1, "note": null, "inner": { "sides": 4, "zz": null } }), "zz"),
            (json!({ "hope": null, "note": "x" }), "hope"),
        ] {
            let problem = problem(arguments.clone());
            assert!(problem.contains(named), "{arguments}: {problem}");
        }
        let Value::Object(known) = json!({ "hope": 1, "note": null, "inner": null }) else {
            return;
        };
        assert!(parse::<Sample>(known).is_ok());
    }

    #[test]
    fn arguments_say_only_what_helps_to_fill_them_in() {
        #[derive(Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        #[expect(dead_code, reason = "only its schema matters")]
        struct Wordy {
            #[serde(default)]
            #[schemars(range(min = -1_000, max = 10))]
            steps: i64,
            #[schemars(length(min = 1, max = 500))]
            text: String,
            #[schemars(range(min = 0, max = 1))]
            share: f64,
            #[schemars(range(min = 0))]
            count: i64,
            #[serde(default = "three")]
            many: i64,
            #[serde(default)]
            inner: Vec<Inner>,
        }
        fn three() -> i64 {
            3
        }
        let schema = Value::Object(input::<Wordy>());
        assert_eq!(schema.get("additionalProperties"), None);
        let fields = &schema["properties"];
        assert_eq!(fields["steps"], json!({"type": "integer", "maximum": 10}));
        assert_eq!(fields["text"], json!({"type": "string"}));
        assert_eq!(fields["share"], json!({"type": "number", "minimum": 0, "maximum": 1}));
        assert_eq!(fields["count"], json!({"type": "integer"}));
        assert_eq!(fields["many"], json!({"type": "integer", "default": 3}));
        let inner = json!({
            "type": "object", "properties": {"sides": {"type": "integer"}}, "required": ["sides"],
        });
        assert_eq!(fields["inner"], json!({"type": "array", "items": inner}));
    }

    #[test]
    fn whole_floats_are_integers() {
        let Value::Object(map) = json!({ "hope": 4.0 }) else { unreachable!() };
        assert_eq!(parse::<Sample>(map).unwrap().hope, 4);
        assert_eq!(problem(json!({ "hope": 4.5 })), "hope is 4.5, not a whole number");
        assert_eq!(problem(json!({ "hope": 1e300 })), "hope is 1e+300, not a whole number");
    }

    #[test]
    fn errors_name_the_field() {
        assert_eq!(problem(json!({})), "hope is required");
        assert_eq!(problem(json!({"hope": "8"})), "hope is \"8\", not a whole number");
        assert_eq!(problem(json!({"hope": null})), "hope is required");
        assert_eq!(problem(json!({"hope": 1, "note": 3})), "note is 3, not a text");
        assert!(problem(json!({"hope": 1, "fear": 2})).starts_with("fear is not a known field"));
        assert_eq!(problem(json!({"hope": 1, "inner": {}})), "inner.sides is required");
        assert_eq!(problem(json!({"hope": 1, "inner": []})), "inner is a list, not an object");
    }
}

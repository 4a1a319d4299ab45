//! Schemas of arguments and answers, generated from the rows of the table.

use lore_anvil::{Field, IdForm, Kind, PAGE_MAX, shown_name};
use serde_json::{Map, Value, json};

use crate::schema;

/// Builds an object schema with these fields.
pub(super) fn object(fields: Vec<(&str, Value)>, required: &[&str]) -> Map<String, Value> {
    let properties: Map<String, Value> =
        fields.into_iter().map(|(name, field)| (name.to_owned(), field)).collect();
    let mut schema = Map::new();
    schema.insert("type".into(), json!("object"));
    schema.insert("properties".into(), Value::Object(properties));
    if !required.is_empty() {
        schema.insert("required".into(), json!(required));
    }
    schema
}

/// The schema of an argument that is the id of a resource.
pub(super) fn id(kind: Kind) -> Value {
    match kind.row().id {
        IdForm::Uuid => json!({ "type": "string" }),
        // Resources with numbers can also be identified by UUID.
        IdForm::Number => json!({ "anyOf": [{ "type": "integer" }, { "type": "string" }] }),
    }
}

/// The schema of the `granularity` argument.
pub(super) fn granularity() -> Value {
    let gist = "0 preview, 1 standard, 2 everything.";
    json!({ "type": "integer", "default": 1, "maximum": 2, "description": gist })
}

/// The schemas of the arguments that select a page of a list.
pub(super) fn page() -> Vec<(&'static str, Value)> {
    let limit =
        json!({ "type": "integer", "default": PAGE_MAX, "minimum": 1, "maximum": PAGE_MAX });
    vec![("limit", limit), ("offset", json!({ "type": "integer" }))]
}

/// The schema of a switch.
pub(super) fn flag() -> Value {
    json!({ "type": "boolean" })
}

/// The schema of an answer with one resource.
pub(super) fn one(kind: Kind) -> Map<String, Value> {
    let about = format!("The {}.", kind.row().one);
    object(vec![("success", success()), ("data", resource(kind, 2, &about))], &["success", "data"])
}

/// The schema of an answer with a list of resources.
pub(super) fn several(kind: Kind) -> Map<String, Value> {
    let about = format!("The {}, as references.", kind.row().many);
    let items = resource(kind, -1, &format!("A {}.", kind.row().one));
    let entities = json!({ "type": "array", "description": about, "items": items });
    let fields = vec![("success", success()), ("entities", entities), ("meta", meta())];
    object(fields, &["success", "entities", "meta"])
}

/// The schema of `success`.
pub(super) fn success() -> Value {
    json!({ "type": "boolean", "description": "Always true; failures are errors." })
}

/// The schema of `meta`, which says which part of a list was returned.
pub(super) fn meta() -> Value {
    let number = |about: &str| json!({ "type": "integer", "description": about });
    let fields = vec![
        ("total", number("Total number of results.")),
        ("offset", number("Number of results skipped.")),
        ("limit", number("Maximum number of results.")),
    ];
    let mut schema = object(fields, &["total", "offset", "limit"]);
    schema.insert("description".into(), json!("Which part of the list this is."));
    Value::Object(schema)
}

fn resource(kind: Kind, granularity: i8, about: &str) -> Value {
    let mut fields = vec![("id".to_owned(), told("Its id.", id_types(kind)))];
    if kind != Kind::User {
        fields.push(("title".to_owned(), told("Its title.", &["string"])));
        fields.push(("state".to_owned(), told("public or private.", &["string"])));
    }
    fields.push((shown_name(kind, "url"), told("Its URL.", &["string"])));
    let listed = kind.row().fields_at(granularity).filter(|field| !field.gist.is_empty());
    fields.extend(listed.map(|field| (shown_name(kind, field.name), field_schema(kind, field))));
    let fields = fields.iter().map(|(name, field)| (name.as_str(), field.clone())).collect();
    let mut schema = object(fields, &["id"]);
    schema.insert("description".into(), json!(about));
    Value::Object(schema)
}

fn id_types(kind: Kind) -> &'static [&'static str] {
    match kind.row().id {
        IdForm::Uuid => &["string"],
        IdForm::Number => &["integer", "string"],
    }
}

fn field_schema(kind: Kind, field: &Field) -> Value {
    let mut schema = told(field.gist, field.json_types());
    // These fields have a fixed set of values.
    let words = match (kind, field.name) {
        (Kind::Npc, "role") => json!(["ally", "enemy", "neutral", null]),
        (Kind::Npc, "status") => json!(["alive", "dead", "unknown", null]),
        _ => Value::Null,
    };
    if let (Value::Object(schema), Value::Array(_)) = (&mut schema, &words) {
        schema.insert("enum".into(), words);
    }
    schema
}

/// The schema of a field of an answer. Verbose answers contain null for empty fields.
fn told(gist: &str, types: &[&str]) -> Value {
    let mut field = Map::new();
    field.insert("description".into(), json!(gist));
    if types.is_empty() {
        schema::name_anything(&mut field);
        return Value::Object(field);
    }
    let mut types = types.to_vec();
    types.push("null");
    field.insert("type".into(), json!(types));
    if types.contains(&"array") {
        field.insert("items".into(), json!({}));
    }
    Value::Object(field)
}

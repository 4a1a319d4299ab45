//! Schemas of arguments and answers, from the rows of the table.

use lore_anvil::{Field, IdForm, Kind, PAGE_MAX, shown_name};
use serde_json::{Map, Value, json};

use crate::schema;

/// A schema with these fields.
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

/// The argument that names a resource.
pub(super) fn id(kind: Kind) -> Value {
    match kind.row().id {
        IdForm::Uuid => json!({ "type": "string" }),
        // The UUID of what has a number is taken in its place.
        IdForm::Number => json!({ "anyOf": [{ "type": "integer" }, { "type": "string" }] }),
    }
}

/// How much of one to tell.
pub(super) fn granularity() -> Value {
    let gist = "0 preview, 1 standard, 2 everything.";
    json!({ "type": "integer", "default": 1, "maximum": 2, "description": gist })
}

/// The page of a list.
pub(super) fn page() -> Vec<(&'static str, Value)> {
    let limit =
        json!({ "type": "integer", "default": PAGE_MAX, "minimum": 1, "maximum": PAGE_MAX });
    vec![("limit", limit), ("offset", json!({ "type": "integer" }))]
}

/// A switch.
pub(super) fn flag() -> Value {
    json!({ "type": "boolean" })
}

/// The answer with one resource.
pub(super) fn one(kind: Kind) -> Map<String, Value> {
    let about = format!("The {}.", kind.row().one);
    object(vec![("success", success()), ("data", resource(kind, 2, &about))], &["success", "data"])
}

/// The answer with several resources.
pub(super) fn several(kind: Kind) -> Map<String, Value> {
    let about = format!("The {}, as references.", kind.row().many);
    let items = resource(kind, -1, &format!("A {}.", kind.row().one));
    let entities = json!({ "type": "array", "description": about, "items": items });
    let fields = vec![("success", success()), ("entities", entities), ("meta", meta())];
    object(fields, &["success", "entities", "meta"])
}

/// Whether it worked.
pub(super) fn success() -> Value {
    json!({ "type": "boolean", "description": "Always true; failures are errors." })
}

/// Which part of a list it is.
pub(super) fn meta() -> Value {
    let number = |about: &str| json!({ "type": "integer", "description": about });
    let fields = vec![
        ("total", number("How many there are in all.")),
        ("offset", number("How many were left out first.")),
        ("limit", number("How many were wanted at most.")),
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
    fields.push((shown_name(kind, "url"), told("Its address.", &["string"])));
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
    // What these can say is fixed.
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

/// A field of an answer. Whoever wants everything gets null where there is nothing.
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

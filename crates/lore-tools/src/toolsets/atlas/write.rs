//! The tools that create, update and delete, for the kinds that the table offers for writing.

use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use lore_anvil::{Kind, Need, Object, Offered, Shape, Takes, Writes, shown};
use lore_core::{Error, Result, Role};
use serde_json::{Map, Value, json};

use super::arguments::Arguments;
use super::{declare, source};
use crate::call::Call;
use crate::tool::{Annotations, Answer, Row, Tool};
use crate::toolset::Toolset;

/// Returns the writing tools of a kind, if it has any.
pub(super) fn tools(kind: Kind) -> Vec<Tool> {
    let Writes::Tools { names: [create, update, delete], offered } = kind.row().writes else {
        return Vec::new();
    };
    vec![creating(kind, create, offered), updating(kind, update, offered), deleting(kind, delete)]
}

fn creating(kind: Kind, name: &'static str, offered: &'static [Offered]) -> Tool {
    let one = kind.row().one;
    let seen = match takes_state(offered) {
        true => "it is private unless state says public",
        false => "it is private",
    };
    let description = format!(
        "Create {} {one}. Use it when asked to; {seen}. Returns data: the {one} as stored.",
        article_of(one)
    );
    let required: Vec<&str> =
        offered.iter().filter(|one| one.need == Need::New).map(|one| one.argument).collect();
    let row = Written { kind, name, description, offered, annotations: Annotations::ADD };
    let role = if kind == Kind::Secret { Role::Gm } else { Role::Player };
    let schema = declare::object(fields(offered.iter()), &required);
    row.tool(role, schema, example(kind, offered), create)
}

fn updating(kind: Kind, name: &'static str, offered: &'static [Offered]) -> Tool {
    let row = kind.row();
    let publish = match takes_state(offered) {
        true => "State public only when asked to publish. ",
        false => "",
    };
    let description = format!(
        "Change {} {}. Use it to correct or extend: given fields replace old values, the rest \
         stays, null clears. {publish}Returns data: the {} as it is now.",
        article_of(row.one),
        row.one,
        row.one
    );
    let mut all = vec![(row.id_argument, declare::id(kind))];
    let changed = offered.iter().filter(|one| one.need != Need::OnlyNew);
    all.extend(changed.clone().zip(fields(changed)).map(|(one, field)| cleared(one, field)));
    let mut example_fields = json!({ "title": "A better title" });
    if let Value::Object(fields) = &mut example_fields {
        fields.insert(row.id_argument.to_owned(), json!(format!("${}", row.path)));
    }
    let written = Written { kind, name, description, offered, annotations: Annotations::CHANGE };
    let role = if kind == Kind::Secret { Role::Gm } else { Role::Player };
    written.tool(role, declare::object(all, &[row.id_argument]), example_fields, update)
}

fn deleting(kind: Kind, name: &'static str) -> Tool {
    let row = kind.row();
    // A secret is a text, and only nodes can be restored from the bin.
    let back = match kind {
        Kind::Secret => "no tool brings it back",
        _ => "kn_graph restore brings it back here, nothing does on World Anvil",
    };
    let description = format!(
        "Delete {} {}. Use it only when asked to: {back}. Returns data with the id that is gone.",
        article_of(row.one),
        row.one
    );
    let example = json!({ row.id_argument: format!("${}", row.path) });
    let schema = declare::object(vec![(row.id_argument, declare::id(kind))], &[row.id_argument]);
    let written =
        Written { kind, name, description, offered: &[], annotations: Annotations::CHANGE };
    written.tool(Role::Gm, schema, example, delete)
}

/// What the three writing tools of a kind have in common.
struct Written {
    kind: Kind,
    name: &'static str,
    description: String,
    offered: &'static [Offered],
    annotations: Annotations,
}

/// A call of a writing tool.
struct Writing {
    call: Call,
    kind: Kind,
    tool: &'static str,
    offered: &'static [Offered],
    arguments: Arguments,
}

type Work = fn(Writing) -> BoxFuture<'static, Result<Value>>;

impl Written {
    fn tool(self, role: Role, schema: Map<String, Value>, example: Value, work: Work) -> Tool {
        let (kind, tool, offered) = (self.kind, self.name, self.offered);
        let known = schema.clone();
        let handler = Arc::new(move |call: Call, given: Map<String, Value>| {
            let arguments = Arguments::of(given, &known);
            async move {
                let arguments = arguments?;
                let data = work(Writing { call, kind, tool, offered, arguments }).await?;
                let structured = json!({ "success": true, "data": data });
                Ok(Answer { text: structured.to_string(), structured })
            }
            .boxed()
        });
        let title = self.name.replace('_', " ");
        Tool::from(Row {
            name: self.name,
            toolset: Toolset::AtlasWrite,
            title,
            description: self.description,
            annotations: self.annotations,
            role,
            input_schema: schema,
            answer_schema: declare::one(kind),
            example,
            handler,
        })
    }
}

fn create(writing: Writing) -> BoxFuture<'static, Result<Value>> {
    async move {
        let fields = writing.fields()?;
        for needed in writing.offered.iter().filter(|one| one.need == Need::New) {
            if fields.get(needed.field).is_none_or(Value::is_null) {
                return Err(Error::invalid(needed.argument, "is required", "give it"));
            }
        }
        let made = source(&writing.call, writing.tool).create(writing.kind, &fields).await;
        let made = made.map_err(|error| by_argument(writing.offered, error))?;
        Ok(shown(writing.kind, &made, 2, Shape::Compact))
    }
    .boxed()
}

fn update(writing: Writing) -> BoxFuture<'static, Result<Value>> {
    async move {
        let id = writing.arguments.needed_id(writing.kind.row().id_argument)?;
        let fields = writing.fields()?;
        if fields.is_empty() {
            let hint = "give at least one field to change";
            return Err(Error::invalid("arguments", "change nothing", hint));
        }
        let source = source(&writing.call, writing.tool);
        let now = source.update(writing.kind, &id, &fields).await;
        let now = now.map_err(|error| by_argument(writing.offered, error))?;
        Ok(shown(writing.kind, &now, 2, Shape::Compact))
    }
    .boxed()
}

fn delete(writing: Writing) -> BoxFuture<'static, Result<Value>> {
    async move {
        let id = writing.arguments.needed_id(writing.kind.row().id_argument)?;
        source(&writing.call, writing.tool).delete(writing.kind, &id).await?;
        Ok(json!({ "id": id }))
    }
    .boxed()
}

impl Writing {
    /// Converts the arguments to fields of World Anvil's API.
    fn fields(&self) -> Result<Object> {
        let mut fields = Object::new();
        for one in self.offered {
            // The id of the object to change is not in `offered`, so it is not among the fields.
            if let Some(value) = self.arguments.value(one.argument) {
                fields.insert(one.field.to_owned(), checked(one, value)?);
            }
        }
        Ok(fields)
    }
}

/// Replaces the API's name of a field in an error by the name of the argument.
fn by_argument(offered: &[Offered], error: Error) -> Error {
    let Error::Invalid { field, problem, hint } = error else { return error };
    let named = offered.iter().find(|one| one.field == field);
    Error::Invalid { field: named.map_or(field, |one| one.argument.to_owned()), problem, hint }
}

/// Whether a number is exact and has few enough digits to be an id or a year.
fn is_written_out(number: f64) -> bool {
    /// 2^53.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    number.abs() < EXACT
}

fn checked(one: &Offered, value: &Value) -> Result<Value> {
    let fits = match (one.takes, value) {
        // Fields with a fixed set of values cannot be cleared.
        (Takes::Choice(_), Value::Null) => false,
        (_, Value::Null) => one.need != Need::New,
        (_, Value::String(text)) if one.need == Need::New => !text.trim().is_empty(),
        (Takes::Number, Value::Number(_)) | (Takes::Named, Value::Object(_)) => true,
        (Takes::Count, Value::Number(count)) => count.as_i64() >= Some(1),
        // Ids and years may also be given as numbers.
        (Takes::Text, Value::String(_)) => true,
        (Takes::Text, Value::Number(number)) => number.as_f64().is_some_and(is_written_out),
        (Takes::Texts, Value::Array(items)) => items.iter().all(Value::is_string),
        (Takes::Choice(words), Value::String(text)) => words.contains(&text.trim()),
        _ => false,
    };
    if fits && one.field == "tags" && has_comma(value) {
        let hint = "give what is before and after it as tags of their own, or leave it out";
        return Err(Error::invalid(
            one.argument,
            "are written with commas between them there",
            hint,
        ));
    }
    if fits {
        return Ok(value.clone());
    }
    let wanted = match one.takes {
        Takes::Text if one.need == Need::New => "a text that says something".to_owned(),
        Takes::Text => "a text".to_owned(),
        Takes::Number => "a number".to_owned(),
        Takes::Count => "a whole number from 1".to_owned(),
        Takes::Texts => "a list of texts".to_owned(),
        Takes::Named => "an object with texts".to_owned(),
        Takes::Choice(words) => format!("one of {}", words.join(", ")),
    };
    Err(Error::invalid(one.argument, format!("is not {wanted}"), format!("give {wanted}")))
}

/// Whether a text in the list contains a comma. World Anvil separates tags by commas, so it would
/// become several.
fn has_comma(texts: &Value) -> bool {
    let texts = texts.as_array().into_iter().flatten().filter_map(Value::as_str);
    texts.into_iter().any(|text| text.contains(','))
}

fn fields(offered: impl Iterator<Item = &'static Offered>) -> Vec<(&'static str, Value)> {
    let schema = |one: &Offered| {
        let mut schema = match one.takes {
            Takes::Text => json!({ "type": "string" }),
            Takes::Number => json!({ "type": "number" }),
            Takes::Count => json!({ "type": "integer", "minimum": 1 }),
            Takes::Texts => json!({ "type": "array", "items": { "type": "string" } }),
            Takes::Named => {
                let text = json!({ "type": ["string", "null"] });
                json!({ "type": "object", "additionalProperties": text })
            }
            Takes::Choice(words) => json!({ "type": "string", "enum": words }),
        };
        if let (Value::Object(schema), false) = (&mut schema, one.gist.is_empty()) {
            schema.insert("description".into(), json!(one.gist));
        }
        schema
    };
    offered.map(|one| (one.argument, schema(one))).collect()
}

/// Adds null to the schema of an argument that can be cleared.
fn cleared(one: &Offered, field: (&'static str, Value)) -> (&'static str, Value) {
    let (name, mut schema) = field;
    let stays = one.need == Need::New || matches!(one.takes, Takes::Choice(_));
    if let (Value::Object(schema), false) = (&mut schema, stays)
        && let Some(plain) = schema.get("type").cloned()
    {
        schema.insert("type".into(), json!([plain, "null"]));
    }
    (name, schema)
}

fn takes_state(offered: &[Offered]) -> bool {
    offered.iter().any(|one| one.field == "state")
}

/// The indefinite article for a noun.
fn article_of(one: &str) -> &'static str {
    if one.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" }
}

fn example(kind: Kind, offered: &'static [Offered]) -> Value {
    let mut example = Map::new();
    for one in offered {
        match one.argument {
            "title" => example.insert("title".into(), json!("The Dragon's Keep")),
            "map_id" => example.insert("map_id".into(), json!("$map")),
            "content" | "description" => {
                example.insert(one.argument.into(), json!("A mighty fortress."))
            }
            "template" => example.insert("template".into(), json!("landmark")),
            "latitude" | "longitude" => example.insert(one.argument.into(), json!(12.5)),
            "year" => example.insert("year".into(), json!("1207")),
            "article_id" if kind == Kind::Secret => {
                example.insert("article_id".into(), json!("$article"))
            }
            _ => None,
        };
    }
    Value::Object(example)
}

//! Conversion between the service's objects and ours: BBCode and Markdown, references and ids, and
//! fields that the tool contract expects in another form.

use lore_anvil::{
    Field, Form, Kind, OPEN_FIELDS, Object, check_sections, first_title, with_table_names,
    with_texts_apart,
};
use lore_core::{Error, Result, Uid};
use lore_markup::{from_bbcode, to_bbcode, to_text};
use serde_json::{Value, json};

/// The field with the summary of an article.
const EXCERPT: &str = "excerpt";

/// Converts an object of the service to our form, with texts as Markdown.
pub(super) fn inward(kind: Kind, object: Object) -> Object {
    let converted = with_table_names(kind, object).into_iter().map(|(name, value)| {
        let field = kind.row().field(&name);
        let value = match value {
            Value::String(text) if name == EXCERPT => in_plain_words(from_bbcode(&text)).into(),
            Value::String(text) if field.is_some_and(Field::is_bbcode) => from_bbcode(&text).into(),
            Value::Object(open) if name == OPEN_FIELDS => Value::Object(inward(kind, open)),
            Value::Object(sections) if name == "sections" => sections
                .into_iter()
                .map(|(name, text)| match text {
                    Value::String(text) => (name, from_bbcode(&text).into()),
                    other => (name, other),
                })
                .collect(),
            // The service sends some numbers as strings.
            other => field.and_then(|field| field.typed_value(&other).ok()).unwrap_or(other),
        };
        (name, value)
    });
    let object: Object = converted.filter(|(name, _)| name != "success").collect();
    let mut object = with_texts_apart(kind, object, from_bbcode);
    derive(kind, &mut object);
    object
}

/// Returns a summary as plain text, unless it contains formatting. Otherwise characters of the
/// plain text would come out escaped as Markdown.
fn in_plain_words(markdown: String) -> String {
    let words = to_text(&markdown);
    if to_bbcode(&words) == to_bbcode(&markdown) { words } else { markdown }
}

/// Adds fields that the contract expects and that follow from other fields of the service.
fn derive(kind: Kind, object: &mut Object) {
    let told = |name: &str| object.get(name).filter(|value| !is_blank(value));
    let derived: Vec<(&str, Value)> = match kind {
        Kind::Map => {
            let address = told("image").and_then(|image| image.get("url")).cloned();
            let markers = told("markers").and_then(Value::as_array).map(|all| json!(all.len()));
            let address = address.map(|address| ("imageUrl", address));
            address.into_iter().chain(markers.map(|count| ("markerCount", count))).collect()
        }
        Kind::Marker => {
            let label = told("labelTitle").or_else(|| told("title")).cloned();
            label.into_iter().map(|label| ("label", label)).collect()
        }
        Kind::World => {
            let genre = told("genres").and_then(first_title);
            genre.into_iter().map(|genre| ("genre", genre)).collect()
        }
        _ => Vec::new(),
    };
    for (name, value) in derived {
        let place = object.entry(name).or_insert(Value::Null);
        if is_blank(place) {
            *place = value;
        }
    }
}

/// Converts fields to the form the service takes: texts as BBCode, references by id, tags separated
/// by commas, sections as top-level fields. Fails if the name of a section would be taken for
/// another field.
pub(super) fn outward(kind: Kind, fields: &Object) -> Result<Object> {
    if let Some(Value::Object(sections)) = fields.get("sections") {
        check_sections(kind, sections)
            .map_err(|odd| Error::invalid("sections", odd.problem, odd.hint))?;
    }
    Ok(plain(kind, fields))
}

/// Like [`outward`], without the check. If a section and a field have the same name, the field
/// wins.
pub(super) fn plain(kind: Kind, fields: &Object) -> Object {
    let sections = fields.get("sections").and_then(Value::as_object).into_iter().flatten();
    // An empty text clears a section at the service.
    let texts = sections.map(|(name, text)| {
        (name.clone(), text.as_str().map(to_bbcode).unwrap_or_default().into())
    });
    let mut out: Object = texts.collect();
    // Sections that are not declared fields are also sent under `sections`, for services that
    // support it.
    let further: Object = out
        .iter()
        .filter(|(name, _)| kind.row().field(name).is_none())
        .map(|(name, text)| (name.clone(), text.clone()))
        .collect();
    if !further.is_empty() {
        out.insert("sections".into(), Value::Object(further));
    }
    for (name, value) in fields.iter().filter(|(name, _)| *name != "sections") {
        let field = kind.row().field(name);
        let form = field.map(|field| field.form);
        let value = match value {
            Value::String(text) if field.is_some_and(Field::is_bbcode) => to_bbcode(text).into(),
            Value::String(_) | Value::Number(_)
                if matches!(form, Some(Form::One(..))) || name == "world" =>
            {
                json!({ "id": value })
            }
            Value::Array(items) if matches!(form, Some(Form::Several(..))) => items
                .iter()
                .map(|id| if id.is_object() { id.clone() } else { json!({ "id": id }) })
                .collect(),
            Value::Array(items) if name == "tags" => {
                let tags: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
                tags.join(",").into()
            }
            other => other.clone(),
        };
        out.insert(name.clone(), value);
    }
    out
}

pub(super) fn text_of(object: &Object, name: &str) -> String {
    match object.get(name) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Null) | None => String::new(),
        Some(other) => other.to_string(),
    }
}

/// Returns an id as the service writes it; a UUID can be written in several ways.
pub(super) fn canonical(id: &str) -> String {
    let id = id.trim();
    id.parse::<Uid>().map_or_else(|_| id.to_owned(), |uid| uid.to_string())
}

pub(super) fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_is_in_plain_words_where_these_say_it_all() {
        for (told, shown) in [
            ("[img:1] text [block:1]", "[img:1] text [block:1]"),
            ("Stone * moss, a_b_c.", "Stone * moss, a_b_c."),
            ("[b]Stone[/b] [img:1]", "**Stone** [img:1]"),
        ] {
            let Value::Object(told) = json!({ "id": "a", "excerpt": told }) else { unreachable!() };
            assert_eq!(inward(Kind::Article, told)["excerpt"], shown);
        }
    }
}

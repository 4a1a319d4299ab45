//! Differences between the service's answers and what it accepts: other field names, and texts
//! among the fields of templates.

use serde_json::{Value, json};

use crate::Object;
use crate::section::check_section;
use crate::table::Kind;

/// The name in the table of a field in an answer. The service answers with some fields under
/// another name than it accepts.
fn table_name(kind: Kind, name: &str) -> &str {
    match (kind, name) {
        (Kind::Block, FOLDER) => "blockfolder",
        _ => name,
    }
}

/// Adds copies of fields that the service names differently in answers, under those names.
pub fn with_told_names(kind: Kind, mut object: Object) -> Object {
    if let (Kind::Block, Some(folder)) = (kind, object.get(table_name(kind, FOLDER)).cloned()) {
        object.insert(FOLDER.to_owned(), folder);
    }
    object
}

/// Renames the fields of an object to the names of the table. If a field is there under both names,
/// the one with the table's name wins, unless it is null.
pub fn with_table_names(kind: Kind, object: Object) -> Object {
    let mut named = Object::new();
    for (name, value) in object {
        let known = table_name(kind, &name);
        if known == name {
            named.insert(name, value);
        } else {
            let place = named.entry(known).or_insert(Value::Null);
            if place.is_null() {
                *place = value;
            }
        }
    }
    named
}

/// Moves the template texts of an article into its sections, each converted with `convert`.
/// Templates have many fields, most of them running text. Objects of other kinds are returned
/// unchanged.
pub fn with_texts_apart(kind: Kind, object: Object, convert: fn(&str) -> String) -> Object {
    if kind != Kind::Article {
        return object;
    }
    let mut rest = Object::new();
    let mut texts = Object::new();
    let known = object.get("sections").and_then(Value::as_object).cloned().unwrap_or_default();
    for (name, value) in object {
        match value {
            Value::String(text) if is_text_of_template(kind, &name, &text) => {
                if !known.contains_key(&name) {
                    texts.insert(name, convert(&text).into());
                }
            }
            other => {
                rest.insert(name, other);
            }
        }
    }
    if !texts.is_empty() {
        let sections = rest.entry("sections").or_insert_with(|| json!({}));
        match sections {
            Value::Object(sections) => sections.extend(texts),
            other => *other = Value::Object(texts),
        }
    }
    rest
}

/// The field with the folder of a block in answers.
const FOLDER: &str = "folder";

/// Endings of the names of fields that are never texts, whatever they hold.
const LAST_WORDS: [&str; 11] =
    ["Url", "URL", "Css", "Classes", "Color", "Date", "Id", "Type", "Icon", "Template", "Parsed"];
/// Beginnings of such names, followed by a capital letter.
const FIRST_WORDS: [&str; 4] = ["css", "display", "meta", "is"];

fn is_text_of_template(kind: Kind, name: &str, text: &str) -> bool {
    let is_free = kind.row().field(name).is_none() && check_section(kind, name).is_ok();
    let begins = |word: &str| {
        let rest = name.strip_prefix(word);
        rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()))
    };
    let is_value =
        LAST_WORDS.iter().any(|word| name.ends_with(word) || name == word.to_lowercase())
            || FIRST_WORDS.iter().any(|word| begins(word));
    is_free && !is_value && reads_as_text(text)
}

/// Whether a text consists of words, rather than being a code, a number, a URL or JSON data.
fn reads_as_text(text: &str) -> bool {
    let text = text.trim();
    let is_address = text.contains("://") && !text.contains(char::is_whitespace);
    let is_data = text.starts_with(['{', '[']) && serde_json::from_str::<Value>(text).is_ok();
    let is_code = text.chars().all(|c| c.is_ascii_hexdigit() || "-#.,:/ ".contains(c));
    text.chars().any(char::is_alphabetic) && !is_address && !is_code && !is_data
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(value: Value) -> Object {
        let Value::Object(object) = value else { unreachable!() };
        object
    }

    #[test]
    fn texts_of_templates_are_sections_and_values_are_not() {
        let article = object(json!({
            "id": "a", "title": "A", "content": "c", "geography": "[i]hills[/i]",
            "government": "Monarchy", "population": "12000", "cssClasses": "a b", "editURL": "/x y",
            "displayCss": "red blue", "portal": "https://x.example/a", "isX": "one two", "islands": "Two of them.",
            "founded": "0190a1b2-0000-7000-8000-000000000001", "slug": "a b", "seeded": null,
            "sections": { "Rumours": "r" }, "Rumours": "[b]r[/b]",
        }));
        let apart = with_texts_apart(Kind::Article, article, |text| format!("<{text}>"));
        let sections = json!({
            "Rumours": "r", "geography": "<[i]hills[/i]>", "government": "<Monarchy>",
            "islands": "<Two of them.>",
        });
        assert_eq!(apart["sections"], sections);
        for gone in ["geography", "government", "Rumours"] {
            assert!(!apart.contains_key(gone), "{gone}");
        }
        for kept in ["population", "cssClasses", "editURL", "portal", "founded", "slug", "content"]
        {
            assert!(apart[kept].is_string(), "{kept}");
        }
    }

    #[test]
    fn the_folder_of_a_block_has_two_names() {
        let told = object(json!({ "id": 6, "folder": { "id": 5 } }));
        let named = with_table_names(Kind::Block, told.clone());
        assert_eq!(Value::Object(named.clone()), json!({ "id": 6, "blockfolder": { "id": 5 } }));
        assert_eq!(with_told_names(Kind::Block, named)["folder"], json!({ "id": 5 }));
        assert_eq!(with_table_names(Kind::Category, told.clone()), told);
    }
}

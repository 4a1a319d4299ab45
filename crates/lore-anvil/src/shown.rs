//! Converts objects of the API to answers of tools, with the contract's names and level of detail.

use serde_json::{Map, Value, json};

use crate::Object;
use crate::field::Look;
use crate::section::HEAD;
use crate::table::Kind;

/// How much of an object to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Only what has a value and is of use; references as id, title and URL.
    Compact,
    /// All fields, including empty ones and whole references.
    Verbose,
}

/// Converts an object of the API to the contract's form. `granularity` is the contract's: 0, 1 or
/// 2.
pub fn shown(kind: Kind, object: &Object, granularity: u8, shape: Shape) -> Value {
    let mut out = Map::new();
    let mut sections = Map::new();
    let among_sections =
        |name: &str| object.get("sections").is_some_and(|all| all.get(name).is_some());
    for (name, value) in object.iter().filter(|(name, _)| *name != "success") {
        // The API writes sections twice: as fields of the object and inside `sections`. The fields
        // that every object has are never sections, whatever the names in `sections`.
        let is_section = among_sections(name) && !HEAD.contains(&name.as_str());
        if is_section && kind.row().field(name).is_none() {
            continue;
        }
        let look = look_of(kind, name);
        let compact = shape == Shape::Compact;
        let left_out = match look {
            Look::Noise => compact,
            Look::Extended => compact && granularity < 2,
            Look::Plain | Look::Address | Look::Section => false,
        };
        if left_out || (compact && is_nothing(value)) {
            continue;
        }
        let value = if compact { collapsed(value) } else { value.clone() };
        match look {
            Look::Section => {
                sections.insert(snake_case(name), value);
            }
            Look::Address => {
                out.insert(shown_name(kind, name), address(value));
            }
            _ => insert(&mut out, kind, name, value),
        }
    }
    add_sections(&mut out, sections);
    if kind == Kind::World {
        out.insert("is_public".into(), json!(object.get("state") == Some(&json!("public"))));
    }
    Value::Object(out)
}

fn insert(out: &mut Object, kind: Kind, name: &str, value: Value) {
    let value = if name == "tags" { listed(&value) } else { value };
    out.insert(shown_name(kind, name), value);
}

/// The name of a field in answers of tools.
pub fn shown_name(kind: Kind, name: &str) -> String {
    match kind.row().field(name).map(|field| field.shown) {
        Some(shown) if !shown.is_empty() => shown.to_owned(),
        _ if kind == Kind::User && name == "url" => "profile_url".to_owned(),
        _ => snake_case(name),
    }
}

/// Fields of every object that are rarely of use.
const NOISE: [&str; 7] =
    ["slug", "entityClass", "folderId", "isEditable", "isDraft", "subscribergroups", "editURL"];

fn look_of(kind: Kind, name: &str) -> Look {
    match kind.row().field(name) {
        Some(field) => field.look,
        None if NOISE.contains(&name) => Look::Noise,
        None => Look::Plain,
    }
}

fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Reduces references to id, title and URL.
fn collapsed(value: &Value) -> Value {
    match value {
        Value::Object(fields) if is_reference(fields) => {
            let kept = ["id", "title", "url"].into_iter();
            let kept = kept.filter_map(|name| Some((name.to_owned(), fields.get(name)?.clone())));
            Value::Object(kept.collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(collapsed).collect()),
        other => other.clone(),
    }
}

/// Whether an object is a reference to another resource.
pub fn is_reference(fields: &Object) -> bool {
    fields.contains_key("id") && fields.contains_key("title")
}

/// Whether an object is visible to everybody: marked as public, not a draft and not restricted to
/// subscriber groups.
pub fn is_public(object: &Object) -> bool {
    object.get("state") == Some(&json!("public")) && !is_draft(object) && !is_for_groups(object)
}

/// Whether an object is marked as a draft. Every value counts as a mark except those that mean
/// "no".
pub fn is_draft(object: &Object) -> bool {
    object.get(DRAFT).is_some_and(is_mark)
}

/// Whether a flag is set. Services also write flags as numbers and strings.
pub fn is_mark(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(set) => *set,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => {
            !["", "0", "false", "no"].iter().any(|no| text.trim().eq_ignore_ascii_case(no))
        }
        Value::Array(_) | Value::Object(_) => true,
    }
}

/// The field that marks a draft.
pub const DRAFT: &str = "isDraft";

/// Whether an object is restricted to subscriber groups.
pub fn is_for_groups(object: &Object) -> bool {
    object.get(GROUPS).is_some_and(|groups| !is_nothing(groups))
}

/// The field with the subscriber groups that an object is restricted to.
pub const GROUPS: &str = "subscribergroups";

fn address(value: Value) -> Value {
    match &value {
        Value::Object(fields) => fields.get("url").cloned().unwrap_or(Value::Null),
        _ => value,
    }
}

/// Converts tags to a list; the API writes them as one string with commas.
fn listed(value: &Value) -> Value {
    match value {
        Value::String(text) => {
            let tags = text.split(',').map(str::trim).filter(|tag| !tag.is_empty());
            tags.collect::<Vec<_>>().into()
        }
        Value::Null => json!([]),
        other => other.clone(),
    }
}

fn add_sections(out: &mut Object, sections: Object) {
    if sections.is_empty() {
        return;
    }
    let all = out.entry("sections").or_insert_with(|| json!({}));
    if let Value::Object(all) = all {
        all.extend(sections);
    }
}

/// Converts a name to snake case: `updateDate` becomes `update_date`. Initials stay together:
/// `RPGSRD` becomes `rpgsrd`.
fn snake_case(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    let mut after_lower = false;
    for c in name.chars() {
        if c.is_ascii_uppercase() && after_lower {
            out.push('_');
        }
        after_lower = c.is_ascii_lowercase() || c.is_ascii_digit();
        out.push(c.to_ascii_lowercase());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn article() -> Object {
        let Value::Object(object) = json!({
            "success": true,
            "id": "a-1",
            "title": "The Keep",
            "slug": "the-keep",
            "isWip": false,
            "tags": "fortress, dragons,",
            "icon": null,
            "templateType": "settlement",
            "content": "Stone.",
            "cover": { "id": 7, "title": "keep.png", "url": "https://example.org/keep.png" },
            "category": { "id": "c-1", "title": "Places", "slug": "places", "url": "u", "tags": null },
            "sidebarcontent": "Aside.",
            "sections": { "Rumours": "They say…" },
            "likes": 4,
        }) else {
            unreachable!()
        };
        object
    }

    #[test]
    fn compact_answers_have_the_names_of_the_contract_and_nothing_empty() {
        let wanted = json!({
            "id": "a-1",
            "title": "The Keep",
            "is_wip": false,
            "tags": ["fortress", "dragons"],
            "template": "settlement",
            "content": "Stone.",
            "cover_image": null,
            "category": { "id": "c-1", "title": "Places", "url": "u" },
            "sections": { "Rumours": "They say…", "sidebarcontent": "Aside." },
        });
        let mut found = shown(Kind::Article, &article(), 2, Shape::Compact);
        assert_eq!(found["cover_image"], "https://example.org/keep.png");
        found["cover_image"] = Value::Null;
        assert_eq!(found, wanted);
    }

    #[test]
    fn a_section_hides_nothing_whatever_it_is_called() {
        let mut odd = article();
        odd.insert("sections".into(), json!({ "id": "x", "title": "y", "likes": "z" }));
        let found = shown(Kind::Article, &odd, 2, Shape::Compact);
        assert_eq!((&found["id"], &found["title"]), (&json!("a-1"), &json!("The Keep")));
        assert_eq!(found["sections"]["title"], "y");
    }

    #[test]
    fn content_is_for_granularity_2_and_for_those_who_want_everything() {
        let standard = shown(Kind::Article, &article(), 1, Shape::Compact);
        assert_eq!(standard.get("content"), None);
        let verbose = shown(Kind::Article, &article(), 1, Shape::Verbose);
        assert_eq!(verbose["content"], "Stone.");
        assert_eq!((&verbose["icon"], &verbose["likes"]), (&Value::Null, &json!(4)));
        assert_eq!(verbose["category"]["slug"], "places");
        let mut untagged = article();
        untagged.insert("tags".into(), Value::Null);
        assert_eq!(shown(Kind::Article, &untagged, 1, Shape::Verbose)["tags"], json!([]));
    }

    #[test]
    fn names_are_in_snake_case() {
        for (name, wanted) in [
            ("updateDate", "update_date"),
            ("RPGSRD", "rpgsrd"),
            ("homepageContent1", "homepage_content1"),
            ("id", "id"),
        ] {
            assert_eq!(snake_case(name), wanted);
        }
        assert_eq!(shown_name(Kind::World, "countArticles"), "article_count");
        assert_eq!(shown_name(Kind::User, "url"), "profile_url");
    }
}

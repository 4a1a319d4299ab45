//! Checks whether written values are stored. Differences in form do not count as loss: tags in
//! another order, mentions in another notation, a number as text, a reference as the whole object.

use std::collections::BTreeSet;

use lore_anvil::{Kind, is_mark};
use lore_core::Uid;
use lore_markup::anvil::{self, AnvilMention};
use lore_markup::mention;
use serde_json::Value;

use super::convert::{canonical, is_blank, text_of};

/// Placeholder for a mention when texts are compared.
const MENTIONED: &str = "\u{fffc}";

/// Whether the value written as `name` is not stored. Objects may omit their world and undeclared
/// fields, so a missing value counts as lost there only if it was a non-empty text.
pub(super) fn is_lost(kind: Kind, name: &str, wanted: &Value, found: Option<&Value>) -> bool {
    let found_or_null = found.unwrap_or(&Value::Null);
    match (name, found) {
        // Each section is also sent and read as a field of its own.
        ("sections", _) => false,
        ("tags", _) => tags_in(wanted) != tags_in(found_or_null),
        (name, None) if name == "world" || kind.row().field(name).is_none() => {
            wanted.is_string() && !is_nothing(wanted)
        }
        _ => is_other(wanted, found_or_null),
    }
}

/// Whether a value differs from the one written. Values that the service stores in its own format
/// cannot be compared and count as equal.
fn is_other(wanted: &Value, found: &Value) -> bool {
    match (wanted, found) {
        (wanted, found) if is_nothing(wanted) => !is_nothing(found),
        (Value::Bool(wanted), found) => *wanted != is_mark(found),
        (_, found) if is_nothing(found) => true,
        (Value::String(wanted), Value::String(found)) => !says_the_same(wanted, found),
        (Value::String(wanted), Value::Number(found)) => wanted.trim() != found.to_string(),
        (Value::Number(_), Value::Number(_) | Value::String(_)) => {
            number_in(wanted) != number_in(found)
        }
        (Value::Object(reference), found) if reference.contains_key("id") => {
            ids_in(wanted) != ids_in(found)
        }
        (Value::Array(_), found) => ids_in(wanted) != ids_in(found),
        _ => false,
    }
}

/// Whether a value is empty, in any of the forms the service uses.
fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        other => is_blank(other),
    }
}

fn number_in(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_str()?.trim().parse().ok())
}

/// Returns the ids in one or several references.
fn ids_in(value: &Value) -> BTreeSet<String> {
    match value {
        Value::Array(items) => items.iter().flat_map(ids_in).collect(),
        Value::Object(fields) => BTreeSet::from([canonical(&text_of(fields, "id"))]),
        Value::String(id) => BTreeSet::from([canonical(id)]),
        other => BTreeSet::from([other.to_string()]),
    }
}

/// Returns tags as a set for comparison; order and case do not count.
fn tags_in(value: &Value) -> BTreeSet<String> {
    let text = value.as_str().unwrap_or_default();
    text.split(',').map(|tag| tag.trim().to_lowercase()).filter(|tag| !tag.is_empty()).collect()
}

/// Whether two texts are equal apart from white space and the notation of mentions.
fn says_the_same(wanted: &str, found: &str) -> bool {
    let (wanted, found) = (&in_one_spelling(wanted), &in_one_spelling(found));
    let words = |text: &str| anvil::replaced(text, |_| Some(MENTIONED.to_owned()));
    let (mentions, others) = (anvil::mentions(wanted), anvil::mentions(found));
    words(wanted).split_whitespace().eq(words(found).split_whitespace())
        && mentions.iter().zip(&others).all(|(wanted, found)| is_kept(wanted, found))
}

/// Converts mentions such as `[entity:7|Label]` to the notation `@[Label](entity:7)`.
fn in_one_spelling(text: &str) -> String {
    mention::replaced(text, |found| match found.target {
        mention::Target::Entity(number) => {
            let label = found.label().unwrap_or_default();
            Some(anvil::mention(label, "entity", &number.to_string()))
        }
        mention::Target::Other | mention::Target::New => None,
    })
}

/// Whether a mention still refers to the same object. The service may replace a number by the id it
/// stands for, fill in a missing label, and correct the type.
fn is_kept(wanted: &AnvilMention<'_>, found: &AnvilMention<'_>) -> bool {
    let label = |of: &AnvilMention<'_>| of.label.replace(['[', ']'], "");
    let is_id = |of: &AnvilMention<'_>| of.id.parse::<Uid>().is_ok();
    let is_named = wanted.label.is_empty() || label(wanted) == label(found);
    let is_meant = wanted.id == found.id || !is_id(wanted) && is_id(found);
    is_named && is_meant
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const ID: &str = "0190a1b2-0000-7000-8000-000000000001";
    const OTHER: &str = "0190a1b2-0000-7000-8000-000000000002";

    #[test]
    fn a_mention_may_come_back_in_another_spelling() {
        let mention = |label: &str, kind: &str, id: &str| format!("By @[{label}]({kind}:{id}).");
        for (wanted, found) in [
            ("By [entity:4|Foo].".to_owned(), mention("Foo", "person", ID)),
            ("By [character:4|Foo].".to_owned(), mention("Foo", "entity", "4")),
            ("By [entity:4].".to_owned(), mention("Foo the Bold", "person", ID)),
            ("By [entity:4|Foo].".to_owned(), "By  [entity:4|Foo].".to_owned()),
            (mention("Foo", "article", ID), mention("Foo", "person", ID)),
            (mention("F [o] o", "person", ID), mention("F o o", "person", ID)),
            ("See [block:2] {attribute:5}".to_owned(), "See [block:2] {attribute:5}".to_owned()),
        ] {
            assert!(
                !is_lost(Kind::Article, "content", &json!(wanted), Some(&json!(found))),
                "{wanted} {found}"
            );
        }
    }

    #[test]
    fn a_mention_of_something_else_or_with_another_label_is_not_what_was_sent() {
        let mention = |label: &str, id: &str| format!("By @[{label}](person:{id}).");
        for (wanted, found) in [
            ("By [entity:4|Foo].".to_owned(), mention("Bar", ID)),
            ("By [entity:4|Foo].".to_owned(), "By [entity:5|Foo].".to_owned()),
            ("By [entity:4|Foo].".to_owned(), "By Foo.".to_owned()),
            ("By Foo.".to_owned(), mention("Foo", ID)),
            (mention("Foo", ID), mention("Foo", OTHER)),
            (mention("Foo", ID), mention("Foo", "4")),
            ("See [block:2].".to_owned(), "See [block:3].".to_owned()),
        ] {
            assert!(
                is_lost(Kind::Article, "content", &json!(wanted), Some(&json!(found))),
                "{wanted} {found}"
            );
        }
    }

    #[test]
    fn what_is_kept_in_another_form_is_kept() {
        let whole = json!({ "id": ID.to_uppercase(), "title": "Saltmere", "state": "public" });
        for (wanted, found) in [
            (json!("a  b"), json!("a b\n")),
            (json!("312"), json!(312)),
            (json!(12), json!("12")),
            (json!(12), json!(12.0)),
            (json!(true), json!("1")),
            (json!(false), Value::Null),
            (json!({ "id": ID }), whole.clone()),
            (json!({ "id": ID }), json!(ID)),
            (json!({ "id": 7 }), json!({ "id": "7" })),
            (json!([{ "id": "b" }, { "id": ID }]), json!([whole, { "id": "b" }])),
            (Value::Null, json!("")),
            (Value::Null, json!([])),
            (json!([]), Value::Null),
            (json!(""), json!({})),
        ] {
            assert!(!is_other(&wanted, &found), "{wanted} {found}");
        }
    }

    #[test]
    fn what_is_not_there_or_still_there_is_other() {
        for wanted in [json!("a"), json!(0), json!({ "id": ID }), json!([{ "id": ID }])] {
            for found in [Value::Null, json!([]), json!(""), json!({})] {
                assert!(is_other(&wanted, &found), "{wanted} {found}");
            }
        }
        for wanted in [Value::Null, json!(""), json!([])] {
            for found in [json!("text"), json!({ "id": "b" }), json!([{ "id": "b" }]), json!(3)] {
                assert!(is_other(&wanted, &found), "{wanted} {found}");
            }
        }
        for (wanted, found) in [
            (json!(12), json!(13)),
            (json!(true), json!(0)),
            (json!({ "id": ID }), json!({ "id": "b" })),
            (json!([{ "id": "a" }]), json!([{ "id": "a" }, { "id": "b" }])),
        ] {
            assert!(is_other(&wanted, &found), "{wanted} {found}");
        }
    }
}

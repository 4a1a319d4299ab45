//! Whether what was written is there afterwards. A service may write some of it in its own way,
//! which is no loss: tags in another order, and mentions in the spelling of its own.

use std::collections::BTreeSet;

use lore_anvil::is_reference;
use lore_core::Uid;
use lore_markup::anvil::{self, AnvilMention};
use lore_markup::mention;
use serde_json::Value;

use super::convert::text_of;

/// Stands in a text where something is mentioned.
const MENTIONED: &str = "\u{fffc}";

/// Whether a plain text, number or mark that was written as `name` is not there afterwards. What
/// the service writes in a form of its own cannot be compared.
pub(super) fn is_lost(name: &str, wanted: &Value, found: Option<&Value>) -> bool {
    match (wanted, found) {
        (wanted, found) if name == "tags" => {
            tags_in(wanted) != tags_in(found.unwrap_or(&Value::Null))
        }
        (Value::String(wanted), Some(Value::String(found))) => !says_the_same(wanted, found),
        (Value::String(wanted), None | Some(Value::Null)) => !wanted.trim().is_empty(),
        (Value::Bool(wanted), Some(Value::Bool(found))) => wanted != found,
        (Value::Object(wanted), Some(Value::Object(found))) => {
            let is_other = || text_of(wanted, "id") != text_of(found, "id");
            wanted.contains_key("id") && is_reference(found) && is_other()
        }
        _ => false,
    }
}

/// Tags as they are compared: a service may order and spell them in its own way.
fn tags_in(value: &Value) -> BTreeSet<String> {
    let text = value.as_str().unwrap_or_default();
    text.split(',').map(|tag| tag.trim().to_lowercase()).filter(|tag| !tag.is_empty()).collect()
}

/// Whether two texts say the same, apart from blanks and how mentions are spelt.
fn says_the_same(wanted: &str, found: &str) -> bool {
    let (wanted, found) = (&in_one_spelling(wanted), &in_one_spelling(found));
    let words = |text: &str| anvil::replaced(text, |_| Some(MENTIONED.to_owned()));
    let (mentions, others) = (anvil::mentions(wanted), anvil::mentions(found));
    words(wanted).split_whitespace().eq(words(found).split_whitespace())
        && mentions.iter().zip(&others).all(|(wanted, found)| is_kept(wanted, found))
}

/// A text with mentions such as `[entity:7|Label]` in the other spelling, `@[Label](entity:7)`.
fn in_one_spelling(text: &str) -> String {
    mention::replaced(text, |found| match found.target {
        mention::Target::Entity(number) => {
            let label = found.label().unwrap_or_default();
            Some(anvil::mention(label, "entity", &number.to_string()))
        }
        mention::Target::Other | mention::Target::New => None,
    })
}

/// Whether a mention is of what it was to be of. Only the service knows what its numbers mean, and
/// what a thing without a label is called; and what a thing is it knows better.
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
            assert!(!is_lost("content", &json!(wanted), Some(&json!(found))), "{wanted} {found}");
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
            assert!(is_lost("content", &json!(wanted), Some(&json!(found))), "{wanted} {found}");
        }
    }
}

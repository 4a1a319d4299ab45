//! What a text may not contain: characters that people do not see and language models read, and
//! those that show people another order of words than models read.
//!
//! The rule is narrower than that for names (`names.rs`): joiners, direction marks, soft hyphens and
//! variation selectors have their use in running text.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::error::{Error, Result};

/// The flags that are written with tag characters: of England, Scotland and Wales.
const FLAGS: [&str; 3] = [
    "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
    "\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
    "\u{1f3f4}\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}",
];

/// The character with which all [`FLAGS`] begin.
const FLAG: char = '\u{1f3f4}';

/// Fails if a text contains a hidden character. `field` is the caller's name for the text.
pub fn check(field: &str, text: &str) -> Result<()> {
    let Some(hidden) = hidden_in(text) else { return Ok(()) };
    let code = u32::from(hidden);
    let problem = format!("has U+{code:04X}, a character that cannot be seen or turns text around");
    Err(Error::invalid(field, problem, "remove it: people and models must read the same"))
}

/// Checks all texts in the fields of a request. The error names the field by its path.
pub fn check_fields(fields: &Map<String, Value>) -> Result<()> {
    check_fields_besides(&[], fields)
}

/// Like [`check_fields`], without what is in the fields `others`.
pub fn check_fields_besides(others: &[&str], fields: &Map<String, Value>) -> Result<()> {
    fields.iter().try_for_each(|(name, value)| {
        check("the name of a field", name)?;
        match others.contains(&name.as_str()) {
            true => Ok(()),
            false => check_value(name, value),
        }
    })
}

fn check_value(path: &str, value: &Value) -> Result<()> {
    match value {
        Value::String(text) => check(path, text),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .try_for_each(|(place, item)| check_value(&format!("{path}[{place}]"), item)),
        Value::Object(fields) => fields.iter().try_for_each(|(name, value)| {
            check(path, name)?;
            check_value(&format!("{path}.{name}"), value)
        }),
        _ => Ok(()),
    }
}

/// A text from elsewhere without hidden characters, because nobody can be asked to correct it.
pub fn cleaned(text: &str) -> Cow<'_, str> {
    if hidden_in(text).is_none() {
        return Cow::Borrowed(text);
    }
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let whole = unit(rest, letter);
        if whole.len() > letter.len_utf8() || !is_hidden(letter) {
            clean.push_str(whole);
        }
        rest = rest.get(whole.len()..).unwrap_or_default();
    }
    Cow::Owned(clean)
}

/// Like [`cleaned`], for all texts in a value.
pub fn clean_value(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Cow::Owned(clean) = cleaned(text) {
                *text = clean;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(clean_value),
        Value::Object(fields) => fields.values_mut().for_each(clean_value),
        _ => {}
    }
}

/// Cleans all texts in the fields of a request, without those in the fields `others`.
pub fn clean_fields_besides(others: &[&str], fields: &mut Map<String, Value>) {
    let given = fields.iter_mut().filter(|(name, _)| !others.contains(&name.as_str()));
    given.for_each(|(_, value)| clean_value(value));
}

/// The first hidden character of a text.
fn hidden_in(text: &str) -> Option<char> {
    // All hidden characters take at least three bytes.
    if text.is_ascii() {
        return None;
    }
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let whole = unit(rest, letter);
        if whole.len() == letter.len_utf8() && is_hidden(letter) {
            return Some(letter);
        }
        rest = rest.get(whole.len()..)?;
    }
    None
}

/// What a text begins with: a flag, or a single character.
fn unit(text: &str, first: char) -> &str {
    let flag = match first {
        FLAG => FLAGS.into_iter().find(|flag| text.starts_with(flag)),
        _ => None,
    };
    flag.unwrap_or_else(|| text.get(..first.len_utf8()).unwrap_or(text))
}

/// Whether a character is a tag, or changes the direction of the text after it.
fn is_hidden(letter: char) -> bool {
    matches!(u32::from(letter), 0xE0000..=0xE007F | 0x202A..=0x202E | 0x2066..=0x2069)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_people_do_not_see_is_refused_and_cleaned() {
        for (bad, clean) in [
            ("Rope\u{e0069}\u{e0067}, oil", "Rope, oil"),
            ("a\u{202e}b\u{202c}", "ab"),
            ("\u{2066}a\u{2069}", "a"),
            ("\u{1f3f4}\u{e0061}\u{e007f}", "\u{1f3f4}"),
            ("\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}", "\u{1f3f4}"),
        ] {
            let refused = check("entry", bad).unwrap_err().to_string();
            assert!(refused.starts_with("entry has U+"), "{refused}");
            assert_eq!(cleaned(bad), clean);
            assert_eq!(check("entry", clean), Ok(()));
        }
    }

    #[test]
    fn what_scripts_and_emoji_need_stays() {
        for good in [
            "می\u{200c}خواهم",
            "\u{200f}שלום\u{200e}",
            "👩\u{200d}🚀 ❤\u{fe0f} co\u{ad}operate",
            FLAGS[0],
            FLAGS[1],
            FLAGS[2],
        ] {
            assert_eq!(check("entry", good), Ok(()));
            assert_eq!(cleaned(good), good);
        }
    }

    #[test]
    fn the_field_is_named_by_its_path() {
        let given = json!({ "a": { "posts": ["x", "y\u{202e}"] }, "n": 1 });
        let refused = check_fields(given.as_object().unwrap()).unwrap_err();
        assert!(refused.to_string().starts_with("a.posts[1] has U+202E"), "{refused}");
        let mut given = given;
        clean_value(&mut given);
        assert_eq!(given, json!({ "a": { "posts": ["x", "y"] }, "n": 1 }));
    }

    #[test]
    fn other_fields_are_left_to_others() {
        let given = json!({ "path": "a\u{202e}", "text": "b\u{202e}" });
        let mut given = given.as_object().unwrap().clone();
        let refused = check_fields_besides(&["path"], &given).unwrap_err();
        assert!(refused.to_string().starts_with("text has"), "{refused}");
        clean_fields_besides(&["path"], &mut given);
        assert_eq!(Value::Object(given), json!({ "path": "a\u{202e}", "text": "b" }));
    }
}

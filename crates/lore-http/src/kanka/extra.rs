//! Kind-specific fields that this server only stores, such as ids of other entities. They have no
//! effect here; a client reads back what it wrote.

use lore_app::pages::PageKind;
use lore_core::Properties;
use serde_json::{Map, Value, json};

use super::answer::Refused;
use super::typed::{flag, integer};

/// The type of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Number,
    Flag,
    Numbers,
    /// Derived from other fields; clients can read it but not write it.
    Read,
}

/// The most items of a list.
const LIST_MAX: usize = 500;
/// The most traits of a character.
const TRAITS_MAX: usize = 100;
/// Longest trait, in characters.
const TRAIT_MAX: usize = 10_000;

const CALENDAR: [(&str, Form); 4] = [
    ("calendar_id", Form::Number),
    ("calendar_year", Form::Number),
    ("calendar_month", Form::Number),
    ("calendar_day", Form::Number),
];

fn fields(kind: PageKind) -> Vec<(&'static str, Form)> {
    let locations = ("locations", Form::Numbers);
    let status = ("status_id", Form::Number);
    match kind {
        PageKind::Character => vec![
            ("races", Form::Numbers),
            ("families", Form::Numbers),
            locations,
            ("traits", Form::Read),
            status,
        ],
        PageKind::Location => vec![status],
        PageKind::Organization => vec![("members", Form::Read), locations],
        PageKind::Race | PageKind::Creature => vec![locations],
        PageKind::Journal => {
            [("author_id", Form::Number), locations].into_iter().chain(CALENDAR).collect()
        }
        PageKind::Quest => {
            let own =
                [status, ("instigator_id", Form::Number), locations, ("elements", Form::Read)];
            own.into_iter().chain(CALENDAR).collect()
        }
        PageKind::Tag => vec![("is_auto_applied", Form::Flag), ("is_hidden", Form::Flag)],
        PageKind::Note => Vec::new(),
    }
}

/// The extra fields of a page, with empty defaults for missing ones.
pub(super) fn shown(kind: PageKind, kept: &Properties) -> Map<String, Value> {
    let shown = fields(kind).into_iter().map(|(name, form)| {
        let nothing = match form {
            Form::Number => Value::Null,
            Form::Flag => json!(false),
            Form::Numbers | Form::Read => json!([]),
        };
        (name.to_owned(), kept.get(name).cloned().unwrap_or(nothing))
    });
    // Quest elements are not supported.
    let count = (kind == PageKind::Quest).then(|| ("elements_count".to_owned(), json!(0)));
    shown.chain(count).collect()
}

/// Reads the extra fields of a request body.
pub(super) fn given(kind: PageKind, body: &Map<String, Value>) -> Result<Properties, Refused> {
    let mut found = Properties::new();
    for (name, form) in fields(kind) {
        // Clients write `character_id` of a quest but read the same value as `instigator_id`.
        let written = if name == "instigator_id" { "character_id" } else { name };
        let written = if body.contains_key(written) { written } else { name };
        let value = match (body.get(written), form) {
            (None, _) | (_, Form::Read) => continue,
            (Some(Value::Null), _) => Value::Null,
            (Some(_), Form::Number) => json!(integer(body, written)?),
            (Some(_), Form::Flag) => json!(flag(body, written)?),
            (Some(list), Form::Numbers) => numbers(written, list)?,
        };
        found.insert(name.to_owned(), value);
    }
    if kind == PageKind::Character {
        found.extend(traits(body)?.map(|traits| ("traits".to_owned(), traits)));
    }
    Ok(found)
}

fn numbers(name: &str, list: &Value) -> Result<Value, Refused> {
    let wrong = || Refused::field(name, &format!("The {name} must be a list of integers."));
    let items = list.as_array().filter(|items| items.len() <= LIST_MAX).ok_or_else(wrong)?;
    let number = |item: &Value| item.as_i64().or_else(|| item.as_str()?.parse().ok());
    let numbers: Option<Vec<i64>> = items.iter().map(number).collect();
    Ok(json!(numbers.ok_or_else(wrong)?))
}

/// Builds the traits from the parallel name and entry lists; `None` if the body has no such lists.
fn traits(body: &Map<String, Value>) -> Result<Option<Value>, Refused> {
    let mut found = Vec::new();
    let mut told = false;
    for section in ["personality", "appearance"] {
        let name = format!("{section}_name");
        let texts = |field: &str| match body.get(field) {
            None | Some(Value::Null) => Ok(None),
            Some(list) => texts(field, list).map(Some),
        };
        let Some(names) = texts(&name)? else { continue };
        let entries = texts(&format!("{section}_entry"))?.unwrap_or_default();
        told = true;
        let entries = entries.into_iter().chain(std::iter::repeat(String::new()));
        found.extend(names.into_iter().zip(entries).map(|(name, entry)| {
            json!({ "name": name, "entry": entry, "section": section, "is_private": false })
        }));
    }
    Ok(told.then_some(Value::Array(found)))
}

fn texts(name: &str, list: &Value) -> Result<Vec<String>, Refused> {
    let wrong = || Refused::field(name, &format!("The {name} must be a list of short texts."));
    let items = list.as_array().filter(|items| items.len() <= TRAITS_MAX).ok_or_else(wrong)?;
    let text = |item: &Value| {
        let text = item.as_str().filter(|text| text.chars().count() <= TRAIT_MAX)?;
        Some(text.to_owned())
    };
    items.iter().map(text).collect::<Option<Vec<_>>>().ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(value: Value) -> Map<String, Value> {
        let Value::Object(body) = value else { unreachable!() };
        body
    }

    #[test]
    fn what_is_written_is_read_again() {
        let quest = body(json!({ "status_id": 2, "character_id": 7, "locations": [1, "2"] }));
        let kept = given(PageKind::Quest, &quest).unwrap();
        let shown = Value::Object(shown(PageKind::Quest, &kept));
        assert_eq!((&shown["status_id"], &shown["instigator_id"]), (&json!(2), &json!(7)));
        assert_eq!((&shown["locations"], &shown["elements"]), (&json!([1, 2]), &json!([])));
        let person = body(json!({ "personality_name": ["Brave"], "personality_entry": ["Very."] }));
        let kept = given(PageKind::Character, &person).unwrap();
        assert_eq!(kept["traits"][0]["entry"], "Very.");
    }

    #[test]
    fn what_cannot_be_kept_is_refused() {
        for fields in
            [json!({ "locations": "x" }), json!({ "races": [[]] }), json!({ "status_id": "x" })]
        {
            assert!(given(PageKind::Character, &body(fields.clone())).is_err(), "{fields}");
        }
    }
}

//! Checks that an answer has the requested shape. An answer that does not is an error: it is
//! neither shown nor cached, and does not mean that the object is missing.

use lore_anvil::{Field, IdForm, Kind, Object};
use lore_core::{Error, Result, Uid};
use serde_json::Value;

use super::convert::text_of;
use super::wire::Asking;

/// The requested shape of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// One object.
    One(Kind),
    /// A list of objects.
    Several(Kind),
}

impl Wanted {
    /// Returns the answer if it has this shape.
    pub(super) fn checked(self, asking: &Asking, answer: Object) -> Result<Object> {
        match self {
            Self::One(kind) => {
                let one = kind.row().one;
                match problem_of(kind, &answer) {
                    Some(problem) => {
                        Err(odd(format!("its answer is not a valid {one}: it {problem}")))
                    }
                    None if is_another(kind, asking, &answer) => {
                        Err(odd(format!("its answer is another {one} than was asked for")))
                    }
                    None => Ok(answer),
                }
            }
            Self::Several(kind) => {
                let broken = |what: &str| odd(format!("its list of {}: {what}", kind.row().many));
                let Some(Value::Array(rows)) = answer.get("entities") else {
                    return Err(broken("there are no entities in it"));
                };
                let mut problems = rows.iter().filter_map(|row| match row {
                    Value::Object(row) => problem_of(kind, row),
                    _ => Some("is not an object".to_owned()),
                });
                match problems.next() {
                    None => Ok(answer),
                    Some(problem) => Err(broken(&format!("an entry {problem}"))),
                }
            }
        }
    }
}

/// Returns why an object is not of a kind, as the end of a sentence that begins with "it".
fn problem_of(kind: Kind, object: &Object) -> Option<String> {
    let has_id = match object.get("id") {
        Some(Value::String(id)) => !id.trim().is_empty(),
        Some(Value::Number(_)) => true,
        _ => false,
    };
    if !has_id {
        return Some("has no id".to_owned());
    }
    let is_text = |name: &&String| {
        let field = kind.row().field(name);
        ["title", "state"].contains(&name.as_str()) || field.is_some_and(Field::is_markup)
    };
    let told = object.iter().filter(|(name, _)| is_text(name));
    let mut wrong = told.filter(|(_, value)| !(value.is_string() || value.is_null()));
    wrong.next().map(|(name, _)| format!("has a {name} that is not text"))
}

/// Whether an object is not the requested one. An id that is not in the kind's own form, such as a
/// page number, may stand for any object.
fn is_another(kind: Kind, asking: &Asking, object: &Object) -> bool {
    let asked = asking.query.iter().find(|(name, _)| *name == "id").map(|(_, id)| id.trim());
    let (asked, found) = (asked.unwrap_or_default(), text_of(object, "id"));
    match kind.row().id {
        IdForm::Uuid => {
            let asked = asked.parse::<Uid>().ok();
            asked.is_some() && found.trim().parse::<Uid>().ok() != asked
        }
        IdForm::Number => {
            let asked = asked.parse::<u64>().ok();
            asked.is_some() && found.trim().parse::<u64>().ok() != asked
        }
    }
}

fn odd(what: String) -> Error {
    Error::Unavailable { what: format!("World Anvil ({what})") }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const ASKED: &str = "0190a1b2-0000-7000-8000-000000000001";

    fn fault(wanted: Wanted, answer: Value) -> String {
        let Value::Object(answer) = answer else { unreachable!() };
        let asking = Asking::get("article").with("id", ASKED);
        wanted.checked(&asking, answer).map_or_else(|error| error.to_string(), |_| String::new())
    }

    #[test]
    fn a_thing_has_an_id_and_texts_that_are_texts() {
        let one = Wanted::One(Kind::Article);
        for good in [
            json!({ "id": ASKED, "title": "A", "content": null, "tags": ["x"] }),
            json!({ "id": ASKED.to_uppercase(), "category": [] }),
        ] {
            assert_eq!(fault(one, good), "");
        }
        for (bad, says) in [
            (json!({ "title": "A" }), "its answer is not a valid article: it has no id"),
            (json!({ "id": null }), "has no id"),
            (json!({ "id": " " }), "has no id"),
            (json!({ "id": "a", "title": { "a": 1 } }), "title that is not text"),
            (json!({ "id": "a", "content": 7 }), "content that is not text"),
            (json!({ "id": ASKED.replace('1', "2") }), "its answer is another article than was"),
        ] {
            assert!(fault(one, bad.clone()).contains(says), "{bad}");
        }
    }

    #[test]
    fn a_list_is_one_of_things() {
        let list = Wanted::Several(Kind::Map);
        assert_eq!(fault(list, json!({ "entities": [] })), "");
        assert_eq!(fault(list, json!({ "entities": [{ "id": "m", "title": "M" }] })), "");
        for (bad, says) in [
            (json!({}), "list of maps: there are no entities"),
            (json!({ "entities": { "3": { "id": "m" } } }), "no entities"),
            (json!({ "entities": [{ "id": "m" }, { "title": "x" }] }), "an entry has no id"),
            (json!({ "entities": [1] }), "an entry is not an object"),
        ] {
            assert!(fault(list, bad.clone()).contains(says), "{bad}");
        }
    }
}

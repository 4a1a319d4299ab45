//! Sections, the further texts of an object, and their names.
//!
//! The API also writes sections as fields of the object, so a section must not have the name of
//! another field.

use serde_json::Value;

use crate::Object;
use crate::field::Form;
use crate::table::Kind;

/// Fields of every object, and names with another meaning when written. None of them can name a
/// section.
pub(crate) const HEAD: [&str; 17] = [
    "id",
    "title",
    "slug",
    "state",
    "isWip",
    "isDraft",
    "entityClass",
    "icon",
    "url",
    "subscribergroups",
    "folderId",
    "tags",
    "updateDate",
    "isEditable",
    "success",
    "world",
    "sections",
];

/// Checks that a section can have this name. The error continues a sentence.
pub fn check_section(kind: Kind, name: &str) -> Result<(), String> {
    let (row, name) = (kind.row(), name.trim());
    let is_head = HEAD.iter().any(|known| known.eq_ignore_ascii_case(name));
    let is_other = row
        .field(name)
        .is_some_and(|field| !matches!(field.form, Form::Section | Form::HiddenSection));
    if is_head || is_other {
        return Err(format!("holds {name:?}, which is a field of every {}", row.one));
    }
    Ok(())
}

/// Why sections are invalid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OddSection {
    /// What is wrong, continuing a sentence.
    pub problem: String,
    /// What to do about it.
    pub hint: &'static str,
}

/// Checks the names of sections, and that each is a text or null.
pub fn check_sections(kind: Kind, sections: &Object) -> Result<(), OddSection> {
    for (name, text) in sections {
        check_section(kind, name).map_err(|problem| OddSection {
            problem,
            hint: "give it its own argument, or use another name",
        })?;
        if !(text.is_string() || text.is_null()) {
            let problem = format!("holds {name:?}, which is not text");
            let hint = "give each section as a text, or null to take it away";
            return Err(OddSection { problem, hint });
        }
    }
    Ok(())
}

/// Returns the first title of a list whose items are titles, or objects with a `title` or `name`.
pub fn first_title(list: &Value) -> Option<Value> {
    let first = list.as_array()?.first()?;
    let title = first.get("title").or_else(|| first.get("name")).unwrap_or(first);
    title.is_string().then(|| title.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_section_never_has_the_name_of_something_else() {
        for name in ["id", "Title", "state", "world", "content", "category", "templateType"] {
            assert!(check_section(Kind::Article, name).is_err(), "{name}");
        }
        for name in ["sidebarcontent", "authornotes", "geography", "Rumours of old"] {
            assert_eq!(check_section(Kind::Article, name), Ok(()), "{name}");
        }
    }

    #[test]
    fn a_section_is_a_text_or_nothing() {
        let check = |text: Value| {
            check_sections(Kind::Article, &Object::from_iter([("Rumours".to_owned(), text)]))
        };
        for text in [json!("x"), json!(""), Value::Null] {
            assert_eq!(check(text), Ok(()));
        }
        for text in [json!(3), json!(["x"]), json!({ "content": "x" }), json!(true)] {
            assert!(check(text).unwrap_err().problem.contains("\"Rumours\""));
        }
    }

    #[test]
    fn the_first_title_is_found_in_either_form() {
        for list in [json!(["Dark"]), json!([{ "id": 1, "title": "Dark" }, "Bright"])] {
            assert_eq!(first_title(&list), Some(json!("Dark")));
        }
        assert_eq!(first_title(&json!([])), None);
        assert_eq!(first_title(&json!([7])), None);
    }
}

//! Further texts of a thing, and what they may be called.
//!
//! The API writes them beside all other fields, so one of them must never have the name of
//! something else.

use serde_json::Value;

use crate::field::Form;
use crate::table::Kind;

/// What every object begins with, and what writing it means more than a text by.
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

/// Fails when a section cannot have this name; says why, continuing a sentence.
pub fn check_section(kind: Kind, name: &str) -> Result<(), String> {
    let row = kind.row();
    let is_head = HEAD.iter().any(|known| known.eq_ignore_ascii_case(name));
    let is_other = row
        .field(name)
        .is_some_and(|field| !matches!(field.form, Form::Section | Form::HiddenSection));
    if is_head || is_other {
        return Err(format!("holds {name:?}, which is a field of every {}", row.one));
    }
    Ok(())
}

/// The first of some titles: they are texts, or things with one.
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
    fn the_first_title_is_found_in_either_form() {
        for list in [json!(["Dark"]), json!([{ "id": 1, "title": "Dark" }, "Bright"])] {
            assert_eq!(first_title(&list), Some(json!("Dark")));
        }
        assert_eq!(first_title(&json!([])), None);
        assert_eq!(first_title(&json!([7])), None);
    }
}

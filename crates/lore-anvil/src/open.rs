//! Full and public views of an object in one: `openFields` beside the fields.
//!
//! The API of World Anvil only says whether an object is public. Another Lorewell also has objects
//! of which everybody sees a part. To a client with full access it sends the whole object, and in
//! `openFields` the values that everybody sees instead.

use serde_json::{Value, json};

use crate::Object;

/// The field of an object with the values of those fields that everybody sees differently; empty if
/// everybody sees the same.
pub const OPEN_FIELDS: &str = "openFields";

/// The field with the sections of an object.
const SECTIONS: &str = "sections";

/// Returns the fields of the public view that differ from the full object. Sections that only the
/// full object has are null.
pub fn seen_otherwise(object: &Object, mut open: Object) -> Object {
    if let (Some(Value::Object(whole)), Some(Value::Object(shown))) =
        (object.get(SECTIONS), open.get_mut(SECTIONS))
    {
        for name in whole.keys() {
            shown.entry(name).or_insert(Value::Null);
        }
    }
    open.retain(|name, value| object.get(name) != Some(value));
    open
}

/// Whether an object says how everybody sees it.
pub fn tells_everybody(object: &Object) -> bool {
    object.get(OPEN_FIELDS).is_some_and(Value::is_object)
}

/// Returns the public view of an object that says how everybody sees it, and any other object
/// unchanged. The view has empty `openFields`, so it still says so.
pub fn as_everybody_sees(mut object: Object) -> Object {
    let Some(Value::Object(open)) = object.shift_remove(OPEN_FIELDS) else { return object };
    for (name, value) in open {
        match (object.get_mut(&name), value) {
            (Some(Value::Object(sections)), Value::Object(shown)) if name == SECTIONS => {
                sections.extend(shown);
                sections.retain(|_, text| !text.is_null());
            }
            (_, value) => drop(object.insert(name, value)),
        }
    }
    object.insert(OPEN_FIELDS.to_owned(), json!({}));
    object
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(value: Value) -> Object {
        let Value::Object(object) = value else { unreachable!() };
        object
    }

    #[test]
    fn what_is_told_beside_an_object_makes_it_what_everybody_sees() {
        let whole = object(json!({
            "id": "a", "content": "Open. Hidden.", "notes": "Hidden.", "tags": "x,hidden",
            "sections": { "Rumours": "Of hidden.", "Same": "s", "Gone": "Hidden." }, "likes": 3,
        }));
        let open = object(json!({
            "id": "a", "content": "Open.", "notes": null, "tags": "x",
            "sections": { "Rumours": "Of …", "Same": "s" }, "likes": 3,
        }));
        let otherwise = seen_otherwise(&whole, open.clone());
        assert!(!otherwise.contains_key("likes") && !otherwise.contains_key("id"), "{otherwise:?}");
        let mut told = whole.clone();
        told.insert(OPEN_FIELDS.into(), Value::Object(otherwise));
        let mut seen = as_everybody_sees(told);
        assert!(tells_everybody(&seen));
        seen.shift_remove(OPEN_FIELDS);
        assert_eq!(seen, open);
    }

    #[test]
    fn what_tells_nothing_of_that_stays_as_it_is() {
        for value in [json!({ "id": "a" }), json!({ "id": "a", "openFields": "x" })] {
            let value = object(value);
            assert!(!tells_everybody(&value));
            assert_eq!(Value::Object(as_everybody_sees(value)), json!({ "id": "a" }));
        }
        let same = object(json!({ "id": "a", "sections": {} }));
        assert_eq!(seen_otherwise(&same, same.clone()), Object::new());
    }
}

//! How everybody sees a thing, told beside how the keys do that see the whole of it.
//!
//! World Anvil says of a thing whether it is public, and no more. Another program of this kind has
//! things that everybody sees a part of, and says which.

use serde_json::{Value, json};

use crate::Object;

/// Where an object tells the fields in which everybody sees something else; none of them where
/// everybody sees the same.
pub const OPEN_FIELDS: &str = "openFields";

/// Where it has its further texts.
const SECTIONS: &str = "sections";

/// The fields in which one and the same object is otherwise in the eyes of everybody.
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

/// Whether an object tells how everybody sees it.
pub fn tells_everybody(object: &Object) -> bool {
    object.get(OPEN_FIELDS).is_some_and(Value::is_object)
}

/// An object as everybody sees it, where it tells that; it says so still.
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

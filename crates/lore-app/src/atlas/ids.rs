//! The ids in objects, and the uids that things of a service get here.

use lore_anvil::{Kind, Object};
use lore_core::Uid;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// The ids in a reference, or in a list of references.
pub(super) fn references(value: &Value) -> Vec<String> {
    match value {
        Value::Array(items) => items.iter().flat_map(references).collect(),
        Value::Object(fields) => fields.get("id").map(references).unwrap_or_default(),
        Value::String(id) if !id.is_empty() => vec![id.clone()],
        Value::Number(id) => vec![id.to_string()],
        _ => Vec::new(),
    }
}

/// The `id` of an object.
pub(super) fn id_of(object: &Object) -> Option<String> {
    references(object.get("id")?).into_iter().next()
}

/// The local uid of an object: its own id if that is a UUID, otherwise one derived from it.
pub(super) fn uid_of(kind: Kind, id: &str) -> Uid {
    id.parse().unwrap_or_else(|_| uid_of_words(&format!("{} {id}", kind.row().path)))
}

/// A uid derived from words, always the same for the same words.
pub(super) fn uid_of_words(words: &str) -> Uid {
    let digest = Sha256::digest(format!("world anvil {words}").as_bytes());
    let mut bytes = [0_u8; 16];
    bytes.iter_mut().zip(digest).for_each(|(to, from)| *to = from);
    Uid::from_hash(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_become_ids_that_stay() {
        assert_eq!(uid_of(Kind::Image, "7"), uid_of(Kind::Image, "7"));
        assert_ne!(uid_of(Kind::Image, "7"), uid_of(Kind::Block, "7"));
        let own = "0190a1b2-0000-7000-8000-000000000001";
        assert_eq!(uid_of(Kind::Article, own).to_string(), own);
    }
}

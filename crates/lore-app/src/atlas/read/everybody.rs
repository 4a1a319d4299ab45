//! Adds to each object how everybody else sees it, for a client that reads with full access and
//! passes objects on to others. The store determines it, with the visibility everybody has. A copy
//! of a world uses it to keep hidden what is hidden at the source.

use std::collections::{HashMap, HashSet};

use lore_anvil::{Kind, OPEN_FIELDS, Object, Sensitivity, is_public, seen_otherwise};
use lore_core::Result;
use lore_core::names::name_key;
use serde_json::{Value, json};

use crate::atlas::ids::id_of;
use crate::atlas::source::Atlas;
use crate::atlas::write::input;
use crate::pages::tags::hide_tag;

impl Atlas {
    /// Adds to objects, as read at a granularity, the fields that everybody sees differently.
    pub async fn with_open_fields(
        &self,
        kind: Kind,
        objects: &mut [Object],
        granularity: i8,
    ) -> Result<()> {
        // A stored field of the same name must not pass for it.
        objects.iter_mut().for_each(|object| drop(object.shift_remove(OPEN_FIELDS)));
        let is_nobodys = kind == Kind::User || kind.row().sensitivity == Sensitivity::Secret;
        if is_nobodys || !self.viewer().sees_gm_side() {
            return Ok(());
        }
        let ids: Vec<String> = objects.iter().filter_map(id_of).collect();
        let mut open = self.open_objects(kind, &ids, granularity).await?;
        for object in objects {
            let otherwise = match id_of(object).and_then(|id| open.remove(&id)) {
                Some(open) => Value::Object(seen_otherwise(object, open)),
                None if is_public(object) => json!({ "state": "private" }),
                None => continue,
            };
            object.insert(OPEN_FIELDS.into(), otherwise);
        }
        Ok(())
    }

    /// Those of some objects that everybody sees, as everybody sees them, by id.
    async fn open_objects(
        &self,
        kind: Kind,
        ids: &[String],
        granularity: i8,
    ) -> Result<HashMap<String, Object>> {
        let mut open: HashMap<String, Object> = HashMap::new();
        for place in self.everywhere().await? {
            let left: Vec<&String> = ids.iter().filter(|id| !open.contains_key(*id)).collect();
            if left.is_empty() {
                break;
            }
            let place = place.for_everybody();
            let objects = match kind {
                Kind::World => vec![place.world(granularity).await?],
                _ => {
                    let nodes = place.those_called(kind, &left).await?;
                    place.assemble(kind, nodes, granularity).await?
                }
            };
            open.extend(objects.into_iter().filter_map(|object| Some((id_of(&object)?, object))));
        }
        Ok(open)
    }

    /// Hides tags here that are hidden at the source. Tags are hidden by their pages, which are not
    /// copied.
    pub(in crate::atlas) async fn hide_tags(&self, names: &[String]) -> Result<()> {
        for name in names {
            if let Some(hiding) = hide_tag(&self.scribe, name).await? {
                self.commit(|batch| batch.change(hiding)).await?;
            }
        }
        Ok(())
    }
}

/// The tags of an object that not everybody who sees the object may see.
pub(in crate::atlas) fn hidden_tags(object: &Object) -> Vec<String> {
    let open = object.get(OPEN_FIELDS).and_then(|open| open.get(TAGS));
    let Some(open) = open else { return Vec::new() };
    let read = |tags: &Value| input::tags(tags).unwrap_or_default();
    let open: HashSet<String> = read(open).iter().map(|tag| name_key(tag)).collect();
    let mut tags = object.get(TAGS).map(read).unwrap_or_default();
    tags.retain(|tag| !open.contains(&name_key(tag)));
    tags
}

/// The field of an object with its tags.
const TAGS: &str = "tags";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::atlas::object;

    #[test]
    fn tags_that_everybody_is_not_told_are_hidden() {
        let told = json!({ "tags": "River, Dark,x", "openFields": { "tags": "river" } });
        assert_eq!(hidden_tags(&object(told)), ["Dark", "x"]);
        let none = json!({ "tags": ["a"], "openFields": { "tags": null } });
        assert_eq!(hidden_tags(&object(none)), ["a"]);
        for same in [json!({ "tags": "a" }), json!({ "tags": "a", "openFields": {} })] {
            assert!(hidden_tags(&object(same)).is_empty());
        }
    }
}

//! What a model reads about the toolset.

use std::sync::Arc;

use lore_core::Role;
use lore_tools::{Call, Registry, Selection, Toolset};
use serde_json::json;

use crate::world::World;

/// The size of what a model reads of this toolset before it can use it.
#[test]
fn the_toolset_is_short_to_read() {
    let registry = Registry::standard();
    let pages = registry.all_tools().filter(|tool| tool.toolset == Toolset::Pages);
    let bytes: usize = pages
        .map(|tool| {
            let schema = serde_json::to_string(&*tool.input_schema).unwrap();
            tool.name.len() + tool.description.len() + schema.len()
        })
        .sum();
    assert!((3_000..=7_000).contains(&bytes), "{bytes} bytes");
}

#[tokio::test]
async fn the_context_tells_of_every_type_and_field() {
    let world = World::new().await;
    let selection = Selection::new();
    let found = world.registry.resource(&selection, Role::Reader, "kanka://context");
    let (resource, captures) = found.unwrap();
    let call = Call::new(Arc::clone(&world.app), world.owner);
    let context = (resource.read)(call, captures).await.unwrap();
    for key in [
        "description",
        "supported_entities",
        "core_fields",
        "terminology",
        "posts",
        "mentions",
        "limitations",
    ] {
        assert!(context.get(key).is_some(), "{key}");
    }
    assert_eq!(context["supported_entities"].as_object().unwrap().len(), 8);
}

#[tokio::test]
async fn what_may_be_null_is_declared_so() {
    let world = World::new().await;
    let id = world.make(json!({ "entity_type": "note", "name": "Plain" })).await;
    assert!(world.get(id).await["type"].is_null());
    let empty = world.call("find_entities", json!({ "name": "nobody at all" })).await;
    assert!(empty["sync_info"]["newest_updated_at"].is_null());
    for (tool, path) in [
        ("get_entities", "/properties/results/items/properties/type"),
        ("find_entities", "/properties/entities/items/properties/type"),
        ("find_entities", "/properties/sync_info/properties/newest_updated_at"),
    ] {
        let schema = &*world.registry.tool(tool).unwrap().output_schema;
        let schema = json!(schema);
        let field = schema.pointer(path).unwrap_or_else(|| panic!("{tool} {path}: {schema}"));
        assert!(field.get("type").is_none(), "{tool} {path}: {field}");
    }
}

//! The caller's other worlds.

use lore_app::access::create_token;
use lore_app::worlds;
use lore_core::{Principal, Role};
use serde_json::json;

use crate::world::World;

#[tokio::test]
async fn in_another_world_a_token_gives_no_more_than_in_its_own() {
    let world = World::new().await;
    let other = worlds::create(&world.app, Principal::LOCAL, "Velm", "test").await;
    let other = other.unwrap();
    let there = world.app.store.enter(Principal::LOCAL, other.id).await.unwrap().unwrap();
    let secret = json!({ "entities": [{
        "entity_type": "character", "name": "Odo", "entry": "The traitor", "is_hidden": true,
    }] });
    world.try_call(there, "create_entities", secret).await.unwrap();
    create_token(&world.app, &there, "Alice", Role::Gm).await.unwrap();
    let alice = world.player().await;
    let ask = json!({ "world_id": other.uid.to_string() });
    let seen = world.try_call(alice, "list_articles", ask.clone()).await.unwrap();
    assert_eq!(seen["entities"], json!([]), "{seen}");
    let seen = world.try_call(world.owner, "list_articles", ask).await.unwrap();
    assert_eq!(seen["entities"][0]["title"], "Odo", "{seen}");
}

#[tokio::test]
async fn a_reader_looks_into_their_other_worlds_as_a_reader() {
    let world = World::new().await;
    let other = worlds::create(&world.app, Principal::LOCAL, "Velm", "test").await.unwrap();
    let there = world.app.store.enter(Principal::LOCAL, other.id).await.unwrap().unwrap();
    let made = json!({ "entities": [
        { "entity_type": "character", "name": "Odo", "entry": "The traitor", "is_hidden": true },
        { "entity_type": "character", "name": "Ada", "entry": "The smith" },
    ] });
    world.try_call(there, "create_entities", made).await.unwrap();
    create_token(&world.app, &there, "Rita", Role::Gm).await.unwrap();
    let rita = world.person("Rita", Role::Reader).await;
    let listed = world.try_call(rita, "list_user_worlds", json!({})).await.unwrap();
    assert_eq!(listed["entities"].as_array().map(Vec::len), Some(2), "{listed}");
    for named in ["Velm".to_owned(), other.uid.to_string()] {
        let ask = json!({ "world_id": named });
        let found = world.try_call(rita, "get_world", ask.clone()).await.unwrap();
        assert_eq!(found["data"]["title"], "Velm", "{found}");
        let seen = world.try_call(rita, "list_articles", ask).await.unwrap();
        assert_eq!(seen["entities"].as_array().map(Vec::len), Some(1), "{seen}");
        let ask = json!({ "world_id": named, "query": "Ada Odo" });
        let found = world.try_call(rita, "search_articles", ask).await.unwrap().to_string();
        assert!(found.contains("Ada") && !found.contains("traitor"), "{found}");
    }
}

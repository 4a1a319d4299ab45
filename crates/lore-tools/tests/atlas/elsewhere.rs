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

//! Numbers of images and stat blocks: each identifies one object across all worlds.

use std::sync::Arc;

use lore_anvil::Kind;
use lore_app::atlas::{Anvil, Atlas, Extent};
use lore_app::worlds;
use lore_core::error::Code;
use lore_core::{Viewer, names::Word};
use lore_store::{Batch, Change, NewNode, Origin};
use serde_json::{Value, json};

use crate::there::There;
use crate::world::{World, object};

/// Creates a second world of the owner. Returns its id and the owner's viewer in it.
async fn second(world: &World) -> (String, Viewer) {
    let other = worlds::create(&world.app, world.owner.principal, "Other", "test").await.unwrap();
    let there = world.app.store.enter(world.owner.principal, other.id).await.unwrap().unwrap();
    (other.uid.to_string(), there)
}

fn atlas(world: &World, viewer: Viewer) -> Atlas {
    Atlas::new(Arc::clone(&world.app), viewer, "test", "test".into())
}

async fn title_of(world: &World, number: &Value) -> Value {
    let found = world.call("get_image", json!({ "image_id": number })).await;
    found["data"]["title"].clone()
}

#[tokio::test]
async fn a_number_means_one_thing_whichever_world_it_is_in() {
    let world = World::new().await;
    let (other, _) = second(&world).await;
    let mut numbers = Vec::new();
    for (title, place) in [("A", None), ("B", Some(&other)), ("C", None), ("D", Some(&other))] {
        let mut fields = json!({ "title": title });
        if let Some(place) = place {
            fields["world"] = json!({ "id": place });
        }
        numbers.push(world.make(Kind::Image, fields).await);
    }
    assert_eq!(numbers, [1, 2, 3, 4]);
    let here = atlas(&world, world.owner);
    here.update(Kind::Image, "2", &object(json!({ "title": "New" }))).await.unwrap();
    here.delete(Kind::Image, "4").await.unwrap();
    for (number, title) in [(1, "A"), (2, "New"), (3, "C")] {
        assert_eq!(title_of(&world, &json!(number)).await, title);
    }
    // The number of a deleted object is not used again, either.
    assert_eq!(world.make(Kind::Image, json!({ "title": "E" })).await, 5);
}

#[tokio::test]
async fn a_number_from_when_each_world_counted_for_itself_is_no_guess() {
    let world = World::new().await;
    let (other, there) = second(&world).await;
    for viewer in [world.owner, there] {
        let kind = Word::new("kind", "image").unwrap();
        let old = NewNode::new(world.app.effects.uid(), kind, "Old");
        let batch = Batch::new(Origin::new("test", "1"), world.app.effects.now())
            .change(Change::CreateNode(old));
        world.app.store.commit(&viewer, batch).await.unwrap();
    }
    let (code, told) = world.refused(world.owner, "get_image", json!({ "image_id": 1 })).await;
    assert_eq!(code, Code::Invalid);
    assert!(told.contains("several: Old ("), "{told}");
    let uid = told.split(['(', ')']).nth(1).unwrap();
    assert_eq!(title_of(&world, &json!(uid)).await, "Old");
    // A reference by number means the object in the world of the referring object.
    let map = json!({ "title": "Map", "image": { "id": 1 }, "world": { "id": other } });
    let map = world.make(Kind::Map, map).await;
    let shown = world.call("get_map", json!({ "map_id": map, "verbose": true })).await;
    assert_eq!(shown["data"]["image"]["id"], 1, "{shown}");
}

#[tokio::test]
async fn what_was_made_in_another_world_gives_way_to_copies() {
    let world = World::new().await;
    let (_, there) = second(&world).await;
    let elsewhere = atlas(&world, there);
    let made = elsewhere.create(Kind::Image, &object(json!({ "title": "Made" }))).await.unwrap();
    let text = json!({ "title": "Page", "content": r"See \[img:1\]." });
    let page = elsewhere.create(Kind::Article, &object(text)).await.unwrap();
    assert_eq!(made["id"], 1);
    let source = There::new(Extent::Whole);
    source.put(Kind::Image, json!({ "id": 1, "title": "Copy", "state": "public" }));
    assert_eq!(source.copied(&world).await.made, 1);
    assert_eq!(title_of(&world, &json!(1)).await, "Copy");
    let moved = (1_i64 << 41) + 1;
    assert_eq!(title_of(&world, &json!(moved)).await, "Made");
    let page = elsewhere.read(Kind::Article, page["id"].as_str(), 2).await.unwrap();
    assert_eq!(page["content"], format!(r"See \[img:{moved}\]."));
    // Objects created later get numbers that no service uses.
    let later = elsewhere.create(Kind::Image, &object(json!({ "title": "Later" }))).await.unwrap();
    assert!(later["id"].as_i64().unwrap() > 1 << 40, "{later:?}");
}

#[tokio::test]
async fn a_word_and_a_number_in_brackets_are_text_unless_kanka_has_a_kind_of_that_name() {
    let world = World::new().await;
    let saltmere = world.page(json!({ "entity_type": "location", "name": "Saltmere" })).await;
    let text = "A climb is [dc:1]; the orc is [block:1], [hp:1].";
    let made = json!({ "title": "Climb", "content": format!("{text} See [location:1].") });
    let made = world.call("create_article", made).await;
    let shown = made["data"]["content"].as_str().unwrap();
    assert_eq!(shown, format!("{text} See @[Saltmere](location:{saltmere})."));
    let plain = json!({ "title": "Plain", "content": text });
    let plain = world.call("create_article", plain).await;
    assert_eq!(plain["data"]["content"], text);
    let around = json!({ "entity_uri": "Saltmere" });
    let around = world.call("get_entity_neighborhood", around).await.to_string();
    assert!(around.contains("Climb") && !around.contains("Plain"), "{around}");
}

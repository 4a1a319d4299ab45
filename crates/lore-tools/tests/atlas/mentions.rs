//! Mentions: of pages and other things, by any id, and of what is not there.

use lore_anvil::Kind;
use lore_app::atlas::Extent;
use serde_json::{Value, json};

use crate::there::{There, uid};
use crate::world::World;

/// What an article says.
async fn content(world: &World, id: &Value) -> String {
    let arguments = json!({ "article_id": id, "granularity": 2 });
    let read = world.call("get_article", arguments).await;
    read["data"]["content"].as_str().unwrap().to_owned()
}

/// Whom the graph joins to something.
async fn neighbours(world: &World, name: &str) -> String {
    world.call("get_entity_neighborhood", json!({ "entity_uri": name })).await.to_string()
}

#[tokio::test]
async fn a_mention_of_what_is_gone_comes_back_as_it_was() {
    let world = World::new().await;
    let gone = world.page(json!({ "entity_type": "location", "name": "Mill" })).await;
    let entry = "By [entity:1|the mill], see [entity:1].";
    let id = world.page(json!({ "entity_type": "character", "name": "A", "entry": entry })).await;
    world.call("delete_article", json!({ "article_id": gone })).await;
    let arguments = json!({ "article_id": id, "granularity": 2 });
    let read = world.call("get_article", arguments.clone()).await;
    assert_eq!(read["data"]["content"], entry);
    let seen = world.try_call(world.player().await, "get_article", arguments).await.unwrap();
    assert_eq!(seen["data"]["content"], "By the mill, see ….");
    let change = json!({ "article_id": id, "content": read["data"]["content"] });
    world.call("update_article", change).await;
    let kept = world.call("get_entities", json!({ "entity_ids": [2] })).await;
    assert_eq!(kept["results"][0]["entry"], entry);
}

#[tokio::test]
async fn a_mention_that_never_led_anywhere_comes_back_as_it_was_written() {
    let world = World::new().await;
    for text in [
        "See [character:185].",
        "See [character:185|Bob] and [entity:186].",
        "| [location:185\\|the mill] |\n| --- |\n| x |",
        "By @[Bob](person:185).",
    ] {
        let made = world.call("create_article", json!({ "title": "A", "content": text })).await;
        assert_eq!(made["data"]["content"], text);
        assert_eq!(content(&world, &made["data"]["id"]).await, text);
    }
}

#[tokio::test]
async fn a_mention_by_a_number_is_one_of_what_has_it() {
    let world = World::new().await;
    let ilse = world.page(json!({ "entity_type": "character", "name": "Ilse" })).await;
    let wolf = world.make(Kind::Block, json!({ "title": "Wolf", "state": "public" })).await;
    let text = format!("Of @[Ilse](person:1) and @[a wolf](block:{wolf}).");
    let made = json!({ "title": "The light", "content": text, "state": "public" });
    let id = world.call("create_article", made).await["data"]["id"].clone();
    let said = content(&world, &id).await;
    assert_eq!(said, format!("Of @[Ilse](person:{ilse}) and @[a wolf](block:{wolf})."));
    for name in ["Ilse", "Wolf"] {
        let joined = neighbours(&world, name).await;
        assert!(joined.contains("The light"), "{name}: {joined}");
    }
    let found = world.call("find_entities", json!({ "name": "The light" })).await;
    assert_eq!(found["entities"][0]["entry"], "Of [entity:1|Ilse] and [entity:2|a wolf].");
}

#[tokio::test]
async fn who_does_not_see_a_page_does_not_mention_it_by_its_number() {
    let world = World::new().await;
    world.page(json!({ "entity_type": "character", "name": "Ilse", "is_hidden": true })).await;
    let player = world.player().await;
    let text = "Of @[Ilse](person:1).";
    let made = json!({ "title": "A guess", "content": text, "state": "public" });
    let made = world.try_call(player, "create_article", made).await.unwrap();
    assert_eq!(content(&world, &made["data"]["id"]).await, text);
    let joined = neighbours(&world, "Ilse").await;
    assert!(!joined.contains("A guess"), "{joined}");
}

#[tokio::test]
async fn a_number_in_a_copy_is_none_of_this_world() {
    let world = World::new().await;
    world.page(json!({ "entity_type": "character", "name": "Ilse" })).await;
    world.make(Kind::Block, json!({ "title": "Own block" })).await;
    let there = There::new(Extent::Whole);
    let text = "Of @[Bob](person:1), @[it](block:1) and @[a wolf](block:7).";
    let head = |id: Value, title: &str| json!({ "id": id, "title": title, "state": "public" });
    let mut article = head(json!(uid(2)), "Copied");
    article["templateType"] = json!("item");
    article["content"] = json!(text);
    there.put(Kind::Article, article);
    there.put(Kind::Block, head(json!(7), "Wolf"));
    there.copied(&world).await;
    assert_eq!(content(&world, &json!(uid(2))).await, text);
    assert!(neighbours(&world, "Wolf").await.contains("Copied"));
    for name in ["Ilse", "Own block"] {
        let joined = neighbours(&world, name).await;
        assert!(!joined.contains("Copied"), "{name}: {joined}");
    }
}

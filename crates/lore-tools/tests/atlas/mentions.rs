//! Mentions of pages and other objects, by any id, and mentions that lead nowhere.

use lore_anvil::Kind;
use lore_app::atlas::Extent;
use serde_json::{Value, json};

use crate::there::{There, uid};
use crate::world::World;

/// Returns the text of an article.
async fn content(world: &World, id: &Value) -> String {
    let arguments = json!({ "article_id": id, "granularity": 2 });
    let read = world.call("get_article", arguments).await;
    read["data"]["content"].as_str().unwrap().to_owned()
}

/// Returns the names that the graph connects with a node.
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

#[tokio::test]
async fn a_mention_in_the_form_of_world_anvil_is_one_at_every_door_and_as_hidden_as_its_page() {
    let world = World::new().await;
    let hidden = json!({ "entity_type": "location", "name": "Zrbarn", "is_hidden": true });
    let id = world.page(hidden).await;
    let text = format!("Of @[the b|rn](location:{id}) by night.");
    let page = json!({ "entity_type": "location", "name": "A page", "entry": text });
    let page = world.call("create_entities", json!({ "entities": [page] })).await;
    let number = page["results"][0]["entity_id"].clone();
    let other = json!({ "entity_type": "location", "name": "A posted", "entry": "x" });
    let other = world.call("create_entities", json!({ "entities": [other] })).await;
    let other = other["results"][0]["entity_id"].clone();
    let post = json!({ "entity_id": other, "name": "P", "entry": text });
    world.call("create_posts", json!({ "posts": [post] })).await;
    let node = json!({ "action": "add", "name": "A node", "type": "concept", "description": text });
    world.call("kn_graph", node).await;
    let fact = json!({ "action": "learn", "type": "decision", "content": text });
    world.call("kn_intel", fact).await;
    let table = json!({ "name": "A table", "gm_mode": "AI", "theme_prompt": text });
    let table = world.call("campaign_create", table).await["id"].clone();
    let session = json!({ "campaign_id": table, "name": "A session" });
    let session = world.call("session_start", session).await["id"].clone();
    world.call("session_note_add", json!({ "session_id": session, "text": text })).await;

    let joined = neighbours(&world, "Zrbarn").await;
    for door in ["A page", "A posted", "A node", "Decision: Of", "A table", "A session"] {
        assert!(joined.contains(door), "{door}: {joined}");
    }
    let player = world.player().await;
    for (tool, arguments) in [
        ("get_entities", json!({ "entity_ids": [number, other], "include_posts": true })),
        ("session_recap", json!({ "session_id": session })),
        ("knowledge_search", json!({ "query": "by night" })),
        ("kn_intel", json!({ "action": "recall", "topic": "by night" })),
        ("find_entities", json!({ "query": "night" })),
    ] {
        let seen = world.try_call(player, tool, arguments).await.unwrap().to_string();
        assert!(!seen.contains(&id) && !seen.contains("[entity:"), "{tool}: {seen}");
        assert!(tool == "kn_intel" || seen.contains("the b/rn"), "{tool}: {seen}");
    }
    let whole = world.call("get_entities", json!({ "entity_ids": [number] })).await.to_string();
    assert!(whole.contains("[entity:1|the b/rn]"), "{whole}");
    let change = json!({ "entity_id": number, "entry": "Of nothing." });
    world.call("update_entities", json!({ "updates": [change] })).await;
    assert!(!neighbours(&world, "Zrbarn").await.contains("A page"));
}

//! Changing the type of an entity: every door shows the new one.

use lore_tools::koi::{Ask, Failure};
use serde_json::{Value, json};

use crate::world::World;

#[tokio::test]
async fn the_type_of_a_page_stays_at_every_door() {
    let world = World::new().await;
    let page = world.page(json!({ "entity_type": "character", "name": "The Black Hand" })).await;
    let known = world.best("The Black Hand").await;
    let refused = refusal(&world, &known["uri"], "Organization").await;
    assert!(refused.contains("create_entities"), "{refused}");
    assert_eq!(world.best("The Black Hand").await, known);
    let ids = json!({ "entity_ids": [page["entity_id"]] });
    let shown = world.call("get_entities", ids).await;
    assert_eq!(shown["results"][0]["entity_type"], "character", "{shown}");
    let filtered = json!({ "query": "The Black Hand", "type_filter": "Organization" });
    assert_eq!(world.call("koi_search", filtered).await["count"], 0);
    world.post("entity/retype", json!({ "uri": known["uri"], "type": "Person" })).await;
}

#[tokio::test]
async fn what_came_in_here_is_of_its_new_type_at_every_door() {
    let world = World::new().await;
    let uri = world.register("Otto Krug", "Person").await;
    let number = world.number("Otto Krug").await;
    let shown = async || {
        let shown = world.call("get_entities", json!({ "entity_ids": [number] })).await;
        shown["results"][0]["entity_type"].clone()
    };
    assert_eq!(shown().await, "character");
    for (entity_type, kind) in [("Organization", "organization"), ("Location", "location")] {
        world.post("entity/retype", json!({ "uri": uri, "type": entity_type })).await;
        assert_eq!(shown().await, kind);
        assert_eq!(world.entity(&uri).await["type"], entity_type);
        let found = json!({ "query": "Otto Krug", "entity_type": kind });
        let found = world.call("find_entities", found).await;
        assert_eq!(found["entities"][0]["name"], "Otto Krug", "{found}");
        let none = json!({ "query": "Otto Krug", "entity_type": "character" });
        let none = world.call("find_entities", none).await;
        assert_eq!(none["entities"], json!([]), "{none}");
    }
}

#[tokio::test]
async fn two_that_part_are_of_their_own_types_at_every_door() {
    let world = World::new().await;
    let (otto, nora) =
        (world.register("Otto Krug", "Person").await, world.register("Nora Pike", "Person").await);
    let number = world.number("Nora Pike").await;
    world.post("entity/merge", json!({ "from_uri": nora, "into_uri": otto })).await;
    world.post("entity/retype", json!({ "uri": nora, "type": "Organization" })).await;
    world.post("entity/unmerge", json!({ "uri": nora })).await;
    for (number, kind) in [(number, "organization"), (world.number("Otto Krug").await, "character")]
    {
        let shown = world.call("get_entities", json!({ "entity_ids": [number] })).await;
        assert_eq!(shown["results"][0]["entity_type"], kind, "{shown}");
    }
}

#[tokio::test]
async fn a_page_that_was_merged_stays_what_it_is() {
    let world = World::new().await;
    world.page(json!({ "entity_type": "character", "name": "Jade", "is_hidden": true })).await;
    let page = world.best("Jade").await["uri"].clone();
    let other = world.register("Otto Krug", "Person").await;
    world.post("entity/merge", json!({ "from_uri": page, "into_uri": other })).await;
    refusal(&world, &page, "Project").await;
    world.post("entity/retype", json!({ "uri": other, "type": "Project" })).await;
    world.post("entity/unmerge", json!({ "uri": page })).await;
    assert_eq!(world.best("Jade").await["type"], "Person");
    assert_eq!(world.best("Otto Krug").await["type"], "Project");
}

#[tokio::test]
async fn a_note_that_says_otherwise_of_a_page_still_tells_of_it() {
    let world = World::new().await;
    world.page(json!({ "entity_type": "character", "name": "The Black Hand" })).await;
    let uri = world.best("The Black Hand").await["uri"].as_str().unwrap().to_owned();
    let note = |kind: &str, alias: &str| {
        format!(
            "---\n\"@type\": schema:{kind}\nuri: {uri}\naliases: [{alias}]\n---\nFive fingers.\n"
        )
    };
    world.note("Hand.md", &note("Person", "Blackie")).await;
    world.note("Hand.md", &note("Organization", "The Fist")).await;
    let found = world.best("The Black Hand").await;
    assert_eq!((&found["uri"], &found["type"]), (&json!(uri), &json!("Person")));
    let documents = world.call("get_entity_documents", json!({ "entity_uri": uri })).await;
    assert_eq!(documents["total_count"], 1, "{documents}");
}

#[tokio::test]
async fn what_differs_in_type_is_told_how_to_become_one() {
    let world = World::new().await;
    world.page(json!({ "entity_type": "character", "name": "Silas" })).await;
    world.page(json!({ "entity_type": "location", "name": "Silverport" })).await;
    let guild = world.register("Silver Guild", "Organization").await;
    let (silas, port) = (world.best("Silas").await, world.best("Silverport").await);
    let merge = async |from: &Value, into: &Value| {
        let ask = Ask::post(["entity", "merge"], json!({ "from_uri": from, "into_uri": into }));
        said(world.try_ask(world.owner, ask).await)
    };
    let pages = merge(&silas["uri"], &port["uri"]).await;
    assert!(pages.contains("update_entities"), "{pages}");
    for (from, into) in [(&silas["uri"], &json!(guild)), (&json!(guild), &silas["uri"])] {
        let hint = merge(from, into).await;
        assert!(hint.contains("a Person with /entity/retype"), "{hint}");
    }
}

/// Returns the error of an attempt to change an entity's type.
async fn refusal(world: &World, uri: &Value, entity_type: &str) -> String {
    let ask = Ask::post(["entity", "retype"], json!({ "uri": uri, "type": entity_type }));
    said(world.try_ask(world.owner, ask).await)
}

fn said(answered: Result<Value, Failure>) -> String {
    match answered {
        Err(Failure::Failed(error)) => format!("{error} {error:?}"),
        other => panic!("not refused: {other:?}"),
    }
}

#[tokio::test]
async fn who_registers_something_of_another_type_is_told_its_type() {
    let world = World::new().await;
    let uri = world.register("York", "Location").await;
    let register = json!({ "name": "York", "type": "Location" });
    let answer = world.post("register-entity", register.clone()).await;
    assert!(answer["type_kept"].is_null(), "{answer}");
    world.post("entity/retype", json!({ "uri": uri, "type": "Bioregion" })).await;
    let answer = world.post("register-entity", register).await;
    assert_eq!(answer["canonical_uri"], uri);
    assert_eq!(answer["type_kept"]["type"], "Bioregion", "{answer}");
}

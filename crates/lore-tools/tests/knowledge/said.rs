//! Descriptions of known entities: stored, shown, and kept with their entity through merges.

use lore_tools::koi::Ask;
use serde_json::{Value, json};

use crate::world::{ARTICLE, World};

/// Registers an entity with a description and returns what became of the description.
async fn describe(world: &World, whom: Value, text: &str) -> Value {
    let mut body = json!({ "name": "Ada Holt", "type": "Person", "description": text });
    body.as_object_mut().unwrap().extend(whom.as_object().unwrap().clone());
    world.post("register-entity", body).await["description"].clone()
}

/// Returns the titles of the documents found by some words.
async fn whose(world: &World, words: &str) -> Vec<String> {
    let found = world.call("knowledge_search", json!({ "query": words })).await;
    let found = found["results"].as_array().unwrap().iter();
    found.map(|one| one["title"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn what_is_said_of_somebody_known_is_kept_and_told() {
    let world = World::new().await;
    world.register("Ada Holt", "Person").await;
    let said = async |text| describe(&world, json!({}), text).await;
    assert_eq!(said("She counts puffins.").await, "kept: it had none");
    assert_eq!(said("She counts puffins. ").await, "known: the same was said of it before");
    assert_eq!(said("She plays the tuba.").await, "kept beside what was said of it before");
    assert_eq!(said(" ").await, Value::Null);
    assert_eq!(whose(&world, "puffins").await, ["Ada Holt"]);
    assert_eq!(whose(&world, "tuba").await, ["Ada Holt"]);
}

#[tokio::test]
async fn what_is_said_of_a_page_is_kept_beside_its_own_text_and_from_players() {
    let world = World::new().await;
    let page = json!({ "entity_type": "character", "name": "Ada Holt", "entry": "A sailor." });
    world.page(page).await;
    let said = describe(&world, json!({}), "She is a smuggler.").await;
    assert_eq!(said, "kept beside what was said of it before");
    assert_eq!(whose(&world, "smuggler").await, ["Ada Holt"]);
    let player = world.player().await;
    let found = world.call_as(player, "knowledge_search", json!({ "query": "smuggler" })).await;
    assert_eq!(found["count"], 0, "{found}");
}

#[tokio::test]
async fn what_is_said_of_one_who_is_merged_is_theirs_when_they_part() {
    let world = World::new().await;
    let nora = world.register("Nora Pike", "Person").await;
    let ada = world.register("Ada Holt", "Person").await;
    world.post("entity/merge", json!({ "from_uri": nora, "into_uri": ada })).await;
    describe(&world, json!({ "uri": nora }), "She counts puffins.").await;
    describe(&world, json!({ "name": "Nora Pike" }), "She plays the tuba.").await;
    describe(&world, json!({}), "She sings.").await;
    assert_eq!(whose(&world, "puffins").await, ["Ada Holt"]);
    world.post("entity/unmerge", json!({ "uri": nora })).await;
    assert_eq!(whose(&world, "puffins").await, ["Nora Pike"]);
    assert_eq!(whose(&world, "tuba").await, ["Nora Pike"]);
    assert_eq!(whose(&world, "sings").await, ["Ada Holt"]);
}

#[tokio::test]
async fn two_part_also_when_the_one_that_stayed_is_put_away() {
    let world = World::new().await;
    let page = |name: &str| world.page(json!({ "entity_type": "character", "name": name }));
    let (orlo, vane) = (page("Count Orlo").await, page("Duke Vane").await);
    let (count, duke) = (world.best("Count Orlo").await, world.best("Duke Vane").await);
    let pair = json!({ "from_uri": duke["uri"], "into_uri": count["uri"] });
    world.post("entity/merge", pair).await;
    world.call("delete_entities", json!({ "entity_ids": [orlo["entity_id"]] })).await;
    world.post("entity/unmerge", json!({ "uri": duke["uri"] })).await;
    assert_eq!(world.best("Duke Vane").await["uri"], duke["uri"]);
    let ids = json!({ "entity_ids": [vane["entity_id"], orlo["entity_id"]] });
    let shown = world.call("get_entities", ids).await;
    let there = |place: usize| shown["results"][place]["success"] == json!(true);
    assert!(there(0) && !there(1), "{shown}");
}

#[tokio::test]
async fn a_part_of_another_goes_nowhere_alone() {
    let world = World::new().await;
    let nora = world.register("Nora Pike", "Person").await;
    let ada = world.register("Ada Holt", "Person").await;
    let otto = world.register("Otto Krug", "Person").await;
    let whole = world.node("Nora Pike").await.uid.to_string();
    world.post("entity/merge", json!({ "from_uri": nora, "into_uri": ada })).await;
    let ask = Ask::post(["entity", "merge"], json!({ "from_uri": nora, "into_uri": otto }));
    let refused = format!("{:?}", world.try_ask(world.owner, ask).await.unwrap_err());
    assert!(refused.contains("merged into") && refused.contains("/entity/unmerge"), "{refused}");
    let back = json!({ "action": "restore", "node_id": whole });
    let refused = world.answer(world.owner, "kn_graph", back).await;
    let refused = refused.map(|answer| answer.text).unwrap_or_else(|error| error.to_string());
    assert!(refused.contains("was merged into"), "{refused}");
    world.post("entity/unmerge", json!({ "uri": nora })).await;
    assert_eq!(world.best("Nora Pike").await["uri"], json!(nora));
}

#[tokio::test]
async fn a_name_recognised_with_a_description_keeps_it() {
    let world = World::new().await;
    world.register("Acme Corporation", "Organization").await;
    let acme = json!({ "name": "Acme Corp", "type": "Organization" });
    assert_eq!(describe(&world, acme, "It makes anvils.").await, "kept: it had none");
    assert_eq!(whose(&world, "anvils").await, ["Acme Corporation"]);
}

#[tokio::test]
async fn a_spelling_recognised_as_one_who_is_merged_goes_with_them() {
    let world = World::new().await;
    let fund = world.register("Herring Restoration Fund", "Organization").await;
    let acme = world.register("Acme Corporation", "Organization").await;
    world.post("entity/merge", json!({ "from_uri": fund, "into_uri": acme })).await;
    world.register("Herring Restoraton Fund", "Organization").await;
    world.post("entity/unmerge", json!({ "uri": fund })).await;
    assert_eq!(world.entity(&acme).await["aliases"], json!([]));
    assert_eq!(world.entity(&fund).await["aliases"], json!(["Herring Restoraton Fund"]));
}

#[tokio::test]
async fn what_is_edited_of_a_text_that_was_merged_is_edited_when_they_part() {
    let world = World::new().await;
    let page = |name: &str, entry: &str| {
        world.page(json!({ "entity_type": "character", "name": name, "entry": entry }))
    };
    let (orlo, _) = (page("Count Orlo", "He dances.").await, page("Duke Vane", "He rides.").await);
    let (count, duke) = (world.best("Count Orlo").await, world.best("Duke Vane").await);
    let pair = json!({ "from_uri": duke["uri"], "into_uri": count["uri"] });
    world.post("entity/merge", pair).await;
    let asked = json!({ "entity_ids": [orlo["entity_id"]], "include_posts": true });
    let shown = world.call("get_entities", asked).await;
    let post = &shown["results"][0]["posts"][0];
    let edit = json!({
        "entity_id": orlo["entity_id"], "post_id": post["id"], "name": "Duke Vane",
        "entry": "He swims.",
    });
    world.call("update_posts", json!({ "updates": [edit] })).await;
    world.post("entity/unmerge", json!({ "uri": duke["uri"] })).await;
    assert_eq!(whose(&world, "swims").await, ["Duke Vane"]);
    assert!(whose(&world, "rides").await.is_empty());
}

#[tokio::test]
async fn the_note_about_a_page_names_whom_the_page_was_told_to_speak_of() {
    let world = World::new().await;
    let url = "https://example.org/herring";
    world.pages.0.lock().unwrap().insert(url.into(), ARTICLE.into());
    let (nora, eleanor, otto) = (
        world.register("Nora Pike", "Person").await,
        world.register("Eleanor Vance", "Person").await,
        world.register("Otto Krug", "Person").await,
    );
    for (from, into) in [(&otto, &nora), (&nora, &eleanor)] {
        world.post("entity/merge", json!({ "from_uri": from, "into_uri": into })).await;
    }
    world.call("preview_url", json!({ "url": url })).await;
    let given = |uri: &str| json!({ "name": uri, "type": "Person" });
    let arguments = json!({ "url": url, "entities": [given(&nora), given(&otto)] });
    let taken = world.call("ingest_url", arguments).await;
    let names = [&taken["entities"][0]["name"], &taken["entities"][1]["name"]];
    assert_eq!(names, ["Nora Pike", "Otto Krug"], "{taken}");
    assert_eq!(taken["entities"][0]["uri"], json!(eleanor));
    for gone in [&nora, &otto] {
        world.post("entity/unmerge", json!({ "uri": gone })).await;
    }
    let note = json!({ "path": taken["vault_note_path"] });
    let note = world.call("vault_read_note", note).await["content"].to_string();
    assert!(note.contains("[[Nora Pike]]") && note.contains("[[Otto Krug]]"), "{note}");
    assert!(!note.contains("Eleanor"), "{note}");
    for (uri, count) in [(&nora, 2), (&otto, 2), (&eleanor, 0)] {
        let told = world.call("get_entity_documents", json!({ "entity_uri": uri })).await;
        assert_eq!(told["total_count"], count, "{told}");
    }
}

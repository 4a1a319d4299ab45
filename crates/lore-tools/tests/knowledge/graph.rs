//! Entities that must not be confused, and content from outside.

use std::sync::Arc;

use async_trait::async_trait;
use lore_app::knowledge::Elsewhere;
use lore_tools::koi::{Ask, Failure};
use serde_json::{Value, json};

use crate::world::{ARTICLE, World};

#[tokio::test]
async fn a_name_of_another_type_is_something_else() {
    let world = World::new().await;
    let uris = [
        world.register("Mercury", "Person").await,
        world.register("Mercury", "Project").await,
        world.register("Mercury", "Location").await,
    ];
    assert_eq!(world.register("Mercury", "Project").await, uris[1]);
    let body = json!({ "name": "Mercury", "entity_type": "Concept", "uri": uris[2] });
    let asked = world.post("register-entity", body).await;
    assert_eq!((&asked["canonical_uri"], &asked["is_new"]), (&json!(uris[2]), &json!(false)));
    // The predicate decides which of them a relation means.
    world.register("Ida Penn", "Person").await;
    let body = json!({
        "document_rid": "doc:1", "content": "x",
        "relationships": [{ "subject": "Ida Penn", "predicate": "founded", "object": "Mercury" }],
    });
    assert_eq!(world.post("ingest", body).await["stats"]["relationships_added"], 1);
    assert_eq!(world.relations(&uris[1]).await, ["Ida Penn founded Mercury"]);
}

#[tokio::test]
async fn a_name_of_like_meaning_is_offered_and_never_taken() {
    let world = World::new().await;
    world.register("Automobile", "Concept").await;
    world.register("Waterfall", "Concept").await;
    let arguments = json!({ "label": "Car", "type_hint": "Concept" });
    let found = world.call("resolve_entity", arguments).await;
    let first = &found["candidates"][0];
    assert_eq!((&first["name"], &first["tier"]), (&json!("Automobile"), &json!("semantic")));
    assert!(first["confidence"].as_f64().unwrap() < 0.5, "{found}");
    assert_eq!(
        (found["candidates"].as_array().unwrap().len(), &found["is_new"]),
        (1, &json!(true))
    );
}

#[tokio::test]
async fn a_first_name_is_enough_among_those_who_know_each_other() {
    let world = World::new().await;
    world.register("Shawn Anderson", "Person").await;
    world.register("Mia Vale", "Person").await;
    let body = json!({
        "document_rid": "doc:1", "content": "They met.",
        "relationships": [{ "subject": "Shawn Anderson", "predicate": "knows", "object": "Mia Vale" }],
    });
    world.post("ingest", body).await;
    for name in ["Shawn", "Sean"] {
        let alone = world.post("entity/resolve", json!({ "label": name, "type_hint": "Person" }));
        let alone = alone.await["candidates"][0]["confidence"].as_f64().unwrap();
        let context = json!({ "associated_people": ["Mia Vale"] });
        let body = json!({ "label": name, "type_hint": "Person", "context": context });
        let found = world.post("entity/resolve", body).await["candidates"][0].clone();
        assert_eq!(
            (&found["name"], &found["tier"]),
            (&json!("Shawn Anderson"), &json!("contextual"))
        );
        let confidence = found["confidence"].as_f64().unwrap();
        assert!(alone < 0.5 && confidence > 0.6, "{name}: {alone} {confidence}");
    }
}

#[tokio::test]
async fn an_alias_can_be_taken_away() {
    let world = World::new().await;
    let uri = world.register("Ada Lovelace", "Person").await;
    world.post("entity/alias", json!({ "uri": uri, "alias": "Lady L" })).await;
    let body = json!({ "uri": uri, "alias": "lady l", "action": "remove", "reason": "unused" });
    assert_eq!(world.post("entity/alias", body.clone()).await["entity"]["aliases"], json!([]));
    for body in [body, json!({ "uri": uri, "alias": "Ada Lovelace", "action": "remove" })] {
        let refused = world.try_ask(world.owner, Ask::post(["entity", "alias"], body)).await;
        assert!(matches!(refused, Err(Failure::Failed(_))), "{refused:?}");
    }
    let misread = json!({ "uri": uri, "alias": "Lady L", "remove": true });
    let refused = world.try_ask(world.owner, Ask::post(["entity", "alias"], misread)).await;
    assert!(matches!(refused, Err(Failure::Unreadable(_))), "{refused:?}");
    let history = world.ask(Ask::get(["entity".to_owned(), uri, "history".to_owned()])).await;
    assert_eq!(history["history"][0]["action"], "ALIAS_REMOVED");
}

#[tokio::test]
async fn the_longest_name_is_the_one_that_is_meant() {
    let world = World::new().await;
    world.register("River Song", "Person").await;
    let river = world.register("River", "Concept").await;
    world.register("Song of the River", "Concept").await;
    let content = "We heard the Song of the River while River Song slept.";
    world.post("ingest", json!({ "document_rid": "m1", "content": content })).await;
    for (name, count) in [("River Song", 1), ("Song of the River", 1)] {
        let found = world.call("get_entity_documents", json!({ "entity_uri": name })).await;
        assert_eq!(found["documents"][0]["mention_count"], count, "{found}");
    }
    let found = world.call("get_entity_documents", json!({ "entity_uri": river })).await;
    assert_eq!(found["total_count"], 0, "{found}");
}

#[tokio::test]
async fn what_process_url_gives_ingest_url_takes() {
    let world = World::new().await;
    let url = "https://example.org/herring";
    world.pages.0.lock().unwrap().insert(url.into(), ARTICLE.into());
    world.call("preview_url", json!({ "url": format!("{url}#part") })).await;
    let read = world.call("process_url", json!({ "url": url })).await;
    assert_eq!(read["untrusted"], true);
    let mut entities = read["entities"].as_array().unwrap().clone();
    let good = entities.len();
    entities.extend([json!(5), json!({ "type": "Person" })]);
    let arguments =
        json!({ "url": url, "entities": entities, "relationships": read["relationships"] });
    let taken = world.call("ingest_url", arguments).await;
    assert_eq!(taken["entities_resolved"], good, "{taken}");
    let refused = taken["refused"].as_array().unwrap().iter().map(|one| one["item"].clone());
    let wanted = [good, good + 1].map(|place| json!(format!("entities[{place}]")));
    assert_eq!(refused.collect::<Vec<_>>(), wanted);
    let found = world.call("knowledge_search", json!({ "query": "Herring Foundation" })).await;
    let mut told = found["results"].as_array().unwrap().iter();
    let told = told.find(|one| one["title"] == "Herring Foundation").unwrap();
    assert_eq!(told["metadata"]["untrusted"], true, "what a page says of it is not ours: {told}");
    let note = world.call("vault_read_note", json!({ "path": "Sources/Herring.md" })).await;
    assert!(note["content"].as_str().unwrap().contains("- [[Ada Holt]]"), "{note}");
}

#[tokio::test]
async fn lists_of_entities_go_on_where_they_ended() {
    let world = World::new().await;
    let names = ["Ada Holt", "Bo Lin", "Cy Moor"];
    for name in names {
        world.register(name, "Person").await;
    }
    let page = async |offset: usize| {
        let ask = Ask::get(["entities"]).with("limit", Some(2)).with("offset", Some(offset));
        let found = world.ask(ask).await;
        let entities = found["entities"].as_array().unwrap().iter();
        let names: Vec<String> =
            entities.map(|one| one["name"].as_str().unwrap().to_owned()).collect();
        (names, found["truncated"].clone())
    };
    assert_eq!(page(0).await, (vec!["Ada Holt".to_owned(), "Bo Lin".to_owned()], json!(true)));
    assert_eq!(page(2).await, (vec!["Cy Moor".to_owned()], json!(false)));
    assert_eq!(page(9).await, (Vec::new(), json!(false)));
}

/// Another KOI API that knows a secret.
struct Secretive;

#[async_trait]
impl Elsewhere for Secretive {
    async fn ask(&self, _ask: Ask) -> lore_core::Result<Value> {
        Ok(json!({ "results": [], "count": 0, "query": "canary" }))
    }
}

#[tokio::test]
async fn another_koi_api_is_asked_for_the_game_master_alone() {
    let world = World::with(|app| app.elsewhere = Some(Arc::new(Secretive))).await;
    let player = world.player().await;
    let query = json!({ "query": "anything" });
    assert!(world.answer(world.owner, "knowledge_search", query.clone()).await.is_ok());
    for tool in ["knowledge_search", "koi_search"] {
        let refused = world.answer(player, tool, query.clone()).await.unwrap_err().to_string();
        assert!(refused.contains("rights of the game master"), "{refused}");
    }
}

#[tokio::test]
async fn a_page_that_may_be_read_no_more_can_be_left_alone() {
    let world = World::new().await;
    let url = "https://example.org/herring";
    world.pages.0.lock().unwrap().insert(url.into(), ARTICLE.into());
    world.call("monitor_url", json!({ "action": "add", "url": url })).await;
    world.pages.1.store(true, std::sync::atomic::Ordering::Relaxed);
    let remove = async |url: &str| {
        let asked = json!({ "action": "remove", "url": url });
        world.call("monitor_url", asked).await["status"].clone()
    };
    assert_eq!(remove("http://never/").await, "not_found");
    assert_eq!(remove(url).await, "removed");
    assert_eq!(world.call("monitor_url", json!({})).await["monitored_urls"], 0);
}

#[tokio::test]
async fn watched_pages_can_be_asked_to_be_looked_at_now() {
    let world = World::new().await;
    let asked = world.post("web/monitor/scan", json!({})).await;
    assert_eq!(asked["status"], "scan_triggered");
    assert_eq!(world.call("monitor_url", json!({})).await["scan_count"], 0);
}

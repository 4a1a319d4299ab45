//! What is told of an entity to who asks, and how a question is repeated.

use serde_json::json;

use crate::world::World;

#[tokio::test]
async fn what_somebody_wrote_of_an_entity_is_around_it_and_what_was_read_is_not() {
    let world = World::new().await;
    let ada = json!({ "entities": [{ "entity_type": "character", "name": "Ada Holt" }] });
    let made = world.call("create_entities", ada).await;
    let mention = format!("[entity:{}]", made["results"][0]["entity_id"]);
    let idea = json!({ "action": "create", "title": format!("Let {mention} count herring") });
    world.call("kn_idea", idea).await;
    let fact = json!({ "action": "learn", "type": "gotcha", "confidence": "high",
        "content": format!("{mention} never sails on Fridays") });
    world.call("kn_intel", fact).await;
    world.note("Herring.md", "# Herring\n\nAda Holt counts them.\n").await;
    let around = json!({ "entity_uri": mention });
    let around = world.call("get_entity_neighborhood", around).await;
    let rows = around["relationships"].as_array().unwrap();
    assert_eq!(rows.len(), 2, "{around}");
    for row in rows {
        assert_eq!(
            (&row["predicate"], &row["subject_type"]),
            (&json!("mentions"), &json!("Document"))
        );
        assert_eq!(
            (&row["object_name"], &row["object_type"]),
            (&json!("Ada Holt"), &json!("Person"))
        );
    }
}

#[tokio::test]
async fn a_long_question_is_repeated_in_short() {
    let world = World::new().await;
    let long = "lanterns and harbours ".repeat(5_000);
    for (tool, arguments) in [
        ("knowledge_search", json!({ "query": long, "source": long })),
        ("koi_search", json!({ "query": long })),
        ("kn_intel", json!({ "action": "context", "keywords": long })),
    ] {
        let answer = world.call(tool, arguments).await;
        assert!(answer.to_string().len() < 3_000, "{tool}: {answer}");
        assert!(answer["query"].as_str().unwrap().starts_with("lanterns and harbours"), "{answer}");
    }
}

#[tokio::test]
async fn whom_a_note_mentions_by_number_it_mentions() {
    let world = World::new().await;
    let town = world.page(json!({ "entity_type": "location", "name": "Qx Vmtown" })).await;
    let mention = format!("[location:{}|the town]", town["entity_id"]);
    world.note("Trip.md", &format!("We went to {mention} by boat.\n")).await;
    let ask = json!({ "entity_uri": "Qx Vmtown" });
    let told = world.call("get_entity_documents", ask.clone()).await;
    assert_eq!(told["documents"][0]["vault_path"], "Trip", "{told}");
    world.note("Trip.md", "We went nowhere.\n").await;
    let told = world.call("get_entity_documents", ask).await;
    assert_eq!(told["total_count"], 0, "{told}");
}

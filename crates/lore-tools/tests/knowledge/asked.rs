//! What readers are told about an entity, and how answers repeat queries.

use lore_tools::koi::Ask;
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

/// Whichever kind of edge connects them, in either direction.
#[tokio::test]
async fn what_is_linked_to_an_entity_is_a_document_of_it_or_around_it() {
    let world = World::new().await;
    let bram = world.page(json!({ "entity_type": "character", "name": "Bram Oake" })).await;
    let bram = bram["entity_id"].to_string();
    let idea = json!({ "action": "create", "title": "Herring farm", "link_to": bram });
    world.call("kn_idea", idea).await;
    let fact = json!({ "action": "learn", "type": "decision", "content": "Salt the nets." });
    let fact = world.call("kn_intel", fact).await["node_id"].clone();
    let vague = json!({ "action": "create", "title": "Kite mill" });
    let mut linked = vec![fact, world.call("kn_idea", vague).await["id"].clone()];
    for (entity_type, name) in
        [("journal", "Log of May"), ("note", "On rope"), ("quest", "Find it")]
    {
        let page = world.page(json!({ "entity_type": entity_type, "name": name })).await;
        linked.push(json!(page["entity_id"].to_string()));
    }
    let node = json!({ "action": "add", "name": "Capstan", "type": "concept" });
    linked.push(world.call("kn_graph", node).await["id"].clone());
    for (place, id) in linked.iter().enumerate() {
        let (from, to) = if place % 2 == 0 { (id, &json!(bram)) } else { (&json!(bram), id) };
        let edge = json!({
            "action": "connect", "source_id": from, "target_id": to, "edge_type": "concerns",
        });
        world.call("kn_graph", edge).await;
    }
    let ask = json!({ "entity_uri": "Bram Oake" });
    let told = world.call("get_entity_documents", ask.clone()).await;
    let told = told["documents"].as_array().unwrap().iter();
    let mut told: Vec<_> = told.map(|one| one["vault_path"].as_str().unwrap().to_owned()).collect();
    told.sort();
    let documents = [
        "idea/Herring farm",
        "idea/Kite mill",
        "journal/Log of May",
        "learned_decision/Decision: Salt the nets.",
        "note/On rope",
    ];
    assert_eq!(told, documents);
    let uri = world.best("Bram Oake").await["uri"].as_str().unwrap().to_owned();
    let around = world.relations(&uri).await.join("\n");
    assert!(around.contains("Find it") && around.contains("Capstan"), "{around}");
    let path = ["entity", uri.as_str(), "mentioned-in"];
    let answer = world.ask(Ask::get(path)).await;
    assert_eq!(answer["documents"].as_array().unwrap().len(), documents.len(), "{answer}");
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
    let uid = world.node("Qx Vmtown").await.uid;
    let ask = json!({ "entity_uri": "Qx Vmtown" });
    for mention in [
        format!("[location:{}|the town]", town["entity_id"]),
        format!("@[the town](location:{uid})"),
    ] {
        world.note("Trip.md", "We went.\n").await;
        world.note("Trip.md", &format!("We went to {mention} by boat.\n")).await;
        let told = world.call("get_entity_documents", ask.clone()).await;
        assert_eq!(told["documents"][0]["vault_path"], "Trip", "{told}");
    }
    world.note("Trip.md", "We went nowhere.\n").await;
    let told = world.call("get_entity_documents", ask).await;
    assert_eq!(told["total_count"], 0, "{told}");
}

#[tokio::test]
async fn of_many_relations_the_most_certain_are_listed() {
    let world = World::new().await;
    let guild = world.register("Tide Guild", "Organization").await;
    let people: Vec<_> =
        (0..5).map(|n| json!({ "name": format!("Ada {n}"), "type": "Person" })).collect();
    let told: Vec<_> = (0..5)
        .map(|n| {
            json!({
                "subject": format!("Ada {n}"), "predicate": "affiliated_with",
                "object": guild, "confidence": 0.5 + f64::from(n) / 10.0,
            })
        })
        .collect();
    let body = json!({ "document_rid": "sensor:1", "entities": people, "relationships": told });
    world.post("ingest", body).await;
    let list = async |limit: Option<i64>| {
        let path = ["relationships".to_owned(), guild.clone()];
        world.ask(Ask::get(path).with("limit", limit)).await
    };
    let all = list(None).await;
    assert_eq!((&all["count"], all.get("truncated")), (&json!(5), None), "{all}");
    let some = list(Some(2)).await;
    assert_eq!((&some["count"], &some["truncated"]), (&json!(5), &json!(true)));
    let sure: Vec<f64> = some["relationships"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["confidence"].as_f64().unwrap())
        .collect();
    assert_eq!(sure, [0.9, 0.8]);
}

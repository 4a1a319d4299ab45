//! Names in different spellings: which are taken for the same, and that this can be undone.

use std::sync::Arc;

use async_trait::async_trait;
use lore_app::knowledge::Elsewhere;
use lore_tools::koi::{Ask, Failure};
use serde_json::{Value, json};

use crate::lists::{GUESSES, LOOK_ALIKES};
use crate::world::{ARTICLE, World};

#[tokio::test]
async fn look_alikes_and_guesses_are_registered_apart() {
    for some in [LOOK_ALIKES, GUESSES].concat().chunks(20) {
        let world = World::new().await;
        for (one, other, entity_type) in some {
            let register = async |name: &str| {
                let body = json!({ "name": name, "type": entity_type });
                let made = world.try_ask(world.owner, Ask::post(["register-entity"], body)).await;
                // Ambiguous names are refused with a question.
                made.ok().map(|made| made["canonical_uri"].clone())
            };
            let (first, second) = (register(one).await, register(other).await);
            assert!(first.is_none() || first != second, "{one} / {other}");
        }
    }
}

#[tokio::test]
async fn what_is_recognised_is_in_the_log_and_can_be_undone() {
    let world = World::new().await;
    let uri = world.register("Herring Monitoring Society", "Organization").await;
    let body = json!({
        "name": "Herring Monitring Society", "type": "Organization", "aliases": ["HMS Herring"],
    });
    let known = world.post("register-entity", body.clone()).await;
    assert_eq!((&known["is_new"], &known["canonical_uri"]), (&json!(false), &json!(uri)));
    assert_eq!(known["merged_with"], "Herring Monitoring Society");
    let names = json!(["Herring Monitring Society", "HMS Herring"]);
    assert_eq!(world.entity(&uri).await["aliases"], names);

    let history = world.ask(Ask::get(["entity".to_owned(), uri.clone(), "history".to_owned()]));
    let entry = history.await["history"][0].clone();
    assert_eq!(entry["action"], "ENTITY_MERGED");
    let why = entry["reason"].as_str().unwrap();
    assert!(why.starts_with("recognised by its name: ") && why.contains("monitring"), "{why}");

    let other = entry["details"]["uri"].as_str().unwrap();
    world.post("entity/unmerge", json!({ "uri": other, "reason": "another society" })).await;
    assert_eq!(world.entity(&uri).await["aliases"], json!([]));
    let again = world.post("register-entity", body).await;
    assert_eq!((&again["canonical_uri"], &again["is_new"]), (&json!(other), &json!(false)));
}

#[tokio::test]
async fn relations_are_never_told_of_a_look_alike() {
    let world = World::new().await;
    let people = [("Samir Aziz", "Samira Aziz"), ("Haruki Tanaka", "Haruka Tanaka")];
    for (known, _) in people {
        world.register(known, "Person").await;
    }
    world.register("Benedict Cumberbatch", "Person").await;
    let mary = world.register("St. Mary's Hospital", "Organization").await;
    let told = |subject: &str, object: &str| json!({ "subject": subject, "predicate": "affiliated_with", "object": object });
    let url = "https://example.org/herring";
    world.pages.0.lock().unwrap().insert(url.into(), ARTICLE.into());
    world.call("preview_url", json!({ "url": url })).await;
    let relations = json!([
        told("Samira Aziz", "St. Mary's Hospital"),
        told("Haruka Tanaka", "St. Mary's Hospital"),
        told("Samir Aziz", "St. Mark's Hospital"),
        told("Benedict Cumberbach", "St. Mary's Hospital"),
        told("Nobody Atall", "St. Mary's Hospital"),
    ]);
    let page = json!({ "url": url, "relationships": relations });
    let taken = world.call("ingest_url", page).await;
    let read = json!({ "document_rid": "sensor:1", "relationships": relations });
    let read = world.post("ingest", read).await;
    for (refused, added) in [
        (&taken["refused"], &taken["relationships_added"]),
        (&read["refused"], &read["stats"]["relationships_added"]),
    ] {
        assert_eq!((refused.as_array().unwrap().len(), added), (5, &json!(0)), "{refused}");
        let why = |place: usize| refused[place]["reason"].as_str().unwrap().to_owned();
        assert!(why(0).contains("Samir Aziz (orn:") && why(2).contains(&mary), "{refused}");
        assert!(why(3).contains("Benedict Cumberbatch (orn:"), "{refused}");
        assert!(why(4).contains("is no known entity"), "{refused}");
    }
    assert!(world.relations("Samir Aziz").await.is_empty());
    let around = json!({ "entity_uri": "Samira Aziz" });
    let read = world.answer(world.owner, "get_entity_neighborhood", around).await;
    assert!(read.is_err(), "nor is one read for the other");

    // An entity that the request lists is created, and then has the relation.
    let listed = json!({
        "document_rid": "sensor:2",
        "entities": [{ "name": "Samira Aziz", "type": "Person" }],
        "relationships": [told("Samira Aziz", "St. Mary's Hospital")],
    });
    assert_eq!(world.post("ingest", listed).await["stats"]["relationships_added"], 1);
    assert_eq!(world.relations(&mary).await, ["Samira Aziz affiliated_with St. Mary's Hospital"]);
}

#[tokio::test]
async fn a_name_written_out_is_merged_and_can_be_undone() {
    let world = World::new().await;
    for (short, long) in
        [("Acme Corp", "Acme Corporation"), ("Smith & Sons Ltd", "Smith and Sons Limited")]
    {
        let uri = world.register(short, "Organization").await;
        assert_eq!(world.register(long, "Organization").await, uri, "{long}");
        let path = ["entity".to_owned(), uri.clone(), "history".to_owned()];
        let entry = world.ask(Ask::get(path)).await["history"][0].clone();
        assert_eq!(entry["action"], "ENTITY_MERGED", "{long}");
        let other = entry["details"]["uri"].as_str().unwrap();
        world.post("entity/unmerge", json!({ "uri": other })).await;
        assert_eq!(world.register(long, "Organization").await, other);
        assert_eq!(world.register(short, "Organization").await, uri);
    }
}

#[tokio::test]
async fn two_notes_with_different_names_are_about_two_things() {
    let world = World::new().await;
    let note = "---\n\"@type\": Project\n---\nA project.\n";
    for (one, other) in [
        ("Onshore Solar", "Offshore Solar"),
        ("Herring Monitoring", "Herring Monitring"),
        ("The Gate", "Gate"),
    ] {
        world.note(&format!("Projects/{one}.md"), note).await;
        world.note(&format!("Projects/{other}.md"), note).await;
        let (one, other) = (world.best(one).await, world.best(other).await);
        assert_ne!(one["uri"], other["uri"], "{other}");
    }
}

#[tokio::test]
async fn things_of_different_types_are_not_merged() {
    let world = World::new().await;
    let person = world.register("Ottoline Vane", "Person").await;
    let mill = world.register("Vane Textile Mill", "Organization").await;
    let ask = Ask::post(["entity", "merge"], json!({ "from_uri": person, "into_uri": mill }));
    let refused = world.try_ask(world.owner, ask).await;
    assert!(
        matches!(&refused, Err(Failure::Failed(error))
        if error.to_string().contains("is a Person and \"Vane Textile Mill\" an Organization")),
        "{refused:?}"
    );
}

#[tokio::test]
async fn how_many_are_asked_for_does_not_make_a_name_new() {
    let world = World::new().await;
    for uri in ["orn:personal-koi.entity:person-a", "orn:personal-koi.entity:person-b"] {
        let body = json!({ "name": "Alex Morgan", "type": "Person", "uri": uri });
        world.post("register-entity", body).await;
    }
    for limit in [1, 5] {
        let found = world.post("entity/resolve", json!({ "label": "Alex Morgan", "limit": limit }));
        assert_eq!(found.await["is_new"], false, "{limit}");
    }
}

#[tokio::test]
async fn a_name_of_several_is_not_taken_for_the_first_of_them() {
    let world = World::new().await;
    let first = world.register("Alex Marsh", "Person").await;
    let body = |uri: &str| json!({ "name": "Alex Marsh", "type": "Person", "uri": uri });
    world.post("register-entity", body("orn:personal-koi.entity:person-alex-marsh-two")).await;
    let ask = Ask::post(["register-entity"], json!({ "name": "Alex Marsh", "type": "Person" }));
    let refused = world.try_ask(world.owner, ask).await;
    assert!(matches!(refused, Err(Failure::Failed(_))), "{refused:?}");
    let ingest = async |name: &str| {
        let entities = json!([{ "name": name, "type": "Person" }]);
        let body = json!({ "document_rid": "c:2", "content": "x", "entities": entities });
        world.post("ingest", body).await
    };
    let refused = ingest("Alex Marsh").await;
    assert!(refused["refused"].to_string().contains("one of several"), "{refused}");
    let taken = ingest(&first).await;
    assert_eq!(taken["refused"], json!([]), "{taken}");
    assert!(taken.to_string().contains(&first), "{taken}");
}

#[tokio::test]
async fn nobody_hides_signs_in_what_is_taken_in() {
    let world = World::new().await;
    let body = json!({
        "document_rid": "m1", "title": "Le\u{202e}tter", "content": "Kel\u{200b}p grows\u{e0041}.",
        "entities": [
            { "name": "Mal\u{202e}lory Quist", "type": "Person" },
            { "name": "Quist\u{200b} Union", "type": "Organization" },
        ],
        "relationships": [{
            "subject": "M\u{200b}allory Quist\u{2069}",
            "predicate": "fou\u{202e}nded",
            "object": "Qui\u{e0041}st Union",
        }],
    });
    let taken = world.post("ingest", body).await;
    assert_eq!(taken["refused"], json!([]), "{taken}");
    assert!(!taken.to_string().contains('\u{202e}'), "{taken}");
    assert_eq!(world.best("Mallory Quist").await["name"], "Mallory Quist");
    assert_eq!(world.relations("Mallory Quist").await, ["Mallory Quist founded Quist Union"]);
    let found = world.call("knowledge_search", json!({ "query": "kelp grows" })).await;
    assert_eq!(found["results"][0]["title"], "Letter");
    assert_eq!(found["results"][0]["content_preview"], "Kelp grows.");
}

/// Another KOI API, with answers in forms of its own.
struct Otherwise;

#[async_trait]
impl Elsewhere for Otherwise {
    async fn ask(&self, ask: Ask) -> lore_core::Result<Value> {
        Ok(match ask.path.join("/").as_str() {
            "web/ingest" => json!({
                "already_ingested": true, "rid": "r", "vault_note_path": null, "message": "m",
            }),
            "web/monitor/add" => json!({ "status": "added", "id": "abc", "words": 12 }),
            "koi-net/health" => json!({ "status": "healthy", "node": { "z": 1, "a": 2 } }),
            "search" => json!({ "results": [{ "rid": "r", "title": null }], "query": "q" }),
            _ => json!([1, 2]),
        })
    }
}

#[tokio::test]
async fn what_another_koi_api_says_is_passed_on_as_it_came() {
    let world = World::with(|app| app.elsewhere = Some(Arc::new(Otherwise))).await;
    for (tool, arguments, said) in [
        (
            "ingest_url",
            json!({ "url": "https://example.org" }),
            json!({
                "already_ingested": true, "rid": "r", "vault_note_path": null, "message": "m",
                "untrusted": true,
            }),
        ),
        (
            "monitor_url",
            json!({ "action": "add", "url": "https://example.org" }),
            json!({ "status": "added", "id": "abc", "words": 12, "untrusted": true }),
        ),
        (
            "federation_status",
            json!({}),
            json!({ "status": "healthy", "node": { "z": 1, "a": 2 }, "untrusted": true }),
        ),
        (
            "knowledge_search",
            json!({ "query": "q" }),
            json!({
                "results": [{ "rid": "r", "title": null }], "query": "q", "untrusted": true,
            }),
        ),
    ] {
        let answer = world.call(tool, arguments).await;
        assert_eq!(answer.to_string(), said.to_string(), "{tool}");
    }
    let refused = world.answer(world.owner, "resolve_entity", json!({ "label": "x" })).await;
    assert!(refused.unwrap_err().to_string().contains("not a JSON object"));
}

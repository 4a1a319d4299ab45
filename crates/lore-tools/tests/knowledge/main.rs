//! Tests of the knowledge toolset, through the registry and the KOI API on a real store.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod asked;
mod following;
mod graph;
mod histories;
// The lists of names to tell apart are shared with the resolver's tests.
#[path = "../../../lore-resolve/tests/lists/mod.rs"]
mod lists;
mod mistakable;
mod namesakes;
mod notes;
mod notes_linked;
mod notes_warned;
mod parting;
mod parting_bin;
mod parting_chance;
mod parting_hidden;
mod parting_stories;
mod parting_told;
mod parting_whole;
#[path = "../shared/place.rs"]
mod place;
mod recognised;
mod renamed;
mod retyped;
mod said;
mod taken_in;
mod tellers;
mod watched;
mod world;

use lore_tools::koi::{Ask, Failure};
use serde_json::{Value, json};

use world::{ARTICLE, World};

#[tokio::test]
async fn the_text_of_an_answer_is_its_structure_in_two_space_json() {
    let world = World::new().await;
    let arguments = json!({ "label": "Nobody at all" });
    let answer = world.answer(world.owner, "resolve_entity", arguments).await.unwrap();
    assert_eq!(answer.text, serde_json::to_string_pretty(&answer.structured).unwrap());
    assert!(answer.text.starts_with("{\n  \"candidates\": []"), "{}", answer.text);
}

#[tokio::test]
async fn a_page_of_another_door_is_an_entity_here() {
    let world = World::new().await;
    world.page(json!({ "entity_type": "character", "name": "Aelar Dawnbringer" })).await;
    world.page(json!({ "entity_type": "location", "name": "Silverport" })).await;
    let found = world.best("Aelar Dawnbringer").await;
    assert_eq!((&found["type"], &found["tier"]), (&json!("Person"), &json!("exact")));
    assert!(found["uri"].as_str().unwrap().starts_with("orn:personal-koi.entity:person-aelar-"));
    assert_eq!(world.best("silver port").await["type"], "Location");
}

#[tokio::test]
async fn names_are_found_despite_how_they_are_written_and_look_alikes_are_not_mixed_up() {
    let world = World::new().await;
    for (name, entity_type) in [
        ("Herring Monitoring", "Practice"),
        ("José Núñez", "Person"),
        ("Jane Roe", "Person"),
        ("William Baker", "Person"),
    ] {
        world.register(name, entity_type).await;
    }
    for (asked, wanted) in [
        ("Herring Monitring", "Herring Monitoring"),
        ("Monitoring Herring", "Herring Monitoring"),
        ("Jose Nunez", "José Núñez"),
        ("Bill Baker", "William Baker"),
    ] {
        let found = world.best(asked).await;
        assert_eq!(found["name"], wanted, "{asked}: {found}");
        assert!(found["confidence"].as_f64().unwrap() >= 0.5, "{asked}: {found}");
        assert!(!found["reason"].as_str().unwrap().is_empty());
    }
    let jane = world.call("resolve_entity", json!({ "label": "Jane Doe" })).await;
    assert_eq!(jane["is_new"], true, "{jane}");
    let sure = |one: &Value| one["confidence"].as_f64().unwrap() >= 0.5;
    assert!(!jane["candidates"].as_array().unwrap().iter().any(sure), "{jane}");
    let registered =
        world.post("register-entity", json!({ "name": "Jane Doe", "entity_type": "Person" }));
    assert_eq!(registered.await["is_new"], true);
}

#[tokio::test]
async fn what_is_unknown_is_new_and_has_the_uri_it_will_get() {
    let world = World::new().await;
    let arguments = json!({ "label": "Bill Baue", "type_hint": "person" });
    let found = world.call("resolve_entity", arguments.clone()).await;
    assert_eq!((&found["candidates"], &found["is_new"]), (&json!([]), &json!(true)));
    let uri = "orn:personal-koi.entity:person-bill-baue-376ffc2e6245";
    assert_eq!(found["proposed_uri"], uri);
    assert_eq!(world.register("Bill Baue", "Person").await, uri);
    let found = world.call("resolve_entity", arguments).await;
    assert_eq!((&found["candidates"][0]["uri"], &found["is_new"]), (&json!(uri), &json!(false)));
    let again = world.post("register-entity", json!({ "name": "bill baue", "type": "PERSON" }));
    assert_eq!(again.await["is_new"], false);
}

#[tokio::test]
async fn a_uri_survives_renaming_at_another_door() {
    let world = World::new().await;
    let page = world.page(json!({ "entity_type": "character", "name": "Old Name" })).await;
    let uri = world.best("Old Name").await["uri"].as_str().unwrap().to_owned();
    let update = json!({ "updates": [{ "entity_id": page["entity_id"], "name": "New Name" }] });
    world.call("update_entities", update).await;
    let found = world.ask(Ask::get(["entity".to_owned(), uri])).await;
    assert_eq!(found["entity"]["name"], "New Name");
}

#[tokio::test]
async fn a_name_that_means_nothing_is_told_in_the_words_of_the_contract() {
    let world = World::new().await;
    for tool in ["get_entity_neighborhood", "get_entity_documents"] {
        let arguments = json!({ "entity_uri": "Nobody" });
        let refused = world.answer(world.owner, tool, arguments).await.unwrap_err().to_string();
        assert_eq!(refused, "Could not resolve \"Nobody\" to a known entity");
        for uri in ["orn:personal-koi.entity:person-x-000000000000", "orn:nope:x"] {
            let unknown = json!({ "entity_uri": uri });
            let refused = world.answer(world.owner, tool, unknown).await.unwrap_err().to_string();
            assert_eq!(refused, format!("the entity {uri} was not found"));
        }
    }
}

#[tokio::test]
async fn documents_that_say_a_name_are_found_through_every_door() {
    let world = World::new().await;
    world.page(json!({ "entity_type": "character", "name": "Aelar" })).await;
    let entry = "Aelar met Aelar's sister. Aelarian wine was drunk.";
    world
        .page(json!({ "entity_type": "journal", "name": "2026-02-18 Wine", "entry": entry }))
        .await;
    world
        .page(json!({ "entity_type": "journal", "name": "Nothing", "entry": "A quiet day." }))
        .await;
    let found = world.call("get_entity_documents", json!({ "entity_uri": "Aelar" })).await;
    assert_eq!((&found["total_count"], &found["truncated"]), (&json!(1), &json!(false)), "{found}");
    let document = &found["documents"][0];
    assert_eq!(document["vault_path"], "journal/2026-02-18 Wine");
    assert_eq!(
        (&document["doc_date"], &document["mention_count"]),
        (&json!("2026-02-18"), &json!(2))
    );
}

#[tokio::test]
async fn entities_and_documents_are_searched_by_the_one_search() {
    let world = World::new().await;
    let entry = "The lighthouse keeper hides smugglers' gold below the stairs.";
    world.page(json!({ "entity_type": "location", "name": "Gull Rock", "entry": entry })).await;
    world.page(json!({ "entity_type": "journal", "name": "Gulls", "entry": "Gulls cry." })).await;
    let found = world.call("koi_search", json!({ "query": "smugglers gold" })).await;
    assert_eq!(found["results"][0]["name"], "Gull Rock");
    let none = world.call("koi_search", json!({ "query": "Gull", "type_filter": "person" })).await;
    assert_eq!((&none["count"], &none["type_filter"]), (&json!(0), &json!("person")));
    let found = world.call("knowledge_search", json!({ "query": "smugglers gold" })).await;
    assert_eq!(found["results"][0]["title"], "Gull Rock");
    assert_eq!(found["chunk_results"][0]["document_rid"], found["results"][0]["rid"]);
    let arguments =
        json!({ "query": "smugglers gold", "source": "vault", "include_chunks": false });
    let none = world.call("knowledge_search", arguments).await;
    assert_eq!((&none["count"], none.get("chunk_results")), (&json!(0), None));
    // What would be an SQL injection elsewhere is an unknown source here.
    let odd = json!({ "query": "smugglers", "source": "' OR 1=1 --" });
    assert_eq!(world.call("knowledge_search", odd).await["count"], 0);
}

#[tokio::test]
async fn every_merge_can_be_undone() {
    let world = World::new().await;
    let (from, into) = (
        world.register("Shawn Anderson", "Person").await,
        world.register("Ng Shan", "Person").await,
    );
    let body = json!({ "from_uri": from, "into_uri": into, "reason": "same address" });
    let merged = world.post("entity/merge", body.clone()).await;
    assert_eq!(merged["entity"]["aliases"], json!(["Shawn Anderson"]));
    let found = world.best("Shawn Anderson").await;
    assert_eq!((&found["uri"], &found["tier"]), (&json!(into), &json!("alias")));
    // The URI of the merged entity leads to the one it was merged into.
    let other = world.ask(Ask::get(["entity".to_owned(), from.clone()])).await;
    assert_eq!(other["entity"]["uri"], json!(into));
    let undone = world.post("entity/unmerge", json!({ "uri": from, "reason": "two people" })).await;
    assert_eq!(undone["entity"]["uri"], json!(from));
    assert_eq!(world.best("Shawn Anderson").await["uri"], json!(from));
    let kept = world.ask(Ask::get(["entity".to_owned(), into.clone()])).await;
    assert_eq!(kept["entity"]["aliases"], json!([]));
    let history =
        world.ask(Ask::get(["entity".to_owned(), into.clone(), "history".to_owned()])).await;
    let told: Vec<_> =
        history["history"].as_array().unwrap().iter().map(|e| &e["action"]).collect();
    assert_eq!(told, ["ENTITY_UNMERGED", "ENTITY_MERGED"]);
    let own = world.ask(Ask::get(["entity".to_owned(), from.clone(), "history".to_owned()])).await;
    assert_eq!(own["history"][0]["reason"], "two people", "{own}");
    let twice = Ask::post(["entity", "unmerge"], json!({ "uri": from }));
    assert!(world.try_ask(world.owner, twice).await.is_err());
    world.post("entity/merge", body).await;
    assert_eq!(world.best("Shawn Anderson").await["uri"], json!(into));
}

#[tokio::test]
async fn a_merge_moves_texts_and_relations_and_undoing_moves_them_back() {
    let world = World::new().await;
    let from = world.page(json!({
        "entity_type": "character", "name": "The Masked Duke", "entry": "He wears a mask of jade."
    }));
    let from = from.await;
    world.page(json!({ "entity_type": "character", "name": "Count Orlo" })).await;
    let mention = format!("Seen: [entity:{}].", from["entity_id"]);
    world.page(json!({ "entity_type": "journal", "name": "Ball", "entry": mention })).await;
    let (duke, count) = (world.best("The Masked Duke").await, world.best("Count Orlo").await);
    let body = json!({ "from_uri": duke["uri"], "into_uri": count["uri"] });
    world.post("entity/merge", body).await;
    let documents = world.call("get_entity_documents", json!({ "entity_uri": "Count Orlo" })).await;
    assert_eq!(documents["documents"][0]["vault_path"], "journal/Ball");
    let found = world.call("knowledge_search", json!({ "query": "mask of jade" })).await;
    assert_eq!(found["results"][0]["title"], "Count Orlo");
    world.post("entity/unmerge", json!({ "uri": duke["uri"] })).await;
    let documents = world.call("get_entity_documents", json!({ "entity_uri": "Count Orlo" })).await;
    assert_eq!(documents["total_count"], 0, "{documents}");
    let found = world.call("knowledge_search", json!({ "query": "mask of jade" })).await;
    assert_eq!(found["results"][0]["title"], "The Masked Duke");
}

#[tokio::test]
async fn a_hidden_entity_is_not_merged_into_an_open_one() {
    let world = World::new().await;
    world.page(json!({ "entity_type": "character", "name": "Count Orlo" })).await;
    let secret = world.register("The Jade Mask", "Person").await;
    let open = world.best("Count Orlo").await["uri"].clone();
    let ask = Ask::post(["entity", "merge"], json!({ "from_uri": secret, "into_uri": open }));
    let refused = world.try_ask(world.owner, ask).await.unwrap_err();
    assert!(matches!(refused, Failure::Failed(_)), "{refused:?}");
    let player = world.player().await;
    let found = world.call_as(player, "resolve_entity", json!({ "label": "The Jade Mask" })).await;
    assert_eq!((&found["candidates"], &found["is_new"]), (&json!([]), &json!(true)));
}

#[tokio::test]
async fn a_new_type_keeps_the_uri_and_is_found_by_the_new_type() {
    let world = World::new().await;
    let uri = world.register("Regen Commons", "Project").await;
    let body = json!({ "uri": uri, "entity_type": "Organization", "reason": "it is a company" });
    world.post("entity/retype", body).await;
    let found = world.best("Regen Commons").await;
    assert_eq!((&found["uri"], &found["type"]), (&json!(uri), &json!("Organization")));
    let arguments = json!({ "query": "Regen Commons", "type_filter": "Organization" });
    assert_eq!(world.call("koi_search", arguments).await["count"], 1);
    let body = json!({ "uri": uri, "alias": "RegenCo" });
    world.post("entity/alias", body).await;
    assert_eq!(world.best("RegenCo").await["uri"], json!(uri));
}

#[tokio::test]
async fn what_cannot_be_read_or_found_is_told_apart() {
    let world = World::new().await;
    let missing = world.try_ask(world.owner, Ask::get(["search"])).await;
    let Err(Failure::Unreadable(error)) = missing else { panic!("{missing:?}") };
    assert!(error.to_string().starts_with("q is required"), "{error}");
    let refused = async |ask| world.try_ask(world.owner, ask).await.unwrap_err();
    assert_eq!(refused(Ask::get(["no", "such"])).await, Failure::NoSuchPath);
    assert_eq!(refused(Ask::post(["stats"], json!({}))).await, Failure::WrongVerb);
    let unreadable = refused(Ask::post(["entity", "resolve"], json!({}))).await;
    assert!(matches!(unreadable, Failure::Unreadable(_)), "{unreadable:?}");
    let empty = refused(Ask::post(["entity", "resolve"], json!({ "label": " " }))).await;
    assert!(matches!(empty, Failure::Failed(_)), "{empty:?}");
}

#[tokio::test]
#[allow(clippy::too_many_lines, reason = "one story, told in order")]
async fn a_page_is_looked_at_then_read_then_taken_in_once() {
    let world = World::new().await;
    let url = "https://example.org/herring";
    world.pages.0.lock().unwrap().insert(url.into(), ARTICLE.into());
    let early = world.answer(world.owner, "process_url", json!({ "url": url })).await;
    assert!(early.unwrap_err().to_string().contains("preview"), "nothing was previewed yet");
    let ada = world.register("Ada Holt", "Person").await;

    let seen = world.call("preview_url", json!({ "url": "example.org/herring" })).await;
    assert_eq!((&seen["url"], &seen["untrusted"]), (&json!(url), &json!(true)));
    assert_eq!(seen["matching_entities"][0]["uri"], json!(ada));
    assert_eq!(seen["content_hash"].as_str().unwrap().len(), 64);
    let none = world.call("knowledge_search", json!({ "query": "herring counted" })).await;
    assert_eq!(none["count"], 0, "what is only looked at is not searched: {none}");

    let read = world.call("process_url", json!({ "url": url })).await;
    assert_eq!(read["model_used"], "lorewell built-in extractor");
    let founded = json!({
        "subject": "Ada Holt", "predicate": "founded", "object": "Herring Foundation",
        "confidence": 0.6,
    });
    assert!(read["relationships"].as_array().unwrap().contains(&founded), "{read}");

    let arguments = json!({
        "url": url,
        "entities": [
            { "name": "Ada Holt", "type": "Person" },
            { "name": "Herring Foundation", "type": "Organization" },
            { "name": "Something", "type": "Sandwich" },
        ],
        "relationships": [
            { "subject": "Ada Holt", "predicate": "founded", "object": "Herring Foundation" },
            { "subject": "Ada Holt", "predicate": "eats", "object": "Herring Foundation" },
            { "subject": "Ada Holt", "predicate": "located_in", "object": "Herring Foundation" },
        ],
    });
    let taken = world.call("ingest_url", arguments.clone()).await;
    assert_eq!(
        (&taken["success"], &taken["entities_resolved"]),
        (&json!(true), &json!(2)),
        "{taken}"
    );
    assert_eq!(taken["entities"][0]["is_new"], false);
    assert_eq!(taken["relationships_added"], 1);
    let refused: Vec<_> = taken["refused"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["item"].as_str().unwrap())
        .collect();
    assert_eq!(refused, ["entities[2]", "relationships[1]", "relationships[2]"]);
    assert_eq!(taken["vault_note_path"], "Sources/Herring.md");

    let around = world.call("get_entity_neighborhood", json!({ "entity_uri": "Ada Holt" })).await;
    assert_eq!(around["relationships"][0]["predicate"], "founded");
    assert_eq!(around["relationships"][0]["source_rid"], taken["document_rid"]);
    let documents = world.call("get_entity_documents", json!({ "entity_uri": ada })).await;
    let sources: Vec<_> =
        documents["documents"].as_array().unwrap().iter().map(|one| &one["source_url"]).collect();
    assert!(sources.contains(&&json!(url)), "{documents}");
    let found = json!({ "query": "herring counted", "source": "web" });
    let found = world.call("knowledge_search", found).await;
    assert_eq!(found["results"][0]["metadata"]["untrusted"], true, "{found}");

    let again = world.call("ingest_url", arguments).await;
    assert_eq!((&again["already_ingested"], &again["refused"]), (&json!(true), &taken["refused"]));
    assert_eq!(world.call("preview_url", json!({ "url": url })).await["already_ingested"], true);
}

#[tokio::test]
async fn pages_with_the_same_title_have_notes_of_their_own() {
    let world = World::new().await;
    let mut paths = Vec::new();
    for url in ["https://a.example/1", "https://b.example/2"] {
        world.pages.0.lock().unwrap().insert(url.into(), ARTICLE.into());
        world.call("preview_url", json!({ "url": url })).await;
        let taken = world.call("ingest_url", json!({ "url": url })).await;
        paths.push(taken["vault_note_path"].as_str().unwrap().to_owned());
    }
    assert_ne!(paths[0], paths[1]);
    let notes = world.call("vault_list_notes", json!({ "folder": "Sources" })).await;
    assert_eq!(notes["notes"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn watched_pages_are_added_listed_and_removed() {
    let world = World::new().await;
    let url = "https://example.org/herring";
    world.pages.0.lock().unwrap().insert(url.into(), ARTICLE.into());
    let add = json!({ "action": "add", "url": url, "title": "Fish" });
    assert_eq!(world.call("monitor_url", add.clone()).await["status"], "added");
    assert_eq!(world.call("monitor_url", add).await["status"], "already_monitoring");
    let status = world.call("monitor_url", json!({})).await;
    assert_eq!(
        (&status["monitored_urls"], &status["sources"][0]["title"]),
        (&json!(1), &json!("Fish"))
    );
    let seen = world.call("preview_url", json!({ "url": url })).await;
    assert_eq!(status["sources"][0]["content_hash"], seen["content_hash"], "one form of hash");
    let remove = json!({ "action": "remove", "url": url });
    assert_eq!(world.call("monitor_url", remove.clone()).await["status"], "removed");
    assert_eq!(world.call("monitor_url", remove).await["status"], "not_found");
    let missing = world.answer(world.owner, "monitor_url", json!({ "action": "add" })).await;
    assert!(missing.unwrap_err().to_string().starts_with("url is required"));
}

#[tokio::test]
async fn notes_are_written_read_listed_and_found() {
    let world = World::new().await;
    let note = "---\n\"@type\": schema:Person\naliases: [Billy]\n---\n# Bill\n\nHe keeps bees.\n";
    let arguments = json!({ "path": "People/Bill Baue.md", "content": note });
    let written = world.answer(world.owner, "vault_write_note", arguments).await.unwrap();
    assert_eq!(written.text, "Written: People/Bill Baue.md");
    let path = json!({ "path": "People/Bill Baue.md" });
    let read = world.answer(world.owner, "vault_read_note", path.clone()).await.unwrap();
    assert_eq!(read.text, note);
    let listed = world.answer(world.owner, "vault_list_notes", json!({ "folder": "People" })).await;
    assert_eq!(listed.unwrap().text, "Bill Baue.md");
    let found = world.best("Billy").await;
    assert_eq!((&found["name"], &found["tier"]), (&json!("Bill Baue"), &json!("alias")));
    let found = json!({ "query": "who keeps bees", "source": "vault" });
    let found = world.call("knowledge_search", found).await;
    assert_eq!(found["results"][0]["rid"], "vault:People/Bill Baue.md");
    assert_eq!(found["results"][0]["source"], "obsidian-sensor");
    // A text without frontmatter keeps that of the note.
    let arguments = json!({ "path": "People/Bill Baue.md", "content": "# Bill\n\nNo bees.\n" });
    assert_eq!(world.call("vault_write_note", arguments).await["frontmatter"], "preserved");
    let kept = world.call("vault_read_note", path).await;
    assert!(kept["content"].as_str().unwrap().starts_with("---\n\"@type\""), "{kept}");
}

#[tokio::test]
async fn nothing_outside_of_the_vault_is_touched() {
    let world = World::new().await;
    let outside = world.directory.path().join("secret.md");
    std::fs::write(&outside, "secret").unwrap();
    let absolute = outside.to_str().unwrap();
    let paths = [
        "../secret.md",
        "People/../../secret.md",
        absolute,
        "..\\secret.md",
        "a/\0/b.md",
        "~/x.md",
    ];
    for path in paths {
        let read = world.answer(world.owner, "vault_read_note", json!({ "path": path })).await;
        assert!(read.is_err(), "{path}");
        let arguments = json!({ "path": path, "content": "x" });
        let write = world.answer(world.owner, "vault_write_note", arguments).await;
        assert!(write.is_err() || path.starts_with('~'), "{path}");
    }
    assert_eq!(std::fs::read_to_string(outside).unwrap(), "secret");
    let told =
        world.answer(world.owner, "vault_read_note", json!({ "path": "../secret.md" })).await;
    assert!(told.unwrap_err().to_string().contains("Path traversal rejected"));
}

#[tokio::test]
async fn players_neither_see_the_vault_nor_what_the_gm_gathers() {
    let world = World::new().await;
    let player = world.player().await;
    let note = json!({ "path": "Plot.md", "content": "The butler did it with the candlestick." });
    world.call("vault_write_note", note).await;
    for (tool, arguments) in [
        ("vault_read_note", json!({ "path": "Plot.md" })),
        ("vault_list_notes", json!({ "folder": "." })),
        ("vault_write_note", json!({ "path": "Plot.md", "content": "" })),
    ] {
        assert!(world.answer(player, tool, arguments).await.is_err(), "{tool}");
    }
    let question = json!({ "query": "butler candlestick" });
    assert_eq!(world.call_as(player, "knowledge_search", question.clone()).await["count"], 0);
    assert_eq!(world.call("knowledge_search", question).await["count"], 1);
}

#[tokio::test]
async fn what_another_program_read_is_taken_in_and_may_be_repeated() {
    let world = World::new().await;
    let body = json!({
        "document_rid": "sensor:minutes/7",
        "title": "Minutes",
        "content": "Ada Holt opened the meeting about kelp.",
        "source": "minutes-sensor",
        "entities": [{ "name": "Ada Holt", "type": "Person" }, { "name": "Victoria", "type": "Place" }],
        "relationships": [{ "subject": "Ada Holt", "predicate": "located_in", "object": "Victoria" }],
    });
    let first = world.post("ingest", body.clone()).await;
    assert_eq!(
        (&first["stats"]["new_entities"], &first["stats"]["relationships_added"]),
        (&json!(2), &json!(1))
    );
    let second = world.post("ingest", body).await;
    assert_eq!(second["stats"]["new_entities"], 0);
    let documents = world.call("get_entity_documents", json!({ "entity_uri": "Ada Holt" })).await;
    assert_eq!(documents["documents"][0]["document_rid"], "sensor:minutes/7");
    assert_eq!(documents["total_count"], 1);
    let found = json!({ "query": "kelp", "source": "minutes-sensor" });
    assert_eq!(world.call("knowledge_search", found).await["count"], 1);
}

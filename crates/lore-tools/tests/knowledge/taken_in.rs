//! Web pages of unusual size and name, and their notes.

use serde_json::{Value, json};

use crate::world::{ARTICLE, World};

/// Puts a page on the web and previews it.
async fn preview(world: &World, url: &str, html: String) -> Value {
    world.pages.0.lock().unwrap().insert(url.into(), html);
    world.call("preview_url", json!({ "url": url })).await
}

#[tokio::test]
async fn answers_about_a_page_are_bounded_however_long_it_is() {
    let world = World::new().await;
    let url = "https://example.org/long";
    let long = "The salmon come back to the river in autumn. ".repeat(20_000);
    let meta = ["author", "keywords", "og:site_name", "og:image", "article:published_time"]
        .map(|name| format!("<meta name=\"{name}\" property=\"{name}\" content=\"{long}\">"));
    let html = format!(
        "<html lang=\"{long}\"><head><title>{long}</title>{}</head><body><article><p>{long}</p>\
         </article></body></html>",
        meta.concat()
    );
    let looked = preview(&world, url, html).await;
    let found = world.call("process_url", json!({ "url": url })).await;
    let taken = world.call("ingest_url", json!({ "url": url })).await;
    for answer in [looked, found, taken.clone()] {
        let size = answer.to_string().len();
        assert!(size < 20_000, "{size}");
    }
    let path = taken["vault_note_path"].as_str().unwrap();
    let note = std::fs::read_to_string(world.directory.path().join("vault").join(path)).unwrap();
    assert!(note.len() < 10_000 && note.contains("salmon"), "{note}");
}

#[tokio::test]
async fn a_page_that_is_too_complex_is_refused() {
    let world = World::new().await;
    let url = "https://example.org/complex";
    let many: String = (0..200_000).map(|number| format!("a{number}=1 ")).collect();
    let html = format!("<html><title>A</title><body><p {many}>x</p></body></html>");
    world.pages.0.lock().unwrap().insert(url.into(), html);
    let refused = world.answer(world.owner, "preview_url", json!({ "url": url })).await;
    let error = refused.err().unwrap().to_string();
    assert!(error.contains("too complex"), "{error}");
}

#[tokio::test]
async fn who_takes_in_a_page_after_others_gets_one_note_that_stays_deleted() {
    let world = World::new().await;
    let player = world.player().await;
    let url = "https://example.org/herring";
    preview(&world, url, ARTICLE.to_owned()).await;
    world.call_as(player, "preview_url", json!({ "url": url })).await;
    let given = json!({
        "url": url, "entities": [{ "name": "Ada Holt", "type": "Person" }], "relationships": [],
    });
    let taken = world.call_as(player, "ingest_url", given).await;
    assert_eq!((&taken["success"], &taken["vault_note_path"]), (&json!(true), &Value::Null));
    let again = world.call("ingest_url", json!({ "url": url })).await;
    assert_eq!(again["vault_note_path"], "Sources/Herring.md", "{again}");
    let note = world.directory.path().join("vault/Sources/Herring.md");
    assert!(std::fs::read_to_string(&note).unwrap().contains("# Herring"));
    let third = world.call("ingest_url", json!({ "url": url })).await;
    assert_eq!(third["vault_note_path"], again["vault_note_path"]);
    // A note that somebody deleted stays deleted.
    std::fs::remove_file(&note).unwrap();
    world.post("sync-relationships", json!({})).await;
    let fourth = world.call("ingest_url", json!({ "url": url })).await;
    assert_eq!(fourth["vault_note_path"], Value::Null);
}

#[tokio::test]
async fn notes_have_names_that_every_disk_can_tell_apart() {
    let world = World::new().await;
    let mut paths = Vec::new();
    for (number, title) in ["Ok", "ok", "Caf\u{e9}", "Cafe\u{301}"].iter().enumerate() {
        let url = format!("https://example.org/{number}");
        let html = ARTICLE.replace("<title>Herring", &format!("<title>{title}"));
        preview(&world, &url, html.replace("<h1>Herring</h1>", "")).await;
        let taken = world.call("ingest_url", json!({ "url": url })).await;
        paths.push(taken["vault_note_path"].as_str().unwrap().to_lowercase());
    }
    assert_eq!(paths[0], "sources/ok.md");
    assert!(paths[1].starts_with("sources/ok ") && paths[3] != paths[2], "{paths:?}");
    assert!(paths[3].len() > paths[2].len(), "{paths:?}");
}

#[tokio::test]
async fn a_note_is_one_however_its_accents_are_written() {
    let world = World::new().await;
    let (apart, composed) = ("Cafe\u{301}.md", "Caf\u{e9}.md");
    let folder = world.directory.path().join("vault");
    std::fs::write(folder.join(apart), "Tea.").unwrap();
    world.note(composed, "Coffee.").await;
    let read = world.answer(world.owner, "vault_read_note", json!({ "path": composed })).await;
    assert_eq!(read.unwrap().text, "Coffee.");
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
}

#[tokio::test]
async fn the_context_of_an_entity_is_kept_as_what_is_said_of_it() {
    let world = World::new().await;
    let url = "https://example.org/herring";
    preview(&world, url, ARTICLE.to_owned()).await;
    let said = "Bo Lind counted the herring.";
    let entities = json!([{ "name": "Bo Lind", "type": "Person", "context": said }]);
    world.call("ingest_url", json!({ "url": url, "entities": entities })).await;
    let found = world.call("knowledge_search", json!({ "query": "who counted the herring" })).await;
    assert!(found.to_string().contains(said), "{found}");
}

#[tokio::test]
async fn a_search_in_a_source_that_is_not_there_tells_which_there_are() {
    let world = World::new().await;
    world.note("Log.md", "The herring came back.").await;
    let ask = async |source: &str| {
        world.call("knowledge_search", json!({ "query": "herring", "source": source })).await
    };
    let hint = ask("vualt").await["hint"].as_str().unwrap().to_owned();
    assert!(hint.contains("vault") && hint.contains("koi-net") && hint.contains("world"), "{hint}");
    for source in ["vault", "email", "Web-Sensor", "koi-net:somebody"] {
        assert!(ask(source).await.get("hint").is_none(), "{source}");
    }
}

#[tokio::test]
async fn who_asks_for_a_merged_number_is_told_what_became_of_it() {
    let world = World::new().await;
    let (one, other) = (
        world.register("Pim Duquesne", "Person").await,
        world.register("Ada Holt", "Person").await,
    );
    let number = world.number("Pim Duquesne").await;
    let merge = json!({ "from_uri": one, "into_uri": other });
    world.post("entity/merge", merge).await;
    let update = json!({ "updates": [{ "entity_id": number, "name": "Pim" }] });
    let told = world.call("update_entities", update).await.to_string();
    let into = format!("merged into entity {}", world.number("Ada Holt").await);
    assert!(told.contains(&into) && told.contains("Ada Holt"), "{told}");
}

#[tokio::test]
async fn a_merged_number_leads_readers_to_the_one_that_stayed_and_writers_are_told_of_it() {
    let world = World::new().await;
    let one = world.register("Ada H", "Person").await;
    let other = world.register("Ada Holt", "Person").await;
    let boat = json!({ "action": "create", "title": "A boat", "link_to": "Ada Holt" });
    let idea = world.call("kn_idea", boat).await["id"].clone();
    let number = world.number("Ada H").await;
    let mention = format!("[entity:{number}]");
    world.post("entity/merge", json!({ "from_uri": one, "into_uri": other })).await;
    for id in [number.to_string(), format!("#{number}"), mention.clone()] {
        for (tool, seen, read) in [
            ("kn_intel", "A boat", json!({ "action": "related", "node_id": id })),
            ("kn_graph", "Ada Holt", json!({ "action": "query", "node_id": id })),
            ("get_entity_neighborhood", "person-ada-holt-", json!({ "entity_uri": id })),
        ] {
            let told = world.call(tool, read).await.to_string();
            assert!(told.contains(seen), "{tool} {id}: {told}");
        }
    }
    for id in [number.to_string(), mention.clone()] {
        let read = world.call("get_article", json!({ "article_id": id })).await.to_string();
        assert!(read.contains("Ada Holt"), "{id}: {read}");
    }
    let into = format!("merged into entity {}", world.number("Ada Holt").await);
    let campaign = world.call("campaign_create", json!({ "name": "Tides", "gm_mode": "AI" })).await;
    for (tool, write) in [
        (
            "kn_graph",
            json!({ "action": "connect", "source_id": idea, "target_id": mention, "edge_type": "relates_to" }),
        ),
        ("kn_graph", json!({ "action": "remove", "node_id": mention })),
        ("create_secret", json!({ "title": "A debt", "article_id": mention })),
        ("update_article", json!({ "article_id": number.to_string(), "title": "Other" })),
        (
            "character_create",
            json!({ "campaign_id": campaign["id"], "name": "Ada H", "kind": "NPC", "page_id": mention }),
        ),
    ] {
        let told = match world.answer(world.owner, tool, write).await {
            Ok(answer) => answer.structured.to_string(),
            Err(error) => format!("{error:?}"),
        };
        assert!(told.contains(&into), "{tool}: {told}");
    }
}

//! What both notes and others say stays when the notes no longer say it.

use lore_tools::koi::Ask;
use serde_json::json;

use crate::world::{ARTICLE, World};

fn person(properties: &str) -> String {
    format!("---\n\"@type\": schema:Person\n{properties}---\nSomebody.\n")
}

async fn is_gone(world: &World, uri: &str) -> bool {
    let path = ["entity".to_owned(), uri.to_owned()];
    world.try_ask(world.owner, Ask::get(path)).await.is_err()
}

fn remove(world: &World, note: &str) {
    std::fs::remove_file(world.directory.path().join("vault").join(note)).unwrap();
}

#[tokio::test]
async fn a_relation_that_others_tell_too_stays_in_whatever_order() {
    let world = World::new().await;
    world.register("Regen Network", "Organization").await;
    let said = person("affiliation: \"[[Regen Network]]\"\n");
    let url = "https://example.org/herring";
    world.pages.0.lock().unwrap().insert(url.into(), ARTICLE.into());
    let told = |name: &str| json!([{ "subject": name, "predicate": "affiliated_with", "object": "Regen Network" }]);
    let ingest = async |name: &str| {
        let body = json!({ "document_rid": format!("sensor:{name}"), "relationships": told(name) });
        world.post("ingest", body).await["stats"]["relationships_added"].clone()
    };
    world.note("Note First.md", &said).await;
    assert_eq!(ingest("Note First").await, 1);
    world.note("Web Later.md", &said).await;
    world.call("preview_url", json!({ "url": url })).await;
    let page = json!({ "url": url, "relationships": told("Web Later") });
    assert_eq!(world.call("ingest_url", page).await["relationships_added"], 1);
    world.register("Told First", "Person").await;
    assert_eq!(ingest("Told First").await, 1);
    world.note("Told First.md", &said).await;
    world.note("Note Alone.md", &said).await;
    for name in ["Note First", "Web Later", "Told First", "Note Alone"] {
        world.note(&format!("{name}.md"), &person("")).await;
        let left = usize::from(name != "Note Alone");
        assert_eq!(world.relations(name).await.len(), left, "{name}");
    }
    let around = world.call("get_entity_neighborhood", json!({ "entity_uri": "Note First" })).await;
    let row = &around["relationships"][0];
    assert_eq!((&row["source"], &row["source_rid"]), (&json!("api"), &json!("sensor:Note First")));
}

#[tokio::test]
async fn a_relation_of_a_note_is_still_the_notes_first_after_an_unmerge() {
    let world = World::new().await;
    world.register("Regen Network", "Organization").await;
    let boris = world.register("Boris Krug", "Person").await;
    world.note("Milo Vane.md", &person("")).await;
    let milo = world.best("Milo Vane").await["uri"].clone();
    world.post("entity/merge", json!({ "from_uri": boris, "into_uri": milo })).await;
    world.note("Milo Vane.md", &person("affiliation: \"[[Regen Network]]\"\n")).await;
    let told = json!([{
        "subject": "Milo Vane", "predicate": "affiliated_with", "object": "Regen Network",
    }]);
    world.post("ingest", json!({ "document_rid": "sensor:1", "relationships": told })).await;
    let asked = json!({ "entity_uri": milo });
    let before = world.call("get_entity_neighborhood", asked.clone()).await;
    assert_eq!(before["relationships"][0]["source"], "vault");
    world.post("entity/unmerge", json!({ "uri": boris })).await;
    let after = world.call("get_entity_neighborhood", asked).await;
    assert_eq!(after["relationships"], before["relationships"]);
    // What the note no longer says is the other source's.
    world.note("Milo Vane.md", &person("")).await;
    let left = world.call("get_entity_neighborhood", json!({ "entity_uri": milo })).await;
    assert_eq!(left["relationships"][0]["source_rid"], "sensor:1");
}

#[tokio::test]
async fn a_relation_is_as_sure_as_who_still_tells_it() {
    let world = World::new().await;
    world.register("Regen Network", "Organization").await;
    let sure = async || {
        let asked = json!({ "entity_uri": "Ada Holt" });
        let around = world.call("get_entity_neighborhood", asked).await;
        around["relationships"][0]["confidence"].clone()
    };
    world.note("Ada Holt.md", &person("affiliation: \"[[Regen Network]]\"\n")).await;
    let told = json!([{
        "subject": "Ada Holt", "predicate": "affiliated_with", "object": "Regen Network",
        "confidence": 0.4,
    }]);
    world.post("ingest", json!({ "document_rid": "sensor:1", "relationships": told })).await;
    assert_eq!(sure().await, 1.0);
    world.note("Ada Holt.md", &person("")).await;
    assert_eq!(sure().await, 0.4);
}

#[tokio::test]
async fn a_name_that_others_give_too_stays_in_whatever_order() {
    let world = World::new().await;
    let uri = async |name: &str| world.best(name).await["uri"].as_str().unwrap().to_owned();
    let give = async |uri: &str, alias: &str| {
        world.post("entity/alias", json!({ "uri": uri, "alias": alias })).await;
    };
    let register = async |name: &str, alias: &str| {
        let body = json!({ "name": name, "type": "Person", "aliases": [alias] });
        world.post("register-entity", body).await;
    };
    let listed = person("aliases: [By Hand]\n");
    for (name, giver, note_first) in [
        ("Alias Later", "alias", true),
        ("Alias First", "alias", false),
        ("Registered Later", "register", true),
        ("Registered First", "register", false),
        ("Nobody Else", "", true),
    ] {
        let file = format!("{name}.md");
        world.note(&file, &if note_first { listed.clone() } else { person("") }).await;
        match giver {
            "alias" => give(&uri(name).await, "By Hand").await,
            "register" => register(name, "By Hand").await,
            _ => {}
        }
        world.note(&file, &listed).await;
        world.note(&file, &person("")).await;
        let uri = uri(name).await;
        let left = if giver.is_empty() { json!([]) } else { json!(["By Hand"]) };
        assert_eq!(world.entity(&uri).await["aliases"], left, "{name}");
        if !giver.is_empty() {
            let taken = json!({ "uri": uri, "alias": "By Hand", "action": "remove" });
            world.post("entity/alias", taken).await;
        }
        world.note(&file, &listed).await;
        world.note(&file, &person("")).await;
        assert_eq!(world.entity(&uri).await["aliases"], json!([]), "{name} and taken back");
    }
}

#[tokio::test]
async fn who_was_registered_as_well_stays_when_the_note_goes() {
    let world = World::new().await;
    world.note("Nota First.md", &person("")).await;
    let uri = world.register("Nota First", "Person").await;
    world.note("Regi First.md", &person("")).await;
    let alone = world.best("Regi First").await["uri"].as_str().unwrap().to_owned();
    remove(&world, "Nota First.md");
    remove(&world, "Regi First.md");
    world.post("sync-relationships", json!({})).await;
    assert!(!is_gone(&world, &uri).await && is_gone(&world, &alone).await);
    // An entity that was removed and is registered again belongs to whoever registered it.
    world.register("Regi First", "Person").await;
    world.note("Regi First.md", &person("")).await;
    remove(&world, "Regi First.md");
    world.post("sync-relationships", json!({})).await;
    assert!(!is_gone(&world, &alone).await);
}

#[tokio::test]
async fn a_note_that_comes_back_has_the_names_others_gave() {
    let world = World::new().await;
    world.note("Comes Back.md", &person("aliases: [Own Alias]\n")).await;
    let uri = world.best("Comes Back").await["uri"].as_str().unwrap().to_owned();
    world.post("entity/alias", json!({ "uri": uri, "alias": "By Hand" })).await;
    remove(&world, "Comes Back.md");
    world.post("sync-relationships", json!({})).await;
    world.note("Comes Back.md", &person("aliases: [Own Alias]\n")).await;
    assert_eq!(world.entity(&uri).await["aliases"], json!(["Own Alias", "By Hand"]));
}

#[tokio::test]
async fn who_is_only_linked_to_goes_with_the_last_link() {
    let world = World::new().await;
    for last in ["the note goes", "the link goes"] {
        world.note("Ann Alone.md", &person("")).await;
        world.note("Rolf Ekk.md", &person("knows: \"[[Ann Alone]]\"\n")).await;
        let uri = world.best("Ann Alone").await["uri"].as_str().unwrap().to_owned();
        remove(&world, "Ann Alone.md");
        world.post("sync-relationships", json!({})).await;
        assert!(!is_gone(&world, &uri).await, "somebody still speaks of her");
        match last {
            "the note goes" => remove(&world, "Rolf Ekk.md"),
            _ => world.note("Rolf Ekk.md", &person("")).await,
        }
        world.post("sync-relationships", json!({})).await;
        assert!(is_gone(&world, &uri).await, "{last}");
    }
}

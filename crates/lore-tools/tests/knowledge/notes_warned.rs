//! What a note was not taken for is told.

use lore_tools::koi::Ask;
use serde_json::{Value, json};

use crate::world::World;

const PERSON: &str = "---\n\"@type\": schema:Person\n---\n";

/// Writes a note and returns the warnings about it.
async fn warned(world: &World, path: &str, text: &str) -> Vec<String> {
    let note = json!({ "path": path, "content": text });
    lines(&world.call("vault_write_note", note).await["warnings"])
}

/// Returns the warnings about all notes.
async fn warnings(world: &World) -> Vec<String> {
    lines(&world.post("sync-relationships", json!({})).await["warnings"])
}

fn lines(warnings: &Value) -> Vec<String> {
    let lines = warnings.as_array().into_iter().flatten();
    lines.map(|line| line.as_str().unwrap().to_owned()).collect()
}

async fn has_note(world: &World, path: &str) -> bool {
    let listed = world.ask(Ask::get(["vault-entities"])).await.to_string();
    listed.contains(path)
}

#[tokio::test]
async fn a_name_of_several_is_told_until_a_uri_says_which_is_meant() {
    let world = World::new().await;
    for kind in ["character", "character"] {
        world.page(json!({ "name": "Ada Holt", "entity_type": kind, "entry": "She." })).await;
    }
    let text = "---\n\"@type\": schema:Person\naliases: [Addie]\n---\nAda.\n";
    let told = warned(&world, "People/Ada Holt.md", text).await;
    assert!(told[0].contains("Ada Holt") && told[0].contains("`uri`"), "{told:?}");
    let uris: Vec<&str> = told[1..].iter().filter_map(|line| line.split(' ').next_back()).collect();
    assert_eq!(uris.len(), 2, "{told:?}");
    let listed = warnings(&world).await;
    assert!(listed.len() == 1 && listed[0].starts_with("People/Ada Holt.md: "), "{listed:?}");

    let text = text.replace("aliases", &format!("uri: {}\naliases", uris[0]));
    assert_eq!(warned(&world, "People/Ada Holt.md", &text).await, [] as [&str; 0]);
    assert_eq!(warnings(&world).await, [] as [&str; 0]);
    assert!(has_note(&world, "People/Ada Holt.md").await);
}

#[tokio::test]
async fn a_second_note_of_one_name_is_told_as_long_as_there_are_two() {
    let world = World::new().await;
    assert_eq!(warned(&world, "People/Ivo.md", PERSON).await, [] as [&str; 0]);
    let told = warned(&world, "Staff/Ivo.md", PERSON).await;
    assert!(told.len() == 1 && told[0].contains("another note called Ivo"), "{told:?}");
    assert_eq!(warnings(&world).await.len(), 1);
    std::fs::remove_file(world.directory.path().join("vault/People/Ivo.md")).unwrap();
    warnings(&world).await;
    assert_eq!(warnings(&world).await, [] as [&str; 0]);

    let own = "---\n\"@type\": schema:Person\nuri: orn:personal-koi.entity:person-ivo-2\n---\n";
    assert_eq!(warned(&world, "People/Ivo.md", own).await, [] as [&str; 0]);
    assert_eq!(warnings(&world).await, [] as [&str; 0]);
}

#[tokio::test]
async fn a_line_that_somebody_is_typing_takes_nothing_away() {
    let world = World::new().await;
    world.note("People/Rolf Ekk.md", PERSON).await;
    let ida = |line: &str| {
        format!("---\n\"@type\": schema:Person\nknows: \"[[Rolf Ekk]]\"\n{line}---\nIda.\n")
    };
    world.note("People/Ida Penn.md", &ida("")).await;
    let (uri, relations) =
        (world.best("Ida Penn").await["uri"].clone(), world.relations("Ida Penn").await);
    for line in ["- stray\n", "plain line no colon\n", "kno\n"] {
        let told = warned(&world, "People/Ida Penn.md", &ida(line)).await;
        assert!(told.len() == 1 && told[0].contains(line.trim()), "{line}: {told:?}");
        assert_eq!(world.best("Ida Penn").await["uri"], uri, "{line}");
        assert_eq!(world.best("Ida Penn").await["type"], "Person", "{line}");
        assert_eq!(world.relations("Ida Penn").await, relations, "{line}");
    }
    let found = world.call("knowledge_search", json!({ "query": "stray" })).await;
    assert_eq!(found["count"], 0, "{found}");
}

#[tokio::test]
async fn notes_of_other_encodings_are_read_and_never_spoiled() {
    let world = World::new().await;
    let place = |name: &str| world.directory.path().join("vault").join(name);
    let text = format!("\u{feff}{PERSON}# Östen\n");
    let utf16: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    std::fs::write(place("Östen Ek.md"), utf16).unwrap();
    let latin1 = b"---\n\"@type\": schema:Person\naliases: [L\xe4rs \xd6st]\n---\nHe.\n";
    std::fs::write(place("Lars.md"), latin1).unwrap();
    let listed = warnings(&world).await;
    assert!(listed.len() == 1 && listed[0].starts_with("Lars.md: "), "{listed:?}");
    assert_eq!(world.best("Östen Ek").await["type"], "Person");
    let read = async |path: &str| world.call("vault_read_note", json!({ "path": path })).await;
    let osten = read("Östen Ek.md").await;
    assert_eq!(osten, json!({ "content": text.trim_start_matches('\u{feff}') }));
    assert!(read("Lars.md").await["warnings"][0].is_string());

    let told = warned(&world, "Östen Ek.md", "# New body\n").await;
    assert!(told.len() == 1 && told[0].contains("UTF-16"), "{told:?}");
    assert_eq!(read("Östen Ek.md").await["content"], format!("{PERSON}# New body\n"));
    let note = json!({ "path": "Lars.md", "content": "# New body\n" });
    let refused = world.answer(world.owner, "vault_write_note", note).await;
    let refused = refused.err().map(|error| error.to_string()).unwrap_or_default();
    assert!(refused.contains("UTF-8"), "{refused}");
    assert_eq!(std::fs::read(place("Lars.md")).unwrap(), latin1);
}

#[tokio::test]
async fn names_are_given_as_other_programs_read_them() {
    let world = World::new().await;
    let text = "---\n\"@type\": schema:Person\naliases: Uschi, Uta\nalias: Ursel\n---\nShe.\n";
    assert_eq!(warned(&world, "Ursula Brandt.md", text).await, [] as [&str; 0]);
    let uri = world.best("Ursula Brandt").await["uri"].as_str().unwrap().to_owned();
    assert_eq!(world.entity(&uri).await["aliases"], json!(["Uschi", "Uta", "Ursel"]));
}

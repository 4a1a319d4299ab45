//! Notes with names that are none, and notes that look alike.

use lore_tools::koi::Ask;
use serde_json::json;

use crate::world::World;

#[tokio::test]
async fn a_name_that_is_none_takes_nothing_else_away() {
    let world = World::new().await;
    world.register("Regen Network", "Organization").await;
    let note = |properties: &str| {
        let person = "\"@type\": schema:Person\naffiliation: \"[[Regen Network]]\"";
        format!("---\n{person}\n{properties}---\nSomebody.\n")
    };
    let long = "x".repeat(300);
    world.note("Ada Holt.md", &note("aliases: [Addie]\n")).await;
    let uri = world.best("Ada Holt").await["uri"].as_str().unwrap().to_owned();
    let content = note(&format!("aliases: [Addie, {long}, Ada H.]\n"));
    let edit = json!({ "path": "Ada Holt.md", "content": content });
    let answer = world.call("vault_write_note", edit).await;
    let warning = answer["warnings"][0].as_str().unwrap();
    assert!(warning.contains("longer than 200") && warning.len() < 150, "{warning}");
    assert_eq!(world.entity(&uri).await["aliases"], json!(["Addie", "Ada H."]));
    world.note("Ada Holt.md", &note(&format!("name: {long}\naliases: [Addie]\n"))).await;
    let entity = world.entity(&uri).await;
    assert_eq!((&entity["name"], &entity["aliases"]), (&json!("Ada Holt"), &json!(["Addie"])));
    assert_eq!(world.relations(&uri).await, ["Ada Holt affiliated_with Regen Network"]);
    world.note("Bo Lind.md", &note(&format!("aliases: [{long}, Bobo]\n"))).await;
    assert_eq!(world.best("Bobo").await["name"], "Bo Lind");
}

#[tokio::test]
async fn notes_made_from_one_template_are_about_two_things() {
    let world = World::new().await;
    let place = |name: &str| world.directory.path().join("vault").join(name);
    let blank = "---\n\"@type\": schema:Person\n---\n## Notes\n\n- Born:\n";
    let write = |name: &str| std::fs::write(place(name), blank).unwrap();
    let remove = |name: &str| std::fs::remove_file(place(name)).unwrap();
    let look = async || world.post("sync-relationships", json!({})).await;
    let uri = async |name: &str| world.best(name).await["uri"].as_str().unwrap().to_owned();
    write("Unknown.md");
    look().await;
    let unknown = uri("Unknown").await;
    write("Jane Roe.md");
    std::fs::write(place("Log.md"), "We met Jane Roe.").unwrap();
    look().await;
    let jane = uri("Jane Roe").await;
    remove("Unknown.md");
    look().await;
    let entity = world.entity(&jane).await;
    assert_eq!((&entity["uri"], &entity["name"]), (&json!(jane), &json!("Jane Roe")));
    assert!(world.best("Unknown").await.is_null());
    // The other order: the note is removed before another is made.
    remove("Jane Roe.md");
    look().await;
    write("Bo Lind.md");
    look().await;
    let bo = uri("Bo Lind").await;
    assert!(bo != jane && bo != unknown, "{bo}");
    assert_eq!(world.entity(&bo).await["aliases"], json!([]));
    // A blank note that is put into another folder under its own name is the same.
    remove("Bo Lind.md");
    look().await;
    std::fs::create_dir(place("People")).unwrap();
    write("People/Bo Lind.md");
    look().await;
    assert_eq!(uri("Bo Lind").await, bo);
}

#[tokio::test]
async fn a_uri_is_no_name() {
    let world = World::new().await;
    let ask = |name: &str, aliases: &[&str]| {
        let body = json!({ "name": name, "type": "Person", "aliases": aliases });
        Ask::post(["register-entity"], body)
    };
    for ask in [ask("orn:foo", &[]), ask("Ada Holt", &["orn:foo"])] {
        let refused = world.try_ask(world.owner, ask).await.unwrap_err();
        assert!(format!("{refused:?}").contains("like a URI"), "{refused:?}");
    }
    let note = "---\n\"@type\": schema:Person\nname: orn:foo\n---\nSomebody.\n";
    let edit = json!({ "path": "Bo Lind.md", "content": note });
    let answer = world.call("vault_write_note", edit).await;
    assert!(answer["warnings"][0].as_str().unwrap().contains("like a URI"), "{answer}");
    assert_eq!(world.best("Bo Lind").await["name"], "Bo Lind");
}

//! Names that move to other notes: whom the notes are about then, and where links lead.

use serde_json::json;

use crate::world::World;

/// A note about a person with additional properties.
fn person(properties: &str, body: &str) -> String {
    format!("---\n\"@type\": schema:Person\n{properties}---\n{body}\n")
}

#[tokio::test]
async fn a_new_note_under_the_old_name_of_another_is_about_somebody_else() {
    let world = World::new().await;
    let vault = world.directory.path().join("vault");
    // Renamed before the new note is written, and both at once, whichever of the two is read first.
    for (old, new, at_once) in [
        ("Orig Sandoval", "Fresh Sandoval-Ruiz", false),
        ("Mira Once", "Zoe Renamed", true),
        ("Nils Once", "Ada Renamed", true),
    ] {
        let place = |name: &str| vault.join(format!("{name}.md"));
        world.note(&format!("{old}.md"), &person("", &format!("The first, {old}."))).await;
        let first = world.best(old).await["uri"].as_str().unwrap().to_owned();
        std::fs::rename(place(old), place(new)).unwrap();
        if !at_once {
            world.post("sync-relationships", json!({})).await;
            assert_eq!(world.best(old).await["uri"], first, "known by its old name, too");
        }
        std::fs::write(place(old), person("aliases: [The Other]\n", "The second.")).unwrap();
        world.post("sync-relationships", json!({})).await;
        let second = world.best(old).await["uri"].as_str().unwrap().to_owned();
        assert_ne!(second, first, "{old}");
        assert_eq!(world.best(new).await["uri"], first, "{new}");
        assert_eq!(world.entity(&first).await["aliases"], json!([]), "{new}");
        assert_eq!(world.entity(&second).await["name"], old);
        // A note that comes back is about the same entity.
        std::fs::remove_file(place(old)).unwrap();
        world.post("sync-relationships", json!({})).await;
        world.note(&format!("{old}.md"), &person("", "The second.")).await;
        assert_eq!(world.best(old).await["uri"], second);
        std::fs::remove_file(place(old)).unwrap();
        world.post("sync-relationships", json!({})).await;
    }
}

#[tokio::test]
async fn links_lead_to_who_has_the_name_now() {
    let world = World::new().await;
    world.note("Xenia Old.md", &person("aliases: [Nickling]\n", "Xenia.")).await;
    world.note("Rolf Ekk.md", &person("knows: \"[[Nickling]]\"\n", "Rolf.")).await;
    let knows = |whom: &str| [format!("{whom} knows Rolf Ekk"), format!("Rolf Ekk knows {whom}")];
    let lines = async || world.relations("Rolf Ekk").await;
    assert_eq!(lines().await.len(), 2);
    world.note("Xenia Old.md", &person("", "Xenia.")).await;
    world.note("Nickling.md", &person("", "Nick.")).await;
    world.post("sync-relationships", json!({})).await;
    assert_eq!(lines().await, knows("Nickling"));
    // The link follows the name.
    world.note("Nickling.md", &person("name: Somebody Else\n", "Nick.")).await;
    world.post("sync-relationships", json!({})).await;
    assert_eq!(
        lines().await,
        [knows("Somebody Else")[1].clone(), knows("Somebody Else")[0].clone()]
    );
}

#[tokio::test]
async fn relations_follow_what_their_ends_are() {
    let world = World::new().await;
    let acme = |kind: &str| format!("---\n\"@type\": {kind}\n---\nA guild.\n");
    world.note("Acme Guild.md", &acme("schema:Person")).await;
    world.note("Ida Penn.md", &person("affiliation: \"[[Acme Guild]]\"\n", "Ida.")).await;
    for (kind, related) in
        [("schema:Organization", 1), ("schema:Person", 0), ("schema:Organization", 1)]
    {
        world.note("Acme Guild.md", &acme(kind)).await;
        world.post("sync-relationships", json!({})).await;
        assert_eq!(world.relations("Ida Penn").await.len(), related, "{kind}");
    }
}

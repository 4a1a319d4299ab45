//! What players read in the log of an entity: nothing about hidden things.

use lore_core::Viewer;
use lore_tools::koi::{Ask, Failure};
use serde_json::{Value, json};

use crate::world::World;

impl World {
    async fn uri_of(&self, name: &str) -> String {
        self.best(name).await["uri"].as_str().unwrap().to_owned()
    }

    async fn history(&self, viewer: Viewer, uri: &str) -> Value {
        let path = ["entity".to_owned(), uri.to_owned(), "history".to_owned()];
        self.try_ask(viewer, Ask::get(path)).await.unwrap()["history"].clone()
    }

    async fn character(&self, name: &str, hidden: bool) -> String {
        let page = json!({ "entity_type": "character", "name": name, "is_hidden": hidden });
        self.page(page).await;
        self.uri_of(name).await
    }
}

fn actions(history: &Value) -> Vec<&str> {
    history.as_array().unwrap().iter().map(|entry| entry["action"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn an_open_page_that_was_part_of_a_hidden_one_does_not_tell_of_it() {
    let world = World::new().await;
    let innkeeper = world.character("Innkeeper Farrow", false).await;
    let vampire = world.character("Vampire Lord Farrowius", true).await;
    let merge = json!({ "from_uri": innkeeper, "into_uri": vampire, "reason": "he drinks" });
    world.post("entity/merge", merge).await;
    let alias = json!({ "uri": innkeeper, "alias": "Farrow of the Inn", "reason": "as he says" });
    world.post("entity/alias", alias).await;
    let why = "players must not know he is the vampire";
    world.post("entity/unmerge", json!({ "uri": innkeeper, "reason": why })).await;

    let player = world.player().await;
    assert_eq!(world.history(player, &innkeeper).await, json!([]));
    let own = world.history(world.owner, &innkeeper).await;
    assert_eq!(actions(&own), ["ENTITY_UNMERGED", "ALIAS_ADDED"]);
    assert_eq!((&own[0]["reason"], &own[0]["details"]["from"]), (&json!(why), &json!(vampire)));
}

#[tokio::test]
async fn reasons_and_hidden_relations_of_open_pages_are_the_game_masters() {
    let world = World::new().await;
    let oswin = world.character("Ferryman Oswin", false).await;
    let calder = world.character("Hermit Calder", false).await;
    let court = "---\n\"@type\": Organization\n---\n# Night Court\n";
    world.note("Organizations/Night Court.md", court).await;
    let note = "---\n\"@type\": Person\naffiliation: \"[[Night Court]]\"\n---\n# Hermit Calder\n";
    world.note("People/Hermit Calder.md", note).await;
    let before = world.relations(&calder).await;
    assert!(before.iter().any(|line| line.contains("Night Court")), "{before:?}");
    let merge = json!({ "from_uri": calder, "into_uri": oswin, "reason": "one spy, two cloaks" });
    world.post("entity/merge", merge).await;
    let alias = json!({ "uri": oswin, "alias": "Old Oswin", "reason": "the court calls him so" });
    world.post("entity/alias", alias).await;

    let player = world.player().await;
    let told = world.history(player, &oswin).await;
    assert_eq!(actions(&told), ["ALIAS_ADDED", "ENTITY_MERGED"]);
    let merged = json!({
        "uri": calder, "name": "Hermit Calder", "aliases": ["Hermit Calder"], "uris": [calder],
    });
    assert_eq!((&told[1]["details"], &told[1]["reason"]), (&merged, &json!("")));
    assert_eq!(
        (&told[0]["details"], &told[0]["reason"]),
        (&json!({ "alias": "Old Oswin" }), &json!(""))
    );
    let whole = world.history(world.owner, &oswin).await;
    assert_eq!(whole[1]["reason"], "one spy, two cloaks");
    assert_eq!(whole[0]["reason"], "the court calls him so");

    world.post("entity/unmerge", json!({ "uri": calder, "reason": "two spies" })).await;
    assert_eq!(world.relations(&calder).await, before);
    assert!(!world.relations(&oswin).await.iter().any(|line| line.contains("Night Court")));
    for uri in [&oswin, &calder] {
        let told = world.history(player, uri).await.to_string();
        for secret in ["spies", "spy", "affiliated", "edges", "texts", "uid"] {
            assert!(!told.contains(secret), "{secret} in {told}");
        }
    }
}

#[tokio::test]
async fn what_is_hidden_or_taken_back_later_leaves_the_history_of_players() {
    let world = World::new().await;
    let (oswin, calder) = (
        world.character("Ferryman Oswin", false).await,
        world.character("Hermit Calder", false).await,
    );
    world.post("entity/merge", json!({ "from_uri": calder, "into_uri": oswin })).await;
    world.post("entity/unmerge", json!({ "uri": calder })).await;
    let player = world.player().await;
    assert_eq!(actions(&world.history(player, &oswin).await), ["ENTITY_UNMERGED"]);
    let found = world.call("find_entities", json!({ "query": "Hermit Calder" })).await;
    let id = found["entities"][0]["entity_id"].clone();
    let hide =
        json!({ "updates": [{ "entity_id": id, "name": "Hermit Calder", "is_hidden": true }] });
    world.call("update_entities", hide).await;
    assert_eq!(world.history(player, &oswin).await, json!([]));
    assert_eq!(actions(&world.history(world.owner, &oswin).await).len(), 2);

    let slip = |action: &str| json!({ "uri": oswin, "alias": "Nightblade", "action": action });
    world.post("entity/alias", slip("add")).await;
    assert_eq!(actions(&world.history(player, &oswin).await), ["ALIAS_ADDED"]);
    world.post("entity/alias", slip("remove")).await;
    assert_eq!(world.history(player, &oswin).await, json!([]));
    assert_eq!(actions(&world.history(world.owner, &oswin).await).len(), 4);
}

fn places(history: &Value) -> Vec<u64> {
    let entries = history.as_array().unwrap().iter();
    entries.map(|entry| entry["sequence"].as_u64().unwrap()).collect()
}

#[tokio::test]
async fn entries_are_counted_for_whoever_reads_them() {
    let world = World::new().await;
    let oswin = world.character("Ferryman Oswin", false).await;
    let named =
        |action: &str, alias: &str| json!({ "uri": oswin, "alias": alias, "action": action });
    for slip in ["Nightblade", "The Jade Mask"] {
        world.post("entity/alias", named("add", slip)).await;
        world.post("entity/alias", named("remove", slip)).await;
        world.post("entity/alias", named("add", &format!("Not {slip}"))).await;
    }
    let player = world.player().await;
    let told = world.history(player, &oswin).await;
    assert_eq!(actions(&told), ["ALIAS_ADDED", "ALIAS_ADDED"], "{told}");
    assert_eq!(places(&told), [2, 1], "{told}");
    assert_eq!(places(&world.history(world.owner, &oswin).await), [6, 5, 4, 3, 2, 1]);
}

#[tokio::test]
async fn who_merges_an_open_page_into_a_hidden_one_is_told_what_players_lose() {
    let world = World::new().await;
    let innkeeper = world.character("Innkeeper Farrow", false).await;
    let vampire = world.character("Vampire Lord Farrowius", true).await;
    let refused =
        Ask::post(["entity", "merge"], json!({ "from_uri": vampire, "into_uri": innkeeper }));
    let Err(Failure::Failed(error)) = world.try_ask(world.owner, refused).await else {
        panic!("it was merged");
    };
    let hint = error.hint().to_string();
    assert!(hint.contains("\"Innkeeper Farrow\" is gone for players"), "{hint}");
    let merge = json!({ "from_uri": innkeeper, "into_uri": vampire });
    let merged = world.post("entity/merge", merge).await;
    assert!(merged["notice"].as_str().unwrap().contains("gone for them"), "{merged}");
    let (one, other) =
        (world.character("Ann Rook", false).await, world.character("Anna Rook", false).await);
    let merged = world.post("entity/merge", json!({ "from_uri": one, "into_uri": other })).await;
    assert_eq!(merged["notice"], Value::Null);
}

#[tokio::test]
async fn players_undo_what_they_merged_themselves() {
    let world = World::new().await;
    let player = world.player().await;
    for name in ["Bram Teller", "Bramwell Teller"] {
        let pages = json!({ "entities": [{ "entity_type": "character", "name": name }] });
        world.call_as(player, "create_entities", pages).await;
    }
    let (one, other) = (world.uri_of("Bram Teller").await, world.uri_of("Bramwell Teller").await);
    let merge = Ask::post(["entity", "merge"], json!({ "from_uri": one, "into_uri": other }));
    world.try_ask(player, merge).await.unwrap();
    assert_eq!(actions(&world.history(player, &other).await), ["ENTITY_MERGED"]);
    let part = Ask::post(["entity", "unmerge"], json!({ "uri": one, "reason": "two" }));
    world.try_ask(player, part).await.unwrap();
    assert_eq!(world.uri_of("Bram Teller").await, one);
}

//! Creating and changing pages and posts, and the consequences.

use std::sync::Arc;

use serde_json::json;

use crate::world::World;

#[tokio::test]
async fn several_entities_are_made_at_once() {
    let world = World::new().await;
    let made = world
        .call(
            "create_entities",
            json!({ "entities": [
                { "entity_type": "character", "name": "Osanna von Carstein", "type": "NPC",
                  "entry": "Vampire noble...", "tags": ["vampire", "von-carstein"] },
                { "entity_type": "note", "name": "Digest: Session 2025-05-30",
                  "type": "Session Digest", "entry": "## Chronological Log\n1. Party arrives at...",
                  "tags": ["digest", "draft"], "is_private": true },
                { "entity_type": "journal", "name": "Session 23: The Mansion Mystery",
                  "type": "Session Summary",
                  "entry": "**Date: 2025-05-30**\n\nThe party cleared out a mansion...",
                  "tags": ["session-summary", "published"] },
            ] }),
        )
        .await;
    for row in made["results"].as_array().unwrap() {
        assert_eq!(row["success"], true);
        assert_eq!(row["mention"], format!("[entity:{}]", row["entity_id"]));
        assert!(row["id"].is_i64() && row["name"].is_string());
    }
    let digest = world.get(made["results"][1]["entity_id"].as_i64().unwrap()).await;
    assert_eq!(digest["entry"], "## Chronological Log\n1. Party arrives at...");
    assert_eq!((&digest["is_private"], &digest["success"]), (&json!(true), &json!(true)));
}

#[tokio::test]
async fn updates_after_a_session_change_only_what_they_name() {
    let world = World::new().await;
    let aelysh = json!({ "entity_type": "character", "name": "Aelysh", "tags": ["elf"] });
    let aelysh = world.make(aelysh).await;
    let thorin = json!({
        "entity_type": "character", "name": "Thorin Ironforge", "entry": "A dwarf.", "tags": ["pc"],
    });
    let thorin = world.make(thorin).await;
    let tags = json!(["cleric", "dwarf", "paranoid-about-fey", "pc"]);
    let update = json!({ "updates": [
        { "entity_id": aelysh, "name": "Aelysh",
          "entry": "Old.\n\n## Session 23 Update\nAelysh revealed she needs elderberries for..." },
        { "entity_id": thorin, "tags": tags },
    ] });
    world.call("update_entities", update).await;
    let (aelysh, thorin) = (world.get(aelysh).await, world.get(thorin).await);
    assert_eq!((&aelysh["tags"], &aelysh["name"]), (&json!(["elf"]), &json!("Aelysh")));
    assert!(aelysh["entry"].as_str().unwrap().ends_with("elderberries for..."));
    assert_eq!((&thorin["tags"], &thorin["entry"]), (&tags, &json!("A dwarf.")));
}

#[tokio::test]
async fn a_bad_item_does_not_hurt_its_neighbours() {
    let world = World::new().await;
    let made = world
        .call(
            "create_entities",
            json!({ "entities": [
                { "entity_type": "dragon", "name": "Smaug" },
                { "entity_type": "character" },
                { "entity_type": "character", "name": "  " },
                "nonsense",
                { "entity_type": "character", "name": "Bob", "colour": "red" },
                { "entity_type": "Character", "name": "Good" },
            ] }),
        )
        .await;
    let rows = made["results"].as_array().unwrap();
    let good: Vec<bool> = rows.iter().map(|row| row["success"].as_bool().unwrap()).collect();
    assert_eq!(good, [false, false, false, false, false, true]);
    let first = rows[0]["error"].as_str().unwrap();
    assert!(first.contains("dragon") && first.contains("character, creature"), "{first}");
    assert!(rows[1]["error"].as_str().unwrap().starts_with("name is required"));
    let id = rows[5]["entity_id"].as_i64().unwrap();
    let got = world.call("get_entities", json!({ "entity_ids": [999, id, "x"] })).await;
    assert_eq!(got["results"][0]["success"], false);
    assert_eq!(got["results"][0]["entity_id"], 999);
    assert_eq!(got["results"][1]["name"], "Good");
    assert_eq!(got["results"][2]["success"], false);
    let gone = world.call("delete_entities", json!({ "entity_ids": [999, id, id] })).await;
    let done: Vec<_> = gone["results"].as_array().unwrap().iter().map(|r| &r["success"]).collect();
    assert_eq!(done, [false, true, false]);
    assert!(world.find(json!({})).await.is_empty());
}

#[tokio::test]
async fn posts_are_attached_changed_found_and_deleted() {
    let world = World::new().await;
    let mill = world.make(json!({ "entity_type": "location", "name": "Mill" })).await;
    let posts = json!({ "posts": [
        { "entity_id": mill, "name": "Rumours", "entry": "Haunted by a phantasm." },
        { "entity_id": mill, "name": "Secret", "is_hidden": true },
        { "entity_id": 999, "name": "Lost" },
        { "entity_id": mill },
    ] });
    let made = world.call("create_posts", posts).await;
    let done: Vec<_> = made["results"].as_array().unwrap().iter().map(|r| &r["success"]).collect();
    assert_eq!(done, [true, true, false, false]);
    let rumours = made["results"][0]["post_id"].clone();
    assert_eq!(world.find(json!({ "query": "phantasm" })).await, ["Mill"]);
    let update = json!({ "updates": [
        { "entity_id": mill, "post_id": rumours, "entry": "Nothing there." },
        { "entity_id": mill, "post_id": 999_999, "name": "x" },
    ] });
    let updated = world.call("update_posts", update).await;
    assert_eq!(updated["results"][1]["success"], false);
    let shown = world.get(mill).await["posts"].clone();
    assert_eq!(shown[0]["name"], "Rumours");
    assert_eq!(shown[0]["entry"], "Nothing there.");
    assert_eq!((&shown[1]["is_private"], &shown[1]["is_hidden"]), (&json!(true), &json!(true)));
    assert!(world.find(json!({ "query": "phantasm" })).await.is_empty());
    let deletion = json!({ "deletions": [{ "entity_id": mill, "post_id": rumours }] });
    world.call("delete_posts", deletion.clone()).await;
    assert_eq!(world.call("delete_posts", deletion).await["results"][0]["success"], false);
    assert_eq!(world.get(mill).await["posts"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn exactly_the_changed_and_the_deleted_are_reported() {
    let world = World::new().await;
    let mut ids = Vec::new();
    for name in ["Kept", "Changed", "Posted", "Deleted"] {
        ids.push(world.make(json!({ "entity_type": "note", "name": name })).await);
    }
    let info = world.call("find_entities", json!({})).await["sync_info"].clone();
    let since = info["newest_updated_at"].as_str().unwrap().to_owned();
    world
        .call("update_entities", json!({ "updates": [{ "entity_id": ids[1], "type": "x" }] }))
        .await;
    world.call("create_posts", json!({ "posts": [{ "entity_id": ids[2], "name": "p" }] })).await;
    world.call("delete_entities", json!({ "entity_ids": [ids[3]] })).await;
    let ask = json!({ "entity_ids": ids, "last_synced": since });
    let report = world.call("check_entity_updates", ask).await;
    assert_eq!(report["modified_entity_ids"], json!([ids[1], ids[2]]));
    assert_eq!(report["deleted_entity_ids"], json!([ids[3]]));
    let changed = world.find(json!({ "last_synced": since })).await;
    assert_eq!(changed, ["Changed", "Posted"]);
    let again = json!({ "entity_ids": ids, "last_synced": report["check_timestamp"] });
    let report = world.call("check_entity_updates", again).await;
    assert_eq!(report["modified_entity_ids"], json!([]));
}

#[tokio::test]
async fn mentions_and_tags_are_edges_that_follow_the_texts() {
    let world = World::new().await;
    let mill = world.make(json!({ "entity_type": "location", "name": "Mill" })).await;
    let bob = world.make(json!({ "entity_type": "character", "name": "Bob" })).await;
    let entry = format!("At [location:{mill}|the *Old* Mill], `[entity:{bob}]`, [entity:4711].");
    let tale = json!({ "entity_type": "journal", "name": "Tale", "entry": entry, "tags": ["x"] });
    let tale = world.make(tale).await;
    assert_eq!(world.joined(world.owner, tale, "mentions").await, [mill, bob]);
    assert_eq!(world.joined(world.owner, tale, "tagged").await.len(), 1);
    assert_eq!(world.get(tale).await["entry"], entry);
    let update = json!({ "updates": [
        { "entity_id": tale, "entry": format!("[entity:{tale}] [entity:{mill}]"), "tags": [] },
    ] });
    world.call("update_entities", update).await;
    assert_eq!(world.joined(world.owner, tale, "mentions").await, [mill]);
    assert!(world.joined(world.owner, tale, "tagged").await.is_empty());
    let post = json!({ "posts": [{ "entity_id": tale, "name": "p", "entry": format!("[entity:{bob}]") }] });
    world.call("create_posts", post).await;
    assert_eq!(world.joined(world.owner, tale, "mentions").await, [mill, bob]);
}

#[tokio::test]
async fn mentions_lead_to_what_is_made_later_in_the_same_call() {
    let world = World::new().await;
    let first = world.make(json!({ "entity_type": "note", "name": "First" })).await;
    let (one, two, three) = (first + 1, first + 2, first + 3);
    let made = world
        .call(
            "create_entities",
            json!({ "entities": [
                { "entity_type": "character", "name": "One",
                  "entry": format!("Friend of [entity:{three}|Three] and [character:{two}].") },
                { "entity_type": "dragon", "name": "None" },
                { "entity_type": "character", "name": "Two", "entry": format!("| a |\n|---|\n| [entity:{one}\\|b] |") },
                { "entity_type": "character", "name": "Three",
                  "entry": format!("![of [entity:{one}]](https://x.example/a.png)") },
            ] }),
        )
        .await;
    assert_eq!(made["results"][3]["entity_id"], three, "{made}");
    assert_eq!(world.joined(world.owner, one, "mentions").await, [two, three]);
    assert_eq!(world.joined(world.owner, two, "mentions").await, [one]);
    assert_eq!(world.joined(world.owner, three, "mentions").await, [one]);
}

#[tokio::test]
async fn mentions_lead_to_what_is_made_by_a_later_call() {
    let world = World::new().await;
    let first = world.make(json!({ "entity_type": "note", "name": "First" })).await;
    let (one, two) = (first + 1, first + 2);
    let entry = format!("Of [location:{two}|the mill], in {two} days.");
    world.make(json!({ "entity_type": "note", "name": "One", "entry": entry })).await;
    let other = json!({ "entity_id": first, "name": "Post", "entry": format!("[entity:{two}]") });
    world.call("create_posts", json!({ "posts": [other] })).await;
    assert!(world.joined(world.owner, one, "mentions").await.is_empty());
    let before = world.get(one).await["updated_at"].clone();
    let mill = json!({ "entities": [{ "entity_type": "location", "name": "Mill" }] });
    world.call_as(world.player().await, "create_entities", mill).await;
    assert_eq!(world.joined(world.owner, one, "mentions").await, [two]);
    assert_eq!(world.joined(world.owner, first, "mentions").await, [two]);
    assert_eq!(world.get(one).await["updated_at"], before);
}

#[tokio::test]
async fn tags_are_made_once_however_they_are_spelt() {
    let world = World::new().await;
    let tags = json!(["Elf", "elf", " ELF "]);
    let one = json!({ "entity_type": "race", "name": "A", "tags": tags });
    let one = world.make(one).await;
    let two = world.make(json!({ "entity_type": "race", "name": "B", "tags": ["elf"] })).await;
    assert_eq!(world.get(one).await["tags"], json!(["Elf"]));
    assert_eq!(world.get(two).await["tags"], json!(["Elf"]));
    let tagged = world.joined(world.owner, one, "tagged").await;
    assert_eq!(tagged, world.joined(world.owner, two, "tagged").await);
    assert_eq!(tagged.len(), 1);
}

#[tokio::test]
async fn concurrent_changes_are_all_kept_and_tags_stay_single() {
    let world = Arc::new(World::new().await);
    let makers = (0..16).map(|number| {
        let world = Arc::clone(&world);
        async move {
            let name = format!("E{number}");
            world.make(json!({ "entity_type": "quest", "name": name, "tags": ["shared"] })).await
        }
    });
    let ids = futures::future::join_all(makers).await;
    let mut tags = Vec::new();
    for id in &ids {
        tags.extend(world.joined(world.owner, *id, "tagged").await);
    }
    tags.sort_unstable();
    tags.dedup();
    assert_eq!(tags.len(), 1, "one tag, not several of one name");
    let posts = (0..16).map(|number| {
        let world = Arc::clone(&world);
        let post = json!({ "posts": [{ "entity_id": ids[0], "name": format!("P{number}") }] });
        async move { world.call("create_posts", post).await }
    });
    futures::future::join_all(posts).await;
    assert_eq!(world.get(ids[0]).await["posts"].as_array().unwrap().len(), 16);
}

#[tokio::test]
async fn an_item_that_hides_something_stops_no_other() {
    let world = World::new().await;
    let entities = json!([
        { "entity_type": "note", "name": "A\u{202e}B" },
        { "entity_type": "note", "name": "C", "entry": "x\u{e0041}" },
        { "entity_type": "note", "name": "D", "tags": ["x", "y\u{2066}"] },
        { "entity_type": "note", "name": "E", "entry": "x" },
    ]);
    let made = world.call("create_entities", json!({ "entities": entities })).await;
    let rows = made["results"].as_array().unwrap();
    let beginnings = ["name has U+202E", "entry has U+E0041", "tags[1] has U+2066"];
    for (row, beginning) in rows.iter().zip(beginnings) {
        assert!(row["error"].as_str().unwrap().starts_with(beginning), "{row}");
    }
    assert!(rows[3]["success"] == true && !made.to_string().contains('\u{202e}'), "{made}");
    let id = &rows[3]["entity_id"];
    for (tool, list, item) in [
        ("update_entities", "updates", json!({ "entity_id": id, "name": "F\u{202e}" })),
        ("create_posts", "posts", json!({ "entity_id": id, "name": "F", "entry": "\u{202e}" })),
        ("update_posts", "updates", json!({ "entity_id": id, "post_id": 1, "name": "\u{202e}" })),
    ] {
        let told = world.call(tool, json!({ list: [item] })).await;
        let row = &told["results"][0];
        let error = row["error"].as_str().unwrap_or_default();
        assert!(row["success"] == false && error.contains("has U+202E"), "{tool}: {told}");
    }
}

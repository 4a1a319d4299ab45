//! Visibility of pages.

use serde_json::json;

use crate::world::{World, names};

#[tokio::test]
async fn players_see_nothing_of_what_is_hidden() {
    let world = World::new().await;
    let player = world.player().await;
    let villain = json!({
        "entity_type": "character", "name": "Canary", "entry": "canary text",
        "tags": ["canary-tag"], "is_private": true,
    });
    let villain = world.make(villain).await;
    let note = world.make(json!({ "entity_type": "note", "name": "Canary note" })).await;
    let inn = world.make(json!({ "entity_type": "location", "name": "Inn" })).await;
    let post = json!({ "posts": [{
        "entity_id": inn, "name": "Canary", "entry": format!("canary [entity:{villain}]"),
        "is_private": true,
    }] });
    let post = world.call("create_posts", post).await["results"][0]["post_id"].clone();
    for ask in [
        json!({}),
        json!({ "query": "canary" }),
        json!({ "name": "Canary" }),
        json!({ "name": "Kanary", "name_fuzzy": true }),
        json!({ "tags": ["canary-tag"] }),
        json!({ "entity_type": "note", "limit": 0 }),
    ] {
        let found = world.call_as(player, "find_entities", ask.clone()).await.to_string();
        assert!(!found.to_lowercase().contains("canary"), "{ask}: {found}");
    }
    let ask = json!({ "entity_ids": [villain, note, inn], "include_posts": true });
    let got = world.call_as(player, "get_entities", ask).await;
    assert!(!got.to_string().to_lowercase().contains("canary"), "{got}");
    let attempts = json!({ "updates": [
        { "entity_id": villain, "name": "Mine" }, { "entity_id": note, "is_private": false },
    ] });
    let tried = world.call_as(player, "update_entities", attempts).await;
    assert_eq!(tried["results"][0]["success"], false);
    assert_eq!(tried["results"][1]["success"], false);
    let steal = json!({ "updates": [{ "entity_id": inn, "post_id": post, "is_private": false }] });
    assert_eq!(world.call_as(player, "update_posts", steal).await["results"][0]["success"], false);
    assert!(world.joined(player, inn, "mentions").await.is_empty());
    assert!(
        world.try_call(player, "delete_entities", json!({ "entity_ids": [inn] })).await.is_err()
    );
}

#[tokio::test]
async fn a_player_knows_no_hidden_tags_and_keeps_own_notes() {
    let world = World::new().await;
    let player = world.player().await;
    let hidden = json!({
        "entity_type": "character", "name": "H", "tags": ["Coven"], "is_private": true,
    });
    let hidden = world.make(hidden).await;
    let mine = json!({ "entities": [
        { "entity_type": "character", "name": "Mine", "tags": ["coven"] },
        { "entity_type": "note", "name": "Diary" },
    ] });
    let made = world.call_as(player, "create_entities", mine).await;
    let mine = made["results"][0]["entity_id"].as_i64().unwrap();
    let tag_of = async |page| world.joined(world.owner, page, "tagged").await;
    assert_ne!(tag_of(mine).await, tag_of(hidden).await);
    let both = world.call("find_entities", json!({ "tags": ["COVEN"] })).await;
    assert_eq!(names(&both), ["H", "Mine"]);
    let shown = json!({ "updates": [{ "entity_id": hidden, "is_private": false }] });
    world.call("update_entities", shown).await;
    assert_eq!(tag_of(mine).await, tag_of(hidden).await);
    let own = world.call_as(player, "find_entities", json!({ "entity_type": "note" })).await;
    assert_eq!(names(&own), ["Diary"]);
    assert_eq!(own["entities"][0]["is_private"], true);
    assert!(world.find(json!({ "entity_type": "note" })).await.is_empty());
}

#[tokio::test]
async fn both_names_of_privacy_may_be_given_when_they_agree() {
    let world = World::new().await;
    let entity = |private: bool, hidden: bool| {
        json!({ "entity_type": "character", "name": "A", "is_private": private,
            "is_hidden": hidden })
    };
    let made = json!({ "entities": [entity(true, true), entity(true, false)] });
    let made = world.call("create_entities", made).await["results"].clone();
    assert_eq!((&made[0]["success"], &made[1]["success"]), (&json!(true), &json!(false)));
    assert!(made[1]["error"].as_str().unwrap().starts_with("is_hidden"), "{made}");
    let id = made[0]["entity_id"].as_i64().unwrap();
    let update = json!({ "entity_id": id, "is_private": false, "is_hidden": false });
    let done = world.call("update_entities", json!({ "updates": [update] })).await;
    assert_eq!(done["results"][0]["success"], true, "{done}");
    let post = json!({ "entity_id": id, "name": "P", "is_private": true, "is_hidden": true });
    let done = world.call("create_posts", json!({ "posts": [post] })).await;
    assert_eq!(done["results"][0]["success"], true, "{done}");
    assert_eq!(world.get(id).await["posts"][0]["is_private"], true);
}

#[tokio::test]
async fn a_tag_of_hidden_pages_alone_is_not_told_by_its_spelling() {
    let world = World::new().await;
    let hidden = json!({ "entity_type": "note", "name": "Plot", "tags": ["HIDDENspelling"],
        "is_private": true });
    world.make(hidden).await;
    let player = world.player().await;
    let own = json!({ "entities": [{ "entity_type": "character", "name": "Wren",
        "tags": ["hiddenSPELLING"] }] });
    let made = world.call_as(player, "create_entities", own).await;
    let ask = json!({ "entity_ids": [made["results"][0]["entity_id"]] });
    let seen = world.call_as(player, "get_entities", ask).await;
    assert_eq!(seen["results"][0]["tags"], json!(["hiddenSPELLING"]), "{seen}");
    let private = json!({ "entities": [{ "entity_type": "note", "name": "Diary",
        "tags": ["mySpelling"], "is_private": true }] });
    let made = world.call_as(player, "create_entities", private).await;
    world
        .make(json!({ "entity_type": "note", "name": "Plan", "tags": ["MYspelling"],
        "is_private": true }))
        .await;
    let ask = json!({ "entity_ids": [made["results"][0]["entity_id"]] });
    let seen = world.call_as(player, "get_entities", ask).await;
    assert_eq!(seen["results"][0]["tags"], json!(["mySpelling"]), "{seen}");
}

//! What users of World Anvil do in a world of their own, and that nothing hidden is shown.

use std::sync::Arc;

use lore_anvil::Kind;
use lore_app::atlas::{Anvil, Atlas};
use lore_core::Role;
use lore_core::error::Code;
use serde_json::{Value, json};

use crate::world::{World, object, titles};

#[tokio::test]
async fn lists_go_beyond_fifty_and_know_their_total() {
    let world = World::new().await;
    let category = world.call("create_category", json!({ "title": "Places" })).await;
    let category = category["data"]["id"].clone();
    for number in 0..120 {
        let mut fields = json!({ "title": format!("Article {number:03}") });
        if number < 60 {
            fields["category_id"] = category.clone();
        }
        world.call("create_article", fields).await;
    }
    let last = world.call("list_articles", json!({ "limit": 500, "offset": 100 })).await;
    assert_eq!(last["meta"], json!({ "total": 120, "offset": 100, "limit": 50 }));
    assert_eq!(titles(&last).len(), 20);
    let inside = json!({ "category_id": category, "offset": 50 });
    let inside = world.call("list_articles", inside).await;
    assert_eq!((titles(&inside).len(), &inside["meta"]["total"]), (10, &json!(60)));
    let outside = world.call("list_articles", json!({ "category_id": "-1", "limit": 1 })).await;
    assert_eq!((titles(&outside), &outside["meta"]["total"]), (vec!["Article 060"], &json!(60)));
    let counted = world.call("get_category", json!({ "category_id": category })).await;
    assert_eq!(counted["data"]["article_count"], 60);
    let about = world.call("get_world", json!({})).await;
    assert_eq!(about["data"]["article_count"], 120);
}

#[tokio::test]
async fn changes_replace_what_they_name_and_keep_the_rest() {
    let world = World::new().await;
    let places = world.call("create_category", json!({ "title": "Places" })).await;
    let ruins = world.call("create_category", json!({ "title": "Ruins" })).await;
    let fields = json!({
        "title": "The Keep", "content": "Stone.", "tags": ["old"],
        "category_id": places["data"]["id"], "sections": { "footnotes": "See also." },
    });
    let id = world.call("create_article", fields).await["data"]["id"].clone();
    let change = json!({
        "article_id": id, "title": "The Ruin", "category_id": ruins["data"]["id"],
        "content": "Rubble.", "state": "public",
    });
    let data = world.call("update_article", change).await["data"].clone();
    assert_eq!((&data["title"], &data["content"]), (&json!("The Ruin"), &json!("Rubble.")));
    assert_eq!((&data["category"]["title"], &data["state"]), (&json!("Ruins"), &json!("public")));
    assert_eq!(
        (&data["tags"], &data["sections"]["footnotes"]),
        (&json!(["old"]), &json!("See also."))
    );
    let cleared = json!({ "article_id": id, "category_id": null, "tags": [] });
    let data = world.call("update_article", cleared).await["data"].clone();
    assert!(data.get("category").is_none() && data.get("tags").is_none(), "{data}");
    world.call("delete_article", json!({ "article_id": id })).await;
    let gone = world.refused(world.owner, "get_article", json!({ "article_id": id })).await;
    assert_eq!(gone.0, Code::NotFound);
}

#[tokio::test]
async fn maps_have_markers_with_places_and_what_they_lead_to() {
    let world = World::new().await;
    let keep = world.call("create_article", json!({ "title": "The Keep" })).await;
    let image = world
        .make(Kind::Image, json!({ "title": "map.png", "url": "https://example.org/map.png" }))
        .await;
    let map = world.make(Kind::Map, json!({ "title": "The Vale", "image": { "id": image } })).await;
    let marker = json!({
        "map_id": map, "title": "Keep", "latitude": 12.5, "longitude": -3, "article_id": keep["data"]["id"],
    });
    world.call("create_map_marker", marker).await;
    let markers = world.call("get_map_markers", json!({ "map_id": map })).await;
    let marker = &markers["entities"][0];
    assert_eq!((&marker["label"], &marker["latitude"]), (&json!("Keep"), &json!(12.5)));
    assert_eq!((&marker["longitude"], &markers["meta"]["total"]), (&json!(-3), &json!(1)));
    assert_eq!(marker["linked_article"]["title"], "The Keep");
    let listed = world.call("list_maps", json!({})).await;
    let row = &listed["entities"][0];
    assert_eq!(
        (&row["image_url"], &row["marker_count"]),
        (&json!("https://example.org/map.png"), &json!(1))
    );
    let whole = world.call("get_map", json!({ "map_id": map })).await;
    assert_eq!(whole["data"]["markers"][0]["title"], "Keep");
}

#[tokio::test]
async fn timelines_have_eras_and_what_happened() {
    let world = World::new().await;
    let timeline = world.call("create_timeline", json!({ "title": "Ages" })).await;
    let timeline = timeline["data"]["id"].clone();
    let era = json!({ "title": "Dawn", "timeline": timeline, "startingYear": -300 });
    world.make(Kind::Era, era).await;
    let event = json!({ "title": "The Fall", "year": "1207", "timeline_ids": [timeline] });
    world.call("create_history", event).await;
    for (field, value) in [("month", json!(1e22)), ("day", json!(-5)), ("month", json!(0))] {
        let odd = json!({ "title": "Odd", "year": "1", field: value });
        let refused = format!("{:?}", world.refused(world.owner, "create_history", odd).await);
        assert!(refused.contains(field), "{refused}");
    }
    let journal = json!({ "entity_type": "journal", "name": "Session 1", "entry": "They met." });
    world.page(journal).await;
    let eras = world.call("list_eras", json!({ "timeline_id": timeline })).await;
    assert_eq!(
        (titles(&eras), &eras["entities"][0]["starting_year"]),
        (vec!["Dawn"], &json!(-300))
    );
    let whole = world.call("get_timeline", json!({ "timeline_id": timeline })).await;
    assert_eq!(whole["data"]["histories"][0]["title"], "The Fall");
    assert_eq!(whole["data"]["eras"][0]["title"], "Dawn");
    let histories = world.call("list_histories", json!({})).await;
    assert_eq!(titles(&histories), ["The Fall", "Session 1"]);
}

#[tokio::test]
async fn campaigns_and_npcs_are_those_of_the_table() {
    let world = World::new().await;
    let campaign =
        json!({ "name": "The Lost Expedition", "gm_mode": "HUMAN", "theme_prompt": "Ice" });
    let campaign = world.call("campaign_create", campaign).await["id"].clone();
    for (name, kind) in [("Thorin", "PC"), ("Strahd", "NPC")] {
        let character =
            json!({ "campaign_id": campaign, "name": name, "kind": kind, "notes": "Bites." });
        world.call("character_create", character).await;
    }
    let seat = json!({ "campaign_id": campaign, "display_name": "Alice", "role": "PLAYER" });
    world.call("participant_create", seat).await;
    world.call("session_start", json!({ "campaign_id": campaign })).await;
    let found =
        world.call("get_campaign", json!({ "campaign_id": campaign })).await["data"].clone();
    assert_eq!(
        (&found["name"], &found["description"]),
        (&json!("The Lost Expedition"), &json!("Ice"))
    );
    assert_eq!(
        (&found["session_count"], &found["participants"][0]["name"]),
        (&json!(1), &json!("Alice"))
    );
    let npcs = world.call("list_campaign_npcs", json!({ "campaign_id": campaign })).await;
    assert_eq!(
        (&npcs["entities"][0]["name"], &npcs["meta"]["total"]),
        (&json!("Strahd"), &json!(1))
    );
    let id = npcs["entities"][0]["id"].clone();
    let npc = world.call("get_campaign_npc", json!({ "npc_id": id })).await["data"].clone();
    assert_eq!((&npc["notes"], &npc["article_id"]), (&json!("Bites."), &id));
    assert_eq!(npc["campaign"]["title"], "The Lost Expedition");
}

#[tokio::test]
async fn search_answers_with_a_relevance() {
    let world = World::new().await;
    let keep = json!({ "title": "The Keep", "content": "A dragon sleeps under the tower." });
    world.call("create_article", keep).await;
    world.call("create_article", json!({ "title": "Harbour", "content": "Herring." })).await;
    let found = world.call("search_articles", json!({ "query": "sleeping dragon" })).await;
    let best = &found["entities"][0];
    assert_eq!(
        (&best["title"], best["excerpt"].as_str().unwrap().contains("dragon")),
        (&json!("The Keep"), true)
    );
    let relevance = best["relevance"].as_f64().unwrap();
    assert!((0.0..=1.0).contains(&relevance) && relevance > 0.1, "{relevance}");
    assert_eq!(found["meta"]["searched"], 1.0);
    let blank = world.refused(world.owner, "search_articles", json!({ "query": " " })).await;
    assert_eq!(blank.0, Code::Invalid);
}

#[tokio::test]
async fn hidden_texts_are_secrets_wherever_they_were_written() {
    let world = World::new().await;
    let id = world.page(json!({ "entity_type": "character", "name": "Aelysh" })).await;
    let number = world.call("find_entities", json!({ "name": "Aelysh" })).await;
    let number = number["entities"][0]["entity_id"].clone();
    let posts = json!([
        { "entity_id": number, "name": "Rumours", "entry": "Kind." },
        { "entity_id": number, "name": "Truth", "entry": "A spy.", "is_private": true },
    ]);
    world.call("create_posts", json!({ "posts": posts })).await;
    let secret = json!({ "title": "Past", "content": "Exiled.", "article_id": id });
    let past = world.call("create_secret", secret).await["data"]["id"].clone();
    world.call("create_secret", json!({ "title": "Loose" })).await;
    let all = world.call("list_secrets", json!({})).await;
    assert_eq!(titles(&all), ["Truth", "Past", "Loose"]);
    assert_eq!(all["entities"][0]["article_id"], json!(id));
    let one = world.call("get_secret", json!({ "secret_id": past })).await["data"].clone();
    assert_eq!((&one["content"], &one["article"]["title"]), (&json!("Exiled."), &json!("Aelysh")));
    let whole = world.call("get_article", json!({ "article_id": id, "granularity": 2 })).await;
    assert_eq!(whole["data"]["sections"], json!({ "Rumours": "Kind." }));
    assert_eq!(whole["data"]["secrets"].as_array().unwrap().len(), 2);
    world.call("update_secret", json!({ "secret_id": past, "content": "Fled." })).await;
    let public = world
        .refused(world.owner, "update_secret", json!({ "secret_id": past, "state": "public" }))
        .await;
    assert_eq!(public.0, Code::Invalid);
    world.call("delete_secret", json!({ "secret_id": past })).await;
    let gone = world.refused(world.owner, "get_secret", json!({ "secret_id": past })).await;
    assert_eq!(gone.0, Code::NotFound);
}

#[tokio::test]
async fn a_secret_moves_to_another_article_and_to_none() {
    let world = World::new().await;
    let [one, two] = ["One", "Two"].map(|title| json!({ "title": title }));
    let one = world.call("create_article", one).await["data"]["id"].clone();
    let two = world.call("create_article", two).await["data"]["id"].clone();
    let secret = json!({ "title": "Past", "content": "Exiled.", "article_id": one });
    let secret = world.call("create_secret", secret).await["data"]["id"].clone();
    let titles_of = async |article: &Value| {
        let arguments = json!({ "article_id": article, "granularity": 2 });
        let found = world.call("get_article", arguments).await["data"]["secrets"].clone();
        found.as_array().map(Vec::len).unwrap_or_default()
    };
    for (to, wanted) in
        [(&two, [0, 1]), (&Value::Null, [0, 0]), (&one, [1, 0]), (&Value::Null, [0, 0])]
    {
        let change = json!({ "secret_id": secret, "article_id": to, "content": "Fled." });
        let now = world.call("update_secret", change).await["data"].clone();
        assert_eq!((&now["id"], &now["content"]), (&secret, &json!("Fled.")));
        assert_eq!(now["article"].get("id").unwrap_or(&Value::Null), to, "{now}");
        assert_eq!([titles_of(&one).await, titles_of(&two).await], wanted);
        assert_eq!(world.call("list_secrets", json!({})).await["meta"]["total"], 1);
    }
    let nowhere = json!({ "secret_id": secret, "article_id": "nonsense" });
    let (code, told) = world.refused(world.owner, "update_secret", nowhere).await;
    assert!(code == Code::Invalid && told.starts_with("article_id "), "{told}");
}

#[tokio::test]
async fn a_new_secret_goes_to_the_world_of_its_article() {
    let world = World::new().await;
    let other = lore_app::worlds::create(&world.app, world.owner.principal, "Other", "test").await;
    let other = other.unwrap().uid.to_string();
    let far = json!({ "title": "Far", "world_id": other });
    let far = world.call("create_article", far).await["data"]["id"].clone();
    let secret = json!({ "title": "Past", "article_id": far });
    let secret = world.call("create_secret", secret).await["data"].clone();
    assert_eq!((&secret["world"]["id"], &secret["article"]["id"]), (&json!(other), &far));
}

#[tokio::test]
async fn nothing_is_above_itself() {
    let world = World::new().await;
    for (create, update, id) in [
        ("create_article", "update_article", "article_id"),
        ("create_category", "update_category", "category_id"),
    ] {
        let top = world.call(create, json!({ "title": "Top" })).await["data"]["id"].clone();
        let below = json!({ "title": "Below", "parent_id": top });
        let below = world.call(create, below).await["data"]["id"].clone();
        let lowest = json!({ "title": "Lowest", "parent_id": below });
        let lowest = world.call(create, lowest).await["data"]["id"].clone();
        for parent in [&top, &below, &lowest] {
            let change = json!({ id: top, "parent_id": parent });
            let (code, told) = world.refused(world.owner, update, change).await;
            assert!(code == Code::Invalid && told.starts_with("parent_id "), "{told}");
        }
        world.call(update, json!({ id: lowest, "parent_id": top })).await;
    }
}

#[tokio::test]
async fn null_takes_sections_away_one_or_all() {
    let world = World::new().await;
    let sections = json!({ "sidebarcontent": "Aside.", "Rumours": "x", "authornotes": "y" });
    let made = json!({ "title": "A", "content": "Text.", "sections": sections });
    let id = world.call("create_article", made).await["data"]["id"].clone();
    let one = json!({ "article_id": id, "sections": { "Rumours": null } });
    let now = world.call("update_article", one).await["data"]["sections"].clone();
    assert_eq!(now, json!({ "sidebarcontent": "Aside.", "authornotes": "y" }));
    let all = json!({ "article_id": id, "sections": null });
    let now = world.call("update_article", all).await["data"].clone();
    assert_eq!((now.get("sections"), &now["content"]), (None, &json!("Text.")), "{now}");
}

/// Names and texts of hidden things must not occur in any answer of any tool.
#[tokio::test]
async fn a_player_sees_nothing_hidden_in_any_tool() {
    let world = World::new().await;
    let mut ids: Vec<(Kind, Value)> = Vec::new();
    for kind in Kind::ALL.iter().copied() {
        if matches!(kind, Kind::User | Kind::World | Kind::Campaign | Kind::Npc) {
            continue;
        }
        let fields = json!({ "title": "HIDDEN", "content": "HIDDEN", "description": "HIDDEN" });
        ids.push((kind, world.make(kind, fields).await));
    }
    let open = json!({
        "title": "Open", "state": "public", "content": "For all.",
        "sections": { "authornotes": "HIDDEN", "scrapbook": "HIDDEN" },
    });
    let open = world.call("create_article", open).await["data"]["id"].clone();
    world
        .call(
            "create_secret",
            json!({ "title": "HIDDEN", "content": "HIDDEN", "article_id": open }),
        )
        .await;
    let campaign = json!({ "name": "Open table", "gm_mode": "HUMAN" });
    let campaign = world.call("campaign_create", campaign).await["id"].clone();
    let npc =
        json!({ "campaign_id": campaign, "name": "HIDDEN", "kind": "NPC", "notes": "HIDDEN" });
    let npc = world.call("character_create", npc).await["id"].clone();
    ids.extend([(Kind::Npc, npc), (Kind::Campaign, campaign.clone()), (Kind::Article, open)]);
    let player = world.player().await;
    let mut called = 0;
    for tool in world.registry.all_tools().filter(|tool| tool.toolset.as_str() == "atlas") {
        for arguments in calls_of(tool.name, &ids, &campaign) {
            called += 1;
            let said = match world.try_call(player, tool.name, arguments).await {
                Ok(answer) => answer.to_string(),
                Err(error) => error.to_string(),
            };
            assert!(!said.contains("HIDDEN"), "{}: {said}", tool.name);
        }
    }
    assert!(called >= 46, "{called}");
    let found =
        world.try_call(player, "get_article", json!({ "article_id": ids.last().unwrap().1 }));
    assert_eq!(found.await.unwrap()["data"]["title"], "Open");
}

/// Returns calls of a tool with every id that it can take.
fn calls_of(tool: &str, ids: &[(Kind, Value)], campaign: &Value) -> Vec<Value> {
    let of = |wanted: Kind| ids.iter().filter(move |(kind, _)| *kind == wanted).map(|(_, id)| id);
    if tool == "search_articles" {
        return vec![json!({ "query": "HIDDEN" })];
    }
    let reads = Kind::ALL.iter().find(|kind| kind.row().get_tool == Some(tool));
    if let Some(kind) = reads.filter(|kind| !matches!(kind, Kind::User | Kind::World)) {
        let name = kind.row().id_argument;
        let call = |id: &Value| json!({ name: id, "granularity": 2, "verbose": true });
        return of(*kind).map(call).collect();
    }
    match tool {
        "get_map_markers" => of(Kind::Map).map(|id| json!({ "map_id": id })).collect(),
        "list_campaign_npcs" => vec![json!({ "campaign_id": campaign })],
        _ => vec![json!({ "verbose": true })],
    }
}

#[tokio::test]
async fn mistakes_are_named_and_change_nothing() {
    let world = World::new().await;
    let owner = world.owner;
    let none = "00000000-0000-7000-8000-000000000000";
    for (tool, arguments, code, says) in [
        ("get_article", json!({}), Code::Invalid, "article_id is required"),
        ("get_article", json!({ "article_id": none }), Code::NotFound, "article"),
        ("get_article", json!({ "article_id": "nonsense" }), Code::NotFound, "article nonsense"),
        ("get_map", json!({ "map_id": "x", "granularity": 3 }), Code::Invalid, "granularity"),
        ("list_articles", json!({ "world_id": "Nowhere" }), Code::NotFound, "Nowhere"),
        ("list_articles", json!({ "offset": -1 }), Code::Invalid, "offset"),
        ("list_user_worlds", json!({ "user_id": none }), Code::NotFound, "user"),
        ("create_article", json!({ "content": "x" }), Code::Invalid, "title is required"),
        (
            "create_article",
            json!({ "title": "x", "template": "dragon" }),
            Code::Invalid,
            "template",
        ),
        ("create_article", json!({ "title": "x", "category_id": none }), Code::Invalid, "category"),
        ("create_map_marker", json!({ "title": "x" }), Code::Invalid, "map_id is required"),
        (
            "create_article",
            json!({ "title": "x", "sections": { "Foo": 3 } }),
            Code::Invalid,
            "sections holds \"Foo\", which is not text",
        ),
        ("update_article", json!({ "article_id": none, "title": "x" }), Code::NotFound, "article"),
    ] {
        let (found, message) = world.refused(owner, tool, arguments).await;
        assert_eq!(found, code, "{tool}: {message}");
        assert!(message.contains(says), "{tool}: {message}");
    }
    assert_eq!(world.call("list_articles", json!({})).await["meta"]["total"], 0);
}

#[tokio::test]
async fn worlds_and_users_are_told() {
    let world = World::new().await;
    let me = world.call("get_user_identity", json!({})).await["data"].clone();
    assert!(me["id"].is_string() && me["username"].is_string(), "{me}");
    assert_eq!(me["world_count"], 1);
    let other =
        lore_app::worlds::create(&world.app, world.owner.principal, "Elsewhere", "test").await;
    let other = other.unwrap().uid.to_string();
    let worlds = world.call("list_user_worlds", json!({ "user_id": me["id"] })).await;
    assert_eq!(worlds["meta"]["total"], 2);
    let atlas = Atlas::new(Arc::clone(&world.app), world.owner, "test", "test".into());
    let fields = object(json!({ "title": "Far", "world": { "id": other } }));
    let far = atlas.create(Kind::Article, &fields).await.unwrap()["id"].clone();
    let there = world.call("list_articles", json!({ "world_id": other })).await;
    assert_eq!(titles(&there), ["Far"]);
    let read = world.call("get_article", json!({ "article_id": far })).await;
    assert_eq!(read["data"]["world"]["title"], "Elsewhere");
    assert_eq!(world.call("list_articles", json!({})).await["meta"]["total"], 0);
}

#[tokio::test]
async fn sections_take_no_name_of_something_else_and_posts_hide_nothing() {
    let world = World::new().await;
    let id = world.page(json!({ "entity_type": "location", "name": "Mill" })).await;
    let posts = ["id", "state", "Rumour", "Rumour"]
        .map(|name| json!({ "entity_id": 1, "name": name, "entry": format!("about {name}") }));
    world.call("create_posts", json!({ "posts": posts })).await;
    let arguments = json!({ "article_id": id, "granularity": 2 });
    let data = world.call("get_article", arguments.clone()).await["data"].clone();
    assert_eq!((&data["id"], &data["state"]), (&json!(id), &json!("public")), "{data}");
    let sections = data["sections"].as_object().unwrap();
    let names: Vec<&str> = sections.keys().map(String::as_str).collect();
    assert_eq!(names, ["id", "state", "Rumour", "Rumour (2)"]);
    for name in ["title", "state", "id", "world", "content"] {
        let change = json!({ "article_id": id, "sections": { name: "x" } });
        let (code, told) = world.refused(world.owner, "update_article", change).await;
        assert!(code == Code::Invalid && told.contains(name), "{told}");
    }
    let change = json!({ "article_id": id, "sections": { "Rumour (2)": "changed" } });
    let now = world.call("update_article", change).await["data"]["sections"].clone();
    assert_eq!((&now["Rumour"], &now["Rumour (2)"]), (&json!("about Rumour"), &json!("changed")));
    assert_eq!(now.as_object().unwrap().len(), 4, "{now}");
}

#[tokio::test]
async fn new_things_go_to_the_world_that_is_named_and_have_a_title() {
    let world = World::new().await;
    let other = lore_app::worlds::create(&world.app, world.owner.principal, "Other", "test").await;
    let other = other.unwrap().uid.to_string();
    let made = json!({ "title": "There", "world_id": other });
    let made = world.call("create_article", made).await["data"].clone();
    assert_eq!(made["world"]["id"], json!(other));
    assert!(titles(&world.call("list_articles", json!({})).await).is_empty());
    for title in [json!(""), json!("  "), Value::Null] {
        let (code, told) =
            world.refused(world.owner, "create_article", json!({ "title": title })).await;
        assert!(code == Code::Invalid && told.starts_with("title"), "{told}");
    }
    let unnamed = json!({ "article_id": made["id"], "title": " " });
    assert_eq!(world.refused(world.owner, "update_article", unnamed).await.0, Code::Invalid);
    let nowhere = json!({ "article_id": made["id"], "world_id": other });
    assert_eq!(world.refused(world.owner, "update_article", nowhere).await.0, Code::Invalid);
}

#[tokio::test]
async fn who_calls_tells_of_themselves_and_nobody_else_reads_it() {
    let world = World::new().await;
    let (alice, bob) = (world.player().await, world.person("Bob", Role::Player).await);
    let atlas = |viewer| Atlas::new(Arc::clone(&world.app), viewer, "test", "test".into());
    let id = atlas(alice).read(Kind::User, None, -1).await.unwrap()["id"].clone();
    let id = id.as_str().unwrap();
    for (fields, motto) in [
        (json!({ "motto": "Ever on", "username": "Alice" }), json!("Ever on")),
        (json!({ "motto": null }), Value::Null),
        (json!({ "motto": "Quernstone" }), json!("Quernstone")),
    ] {
        atlas(alice).update(Kind::User, id, &object(fields)).await.unwrap();
        let read = atlas(alice).read(Kind::User, Some(id), 0).await.unwrap();
        assert_eq!(read.get("motto").unwrap_or(&Value::Null), &motto);
    }
    let other = object(json!({ "username": "Mallory" }));
    let refused = atlas(alice).update(Kind::User, id, &other).await.unwrap_err();
    assert_eq!(refused.code(), Code::Invalid);
    for viewer in [bob, world.owner] {
        let refused = atlas(viewer).update(Kind::User, id, &other).await.unwrap_err();
        assert_eq!(refused.code(), Code::NotFound);
        assert_eq!(atlas(viewer).read(Kind::User, None, 0).await.unwrap().get("motto"), None);
    }
    let found = world.try_call(alice, "search_articles", json!({ "query": "quernstone alice" }));
    assert_eq!(found.await.unwrap()["meta"]["total"], 0);
}

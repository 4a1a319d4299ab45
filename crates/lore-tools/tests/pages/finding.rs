//! Finding pages by name, sound, words, type, tag and date.

use std::sync::Arc;

use lore_app::pages::{self, PagePatch, Scribe, TagsAre};
use lore_core::Properties;
use serde_json::{Value, json};

use crate::world::{World, names};

#[tokio::test]
async fn a_misspelt_name_is_found_with_a_score() {
    let world = World::new().await;
    let aelysh = json!({
        "entity_type": "character", "name": "Aelysh", "type": "NPC",
        "entry": "Grove Warden...", "tags": ["elf"],
    });
    let id = world.make(aelysh).await;
    world.make(json!({ "entity_type": "character", "name": "Thorin Ironforge" })).await;
    world.make(json!({ "entity_type": "location", "name": "Aelish Falls" })).await;
    for heard in ["Aylysh", "Ailish", "Alesh"] {
        let ask = json!({ "entity_type": "character", "name": heard, "name_fuzzy": true });
        let found = world.call("find_entities", ask).await;
        assert_eq!(names(&found), ["Aelysh"], "{heard}");
        let entity = &found["entities"][0];
        assert_eq!(entity["entity_id"], id);
        assert_eq!((&entity["type"], &entity["tags"]), (&json!("NPC"), &json!(["elf"])));
        assert_eq!((&entity["is_private"], &entity["is_hidden"]), (&json!(false), &json!(false)));
        let score = entity["match_score"].as_f64().unwrap();
        assert!((0.7..1.0).contains(&score), "{heard}: {score}");
    }
}

#[tokio::test]
async fn known_misspellings_in_the_text_are_found_by_query() {
    let world = World::new().await;
    let id = world.make(json!({ "entity_type": "character", "name": "Aelysh" })).await;
    world.make(json!({ "entity_type": "character", "name": "Bryn" })).await;
    let entry = "Grove Warden of the eastern woods...\n\n\
                 [Known misspellings from transcripts: Aylysh, Ailish, Alesh]";
    let update = json!({ "updates": [{ "entity_id": id, "name": "Aelysh", "entry": entry }] });
    let updated = world.call("update_entities", update).await;
    assert_eq!(updated["results"][0], json!({ "entity_id": id, "success": true }));
    let ask = json!({ "query": "Aylysh", "entity_type": "character", "include_full": false });
    let found = world.call("find_entities", ask).await;
    let minimal = json!([{ "entity_id": id, "name": "Aelysh", "entity_type": "character" }]);
    assert_eq!(found["entities"], minimal);
    assert_eq!(world.get(id).await["entry"], entry);
}

#[tokio::test]
async fn sessions_are_prepared_from_types_dates_and_tags() {
    let world = World::new().await;
    for (name, kind) in
        [("Wren", "Player Character"), ("Bran", "player character"), ("Innkeeper", "NPC")]
    {
        world.make(json!({ "entity_type": "character", "name": name, "type": kind })).await;
    }
    for (name, date) in [("One", "2025-04-30"), ("Two", "2025-05-01"), ("Three", "2025-06-01")] {
        let entry = format!("**Date: {date}**\n\nThings happened.");
        let journal = json!({
            "entity_type": "journal", "name": name, "type": "Session Summary", "entry": entry,
        });
        world.make(journal).await;
    }
    for (name, tags) in [("A", ["vampire", "noble"]), ("B", ["Vampire", "poor"])] {
        world.make(json!({ "entity_type": "creature", "name": name, "tags": tags })).await;
    }
    let pcs = json!({ "entity_type": "character", "type": "Player Character" });
    assert_eq!(world.find(pcs).await, ["Wren", "Bran"]);
    let may = json!({
        "entity_type": "journal", "type": "Session Summary",
        "date_range": { "start": "2025-05-01", "end": "2025-05-31" },
    });
    assert_eq!(world.find(may).await, ["Two"]);
    assert_eq!(world.find(json!({ "tags": ["vampire", "NOBLE"] })).await, ["A"]);
    assert_eq!(world.find(json!({ "tags": ["vampire"] })).await, ["A", "B"]);
    assert_eq!(world.find(json!({ "query": "vampire", "tags": ["noble"] })).await, ["A"]);
}

#[tokio::test]
async fn names_match_in_part_exactly_or_by_sound() {
    let world = World::new().await;
    for name in ["Aelysh", "Aelysh the Younger", "Thorin", "Elysian Fields"] {
        world.make(json!({ "entity_type": "character", "name": name })).await;
    }
    let part = json!({ "name": "LYS" });
    assert_eq!(world.find(part).await, ["Aelysh", "Aelysh the Younger", "Elysian Fields"]);
    assert_eq!(world.find(json!({ "name": "aelysh", "name_exact": true })).await, ["Aelysh"]);
    let fuzzy = json!({ "name": "aelysh", "name_fuzzy": true, "name_exact": true });
    assert_eq!(world.find(fuzzy).await, ["Aelysh", "Aelysh the Younger"]);
    let both = json!({ "query": "Aelysh", "name": "younger" });
    assert_eq!(world.find(both).await, ["Aelysh the Younger"]);
}

#[tokio::test]
async fn pages_of_results_are_cut_after_all_filters() {
    let world = World::new().await;
    for number in 0..30 {
        let kind = if number % 2 == 0 { "even" } else { "odd" };
        let entry = format!("Tale of the {kind} herald. Date: 2025-05-{:02}", number + 1);
        world
            .make(json!({
                "entity_type": "journal", "name": format!("J{number}"), "type": kind,
                "entry": entry, "tags": [kind],
            }))
            .await;
    }
    for filter in [
        json!({ "type": "odd" }),
        json!({ "tags": ["odd"], "date_range": { "start": "2025-05-01", "end": "2025-05-31" } }),
        json!({ "query": "herald", "type": "odd" }),
    ] {
        let mut seen = Vec::new();
        for (page, count) in [(1, 10), (2, 5), (3, 0)] {
            let mut ask = filter.clone();
            ask["page"] = json!(page);
            ask["limit"] = json!(10);
            let found = world.call("find_entities", ask).await;
            assert_eq!(found["sync_info"]["total_count"], 15, "{filter}");
            assert_eq!(found["sync_info"]["returned_count"], count, "{filter}");
            seen.extend(names(&found));
        }
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), 15, "{filter}");
        let mut all = filter.clone();
        all["limit"] = json!(0);
        assert_eq!(world.find(all.clone()).await.len(), 15);
        assert_eq!(world.find(all.clone()).await, world.find(all).await);
    }
    assert_eq!(world.find(json!({})).await.len(), 25);
    assert_eq!(world.find(json!({ "limit": 1000 })).await.len(), 30);
}

#[tokio::test]
async fn a_date_follows_what_is_written_and_who_may_read_it() {
    let world = World::new().await;
    let player = world.player().await;
    let journal = json!({ "entity_type": "journal", "name": "J", "entry": "Date: 2025-05-30" });
    let id = world.make(journal).await;
    let may = json!({ "date_range": { "start": "2025-05-01", "end": "2025-05-31" } });
    let write = async |field: &str, value: Value| {
        let mut update = json!({ "entity_id": id });
        update[field] = value;
        world.call("update_entities", json!({ "updates": [update] })).await;
    };
    assert_eq!(world.find(may.clone()).await, ["J"]);
    write("entry", json!("Date: 2024-01-01")).await;
    assert!(world.find(may.clone()).await.is_empty());
    write("entry", json!("They met on 2025-05-02.")).await;
    let seen = world.call_as(player, "find_entities", may.clone()).await;
    assert_eq!(names(&seen), ["J"]);
    write("is_private", json!(true)).await;
    let seen = world.call_as(player, "find_entities", may.clone()).await;
    assert!(names(&seen).is_empty());
    assert_eq!(world.find(may.clone()).await, ["J"]);
    // A journal's own date takes precedence over dates in its text.
    let scribe = Scribe {
        app: Arc::clone(&world.app),
        viewer: world.owner,
        tool: "test",
        request_id: String::new(),
        tags_are: TagsAre::Pages,
        at: None,
    };
    let fields = Properties::from_iter([("date".to_owned(), json!("2024-02-02"))]);
    let patch = PagePatch { fields, ..PagePatch::default() };
    pages::update(&scribe, id, &patch).await.unwrap();
    assert!(world.find(may.clone()).await.is_empty());
    world.call("delete_entities", json!({ "entity_ids": [id] })).await;
    assert!(world.find(json!({ "date_range": {} })).await.is_empty());
}

#[tokio::test]
async fn bad_questions_are_errors() {
    let world = World::new().await;
    for (ask, field) in [
        (json!({ "date_range": { "start": "May", "end": "2025-05-31" } }), "date_range.start"),
        (
            json!({ "date_range": { "start": "2025-06-01", "end": "2025-05-31" } }),
            "date_range.start",
        ),
        (json!({ "last_synced": "yesterday" }), "last_synced"),
        (json!({ "limit": -1 }), "limit"),
        (json!({ "entity_type": "dragon" }), "entity_type"),
    ] {
        let error = world.try_call(world.owner, "find_entities", ask.clone()).await.unwrap_err();
        assert!(error.to_string().starts_with(field), "{ask}: {error}");
    }
}

#[tokio::test]
async fn filters_beside_a_query_see_everything_it_finds_and_zero_is_all() {
    let world = World::new().await;
    for start in (0..1_100).step_by(200) {
        let entities: Vec<Value> = (start..(start + 200).min(1_100))
            .map(|number| {
                let subtype = if number == 1_099 { "Last" } else { "Many" };
                let entry = if number % 100 == 7 { "common. Date: 2025-05-30" } else { "common" };
                json!({ "entity_type": "location", "name": format!("Place {number}"),
                    "type": subtype, "entry": entry })
            })
            .collect();
        world.call("create_entities", json!({ "entities": entities })).await;
    }
    let whole = json!({ "query": "common", "limit": 0, "include_full": false });
    let whole = world.call("find_entities", whole).await;
    assert_eq!(whole["sync_info"]["total_count"], 1_100);
    assert_eq!(names(&whole).len(), 1_100);
    let page = json!({ "query": "common", "limit": 100, "page": 11, "include_full": false });
    assert_eq!(names(&world.call("find_entities", page).await), names(&whole)[1_000..1_100]);
    for (filter, count) in [
        (json!({ "name": "Place 1099" }), 1),
        (json!({ "type": "last" }), 1),
        (json!({ "date_range": { "start": "2025-05-30", "end": "2025-05-30" } }), 11),
        (json!({ "last_synced": "2020-01-01" }), 1_100),
    ] {
        let mut asked = filter.clone();
        asked["query"] = json!("common");
        let found = world.call("find_entities", asked).await;
        assert_eq!(found["sync_info"]["total_count"], count, "{filter}");
    }
}

#[tokio::test]
async fn a_type_beside_words_or_a_sound_is_the_one_it_has_now() {
    let world = World::new().await;
    let entry = "Keeper of the grove. Date: 2025-05-30";
    let bram = json!({ "entity_type": "character", "name": "Bram", "type": "NPC", "entry": entry });
    let id = world.make(bram).await;
    let other = json!({ "entity_type": "character", "name": "Brom", "entry": "Fears the grove." });
    world.make(other).await;
    let day = json!({ "start": "2025-05-30", "end": "2025-05-30" });
    let asked = |subtype: &str| {
        [
            json!({ "query": "grove", "type": subtype }),
            json!({ "query": "grove", "type": subtype, "date_range": day }),
            json!({ "query": "grove", "type": subtype, "name": "Bramm", "name_fuzzy": true }),
            json!({ "type": subtype, "name": "Bramm", "name_fuzzy": true, "date_range": day }),
        ]
    };
    for (now, before) in [("npc", "Keeper"), ("KEEPER", "NPC")] {
        for ask in asked(now) {
            assert_eq!(world.find(ask.clone()).await, ["Bram"], "{ask}");
        }
        for ask in asked(before) {
            assert!(world.find(ask.clone()).await.is_empty(), "{ask}");
        }
        let update = json!({ "updates": [{ "entity_id": id, "type": "Keeper" }] });
        world.call("update_entities", update).await;
    }
    let fuzzy = json!({ "query": "keeper", "name": "Bram", "name_fuzzy": true });
    assert_eq!(world.find(fuzzy).await, ["Bram"]);
}

#[tokio::test]
async fn a_name_is_found_whichever_blanks_it_was_given_with() {
    let world = World::new().await;
    let id = world.make(json!({ "entity_type": "character", "name": "Ada\u{a0}Holt" })).await;
    assert_eq!(world.get(id).await["name"], "Ada Holt");
    for name in ["Ada Holt", "Ada\u{a0}Holt", "ada\u{2003}holt"] {
        let exact = json!({ "name": name, "name_exact": true });
        assert_eq!(world.find(exact).await, ["Ada Holt"], "{name:?}");
    }
}

#[tokio::test]
async fn pages_are_counted_from_one() {
    let world = World::new().await;
    for page in [0, -1, i64::MIN] {
        let asked = json!({ "page": page });
        let refused = world.try_call(world.owner, "find_entities", asked).await.unwrap_err();
        let refused = refused.to_string();
        assert!(refused.starts_with("page is not positive"), "{refused}");
    }
}

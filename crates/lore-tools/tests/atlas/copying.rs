//! Copying a world from a service or an archive repeatedly.

use lore_anvil::Kind;
use lore_app::atlas::Extent;
use serde_json::{Value, json};

use crate::there::{There, uid};
use crate::world::{World, object};

fn date(year: u32) -> Value {
    json!({ "date": format!("{year}-01-01 00:00:00.000000"), "timezone": "UTC" })
}

/// An object with the fields that every object has, and `more`.
fn thing(number: u32, year: u32, more: Value) -> Value {
    let mut all = object(json!({
        "id": uid(number), "title": format!("Thing {number}"), "state": "public",
        "updateDate": date(year),
    }));
    all.extend(object(more));
    Value::Object(all)
}

/// Adds an article, a category, a map with a marker, and a history that are connected.
fn fill(there: &There, year: u32) {
    let article = json!({ "id": uid(2), "title": "Thing 2" });
    there.put(Kind::Category, thing(1, year, json!({})));
    there.put(Kind::Article, thing(2, year, json!({ "templateType": "item", "content": "Old." })));
    there.put(
        Kind::Article,
        thing(
            3,
            year,
            json!({
                "templateType": "item", "content": "Text.", "tags": "a,b",
                "category": { "id": uid(1), "title": "Thing 1" }, "articleParent": article,
                "sidebarcontent": "Aside.", "geography": "Hills. ".repeat(40), "odd": "x",
                "sections": { "Rumours": "They say." },
            }),
        ),
    );
    there.put(Kind::Map, thing(4, year, json!({})));
    let marker = json!({ "map": { "id": uid(4) }, "targetArticle": article, "geoX": "1.5" });
    there.put(Kind::Marker, thing(5, year, marker));
    let history = json!({ "year": "7", "month": 3, "content": "It fell.", "article": article });
    there.put(Kind::History, thing(6, year, history));
}

/// Adds the same objects with every optional field cleared.
fn fill_cleared(there: &There, year: u32) {
    there.put(
        Kind::Article,
        thing(
            3,
            year,
            json!({
                "templateType": "item", "content": null, "tags": null, "category": null,
                "articleParent": null, "sidebarcontent": null, "geography": null,
            }),
        ),
    );
    let marker = json!({ "map": { "id": uid(4) }, "targetArticle": null, "geoX": "1.5" });
    there.put(Kind::Marker, thing(5, year, marker));
    let history = json!({ "year": "7", "month": null, "content": null, "article": null });
    there.put(Kind::History, thing(6, year, history));
}

async fn article(world: &World, number: u32) -> Value {
    let arguments = json!({ "article_id": uid(number), "granularity": 2 });
    world.call("get_article", arguments).await["data"].clone()
}

#[tokio::test]
async fn what_is_cleared_there_is_cleared_here() {
    for extent in [Extent::Whole, Extent::Heap] {
        let (world, there) = (World::new().await, There::new(extent));
        fill(&there, 2021);
        assert_eq!(there.copied(&world).await.made, 6);
        let before = article(&world, 3).await;
        assert_eq!((&before["tags"], &before["odd"]), (&json!(["a", "b"]), &json!("x")));
        assert_eq!(before["sections"].as_object().unwrap().len(), 3, "{before}");
        let marker = world.call("get_map_markers", json!({ "map_id": uid(4) })).await;
        assert_eq!(marker["entities"][0]["latitude"], 1.5, "a number that was sent as a text");
        fill_cleared(&there, 2022);
        let done = there.copied(&world).await;
        assert_eq!((done.changed, done.left_out.count), (3, 0), "{done:?}");
        let after = article(&world, 3).await;
        for gone in ["content", "tags", "category", "article_parent", "sections", "odd"] {
            assert_eq!(after.get(gone), None, "{extent:?} {gone}: {after}");
        }
        let marker = world.call("get_map_markers", json!({ "map_id": uid(4) })).await;
        assert_eq!(marker["entities"][0].get("linked_article"), None);
        let history = json!({ "history_id": uid(6), "granularity": 2 });
        let history = world.call("get_history", history).await["data"].clone();
        assert_eq!((history.get("month"), history.get("article")), (None, None), "{history}");
        assert_eq!(there.copied(&world).await.unchanged, 6);
    }
}

#[tokio::test]
async fn what_comes_back_is_taken_out_of_the_bin() {
    for extent in [Extent::Whole, Extent::Heap] {
        let (world, there) = (World::new().await, There::new(extent));
        fill(&there, 2021);
        let with = json!({ "id": uid(2), "title": "Thing 2" });
        there.put(Kind::Secret, thing(8, 2021, json!({ "content": "psst", "article": with })));
        there.put(Kind::Secret, thing(9, 2021, json!({ "content": "loose" })));
        assert_eq!(there.copied(&world).await.made, 8);
        for id in [uid(8), uid(9)] {
            world.call("delete_secret", json!({ "secret_id": id })).await;
        }
        world.call("delete_article", json!({ "article_id": uid(3) })).await;
        let done = there.copied(&world).await;
        assert_eq!((done.restored.count, done.left_out.count), (3, 0), "{done:?}");
        assert!(done.restored.some.contains(&"article Thing 3".to_owned()), "{done:?}");
        assert_eq!(article(&world, 3).await["category"]["title"], "Thing 1");
        for (id, content) in [(uid(8), "psst"), (uid(9), "loose")] {
            let secret = world.call("get_secret", json!({ "secret_id": id })).await;
            assert_eq!(secret["data"]["content"], content);
        }
        assert_eq!(there.copied(&world).await.unchanged, 8);
    }
}

#[tokio::test]
async fn a_short_list_loses_nothing_for_ever() {
    let (world, there) = (World::new().await, There::new(Extent::Whole));
    fill(&there, 2021);
    there.copied(&world).await;
    there.remove(Kind::Article, &uid(2));
    assert_eq!(there.copied(&world).await.deleted, 1);
    fill(&there, 2021);
    let done = there.copied(&world).await;
    assert_eq!((done.restored.count, done.left_out.count), (1, 0), "{done:?}");
    assert_eq!(article(&world, 2).await["content"], "Old.");
    let marker = world.call("get_map_markers", json!({ "map_id": uid(4) })).await;
    assert_eq!(marker["entities"][0]["linked_article"]["title"], "Thing 2");
}

#[tokio::test]
async fn an_archive_neither_overwrites_what_is_newer_nor_what_was_written_here() {
    let (world, there) = (World::new().await, There::new(Extent::Heap));
    fill(&there, 2021);
    let undated = |content: &str| json!({ "id": uid(7), "title": "Undated", "templateType": "item", "content": content });
    there.put(Kind::Article, undated("First."));
    let secret = |content: &str, year| thing(8, year, json!({ "content": content }));
    there.put(Kind::Secret, secret("First.", 2021));
    there.copied(&world).await;
    for number in [2, 7] {
        let edit = json!({ "article_id": uid(number), "content": "Edited here." });
        world.call("update_article", edit).await;
    }
    world.call("update_secret", json!({ "secret_id": uid(8), "content": "Edited here." })).await;
    let again = there.copied(&world).await;
    assert_eq!((again.changed, again.unchanged), (0, 8), "{again:?}");
    fill(&there, 2020);
    there.put(Kind::Secret, secret("Older.", 2020));
    let older = there.copied(&world).await;
    assert_eq!((older.changed, older.older.count), (0, 7), "{older:?}");
    assert_eq!(article(&world, 2).await["content"], "Edited here.");
    assert_eq!(article(&world, 7).await["content"], "Edited here.");
    let kept = world.call("get_secret", json!({ "secret_id": uid(8) })).await;
    assert_eq!(kept["data"]["content"], "Edited here.");
    fill(&there, 2022);
    there.put(Kind::Article, undated("Second."));
    there.put(Kind::Secret, secret("Newer.", 2022));
    assert_eq!(there.copied(&world).await.changed, 8);
    assert_eq!(article(&world, 2).await["content"], "Old.");
    assert_eq!(article(&world, 7).await["content"], "Second.");
}

#[tokio::test]
async fn what_cannot_be_listed_is_told_and_deletes_nothing() {
    let (world, there) = (World::new().await, There::new(Extent::Whole));
    fill(&there, 2021);
    there.copied(&world).await;
    *there.forbidden.lock().unwrap() = Some(Kind::Article);
    let done = there.copied(&world).await;
    assert_eq!((done.deleted, done.unlisted.count), (0, 1), "{done:?}");
    assert_eq!(done.unlisted.some, ["articles: this account may not see it (403)"]);
    let again = there.copied(&world).await.unlisted;
    assert_eq!((again.count, again.again), (0, 1), "{again:?}");
    assert_eq!(article(&world, 2).await["content"], "Old.");
}

#[tokio::test]
async fn a_list_that_should_be_there_and_is_not_makes_the_copy_incomplete() {
    let (world, there) = (World::new().await, There::new(Extent::Whole));
    fill(&there, 2021);
    there.put(Kind::Chronicle, thing(7, 2021, json!({})));
    there.copied(&world).await;
    *there.missing.lock().unwrap() = Some(Kind::Article);
    for run in ["first", "second"] {
        let done = there.copied(&world).await;
        assert_eq!((done.deleted, done.unlisted.count), (0, 0), "{run}: {done:?}");
        assert_eq!(done.missing.some, ["articles: the list was not found"], "{run}");
    }
    assert_eq!(article(&world, 2).await["content"], "Old.");
    // A list that only some services have may be missing.
    *there.missing.lock().unwrap() = Some(Kind::Chronicle);
    let done = there.copied(&world).await;
    assert_eq!((done.deleted, done.missing.count, done.unlisted.count), (0, 0, 1), "{done:?}");
    let chronicles = world.call("list_chronicles", json!({})).await;
    assert_eq!(chronicles["meta"]["total"], 1);
}

#[tokio::test]
async fn what_is_listed_as_two_things_becomes_the_one_it_is_as_soon_as_that_is_told() {
    let (world, there) = (World::new().await, There::new(Extent::Whole));
    there.put(
        Kind::Article,
        thing(1, 2021, json!({ "templateType": "report", "content": "We sailed." })),
    );
    there.put(Kind::History, thing(1, 2021, json!({ "year": "7", "content": "We sailed." })));
    *there.missing.lock().unwrap() = Some(Kind::Article);
    assert_eq!(there.copied(&world).await.made, 1);
    *there.missing.lock().unwrap() = None;
    let done = there.copied(&world).await;
    assert_eq!((done.changed, done.left_out.count, done.missing.count), (1, 0, 0), "{done:?}");
    assert_eq!(article(&world, 1).await["content"], "We sailed.");
    let again = there.copied(&world).await;
    assert_eq!((again.made, again.changed, again.deleted), (0, 0, 0), "{again:?}");
}

#[tokio::test]
async fn what_the_service_fails_to_tell_makes_the_copy_incomplete_until_it_is_told() {
    let (world, there) = (World::new().await, There::new(Extent::Whole));
    for number in 1..20 {
        there.put(Kind::Article, thing(number, 2021, json!({ "templateType": "item" })));
    }
    *there.silent.lock().unwrap() = vec![uid(2), uid(7)];
    let done = there.copied(&world).await;
    assert_eq!((done.made, done.missing.count, done.left_out.count), (17, 2, 0), "{done:?}");
    *there.silent.lock().unwrap() = Vec::new();
    let done = there.copied(&world).await;
    assert_eq!((done.made, done.missing.count), (2, 0), "{done:?}");
    // Copying stops when the service fails again and again.
    *there.silent.lock().unwrap() = (1..20).map(uid).collect();
    for number in 1..20 {
        there.put(Kind::Article, thing(number, 2022, json!({ "templateType": "item" })));
    }
    let refused = there.try_copy(&world).await.unwrap_err();
    assert_eq!(refused.code(), lore_core::error::Code::Unavailable, "{refused}");
}

#[tokio::test]
async fn a_public_draft_is_for_the_game_master_until_it_is_finished() {
    let (world, there) = (World::new().await, There::new(Extent::Whole));
    let player = world.player().await;
    let draft = |is_draft: bool, year| {
        thing(2, year, json!({ "templateType": "item", "isDraft": is_draft, "content": "Soon." }))
    };
    there.put(Kind::Article, draft(true, 2021));
    there.copied(&world).await;
    let arguments = json!({ "article_id": uid(2) });
    assert!(world.try_call(player, "get_article", arguments.clone()).await.is_err());
    there.put(Kind::Article, draft(false, 2022));
    there.copied(&world).await;
    assert!(world.try_call(player, "get_article", arguments.clone()).await.is_ok());
    let fields =
        json!({ "title": "D", "templateType": "item", "state": "public", "isDraft": true });
    let own = json!({ "article_id": world.make(Kind::Article, fields).await });
    assert!(world.try_call(player, "get_article", own.clone()).await.is_err());
    let published = json!({ "article_id": own["article_id"], "state": "public" });
    world.call("update_article", published).await;
    assert!(world.try_call(player, "get_article", own).await.is_ok());
}

#[tokio::test]
async fn a_list_of_things_without_ids_is_refused_and_deletes_nothing() {
    let (world, there) = (World::new().await, There::new(Extent::Whole));
    fill(&there, 2021);
    there.copied(&world).await;
    *there.nameless.lock().unwrap() = Some(Kind::Article);
    let refused = there.try_copy(&world).await.unwrap_err().to_string();
    assert!(refused.contains("the list of articles (an entry has no id)"), "{refused}");
    assert_eq!(article(&world, 2).await["content"], "Old.");
    *there.nameless.lock().unwrap() = None;
    let done = there.copied(&world).await;
    assert_eq!((done.unchanged, done.restored.count), (6, 0), "{done:?}");
}

#[tokio::test]
async fn what_changes_without_a_new_date_is_taken_in_where_it_is_read_anyway() {
    let (world, there) = (World::new().await, There::new(Extent::Whole));
    let about = |text: &str| json!({ "id": "w", "title": "There", "updateDate": date(2021), "description": text });
    for text in ["One.", "Two."] {
        there.put(Kind::World, about(text));
        there.copied(&world).await;
        let here = world.call("get_world", json!({})).await["data"]["description"].clone();
        assert_eq!(here, text);
    }
    let archive = There::new(Extent::Heap);
    for text in ["First.", "Second."] {
        let more = json!({ "templateType": "item", "content": text });
        archive.put(Kind::Article, thing(2, 2021, more));
        archive.copied(&world).await;
        assert_eq!(article(&world, 2).await["content"], text);
    }
}

#[tokio::test]
async fn trouble_is_told_once_and_takes_nothing_else_with_it() {
    let (world, there) = (World::new().await, There::new(Extent::Heap));
    let below = |number: u32, parent: u32, year| {
        let more = json!({
            "templateType": "item", "articleParent": { "id": uid(parent) },
            "category": { "id": uid(1) },
        });
        thing(number, year, more)
    };
    there.put(Kind::Category, thing(1, 2021, json!({})));
    there.put(Kind::Article, below(2, 3, 2021));
    there.put(Kind::Article, below(3, 2, 2021));
    there.put(Kind::Article, thing(4, 2021, json!({ "templateType": "dragon" })));
    let first = there.copied(&world).await;
    assert_eq!((first.made, first.left_out.count, first.left_out.again), (3, 2, 0), "{first:?}");
    assert!(first.left_out.some.iter().any(|one| one.contains("articleParent")), "{first:?}");
    for number in [2, 3] {
        let category = article(&world, number).await["category"].clone();
        assert_eq!(category["title"], "Thing 1", "what can be joined is");
    }
    let version = async || article(&world, 3).await["update_date"].clone();
    let before = version().await;
    let again = there.copied(&world).await;
    assert_eq!((again.left_out.count, again.left_out.again), (0, 2), "{again:?}");
    assert_eq!(version().await, before, "what cannot be mended is not written again");
    // The parent becomes a kind that can have the other below it.
    there.put(Kind::Article, thing(2, 2022, json!({ "templateType": "item" })));
    let mended = there.copied(&world).await;
    assert_eq!((mended.left_out.count, mended.left_out.again), (0, 1), "{mended:?}");
    assert_eq!(article(&world, 3).await["article_parent"]["title"], "Thing 2");
}

#[tokio::test]
async fn what_is_hidden_there_is_hidden_here_although_it_cannot_be_taken_in() {
    for extent in [Extent::Whole, Extent::Heap] {
        let (world, there) = (World::new().await, There::new(extent));
        let player = world.player().await;
        let item = |year, more: Value| {
            let mut all = object(json!({ "templateType": "item", "content": "Text." }));
            all.extend(object(more));
            there.put(Kind::Article, thing(2, year, Value::Object(all)));
        };
        let read = json!({ "article_id": uid(2) });
        item(2021, json!({ "title": "x".repeat(255) }));
        assert_eq!(there.copied(&world).await.made, 1);
        let title = world.try_call(player, "get_article", read.clone()).await.unwrap();
        let title = title["data"]["title"].as_str().unwrap().to_owned();
        assert!(title.ends_with("x…") && title.chars().count() == 200, "{title}");
        item(2022, json!({ "state": "private", "templateType": "dragon" }));
        let done = there.copied(&world).await;
        assert_eq!((done.changed, done.left_out.count), (0, 1), "{done:?}");
        assert!(world.try_call(player, "get_article", read.clone()).await.is_err());
        item(2023, json!({ "isDraft": 1 }));
        there.copied(&world).await;
        assert!(world.try_call(player, "get_article", read.clone()).await.is_err());
        item(2024, json!({ "isDraft": 0 }));
        there.copied(&world).await;
        assert!(world.try_call(player, "get_article", read).await.is_ok());
    }
}

#[tokio::test]
async fn what_is_on_a_hidden_map_is_copied_hidden() {
    let (world, there) = (World::new().await, There::new(Extent::Whole));
    let player = world.player().await;
    fill(&there, 2021);
    let hidden = |state: &str, year| thing(4, year, json!({ "state": state }));
    for (state, year, shown) in [("private", 2021, 0), ("public", 2022, 1), ("private", 2023, 0)] {
        there.put(Kind::Map, hidden(state, year));
        let done = there.copied(&world).await;
        assert_eq!(done.left_out.count, 0, "{done:?}");
        let ask = json!({ "action": "query", "text": "Thing 5" });
        let found = world.try_call(player, "kn_graph", ask).await.unwrap();
        let is_it = |node: &&Value| node["name"] == "Thing 5";
        let found = found["nodes"].as_array().unwrap().iter().filter(is_it).count();
        assert_eq!(found, shown, "a marker of a {state} map");
    }
    let markers = world.call("get_map_markers", json!({ "map_id": uid(4) })).await;
    assert_eq!(markers["entities"][0]["state"], "public", "what it says of itself");
}

#[tokio::test]
async fn copies_are_as_old_as_what_they_are_copies_of() {
    let world = World::new().await;
    let there = There::new(Extent::Whole);
    let made = json!({ "templateType": "item", "content": "Old.", "creationDate": date(2001) });
    there.put(Kind::Article, thing(1, 2005, made));
    let zoned = json!({ "date": "2005-01-01 02:00:00.000000", "timezone": "Europe/Berlin" });
    let zoned = json!({ "templateType": "item", "updateDate": zoned });
    there.put(Kind::Article, thing(2, 2005, zoned));
    there.copied(&world).await;
    let told = async |number: u32| {
        let asked = json!({ "article_id": uid(number), "granularity": 2, "verbose": true });
        let article = world.call("get_article", asked).await["data"].clone();
        let date = |name: &str| article[name]["date"].as_str().unwrap().to_owned();
        (date("creation_date"), date("update_date"))
    };
    let year = |year: u32| date(year)["date"].as_str().unwrap().to_owned();
    assert_eq!(told(1).await, (year(2001), year(2005)));
    assert_eq!(told(2).await.1, "2005-01-01 01:00:00.000000");
    let player = world.player().await;
    let seen =
        world.try_call(player, "get_article", json!({ "article_id": uid(1) })).await.unwrap();
    assert_eq!(seen["data"]["update_date"]["date"], year(2005));
    let changed = json!({ "templateType": "item", "content": "New.", "creationDate": date(2001) });
    there.put(Kind::Article, thing(1, 2006, changed));
    there.copied(&world).await;
    assert_eq!(told(1).await, (year(2001), year(2006)));
    // Changes made here have the current date.
    let title = json!({ "article_id": uid(1), "title": "Mine" });
    world.call("update_article", title).await;
    assert!(told(1).await.1 > year(2020));
}

#[tokio::test]
async fn copied_secrets_are_as_old_as_their_originals() {
    let world = World::new().await;
    let there = There::new(Extent::Whole);
    let secret = |content: &str| json!({ "content": content, "creationDate": date(2001) });
    there.put(Kind::Article, thing(1, 2002, json!({ "templateType": "item" })));
    there.put(Kind::Secret, thing(2, 2005, secret("psst")));
    there.put(Kind::Secret, thing(3, 2001, secret("psst")));
    let mut of_article = secret("psst");
    of_article["article"] = json!({ "id": uid(1) });
    there.put(Kind::Secret, thing(4, 2005, of_article));
    assert_eq!(there.copied(&world).await.made, 4);
    for (number, year) in [(2, 2005), (3, 2001), (4, 2005)] {
        let asked = json!({ "secret_id": uid(number), "granularity": 2, "verbose": true });
        let told = world.call("get_secret", asked).await["data"].clone();
        assert_eq!(told["content"], "psst");
        let dates = (&told["creation_date"]["date"], &told["update_date"]["date"]);
        assert_eq!(dates, (&date(2001)["date"], &date(year)["date"]), "{number}");
    }
}

#[tokio::test]
async fn tags_that_are_hidden_there_are_hidden_here() {
    let world = World::new().await;
    let there = There::holding(Extent::Whole, Vec::new());
    let tagged = |number: u32, open: Option<&str>| {
        let open = open.map_or(json!({}), |open| json!({ "tags": open }));
        let tags = format!("a,dark {number}");
        thing(number, 2005, json!({ "templateType": "item", "tags": tags, "openFields": open }))
    };
    let player = world.player().await;
    // Hidden from the beginning, and hidden later without any other change.
    for (number, first) in [(1, Some("a")), (2, None)] {
        for open in [first, Some("a")] {
            there.put(Kind::Article, tagged(number, open));
            there.copied(&world).await;
            let asked = json!({ "article_id": uid(number) });
            let all = json!(["a", format!("dark {number}")]);
            let seen = world.try_call(player, "get_article", asked.clone()).await.unwrap();
            assert_eq!(seen["data"]["tags"], open.map_or(all.clone(), |open| json!([open])));
            assert_eq!(world.call("get_article", asked).await["data"]["tags"], all);
        }
    }
    assert_eq!(there.copied(&world).await.changed, 0);
}

#[tokio::test]
async fn tags_that_change_alone_are_copied_and_notes_in_no_section_too() {
    let world = World::new().await;
    let there = There::holding(Extent::Whole, Vec::new());
    let tagged = |tags: &str| json!({ "templateType": "item", "content": "x", "tags": tags });
    there.put(Kind::Article, thing(1, 2005, tagged("a")));
    there.put(Kind::Note, thing(2, 2005, json!({ "content": "A quorvex thought." })));
    assert_eq!(there.copied(&world).await.made, 2);
    there.put(Kind::Article, thing(1, 2005, tagged("a,b")));
    assert_eq!(there.copied(&world).await.changed, 1);
    let article = world.call("get_article", json!({ "article_id": uid(1) })).await;
    assert_eq!(article["data"]["tags"], json!(["a", "b"]));
    let found = world.call("search_articles", json!({ "query": "quorvex" })).await;
    assert_eq!(found["entities"][0]["id"], uid(2));
}

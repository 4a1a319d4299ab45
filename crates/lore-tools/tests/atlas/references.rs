//! References and mentions in undeclared fields, and the numbers that copied objects bring along.

use std::sync::Arc;

use lore_anvil::Kind;
use lore_app::atlas::{Anvil, Atlas, Extent};
use lore_core::error::Code;
use lore_core::{Role, Viewer};
use serde_json::{Value, json};

use crate::there::{There, uid};
use crate::world::{World, object};

fn atlas(world: &World, viewer: Viewer) -> Atlas {
    Atlas::new(Arc::clone(&world.app), viewer, "test", "test".into())
}

async fn made(world: &World, kind: Kind, fields: Value) -> Value {
    let mut all = object(json!({ "state": "public" }));
    all.extend(object(fields));
    world.make(kind, Value::Object(all)).await
}

#[tokio::test]
async fn references_in_any_field_lead_only_to_what_the_viewer_sees() {
    let world = World::new().await;
    let hidden =
        world.call("create_article", json!({ "title": "HIDDEN" })).await["data"]["id"].clone();
    let picture = world.make(Kind::Image, json!({ "title": "HIDDEN" })).await;
    let open = made(&world, Kind::Article, json!({ "title": "Seen" })).await;
    let reference = json!({ "id": hidden, "title": "HIDDEN", "state": "public" });
    let fields = json!({
        "title": "Open", "currentLocation": reference, "species": { "id": hidden },
        "organizations": [reference, { "id": open, "title": "Seen" }], "articleNext": hidden,
        "icon": reference, "defaultarticlecover": { "id": picture, "title": "HIDDEN" },
        "data": { "pages": [{ "id": "p1", "cards": [reference], "note": "Kept" }] },
    });
    let player = world.player().await;
    for kind in [Kind::Article, Kind::Category, Kind::Canvas, Kind::History] {
        let id = made(&world, kind, fields.clone()).await;
        let id = id.as_str().unwrap();
        for granularity in [0, 1, 2, 3] {
            let told = atlas(&world, player).read(kind, Some(id), granularity).await.unwrap();
            let told = Value::Object(told).to_string();
            assert!(!told.contains("HIDDEN"), "{told}");
            assert!(!told.contains(hidden.as_str().unwrap()), "{told}");
        }
        let told = atlas(&world, player).read(kind, Some(id), 2).await.unwrap();
        assert_eq!(told["data"]["pages"][0]["note"], "Kept");
        assert!(Value::Object(told).to_string().contains("Seen"));
        let whole = atlas(&world, world.owner).read(kind, Some(id), 2).await.unwrap();
        assert!(Value::Object(whole).to_string().contains("HIDDEN"), "the game master sees it");
    }
}

#[tokio::test]
async fn no_text_names_what_the_viewer_does_not_see() {
    let world = World::new().await;
    let (alice, bob) = (world.player().await, world.person("Bob", Role::Player).await);
    let own = json!({ "title": "HIDDEN", "templateType": "item" });
    let of_alice = atlas(&world, alice).create(Kind::Article, &object(own)).await.unwrap();
    let of_the_gm = world.make(Kind::Article, json!({ "title": "HIDDEN" })).await;
    let block = world.make(Kind::Block, json!({ "title": "HIDDEN" })).await;
    for hidden in [of_alice["id"].clone(), of_the_gm] {
        let id = hidden.as_str().unwrap();
        let reference = json!({ "id": hidden, "title": "HIDDEN", "state": "public" });
        let fields = json!({
            "title": "Open", "content": format!("Look at lorewell://atlas/article/{id} there."),
            "sections": { "Rumours": format!("They say {id} too.") },
            "excerpt": format!("In short: {id}."), "relations": reference.to_string(),
            "card": json!({ "id": block, "title": "HIDDEN" }).to_string(),
            "stat": format!("A @[wolf](block:{block}) there."), "shape": format!("[block:{block}] x"),
            "sidebarcontent": format!(r"Fights as \[block:{block}\], lorewell://atlas/block/{block}."),
        });
        let open = made(&world, Kind::Article, fields).await;
        let open = open.as_str().unwrap();
        let told = atlas(&world, bob).read(Kind::Article, Some(open), 2).await.unwrap();
        assert_eq!(told["content"], "Look at lorewell://atlas/article/… there.");
        assert_eq!(
            (&told["excerpt"], &told["stat"]),
            (&json!("In short: …."), &json!("A wolf there."))
        );
        assert_eq!(told["sidebarcontent"], "Fights as , lorewell://atlas/block/….");
        assert!(told["shape"].is_null());
        let ask = json!({ "query": "look at" });
        let found = world.try_call(bob, "search_articles", ask).await.unwrap();
        assert_eq!(found["meta"]["total"], 1);
        for said in [Value::Object(told).to_string(), found.to_string()] {
            assert!(!said.contains(id) && !said.contains("HIDDEN"), "{said}");
        }
        let whole = atlas(&world, world.owner).read(Kind::Article, Some(open), 2).await.unwrap();
        assert!(Value::Object(whole).to_string().matches(id).count() >= 4);
        world.call("delete_article", json!({ "article_id": open })).await;
    }
}

#[tokio::test]
async fn a_mention_of_what_is_hidden_is_its_label() {
    let world = World::new().await;
    let mill = json!({ "entity_type": "location", "name": "HIDDEN", "is_hidden": true });
    world.page(mill).await;
    let entry = "At [entity:1|the *mill*], and [entity:1].";
    let warden = json!({ "entity_type": "character", "name": "Aelysh", "entry": entry });
    let id = world.page(warden).await;
    let ask = json!({ "article_id": id, "granularity": 2 });
    let player = world.player().await;
    let read = world.try_call(player, "get_article", ask.clone()).await.unwrap();
    assert_eq!(read["data"]["content"], r"At the \*mill\*, and ….");
    let whole = world.call("get_article", ask).await["data"]["content"].clone();
    let whole = whole.as_str().unwrap();
    assert!(whole.contains("(location:") && !whole.contains("HIDDEN"), "{whole}");
    // Writing back what was read, by somebody who sees the mentions, changes nothing.
    world.call("update_article", json!({ "article_id": id, "content": whole })).await;
    let kept = world.call("get_entities", json!({ "entity_ids": [2] })).await;
    assert_eq!(kept["results"][0]["entry"], entry);
}

#[tokio::test]
async fn excerpts_of_a_search_have_names_in_the_place_of_mentions() {
    let world = World::new().await;
    world.page(json!({ "entity_type": "location", "name": "Old Mill" })).await;
    let entry = "Warden. **Lives** at [entity:1], or [entity:1|near it].";
    world.page(json!({ "entity_type": "character", "name": "Aelysh", "entry": entry })).await;
    let found = world.call("search_articles", json!({ "query": "warden" })).await;
    assert_eq!(found["entities"][0]["excerpt"], "Warden. Lives at Old Mill, or near it.");
}

#[tokio::test]
async fn numbers_of_a_service_are_kept_and_own_ones_are_beyond_them() {
    for extent in [Extent::Whole, Extent::Heap] {
        let world = World::new().await;
        let before = world.make(Kind::Image, json!({ "title": "Made before" })).await;
        assert_eq!(before, 1);
        let state = "public";
        let block = json!({
            "id": 6, "title": "Wolf", "state": state, "folder": { "id": 5, "title": "Beasts" },
            "RPGSRD": { "id": 3, "title": "Fate" },
        });
        let there = There::holding(
            extent,
            vec![
                (Kind::Image, json!({ "id": 55, "title": "Cover", "state": state })),
                (Kind::Image, json!({ "id": 1, "title": "First", "state": state })),
                (Kind::BlockFolder, json!({ "id": 5, "title": "Beasts", "state": state })),
                (Kind::Block, block),
                (Kind::RpgSystem, json!({ "id": 3, "title": "Fate" })),
            ],
        );
        for _ in 0..2 {
            let done = atlas(&world, world.owner).copy_from(&there, None, &|_| {}).await.unwrap();
            assert_eq!(done.left_out.count, 0, "{done:?}");
        }
        for (tool, name, id, title) in [
            ("get_image", "image_id", 55, "Cover"),
            ("get_image", "image_id", 1, "First"),
            ("get_block", "block_id", 6, "Wolf"),
            ("get_block_folder", "block_folder_id", 5, "Beasts"),
            ("get_rpg_system", "rpg_system_id", 3, "Fate"),
        ] {
            let found = world.call(tool, json!({ name: id })).await;
            assert_eq!(
                (&found["data"]["id"], &found["data"]["title"]),
                (&json!(id), &json!(title))
            );
        }
        let inside = world.call("list_blocks", json!({ "block_folder_id": 5 })).await;
        assert_eq!(inside["entities"][0]["id"], 6);
        let wolf = world.call("get_block", json!({ "block_id": 6, "granularity": 2 })).await;
        assert_eq!(
            (&wolf["data"]["folder"]["id"], &wolf["data"]["rpg_system"]["id"]),
            (&json!(5), &json!(3))
        );
        for gone in [2, 7] {
            let none = world.refused(world.owner, "get_image", json!({ "image_id": gone })).await;
            assert_eq!(none.0, Code::NotFound);
        }
        let after = world.make(Kind::Image, json!({ "title": "Made after" })).await;
        let images = world.call("list_images", json!({})).await;
        let images = images["entities"].as_array().unwrap().clone();
        assert!(after.as_i64().unwrap() > 1 << 40, "{after}");
        for image in &images {
            let found = world.call("get_image", json!({ "image_id": image["id"] })).await;
            assert_eq!(found["data"]["title"], image["title"]);
        }
        assert_eq!(images.len(), 4);
    }
}

#[tokio::test]
async fn what_names_a_thing_by_its_number_follows_when_that_gives_way() {
    let world = World::new().await;
    for title in ["One", "Two"] {
        world.make(Kind::Block, json!({ "title": title, "tabulardata": "as [block:1]" })).await;
    }
    let text = r"A \[block:1\] and \[block:2\].";
    let own = made(&world, Kind::Article, json!({ "title": "Mine", "content": text })).await;
    let theirs = uid(5);
    let there = There::holding(
        Extent::Whole,
        vec![
            (Kind::Article, json!({ "id": theirs, "title": "Theirs", "content": text })),
            (Kind::Block, json!({ "id": 1, "title": "Copied" })),
        ],
    );
    for _ in 0..2 {
        there.copied(&world).await;
        let content = async |id: &str| {
            let arguments = json!({ "article_id": id, "granularity": 2 });
            world.call("get_article", arguments).await["data"]["content"].clone()
        };
        let number = (1_i64 << 41) + 1;
        let followed = format!(r"A \[block:{number}\] and \[block:2\].");
        assert_eq!(content(own.as_str().unwrap()).await, followed);
        assert_eq!(content(&theirs).await, text, "what was copied means the copy");
        for (id, title) in [(number, "One"), (1, "Copied"), (2, "Two")] {
            let ask = json!({ "block_id": id, "granularity": 2 });
            let block = world.call("get_block", ask).await["data"].clone();
            assert_eq!(block["title"], title);
            let says = json!(format!("as [block:{number}]"));
            assert!(title == "Copied" || block["tabulardata"] == says, "{block}");
        }
    }
}

#[tokio::test]
async fn who_writes_cannot_make_something_a_copy() {
    let world = World::new().await;
    let copied = json!({ "id": "77", "date": null, "print": "", "told": [] });
    let id = world.make(Kind::Image, json!({ "title": "Mine", "copied": copied })).await;
    assert_eq!(id, 1);
}

#[tokio::test]
async fn an_excerpt_is_what_its_author_wrote_or_how_the_text_begins_in_plain_words() {
    let world = World::new().await;
    let mill = made(&world, Kind::Article, json!({ "title": "Mill" })).await;
    let mill = mill.as_str().unwrap();
    let text = format!("# Head\n\nBy *the* @[Old Mill](article:{mill}).");
    let id = made(&world, Kind::Article, json!({ "title": "A", "content": text })).await;
    let id = id.as_str().unwrap();
    let atlas = atlas(&world, world.owner);
    let excerpt = async || atlas.read(Kind::Article, Some(id), 0).await.unwrap()["excerpt"].clone();
    assert_eq!(excerpt().await, "Head By the Old Mill.");
    for (written, told) in [(json!("Mine."), "Mine."), (Value::Null, "Head By the Old Mill.")] {
        let change = object(json!({ "excerpt": written }));
        atlas.update(Kind::Article, id, &change).await.unwrap();
        assert_eq!(excerpt().await, told);
    }
    let found = world.call("search_articles", json!({ "query": "head" })).await;
    let said = found["entities"].to_string();
    assert!(said.contains("Old Mill") && !said.contains("[entity:"), "{said}");
}

#[tokio::test]
async fn a_world_is_not_published() {
    let world = World::new().await;
    let atlas = atlas(&world, world.owner);
    let id = atlas.read(Kind::World, None, -1).await.unwrap()["id"].clone();
    let id = id.as_str().unwrap();
    for (state, taken) in [("public", false), ("private", true)] {
        let change = object(json!({ "state": state }));
        assert_eq!(atlas.update(Kind::World, id, &change).await.is_ok(), taken, "{state}");
    }
}

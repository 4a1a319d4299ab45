//! A part of something hidden is hidden with it, in every tool and for every kind.

use lore_anvil::Kind;
use lore_app::atlas::{Anvil, Atlas, ListQuery};
use lore_core::Viewer;
use lore_core::error::Code;
use serde_json::{Value, json};

use crate::world::{World, object, titles};

/// Every kind of part, with its field and the kind of its whole.
fn parts() -> impl Iterator<Item = (Kind, &'static str, Kind)> {
    let all = Kind::ALL.iter().copied();
    all.flat_map(|kind| kind.row().holders().map(move |(field, whole, _)| (kind, field, whole)))
}

fn atlas(world: &World, viewer: Viewer) -> Atlas {
    Atlas::new(world.app.clone(), viewer, "test", "test".into())
}

async fn sees(atlas: &Atlas, kind: Kind, id: &Value) -> bool {
    let id = id.as_str().map_or_else(|| id.to_string(), str::to_owned);
    match atlas.read(kind, Some(&id), 2).await {
        Ok(_) => true,
        Err(error) => {
            assert_eq!(error.code(), Code::NotFound, "{error}");
            false
        }
    }
}

#[tokio::test]
async fn no_part_is_seen_by_who_does_not_see_the_whole() {
    let world = World::new().await;
    let (player, owner) = (atlas(&world, world.player().await), atlas(&world, world.owner));
    let mut count = 0;
    for (kind, field, whole) in parts() {
        for (state, open) in [("private", false), ("public", true)] {
            let above = json!({ "title": "Whole", "state": state });
            let above = world.make(whole, above).await;
            let part = json!({ "title": "Part", "state": "public", field: { "id": above } });
            let part = world.make(kind, part).await;
            assert_eq!(sees(&player, kind, &part).await, open, "{kind:?} of a {state} {whole:?}");
            assert!(sees(&owner, kind, &part).await, "{kind:?}");
        }
        let listed = ListQuery::of(kind);
        let (few, all) = (player.list(&listed).await.unwrap(), owner.list(&listed).await.unwrap());
        assert_eq!((few.total, few.rows.len()), (all.total / 2, all.total / 2), "{kind:?}");
        count += 1;
    }
    assert!(count > 15, "{count}");
}

#[tokio::test]
async fn a_part_of_a_part_is_hidden_too_and_what_merely_belongs_somewhere_is_not() {
    let world = World::new().await;
    let viewer = world.player().await;
    let player = atlas(&world, viewer);
    let hidden = |title: &str| json!({ "title": title, "state": "private" });
    let book = world.make(Kind::Notebook, hidden("Book")).await;
    let section = json!({ "title": "Section", "state": "public", "notebook": { "id": book } });
    let section = world.make(Kind::NoteSection, section).await;
    let note = json!({ "title": "Note", "state": "public", "notesection": { "id": section } });
    let note = world.make(Kind::Note, note).await;
    assert!(!sees(&player, Kind::Note, &note).await);
    let folder = world.make(Kind::BlockFolder, hidden("Folder")).await;
    let block = json!({ "title": "Stats", "state": "public", "blockfolder": { "id": folder } });
    let block = world.make(Kind::Block, block).await;
    let category = world.make(Kind::Category, hidden("Folder")).await;
    let article = json!({
        "title": "Open", "state": "public", "category": { "id": category }, "block": { "id": block },
    });
    let article = world.make(Kind::Article, article).await;
    let ask = json!({ "article_id": article, "granularity": 2 });
    let seen = world.try_call(viewer, "get_article", ask).await.unwrap();
    assert_eq!(seen["data"]["title"], "Open");
    let map = world.make(Kind::Map, json!({ "title": "Open map", "state": "public" })).await;
    let far = world.make(Kind::Map, hidden("Far")).await;
    let door = json!({
        "title": "Door", "state": "public", "map": { "id": map }, "targetMap": { "id": far },
    });
    let door = world.make(Kind::Marker, door).await;
    assert!(sees(&player, Kind::Marker, &door).await, "it leads to a hidden map, and is on none");
    for reference in ["category", "block"] {
        assert_eq!(seen["data"].get(reference), None, "{seen}");
    }
}

#[tokio::test]
async fn parts_follow_when_the_whole_is_hidden_shown_or_another() {
    let world = World::new().await;
    let viewer = world.player().await;
    let (player, owner) = (atlas(&world, viewer), atlas(&world, world.owner));
    let open = |title: &str| json!({ "title": title, "state": "public" });
    let book = world.make(Kind::Notebook, open("Book")).await;
    let section = json!({ "title": "Section", "state": "public", "notebook": { "id": book } });
    let section = world.make(Kind::NoteSection, section).await;
    let note = json!({
        "title": "Note", "state": "public", "notesection": { "id": section }, "content": "quernstone",
    });
    let note = world.make(Kind::Note, note).await;
    let own = json!({ "title": "Own", "notesection": { "id": section } });
    let own = world.make(Kind::Note, own).await;
    let write = async |kind: Kind, id: &Value, fields: Value| {
        owner.update(kind, id.as_str().unwrap(), &object(fields)).await.unwrap()
    };
    let elsewhere = world.make(Kind::Notebook, json!({ "title": "Hidden" })).await;
    for (kind, id, fields, shown) in [
        (Kind::Notebook, &book, json!({ "state": "private" }), false),
        (Kind::Note, &note, json!({ "content": "quernstone again" }), false),
        (Kind::Notebook, &book, json!({ "state": "public" }), true),
        (Kind::NoteSection, &section, json!({ "notebook": { "id": elsewhere } }), false),
        (Kind::NoteSection, &section, json!({ "notebook": { "id": book } }), true),
        (Kind::NoteSection, &section, json!({ "state": "private" }), false),
        (Kind::NoteSection, &section, json!({ "state": "public" }), true),
    ] {
        write(kind, id, fields.clone()).await;
        assert_eq!(sees(&player, Kind::Note, &note).await, shown, "{kind:?} {fields}");
        assert!(!sees(&player, Kind::Note, &own).await, "what is private itself stays so");
        let told = owner.read(Kind::Note, note.as_str(), 0).await.unwrap();
        assert_eq!(told["state"], "public", "what it says of itself");
        // The store hides it, so other doors hide it, too.
        let ask = json!({ "query": "quernstone" });
        let found = world.try_call(viewer, "knowledge_search", ask).await.unwrap().to_string();
        assert_eq!(found.contains("notebook_note"), shown, "{kind:?} {fields}: {found}");
    }
}

#[tokio::test]
async fn markers_are_listed_with_what_is_there() {
    let world = World::new().await;
    let map = world.make(Kind::Map, json!({ "title": "Vale" })).await;
    let marker = json!({ "title": "Keep", "map_id": map, "description": "**Old** walls." });
    world.call("create_map_marker", marker).await;
    let found = world.call("get_map_markers", json!({ "map_id": map })).await;
    assert_eq!(titles(&found), ["Keep"]);
    assert_eq!(found["entities"][0]["description"], "**Old** walls.");
}

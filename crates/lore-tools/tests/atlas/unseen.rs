//! What players must not learn indirectly: from deleted things, from lists, from contained things.

use std::sync::Arc;

use lore_anvil::Kind;
use lore_app::atlas::{Anvil, Atlas, Extent, ListQuery, Screened};
use lore_core::Viewer;
use lore_core::error::Code;
use serde_json::{Value, json};

use crate::there::{There, uid};
use crate::world::World;

fn atlas(world: &World, viewer: Viewer) -> Atlas {
    Atlas::new(Arc::clone(&world.app), viewer, "test", "test".into())
}

fn live(world: &World, there: impl Anvil + 'static, viewer: Viewer) -> Screened {
    Screened::new(Arc::new(there), atlas(world, viewer))
}

fn plain(id: &Value) -> String {
    id.as_str().map_or_else(|| id.to_string(), str::to_owned)
}

#[tokio::test]
async fn a_part_stays_hidden_when_what_it_was_hidden_with_is_gone() {
    let world = World::new().await;
    let (player, owner) = (world.player().await, atlas(&world, world.owner));
    let far = live(&world, atlas(&world, world.owner), player);
    let parts = Kind::ALL
        .iter()
        .flat_map(|kind| kind.row().holders().map(move |(field, whole, _)| (*kind, field, whole)));
    for (kind, field, whole) in parts {
        let above = world.make(whole, json!({ "title": "Whole", "state": "private" })).await;
        let part = json!({ "title": "Part", "state": "public", field: { "id": above } });
        let part = plain(&world.make(kind, part).await);
        let told = owner.read(kind, Some(&part), 0).await.unwrap();
        assert_eq!(told["state"], "public", "{kind:?}: what it says of itself");
        owner.delete(whole, &plain(&above)).await.unwrap();
        let told = owner.read(kind, Some(&part), 0).await.unwrap();
        assert_eq!(told["state"], "private", "{kind:?} of a deleted {whole:?}");
        for source in [&far as &dyn Anvil, &atlas(&world, player)] {
            let hidden = source.read(kind, Some(&part), 0).await.unwrap_err();
            assert_eq!(hidden.code(), Code::NotFound, "{kind:?}");
            assert_eq!(source.list(&ListQuery::of(kind)).await.unwrap().total, 0, "{kind:?}");
        }
    }
}

#[tokio::test]
async fn a_map_of_a_service_tells_no_marker_of_a_hidden_group() {
    let world = World::new().await;
    let thing = |number: u32, state: &str| json!({ "id": uid(number), "title": format!("Thing {number}"), "state": state });
    let map = |markers: Value| {
        let mut map = thing(1, "public");
        map["markers"] = markers;
        map
    };
    let marker = |number: u32, group: u32, state: &str| {
        let mut marker = thing(number, "public");
        marker["map"] = thing(1, "public");
        marker["group"] = thing(group, state);
        marker
    };
    let markers = json!([thing(4, "public"), thing(5, "public")]);
    let there = There::holding(
        Extent::Whole,
        vec![
            (Kind::Map, map(markers)),
            (Kind::MarkerGroup, thing(2, "public")),
            (Kind::MarkerGroup, thing(3, "private")),
            (Kind::Marker, marker(4, 2, "public")),
            (Kind::Marker, marker(5, 3, "private")),
        ],
    );
    let player = live(&world, there, world.player().await);
    let shown = player.read(Kind::Map, Some(&uid(1)), 2).await.unwrap();
    assert_eq!(shown["markers"].as_array().unwrap().len(), 1, "{shown:?}");
    assert_eq!(shown["markers"][0]["title"], "Thing 4");
    assert_eq!(shown["isEditable"], false, "players change nothing there");
}

#[tokio::test]
async fn what_says_nothing_of_itself_is_asked_for_and_what_says_that_it_is_private_is_not_told() {
    let world = World::new().await;
    let thing = |number: u32, state: &str| json!({ "id": uid(number), "title": "Thing", "state": state, "content": "" });
    let mut open = thing(1, "public");
    open["odd"] = json!({
        "near": [{ "id": uid(2) }, { "id": uid(3) }], "far": { "id": uid(9) },
        "nameless": { "title": "HIDDEN", "state": "private", "note": "HIDDEN" },
        "matter": { "state": "liquid" },
    });
    let there = There::holding(
        Extent::Whole,
        vec![
            (Kind::Article, open),
            (Kind::Article, thing(2, "public")),
            (Kind::Article, thing(3, "private")),
        ],
    );
    let player = live(&world, there, world.player().await);
    let shown = player.read(Kind::Article, Some(&uid(1)), 2).await.unwrap();
    let wanted = json!({
        "near": [{ "id": uid(2) }], "far": null, "nameless": null, "matter": { "state": "liquid" },
    });
    assert_eq!(shown["odd"], wanted);
}

#[tokio::test]
async fn what_a_list_says_is_noticed_although_the_date_is_the_same() {
    let (world, there) = (World::new().await, There::holding(Extent::Whole, vec![]));
    let player = world.player().await;
    let ask = json!({ "article_id": uid(2) });
    let item = |more: Value| {
        let mut item = json!({
            "id": uid(2), "title": "Thing", "state": "public", "templateType": "item",
            "content": "Text.", "updateDate": { "date": "2021-01-01 00:00:00.000000" },
        });
        for (name, value) in more.as_object().unwrap() {
            item[name] = value.clone();
        }
        there.put(Kind::Article, item);
    };
    for (more, is_shown) in [
        (json!({}), true),
        (json!({ "state": "private" }), false),
        (json!({ "isDraft": 1 }), false),
        (json!({}), true),
        (json!({ "subscribergroups": [{ "id": uid(7), "title": "Patrons" }] }), false),
        (json!({ "title": "Another" }), true),
    ] {
        item(more.clone());
        let first = there.copied(&world).await;
        assert_eq!(first.made + first.changed, 1, "{more}: {first:?}");
        let shown = world.try_call(player, "get_article", ask.clone()).await;
        assert_eq!(shown.is_ok(), is_shown, "{more}: {shown:?}");
        assert_eq!(there.copied(&world).await.unchanged, 1, "{more}");
    }
    let shown = world.call("get_article", ask).await;
    assert_eq!(shown["data"]["title"], "Another");
}

#[tokio::test]
async fn editable_is_what_the_caller_may_change() {
    let world = World::new().await;
    let player = world.player().await;
    let public = |title: &str| json!({ "title": title, "state": "public" });
    let theirs = world.call("create_article", public("Theirs")).await["data"]["id"].clone();
    let own = world.try_call(player, "create_article", public("Own")).await.unwrap();
    let own = own["data"]["id"].clone();
    let is_editable = async |viewer: Viewer, id: &Value| {
        let found = atlas(&world, viewer).read(Kind::Article, id.as_str(), 1).await.unwrap();
        let ask = json!({ "article_id": id, "tags": ["x"] });
        let changed = world.try_call(viewer, "update_article", ask).await.is_ok();
        assert_eq!(found["isEditable"], changed, "{id}");
        changed
    };
    let reader = world.person("Rita", lore_core::Role::Reader).await;
    assert!(is_editable(world.owner, &theirs).await && is_editable(world.owner, &own).await);
    assert!(!is_editable(player, &theirs).await && is_editable(player, &own).await);
    assert!(!is_editable(reader, &own).await);
}

//! A live service whose keys see everything, in front of viewers who may not.

use std::collections::BTreeSet;
use std::sync::Arc;

use lore_anvil::Kind;
use lore_app::atlas::{Anvil, ArticleQuery, Atlas, Audience, Extent, ListQuery, Screened};
use lore_core::error::Code;
use lore_core::{Role, Viewer};
use serde_json::{Value, json};

use crate::there::{There, uid};
use crate::world::World;

fn live(world: &World, there: There, viewer: Viewer) -> Screened {
    let here = Atlas::new(Arc::clone(&world.app), viewer, "test", "test".into());
    Screened::new(Arc::new(there), here)
}

fn question(words: &str) -> ArticleQuery {
    ArticleQuery {
        words: words.into(),
        world: None,
        audience: Audience::Everybody,
        copied: BTreeSet::new(),
        offset: 0,
        limit: 5,
    }
}

/// A service with a private map and public objects on it.
fn with_a_hidden_map() -> There {
    let map = json!({ "id": "m", "title": "Hidden", "state": "private" });
    let public = |id: &str| json!({ "id": id, "title": "Thing", "state": "public" });
    let layer = json!({ "id": "l", "title": "Thing", "state": "public", "map": map });
    let marker = json!({ "id": "k", "title": "Thing", "state": "public", "map": map });
    let private = json!({ "id": "private", "title": "Hidden", "state": "private" });
    let about = json!({ "id": "w", "title": "There", "countArticles": 9, "countFollowers": 4 });
    There::holding(
        Extent::Whole,
        vec![
            (Kind::World, about),
            (Kind::Map, map.clone()),
            (Kind::Layer, layer),
            (Kind::Marker, marker),
            (Kind::Article, public("k")),
            (Kind::Article, private.clone()),
            (Kind::RpgSystem, public("open")),
            (Kind::RpgSystem, private),
            (Kind::Campaign, public("far")),
        ],
    )
}

#[tokio::test]
async fn what_is_in_something_hidden_is_hidden_and_campaigns_are_those_of_this_world() {
    let world = World::new().await;
    let campaign = json!({ "name": "Vale", "gm_mode": "HUMAN" });
    let campaign = world.call("campaign_create", campaign).await["id"].clone();
    let campaign = campaign.as_str().unwrap();
    let markers =
        ListQuery { parent: Some((Kind::Map, "m".into())), ..ListQuery::of(Kind::Marker) };
    let player = live(&world, with_a_hidden_map(), world.player().await);
    assert_eq!(player.list(&markers).await.unwrap_err().code(), Code::NotFound);
    let owner = live(&world, with_a_hidden_map(), world.owner);
    assert_eq!(owner.list(&markers).await.unwrap().total, 1);
    let found = owner.read(Kind::Campaign, Some(campaign), 1).await.unwrap();
    assert_eq!(found["name"], "Vale");
    let npcs =
        ListQuery { parent: Some((Kind::Campaign, campaign.into())), ..ListQuery::of(Kind::Npc) };
    assert_eq!(owner.list(&npcs).await.unwrap().total, 0);
    let far = owner.read(Kind::Campaign, Some("far"), 1).await.unwrap();
    assert_eq!(far["title"], "Thing", "what is not here may be there");
}

#[tokio::test]
async fn players_of_a_service_learn_nothing_of_what_is_hidden() {
    let world = World::new().await;
    let player = live(&world, with_a_hidden_map(), world.player().await);
    // The layer is public, but its map is not.
    assert_eq!(player.read(Kind::Layer, Some("l"), 0).await.unwrap_err().code(), Code::NotFound);
    assert!(player.list(&ListQuery::of(Kind::Layer)).await.unwrap().rows.is_empty());
    let about = player.read(Kind::World, Some("w"), 1).await.unwrap();
    let counted = (&about["countArticles"], &about["countFollowers"]);
    assert_eq!(counted, (&json!(1), &json!(4)), "what is hidden is not counted");
    let system = player.read(Kind::RpgSystem, Some("private"), 0).await;
    assert_eq!(system.unwrap_err().code(), Code::NotFound);
    assert!(player.read(Kind::RpgSystem, Some("open"), 0).await.is_ok());
}

#[tokio::test]
async fn players_of_a_service_see_no_hidden_picture_or_mention() {
    let world = World::new().await;
    let map = |id: &str, state: &str| {
        json!({
            "id": id, "title": "Map", "state": "public", "imageUrl": "https://x.example/p.png",
            "image": { "id": 9, "title": "P", "state": state },
            "description": format!(
                "By @[Bob](person:{}) and @[the *Mill*](location:{}).", uid(1), uid(2)
            ),
        })
    };
    let there = There::holding(
        Extent::Whole,
        vec![
            (Kind::Map, map("open", "public")),
            (Kind::Map, map("hidden", "private")),
            (Kind::Article, json!({ "id": uid(1), "title": "Bob", "state": "public" })),
            (Kind::Article, json!({ "id": uid(2), "title": "Mill", "state": "private" })),
        ],
    );
    let player = live(&world, there, world.player().await);
    let open = player.read(Kind::Map, Some("open"), 2).await.unwrap();
    assert_eq!(open["imageUrl"], "https://x.example/p.png");
    let said = open["description"].as_str().unwrap();
    assert!(said.contains(&uid(1)) && !said.contains(&uid(2)) && said.contains("Mill"), "{said}");
    assert!(player.read(Kind::Map, Some("hidden"), 0).await.unwrap()["imageUrl"].is_null());
    let rows = player.list(&ListQuery::of(Kind::Map)).await.unwrap().rows;
    let addresses: Vec<bool> = rows.iter().map(|row| row["imageUrl"].is_null()).collect();
    assert_eq!(addresses, [false, true]);
}

/// Everything that can refer to `id`, in undeclared fields and in texts.
fn naming(id: &str) -> Value {
    let hidden = json!({ "id": id, "title": "HIDDEN" });
    json!({
        "content": format!("A text of @[somebody](person:{id}), see {id}."),
        "sections": { "Rumours": format!("They say https://x.example/{id} too.") },
        "excerpt": format!("By @[somebody](person:{id})."),
        "relations": json!({ "deep": [hidden, { "id": id }], "note": "Kept" }).to_string(),
        "stale": json!({ "id": id, "title": "HIDDEN", "state": "public" }).to_string(),
        "address": format!("https://x.example/{id}"), "list": format!("{id},x"),
        "keyed": { id: "x" }, "other": { "uuid": id, "name": "HIDDEN" }, "next": id,
        "folderId": id, "several": [id, { "id": id }], "articleParent": { "id": id },
    })
}

#[tokio::test]
async fn nothing_that_a_service_answers_names_what_is_hidden_from_players() {
    let world = World::new().await;
    let player = world.player().await;
    let named = |kind: Kind, state: &str| {
        let mut thing = naming(&uid(9));
        thing["id"] = json!(uid(1));
        thing["title"] = json!("Open");
        thing["state"] = json!("public");
        let other = json!({ "id": uid(9), "title": "Other", "state": state, "content": "" });
        There::holding(Extent::Whole, vec![(Kind::Article, thing), (kind, other)])
    };
    for (kind, state) in [
        (Kind::Article, "private"),
        (Kind::Map, "private"),
        (Kind::Canvas, "private"),
        (Kind::Secret, "private"),
    ] {
        let screened = live(&world, named(kind, state), player);
        let told = screened.read(Kind::Article, Some(&uid(1)), 2).await.unwrap();
        let words = "A text";
        let found = screened.search(&question(words)).await.unwrap().articles;
        let row = screened.list(&ListQuery::of(Kind::Article)).await.unwrap().rows;
        assert_eq!((found.len(), row.len()), (1, 1));
        assert_eq!(found[0].excerpt, "A text of somebody, see ….");
        assert_eq!(told["content"], "A text of somebody, see ….");
        assert!(told["relations"].as_str().unwrap().contains("Kept"));
        for said in [Value::Object(told).to_string(), Value::from(row).to_string()] {
            assert!(!said.contains("HIDDEN") && !said.contains(&uid(9)), "{kind:?}: {said}");
        }
    }
    let screened = live(&world, named(Kind::Article, "public"), player);
    let told = screened.read(Kind::Article, Some(&uid(1)), 2).await.unwrap();
    for (name, value) in naming(&uid(9)).as_object().unwrap() {
        if ["content", "sections", "excerpt", "address", "list", "keyed", "next"]
            .contains(&name.as_str())
        {
            assert_eq!(told[name], *value, "what is open is told");
        }
    }
}

#[tokio::test]
async fn what_is_hidden_is_named_by_no_number() {
    let world = World::new().await;
    let text = r"\[block:6\] \[block:7\] \[img:7\] @[A](block:6) @[B](block:7) @[C](image:7)";
    let thing = |id: i64, state: &str| json!({ "id": id, "title": "Thing", "state": state });
    let open = json!({ "id": uid(1), "title": "Open", "state": "public", "content": text });
    let things = || {
        vec![
            (Kind::Article, open.clone()),
            (Kind::Block, thing(6, "public")),
            (Kind::Block, thing(7, "private")),
            (Kind::Image, thing(7, "public")),
        ]
    };
    let there = There::holding(Extent::Whole, things());
    there.copied(&world).await;
    let player = world.player().await;
    let here = Atlas::new(Arc::clone(&world.app), player, "test", "test".into());
    for source in [&live(&world, there, player) as &dyn Anvil, &here] {
        let told = source.read(Kind::Article, Some(&uid(1)), 2).await.unwrap();
        let shown = r"\[block:6\]  \[img:7\] @[A](block:6) B @[C](image:7)";
        assert_eq!(told["content"], shown);
    }
}

#[tokio::test]
async fn what_is_for_groups_of_subscribers_is_not_for_players() {
    let world = World::new().await;
    let thing = |number: u32, groups: Value| {
        let id = uid(number);
        json!({ "id": id, "title": "Thing", "state": "public", "subscribergroups": groups })
    };
    let groups = json!([{ "id": uid(7), "title": "Patrons" }]);
    let there = There::holding(
        Extent::Whole,
        vec![
            (Kind::Article, thing(1, json!([]))),
            (Kind::Article, thing(2, groups.clone())),
            (Kind::Map, thing(3, groups)),
        ],
    );
    there.copied(&world).await;
    let player = world.player().await;
    let here = Atlas::new(Arc::clone(&world.app), player, "test", "test".into());
    let screened = live(&world, there, player);
    for source in [&screened as &dyn Anvil, &here] {
        let articles = source.list(&ListQuery::of(Kind::Article)).await.unwrap();
        assert_eq!(articles.total, 1);
        assert!(source.read(Kind::Article, Some(&uid(1)), 2).await.is_ok());
        for (kind, number) in [(Kind::Article, 2), (Kind::Map, 3)] {
            let hidden = source.read(kind, Some(&uid(number)), 2).await;
            assert_eq!(hidden.unwrap_err().code(), Code::NotFound);
        }
    }
    let ask = json!({ "article_id": uid(2), "verbose": true });
    let kept = world.call("get_article", ask).await["data"].clone();
    assert_eq!(kept["subscribergroups"][0]["title"], "Patrons");
    // Publishing it makes it visible to everybody.
    world.call("update_article", json!({ "article_id": uid(2), "state": "public" })).await;
    assert!(here.read(Kind::Article, Some(&uid(2)), 2).await.is_ok());
}

#[tokio::test]
async fn everybody_but_the_owner_is_who_they_are_here() {
    let world = World::new().await;
    let account = json!({ "id": "u", "username": "Keys", "email": "secret@example.org" });
    let about = json!({ "id": "w", "title": "There", "ownership": "owner" });
    let there = || {
        let things = vec![(Kind::User, account.clone()), (Kind::World, about.clone())];
        There::holding(Extent::Whole, things)
    };
    for (role, ownership) in
        [(Role::Gm, "editor"), (Role::Player, "subscriber"), (Role::Reader, "subscriber")]
    {
        let somebody = live(&world, there(), world.person(ownership, role).await);
        let user = somebody.read(Kind::User, None, 2).await.unwrap();
        assert_eq!((&user["username"], &user["worldCount"]), (&json!(ownership), &json!(1)));
        assert!(!user.contains_key("email"), "{user:?}");
        let seen = somebody.read(Kind::World, None, 0).await.unwrap();
        assert_eq!(seen["ownership"], ownership);
        let own = Some((Kind::User, user["id"].as_str().unwrap().to_owned()));
        let worlds = ListQuery { parent: own, ..ListQuery::of(Kind::World) };
        assert_eq!(somebody.list(&worlds).await.unwrap().rows[0]["ownership"], ownership);
        let other = Some((Kind::User, "u".to_owned()));
        let worlds = ListQuery { parent: other, ..ListQuery::of(Kind::World) };
        assert_eq!(somebody.list(&worlds).await.unwrap_err().code(), Code::NotFound);
    }
    let world_of_keys =
        live(&world, there(), world.owner).read(Kind::World, None, 0).await.unwrap();
    assert_eq!(world_of_keys["ownership"], "owner");
}

#[tokio::test]
async fn players_are_told_how_many_words_they_see() {
    let world = World::new().await;
    let hidden = uid(9);
    let article = json!({
        "id": uid(1), "title": "Open", "state": "public",
        "content": format!("One two {hidden} @[Three](person:{hidden})."),
        "wordcount": 9,
    });
    let private = json!({ "id": hidden, "title": "Hidden", "state": "private", "content": "" });
    let there = || {
        let things = vec![(Kind::Article, article.clone()), (Kind::Article, private.clone())];
        There::holding(Extent::Whole, things)
    };
    let (player, owner) = (world.player().await, world.owner);
    for (viewer, words) in [(player, 3), (owner, 9)] {
        let seen = live(&world, there(), viewer);
        let told = seen.read(Kind::Article, Some(&uid(1)), 1).await.unwrap();
        assert_eq!(told["wordcount"], words);
        let listed = seen.list(&ListQuery::of(Kind::Article)).await.unwrap();
        for told in [&told, &listed.rows[0]] {
            assert!(!told.contains_key("lentText"));
        }
    }
}

#[tokio::test]
async fn what_says_how_everybody_sees_it_is_shown_so() {
    let world = World::new().await;
    let (late, early) = (json!({ "date": "2026-02-02" }), json!({ "date": "2026-01-01" }));
    let article = json!({
        "id": uid(1), "title": "Open", "state": "public", "updateDate": late, "tags": "a,wombat",
        "content": "Open. wombat.", "wordcount": 2, "authornotes": "wombat", "isEditable": true,
        "openFields": {
            "updateDate": early, "tags": "a", "content": "Open.", "wordcount": 1, "authornotes": null,
        },
    });
    let hidden = json!({
        "id": uid(2), "title": "wombat", "state": "public", "content": "Open.",
        "openFields": { "state": "private" },
    });
    let there = || {
        let things = vec![(Kind::Article, article.clone()), (Kind::Article, hidden.clone())];
        There::holding(Extent::Whole, things)
    };
    for viewer in [world.player().await, world.owner] {
        let seen = live(&world, there(), viewer);
        let sees_all = viewer.sees_gm_side();
        let told = seen.read(Kind::Article, Some(&uid(1)), 2).await.unwrap();
        let listed = seen.list(&ListQuery::of(Kind::Article)).await.unwrap();
        let found = seen.search(&question("Open")).await.unwrap();
        assert_eq!(listed.total, if sees_all { 2 } else { 1 });
        assert_eq!(seen.read(Kind::Article, Some(&uid(2)), 0).await.is_ok(), sees_all);
        let found = found.articles.iter().map(|found| &found.article);
        for told in listed.rows.iter().chain(found).chain([&told]) {
            let text = json!(told).to_string();
            assert!(!text.contains("openFields"), "{text}");
            assert_eq!(text.contains("wombat"), sees_all, "{text}");
        }
        assert_eq!(told["updateDate"], if sees_all { late.clone() } else { early.clone() });
        assert_eq!(told["content"], if sees_all { "Open. wombat." } else { "Open." });
    }
}

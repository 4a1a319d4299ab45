//! The local search over articles of the service.

use std::collections::BTreeSet;

use super::*;

fn asking_for(words: &str) -> ArticleQuery {
    let (world, audience) = (Some(WORLD.into()), Audience::GmSide);
    ArticleQuery {
        words: words.into(),
        world,
        audience,
        copied: BTreeSet::new(),
        offset: 0,
        limit: 50,
    }
}

#[tokio::test]
async fn what_was_just_read_is_found_although_the_list_is_older() {
    let written = Arc::new(Mutex::new(vec![json!({ "id": "a", "title": "Old" })]));
    let there = Arc::clone(&written);
    let stage = Stage::set(move |asking| match asking.path {
        "world/articles" => {
            json_answer(200, json!({ "success": true, "entities": there.lock().clone() }))
        }
        _ => thing(asking),
    });
    let query = asking_for("stone");
    assert_eq!(stage.anvil.search(&query).await.unwrap().total, 0);
    written.lock().push(json!({ "id": "b", "title": "New" }));
    stage.anvil.read(Kind::Article, Some("b"), 1).await.unwrap();
    let found = stage.anvil.search(&query).await.unwrap();
    assert_eq!(found.articles[0].article["id"], "b");
}

#[tokio::test]
async fn search_says_how_much_of_the_world_it_knows() {
    let stage = Stage::set(|asking| match asking.path {
        "world/articles" => {
            let rows = ["a", "b"].map(|id| json!({ "id": id, "title": format!("Article {id}") }));
            json_answer(200, json!({ "success": true, "entities": rows }))
        }
        _ => thing(asking),
    });
    let before = stage.anvil.search(&asking_for("stone")).await.unwrap();
    assert_eq!(before.searched, 0.0);
    stage.anvil.read(Kind::Article, Some("a"), 1).await.unwrap();
    let after = stage.anvil.search(&asking_for("stones")).await.unwrap();
    let best = &after.articles[0];
    assert_eq!((after.searched, best.article["id"].as_str()), (0.5, Some("a")));
    assert!((0.1..=1.0).contains(&best.relevance) && best.excerpt.contains("Stone"), "{best:?}");
    // A copied article counts as read, and is found through its copy.
    let copied = BTreeSet::from(["a".to_owned()]);
    let rest = ArticleQuery { copied, ..asking_for("stones") };
    let rest = stage.anvil.search(&rest).await.unwrap();
    assert_eq!((rest.searched, rest.total), (0.5, 0));
}

#[tokio::test]
async fn a_copy_is_good_until_a_list_or_a_reading_says_that_its_article_has_changed() {
    let (stage, there) = writing();
    let copied = |date: Option<&str>| HashMap::from([("a".to_owned(), date.map(str::to_owned))]);
    let is_good = async |copies: HashMap<String, Option<String>>| {
        !stage.anvil.unchanged(Some(WORLD), &copies).await.unwrap().is_empty()
    };
    assert!(!is_good(HashMap::new()).await);
    for (date, good) in [(None, true), (Some("2026-01-01"), true), (Some("2025-12-31"), false)] {
        assert_eq!(is_good(copied(date)).await, good, "{date:?}");
    }
    there.lock().1 = 2;
    assert!(is_good(copied(Some("2026-01-01"))).await, "nobody knows yet");
    stage.clock.advance(Class::Article.ttl());
    stage.anvil.read(Kind::Article, Some("a"), 2).await.unwrap();
    assert!(!is_good(copied(Some("2026-01-01"))).await);
    assert!(is_good(copied(Some("2026-01-02"))).await);
}

#[tokio::test]
async fn what_a_search_found_is_kept_for_five_minutes() {
    let stage = Stage::set(thing);
    let cache = &stage.anvil.cache;
    cache.keep(Class::Search, "w 1 stone".into(), Object::new());
    stage.clock.advance(Duration::from_secs(299));
    assert!(cache.kept(Class::Search, "w 1 stone").is_some());
    stage.clock.advance(Duration::from_secs(1));
    assert!(cache.kept(Class::Search, "w 1 stone").is_none());
    cache.keep(Class::Search, "w 1 stone".into(), Object::new());
    let Value::Object(fields) = json!({ "title": "The Keep" }) else { unreachable!() };
    stage.anvil.update(Kind::Article, "a", &fields).await.unwrap();
    assert!(cache.kept(Class::Search, "w 1 stone").is_none(), "a write may change every answer");
}

/// A service with one article that can be written. Also returns the article as it is there now, and
/// the day of its last change.
fn writing() -> (Stage, Arc<Mutex<(Object, u32)>>) {
    let article = json!({ "id": "a", "title": "The Keep", "state": "public" });
    let kept = Arc::new(Mutex::new((fields(article), 1)));
    let there = Arc::clone(&kept);
    let stage = Stage::set(move |asking| {
        let mut there = there.lock();
        let told = |(article, day): &(Object, u32)| {
            let mut now = article.clone();
            now.insert("updateDate".into(), json!({ "date": format!("2026-01-{day:02}") }));
            now
        };
        match (asking.path, asking.verb) {
            ("article", Verb::Patch) => {
                let change = asking.body.clone().unwrap();
                there.0.extend(change.as_object().unwrap().clone());
                there.1 += 1;
                json_answer(200, json!({ "success": true, "id": "a" }))
            }
            ("article", Verb::Delete) => {
                there.1 = 0;
                json_answer(200, json!({ "success": true }))
            }
            ("article", _) if there.1 == 0 => json_answer(404, json!({ "success": false })),
            ("article", _) => {
                let mut now = told(&there);
                now.insert("success".into(), json!(true));
                json_answer(200, Value::Object(now))
            }
            ("world/articles", _) => {
                let mut row = told(&there);
                row.retain(|name, _| {
                    ["id", "title", "state", "updateDate"].contains(&name.as_str())
                });
                json_answer(200, json!({ "success": true, "entities": [row] }))
            }
            _ => thing(asking),
        }
    });
    (stage, kept)
}

impl Stage {
    /// Returns the excerpts of what is found for some words.
    async fn found(&self, words: &str, audience: Audience) -> Vec<String> {
        let query = ArticleQuery { audience, ..asking_for(words) };
        let found = self.anvil.search(&query).await.unwrap();
        found.articles.into_iter().map(|found| found.excerpt).collect()
    }
}

#[tokio::test]
async fn what_is_written_is_found_and_what_it_replaced_is_not() {
    let (stage, _) = writing();
    let gm = Audience::GmSide;
    let write = async |change: Value| {
        stage.anvil.update(Kind::Article, "a", &fields(change)).await.unwrap();
    };
    write(json!({ "content": "mandrake" })).await;
    assert_eq!(stage.found("mandrake", gm).await, ["mandrake"]);
    write(json!({ "content": "juniper" })).await;
    assert_eq!(stage.found("juniper", gm).await, ["juniper"]);
    assert!(stage.found("mandrake", gm).await.is_empty());
    let sections =
        json!({ "sidebarcontent": "pangolin", "authornotes": "turnip", "Own": "octopus" });
    write(json!({ "sections": sections })).await;
    for word in ["pangolin", "turnip", "octopus"] {
        assert_eq!(stage.found(word, gm).await, [word]);
    }
    for (word, seen) in [("pangolin", true), ("turnip", false), ("octopus", true)] {
        assert_eq!(!stage.found(word, Audience::Everybody).await.is_empty(), seen, "{word}");
    }
    write(json!({ "state": "private" })).await;
    assert!(stage.found("juniper", Audience::Everybody).await.is_empty());
    assert_eq!(stage.found("juniper", gm).await, ["juniper"]);
    stage.anvil.delete(Kind::Article, "a").await.unwrap();
    assert!(stage.found("juniper", gm).await.is_empty());
}

#[tokio::test]
async fn what_is_gone_there_is_not_found_any_more() {
    let there = Arc::new(Mutex::new(json!([{ "id": "a", "title": "The Keep" }])));
    let rows = Arc::clone(&there);
    let stage = Stage::set(move |asking| match (asking.path, rows.lock().clone()) {
        ("world/articles", rows) => json_answer(200, json!({ "success": true, "entities": rows })),
        ("article", rows) if rows == json!([]) => json_answer(404, json!({ "success": false })),
        _ => thing(asking),
    });
    assert_eq!(stage.found("keep", Audience::GmSide).await.len(), 1);
    *there.lock() = json!([]);
    assert!(stage.anvil.read(Kind::Article, Some("a"), 1).await.is_err());
    assert!(stage.found("keep", Audience::GmSide).await.is_empty());
}

#[tokio::test]
async fn a_text_that_was_changed_there_is_not_served_any_more() {
    let (stage, there) = writing();
    let gm = Audience::GmSide;
    there.lock().0.insert("content".into(), json!("mandrake"));
    stage.anvil.read(Kind::Article, Some("a"), 2).await.unwrap();
    assert_eq!(stage.found("mandrake", gm).await, ["mandrake"]);
    *there.lock() = (fields(json!({ "id": "a", "title": "The Keep", "content": "juniper" })), 2);
    stage.clock.advance(Class::List.ttl());
    let found = stage.anvil.search(&asking_for("mandrake")).await.unwrap();
    assert_eq!((found.total, found.searched), (0, 0.0), "the list says that it has changed");
    let now = stage.anvil.read(Kind::Article, Some("a"), 2).await.unwrap();
    assert_eq!(now["content"], "juniper", "so what was kept of it is not the answer");
    assert_eq!(stage.found("juniper", gm).await, ["juniper"]);
}

#[tokio::test]
async fn who_has_several_worlds_says_which_or_searches_all() {
    let lists = json!({
        "user/worlds?u": [{ "id": "v", "title": "Vale" }, { "id": "w", "title": "Waste" }],
        "world/articles?v": [{ "id": "a", "title": "Amber" }],
        "world/articles?w": [{ "id": "b", "title": "Amber road" }],
    });
    let stage = Stage::set(service(lists, json!({})));
    for error in [
        stage.anvil.list(&ListQuery::of(Kind::Article)).await.unwrap_err(),
        stage.anvil.read(Kind::World, None, 1).await.unwrap_err(),
    ] {
        let told = error.to_string();
        assert!(told.starts_with("world_id is required"), "{told}");
        assert!(told.contains("Vale (v), Waste (w)"), "{told}");
    }
    let everywhere = ArticleQuery { world: None, ..asking_for("amber") };
    let found = stage.anvil.search(&everywhere).await.unwrap();
    let worlds: std::collections::BTreeSet<String> =
        found.articles.iter().map(|found| text_of(&found.world, "title")).collect();
    assert_eq!(
        (found.total, worlds.into_iter().collect::<Vec<_>>().join(" ")),
        (2, "Vale Waste".into())
    );
}

#[tokio::test]
async fn an_excerpt_is_in_plain_words() {
    // The fake service answers every request with this article, also those for the world.
    let id = WORLD;
    let text = format!("[b]Stone[/b] of @[Bob](person:{id}), [i]old[/i].");
    let article = json!({
        "success": true, "id": id, "title": "The Keep", "state": "public", "content": text,
        "entities": [{ "id": id, "title": "The Keep", "state": "public" }],
    });
    let stage = Stage::set(move |_| json_answer(200, article.clone()));
    stage.anvil.read(Kind::Article, Some(id), 2).await.unwrap();
    assert_eq!(stage.found("stone", Audience::Everybody).await, ["Stone of Bob, old."]);
}

#[tokio::test]
async fn more_than_a_thousand_answer() {
    let rows: Vec<Value> = (0..1_200)
        .map(|number| json!({ "id": format!("a{number}"), "title": format!("Keep {number}") }))
        .collect();
    let lists = json!({ "world/articles?w": rows });
    let stage = Stage::set(service(lists, json!({ "world?w": { "id": WORLD } })));
    let query = ArticleQuery { offset: 1_150, ..asking_for("keep") };
    let found = stage.anvil.search(&query).await.unwrap();
    assert_eq!((found.total, found.articles.len()), (1_200, 50));
}

#[tokio::test]
async fn the_list_is_put_together_once_as_long_as_it_is_good() {
    let (stage, there) = writing();
    let first = stage.anvil.places(Some(WORLD)).await.unwrap();
    let again = stage.anvil.places(Some(WORLD)).await.unwrap();
    assert!(Arc::ptr_eq(&first[0], &again[0]));
    there.lock().0.insert("title".into(), json!("Other"));
    stage.clock.advance(Class::List.ttl());
    let later = stage.anvil.places(Some(WORLD)).await.unwrap();
    assert_eq!(later[0].articles[0]["title"], "Other");
    let title = fields(json!({ "title": "Third" }));
    stage.anvil.update(Kind::Article, "a", &title).await.unwrap();
    let written = stage.anvil.places(Some(WORLD)).await.unwrap();
    assert_eq!(written[0].articles[0]["title"], "Third");
}

#[tokio::test]
async fn a_service_that_searches_is_asked_once_and_one_that_does_not_never_again() {
    let answer = json!({
        "success": true, "meta": { "total": 7 },
        "entities": [{
            "id": "a", "title": "Keep", "excerpt": "Stone", "relevance": 0.5, "world": { "id": "w" },
        }],
    });
    let stage = Stage::set(move |asking| match asking.path {
        "article/search" => json_answer(200, answer.clone()),
        _ => thing(asking),
    });
    let found = stage.anvil.searched(&asking_for("keep")).await.unwrap().unwrap();
    assert_eq!((found.total, found.searched), (7, 1.0));
    assert_eq!(found.articles[0].excerpt, "Stone");
    assert_eq!(stage.count(stage.anvil.searched(&asking_for("keep"))).await, 0, "it is kept");
    // An answer that does not say it is for everybody may contain hidden articles.
    let open = ArticleQuery { audience: Audience::Everybody, ..asking_for("keep") };
    assert!(stage.anvil.searched(&open).await.unwrap().is_none());
    for status in [404, 405, 422] {
        let stage = Stage::set(move |asking| match asking.path {
            "article/search" => Answered { status, retry_after: None, body: b"<html>".to_vec() },
            _ => thing(asking),
        });
        assert!(stage.anvil.searched(&asking_for("keep")).await.unwrap().is_none());
        assert_eq!(stage.count(stage.anvil.searched(&asking_for("stone"))).await, 0, "{status}");
    }
}

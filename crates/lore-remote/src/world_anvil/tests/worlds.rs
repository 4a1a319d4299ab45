//! Worlds named in other ways than by the service's id.

use super::*;

/// A service with two worlds. Also returns all requests it got.
fn two_worlds() -> (Stage, Arc<Mutex<Vec<Asking>>>) {
    let asked: Arc<Mutex<Vec<Asking>>> = Arc::default();
    let kept = Arc::clone(&asked);
    let lists = json!({
        "user/worlds?u": [{ "id": WORLD, "title": "Fakeworld" }, { "id": "v", "title": "Vale" }],
        "world/articles?w": [{ "id": "a", "title": "Amber" }],
    });
    let known = service(lists, json!({ "world?w": { "id": WORLD, "title": "Fakeworld" } }));
    let stage = Stage::set(move |asking| {
        kept.lock().push(asking.clone());
        match asking.verb {
            Verb::Put => json_answer(200, json!({ "success": true, "id": "new" })),
            Verb::Get if asking.path == "article" => {
                let world = json!({ "id": WORLD, "title": "Fakeworld" });
                let article = json!({
                    "success": true, "id": "new", "title": "A", "state": "private",
                    "templateType": "article", "world": world,
                });
                json_answer(200, article)
            }
            _ => known(asking),
        }
    });
    (stage, asked)
}

#[tokio::test]
async fn a_world_is_known_by_its_title_and_in_every_spelling_of_its_id() {
    let (loud, bare) = (WORLD.to_uppercase(), WORLD.replace('-', ""));
    for name in ["fakeworld", " Fakeworld ", WORLD, &loud, &bare] {
        let (stage, asked) = two_worlds();
        let list = ListQuery { world: Some(name.to_owned()), ..ListQuery::of(Kind::Article) };
        assert_eq!(stage.anvil.list(&list).await.unwrap().total, 1, "{name}");
        let read = stage.anvil.read(Kind::World, Some(name), 1).await.unwrap();
        assert_eq!(read["title"], "Fakeworld");
        let new = fields(json!({ "title": "A", "world": name }));
        stage.anvil.create(Kind::Article, &new).await.unwrap();
        let asked = asked.lock();
        let sent = asked.iter().find(|asking| asking.verb == Verb::Put).unwrap();
        assert_eq!(sent.body.as_ref().unwrap()["world"], json!({ "id": WORLD }), "{name}");
    }
}

#[tokio::test]
async fn a_world_that_nobody_knows_is_refused_before_anything_is_sent() {
    let (stage, asked) = two_worlds();
    let new = fields(json!({ "title": "A", "world": "Nowhere" }));
    let list = ListQuery { world: Some("Nowhere".into()), ..ListQuery::of(Kind::Article) };
    for error in [
        stage.anvil.create(Kind::Article, &new).await.unwrap_err(),
        stage.anvil.list(&list).await.unwrap_err(),
        stage.anvil.read(Kind::World, Some("Nowhere"), 1).await.unwrap_err(),
    ] {
        assert_eq!(error.code(), Code::NotFound);
        assert!(error.to_string().contains("\"Nowhere\""), "{error}");
        assert_eq!(error.hint(), "the worlds you can enter are: Fakeworld, Vale");
    }
    assert!(asked.lock().iter().all(|asking| asking.verb != Verb::Put));
}

#[tokio::test]
async fn a_list_of_what_is_not_there_names_that() {
    let lists = json!({
        "user/worlds?u": [{ "id": "v", "title": "Vale" }],
        "world/articles?w": [],
    });
    let stage = Stage::set(service(lists, json!({})));
    let articles = ListQuery { world: Some(WORLD.into()), ..ListQuery::of(Kind::Article) };
    let inside = ListQuery { category: Some("c".into()), ..articles.clone() };
    let maps = ListQuery { world: Some(WORLD.into()), ..ListQuery::of(Kind::Map) };
    let markers =
        ListQuery { parent: Some((Kind::Map, "m".into())), ..ListQuery::of(Kind::Marker) };
    for (query, says) in [(inside, "category c"), (maps, "the world \"0190"), (markers, "map m")] {
        let error = stage.anvil.list(&query).await.unwrap_err();
        assert_eq!(error.code(), Code::NotFound);
        assert!(error.to_string().starts_with(says), "{error}");
    }
    assert_eq!(stage.anvil.list(&articles).await.unwrap().total, 0);
}

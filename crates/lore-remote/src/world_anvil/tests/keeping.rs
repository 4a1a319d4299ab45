//! Lifetimes of cached answers, and what invalidates them.

use futures::future::BoxFuture;

use super::*;

#[tokio::test]
async fn a_thousand_who_ask_at_once_are_one_request() {
    let stage = Stage::set(thing);
    let asked = stage
        .count(async {
            let reads = (0..1_000).map(|_| {
                let anvil = Arc::clone(&stage.anvil);
                tokio::spawn(async move { anvil.read(Kind::Article, Some("a"), 1).await })
            });
            for read in reads.collect::<Vec<_>>() {
                assert_eq!(read.await.unwrap().unwrap()["content"], "**Stone**");
            }
        })
        .await;
    assert_eq!(asked, 1);
    assert_eq!(stage.count(stage.anvil.read(Kind::Article, Some("a"), 2)).await, 1, "granularity");
}

#[tokio::test]
async fn secrets_are_asked_for_every_time() {
    let stage = Stage::set(thing);
    for _ in 0..3 {
        assert_eq!(stage.count(stage.anvil.read(Kind::Secret, Some("s"), 2)).await, 1);
    }
    let list = ListQuery { world: Some(WORLD.into()), ..ListQuery::of(Kind::Secret) };
    for _ in 0..2 {
        assert_eq!(stage.count(stage.anvil.list(&list)).await, 1);
    }
}

#[tokio::test]
async fn answers_are_kept_as_long_as_their_class_says() {
    for (kind, seconds) in [
        (Kind::Article, 3_600),
        (Kind::World, 3_600),
        (Kind::Category, 1_800),
        (Kind::Map, 1_800),
        (Kind::Campaign, 3_600),
        (Kind::Timeline, 1_800),
        (Kind::Image, 86_400),
        (Kind::User, 86_400),
    ] {
        let stage = Stage::set(thing);
        let read = || stage.anvil.read(kind, Some(WORLD), 1);
        assert_eq!(stage.count(read()).await, 1);
        stage.clock.advance(Duration::from_secs(seconds - 1));
        assert_eq!(stage.count(read()).await, 0, "{kind:?}");
        stage.clock.advance(Duration::from_secs(1));
        assert_eq!(stage.count(read()).await, 1, "{kind:?}");
    }
    let stage = Stage::set(thing);
    let list = ListQuery { world: Some(WORLD.into()), ..ListQuery::of(Kind::Article) };
    assert_eq!(stage.count(stage.anvil.list(&list)).await, 1);
    stage.clock.advance(Duration::from_secs(899));
    assert_eq!(stage.count(stage.anvil.list(&list)).await, 0);
    stage.clock.advance(Duration::from_secs(1));
    assert_eq!(stage.count(stage.anvil.list(&list)).await, 1);
}

#[tokio::test]
async fn no_class_grows_beyond_its_bound() {
    let world = |number: usize| format!("0190a1b2-0000-7000-8000-{number:012}");
    let stage = Stage::set(thing);
    for number in 0..=Class::World.entries_max() {
        stage.anvil.read(Kind::World, Some(&world(number)), 1).await.unwrap();
    }
    let (oldest, later) = (world(0), world(50));
    assert_eq!(stage.count(stage.anvil.read(Kind::World, Some(&oldest), 1)).await, 1);
    assert_eq!(stage.count(stage.anvil.read(Kind::World, Some(&later), 1)).await, 0);
}

#[tokio::test]
async fn a_write_forgets_what_it_may_have_changed() {
    let stage = Stage::set(thing);
    let list = ListQuery { world: Some(WORLD.into()), ..ListQuery::of(Kind::Article) };
    for id in ["a", "b"] {
        stage.anvil.read(Kind::Article, Some(id), 1).await.unwrap();
    }
    // Articles include data of categories, categories and worlds of articles, maps of markers.
    let others = [Kind::World, Kind::Category, Kind::Map, Kind::Timeline, Kind::Image];
    for kind in others.into_iter().chain([Kind::RpgSystem]) {
        stage.anvil.read(kind, Some(WORLD), 1).await.unwrap();
    }
    stage.anvil.list(&list).await.unwrap();
    let change = fields(json!({ "title": "The Keep" }));
    stage.anvil.update(Kind::Marker, "m", &change).await.unwrap();
    for id in ["a", "b"] {
        assert_eq!(stage.count(stage.anvil.read(Kind::Article, Some(id), 1)).await, 1);
    }
    for kind in others {
        assert_eq!(stage.count(stage.anvil.read(kind, Some(WORLD), 1)).await, 1, "{kind:?}");
    }
    assert_eq!(stage.count(stage.anvil.list(&list)).await, 1);
    let shared = stage.anvil.read(Kind::RpgSystem, Some(WORLD), 1);
    assert_eq!(stage.count(shared).await, 0, "what no write can touch");
}

#[tokio::test]
async fn what_was_asked_before_a_write_is_not_kept_after_it() {
    let cache = Cache::new(Effects::system());
    let (tell, told) = tokio::sync::oneshot::channel();
    let read = async |work: BoxFuture<'static, Result<Object>>| {
        cache.get(Class::Article, "a".into(), work).await.unwrap()["title"].clone()
    };
    let slow = read(Box::pin(async move {
        told.await.unwrap();
        Ok(fields(json!({ "title": "Before" })))
    }));
    let write = async {
        cache.forget(|_| true);
        tell.send(()).unwrap();
    };
    let (before, ()) = tokio::join!(slow, write);
    let after = read(Box::pin(async { Ok(fields(json!({ "title": "After" }))) })).await;
    assert_eq!((before, after), (json!("Before"), json!("After")));
}

#[tokio::test]
async fn a_write_whose_answer_is_lost_forgets_too_and_is_not_to_be_repeated() {
    let stage = Stage::set(|asking| match asking.verb {
        Verb::Get => thing(asking),
        _ => Answered { status: 502, retry_after: None, body: Vec::new() },
    });
    stage.anvil.read(Kind::Article, Some("a"), 1).await.unwrap();
    let change = fields(json!({ "title": "The Keep" }));
    for failed in [
        stage.anvil.update(Kind::Article, "a", &change).await.map(|_| ()),
        stage.anvil.delete(Kind::Article, "a").await,
    ] {
        let error = failed.unwrap_err();
        assert!(error.hint().contains("do not repeat it"), "{error}");
    }
    assert_eq!(stage.count(stage.anvil.read(Kind::Article, Some("a"), 1)).await, 1);
}

#[tokio::test]
async fn an_article_that_names_its_secrets_is_not_kept() {
    let stage = Stage::set(|asking| {
        let secrets = json!([{ "id": "s", "title": "Psst" }]);
        let body = json!({ "success": true, "id": "a", "title": "A", "secrets": secrets });
        match asking.query.iter().any(|(_, level)| level == "2") {
            true => json_answer(200, body),
            false => thing(asking),
        }
    });
    for _ in 0..2 {
        assert_eq!(stage.count(stage.anvil.read(Kind::Article, Some("a"), 2)).await, 1);
    }
    stage.anvil.read(Kind::Article, Some("a"), 1).await.unwrap();
    assert_eq!(stage.count(stage.anvil.read(Kind::Article, Some("a"), 1)).await, 0);
}

#[tokio::test]
async fn a_write_that_is_refused_forgets_nothing() {
    let page = |status| Answered { status, retry_after: None, body: b"<html>".to_vec() };
    for (refusal, forgets) in [
        (json_answer(422, json!({ "success": false, "error": "title" })), false),
        (json_answer(401, json!({ "success": false })), false),
        (json_answer(200, json!({ "success": false, "error": "no" })), false),
        (page(403), false),
        (page(429), false),
        (page(405), false),
        (page(500), true),
        (page(200), true),
        (json_answer(200, json!({ "id": "a" })), true),
    ] {
        let status = refusal.status;
        let stage = Stage::set(move |asking| match asking.verb {
            Verb::Patch => refusal.clone(),
            _ => thing(asking),
        });
        for id in ["a", "x"] {
            stage.anvil.read(Kind::Article, Some(id), 1).await.unwrap();
        }
        let title = fields(json!({ "title": "Other" }));
        stage.anvil.update(Kind::Article, "a", &title).await.unwrap_err();
        assert_eq!(stage.anvil.known.knows("a"), !forgets, "{status}");
        for id in ["a", "x"] {
            let asked = stage.count(stage.anvil.read(Kind::Article, Some(id), 1)).await;
            assert_eq!(asked, usize::from(forgets), "{id} after {status}");
        }
    }
}

#[tokio::test]
async fn a_write_to_what_is_not_there_forgets_that_alone() {
    let page = Answered { status: 404, retry_after: None, body: b"<html>".to_vec() };
    for answer in [page, json_answer(404, json!({ "success": false }))] {
        let stage = Stage::set(move |asking| match asking.verb {
            Verb::Get => thing(asking),
            _ => answer.clone(),
        });
        let change = fields(json!({ "title": "The Keep", "world": "w" }));
        let read = |id| stage.anvil.read(Kind::Map, Some(id), 2);
        for id in ["a", "ab"] {
            read(id).await.unwrap();
        }
        stage.anvil.create(Kind::Map, &change).await.unwrap_err();
        assert_eq!(stage.count(read("a")).await, 0, "nothing is known to be gone");
        for verb in [Verb::Patch, Verb::Delete] {
            let failed = match verb {
                Verb::Delete => stage.anvil.delete(Kind::Map, "a").await,
                _ => stage.anvil.update(Kind::Map, "a", &change).await.map(|_| ()),
            };
            assert_eq!(failed.unwrap_err().code(), Code::NotFound);
            assert_eq!(stage.count(read("ab")).await, 0);
            assert_eq!(stage.count(read("a")).await, 1, "it is asked for again");
        }
    }
}

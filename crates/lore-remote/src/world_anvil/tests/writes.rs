//! Writes: what is sent, where it goes, and what is read back.

use lore_markup::{from_bbcode, to_bbcode};

use super::*;

#[tokio::test]
async fn null_sends_every_section_as_nothing() {
    let (stage, sent) = taking(1);
    let made = json!({ "title": "A", "sections": { "sidebarcontent": "x", "Rumours": "y" } });
    stage.anvil.create(Kind::Article, &fields(made)).await.unwrap();
    let cleared = fields(json!({ "sections": null }));
    stage.anvil.update(Kind::Article, "new", &cleared).await.unwrap();
    let wanted = json!({ "sidebarcontent": "", "Rumours": "", "sections": { "Rumours": "" } });
    assert_eq!(*sent.lock(), wanted);
}

#[tokio::test]
async fn a_secret_goes_to_the_world_of_its_article() {
    let (stage, sent) = taking(3);
    let secret = json!({ "title": "S", "article": "new" });
    *sent.lock() = json!({ "title": "A", "world": { "id": "w2", "title": "W" } });
    let made = stage.anvil.create(Kind::Secret, &fields(secret)).await;
    assert_eq!(made.unwrap_err().code(), Code::Precondition, "no secrets are told there");
    let body = sent.lock().clone();
    assert_eq!((&body["world"]["id"], &body["article"]), (&json!("w2"), &json!({ "id": "new" })));
}

#[tokio::test]
async fn what_the_service_ignored_is_told() {
    let stage = Stage::set(thing);
    let Value::Object(fields) = json!({ "title": "Another" }) else { unreachable!() };
    let lost = stage.anvil.update(Kind::Article, "a", &fields).await.unwrap_err();
    assert!(lost.to_string().contains("title"), "{lost}");
}

/// A service with so many worlds that accepts writes. Also returns the last body it got.
fn taking(worlds: usize) -> (Stage, Arc<Mutex<Value>>) {
    let sent: Arc<Mutex<Value>> = Arc::default();
    let kept = Arc::clone(&sent);
    let worlds: Vec<Value> =
        (0..worlds).map(|n| json!({ "id": format!("w{n}"), "title": "W" })).collect();
    let known = service(
        json!({ "user/worlds?u": worlds }),
        json!({ "map?m": { "id": "m", "title": "M", "world": { "id": "w1", "title": "W" } } }),
    );
    let stage = Stage::set(move |asking| match asking.verb {
        Verb::Put | Verb::Patch => {
            *kept.lock() = asking.body.clone().unwrap();
            json_answer(200, json!({ "success": true, "id": "new" }))
        }
        Verb::Get if ["article", "marker", "history"].contains(&asking.path) => {
            let mut now = kept.lock().clone();
            now["id"] = json!("new");
            now["success"] = json!(true);
            json_answer(200, now)
        }
        _ => known(asking),
    });
    (stage, sent)
}

#[tokio::test]
async fn a_write_goes_to_the_world_that_is_meant() {
    let (one, sent) = taking(1);
    one.anvil.create(Kind::Article, &fields(json!({ "title": "A" }))).await.unwrap();
    assert_eq!(sent.lock()["world"]["id"], "w0");
    let body = sent.lock().clone();
    assert_eq!((&body["templateType"], &body["state"]), (&json!("article"), &json!("private")));
    let (several, sent) = taking(3);
    let nowhere = several.anvil.create(Kind::Article, &fields(json!({ "title": "A" }))).await;
    assert!(nowhere.unwrap_err().to_string().starts_with("world_id is required"));
    assert!(sent.lock().is_null(), "nothing was sent");
    let named = json!({ "title": "A", "world": "w2" });
    several.anvil.create(Kind::Article, &fields(named)).await.unwrap();
    assert_eq!(sent.lock()["world"], json!({ "id": "w2" }));
    let marker = json!({ "title": "K", "map": "m" });
    several.anvil.create(Kind::Marker, &fields(marker)).await.unwrap();
    assert_eq!(sent.lock()["world"], json!({ "id": "w1" }), "that of the map");
}

#[tokio::test]
async fn sections_are_sent_as_sections_and_as_nothing_else() {
    let (stage, sent) = taking(1);
    for name in ["title", "state", "world", "id", "content"] {
        let sections = json!({ "title": "A", "sections": { name: "public" } });
        let refused = stage.anvil.create(Kind::Article, &fields(sections.clone())).await;
        assert!(refused.unwrap_err().to_string().contains(name));
        assert!(stage.anvil.update(Kind::Article, "a", &fields(sections)).await.is_err());
    }
    assert!(sent.lock().is_null(), "nothing was sent");
    let sections = json!({ "sections": { "sidebarcontent": null, "geography": "**Hills**" } });
    stage.anvil.update(Kind::Article, "new", &fields(sections)).await.unwrap();
    let hills = json!({ "geography": "[b]Hills[/b]" });
    let wanted = json!({ "sidebarcontent": "", "geography": "[b]Hills[/b]", "sections": hills });
    assert_eq!(*sent.lock(), wanted);
}

#[tokio::test]
async fn a_write_that_cannot_be_read_back_says_not_to_repeat_it() {
    let stage = Stage::set(|asking| match asking.verb {
        Verb::Patch => json_answer(200, json!({ "success": true, "id": "a" })),
        _ => Answered { status: 500, retry_after: None, body: Vec::new() },
    });
    let error = stage.anvil.update(Kind::Article, "a", &fields(json!({ "title": "A" }))).await;
    let error = error.unwrap_err();
    assert_eq!(error.code(), Code::Precondition);
    assert!(error.hint().contains("do not repeat it"), "{error}");
}

#[tokio::test]
async fn whether_a_history_needs_a_year_is_for_the_service_to_say() {
    let (stage, _) = taking(1);
    stage.anvil.create(Kind::History, &fields(json!({ "title": "Fall" }))).await.unwrap();
    let stage = Stage::set(|asking| match asking.verb {
        Verb::Put => json_answer(422, json!({ "success": false, "error": "world needs a year" })),
        Verb::Post => json_answer(200, json!({ "success": true, "entities": [{ "id": WORLD }] })),
        _ => json_answer(200, json!({ "success": true, "id": "u" })),
    });
    let refused = stage.anvil.create(Kind::History, &fields(json!({ "title": "Fall" }))).await;
    assert!(refused.unwrap_err().to_string().contains("needs a year"));
}

#[tokio::test]
async fn publishing_says_that_it_is_no_draft() {
    let (stage, sent) = taking(1);
    let public = fields(json!({ "title": "A", "state": "public" }));
    stage.anvil.create(Kind::Article, &public).await.unwrap();
    assert_eq!(sent.lock()["isDraft"], false);
    stage.anvil.update(Kind::Article, "new", &fields(json!({ "state": "public" }))).await.unwrap();
    assert_eq!(*sent.lock(), json!({ "state": "public", "isDraft": false }));
    stage.anvil.update(Kind::Article, "new", &fields(json!({ "title": "B" }))).await.unwrap();
    assert_eq!(*sent.lock(), json!({ "title": "B" }), "what is a draft stays one");
    let ignoring = Stage::set(|asking| match asking.verb {
        Verb::Patch => json_answer(200, json!({ "success": true, "id": "a" })),
        _ => {
            let mut body = json!({ "success": true, "id": "a", "title": "A", "state": "public" });
            body["isDraft"] = json!(true);
            json_answer(200, body)
        }
    });
    let hidden = ignoring.anvil.update(Kind::Article, "a", &public).await.unwrap_err();
    assert!(hidden.to_string().ends_with("isDraft"), "{hidden}");
}

#[tokio::test]
async fn a_number_stands_for_the_thing_that_is_known_by_it() {
    let (stage, sent) = taking(1);
    let history = json!({ "title": "Fall", "year": "7", "article": 5 });
    stage.anvil.create(Kind::History, &fields(history)).await.unwrap();
    assert_eq!(sent.lock()["article"], json!({ "id": "new" }), "as it calls itself");
    let nobody = Stage::set(service(json!({}), json!({})));
    let refused = nobody.anvil.update(Kind::History, "h", &fields(json!({ "article": 5 }))).await;
    assert!(refused.unwrap_err().to_string().starts_with("article names no article"));
}

#[tokio::test]
async fn a_section_that_is_no_text_is_refused() {
    let (stage, sent) = taking(1);
    let odd = fields(json!({ "title": "A", "sections": { "Foo": 3 } }));
    let refused = stage.anvil.create(Kind::Article, &odd).await.unwrap_err();
    assert!(refused.to_string().starts_with("sections holds \"Foo\", which is not text"));
    assert!(sent.lock().is_null(), "nothing was sent");
}

#[tokio::test]
async fn a_write_whose_answer_cannot_be_read_is_not_to_be_repeated() {
    for body in [&b"<html>"[..], b"{}", b""] {
        let stage = Stage::set(move |asking| match asking.verb {
            Verb::Get | Verb::Post => thing(asking),
            _ => Answered { status: 200, retry_after: None, body: body.to_vec() },
        });
        let new = fields(json!({ "title": "A", "world": WORLD }));
        let error = stage.anvil.create(Kind::Article, &new).await.unwrap_err();
        assert_eq!(error.code(), Code::Precondition, "{error}");
        assert!(error.hint().starts_with("do not repeat it"), "{error}");
    }
}

#[tokio::test]
async fn what_is_said_to_be_deleted_and_is_still_there_is_told() {
    let stage = Stage::set(|asking| match asking.verb {
        Verb::Delete => json_answer(200, json!({ "success": true })),
        _ => thing(asking),
    });
    let error = stage.anvil.delete(Kind::Article, "a").await.unwrap_err();
    assert!(error.to_string().contains("still there"), "{error}");
}

#[tokio::test]
async fn what_is_kept_to_the_letter_is_not_called_lost() {
    for text in [
        "One.  Two.",
        "tab\tx",
        "- [ ] todo\n- [x] done",
        "- a\n\n  para\n- b",
        "1. a\n\n   b\n2. c",
        "| a\tb | c |\n| --- | --- |\n| d  e | f |",
        "# Head\n\n> quote\n> more\n\n```\ncode  here\n```",
        "a\\\nb",
    ] {
        let (stage, _) = taking(1);
        let sections = json!({ "sidebarcontent": text, "Rumours": text });
        let made = fields(json!({ "title": "T", "content": text, "sections": sections }));
        stage.anvil.create(Kind::Article, &made).await.unwrap();
        let again = |text: &str| to_bbcode(&from_bbcode(text));
        let sent = again(&to_bbcode(text));
        assert_eq!(again(&sent), sent, "a service that converts tells the same");
    }
}

#[tokio::test]
async fn tags_may_come_back_in_another_order_and_spelling() {
    for (sent, kept, is_kept) in [
        (json!(["Zed", "alpha", "zed"]), json!("alpha,Zed"), true),
        (json!(["a b", "c"]), json!("A b, c"), true),
        (json!([]), Value::Null, true),
        (json!(["a", "b"]), json!("a"), false),
        (json!([]), json!("a"), false),
    ] {
        let stage = Stage::set(move |_| {
            let now = json!({ "success": true, "id": "a", "title": "T", "tags": kept });
            json_answer(200, now)
        });
        let change = fields(json!({ "tags": sent }));
        let done = stage.anvil.update(Kind::Article, "a", &change).await;
        assert_eq!(done.is_ok(), is_kept, "{done:?}");
    }
}

#[tokio::test]
async fn whatever_the_service_ignored_is_named() {
    let id = "0190a1b2-0000-7000-8000-00000000000a";
    for (kind, field, value) in [
        (Kind::Article, "category", json!(id)),
        (Kind::Article, "articleParent", json!(id)),
        (Kind::Marker, "geoX", json!(12.5)),
        (Kind::Marker, "targetArticle", json!(id)),
        (Kind::Marker, "map", json!(id)),
        (Kind::History, "timelines", json!([id])),
        (Kind::History, "location", json!(id)),
        (Kind::History, "month", json!(3)),
        (Kind::Secret, "article", json!(id)),
        (Kind::Timeline, "article", json!(id)),
        (Kind::Category, "parent", json!(id)),
        (Kind::Note, "notesection", json!(id)),
    ] {
        for told in [None, Some(Value::Null), Some(json!([]))] {
            let told = told.clone();
            let stage = Stage::set(move |asking| {
                let mut now = json!({ "success": true, "id": "k", "title": "K", "year": "7" });
                now["state"] = json!("private");
                now["templateType"] = json!("article");
                if let (Some(told), true) = (&told, asking.verb == Verb::Get) {
                    now[field] = told.clone();
                }
                json_answer(200, now)
            });
            let mut new = fields(json!({ "title": "K", "world": WORLD }));
            new.insert(field.into(), value.clone());
            if kind == Kind::History {
                new.insert("year".into(), json!("7"));
            }
            let error = stage.anvil.create(kind, &new).await.unwrap_err().to_string();
            assert!(error.ends_with(&format!("not what was sent as {field}")), "{error}");
        }
    }
}

#[tokio::test]
async fn what_was_to_be_cleared_and_is_still_there_is_named() {
    let now = json!({
        "success": true, "id": "a", "title": "T", "content": "Still.",
        "category": { "id": "c", "title": "C", "state": "public" },
    });
    let stage = Stage::set(move |_| json_answer(200, now.clone()));
    for field in ["content", "category"] {
        let mut change = Object::new();
        change.insert(field.into(), Value::Null);
        let error = stage.anvil.update(Kind::Article, "a", &change).await.unwrap_err().to_string();
        assert!(error.ends_with(&format!("not what was sent as {field}")), "{error}");
    }
}

//! Refusals by the service, and answers that are not valid.

use super::*;

#[tokio::test]
async fn a_refusal_names_the_field_it_is_about() {
    let stage = Stage::set(|_| {
        let summary = "Data too long for column 'pronunciation' of article";
        let error = json!({ "summary": summary, "traceStack": "#0 x.php" });
        json_answer(422, json!({ "success": false, "error": error }))
    });
    let change = fields(json!({ "title": "A", "pronunciation": "x" }));
    let refused = stage.anvil.update(Kind::Article, "a", &change).await.unwrap_err();
    assert!(refused.to_string().starts_with("pronunciation was refused"), "{refused}");
}

#[tokio::test]
async fn what_a_refusal_begins_with_is_the_field_it_is_about() {
    let stage = Stage::set(|_| {
        let error = json!({ "summary": "map names no map of this world", "traceStack": "" });
        json_answer(422, json!({ "success": false, "error": error }))
    });
    let change = fields(json!({ "map": { "id": "m" }, "world": { "id": "w" } }));
    let refused = stage.anvil.update(Kind::Marker, "k", &change).await.unwrap_err();
    assert!(refused.to_string().starts_with("map was refused"), "{refused}");
}

#[tokio::test]
async fn a_write_in_a_way_that_is_not_allowed_is_refused() {
    let page = Answered { status: 405, retry_after: None, body: b"<html></html>".to_vec() };
    let stage = Stage::set(move |_| page.clone());
    let refused = stage.anvil.delete(Kind::Article, "a").await.unwrap_err();
    assert_eq!(refused.code(), Code::Precondition, "{refused}");
}

#[tokio::test]
async fn every_fault_has_its_error_and_is_not_kept() {
    let page =
        |status| Answered { status, retry_after: None, body: b"<html>challenge</html>".to_vec() };
    let throttled = Answered { retry_after: Some(Duration::from_secs(7)), ..page(429) };
    let summary =
        json!({ "success": false, "error": { "summary": "title too long", "traceStack": "" } });
    for (answer, code, says) in [
        (
            json_answer(401, json!({ "success": false, "error": "access_denied_auth_failed" })),
            Code::Forbidden,
            "401",
        ),
        (
            json_answer(403, json!({ "success": false, "error": "access_denied" })),
            Code::Forbidden,
            "403",
        ),
        (page(403), Code::Unavailable, "browser"),
        (
            json_answer(404, json!({ "success": false, "error": "resource_not_found" })),
            Code::NotFound,
            "article a",
        ),
        (page(404), Code::NotFound, "article a"),
        (page(405), Code::Precondition, "refused the request (405)"),
        (json_answer(422, summary), Code::Invalid, "title too long"),
        (json_answer(422, json!({ "error": "old form", "trace": "" })), Code::Invalid, "old form"),
        (throttled, Code::Throttled, "too many requests to World Anvil"),
        (page(500), Code::Unavailable, "500"),
        (page(400), Code::Precondition, "refused the request (400)"),
        (page(200), Code::Unavailable, "page instead of JSON"),
        (
            json_answer(200, json!({ "success": false, "error": "nope" })),
            Code::Precondition,
            "nope",
        ),
        (json_answer(200, json!({ "success": false, "reason": "why" })), Code::Precondition, "why"),
        (json_answer(200, json!({ "id": "a" })), Code::Unavailable, "whether it worked"),
    ] {
        let stage = Stage::set(move |_| answer.clone());
        let error = stage.anvil.read(Kind::Article, Some("a"), 1).await.unwrap_err();
        assert_eq!(error.code(), code, "{error}");
        assert!(error.to_string().contains(says), "{error}");
        *stage.fake.answer.lock() = Box::new(thing);
        let good = stage.anvil.read(Kind::Article, Some("a"), 1).await;
        assert_eq!(good.unwrap()["title"], "The Keep", "a failure was kept");
    }
}

#[tokio::test]
async fn what_is_no_answer_is_told_and_not_kept() {
    let odd = |asking: &Asking| match asking.verb {
        Verb::Get => json_answer(200, json!({ "success": true, "title": { "a": 1 } })),
        _ => json_answer(200, json!({ "success": true, "entities": [{ "title": "x" }] })),
    };
    let stage = Stage::set(odd);
    let list = ListQuery { world: Some(WORLD.into()), ..ListQuery::of(Kind::Map) };
    let error = stage.anvil.read(Kind::Article, Some("a"), 2).await.unwrap_err();
    assert!(
        error.code() == Code::Unavailable && error.to_string().contains("not a valid article"),
        "{error}"
    );
    let error = stage.anvil.list(&list).await.unwrap_err();
    assert!(error.to_string().contains("list of maps: an entry has no id"), "{error}");
    *stage.fake.answer.lock() = Box::new(thing);
    assert!(stage.anvil.read(Kind::Article, Some("a"), 2).await.is_ok());
    assert!(stage.anvil.list(&list).await.unwrap().rows.is_empty());
}

#[tokio::test]
async fn an_answer_for_another_id_is_none_and_not_kept() {
    let (asked, other) =
        ("0190a1b2-0000-7000-8000-000000000001", "0190a1b2-0000-7000-8000-000000000002");
    let stage = Stage::set(move |_| {
        json_answer(200, json!({ "success": true, "id": other, "title": "Another" }))
    });
    for kind in [Kind::Article, Kind::Secret] {
        let error = stage.anvil.read(kind, Some(asked), 1).await.unwrap_err();
        assert_eq!(error.code(), Code::Unavailable, "{error}");
    }
    *stage.fake.answer.lock() = Box::new(move |_| {
        json_answer(200, json!({ "success": true, "id": asked, "title": "The Keep" }))
    });
    let good = stage.anvil.read(Kind::Article, Some(asked), 1).await.unwrap();
    assert_eq!(good["title"], "The Keep");
}

#[tokio::test]
async fn a_refusal_that_names_no_field_is_about_the_arguments() {
    let stage = Stage::set(|asking| match asking.verb {
        Verb::Patch => json_answer(422, json!({ "error": "no", "trace": "" })),
        _ => thing(asking),
    });
    let change = fields(json!({ "title": "A" }));
    let error = stage.anvil.update(Kind::Article, "a", &change).await.unwrap_err();
    assert!(error.to_string().starts_with("arguments were refused"), "{error}");
}

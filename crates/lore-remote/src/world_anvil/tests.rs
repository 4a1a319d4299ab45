//! The cache, the pace of questions and the faults of the service, over a wire of our own.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use lore_app::atlas::Audience;
use lore_core::Timestamp;
use lore_core::effects::{Clock, FixedEntropy};
use lore_core::error::Code;
use parking_lot::Mutex;

use super::*;

/// A clock that is set by hand.
struct HandClock(Mutex<Timestamp>);

impl Clock for HandClock {
    fn now(&self) -> Timestamp {
        *self.0.lock()
    }
}

impl HandClock {
    fn advance(&self, by: Duration) {
        let mut now = self.0.lock();
        *now = now.saturating_add(by).unwrap();
    }
}

/// What a service answers.
type Answering = Box<dyn Fn(&Asking) -> Answered + Send>;

/// A service that counts and answers what it is told to.
struct Fake {
    asked: AtomicUsize,
    answer: Mutex<Answering>,
}

#[async_trait]
impl Wire for Fake {
    async fn send(&self, asking: &Asking) -> Result<Answered> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        tokio::time::sleep(Duration::from_millis(5)).await;
        Ok((self.answer.lock())(asking))
    }
}

struct Stage {
    anvil: Arc<WorldAnvil>,
    fake: Arc<Fake>,
    clock: Arc<HandClock>,
}

fn json_answer(status: u16, body: Value) -> Answered {
    Answered { status, retry_after: None, body: body.to_string().into_bytes() }
}

impl Stage {
    fn set(answer: impl Fn(&Asking) -> Answered + Send + 'static) -> Self {
        let clock = Arc::new(HandClock(Mutex::new(Timestamp::UNIX_EPOCH)));
        let effects = Effects { clock: clock.clone(), entropy: Arc::new(FixedEntropy::new(1)) };
        let fake =
            Arc::new(Fake { asked: AtomicUsize::new(0), answer: Mutex::new(Box::new(answer)) });
        let anvil = Arc::new(WorldAnvil::over(fake.clone(), effects));
        Self { anvil, fake, clock }
    }

    /// How many requests the work took.
    async fn count<T>(&self, work: impl Future<Output = T>) -> usize {
        let before = self.fake.asked.load(Ordering::SeqCst);
        work.await;
        self.fake.asked.load(Ordering::SeqCst) - before
    }
}

/// Answers every question about one thing.
fn thing(asking: &Asking) -> Answered {
    let id = asking.query.iter().find(|(name, _)| *name == "id").map(|(_, id)| id.clone());
    let body = json!({
        "success": true, "id": id, "title": "The Keep", "state": "public",
        "content": "[b]Stone[/b]", "entities": [],
    });
    json_answer(200, body)
}

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
    let list = ListQuery { world: Some("w".into()), ..ListQuery::of(Kind::Secret) };
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
        (Kind::Image, 86_400),
    ] {
        let stage = Stage::set(thing);
        let read = || stage.anvil.read(kind, Some("x"), 1);
        assert_eq!(stage.count(read()).await, 1);
        stage.clock.advance(Duration::from_secs(seconds - 1));
        assert_eq!(stage.count(read()).await, 0, "{kind:?}");
        stage.clock.advance(Duration::from_secs(1));
        assert_eq!(stage.count(read()).await, 1, "{kind:?}");
    }
    let stage = Stage::set(thing);
    let list = ListQuery { world: Some("w".into()), ..ListQuery::of(Kind::Article) };
    assert_eq!(stage.count(stage.anvil.list(&list)).await, 1);
    stage.clock.advance(Duration::from_secs(899));
    assert_eq!(stage.count(stage.anvil.list(&list)).await, 0);
    stage.clock.advance(Duration::from_secs(1));
    assert_eq!(stage.count(stage.anvil.list(&list)).await, 1);
}

#[tokio::test]
async fn no_class_grows_beyond_its_bound() {
    let stage = Stage::set(thing);
    for number in 0..=Class::World.entries_max() {
        stage.anvil.read(Kind::World, Some(&number.to_string()), 1).await.unwrap();
    }
    assert_eq!(stage.count(stage.anvil.read(Kind::World, Some("0"), 1)).await, 1, "the oldest");
    assert_eq!(stage.count(stage.anvil.read(Kind::World, Some("50"), 1)).await, 0);
}

#[tokio::test]
async fn a_write_forgets_what_it_may_have_changed() {
    let stage = Stage::set(thing);
    let list = ListQuery { world: Some("w".into()), ..ListQuery::of(Kind::Article) };
    for id in ["a", "b"] {
        stage.anvil.read(Kind::Article, Some(id), 1).await.unwrap();
    }
    // Articles tell of categories, categories and worlds of articles, maps of markers.
    let others = [Kind::World, Kind::Category, Kind::Map, Kind::Timeline, Kind::Image];
    for kind in others.into_iter().chain([Kind::RpgSystem]) {
        stage.anvil.read(kind, Some("x"), 1).await.unwrap();
    }
    stage.anvil.list(&list).await.unwrap();
    let change = fields(json!({ "title": "The Keep" }));
    stage.anvil.update(Kind::Marker, "m", &change).await.unwrap();
    for id in ["a", "b"] {
        assert_eq!(stage.count(stage.anvil.read(Kind::Article, Some(id), 1)).await, 1);
    }
    for kind in others {
        assert_eq!(stage.count(stage.anvil.read(kind, Some("x"), 1)).await, 1, "{kind:?}");
    }
    assert_eq!(stage.count(stage.anvil.list(&list)).await, 1);
    let shared = stage.anvil.read(Kind::RpgSystem, Some("x"), 1);
    assert_eq!(stage.count(shared).await, 0, "what no write can touch");
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
async fn a_list_that_knows_no_pages_is_cut_here() {
    let rows: Vec<Value> = (0..120).map(|n| json!({ "id": n, "title": "x" })).collect();
    let all = json!({ "success": true, "entities": rows });
    let stage = Stage::set(move |_| json_answer(200, all.clone()));
    for (offset, limit, wanted) in [(0, 10, 10), (100, 50, 20), (115, 10, 5), (500, 50, 0)] {
        let query = ListQuery { offset, limit, ..ListQuery::of(Kind::RpgSystem) };
        let found = stage.anvil.list(&query).await.unwrap();
        assert_eq!((found.rows.len(), found.total), (wanted, 120), "from {offset}");
    }
    let query = ListQuery::of(Kind::RpgSystem);
    assert_eq!(stage.anvil.every_row(&query).await.unwrap().len(), 120);
}

fn asking_for(words: &str) -> ArticleQuery {
    let (world, audience) = (Some("w".into()), Audience::GmSide);
    ArticleQuery { words: words.into(), world, audience, offset: 0, limit: 50 }
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
async fn rows_say_what_lists_of_the_contract_say() {
    let lists = json!({
        "world/maps?w": [{ "id": "m", "title": "M" }, { "id": "gone", "title": "G" }],
        "world/timelines?w": [{ "id": "t", "title": "T" }],
    });
    let things = json!({
        "map?m": { "id": "m", "title": "M", "description": "Long.", "markers": [{}, {}],
            "image": { "id": 1, "url": "https://x.example/m.png" } },
        "timeline?t": { "id": "t", "title": "T", "eras": [{ "id": "e", "title": "E" }] },
        "era?e": { "id": "e", "title": "E", "startingYear": "-3", "endingYear": "7" },
    });
    let stage = Stage::set(service(lists, things));
    let listed = async |kind: Kind| {
        let query = ListQuery { world: Some("w".into()), ..ListQuery::of(kind) };
        stage.anvil.list(&query).await.unwrap().rows
    };
    let maps = listed(Kind::Map).await;
    assert_eq!(
        (&maps[0]["imageUrl"], &maps[0]["markerCount"], maps[0].get("description")),
        (&json!("https://x.example/m.png"), &json!(2), None)
    );
    assert_eq!(maps[1]["title"], "G", "what tells no more is listed all the same");
    let eras = listed(Kind::Era).await;
    assert_eq!((&eras[0]["startingYear"], &eras[0]["endingYear"]), (&json!("-3"), &json!("7")));
    assert_eq!(eras[0]["timeline"]["title"], "T");
}

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
        (page(403), Code::Forbidden, "browser"),
        (
            json_answer(404, json!({ "success": false, "error": "resource_not_found" })),
            Code::NotFound,
            "article a",
        ),
        (page(404), Code::NotFound, "article a"),
        (page(405), Code::NotFound, "article a"),
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
async fn totals_come_from_going_through_the_list() {
    let stage = Stage::set(|asking| {
        let of = |name: &str| -> usize {
            asking.body.as_ref().unwrap()[name].as_str().unwrap().parse().unwrap()
        };
        let rows: Vec<Value> = (of("offset")..120.min(of("offset") + of("limit")))
            .map(|number| json!({ "id": number.to_string(), "title": "x" }))
            .collect();
        json_answer(200, json!({ "success": true, "entities": rows }))
    });
    let query = ListQuery { world: Some("w".into()), limit: 10, ..ListQuery::of(Kind::Article) };
    let found = stage.anvil.list(&query).await.unwrap();
    assert_eq!((found.rows.len(), found.total), (10, 120));
    let beyond = ListQuery { offset: 500, ..query };
    let found = stage.anvil.list(&beyond).await.unwrap();
    assert_eq!((found.rows.len(), found.total), (0, 120));
}

/// A service that knows lists by path, each thing by id, and nothing else.
fn service(lists: Value, things: Value) -> impl Fn(&Asking) -> Answered + Send + 'static {
    move |asking| {
        let nothing = || json_answer(404, json!({ "success": false }));
        let id = asking.query.iter().find(|(name, _)| *name == "id").map(|(_, id)| id.as_str());
        let key = format!("{}?{}", asking.path, id.unwrap_or_default());
        let number = |name: &str| -> usize {
            let body = asking.body.as_ref();
            body.and_then(|body| body[name].as_str()?.parse().ok()).unwrap_or(0)
        };
        if let Value::Array(rows) = &lists[&key] {
            let page = rows.iter().skip(number("offset")).take(number("limit"));
            let page: Vec<&Value> = page.collect();
            return json_answer(200, json!({ "success": true, "entities": page }));
        }
        match &things[&key] {
            Value::Object(thing) => {
                let mut thing = thing.clone();
                thing.insert("success".into(), json!(true));
                json_answer(200, Value::Object(thing))
            }
            _ if asking.path == "identity" => {
                json_answer(200, json!({ "success": true, "id": "u" }))
            }
            _ => nothing(),
        }
    }
}

fn below(kind: Kind, parent: Kind, id: &str) -> ListQuery {
    ListQuery { parent: Some((parent, id.into())), world: Some("w".into()), ..ListQuery::of(kind) }
}

fn ids_of(rows: &Rows) -> Vec<String> {
    rows.rows.iter().map(|row| text_of(row, "id")).collect()
}

#[tokio::test]
async fn a_list_that_is_nowhere_is_told_by_what_holds_it() {
    let lists = json!({
        "world/blockfolders?w": [{ "id": 5, "title": "A" }, { "id": 6, "title": "B" }],
        "world/timelines?w": [{ "id": "t", "title": "T" }, { "id": "s", "title": "S" }],
    });
    let things = json!({
        "blockfolder?5": { "id": 5, "title": "A", "blocks": [{ "id": 1, "title": "x" }] },
        "blockfolder?6": { "id": 6, "title": "B", "blocks": [{ "id": 2, "title": "y" }] },
        "timeline?t": { "id": "t", "title": "T", "eras": [{ "id": "e", "title": "E" }] },
        "timeline?s": { "id": "s", "title": "S", "eras": [{ "id": "f", "title": "F" }] },
    });
    let stage = Stage::set(service(lists, things));
    for (query, wanted) in [
        (below(Kind::Block, Kind::BlockFolder, "6"), &["2"][..]),
        (below(Kind::Era, Kind::Timeline, "s"), &["f"]),
    ] {
        let found = stage.anvil.list(&query).await.unwrap();
        assert_eq!(
            (ids_of(&found), found.total),
            (wanted.iter().map(|id| (*id).to_owned()).collect(), wanted.len())
        );
        let whole = stage.anvil.list(&ListQuery { parent: None, ..query }).await.unwrap();
        assert_eq!(whole.total, 2, "of the whole world");
    }
    let era = stage.anvil.list(&below(Kind::Era, Kind::Timeline, "t")).await.unwrap();
    assert_eq!(era.rows[0]["timeline"]["title"], "T");
}

#[tokio::test]
async fn a_list_that_nobody_tells_is_an_error_and_not_an_endless_search() {
    let lists = json!({ "world/blockfolders?w": [{ "id": 5, "title": "A" }] });
    let things = json!({ "blockfolder?5": { "id": 5, "title": "A" } });
    let stage = Stage::set(service(lists, things));
    for query in [
        below(Kind::Block, Kind::BlockFolder, "5"),
        below(Kind::Block, Kind::BlockFolder, "9"),
        ListQuery { parent: None, ..below(Kind::Block, Kind::BlockFolder, "5") },
    ] {
        let error = stage.anvil.list(&query).await.unwrap_err();
        assert_eq!(error.code(), Code::NotFound, "{error}");
    }
}

#[tokio::test]
async fn totals_are_true_above_ten_thousand_and_lists_without_end_end() {
    let rows: Vec<Value> = (0..10_060).map(|n| json!({ "id": n, "title": "x" })).collect();
    let stage = Stage::set(service(json!({ "world/articles?w": rows }), json!({})));
    let query = ListQuery { world: Some("w".into()), ..ListQuery::of(Kind::Article) };
    assert_eq!(stage.anvil.list(&query).await.unwrap().total, 10_060);
    let endless = Stage::set(|_| {
        let rows: Vec<Value> = (0..50).map(|n| json!({ "id": n, "title": "x" })).collect();
        json_answer(200, json!({ "success": true, "entities": rows }))
    });
    assert_eq!(endless.anvil.list(&query).await.unwrap().total, 50);
}

fn fields(value: Value) -> Object {
    let Value::Object(fields) = value else { unreachable!() };
    fields
}

/// A service with these worlds that takes what it is sent; gives the last body it got.
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
async fn a_history_needs_a_year_there() {
    let (stage, sent) = taking(1);
    let refused = stage.anvil.create(Kind::History, &fields(json!({ "title": "Fall" }))).await;
    assert!(refused.unwrap_err().to_string().starts_with("year is required"));
    assert!(sent.lock().is_null(), "nothing was sent");
}

#[tokio::test]
async fn what_the_contract_tells_is_found_where_the_service_tells_it() {
    let things = json!({
        "map?m": { "id": "m", "title": "M", "image": { "id": 1, "url": "https://x.example/m.png" },
            "markers": [{ "id": "k", "title": "K" }] },
        "marker?k": { "id": "k", "title": "K", "labelTitle": "", "geoX": "1.5", "geoY": 2 },
        "world?w": { "id": "w", "title": "W", "genres": [{ "id": 1, "title": "Dark" }] },
        "category?c": { "id": "c", "title": "C", "world": { "id": "w", "title": "W" } },
    });
    let lists = json!({ "world/articles?w": [{ "id": "a", "title": "A" }] });
    let stage = Stage::set(service(lists, things));
    let read = async |kind: Kind, id: &str| {
        Value::Object(stage.anvil.read(kind, Some(id), 2).await.unwrap())
    };
    let map = read(Kind::Map, "m").await;
    assert_eq!(
        (&map["imageUrl"], &map["markerCount"]),
        (&json!("https://x.example/m.png"), &json!(1))
    );
    let marker = read(Kind::Marker, "k").await;
    assert_eq!((&marker["label"], &marker["geoX"]), (&json!("K"), &json!(1.5)));
    assert_eq!(read(Kind::World, "w").await["genre"], "Dark");
    assert_eq!(read(Kind::Category, "c").await["articleCount"], 1);
}

#[tokio::test]
async fn odd_paths_are_tried_in_both_spellings() {
    let stage = Stage::set(|asking| match asking.path {
        "variablecollection" => json_answer(404, json!({ "success": false })),
        _ => thing(asking),
    });
    let found = stage.anvil.read(Kind::VariableCollection, Some("v"), 2).await.unwrap();
    assert_eq!(found["title"], "The Keep");
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
    let unread = stage.anvil.unread(Some("w")).await.unwrap();
    assert_eq!(unread, ["a", "b"], "nothing told of the sections of the first");
    let after = stage.anvil.search(&asking_for("stones")).await.unwrap();
    let best = &after.articles[0];
    assert_eq!((after.searched, best.article["id"].as_str()), (0.5, Some("a")));
    assert!((0.1..=1.0).contains(&best.relevance) && best.excerpt.contains("Stone"), "{best:?}");
    // What was copied elsewhere counts as read, and is ranked with the rest.
    let Value::Object(copy) = json!({
        "id": "b", "title": "Article b", "tags": ["wall"], "content": "Stone on stone, a stone wall.",
    }) else {
        unreachable!()
    };
    stage.anvil.learn(&copy);
    let whole = stage.anvil.search(&asking_for("stone wall")).await.unwrap();
    assert_eq!((whole.searched, whole.articles[0].article["id"].as_str()), (1.0, Some("b")));
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

/// A service with one article that can be written; what it says now, and since which day.
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
    /// What is found for some words, as excerpts.
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
async fn what_is_no_answer_is_told_and_not_kept() {
    let odd = |asking: &Asking| match asking.verb {
        Verb::Get => json_answer(200, json!({ "success": true, "title": { "a": 1 } })),
        _ => json_answer(200, json!({ "success": true, "entities": [{ "title": "x" }] })),
    };
    let stage = Stage::set(odd);
    let list = ListQuery { world: Some("w".into()), ..ListQuery::of(Kind::Map) };
    let error = stage.anvil.read(Kind::Article, Some("a"), 2).await.unwrap_err();
    assert!(
        error.code() == Code::Unavailable && error.to_string().contains("no article"),
        "{error}"
    );
    let error = stage.anvil.list(&list).await.unwrap_err();
    assert!(error.to_string().contains("list of maps: an entry has no id"), "{error}");
    *stage.fake.answer.lock() = Box::new(thing);
    assert!(stage.anvil.read(Kind::Article, Some("a"), 2).await.is_ok());
    assert!(stage.anvil.list(&list).await.unwrap().rows.is_empty());
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
async fn categories_are_listed_with_how_many_are_in_them() {
    let stage = Stage::set(|asking| {
        let rows = match (asking.path, asking.body.as_ref().map(|body| &body["category"]["id"])) {
            ("world/categories", _) => {
                json!([{ "id": "c", "title": "C" }, { "id": "d", "title": "D" }])
            }
            ("world/articles", Some(category)) if category == "c" => json!([{ "id": "a" }]),
            _ => json!([]),
        };
        json_answer(200, json!({ "success": true, "entities": rows }))
    });
    let query = ListQuery { world: Some("w".into()), ..ListQuery::of(Kind::Category) };
    let rows = stage.anvil.list(&query).await.unwrap().rows;
    assert_eq!((&rows[0]["articleCount"], &rows[1]["articleCount"]), (&json!(1), &json!(0)));
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
    assert!(refused.to_string().starts_with("sections holds \"Foo\", which is not a text"));
    assert!(sent.lock().is_null(), "nothing was sent");
}

#[tokio::test]
async fn a_timeline_without_eras_takes_away_none_of_the_others() {
    let lists = json!({
        "user/worlds?u": [{ "id": "w", "title": "Waste" }],
        "world/timelines?w": [{ "id": "t" }, { "id": "n" }, { "id": "s" }],
    });
    let things = json!({
        "timeline?t": { "id": "t", "title": "T", "eras": null },
        "timeline?n": { "id": "n", "title": "N" },
        "timeline?s": { "id": "s", "title": "S", "eras": [{ "id": "e", "title": "E" }] },
    });
    let stage = Stage::set(service(lists, things));
    let all = stage.anvil.list(&ListQuery::of(Kind::Era)).await.unwrap();
    assert_eq!((ids_of(&all), all.total), (vec!["e".to_owned()], 1));
    for none in ["t", "n"] {
        let found = stage.anvil.list(&below(Kind::Era, Kind::Timeline, none)).await.unwrap();
        assert_eq!(found.total, 0, "{none}");
    }
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
async fn a_write_whose_answer_cannot_be_read_is_not_to_be_repeated() {
    for body in [&b"<html>"[..], b"{}", b""] {
        let stage = Stage::set(move |asking| match asking.verb {
            Verb::Get | Verb::Post => thing(asking),
            _ => Answered { status: 200, retry_after: None, body: body.to_vec() },
        });
        let new = fields(json!({ "title": "A", "world": "w" }));
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
async fn a_refusal_that_names_no_field_is_about_the_arguments() {
    let stage = Stage::set(|asking| match asking.verb {
        Verb::Patch => json_answer(422, json!({ "error": "no", "trace": "" })),
        _ => thing(asking),
    });
    let change = fields(json!({ "title": "A" }));
    let error = stage.anvil.update(Kind::Article, "a", &change).await.unwrap_err();
    assert!(error.to_string().starts_with("arguments were refused"), "{error}");
}

#[tokio::test]
async fn texts_of_a_template_are_sections_and_the_folder_of_a_block_is_its_folder() {
    let stage = Stage::set(|asking| {
        let told = match asking.path {
            "block" => json!({ "success": true, "id": 6, "folder": { "id": 5, "title": "BF" } }),
            _ => json!({ "success": true, "id": "a", "title": "A", "geography": "[i]hills[/i]" }),
        };
        json_answer(200, told)
    });
    let article = stage.anvil.read(Kind::Article, Some("a"), 2).await.unwrap();
    assert_eq!(article["sections"], json!({ "geography": "*hills*" }));
    assert!(!article.contains_key("geography"));
    let block = stage.anvil.read(Kind::Block, Some("6"), 2).await.unwrap();
    assert_eq!(block["blockfolder"]["id"], 5);
}

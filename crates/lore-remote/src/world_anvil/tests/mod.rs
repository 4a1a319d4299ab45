//! Tests of the client over a fake transport: one module per subject, shared helpers here.

mod faults;
mod keeping;
mod lists;
mod searches;
mod worlds;
mod writes;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use lore_app::atlas::{Audience, Detail};
use lore_core::Timestamp;
use lore_core::effects::{Clock, FixedEntropy};
use lore_core::error::Code;
use parking_lot::Mutex;

use super::*;

/// The id of the world that the fake service has.
const WORLD: &str = "0190a1b2-0000-7000-8000-0000000000ff";

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

/// How the fake service answers a request.
type Answering = Box<dyn Fn(&Asking) -> Answered + Send>;

/// A service that counts requests and answers as it is told.
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

    /// Returns how many requests some work sent.
    async fn count<T>(&self, work: impl Future<Output = T>) -> usize {
        let before = self.fake.asked.load(Ordering::SeqCst);
        work.await;
        self.fake.asked.load(Ordering::SeqCst) - before
    }
}

/// Answers every request with one and the same object.
fn thing(asking: &Asking) -> Answered {
    let id = asking.query.iter().find(|(name, _)| *name == "id").map(|(_, id)| id.clone());
    let body = json!({
        "success": true, "id": id, "title": "The Keep", "state": "public",
        "content": "[b]Stone[/b]", "entities": [],
    });
    json_answer(200, body)
}

/// A service that has the given lists by path and objects by id, and nothing else.
fn service(lists: Value, things: Value) -> impl Fn(&Asking) -> Answered + Send + 'static {
    move |asking| {
        let nothing = || json_answer(404, json!({ "success": false }));
        let id = asking.query.iter().find(|(name, _)| *name == "id").map(|(_, id)| id.as_str());
        let id = id.map(|id| if id == WORLD { "w" } else { id });
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

fn fields(value: Value) -> Object {
    let Value::Object(fields) = value else { unreachable!() };
    fields
}

//! The cache of answers. Each class of answers has its own lifetime, and concurrent identical
//! requests are joined into one.

use std::collections::HashMap;
use std::sync::Arc;

use futures::FutureExt;
use futures::future::{BoxFuture, Shared};
use lore_anvil::{Cache as Class, Object};
use lore_core::{Effects, Result, Timestamp};
use parking_lot::Mutex;
use serde_json::Value;

/// Cached answers. Failures are never cached.
pub(super) struct Cache {
    effects: Effects,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    kept: HashMap<(Class, String), Kept>,
    asked: HashMap<(Class, String), Shared<BoxFuture<'static, Result<Object>>>>,
    /// Counts invalidations: an answer requested before one is not cached after it.
    age: u64,
    ticks: u64,
}

struct Kept {
    object: Object,
    until: Timestamp,
    /// When the entry was inserted; the oldest are evicted first.
    tick: u64,
}

impl Cache {
    pub(super) fn new(effects: Effects) -> Self {
        Self { effects, state: Arc::default() }
    }

    /// Returns the answer to a request: from the cache, from an identical request in flight, or by
    /// running `work`.
    pub(super) async fn get(
        &self,
        class: Class,
        key: String,
        work: impl Future<Output = Result<Object>> + Send + 'static,
    ) -> Result<Object> {
        let key = (class, key);
        let answer = {
            let mut state = self.state.lock();
            if let Some(kept) = state.kept.get(&key).filter(|kept| kept.until > self.effects.now())
            {
                return Ok(kept.object.clone());
            }
            match state.asked.get(&key) {
                Some(asked) => asked.clone(),
                None => {
                    let asked = self.asking(key.clone(), state.age, work);
                    state.asked.insert(key, asked.clone());
                    asked
                }
            }
        };
        answer.await
    }

    pub(super) fn now(&self) -> Timestamp {
        self.effects.now()
    }

    /// The number of invalidations so far.
    pub(super) fn age(&self) -> u64 {
        self.state.lock().age
    }

    /// Returns when the first of the cached lists whose keys begin with `start` expires.
    pub(super) fn first_end(&self, start: &str) -> Option<Timestamp> {
        let state = self.state.lock();
        let lists = state.kept.iter().filter(|((class, _), _)| *class == Class::List);
        let lists = lists.filter(|((_, key), _)| key.starts_with(start));
        lists.map(|(_, kept)| kept.until).min()
    }

    /// Looks up a cached result that this program computed itself.
    pub(super) fn kept(&self, class: Class, key: &str) -> Option<Object> {
        let state = self.state.lock();
        let kept = state.kept.get(&(class, key.to_owned()));
        kept.filter(|kept| kept.until > self.effects.now()).map(|kept| kept.object.clone())
    }

    /// Caches a result that this program computed itself.
    pub(super) fn keep(&self, class: Class, key: String, object: Object) {
        self.state.lock().keep((class, key), object, self.effects.now());
    }

    fn asking(
        &self,
        key: (Class, String),
        age: u64,
        work: impl Future<Output = Result<Object>> + Send + 'static,
    ) -> Shared<BoxFuture<'static, Result<Object>>> {
        let (state, effects) = (Arc::clone(&self.state), self.effects.clone());
        let work = async move {
            let answer = work.await;
            let mut state = state.lock();
            state.asked.remove(&key);
            if let Ok(object) = &answer
                && state.age == age
                && !tells_secrets(object)
            {
                state.keep(key, object.clone(), effects.now());
            }
            answer
        };
        work.boxed().shared()
    }

    /// Drops the cached answers whose keys match.
    pub(super) fn forget(&self, gone: impl Fn(&str) -> bool) {
        let mut state = self.state.lock();
        state.age += 1;
        state.kept.retain(|(_, key), _| !gone(key));
        // Later requests must not join one that was sent before the invalidation.
        state.asked.retain(|(_, key), _| !gone(key));
    }
}

/// Whether an answer contains secrets; such answers are never cached.
fn tells_secrets(object: &Object) -> bool {
    object.get("secrets").and_then(Value::as_array).is_some_and(|secrets| !secrets.is_empty())
}

impl State {
    fn keep(&mut self, key: (Class, String), object: Object, now: Timestamp) {
        let class = key.0;
        let until = now.saturating_add(class.ttl()).unwrap_or(Timestamp::MAX);
        self.ticks += 1;
        self.kept.insert(key, Kept { object, until, tick: self.ticks });
        let of_class = || self.kept.iter().filter(|((kept, _), _)| *kept == class);
        if of_class().count() > class.entries_max() {
            let oldest = of_class().min_by_key(|(_, kept)| kept.tick).map(|(key, _)| key.clone());
            if let Some(oldest) = oldest {
                self.kept.remove(&oldest);
            }
        }
    }
}

//! Requests to the service, and the one way they leave.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use lore_core::{Error, Result};
use lore_net::{Api, Endpoint, NetError, Network};
use serde_json::Value;
use tokio::sync::Mutex;
use tokio::time::Instant;

use super::{Config, fault};

/// Between two requests: people who asked faster were refused.
const PACE: Duration = Duration::from_millis(750);

/// What to do with a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// Read one.
    Get,
    /// List.
    Post,
    /// Make.
    Put,
    /// Change.
    Patch,
    /// Delete.
    Delete,
}

impl Verb {
    /// Whether nothing changes by it.
    pub(super) fn only_asks(self) -> bool {
        matches!(self, Self::Get | Self::Post)
    }
}

/// A request.
#[derive(Debug, Clone, PartialEq)]
pub struct Asking {
    /// What to do.
    pub verb: Verb,
    /// The path below the API's base.
    pub path: &'static str,
    /// Query parameters.
    pub query: Vec<(&'static str, String)>,
    /// The JSON body.
    pub body: Option<Value>,
}

impl Asking {
    pub(super) fn new(verb: Verb, path: &'static str) -> Self {
        Self { verb, path, query: Vec::new(), body: None }
    }

    pub(super) fn get(path: &'static str) -> Self {
        Self::new(Verb::Get, path)
    }

    pub(super) fn with(mut self, name: &'static str, value: &str) -> Self {
        self.query.push((name, value.to_owned()));
        self
    }

    pub(super) fn body(mut self, body: Value) -> Self {
        self.body = Some(body);
        self
    }

    /// What tells it from every other question: `path?id=…&granularity=…` and the body.
    pub(super) fn key(&self) -> String {
        let query: Vec<String> =
            self.query.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let body = self.body.as_ref().map(Value::to_string).unwrap_or_default();
        format!("{}?{} {body}", self.path, query.join("&"))
    }
}

/// What came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    /// The status.
    pub status: u16,
    /// How long the service wants to be left alone.
    pub retry_after: Option<Duration>,
    /// The body.
    pub body: Vec<u8>,
}

/// Whatever carries requests to the service.
#[async_trait]
pub trait Wire: Send + Sync {
    /// Carries one there and the answer back; any status is an answer.
    async fn send(&self, asking: &Asking) -> Result<Answered>;
}

/// A wire, and whether the service knew the keys of the last request.
pub(super) struct Watched {
    wire: Arc<dyn Wire>,
    refuses_keys: AtomicBool,
}

impl Watched {
    pub(super) fn new(wire: Arc<dyn Wire>) -> Self {
        Self { wire, refuses_keys: AtomicBool::new(false) }
    }

    pub(super) fn refuses_keys(&self) -> bool {
        self.refuses_keys.load(Ordering::Relaxed)
    }
}

#[async_trait]
impl Wire for Watched {
    async fn send(&self, asking: &Asking) -> Result<Answered> {
        let answered = self.wire.send(asking).await?;
        self.refuses_keys.store(answered.status == 401, Ordering::Relaxed);
        Ok(answered)
    }
}

/// The service on the internet, or whatever the configuration names in its place.
pub(super) struct Http {
    api: Api,
    pace: Duration,
    next: Mutex<Instant>,
}

impl Http {
    pub(super) fn new(network: &Network, config: &Config) -> Result<Self> {
        let wrong = |problem: String| {
            Error::invalid(
                "WORLD_ANVIL_URL",
                problem,
                format!("use an address like {}", super::URL),
            )
        };
        let agent = concat!(
            "Lorewell (",
            env!("CARGO_PKG_REPOSITORY"),
            ", ",
            env!("CARGO_PKG_VERSION"),
            ")"
        );
        let endpoint = Endpoint::new(&config.url)
            .and_then(|endpoint| endpoint.secret_header("x-application-key", &config.app_key))
            .and_then(|endpoint| endpoint.secret_header("x-auth-token", &config.token))
            .and_then(|endpoint| endpoint.header("user-agent", agent))
            .map_err(|error| wrong(error.to_string()))?;
        let pace = match endpoint.reach() {
            lore_net::Reach::Public => PACE,
            lore_net::Reach::PrivateNetwork => Duration::ZERO,
        };
        let api = network.api(endpoint).map_err(|error| wrong(error.to_string()))?;
        Ok(Self { api, pace, next: Mutex::new(Instant::now()) })
    }

    /// Waits for the next request's turn.
    async fn turn(&self) {
        let mut next = self.next.lock().await;
        let now = Instant::now();
        let at = (*next).max(now);
        *next = at + self.pace;
        drop(next);
        tokio::time::sleep_until(at).await;
    }
}

#[async_trait]
impl Wire for Http {
    async fn send(&self, asking: &Asking) -> Result<Answered> {
        self.turn().await;
        let path = asking.path.split('/');
        let mut call = match asking.verb {
            Verb::Get => self.api.get(path),
            Verb::Post => self.api.post(path).repeatable(),
            Verb::Put => self.api.put(path),
            Verb::Patch => self.api.patch(path),
            Verb::Delete => self.api.delete(path),
        };
        for (name, value) in &asking.query {
            call = call.query(name, value);
        }
        if let Some(body) = &asking.body {
            call = call.json(body);
        }
        // A PUT makes something here, so a second one would make it twice.
        if asking.verb == Verb::Put {
            call = call.retry(lore_net::Retry { attempts: 1, ..lore_net::Retry::standard() });
        }
        let answer = call.send().await.map_err(|error| lost(asking.verb, &error))?;
        Ok(Answered {
            status: answer.status(),
            retry_after: answer.rate_limit().retry_after,
            body: answer.bytes().to_vec(),
        })
    }
}

/// Whoever wrote must know whether it arrived.
fn lost(verb: Verb, error: &NetError) -> Error {
    match error {
        NetError::Unreachable { .. } | NetError::Refused(_) => {
            Error::Unavailable { what: format!("World Anvil ({error})") }
        }
        _ => fault::no_answer(verb, &error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use lore_core::Effects;
    use lore_net::{Options, Secret};

    use super::*;

    /// How long three who ask at once wait, in all.
    async fn three_turns(url: &str) -> Duration {
        let network = Network::new(Effects::system(), Options::default()).unwrap();
        let (app_key, token) = (Secret::new("key"), Secret::new("token"));
        let http = Http::new(&network, &Config { url: url.into(), app_key, token }).unwrap();
        let start = Instant::now();
        tokio::join!(http.turn(), http.turn(), http.turn());
        start.elapsed()
    }

    #[tokio::test]
    async fn requests_to_the_internet_are_apart_and_those_to_a_neighbour_are_not() {
        assert!(three_turns(super::super::URL).await >= 2 * PACE);
        assert!(three_turns("http://127.0.0.1:9/api").await < PACE);
    }
}

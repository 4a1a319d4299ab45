//! Requests to the service, and the HTTP transport for them.

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

/// The pause between two requests; users who sent them faster were blocked.
const PACE: Duration = Duration::from_millis(750);

/// The HTTP method of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// Reads one object.
    Get,
    /// Lists objects. It changes nothing.
    Post,
    /// Creates an object.
    Put,
    /// Changes an object.
    Patch,
    /// Deletes an object.
    Delete,
}

impl Verb {
    /// Whether requests with this method change nothing.
    pub(super) fn only_asks(self) -> bool {
        matches!(self, Self::Get | Self::Post)
    }
}

/// A request.
#[derive(Debug, Clone, PartialEq)]
pub struct Asking {
    /// The method.
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

    /// Returns the cache key of a request: `path?id=…&granularity=…` and the body.
    pub(super) fn key(&self) -> String {
        let query: Vec<String> =
            self.query.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let body = self.body.as_ref().map(Value::to_string).unwrap_or_default();
        format!("{}?{} {body}", self.path, query.join("&"))
    }
}

/// An answer of the service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    /// The HTTP status.
    pub status: u16,
    /// How long the service asks to wait.
    pub retry_after: Option<Duration>,
    /// The body.
    pub body: Vec<u8>,
}

/// A transport to the service.
#[async_trait]
pub trait Wire: Send + Sync {
    /// Sends a request and returns the answer, whatever its status.
    async fn send(&self, asking: &Asking) -> Result<Answered>;
}

/// A transport that remembers whether the service rejected our credentials in the last request.
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

/// The service over HTTP.
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

    /// Waits until the next request may be sent.
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
        // A PUT creates an object, so a retry could create it twice.
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

/// The error for a request without an answer. For writes it says whether the request may have
/// arrived.
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

    /// Returns how long three concurrent requests wait in all.
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

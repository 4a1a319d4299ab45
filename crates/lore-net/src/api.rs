//! Configured services, and calls to them.
//!
//! The base URL and the secrets come from the configuration only. A call adds path segments and
//! parameters, which cannot lead to another host.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use reqwest::Response;
use serde_json::Value;
use url::{Host, Url};

use crate::address::is_private_service;
use crate::answer::{Answer, Failures, read};
use crate::error::{NetError, Refusal};
use crate::guard::{Guard, Realm};
use crate::limits::Limits;
use crate::network::{Inner, SetupError};
use crate::retry::{Effect, Retry};
use crate::secret::Secret;
use crate::web::{failure, host, redirect};

/// A configured service: its base URL and the headers it requires.
#[derive(Debug, Clone)]
pub struct Endpoint {
    base: Url,
    headers: HeaderMap,
    reach: Reach,
}

/// Where a service is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// On the public internet.
    Public,
    /// On this machine or its network.
    PrivateNetwork,
}

impl Endpoint {
    /// Creates a service at `base`. An IP address of this machine or a private range, or
    /// `localhost`, is recognised as private. Other names in a private network need
    /// [`Endpoint::on_private_network`].
    pub fn new(base: &str) -> Result<Self, Refusal> {
        let base = Url::parse(base.trim()).map_err(|_| Refusal::Malformed)?;
        if base.cannot_be_a_base() || !matches!(base.scheme(), "http" | "https") {
            return Err(Refusal::Scheme);
        }
        let reach = if is_private(&base) { Reach::PrivateNetwork } else { Reach::Public };
        let headers =
            HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static("application/json"))]);
        Ok(Self { base, headers, reach })
    }

    /// Declares that the host name is in a private network.
    #[must_use]
    pub fn on_private_network(mut self) -> Self {
        self.reach = Reach::PrivateNetwork;
        self
    }

    /// Sends `Authorization: Bearer …` with every call.
    pub fn bearer(self, token: &Secret) -> Result<Self, Refusal> {
        self.secret_header("authorization", &Secret::new(format!("Bearer {}", token.expose())))
    }

    /// Sends a secret in any header with every call.
    pub fn secret_header(mut self, name: &str, secret: &Secret) -> Result<Self, Refusal> {
        let name: HeaderName = name.parse().map_err(|_| Refusal::Header)?;
        let mut value = HeaderValue::from_str(secret.expose()).map_err(|_| Refusal::Header)?;
        value.set_sensitive(true);
        self.headers.insert(name, value);
        Ok(self)
    }

    /// Sends a header that is not secret with every call.
    pub fn header(mut self, name: &str, value: &str) -> Result<Self, Refusal> {
        let name: HeaderName = name.parse().map_err(|_| Refusal::Header)?;
        let value = HeaderValue::from_str(value).map_err(|_| Refusal::Header)?;
        self.headers.insert(name, value);
        Ok(self)
    }

    /// Where the service is.
    pub fn reach(&self) -> Reach {
        self.reach
    }

    fn realm(&self) -> Realm {
        match self.reach {
            Reach::Public => Realm::PublicService,
            Reach::PrivateNetwork => Realm::PrivateService,
        }
    }
}

/// A client for one service. Connections to it are kept and shared.
#[derive(Clone)]
pub struct Api {
    inner: Arc<Service>,
}

struct Service {
    network: Arc<Inner>,
    client: reqwest::Client,
    guard: Guard,
    endpoint: Endpoint,
    base: Result<Url, Refusal>,
}

impl Api {
    pub(crate) fn new(network: Arc<Inner>, endpoint: Endpoint) -> Result<Self, SetupError> {
        let guard = network.guard(endpoint.realm());
        let port = endpoint.base.port_or_known_default().unwrap_or_default();
        let client = network.client(guard.clone(), port)?;
        let base = checked_base(&guard, &endpoint);
        Ok(Self { inner: Arc::new(Service { network, client, guard, endpoint, base }) })
    }

    /// The configured host, for messages.
    pub fn host(&self) -> String {
        host(&self.inner.endpoint.base)
    }

    /// Starts a GET request; `path` is appended to the base.
    pub fn get<S: AsRef<str>>(&self, path: impl IntoIterator<Item = S>) -> Call {
        self.call(Method::GET, path)
    }

    /// Starts a POST request; `path` is appended to the base.
    pub fn post<S: AsRef<str>>(&self, path: impl IntoIterator<Item = S>) -> Call {
        self.call(Method::POST, path)
    }

    /// Starts a PUT request; `path` is appended to the base.
    pub fn put<S: AsRef<str>>(&self, path: impl IntoIterator<Item = S>) -> Call {
        self.call(Method::PUT, path)
    }

    /// Starts a PATCH request; `path` is appended to the base.
    pub fn patch<S: AsRef<str>>(&self, path: impl IntoIterator<Item = S>) -> Call {
        self.call(Method::PATCH, path)
    }

    /// Starts a DELETE request; `path` is appended to the base.
    pub fn delete<S: AsRef<str>>(&self, path: impl IntoIterator<Item = S>) -> Call {
        self.call(Method::DELETE, path)
    }

    fn call<S: AsRef<str>>(&self, method: Method, path: impl IntoIterator<Item = S>) -> Call {
        let url = self.inner.base.clone().and_then(|base| below(base, path));
        let effect = if method.is_idempotent() { Effect::Repeatable } else { Effect::Once };
        Call {
            service: Arc::clone(&self.inner),
            method,
            url,
            body: None,
            limits: Limits::service(),
            retry: Retry::standard(),
            effect,
        }
    }
}

/// A call that is being built. Nothing is sent before [`Call::send`].
pub struct Call {
    service: Arc<Service>,
    method: Method,
    url: Result<Url, Refusal>,
    body: Option<(HeaderValue, Bytes)>,
    limits: Limits,
    retry: Retry,
    effect: Effect,
}

/// The most redirects within a service, such as an added slash.
const MOST_REDIRECTS: usize = 3;

impl Call {
    /// Adds a query parameter.
    #[must_use]
    pub fn query(mut self, name: &str, value: &str) -> Self {
        if let Ok(url) = &mut self.url {
            url.query_pairs_mut().append_pair(name, value);
        }
        self
    }

    /// Sends a JSON body.
    #[must_use]
    pub fn json(self, body: &Value) -> Self {
        let bytes = Bytes::from(body.to_string());
        self.body(HeaderValue::from_static("application/json"), bytes)
    }

    /// Sends a body of any type.
    #[must_use]
    pub fn body(mut self, content_type: HeaderValue, body: Bytes) -> Self {
        self.body = Some((content_type, body));
        self
    }

    /// Sets the limits of each attempt.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets how the call is retried.
    #[must_use]
    pub fn retry(mut self, retry: Retry) -> Self {
        self.retry = retry;
        self
    }

    /// Declares that a second arrival of this call changes nothing, although its method does not
    /// imply it: a search by POST, or a write with an idempotency key.
    #[must_use]
    pub fn repeatable(mut self) -> Self {
        self.effect = Effect::Repeatable;
        self
    }

    /// Sends the call. Answers with any status are returned; after retries, that of the last
    /// attempt.
    pub async fn send(self) -> Result<Answer, NetError> {
        let entropy = Arc::clone(&self.service.network.effects.entropy);
        let (mut attempt, begun) = (1, Instant::now());
        loop {
            let outcome = self.attempt().await;
            match self.retry.pause(attempt, self.effect, &outcome, entropy.as_ref()) {
                Some(wait) if begun.elapsed() + wait < self.retry.patience => {
                    tokio::time::sleep(wait).await;
                }
                _ => return outcome,
            }
            attempt += 1;
        }
    }

    async fn attempt(&self) -> Result<Answer, NetError> {
        let url = self.url.clone()?;
        let late: Duration = self.limits.total;
        let host = host(&url);
        let work = self.follow(url);
        tokio::time::timeout(late, work)
            .await
            .map_err(|_| NetError::TimedOut { host, after: late })?
    }

    async fn follow(&self, mut url: Url) -> Result<Answer, NetError> {
        for _ in 0..=MOST_REDIRECTS {
            let response = self.ask(&url).await?;
            match redirect(&response) {
                Some(next) => url = self.same_service(next?)?,
                None => return read(response, &self.limits, Failures::Read).await,
            }
        }
        Err(NetError::TooManyRedirects { host: host(&url) })
    }

    async fn ask(&self, url: &Url) -> Result<Response, NetError> {
        let request = self.service.client.request(self.method.clone(), url.clone());
        let mut request = request.headers(self.service.endpoint.headers.clone());
        if let Some((content_type, body)) = &self.body {
            request = request.header(CONTENT_TYPE, content_type).body(body.clone());
        }
        request.send().await.map_err(|error| failure(&error, &host(url)))
    }

    /// Checks the target of a redirect. It is followed only within the service, where the secrets
    /// may go, and only for GET, because repeating a write elsewhere is not what was asked for.
    fn same_service(&self, next: Url) -> Result<Url, NetError> {
        let next = self.service.guard.check(next)?;
        let base = &self.service.endpoint.base;
        if next.origin() == base.origin() && self.method == Method::GET {
            Ok(next)
        } else {
            Err(NetError::Moved { host: host(base) })
        }
    }
}

fn checked_base(guard: &Guard, endpoint: &Endpoint) -> Result<Url, Refusal> {
    let base = guard.check(endpoint.base.clone())?;
    let secret = endpoint.headers.values().any(HeaderValue::is_sensitive);
    let clear = base.scheme() == "http" && endpoint.reach == Reach::Public;
    if clear && secret { Err(Refusal::Cleartext) } else { Ok(base) }
}

/// Appends path segments, each encoded as one. Dot segments are refused, because they would lead
/// upwards.
fn below<S: AsRef<str>>(mut base: Url, path: impl IntoIterator<Item = S>) -> Result<Url, Refusal> {
    let mut segments = base.path_segments_mut().map_err(|()| Refusal::Malformed)?;
    segments.pop_if_empty();
    for segment in path {
        let segment = segment.as_ref();
        if matches!(segment, "." | "..") || segment.contains(['\0', '\t', '\n', '\r']) {
            return Err(Refusal::Path);
        }
        segments.push(segment);
    }
    drop(segments);
    Ok(base)
}

fn is_private(base: &Url) -> bool {
    match base.host() {
        Some(Host::Ipv4(address)) => is_private_service(address.into()),
        Some(Host::Ipv6(address)) => is_private_service(address.into()),
        Some(Host::Domain(name)) => {
            let name = name.trim_end_matches('.');
            name == "localhost" || name.ends_with(".localhost")
        }
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(segments: &[&str]) -> Result<String, Refusal> {
        let base = Url::parse("https://api.example.org/1.0/").unwrap();
        below(base, segments).map(|url| url.path().to_owned())
    }

    #[test]
    fn segments_cannot_leave_the_service() {
        assert_eq!(path(&["campaigns", "1"]).as_deref(), Ok("/1.0/campaigns/1"));
        assert_eq!(
            path(&["search", "a/../../b?c#d"]).as_deref(),
            Ok("/1.0/search/a%2F..%2F..%2Fb%3Fc%23d")
        );
        assert_eq!(path(&["%2e%2e", "x"]).as_deref(), Ok("/1.0/%252e%252e/x"));
        assert_eq!(path(&["..", "x"]), Err(Refusal::Path));
        assert_eq!(path(&["//evil.example"]).as_deref(), Ok("/1.0/%2F%2Fevil.example"));
    }

    #[test]
    fn an_address_says_where_it_lives() {
        let reach = |base: &str| Endpoint::new(base).map(|endpoint| endpoint.reach());
        assert_eq!(reach("https://api.kanka.io/1.0/"), Ok(Reach::Public));
        assert_eq!(reach("http://127.0.0.1:11434"), Ok(Reach::PrivateNetwork));
        assert_eq!(reach("http://localhost:8351"), Ok(Reach::PrivateNetwork));
        assert_eq!(reach("http://169.254.169.254/"), Ok(Reach::Public));
        assert_eq!(reach("file:///etc/passwd"), Err(Refusal::Scheme));
    }

    #[test]
    fn secrets_do_not_show_in_debug_output() {
        let endpoint = Endpoint::new("https://api.example.org").unwrap();
        let endpoint = endpoint.bearer(&Secret::new("canary")).unwrap();
        assert!(!format!("{endpoint:?}").contains("canary"));
        assert!(endpoint.headers.contains_key("authorization"));
    }
}

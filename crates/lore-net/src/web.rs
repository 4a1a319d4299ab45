//! Fetches pages whose URLs come from anybody.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use http::header::{ACCEPT, LOCATION};
use reqwest::Response;
use url::{Host, Url};

use crate::answer::{Answer, Failures, read};
use crate::error::{NetError, Refusal};
use crate::guard::{Guard, Realm, Unresolved};
use crate::limits::Limits;
use crate::network::Inner;

/// Fetches public pages. No headers of the caller, no cookies and no secrets are sent.
#[derive(Clone)]
pub struct Web {
    network: Arc<Inner>,
    guard: Guard,
}

/// The most redirects that are followed.
const MOST_REDIRECTS: usize = 5;
const WANTED: &str = "text/html,application/xhtml+xml,text/plain;q=0.9,*/*;q=0.5";

impl Web {
    pub(crate) fn new(network: Arc<Inner>) -> Self {
        let guard = network.guard(Realm::Web);
        Self { network, guard }
    }

    /// Validates a URL without any network traffic and returns its normalized form.
    pub fn check(&self, url: &str) -> Result<String, Refusal> {
        self.guard.parse(url).map(String::from)
    }

    /// Returns all IP addresses of a public host, for a program that connects by itself. It has to
    /// use these, because the name could resolve differently the next time.
    pub async fn addresses(&self, url: &str) -> Result<Vec<IpAddr>, NetError> {
        let url = self.guard.parse(url)?;
        let port = url.port_or_known_default().ok_or(Refusal::Port)?;
        let found = match url.host() {
            Some(Host::Ipv4(address)) => vec![address.into()],
            Some(Host::Ipv6(address)) => vec![address.into()],
            Some(Host::Domain(name)) => {
                let found = self.network.resolver.addresses(name).await;
                found.map_err(|_| NetError::Unresolved { host: host(&url) })?
            }
            None => return Err(Refusal::Malformed.into()),
        };
        if found.is_empty() {
            return Err(NetError::Unresolved { host: host(&url) });
        }
        let allowed = found.iter().all(|ip| self.guard.admits(SocketAddr::new(*ip, port)));
        if allowed { Ok(found) } else { Err(Refusal::NotPublic.into()) }
    }

    /// Fetches a page, following redirects to other public pages. An answer with an error status
    /// has no body.
    pub async fn get(&self, url: &str, limits: &Limits) -> Result<Answer, NetError> {
        let url = self.guard.parse(url)?;
        let host = host(&url);
        let work = async {
            // Acquiring never fails, because nobody closes the semaphore.
            let _slot = self.network.slots.acquire().await.ok();
            self.follow(url, limits).await
        };
        let late = |_| NetError::TimedOut { host, after: limits.total };
        tokio::time::timeout(limits.total, work).await.map_err(late)?
    }

    async fn follow(&self, mut url: Url, limits: &Limits) -> Result<Answer, NetError> {
        for _ in 0..=MOST_REDIRECTS {
            let response = self.ask(&url).await?;
            match redirect(&response) {
                Some(next) => url = self.guard.check(next?)?,
                None => return read(response, limits, Failures::Drop).await,
            }
        }
        Err(NetError::TooManyRedirects { host: host(&url) })
    }

    /// Each hop uses a client of its own, so that nothing is kept or shared between pages.
    async fn ask(&self, url: &Url) -> Result<Response, NetError> {
        let port = url.port_or_known_default().ok_or(Refusal::Port)?;
        let client = self.network.client(self.guard.clone(), port);
        let client = client.map_err(|_| NetError::Unreachable { host: host(url) })?;
        let request = client.get(url.clone()).header(ACCEPT, WANTED);
        request.send().await.map_err(|error| match within::<Unresolved>(&error) {
            Some(Unresolved) => NetError::Unresolved { host: host(url) },
            None => failure(&error, &host(url)),
        })
    }
}

/// Returns where a response redirects to, if it does.
pub(crate) fn redirect(response: &Response) -> Option<Result<Url, Refusal>> {
    if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
        return None;
    }
    let target = response.headers().get(LOCATION)?.to_str().map_err(|_| Refusal::Malformed);
    Some(target.and_then(|text| response.url().join(text).map_err(|_| Refusal::Malformed)))
}

/// Converts the error of a request without a response.
pub(crate) fn failure(error: &reqwest::Error, host: &str) -> NetError {
    let host = host.to_owned();
    if let Some(refusal) = within::<Refusal>(error) {
        return NetError::Refused(*refusal);
    }
    tracing::debug!(connect = error.is_connect(), "a request failed");
    if error.is_connect() { NetError::Unreachable { host } } else { NetError::Broken { host } }
}

/// Searches the source chain of an error. The guard runs inside name resolution, so its refusal
/// arrives wrapped.
fn within<E: std::error::Error + 'static>(error: &reqwest::Error) -> Option<&E> {
    let mut source = std::error::Error::source(error);
    while let Some(inner) = source {
        if let Some(word) = inner.downcast_ref::<E>() {
            return Some(word);
        }
        source = inner.source();
    }
    None
}

pub(crate) fn host(url: &Url) -> String {
    url.host_str().unwrap_or_default().to_owned()
}

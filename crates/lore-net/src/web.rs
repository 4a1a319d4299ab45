//! Pages whose addresses come from anybody.

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

/// Reads public pages. No header of the caller, no cookie and no secret goes out.
#[derive(Clone)]
pub struct Web {
    network: Arc<Inner>,
    guard: Guard,
}

/// Pages move, but not in circles.
const MOST_REDIRECTS: usize = 5;
const WANTED: &str = "text/html,application/xhtml+xml,text/plain;q=0.9,*/*;q=0.5";

impl Web {
    pub(crate) fn new(network: Arc<Inner>) -> Self {
        let guard = network.guard(Realm::Web);
        Self { network, guard }
    }

    /// Tests an address without any traffic, and gives its normal spelling.
    pub fn check(&self, url: &str) -> Result<String, Refusal> {
        self.guard.parse(url).map(String::from)
    }

    /// Every address of a public host, for a program that connects by itself: it has to
    /// use these, lest the name means something else when it looks.
    pub async fn addresses(&self, url: &str) -> Result<Vec<IpAddr>, NetError> {
        let url = self.guard.parse(url)?;
        let port = url.port_or_known_default().ok_or(Refusal::Port)?;
        let found = match url.host() {
            Some(Host::Ipv4(address)) => vec![address.into()],
            Some(Host::Ipv6(address)) => vec![address.into()],
            Some(Host::Domain(name)) => {
                let found = self.network.resolver.addresses(name).await;
                found.map_err(|_| NetError::Unreachable { host: host(&url) })?
            }
            None => return Err(Refusal::Malformed.into()),
        };
        if found.is_empty() {
            return Err(NetError::Unreachable { host: host(&url) });
        }
        let allowed = found.iter().all(|ip| self.guard.admits(SocketAddr::new(*ip, port)));
        if allowed { Ok(found) } else { Err(Refusal::NotPublic.into()) }
    }

    /// Reads a page, following redirects to other public pages. A bad status is an
    /// answer without a body.
    pub async fn get(&self, url: &str, limits: &Limits) -> Result<Answer, NetError> {
        let url = self.guard.parse(url)?;
        let host = host(&url);
        let work = async {
            // The permit is never refused: nobody closes the semaphore.
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

    /// Each hop gets a client of its own: nothing is kept or shared between pages.
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

/// Where a response sends its reader, if it does.
pub(crate) fn redirect(response: &Response) -> Option<Result<Url, Refusal>> {
    if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
        return None;
    }
    let target = response.headers().get(LOCATION)?.to_str().map_err(|_| Refusal::Malformed);
    Some(target.and_then(|text| response.url().join(text).map_err(|_| Refusal::Malformed)))
}

/// What became of a request that has no response.
pub(crate) fn failure(error: &reqwest::Error, host: &str) -> NetError {
    let host = host.to_owned();
    if let Some(refusal) = within::<Refusal>(error) {
        return NetError::Refused(*refusal);
    }
    tracing::debug!(host, connect = error.is_connect(), "a request failed");
    if error.is_connect() { NetError::Unreachable { host } } else { NetError::Broken { host } }
}

/// The guard speaks from inside the name look-up; its word arrives wrapped.
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

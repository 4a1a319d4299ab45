//! The network: combines the address rules, TLS and name resolution.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use lore_core::Effects;
use rustls::ClientConfig;
use tokio::sync::Semaphore;

use crate::api::{Api, Endpoint};
use crate::guard::{Exceptions, Guard, GuardedResolver, Realm};
use crate::resolver::{Resolver, SystemResolver};
use crate::tls;
use crate::web::Web;

/// Access to the network. There is one per process, created from the configuration.
#[derive(Clone)]
pub struct Network {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) effects: Effects,
    pub(crate) slots: Semaphore,
    exceptions: Arc<Exceptions>,
    pub(crate) resolver: Arc<dyn Resolver>,
    tls: ClientConfig,
    user_agent: String,
}

/// The configuration of network access. No request can change any of it.
pub struct Options {
    /// Ports from which pages may be fetched, in addition to 80 and 443.
    pub ports: Vec<u16>,
    /// Addresses that may be reached although they are not public, such as a web server on this
    /// machine in tests.
    pub reachable: Vec<SocketAddr>,
    /// The `User-Agent` header.
    pub user_agent: String,
    /// Resolves host names.
    pub resolver: Arc<dyn Resolver>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            ports: Vec::new(),
            reachable: Vec::new(),
            user_agent: concat!("lorewell/", env!("CARGO_PKG_VERSION")).to_owned(),
            resolver: Arc::new(SystemResolver),
        }
    }
}

/// Why the network could not be set up.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// TLS cannot be set up.
    #[error("encrypted connections cannot be set up: {0}")]
    Encryption(String),
    /// The HTTP client cannot be built.
    #[error("the HTTP client cannot be set up: {0}")]
    Client(String),
}

/// The most pages that are fetched at once; further requests wait.
const PAGES_AT_ONCE: usize = 16;
/// The longest time for opening a connection.
const CONNECT: Duration = Duration::from_secs(5);

impl Network {
    /// Sets up the network.
    pub fn new(effects: Effects, options: Options) -> Result<Self, SetupError> {
        let tls =
            tls::configuration().map_err(|error| SetupError::Encryption(error.to_string()))?;
        let Options { ports, reachable, user_agent, resolver } = options;
        let inner = Inner {
            effects,
            slots: Semaphore::new(PAGES_AT_ONCE),
            exceptions: Arc::new(Exceptions { ports, reachable }),
            resolver,
            tls,
            user_agent,
        };
        // A client that cannot be built is a problem of this machine, so report it now rather than
        // at the first request.
        inner.client(inner.guard(Realm::Web), 443)?;
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Returns a client for pages whose URLs come from anybody.
    pub fn web(&self) -> Web {
        Web::new(Arc::clone(&self.inner))
    }

    /// Returns a client for one configured service.
    pub fn api(&self, endpoint: Endpoint) -> Result<Api, SetupError> {
        Api::new(Arc::clone(&self.inner), endpoint)
    }
}

impl Inner {
    pub(crate) fn guard(&self, realm: Realm) -> Guard {
        Guard::new(realm, Arc::clone(&self.exceptions))
    }

    /// Returns a client whose connections all pass `guard`. It follows no redirects, uses no proxy,
    /// keeps no cookies and retries nothing, because each of these could bypass the guard or the
    /// limits.
    pub(crate) fn client(&self, guard: Guard, port: u16) -> Result<reqwest::Client, SetupError> {
        let resolver = GuardedResolver { resolver: Arc::clone(&self.resolver), guard, port };
        reqwest::Client::builder()
            .tls_backend_preconfigured(self.tls.clone())
            .dns_resolver(Arc::new(resolver))
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .no_proxy()
            .referer(false)
            .connect_timeout(CONNECT)
            .user_agent(&self.user_agent)
            .build()
            .map_err(|error| SetupError::Client(error.to_string()))
    }
}

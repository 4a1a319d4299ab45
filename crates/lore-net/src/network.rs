//! Where the rules, the trust and the name service come together.

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

/// The way out. One per process, made from the configuration.
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

/// What the configuration says about going out. No request can change any of it.
pub struct Options {
    /// Ports that pages may be read from besides 80 and 443.
    pub ports: Vec<u16>,
    /// Addresses that are reachable although they are not public: a page server
    /// on this machine, in tests and try-outs.
    pub reachable: Vec<SocketAddr>,
    /// Where this process listens itself: never read as a page.
    pub own: Vec<SocketAddr>,
    /// How we introduce ourselves.
    pub user_agent: String,
    /// Who looks names up.
    pub resolver: Arc<dyn Resolver>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            ports: Vec::new(),
            reachable: Vec::new(),
            own: Vec::new(),
            user_agent: concat!("lorewell/", env!("CARGO_PKG_VERSION")).to_owned(),
            resolver: Arc::new(SystemResolver),
        }
    }
}

/// Why there is no way out at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// Encrypted connections cannot be made.
    #[error("encrypted connections cannot be set up: {0}")]
    Encryption(String),
    /// The HTTP client cannot be made.
    #[error("the HTTP client cannot be set up: {0}")]
    Client(String),
}

/// Most pages being read at once; the others wait their turn.
const PAGES_AT_ONCE: usize = 16;
const CONNECT: Duration = Duration::from_secs(5);

impl Network {
    /// Sets the way out up.
    pub fn new(effects: Effects, options: Options) -> Result<Self, SetupError> {
        let tls =
            tls::configuration().map_err(|error| SetupError::Encryption(error.to_string()))?;
        let Options { ports, reachable, own, user_agent, resolver } = options;
        let inner = Inner {
            effects,
            slots: Semaphore::new(PAGES_AT_ONCE),
            exceptions: Arc::new(Exceptions { ports, reachable, own }),
            resolver,
            tls,
            user_agent,
        };
        // A client that cannot be built is a fault of this machine: better told now
        // than by the first request.
        inner.client(inner.guard(Realm::Web), 443)?;
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Reads pages whose addresses come from anybody.
    pub fn web(&self) -> Web {
        Web::new(Arc::clone(&self.inner))
    }

    /// Talks to one service of the configuration.
    pub fn api(&self, endpoint: Endpoint) -> Result<Api, SetupError> {
        Api::new(Arc::clone(&self.inner), endpoint)
    }
}

impl Inner {
    pub(crate) fn guard(&self, realm: Realm) -> Guard {
        Guard::new(realm, Arc::clone(&self.exceptions))
    }

    /// A client whose connections all pass `guard`. It follows no redirect, asks
    /// no proxy, keeps no cookie and repeats nothing: each would be a way around.
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

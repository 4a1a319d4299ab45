//! The rules about which targets may be reached. They are applied when a URL is parsed, when its
//! host name has been resolved, and at each redirect.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use reqwest::dns::{Name, Resolve, Resolving};
use url::{Host, Url};

use crate::address::{is_private_service, is_public};
use crate::error::Refusal;
use crate::resolver::Resolver;

/// Decides what a client may reach.
#[derive(Clone)]
pub(crate) struct Guard {
    realm: Realm,
    exceptions: Arc<Exceptions>,
}

/// Where a URL comes from, which decides where it may lead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Realm {
    /// From anybody: public addresses, ports of the web.
    Web,
    /// From the configuration, for a service on the public internet.
    PublicService,
    /// From the configuration, for a service on this machine or its network.
    PrivateService,
}

/// Exceptions from the rules, made by the configuration.
#[derive(Debug, Default)]
pub(crate) struct Exceptions {
    pub(crate) ports: Vec<u16>,
    pub(crate) reachable: Vec<SocketAddr>,
}

impl Guard {
    pub(crate) fn new(realm: Realm, exceptions: Arc<Exceptions>) -> Self {
        Self { realm, exceptions }
    }

    /// Parses a URL and checks everything that can be known without resolving the host name.
    pub(crate) fn parse(&self, text: &str) -> Result<Url, Refusal> {
        let url = Url::parse(text).map_err(|_| Refusal::Malformed)?;
        self.check(url)
    }

    /// Checks a parsed URL, such as the target of a redirect.
    pub(crate) fn check(&self, url: Url) -> Result<Url, Refusal> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(Refusal::Scheme);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(Refusal::Credentials);
        }
        let port = url.port_or_known_default().ok_or(Refusal::Port)?;
        if !self.allows_port(port) {
            return Err(Refusal::Port);
        }
        let allowed = match url.host().ok_or(Refusal::Malformed)? {
            Host::Ipv4(address) => self.admits(SocketAddr::new(address.into(), port)),
            Host::Ipv6(address) => self.admits(SocketAddr::new(address.into(), port)),
            Host::Domain(name) => self.allows_name(name),
        };
        if allowed { Ok(url) } else { Err(Refusal::NotPublic) }
    }

    /// Whether a connection to `address` may be opened.
    pub(crate) fn admits(&self, address: SocketAddr) -> bool {
        let by_rule = match self.realm {
            Realm::Web | Realm::PublicService => is_public(address.ip()),
            Realm::PrivateService => is_public(address.ip()) || is_private_service(address.ip()),
        };
        by_rule || self.exceptions.reachable.contains(&address)
    }

    fn allows_port(&self, port: u16) -> bool {
        let named = |address: &SocketAddr| address.port() == port;
        port != 0
            && (self.realm != Realm::Web
                || matches!(port, 80 | 443)
                || self.exceptions.ports.contains(&port)
                || self.exceptions.reachable.iter().any(named))
    }

    /// Whether a host name may be resolved. Names of this machine and its network are refused
    /// before any lookup, because the query itself would reveal something.
    fn allows_name(&self, name: &str) -> bool {
        if self.realm == Realm::PrivateService {
            return true;
        }
        let name = name.trim_end_matches('.').to_ascii_lowercase();
        let last = name.rsplit('.').next().unwrap_or_default();
        let looks_like_address = name.parse::<IpAddr>().is_ok();
        name.contains('.')
            && !looks_like_address
            && !LOCAL_DOMAINS.contains(&last)
            && !METADATA.contains(&name.as_str())
    }
}

/// Names of cloud metadata services that look public.
const METADATA: [&str; 2] = ["metadata.aws", "metadata.goog"];

/// Top-level domains that exist only inside networks.
const LOCAL_DOMAINS: [&str; 12] = [
    "localhost",
    "localdomain",
    "local",
    "internal",
    "intranet",
    "private",
    "corp",
    "home",
    "lan",
    "arpa",
    "onion",
    "alt",
];

/// Resolves host names for connections. It returns addresses only if all of them are allowed, so
/// the addresses that are connected to are the ones that were checked.
pub(crate) struct GuardedResolver {
    pub(crate) resolver: Arc<dyn Resolver>,
    pub(crate) guard: Guard,
    pub(crate) port: u16,
}

/// The host name could not be resolved.
#[derive(Debug, thiserror::Error)]
#[error("the name is not known")]
pub(crate) struct Unresolved;

impl Resolve for GuardedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let (resolver, guard, port) = (Arc::clone(&self.resolver), self.guard.clone(), self.port);
        Box::pin(async move {
            let found = resolver.addresses(name.as_str()).await.map_err(|_| Unresolved)?;
            let found: Vec<_> = found.into_iter().map(|ip| SocketAddr::new(ip, port)).collect();
            if found.is_empty() {
                return Err(Unresolved.into());
            }
            if !found.iter().all(|address| guard.admits(*address)) {
                return Err(Refusal::NotPublic.into());
            }
            Ok(Box::new(found.into_iter()) as Box<_>)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn web() -> Guard {
        Guard::new(Realm::Web, Arc::default())
    }

    #[test]
    fn pages_are_asked_for_on_the_webs_ports_only() {
        assert!(web().parse("https://example.org/").is_ok());
        assert!(web().parse("http://example.org:443/").is_ok());
        assert_eq!(web().parse("http://example.org:22/"), Err(Refusal::Port));
        let exceptions = Exceptions { ports: vec![8443], ..Exceptions::default() };
        let wider = Guard::new(Realm::Web, Arc::new(exceptions));
        assert!(wider.parse("https://example.org:8443/").is_ok());
    }

    #[test]
    fn an_exception_holds_for_one_address_and_port() {
        let reachable: SocketAddr = "127.0.0.1:9000".parse().unwrap();
        let exceptions = Exceptions { reachable: vec![reachable], ..Exceptions::default() };
        let guard = Guard::new(Realm::Web, Arc::new(exceptions));
        assert!(guard.parse("http://127.0.0.1:9000/").is_ok());
        assert_eq!(guard.parse("http://127.0.0.1:80/"), Err(Refusal::NotPublic));
        assert_eq!(guard.parse("http://127.0.0.2:9000/"), Err(Refusal::NotPublic));
    }
}

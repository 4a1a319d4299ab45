//! Which Host and Origin headers are welcome.
//!
//! A web page may make a browser talk to this server under a foreign name (DNS
//! rebinding) or from a foreign origin; both show in these headers.

use std::net::IpAddr;

use axum::http::{HeaderMap, Uri, header};

/// Names under which this server may be addressed.
#[derive(Debug, Clone, Default)]
pub struct AllowList {
    hosts: Vec<String>,
    origins: Vec<String>,
}

/// Names that always mean this machine.
const LOCAL_HOSTS: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

impl AllowList {
    /// Allows this machine's own names, and `hosts` and `origins` besides.
    pub fn new(hosts: Vec<String>, origins: Vec<String>) -> Self {
        let lower = |names: Vec<String>| -> Vec<String> {
            names.into_iter().map(|name| name.trim().to_ascii_lowercase()).collect()
        };
        Self { hosts: lower(hosts), origins: lower(origins) }
    }

    /// Whether a request with these headers may be served that reached this machine at the
    /// address `here`.
    pub(crate) fn admits(&self, uri: &Uri, headers: &HeaderMap, here: Option<IpAddr>) -> bool {
        self.admits_host(uri, headers, here) && self.admits_origin(headers)
    }

    fn admits_host(&self, uri: &Uri, headers: &HeaderMap, here: Option<IpAddr>) -> bool {
        // HTTP/2 names the host in the request line, and HTTP/1 may; then that counts, too.
        let target = uri.authority().map(axum::http::uri::Authority::as_str);
        let mut named = headers.get_all(header::HOST).iter();
        let host = match (named.next(), named.next()) {
            (Some(host), None) => host.to_str().ok(),
            (None, None) => target,
            _ => None,
        };
        let knows = |host: &str| self.knows_host(&host.to_ascii_lowercase(), here);
        host.is_some_and(knows) && target.is_none_or(knows)
    }

    fn knows_host(&self, authority: &str, here: Option<IpAddr>) -> bool {
        let name = without_port(authority);
        // No foreign name can be rebound to mean an address written out.
        let known = LOCAL_HOSTS.contains(&name)
            || here.is_some_and(|here| address(name) == Some(here))
            || self.hosts.iter().any(|host| host == authority || host == name);
        known && is_authority(authority)
    }

    fn admits_origin(&self, headers: &HeaderMap) -> bool {
        let mut origins = headers.get_all(header::ORIGIN).iter();
        let Some(origin) = origins.next() else { return true };
        if origins.next().is_some() {
            return false;
        }
        let Ok(origin) = origin.to_str() else { return false };
        let origin = origin.to_ascii_lowercase();
        let local = |scheme: &str| {
            let authority = origin.strip_prefix(scheme);
            authority.is_some_and(|authority| {
                is_authority(authority) && LOCAL_HOSTS.contains(&without_port(authority))
            })
        };
        local("http://") || local("https://") || self.origins.contains(&origin)
    }
}

/// Whether a request calls this machine by one of its own names.
pub(crate) fn names_this_machine(uri: &Uri, headers: &HeaderMap) -> bool {
    AllowList::new(Vec::new(), Vec::new()).admits_host(uri, headers, None)
}

fn address(name: &str) -> Option<IpAddr> {
    let bare = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(name);
    bare.parse().ok()
}

/// A host with an optional numeric port, nothing more.
fn is_authority(text: &str) -> bool {
    let rest = text.strip_prefix(without_port(text)).unwrap_or(text);
    rest.is_empty() || rest.strip_prefix(':').is_some_and(|port| port.parse::<u16>().is_ok())
}

fn without_port(authority: &str) -> &str {
    if let Some(end) = authority.find(']') {
        return authority.get(..=end).unwrap_or(authority);
    }
    authority.split(':').next().unwrap_or(authority)
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    fn admits(host: Option<&str>, origin: Option<&str>) -> bool {
        let list = AllowList::new(vec!["lore.example".into()], vec!["https://app.example".into()]);
        let mut headers = HeaderMap::new();
        for (name, value) in [(header::HOST, host), (header::ORIGIN, origin)] {
            if let Some(value) = value {
                headers.insert(name, HeaderValue::from_str(value).unwrap());
            }
        }
        list.admits(&Uri::from_static("/mcp"), &headers, None)
    }

    #[test]
    fn own_names_are_welcome_on_any_port() {
        for host in ["localhost", "LOCALHOST:8081", "127.0.0.1:3001", "[::1]", "[::1]:80"] {
            assert!(admits(Some(host), None), "{host}");
        }
        assert!(admits(Some("lore.example"), None) && admits(Some("lore.example:443"), None));
    }

    #[test]
    fn foreign_names_are_not() {
        let foreign = [
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil",
            "",
            "127.0.0.2",
            "localhost:80@evil.example",
            "localhost:evil.example",
            "[::1]evil.example",
        ];
        for host in foreign {
            assert!(!admits(Some(host), None), "{host}");
        }
        assert!(!admits(None, None));
    }

    #[test]
    fn the_address_that_was_reached_is_welcome_and_no_other() {
        let list = AllowList::default();
        let admits = |host: &'static str, here: &str| {
            let headers = HeaderMap::from_iter([(header::HOST, HeaderValue::from_static(host))]);
            list.admits(&Uri::from_static("/mcp"), &headers, here.parse().ok())
        };
        assert!(admits("192.0.2.7:8081", "192.0.2.7") && admits("[2001:db8::7]:80", "2001:db8::7"));
        assert!(!admits("192.0.2.8", "192.0.2.7") && !admits("192.0.2.7.evil", "192.0.2.7"));
    }

    #[test]
    fn the_target_must_be_ours_too() {
        let list = AllowList::default();
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, HeaderValue::from_static("localhost"));
        assert!(list.admits(&Uri::from_static("http://localhost:8081/mcp"), &headers, None));
        assert!(!list.admits(&Uri::from_static("http://evil.example/mcp"), &headers, None));
        assert!(!list.admits(
            &Uri::from_static("http://evil.example/mcp"),
            &HeaderMap::new(),
            None
        ));
    }

    #[test]
    fn origins_follow_the_same_rule() {
        for origin in ["http://localhost:6274", "http://127.0.0.1", "https://app.example"] {
            assert!(admits(Some("localhost"), Some(origin)), "{origin}");
        }
        let foreign = [
            "http://evil.example",
            "null",
            "http://localhost.evil.example",
            "file://",
            "http://localhost:80@evil.example",
            "https://app.example.evil",
            "",
        ];
        for origin in foreign {
            assert!(!admits(Some("localhost"), Some(origin)), "{origin}");
        }
    }
}

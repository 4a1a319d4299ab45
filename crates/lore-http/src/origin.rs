//! The allow list for Host and Origin headers.
//!
//! A web page can make a browser talk to this server under a foreign name (DNS rebinding) or from a
//! foreign origin. Both show in these headers.

use std::net::IpAddr;

use axum::http::{HeaderMap, HeaderValue, Uri, Version, header};

/// The host names under which this server may be addressed, and the origins that may use it.
#[derive(Debug, Clone, Default)]
pub struct AllowList {
    hosts: Vec<String>,
    origins: Vec<String>,
}

/// Why a name cannot be put on the allow list.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoName {
    /// It is not a valid host.
    #[error(
        "{0:?} is not a host to allow: write a name alone, such as lore.example or lore.example:8443"
    )]
    Host(String),
    /// It is not a valid origin.
    #[error(
        "{0:?} is not an origin to allow: write it as browsers do, such as https://app.example"
    )]
    Origin(String),
}

/// Names that always mean this machine.
const LOCAL_HOSTS: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

impl AllowList {
    /// Allows this machine's own names, and additionally `hosts` and `origins`.
    ///
    /// # Errors
    ///
    /// Fails when a name could never match what a browser sends, or would match too much.
    pub fn new(hosts: Vec<String>, origins: Vec<String>) -> Result<Self, NoName> {
        let lower = |names: Vec<String>| -> Vec<String> {
            names.into_iter().map(|name| name.trim().to_ascii_lowercase()).collect()
        };
        let list = Self { hosts: lower(hosts), origins: lower(origins) };
        if let Some(host) = list.hosts.iter().find(|host| !is_name(host)) {
            return Err(NoName::Host(host.clone()));
        }
        if let Some(origin) = list.origins.iter().find(|origin| !is_origin(origin)) {
            return Err(NoName::Origin(origin.clone()));
        }
        Ok(list)
    }

    /// The Origin header of a request, if that origin is on the configured list.
    pub(crate) fn granted(&self, headers: &HeaderMap) -> Option<HeaderValue> {
        let origin = headers.get(header::ORIGIN)?;
        let name = origin.to_str().ok()?.to_ascii_lowercase();
        self.origins.contains(&name).then(|| origin.clone())
    }

    /// Whether a request with these headers may be served, given the local address `here` at which
    /// it arrived.
    pub(crate) fn admits(&self, uri: &Uri, headers: &HeaderMap, here: Option<IpAddr>) -> bool {
        self.admits_host(uri, headers, here) && self.admits_origin(headers)
    }

    fn admits_host(&self, uri: &Uri, headers: &HeaderMap, here: Option<IpAddr>) -> bool {
        // HTTP/2 names the host in the request target, and HTTP/1 may do so too. If present, it
        // must be allowed as well.
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
        // A literal address cannot be the result of DNS rebinding.
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

/// Whether a request addresses this machine by one of its local names.
pub(crate) fn names_this_machine(uri: &Uri, headers: &HeaderMap) -> bool {
    AllowList::default().admits_host(uri, headers, None)
}

/// Headers by which a proxy says for whom it asks, besides those that begin with `x-forwarded-`.
const RELAYED: [&str; 3] = ["forwarded", "via", "x-real-ip"];

/// Whether a request looks as if a proxy passed it on for somebody else.
///
/// Proxies that rewrite `Host` may add no header at all. nginx does so unless it is told otherwise,
/// but then asks in HTTP/1.0 by default, which no MCP client speaks. A proxy that hides itself in
/// HTTP/1.1 cannot be told from a client.
pub(crate) fn is_relayed(version: Version, headers: &HeaderMap) -> bool {
    let tells = |name: &str| RELAYED.contains(&name) || name.starts_with("x-forwarded-");
    version < Version::HTTP_11 || headers.keys().any(|name| tells(name.as_str()))
}

fn address(name: &str) -> Option<IpAddr> {
    let bare = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(name);
    bare.parse().ok()
}

/// Whether a text is a host that a URL could contain, with an optional port.
fn is_name(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-._:[]".contains(c);
    !without_port(text).is_empty() && text.chars().all(plain) && is_authority(text)
}

/// Whether a text is a scheme and a host, without a path.
fn is_origin(text: &str) -> bool {
    let Some((scheme, host)) = text.split_once("://") else { return false };
    !scheme.is_empty()
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
        && is_name(host)
}

/// Whether a text is a host with an optional numeric port and nothing else.
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

    fn admits(host: Option<&str>, origin: Option<&str>) -> bool {
        let origins = vec!["https://app.example".into()];
        let list = AllowList::new(vec!["lore.example".into()], origins).unwrap();
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
    fn what_a_proxy_passes_on_shows() {
        let with = |name: &'static str| {
            let headers = HeaderMap::from_iter([
                (header::HOST, HeaderValue::from_static("127.0.0.1:8081")),
                (header::HeaderName::from_static(name), HeaderValue::from_static("x")),
            ]);
            is_relayed(Version::HTTP_11, &headers)
        };
        let telling = ["forwarded", "via", "x-real-ip", "x-forwarded-for", "x-forwarded-proto"];
        assert!(telling.into_iter().all(with));
        assert!(!["accept", "x-auth-token", "mcp-session-id"].into_iter().any(with));
        let plain = HeaderMap::new();
        assert!(is_relayed(Version::HTTP_10, &plain));
        assert!(!is_relayed(Version::HTTP_11, &plain) && !is_relayed(Version::HTTP_2, &plain));
    }

    #[test]
    fn names_that_cannot_match_or_match_all_are_refused() {
        for host in ["", "*", "http://x", "a b", "lore.example/", ":80"] {
            let list = AllowList::new(vec![host.into()], Vec::new());
            assert_eq!(list.unwrap_err(), NoName::Host(host.into()));
        }
        for origin in ["", "*", "app.example", "https://app.example/", "https://*.example"] {
            let list = AllowList::new(Vec::new(), vec![origin.into()]);
            assert_eq!(list.unwrap_err(), NoName::Origin(origin.into()));
        }
        for origin in ["https://app.example:8443", "http://[::1]:3000", "vscode-webview://abc"] {
            assert!(AllowList::new(Vec::new(), vec![origin.into()]).is_ok(), "{origin}");
        }
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

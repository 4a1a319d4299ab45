//! Resolves the address to listen on, and refuses to expose the server by accident.

use std::io;
use std::net::{IpAddr, SocketAddr};

/// Why the server will not listen on an address.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BindError {
    /// The address cannot be parsed or resolved.
    #[error("{address:?} is not an address to listen on: use HOST:PORT, such as 127.0.0.1:8081")]
    Unknown {
        /// The address as given.
        address: String,
    },
    /// Other machines could reach the server, and `--allow-remote` was not given.
    #[error(
        "{ip} can be reached from other machines: add --allow-remote if that is intended, or \
         listen on 127.0.0.1"
    )]
    Remote {
        /// The resolved address, so that every spelling of a wildcard shows as what it is.
        ip: IpAddr,
    },
    /// Other machines could reach the server and, without any token, would act as its owner.
    #[error(
        "{ip} can be reached from other machines, and there is no token yet: make one with \
         `lorewell token create --role owner --name NAME` first"
    )]
    NoToken {
        /// The resolved address.
        ip: IpAddr,
    },
}

/// Whether the server may listen on an address that other machines can reach.
#[derive(Debug, Clone, Copy)]
pub struct Remote {
    /// Whether the user allowed it.
    pub allowed: bool,
    /// Whether at least one token exists.
    pub has_token: bool,
}

/// Resolves `address` and refuses one that would expose the server by accident.
///
/// The resolved address decides, not its spelling: `0`, `0x0`, `[::]` and `[::ffff:0.0.0.0]` are
/// all the wildcard.
pub async fn resolve(address: &str, remote: Remote) -> Result<SocketAddr, BindError> {
    let unknown = || BindError::Unknown { address: address.to_owned() };
    let wanted = complete(address).ok_or_else(unknown)?;
    let mut found = lookup(&wanted).await.map_err(|_| unknown())?;
    // Prefer IPv4: clients that connect to "localhost" try it first.
    found.sort_by_key(SocketAddr::is_ipv6);
    let chosen = *found.first().ok_or_else(unknown)?;
    found.iter().try_for_each(|address| check(address.ip(), remote))?;
    Ok(chosen)
}

/// Refuses what [`resolve`] would refuse, as far as that is known without a DNS lookup.
pub fn check_address(address: &str, remote: Remote) -> Result<(), BindError> {
    let unknown = || BindError::Unknown { address: address.to_owned() };
    let wanted = complete(address).ok_or_else(unknown)?;
    wanted.parse::<SocketAddr>().map_or(Ok(()), |known| check(known.ip(), remote))
}

fn check(ip: IpAddr, remote: Remote) -> Result<(), BindError> {
    let plain = ip.to_canonical();
    if plain.is_loopback() {
        return Ok(());
    }
    match remote {
        Remote { allowed: false, .. } => Err(BindError::Remote { ip: plain }),
        Remote { has_token: false, .. } => Err(BindError::NoToken { ip: plain }),
        _ => Ok(()),
    }
}

/// Completes an address. A bare port listens on loopback; an empty host or `*` is the wildcard.
fn complete(address: &str) -> Option<String> {
    let address = address.trim();
    if address.parse::<u16>().is_ok() {
        return Some(format!("127.0.0.1:{address}"));
    }
    let (host, port) = address.rsplit_once(':')?;
    port.parse::<u16>().ok()?;
    match host {
        "" | "*" => Some(format!("0.0.0.0:{port}")),
        _ => Some(address.to_owned()),
    }
}

async fn lookup(address: &str) -> io::Result<Vec<SocketAddr>> {
    Ok(tokio::net::lookup_host(address).await?.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTHING: Remote = Remote { allowed: false, has_token: false };

    #[tokio::test]
    async fn every_spelling_of_the_wildcard_is_refused() {
        let spellings = [
            "0.0.0.0:1",
            "0:1",
            "0x0:1",
            "00:1",
            "0.0:1",
            ":1",
            "*:1",
            "[::]:1",
            "[::ffff:0.0.0.0]:1",
            "[::ffff:0:0]:1",
            "[0:0:0:0:0:0:0:0]:1",
            "000.000.000.000:1",
        ];
        for spelling in spellings {
            let refused = resolve(spelling, Remote { has_token: true, ..NOTHING }).await;
            assert!(
                matches!(refused, Err(BindError::Remote { .. } | BindError::Unknown { .. })),
                "{spelling}: {refused:?}"
            );
            let without_token = resolve(spelling, Remote { allowed: true, ..NOTHING }).await;
            assert!(without_token.is_err(), "{spelling}: {without_token:?}");
        }
    }

    #[tokio::test]
    async fn loopback_needs_nothing() {
        for address in ["127.0.0.1:0", "localhost:0", "[::1]:0", "0", "127.0.0.2:9"] {
            let resolved = resolve(address, NOTHING).await.unwrap();
            assert!(resolved.ip().to_canonical().is_loopback(), "{address}");
        }
    }

    #[tokio::test]
    async fn nonsense_is_named() {
        for address in ["", "localhost", "host:port", "127.0.0.1:99999"] {
            let error = resolve(address, NOTHING).await.unwrap_err();
            assert!(matches!(error, BindError::Unknown { .. }), "{address}: {error}");
        }
    }
}

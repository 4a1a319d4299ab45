//! Resolves host names to IP addresses.

use std::io;
use std::net::IpAddr;

use async_trait::async_trait;

/// Resolves host names. Tests use their own, to simulate a hostile name server.
#[async_trait]
pub trait Resolver: Send + Sync {
    /// Returns all addresses of `host`.
    async fn addresses(&self, host: &str) -> io::Result<Vec<IpAddr>>;
}

/// The resolver of the operating system.
#[derive(Debug, Clone, Copy)]
pub struct SystemResolver;

#[async_trait]
impl Resolver for SystemResolver {
    async fn addresses(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        let found = tokio::net::lookup_host((host, 0)).await?;
        Ok(found.map(|address| address.ip()).collect())
    }
}

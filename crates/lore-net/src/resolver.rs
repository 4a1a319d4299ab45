//! From names to addresses.

use std::io;
use std::net::IpAddr;

use async_trait::async_trait;

/// Looks names up. Tests bring their own, to play a hostile name server.
#[async_trait]
pub trait Resolver: Send + Sync {
    /// Every address of `host`.
    async fn addresses(&self, host: &str) -> io::Result<Vec<IpAddr>>;
}

/// The operating system's name service.
#[derive(Debug, Clone, Copy)]
pub struct SystemResolver;

#[async_trait]
impl Resolver for SystemResolver {
    async fn addresses(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        let found = tokio::net::lookup_host((host, 0)).await?;
        Ok(found.map(|address| address.ip()).collect())
    }
}

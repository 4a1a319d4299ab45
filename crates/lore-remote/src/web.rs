//! Fetches web pages through the guarded client of `lore-net`.

use std::net::{IpAddr, SocketAddr};
use std::sync::OnceLock;

use async_trait::async_trait;
use lore_app::knowledge::{Fetched, Form, Web};
use lore_core::{Effects, Error, Result};
use lore_net::{Limits, NetError, Network, Options};

/// The web, with the restrictions of `lore-net`. The client is created when the first page is
/// fetched, because most runs of the program never fetch one.
pub struct GuardedWeb {
    effects: Effects,
    allowed: Allowed,
    ready: OnceLock<lore_net::Web>,
}

/// What the configuration allows in addition to public pages. Requests cannot change it.
#[derive(Debug, Clone, Default)]
pub struct Allowed {
    /// Ports that pages may be read from, besides 80 and 443.
    pub ports: Vec<u16>,
    /// Addresses that may be read although they are not public.
    pub reachable: Vec<SocketAddr>,
}

impl GuardedWeb {
    /// A client for the public web and what `allowed` adds to it.
    pub fn new(effects: Effects, allowed: Allowed) -> Self {
        Self { effects, allowed, ready: OnceLock::new() }
    }

    fn web(&self) -> Result<&lore_net::Web> {
        if let Some(web) = self.ready.get() {
            return Ok(web);
        }
        let Allowed { ports, reachable } = self.allowed.clone();
        let options = Options { ports, reachable, ..Options::default() };
        let network = Network::new(self.effects.clone(), options)
            .map_err(|error| Error::Unavailable { what: format!("the web ({error})") })?;
        Ok(self.ready.get_or_init(|| network.web()))
    }
}

#[async_trait]
impl Web for GuardedWeb {
    fn check(&self, url: &str) -> Result<String> {
        self.web()?.check(url).map_err(|refusal| NetError::from(refusal).into())
    }

    async fn addresses(&self, url: &str) -> Result<Vec<IpAddr>> {
        Ok(self.web()?.addresses(url).await?)
    }

    async fn fetch(&self, url: &str) -> Result<Fetched> {
        let answer = self.web()?.get(url, &Limits::page()).await.map_err(unread)?;
        if !answer.is_success() {
            return Err(Error::Precondition {
                message: format!(
                    "Failed to fetch URL: it answered with status {}",
                    answer.status()
                ),
                hint: "check the address, or try later".into(),
            });
        }
        let html = answer.media_type().is_none_or(|kind| kind.contains("html"));
        let form = if html { Form::Html } else { Form::Plain };
        Ok(Fetched { url: answer.url().to_owned(), form, body: answer.text() })
    }
}

/// The error for a page that was not read. `TooLarge` is mapped here because its general hint, to
/// send less, does not fit somebody who only gave an address.
fn unread(error: NetError) -> Error {
    match error {
        NetError::TooLarge { .. } => Error::Precondition {
            message: format!("Failed to fetch URL: {error}"),
            hint: "give the address of a shorter page, or of a part of this one".into(),
        },
        other => other.into(),
    }
}

//! Carrying KOI-net messages.
//!
//! An address that our owner gave is called wherever it lies. One that came over the
//! network leads to the public internet or nowhere, unless the owner said that the
//! whole federation lives on a private network.

use std::collections::HashMap;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use http::HeaderValue;
use lore_app::federation::{Answer, Carrier, GivenBy, NodeRid, Unanswered};
use lore_core::{Error, Result};
use lore_net::{Api, Endpoint, Limits, Network, Reach, Retry};
use parking_lot::Mutex;
use serde_json::{Value, json};

/// How long a node has to say who it is: somebody waits at the command line.
const INTRODUCTION: Duration = Duration::from_secs(10);
/// Nodes whose connections are kept.
const KEPT: usize = 256;

/// Where other nodes may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whereabouts {
    /// On the public internet; elsewhere only by our owner's word.
    Public,
    /// On this machine or its network.
    PrivateNetwork,
}

/// A carrier over HTTP.
pub struct HttpCarrier {
    network: Network,
    whereabouts: Whereabouts,
    apis: Mutex<HashMap<(String, bool), Api>>,
}

impl HttpCarrier {
    /// A carrier that goes out through `network`.
    pub fn new(network: Network, whereabouts: Whereabouts) -> Self {
        Self { network, whereabouts, apis: Mutex::default() }
    }

    /// Asks a node at an address the owner gave who it is: by its health report, which some
    /// show to their own people only, else by a handshake, to which we say who we are. Not
    /// every kind of node tells.
    pub async fn node_at(&self, url: &str, introduction: Option<&Value>) -> Result<NodeRid> {
        let silent = || Error::Precondition {
            message: format!("the node at {url} does not say who it is"),
            hint: "give its RID with --rid; its owner finds it in the node's configuration".into(),
        };
        let api = self.api(url, GivenBy::Owner)?;
        let limits = Limits { total: INTRODUCTION, ..Limits::service() };
        let asked = api.get(["health"]).limits(limits.clone()).retry(Retry::never()).send();
        let answer = asked.await.map_err(Error::from)?;
        if let Some(rid) = named_in(answer.bytes(), "/node/node_rid") {
            return Ok(rid);
        }
        let profile = introduction.ok_or_else(silent)?;
        let handshake = json!({ "type": "handshake", "profile": profile });
        let call = api.post(["handshake"]).json(&handshake);
        let answer = call.limits(limits).retry(Retry::never()).send().await.map_err(Error::from)?;
        named_in(answer.bytes(), "/profile/node_rid").ok_or_else(silent)
    }

    fn api(&self, url: &str, given_by: GivenBy) -> Result<Api> {
        let trusted = given_by == GivenBy::Owner || self.whereabouts == Whereabouts::PrivateNetwork;
        let key = (url.to_owned(), trusted);
        if let Some(api) = self.apis.lock().get(&key) {
            return Ok(api.clone());
        }
        let refused = |problem: String| Error::invalid("url", problem, "give http:// or https://");
        let endpoint = Endpoint::new(&base_of(url)).map_err(|error| refused(error.to_string()))?;
        let endpoint = match (self.whereabouts, endpoint.reach()) {
            (Whereabouts::PrivateNetwork, _) => endpoint.on_private_network(),
            (Whereabouts::Public, Reach::PrivateNetwork) if !trusted => {
                return Err(refused("does not lead to the public internet".into()));
            }
            (Whereabouts::Public, _) => endpoint,
        };
        let api = self.network.api(endpoint);
        let api = api.map_err(|error| Error::Unavailable { what: error.to_string() })?;
        let mut apis = self.apis.lock();
        if apis.len() >= KEPT {
            apis.clear();
        }
        apis.insert(key, api.clone());
        Ok(api)
    }
}

#[async_trait]
impl Carrier for HttpCarrier {
    async fn post(
        &self,
        url: &str,
        given_by: GivenBy,
        path: &str,
        body: String,
    ) -> std::result::Result<Answer, Unanswered> {
        let api = self.api(url, given_by).map_err(|_| Unanswered)?;
        let json = HeaderValue::from_static("application/json");
        let call = api.post(path.split('/').filter(|part| !part.is_empty()));
        // The node itself knows when to say something again.
        let sent = call.body(json, Bytes::from(body)).retry(Retry::never()).send().await;
        let answer = sent.map_err(|_| Unanswered)?;
        Ok(Answer { status: answer.status(), body: answer.bytes().to_vec() })
    }
}

/// The RID at a place of a JSON answer.
fn named_in(answer: &[u8], place: &str) -> Option<NodeRid> {
    let report: Value = serde_json::from_slice(answer).ok()?;
    NodeRid::parse(report.pointer(place)?.as_str()?).ok()
}

/// Most nodes name an address that ends in /koi-net; some name only their host, and
/// are to be found below it all the same.
fn base_of(url: &str) -> String {
    let url = url.trim().trim_end_matches('/');
    let after_scheme = url.split_once("://").map_or(url, |(_, rest)| rest);
    if after_scheme.contains('/') { url.to_owned() } else { format!("{url}/koi-net") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_habits_lead_to_the_same_place() {
        for url in ["http://h:1", "http://h:1/", "http://h:1/koi-net", "http://h:1/koi-net/"] {
            assert_eq!(base_of(url), "http://h:1/koi-net");
        }
        assert_eq!(base_of("https://h/nodes/a"), "https://h/nodes/a");
    }

    #[tokio::test]
    async fn strangers_cannot_send_us_to_our_own_network() {
        let network =
            Network::new(lore_core::Effects::system(), lore_net::Options::default()).unwrap();
        let carrier = HttpCarrier::new(network.clone(), Whereabouts::Public);
        for url in ["http://127.0.0.1:1/koi-net", "http://localhost:1", "http://10.0.0.1/koi-net"] {
            assert!(carrier.api(url, GivenBy::Network).is_err(), "{url}");
            assert!(carrier.api(url, GivenBy::Owner).is_ok(), "{url}");
        }
        let inside = HttpCarrier::new(network, Whereabouts::PrivateNetwork);
        assert!(inside.api("http://127.0.0.1:1/koi-net", GivenBy::Network).is_ok());
    }
}

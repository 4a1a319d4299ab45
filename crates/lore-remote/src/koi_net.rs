//! The HTTP transport for KOI-net messages.
//!
//! An address that the owner configured is called wherever it leads. An address learned from the
//! network must be on the public internet, unless the owner said that the whole federation is on a
//! private network.

use std::collections::HashMap;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use http::HeaderValue;
use lore_app::federation::{Answer, Carrier, GivenBy, NodeRid, Unanswered};
use lore_core::{Error, Result};
use lore_net::{Api, Endpoint, Limits, NetError, Network, Reach, Retry};
use parking_lot::Mutex;
use serde_json::{Value, json};

/// How long a node may take to identify itself; somebody is waiting at the command line.
const INTRODUCTION: Duration = Duration::from_secs(10);
/// Most nodes whose connections are kept open.
const KEPT: usize = 256;

/// Where addresses learned from other nodes may lead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whereabouts {
    /// The public internet only. Addresses from the owner may lead anywhere.
    Public,
    /// This machine or its private network as well.
    PrivateNetwork,
}

/// Sends KOI-net messages over HTTP.
pub struct HttpCarrier {
    network: Network,
    whereabouts: Whereabouts,
    apis: Mutex<HashMap<(String, bool), Api>>,
}

impl HttpCarrier {
    /// A transport that sends through `network`.
    pub fn new(network: Network, whereabouts: Whereabouts) -> Self {
        Self { network, whereabouts, apis: Mutex::default() }
    }

    /// Asks the node at an address given by the owner for its RID. First its health report is
    /// tried, which some nodes show to their own users only; then a handshake with our
    /// `introduction`. Not every kind of node answers either.
    pub async fn node_at(&self, url: &str, introduction: Option<&Value>) -> Result<NodeRid> {
        let silent = || Error::Precondition {
            message: format!("the node at {url} does not say who it is"),
            hint: "give its RID with --rid; its owner finds it in the node's configuration".into(),
        };
        let api = self.api(url, GivenBy::Owner)?;
        let limits = Limits { total: INTRODUCTION, ..Limits::service() };
        let asked = api.get(["health"]).limits(limits.clone()).retry(Retry::never()).send();
        let answer = asked.await.map_err(unanswered)?;
        if let Some(rid) = named_in(answer.bytes(), "/node/node_rid") {
            return Ok(rid);
        }
        let profile = introduction.ok_or_else(silent)?;
        let handshake = json!({ "type": "handshake", "profile": profile });
        let call = api.post(["handshake"]).json(&handshake);
        let answer = call.limits(limits).retry(Retry::never()).send().await.map_err(unanswered)?;
        named_in(answer.bytes(), "/profile/node_rid").ok_or_else(silent)
    }

    fn api(&self, url: &str, given_by: GivenBy) -> Result<Api> {
        let trusted = given_by == GivenBy::Owner || self.whereabouts == Whereabouts::PrivateNetwork;
        let key = (url.to_owned(), trusted);
        if let Some(api) = self.apis.lock().get(&key) {
            return Ok(api.clone());
        }
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
        // No retries here: the node decides when to send a message again.
        let sent = call.body(json, Bytes::from(body)).retry(Retry::never()).send().await;
        let answer = sent.map_err(|_| Unanswered)?;
        Ok(Answer { status: answer.status(), body: answer.bytes().to_vec() })
    }
}

/// The error for an address of a node that cannot be used.
fn refused(problem: String) -> Error {
    Error::invalid("url", problem, "give the http:// or https:// address of a node")
}

/// The error for a node that the owner gave the address of and that did not answer.
fn unanswered(error: NetError) -> Error {
    match error {
        NetError::Refused(refusal) => refused(refusal.to_string()),
        other => Error::Unavailable { what: format!("the node ({other})") },
    }
}

/// Reads the RID at a JSON pointer of an answer.
fn named_in(answer: &[u8], place: &str) -> Option<NodeRid> {
    let report: Value = serde_json::from_slice(answer).ok()?;
    NodeRid::parse(report.pointer(place)?.as_str()?).ok()
}

/// Returns the base address of a node. Most nodes give one that ends in `/koi-net`; for those that
/// give only their host, `/koi-net` is appended.
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

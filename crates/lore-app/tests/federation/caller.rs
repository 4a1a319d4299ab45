//! A KOI-net node without a server, whose requests are built by hand.

use lore_app::federation::{DOCUMENT_TYPE, ENTITY_TYPE, Endpoint, NodeRid};
use lore_core::effects::FixedEntropy;
use lore_koinet::{
    Contents, Event, EventType, EventsPayload, FetchBundles, FetchRids, KeyPair, seal,
};
use serde_json::{Value, json};

use crate::place::Place;

/// A node that sends requests but receives none.
pub(crate) struct Caller {
    pub(crate) key: KeyPair,
    pub(crate) rid: NodeRid,
    pub(crate) chance: FixedEntropy,
}

impl Caller {
    /// Creates the node and introduces it to a place.
    pub(crate) async fn new(place: &Place) -> Self {
        let chance = FixedEntropy::new(77);
        let key = KeyPair::generate(&chance);
        let rid = key.node_rid("caller").unwrap();
        let caller = Self { key, rid, chance };
        let profile = json!({"node_type": "PARTIAL", "public_key": caller.key.public().as_str()});
        let edge = json!({"source": place.node.rid().await, "target": caller.rid,
            "edge_type": "POLL", "status": "PROPOSED", "rid_types": [ENTITY_TYPE, DOCUMENT_TYPE]});
        let edge_rid = lore_koinet::Rid::of_edge(&place.node.rid().await, &caller.rid);
        let events =
            [(caller.rid.rid().clone(), profile), (edge_rid, edge)].map(|(rid, contents)| {
                let contents = Contents::parse(&contents.to_string()).unwrap();
                let manifest = lore_koinet::Manifest {
                    rid,
                    timestamp: place.app.effects.now().into(),
                    sha256_hash: contents.hash(),
                    context: None,
                };
                Event::about(lore_koinet::Bundle { manifest, contents }, EventType::New)
            });
        caller.ask(place, Endpoint::Broadcast, &EventsPayload::new(events.to_vec())).await;
        caller
    }

    pub(crate) async fn ask(
        &self,
        place: &Place,
        endpoint: Endpoint,
        payload: &impl serde::Serialize,
    ) -> Value {
        let target = place.node.rid().await;
        let body = seal(&self.key, &self.rid, &target, payload, &self.chance).unwrap();
        let answer = place.node.receive(endpoint, body.as_bytes()).await.unwrap();
        assert_eq!(answer.status, 200, "{}", answer.body);
        let reply: Value = serde_json::from_str(&answer.body).unwrap();
        reply["payload"].clone()
    }

    /// Returns the contents of a resource as they are given out now, and whether it is listed.
    pub(crate) async fn sees(&self, place: &Place, rid: &str) -> (String, bool) {
        let rid = lore_koinet::Rid::parse(rid).unwrap();
        let question = FetchBundles::new(vec![rid.clone()]);
        let reply = self.ask(place, Endpoint::Bundles, &question).await;
        let found = reply["bundles"][0]["contents"].clone();
        assert_eq!(found.is_null(), reply["not_found"] == json!([rid]), "{reply}");
        let listed = self.ask(place, Endpoint::Rids, &FetchRids::default()).await;
        let listed = listed["rids"].as_array().unwrap().contains(&json!(rid));
        (if found.is_null() { String::new() } else { found.to_string() }, listed)
    }
}

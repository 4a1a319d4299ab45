//! The unsigned handshake that some nodes begin with. It proves nothing, so its only effect is to
//! exchange public keys; every later message is signed.

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Fault, Node, Standing, Write};
use crate::key::PublicKey;
use crate::object::object;
use crate::profile::NodeProfile;
use crate::rid::NodeRid;

#[derive(Deserialize)]
#[serde(remote = "Self")]
struct Handshake {
    profile: Value,
}

object!(read Handshake);

#[derive(Deserialize)]
#[serde(remote = "Self")]
struct Named {
    node_rid: NodeRid,
}

object!(read Named);

impl Node {
    /// Handles a handshake. The reply says who we are and whether we accepted the other node.
    pub fn handshake(
        &mut self,
        body: &[u8],
        now: Timestamp,
    ) -> Result<(Vec<Write>, String), Fault> {
        let malformed = |error: serde_json::Error| Fault::Malformed(error.to_string());
        let Handshake { profile } = serde_json::from_slice(body).map_err(malformed)?;
        let Named { node_rid } = Named::deserialize(&profile).map_err(malformed)?;
        let profile = NodeProfile::deserialize(&profile).map_err(malformed)?;
        let key = profile.public_key.as_deref().and_then(PublicKey::parse);
        if !key.is_some_and(|key| key.belongs_to(&node_rid)) {
            return Err(Fault::InvalidKey);
        }
        let known = self.peers.get(&node_rid);
        let is_unwanted =
            known.is_some_and(|peer| peer.standing == Standing::Forgotten) || node_rid == self.me;
        let mut writes = Vec::new();
        if known.is_none() && !is_unwanted {
            self.make_room_for(&node_rid, &profile, now).map_err(|_| Fault::Crowded)?;
            let peer = self.peer_entry(&node_rid, Standing::Met);
            peer.profile = Some(profile);
            peer.last_seen = Some(now.into());
            writes.extend(self.peer_write(&node_rid));
        }
        let accepted = !is_unwanted && self.peers.contains_key(&node_rid);
        let reply = json!({
            "type": "handshake_response",
            "profile": self.introduction(),
            "accepted": accepted,
        });
        Ok((writes, reply.to_string()))
    }

    /// Returns our description, as used in the handshake and the health report.
    pub fn introduction(&self) -> Value {
        json!({
            "node_rid": self.me,
            "node_name": self.me.name(),
            "node_type": self.profile.node_type,
            "base_url": self.profile.base_url,
            "provides": self.profile.provides,
            "public_key": self.profile.public_key,
        })
    }
}

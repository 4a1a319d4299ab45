//! The status report of a node, in the format of the KOI-net health endpoint.

use lore_core::{Result, Timestamp, Viewer};
use lore_koinet::node::{Endpoint, Node, PeerStatus, Standing, Status};
use lore_koinet::{EdgeStatus, NodeKind, NodeProfile};
use serde_json::{Value, json};
use std::sync::Arc;

use super::keeper::{Keeper, find_root};
use super::service::Config;
use crate::App;

/// URI and version of the ontology that defines the entity types.
const ONTOLOGY: (&str, &str) = ("http://bkc.regen.network/ontology", "1.0.0");
/// Endpoints that are not part of the core protocol.
const EXTENSIONS: [&str; 3] = ["/handshake", "/events/confirm", "/health"];

/// Returns the health report of a node.
pub fn health(status: &Status, now: Timestamp) -> Value {
    let active = |peer: &&PeerStatus| peer.kind.is_some() && peer.standing != Standing::Forgotten;
    let mut node = introduction(status);
    let ontology = [("ontology_uri", ONTOLOGY.0), ("ontology_version", ONTOLOGY.1)];
    if let Some(fields) = node.as_object_mut() {
        fields.extend(ontology.map(|(name, value)| (name.to_owned(), json!(value))));
    }
    json!({
        "status": "healthy",
        "node": node,
        "peers": status.peers.iter().filter(active).map(peer).collect::<Vec<_>>(),
        "event_queue_size": status.queue,
        "pipeline_enabled": true,
        "shared": status.shared,
        "federated": status.foreign,
        "refused_events": status.refused.iter().copied().collect::<std::collections::BTreeMap<_, _>>(),
        "protocol": protocol(),
        "timestamp": now.to_string(),
    })
}

/// Returns what a node tells others about itself.
pub fn introduction(status: &Status) -> Value {
    json!({
        "node_rid": status.rid,
        "node_name": status.rid.name(),
        "node_type": status.profile.node_type,
        "base_url": status.profile.base_url,
        "provides": status.profile.provides,
        "public_key": status.profile.public_key,
    })
}

/// Returns the health report for the viewer's world, which may not have a node.
pub async fn report(app: &App, viewer: &Viewer) -> Value {
    match app.federation.get() {
        Some(node) => node.health(viewer.world).await,
        None => disabled(
            "this server is not a KOI-net node; start it with `lorewell serve --federation`",
            app.effects.now(),
        ),
    }
}

/// Returns the health report if there is no node.
pub fn disabled(message: &str, now: Timestamp) -> Value {
    json!({
        "status": "disabled",
        "message": message,
        "node": null,
        "peers": [],
        "event_queue_size": 0,
        "pipeline_enabled": false,
        "protocol": protocol(),
        "timestamp": now.to_string(),
    })
}

/// Returns the stored status of a world's node, for a process that does not run it. `None` if the
/// world never had a node.
pub async fn stored_status(
    app: &Arc<App>,
    viewer: Viewer,
    config: &Config,
) -> Result<Option<Status>> {
    if find_root(app, &viewer).await?.is_none() {
        return Ok(None);
    }
    let (keeper, records) = Keeper::open(Arc::clone(app), viewer).await?;
    let entropy = Arc::clone(&app.effects.entropy);
    let (key, mut settings) = (config.key.clone(), config.settings.clone());
    let now = app.effects.now();
    // Only the running node knows its address; a different one here would count as a change.
    let kept = kept_profile(&keeper, config).await?;
    if let Some(address) = kept.and_then(|profile| profile.base_url) {
        settings.base_url = Some(address);
    }
    let restored = Node::restore(key, &config.name, settings, records, entropy, now);
    let (node, _) = restored.map_err(|error| {
        lore_core::Error::invalid("federation", error.to_string(), "correct it in lorewell.toml")
    })?;
    Ok(Some(node.status()))
}

/// Returns the profile that the node last stored.
async fn kept_profile(keeper: &Keeper, config: &Config) -> Result<Option<NodeProfile>> {
    let Ok(me) = config.key.node_rid(&config.name) else { return Ok(None) };
    let kept = keeper.contents(std::slice::from_ref(me.rid())).await?;
    Ok(kept.get(me.rid()).and_then(NodeProfile::read))
}

/// Returns the checks every message has to pass. None of them can be turned off.
fn protocol() -> Value {
    json!({
        "strict_mode": true,
        "require_signed_envelopes": true,
        "enforce_target_match": true,
        "enforce_source_key_rid_binding": true,
        "core_endpoints": Endpoint::CORE.map(Endpoint::path),
        "extensions": EXTENSIONS,
    })
}

fn peer(peer: &PeerStatus) -> Value {
    json!({
        "node_rid": peer.rid,
        "node_name": peer.rid.name(),
        "node_type": peer.kind.map(|kind| match kind {
            NodeKind::Full => "FULL",
            NodeKind::Partial => "PARTIAL",
        }),
        "last_seen": peer.last_seen.map(|moment| moment.to_string()),
        "connected_by": match peer.standing {
            Standing::Connected => "owner",
            Standing::Met | Standing::Forgotten => "itself",
            Standing::Heard(_) => "another node",
        },
        "our_subscription": peer.ours.map(edge),
        "their_subscription": peer.theirs.map(edge),
        "queued_events": peer.queue,
        "things": peer.things,
        "failed_calls": peer.failures,
    })
}

fn edge(status: EdgeStatus) -> &'static str {
    match status {
        EdgeStatus::Proposed => "proposed",
        EdgeStatus::Approved => "approved",
    }
}

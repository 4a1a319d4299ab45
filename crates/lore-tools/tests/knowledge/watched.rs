//! Monitored pages: whose they are, and what becomes of a change.

use lore_app::access::{Identity, enter};
use lore_app::knowledge::keep_watching;
use lore_core::{Role, Viewer};
use lore_store::{Batch, Change, Expect, NodePatch, NodeQuery, NodeRef, Origin};
use serde_json::{Value, json};

use crate::following::until;
use crate::place::bearer;
use crate::world::{ARTICLE, World};

const URL: &str = "https://example.org/herring";

impl World {
    fn put(&self, html: String) {
        self.pages.0.lock().unwrap().insert(URL.into(), html);
    }

    async fn watch(&self, viewer: Viewer) {
        self.call_as(viewer, "monitor_url", json!({ "action": "add", "url": URL })).await;
    }

    async fn source(&self, viewer: Viewer) -> Value {
        let status = self.call_as(viewer, "monitor_url", json!({})).await;
        assert_eq!(status["monitored_urls"], 1, "{status}");
        status["sources"][0].clone()
    }
}

#[tokio::test]
async fn pages_are_checked_for_whoever_watches_them() {
    let world = World::new().await;
    world.put(ARTICLE.to_owned());
    let player = world.player().await;
    let second = bearer(&world.app, &world.owner, "Gwen", Role::Gm).await;
    let second = enter(&world.app, second, None).await.unwrap();
    let origin = Origin::new("test", "1".to_owned());
    let (uid, now) = (world.app.effects.uid(), world.app.effects.now());
    let name = "Hers".to_owned();
    let hers =
        world.app.store.create_world(player.principal, uid, name, origin, now).await.unwrap();
    let hers = Viewer { world: hers.id, role: Role::Owner, ..player };
    for viewer in [world.owner, player, hers] {
        world.watch(viewer).await;
    }
    world.put(ARTICLE.replace("eleven days", "a fortnight"));
    let watching = tokio::spawn(keep_watching(world.app.clone()));
    world.post("web/monitor/scan", json!({})).await;
    for viewer in [world.owner, second, player, hers] {
        let is_noticed = async || world.source(viewer).await["changed_at"].is_string();
        until("the change is noticed", is_noticed).await;
    }
    watching.abort();
    // Who may no longer be here has nothing checked.
    let everybody = world.app.store.everybody().await.unwrap();
    assert!(everybody.contains(&player));
    assert!(enter(&world.app, Identity::LOCAL, Some("Hers")).await.is_err());
}

#[tokio::test]
async fn a_change_that_could_not_be_kept_is_found_again_and_judgements_stay() {
    let world = World::new().await;
    world.put(ARTICLE.to_owned());
    world.watch(world.owner).await;
    world.call("preview_url", json!({ "url": URL })).await;
    let judged = json!({
        "url": URL, "decision": "ingest", "relevance_score": 0.8,
        "relevance_reasoning": "It counts fish.", "bioregional_tags": ["herring", "[[bay]]"],
    });
    world.post("web/evaluate", judged).await;
    let taken = world.call("ingest_url", json!({ "url": URL })).await;
    let path = taken["vault_note_path"].as_str().unwrap().to_owned();
    let vault = world.directory.path().join("vault");
    let note = || std::fs::read_to_string(vault.join(&path)).unwrap();
    assert!(
        note().contains("relevanceScore: 0.8\ntags: [\"herring\", \"[ [bay] ]\"]"),
        "{}",
        note()
    );

    let before = world.source(world.owner).await;
    let aside = world.directory.path().join("aside");
    std::fs::rename(&vault, &aside).unwrap();
    world.put(ARTICLE.replace(">Herring<", ">Quokkas<").replace("eleven days", "nine days"));
    let watching = tokio::spawn(keep_watching(world.app.clone()));
    let source = async || world.source(world.owner).await;
    world.post("web/monitor/scan", json!({})).await;
    until("it is counted", async || source().await["failures"] == 1).await;
    assert_eq!(source().await["content_hash"], before["content_hash"]);
    std::fs::rename(&aside, &vault).unwrap();
    world.post("web/monitor/scan", json!({})).await;
    until("it is kept", async || source().await["failures"] == 0).await;
    assert!(note().contains("# Quokkas"), "{}", note());
    let after = source().await;
    assert!(after["changed_at"].is_string() && after["content_hash"] != before["content_hash"]);
    assert_eq!(
        after["evaluation"],
        json!({
            "relevance_score": 0.8, "relevance_reasoning": "It counts fish.",
            "bioregional_tags": ["herring", "[[bay]]"],
        })
    );
    watching.abort();
}

#[tokio::test]
async fn a_page_that_an_older_version_watched_is_watched_again_when_it_is_added() {
    let world = World::new().await;
    world.put(ARTICLE.to_owned());
    world.watch(world.owner).await;
    let listed = NodeQuery { subtype: Some("watched".to_owned()), ..NodeQuery::default() };
    let mut found = world.app.store.find_nodes(&world.owner, listed).await.unwrap().items;
    let node = found.remove(0);
    let mut properties = node.properties;
    properties.shift_remove("watched");
    let patch =
        NodePatch { subtype: Some(None), properties: Some(properties), ..NodePatch::default() };
    let unmarked = Change::UpdateNode(NodeRef::Uid(node.uid), Expect::Any, patch);
    let batch =
        Batch::new(Origin::new("test", "1".to_owned()), world.app.effects.now()).change(unmarked);
    world.app.store.commit(&world.owner, batch).await.unwrap();
    let status = world.call("monitor_url", json!({})).await;
    assert_eq!(status["monitored_urls"], 0);
    let add = json!({ "action": "add", "url": URL });
    let added = world.call("monitor_url", add).await;
    assert_eq!(added["status"], "already_monitoring");
    assert_eq!(world.source(world.owner).await["url"], URL);
}

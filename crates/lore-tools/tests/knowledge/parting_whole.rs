//! An unmerge happens as a whole or not at all, and what it leaves to do is done later.

use lore_core::{Node, Uid};
use lore_store::{Batch, Change, Expect, NodePatch, NodeRef, Origin};
use serde_json::{Value, json};

use crate::world::World;

impl World {
    /// Returns the details of the batches in the audit log after an entry, oldest first.
    async fn done_since(&self, before: i64) -> Vec<String> {
        let entries = self.app.store.audit(&self.owner, None, 100).await.unwrap();
        let later = entries.into_iter().rev().filter(|entry| entry.id > before);
        later.map(|entry| entry.detail).collect()
    }

    async fn last_done(&self) -> i64 {
        self.app.store.audit(&self.owner, None, 1).await.unwrap()[0].id
    }

    async fn merge(&self, from: &str, into: &str) {
        self.post("entity/merge", json!({ "from_uri": from, "into_uri": into })).await;
    }

    pub(crate) async fn commit(&self, changes: Vec<Change>) {
        let origin = Origin::new("test", "test");
        let batch = Batch { changes, ..Batch::new(origin, self.app.effects.now()) };
        self.app.store.commit(&self.owner, batch).await.unwrap();
    }
}

#[tokio::test]
async fn a_merge_is_one_batch_and_so_is_a_parting() {
    let world = World::new().await;
    let (nora, eleanor, otto, ada) = (
        world.register("Nora Pike", "Person").await,
        world.register("Eleanor Vance", "Person").await,
        world.register("Otto Krug", "Person").await,
        world.register("Ada Holt", "Person").await,
    );
    let told = |subject: &str, object: &str| {
        let told = json!({ "subject": subject, "predicate": "knows", "object": object });
        json!({ "document_rid": format!("doc:{object}"), "relationships": [told],
            "entities": [{ "name": subject, "type": "Person" }] })
    };
    world.post("ingest", told("Otto Krug", "Eleanor Vance")).await;
    let before = world.last_done().await;
    world.merge(&nora, &eleanor).await;
    assert_eq!(world.done_since(before).await.len(), 1);
    world.merge(&otto, &nora).await;
    world.post("ingest", told("Otto Krug", "Ada Holt")).await;
    world.post("ingest", told("Nora Pike", "Ada Holt")).await;

    let before = world.last_done().await;
    world.post("entity/unmerge", json!({ "uri": nora })).await;
    let done = world.done_since(before).await;
    assert_eq!(done.len(), 2, "{done:#?}");
    assert!(done[0].contains("restore_node") && done[0].contains("put_edge"), "{}", done[0]);
    assert_eq!(done[1].matches("\"op\"").count(), 1, "{}", done[1]);
    assert!(done[1].contains("update_node"), "{}", done[1]);

    let around = ["Ada Holt knows Nora Pike", "Eleanor Vance knows Nora Pike"];
    let back = ["Nora Pike knows Ada Holt", "Nora Pike knows Eleanor Vance"];
    assert_eq!(world.relations(&nora).await, [around, back].concat());
    assert_eq!(world.entity(&otto).await["uri"], json!(nora));
    world.post("entity/unmerge", json!({ "uri": otto })).await;
    assert_eq!(world.relations(&nora).await, [around[0], back[0]]);
    let (around, back) = (
        ["Ada Holt knows Otto Krug", "Eleanor Vance knows Otto Krug"],
        ["Otto Krug knows Ada Holt", "Otto Krug knows Eleanor Vance"],
    );
    assert_eq!(world.relations(&otto).await, [around, back].concat());
    assert_eq!(world.relations(&ada).await.len(), 4);
}

#[tokio::test]
async fn notes_that_cannot_be_read_when_two_part_are_read_later() {
    let world = World::new().await;
    let note = |kind: &str| format!("---\n\"@type\": schema:{kind}\n---\nWhat there is.\n");
    for path in ["People/Nora Pike.md", "People/Eleanor Vance.md"] {
        world.note(path, &note("Person")).await;
    }
    let uri = async |name: &str| world.best(name).await["uri"].as_str().unwrap().to_owned();
    let (nora, eleanor) = (uri("Nora Pike").await, uri("Eleanor Vance").await);
    world.merge(&nora, &eleanor).await;
    world.note("People/Nora Pike.md", &note("Organization")).await;
    // A file with a second hard link is not read.
    let root = world.directory.path();
    let other = root.join("elsewhere.md");
    std::fs::hard_link(root.join("vault/People/Nora Pike.md"), &other).unwrap();
    world.post("entity/unmerge", json!({ "uri": nora })).await;
    assert_eq!(world.entity(&nora).await["type"], "Person");
    std::fs::remove_file(other).unwrap();
    world.post("sync-relationships", json!({})).await;
    assert_eq!(world.entity(&nora).await["type"], "Organization");
    let before = world.last_done().await;
    world.post("sync-relationships", json!({})).await;
    assert_eq!(world.done_since(before).await, [""; 0], "it is done once");
}

#[tokio::test]
async fn who_was_taken_out_of_the_bin_for_a_parting_that_never_was_goes_back() {
    let world = World::new().await;
    let (nora, eleanor) = (
        world.register("Nora Pike", "Person").await,
        world.register("Eleanor Vance", "Person").await,
    );
    world.merge(&nora, &eleanor).await;
    let kept: Node = world.node("Eleanor Vance").await;
    let id = |uid: Uid| NodeRef::Uid(uid);
    world.commit(vec![Change::DeleteNode(id(kept.uid), Expect::Any)]).await;
    let mut properties = kept.properties.clone();
    properties.insert("parting".into(), json!({ "away": true }));
    let patch =
        NodePatch { name: Some(kept.name), properties: Some(properties), ..NodePatch::default() };
    let out = Change::RestoreNode(id(kept.uid));
    world.commit(vec![out, Change::UpdateNode(id(kept.uid), Expect::Any, patch)]).await;
    assert_eq!(world.best("Eleanor Vance").await["uri"], json!(eleanor));
    world.post("sync-relationships", json!({})).await;
    assert_eq!(world.best("Eleanor Vance").await, Value::Null);
    world.post("entity/unmerge", json!({ "uri": nora })).await;
    assert_eq!(world.best("Nora Pike").await["uri"], json!(nora));
    assert_eq!(world.best("Eleanor Vance").await, Value::Null);
}

//! Merges and the bin: third entities that are deleted meanwhile, and survivors that are.

use lore_core::{EdgeKind, Properties, Visibility};
use lore_store::{Change, Direction, EdgeRef, Expect, NewEdge, NodePatch, NodeRef};
use serde_json::{Value, json};

use crate::world::World;

impl World {
    async fn known_person(&self, name: &str) -> String {
        self.register(name, "Person").await
    }

    async fn made_one(&self, from: &str, into: &str) {
        self.post("entity/merge", json!({ "from_uri": from, "into_uri": into })).await;
    }

    async fn part(&self, uri: &str) {
        self.post("entity/unmerge", json!({ "uri": uri })).await;
    }

    async fn knows(&self, subject: &str, object: &str) {
        let told = json!({ "subject": subject, "predicate": "knows", "object": object });
        let rid = format!("doc:{subject} {object}");
        let told = json!({ "document_rid": rid, "content": "x", "relationships": [told] });
        self.post("ingest", told).await;
    }

    /// Removes or restores the node of an entity.
    async fn bin(&self, action: &str, id: &str) -> Result<Value, String> {
        let arguments = json!({ "action": action, "node_id": id });
        let answer = self.answer(self.owner, "kn_graph", arguments).await;
        let answer = answer.map_err(|error| error.to_string())?.structured;
        match answer["error"].as_str() {
            Some(refused) => Err(refused.to_owned()),
            None => Ok(answer),
        }
    }

    /// Makes a page the parent of another.
    async fn parent(&self, child: &str, parent: &str) {
        let (child, parent) = (self.node(child).await, self.node(parent).await);
        let (nodes, kinds) = ([child.id], [EdgeKind::new("kind", "parent").unwrap()]);
        let store = &self.app.store;
        let before = store.neighbours(&self.owner, &nodes, Direction::Out, &kinds, 9).await;
        let before = before.unwrap().into_iter();
        let mut changes: Vec<Change> =
            before.map(|edge| Change::DeleteEdge(EdgeRef::Id(edge.id), Expect::Any)).collect();
        let mut properties = child.properties.clone();
        properties.insert("parent_id".into(), json!(parent.number));
        let patch = NodePatch { properties: Some(properties), ..NodePatch::default() };
        changes.push(Change::UpdateNode(NodeRef::Id(child.id), Expect::Any, patch));
        changes.push(Change::PutEdge(NewEdge {
            source: NodeRef::Id(child.id),
            target: NodeRef::Id(parent.id),
            kind: kinds[0].clone(),
            weight: 1.0,
            visibility: Visibility::Members,
            properties: Properties::new(),
        }));
        self.commit(changes).await;
    }

    async fn id(&self, name: &str) -> String {
        self.node(name).await.uid.to_string()
    }
}

#[tokio::test]
async fn relations_with_somebody_in_the_bin_are_divided_as_well() {
    for is_told_before in [true, false] {
        let world = World::new().await;
        let (nora, eleanor) =
            (world.known_person("Nora Pike").await, world.known_person("Eleanor Vance").await);
        world.known_person("Otto Krug").await;
        if is_told_before {
            world.knows("Nora Pike", "Otto Krug").await;
        }
        world.made_one(&nora, &eleanor).await;
        if !is_told_before {
            world.knows("Nora Pike", "Otto Krug").await;
        }
        let otto = world.id("Otto Krug").await;
        world.bin("remove", &otto).await.unwrap();
        world.part(&nora).await;
        assert!(world.best("Otto Krug").await.is_null());
        world.bin("restore", &otto).await.unwrap();
        let both = ["Nora Pike knows Otto Krug", "Otto Krug knows Nora Pike"];
        assert_eq!(world.relations(&nora).await, both, "told before: {is_told_before}");
        assert!(world.relations(&eleanor).await.is_empty());
    }
}

#[tokio::test]
async fn whoever_is_part_of_another_in_the_bin_comes_back_only_by_parting() {
    let world = World::new().await;
    let (nora, eleanor) =
        (world.known_person("Nora Pike").await, world.known_person("Eleanor Vance").await);
    let id = world.id("Nora Pike").await;
    world.made_one(&nora, &eleanor).await;
    let survivor = world.id("Eleanor Vance").await;
    world.bin("remove", &survivor).await.unwrap();
    let refused = world.bin("restore", &id).await.unwrap_err();
    assert!(refused.contains("merged"), "{refused}");
    let again = json!({ "name": "Nora Pike", "entity_type": "Person" });
    let ask = lore_tools::koi::Ask::post(["register-entity"], again);
    let refused = world.try_ask(world.owner, ask).await.unwrap_err();
    assert!(format!("{refused:?}").contains("unmerge"), "{refused:?}");
    assert!(world.best("Nora Pike").await.is_null());

    world.known_person("Eleanor Vance").await;
    assert_eq!(world.best("Nora Pike").await["uri"], json!(eleanor), "she has her names");
    world.part(&nora).await;
    assert_eq!(world.best("Nora Pike").await["uri"], json!(nora));
}

#[tokio::test]
async fn the_last_of_several_survivors_in_the_bin_is_the_one_to_part_from() {
    let world = World::new().await;
    let (nora, eleanor, ada) = (
        world.known_person("Nora Pike").await,
        world.known_person("Eleanor Vance").await,
        world.known_person("Ada Holt").await,
    );
    world.made_one(&nora, &eleanor).await;
    world.made_one(&eleanor, &ada).await;
    let last = world.id("Ada Holt").await;
    world.bin("remove", &last).await.unwrap();
    let part = lore_tools::koi::Ask::post(["entity", "unmerge"], json!({ "uri": nora }));
    assert!(world.try_ask(world.owner, part).await.is_err(), "she came as part of another");
    for name in ["Nora Pike", "Eleanor Vance", "Ada Holt"] {
        assert!(world.best(name).await.is_null(), "{name} is still in the bin");
    }
    world.part(&eleanor).await;
    assert_eq!(world.best("Eleanor Vance").await["uri"], json!(eleanor));
    assert!(world.best("Ada Holt").await.is_null());
    world.part(&nora).await;
    assert_eq!(world.best("Nora Pike").await["uri"], json!(nora));
}

#[tokio::test]
async fn what_is_said_of_somebody_in_the_bin_is_kept() {
    let world = World::new().await;
    let said =
        |text: &str| json!({ "name": "Nora Pike", "entity_type": "Person", "description": text });
    world.post("register-entity", said("She sails.")).await;
    let id = world.id("Nora Pike").await;
    for (text, count) in [("She sails.", 1), ("She came.", 2)] {
        world.bin("remove", &id).await.unwrap();
        world.post("register-entity", said(text)).await;
        let node = world.node("Nora Pike").await.id;
        let live = lore_store::Bin::Live;
        let texts = world.app.store.texts_of(&world.owner, node, live).await.unwrap();
        assert_eq!(texts.len(), count, "{texts:#?}");
    }
}

#[tokio::test]
async fn pages_keep_their_parents() {
    let world = World::new().await;
    for name in ["Old Town", "New Town", "Mill", "Inn"] {
        world.page(json!({ "entity_type": "location", "name": name })).await;
    }
    world.parent("Mill", "Old Town").await;
    let uri = async |name: &str| world.best(name).await["uri"].as_str().unwrap().to_owned();
    let (mill, tavern) = (uri("Mill").await, uri("Inn").await);
    world.made_one(&mill, &tavern).await;
    world.parent("Inn", "New Town").await;
    world.part(&mill).await;
    assert_eq!(world.relations(&mill).await, ["Mill parent Old Town"]);
    assert_eq!(world.relations(&tavern).await, ["Inn parent New Town"]);
}

#[tokio::test]
async fn names_beyond_the_limit_are_said_to_be_left_out() {
    let world = World::new().await;
    let names: Vec<String> = (0..98).map(|place| format!("Nono the {place}th")).collect();
    let first = json!({ "name": "Nora Pike", "entity_type": "Person", "aliases": names });
    let nora = world.post("register-entity", first).await["canonical_uri"].clone();
    let more = ["Anna", "Berta", "Cora", "Dora"];
    let again = json!({ "name": "Nora Pike", "entity_type": "Person", "aliases": more });
    let told = world.post("register-entity", again).await;
    assert_eq!(told["aliases_left_out"]["aliases"], json!(["Cora", "Dora"]), "{told}");
    let one_more = json!({ "uri": nora, "alias": "Cora" });
    let ask = lore_tools::koi::Ask::post(["entity", "alias"], one_more);
    assert!(world.try_ask(world.owner, ask).await.is_err());
}

#[tokio::test]
async fn what_is_one_with_another_is_found_by_its_number_and_parted_by_its_name() {
    let world = World::new().await;
    let (nora, eleanor, ada) = (
        world.known_person("Nora Pike").await,
        world.known_person("Eleanor Vance").await,
        world.known_person("Ada Holt").await,
    );
    let number = world.number("Nora Pike").await;
    world.made_one(&nora, &eleanor).await;
    world.knows("Nora Pike", "Ada Holt").await;
    for id in [number.to_string(), format!("[entity:{number}]"), format!("#{number}")] {
        assert_eq!(world.relations(&id).await.len(), 2, "{id}");
    }
    world.post("entity/unmerge", json!({ "uri": "Nora Pike" })).await;
    assert_eq!(world.best("Nora Pike").await["uri"], json!(nora));

    world.made_one(&nora, &eleanor).await;
    world.made_one(&eleanor, &ada).await;
    let unmerge =
        |uri: &str| lore_tools::koi::Ask::post(["entity", "unmerge"], json!({ "uri": uri }));
    let refused = world.try_ask(world.owner, unmerge(&nora)).await.unwrap_err();
    assert!(format!("{refused:?}").contains(&eleanor), "{refused:?}");
    let refused = world.try_ask(world.owner, unmerge(&ada)).await.unwrap_err();
    assert!(format!("{refused:?}").contains(&eleanor), "{refused:?}");
}

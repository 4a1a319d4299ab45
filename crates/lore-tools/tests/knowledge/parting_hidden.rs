//! Unmerging what not everybody sees: nothing hidden becomes open, and what others added goes to
//! the entity that they meant.

use lore_core::{Edge, Text, Viewer, Visibility};
use lore_store::{Bin, Change, Direction, EdgePatch, EdgeRef, Expect, TextPatch, TextRef};
use lore_tools::koi::Ask;
use serde_json::{Value, json};

use crate::world::World;

impl World {
    async fn told_page(&self, name: &str, entry: &str) -> String {
        self.page(json!({ "entity_type": "character", "name": name, "entry": entry })).await;
        self.best(name).await["uri"].as_str().unwrap().to_owned()
    }

    /// Returns the live texts of an entity that the owner sees.
    async fn texts(&self, name: &str) -> Vec<Text> {
        let node = self.node(name).await.id;
        self.app.store.texts_of(&self.owner, node, Bin::Live).await.unwrap()
    }

    /// Returns the edges of an entity that the owner sees, without mentions.
    async fn edges(&self, name: &str) -> Vec<Edge> {
        let (nodes, store) = ([self.node(name).await.id], &self.app.store);
        let edges = store.neighbours(&self.owner, &nodes, Direction::Both, &[], 100).await;
        edges.unwrap().into_iter().filter(|edge| edge.kind.as_str() != "mentions").collect()
    }

    async fn relate_as(&self, viewer: Viewer, subject: &str, predicate: &str, object: &str) {
        let told = json!({ "subject": subject, "predicate": predicate, "object": object });
        let rid = format!("doc:{subject} {object}");
        let told = json!({ "document_rid": rid, "content": "x", "relationships": [told] });
        let answer = self.try_ask(viewer, Ask::post(["ingest"], told)).await.unwrap();
        assert_eq!(answer["refused"].as_array().map_or(0, Vec::len), 0, "{answer}");
    }

    async fn relations_as(&self, viewer: Viewer, uri: &str) -> Vec<String> {
        let asked = json!({ "entity_uri": uri });
        let found = self.call_as(viewer, "get_entity_neighborhood", asked).await;
        let text = |row: &Value, key: &str| row[key].as_str().unwrap().to_owned();
        let rows = found["relationships"].as_array().unwrap().iter();
        let line =
            |row| ["subject_name", "predicate", "object_name"].map(|key| text(row, key)).join(" ");
        rows.map(line).collect()
    }

    async fn pair(&self, what: &str, from: &str, into: &str) {
        self.post(what, json!({ "from_uri": from, "into_uri": into })).await;
    }

    async fn see_edge(&self, edge: &Edge, visibility: Visibility) {
        let patch = EdgePatch { visibility: Some(visibility), ..EdgePatch::default() };
        self.commit(vec![Change::UpdateEdge(EdgeRef::Id(edge.id), Expect::Any, patch)]).await;
    }
}

#[tokio::test]
async fn a_text_that_was_hidden_while_two_were_one_is_hidden_when_they_part() {
    for is_rewritten in [true, false] {
        let world = World::new().await;
        let duke = world.told_page("Duke Vane", "He rides.").await;
        let count = world.told_page("Count Orlo", "He dances.").await;
        world.pair("entity/merge", &duke, &count).await;
        let copy = world.texts("Count Orlo").await;
        let copy = copy.iter().find(|text| text.body.contains("rides")).unwrap();
        let body = is_rewritten.then(|| "He is the spy.".to_owned());
        let visibility = Some(Visibility::Gm);
        let patch = TextPatch { body, visibility, ..TextPatch::default() };
        let id = TextRef::Id(copy.id);
        world.commit(vec![Change::UpdateText(id, Expect::Any, patch)]).await;
        world.post("entity/unmerge", json!({ "uri": duke })).await;
        let texts = world.texts("Duke Vane").await;
        let seen: Vec<Visibility> = texts.iter().map(|text| text.visibility).collect();
        assert_eq!(seen, [Visibility::Gm], "{texts:#?}");
        assert_eq!(texts[0].kind.as_str(), "entry");
    }
}

#[tokio::test]
async fn a_text_that_was_only_rewritten_is_seen_by_whom_it_was_before() {
    let world = World::new().await;
    let hidden = json!({
        "entity_type": "character", "name": "Duke Vane", "entry": "He rides.", "is_hidden": true,
    });
    world.page(hidden).await;
    let duke = world.best("Duke Vane").await["uri"].as_str().unwrap().to_owned();
    let count = world.register("Count Orlo", "Person").await;
    let before: Vec<Visibility> =
        world.texts("Duke Vane").await.iter().map(|text| text.visibility).collect();
    world.pair("entity/merge", &duke, &count).await;
    let copy = world.texts("Count Orlo").await;
    assert_eq!(copy[0].visibility, Visibility::Gm);
    let patch = TextPatch { body: Some("He swims.".into()), ..TextPatch::default() };
    let id = TextRef::Id(copy[0].id);
    world.commit(vec![Change::UpdateText(id, Expect::Any, patch)]).await;
    world.post("entity/unmerge", json!({ "uri": duke })).await;
    let texts = world.texts("Duke Vane").await;
    assert_eq!(texts[0].body, "He swims.");
    let after: Vec<Visibility> = texts.iter().map(|text| text.visibility).collect();
    assert_eq!(after, before);
}

#[tokio::test]
async fn a_relation_has_back_what_was_changed_of_it() {
    let world = World::new().await;
    let duke = world.told_page("Duke Vane", "He rides.").await;
    let count = world.told_page("Count Orlo", "He dances.").await;
    world.told_page("Mia Vale", "She sings.").await;
    world.relate_as(world.owner, "Duke Vane", "related_to", "Mia Vale").await;
    let edge = world.edges("Duke Vane").await.remove(0);
    world.see_edge(&edge, Visibility::Members).await;
    world.pair("entity/merge", &duke, &count).await;
    let edge = world.edges("Count Orlo").await.remove(0);
    assert_eq!(edge.visibility, Visibility::Members);
    let mut properties = edge.properties.clone();
    properties.insert("attitude".into(), json!(7));
    let patch = EdgePatch {
        visibility: Some(Visibility::Gm),
        properties: Some(properties),
        ..EdgePatch::default()
    };
    world.commit(vec![Change::UpdateEdge(EdgeRef::Id(edge.id), Expect::Any, patch)]).await;
    world.post("entity/unmerge", json!({ "uri": duke })).await;
    let edges = world.edges("Duke Vane").await;
    assert_eq!(edges.len(), 1, "{edges:#?}");
    assert_eq!(edges[0].visibility, Visibility::Gm);
    assert_eq!(edges[0].properties["attitude"], 7);
    assert!(world.edges("Count Orlo").await.is_empty());
}

#[tokio::test]
async fn a_relation_told_behind_the_screen_is_not_opened_by_that_of_the_other() {
    let world = World::new().await;
    let duke = world.told_page("Duke Vane", "He rides.").await;
    let count = world.told_page("Count Orlo", "He dances.").await;
    world.told_page("Mia Vale", "She sings.").await;
    world.relate_as(world.owner, "Count Orlo", "related_to", "Mia Vale").await;
    let edge = world.edges("Count Orlo").await.remove(0);
    world.see_edge(&edge, Visibility::Members).await;
    world.pair("entity/merge", &duke, &count).await;
    world.relate_as(world.owner, "Duke Vane", "related_to", "Mia Vale").await;
    world.post("entity/unmerge", json!({ "uri": duke })).await;
    assert_eq!(world.edges("Duke Vane").await[0].visibility, Visibility::Gm);
    assert_eq!(world.edges("Count Orlo").await[0].visibility, Visibility::Members);
}

#[tokio::test]
async fn a_mention_is_seen_by_whom_the_texts_that_make_it_are() {
    let world = World::new().await;
    let duke = world.told_page("Duke Vane", "He rides.").await;
    let count = world.told_page("Count Orlo", "He dances.").await;
    let number = world.number("Duke Vane").await;
    let ball = json!({ "entity_type": "journal", "name": "Ball", "entry": "A ball." });
    let ball = world.page(ball).await["entity_id"].clone();
    let post =
        json!({ "entity_id": ball, "name": "Guests", "entry": format!("[entity:{number}]") });
    world.call("create_posts", json!({ "posts": [post] })).await;
    world.pair("entity/merge", &duke, &count).await;
    let guests = world.texts("Ball").await.into_iter().find(|text| text.title == "Guests").unwrap();
    let hide = json!({ "entity_id": ball, "post_id": guests.id.0, "is_hidden": true });
    world.call("update_posts", json!({ "updates": [hide] })).await;
    let guests = world.texts("Ball").await.into_iter().find(|text| text.title == "Guests").unwrap();
    assert_eq!(guests.visibility, Visibility::Gm);
    world.post("entity/unmerge", json!({ "uri": duke })).await;
    let (nodes, store) = ([world.node("Duke Vane").await.id], &world.app.store);
    let edges = store.neighbours(&world.owner, &nodes, Direction::In, &[], 100).await.unwrap();
    let seen: Vec<Visibility> = edges.iter().map(|edge| edge.visibility).collect();
    assert_eq!(seen, [Visibility::Gm]);
}

#[tokio::test]
async fn what_the_game_master_told_meanwhile_goes_with_whom_a_player_parts() {
    let world = World::new().await;
    let player = world.player().await;
    let page = |name: &str| json!({ "entity_type": "character", "name": name, "entry": "x" });
    for name in ["Duke Vane", "Count Orlo"] {
        let pages = json!({ "entities": [page(name)] });
        world.call_as(player, "create_entities", pages).await;
    }
    world.told_page("Mia Vale", "She sings.").await;
    let uri = async |name: &str| world.best(name).await["uri"].as_str().unwrap().to_owned();
    let (duke, count) = (uri("Duke Vane").await, uri("Count Orlo").await);
    world.relate_as(world.owner, "Duke Vane", "related_to", "Mia Vale").await;
    let pair = json!({ "from_uri": duke, "into_uri": count });
    world.try_ask(player, Ask::post(["entity", "merge"], pair)).await.unwrap();
    assert_eq!(world.relations(&count).await, ["Count Orlo related_to Mia Vale"]);
    assert!(world.relations_as(player, &count).await.is_empty());
    world.relate_as(world.owner, "Duke Vane", "knows", "Mia Vale").await;
    let gone = json!({ "uri": duke });
    world.try_ask(player, Ask::post(["entity", "unmerge"], gone)).await.unwrap();
    let known =
        ["Duke Vane knows Mia Vale", "Duke Vane related_to Mia Vale", "Mia Vale knows Duke Vane"];
    assert_eq!(world.relations(&duke).await, known);
    assert!(world.relations(&count).await.is_empty());
    assert!(world.relations_as(player, &duke).await.is_empty());
}

#[tokio::test]
async fn what_a_player_told_meanwhile_goes_with_whom_the_game_master_parts() {
    let world = World::new().await;
    let player = world.player().await;
    let duke = world.told_page("Duke Vane", "He rides.").await;
    let count = world.told_page("Count Orlo", "He dances.").await;
    world.told_page("Mia Vale", "She sings.").await;
    world.relate_as(world.owner, "Count Orlo", "knows", "Mia Vale").await;
    world.pair("entity/merge", &duke, &count).await;
    world.relate_as(player, "Duke Vane", "knows", "Mia Vale").await;
    world.relate_as(player, "Count Orlo", "related_to", "Mia Vale").await;
    let said = json!({ "name": "Duke Vane", "type": "Person", "description": "He limps." });
    world.try_ask(player, Ask::post(["register-entity"], said)).await.unwrap();
    world.post("entity/unmerge", json!({ "uri": duke })).await;
    let mut known = world.relations_as(player, &duke).await;
    known.sort();
    assert_eq!(known, ["Duke Vane knows Mia Vale", "Mia Vale knows Duke Vane"]);
    let known = world.relations_as(player, &count).await;
    assert_eq!(known, ["Count Orlo related_to Mia Vale"]);
    assert!(world.relations(&duke).await.is_empty(), "what is private stays private");
    assert_eq!(world.relations(&count).await.len(), 2);
    let node = world.node("Duke Vane").await.id;
    let texts = world.app.store.texts_of(&player, node, Bin::Live).await.unwrap();
    assert!(texts.iter().any(|text| text.body == "He limps."), "{texts:#?}");
}

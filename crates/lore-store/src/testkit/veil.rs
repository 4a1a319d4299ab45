//! Contract tests for the veil, which hides mentions of hidden nodes in everything that can be
//! read.

use lore_core::{Edge, Event, Node, NodeId, Properties, Role, State, Viewer, Visibility};
use lore_search::{Query, Unit};
use serde_json::{Value, json};

use super::Harness;
use super::stage::{Stage, batch, edge_draft, moment, word};
use crate::{
    Bin, Change, Direction, EdgePatch, EdgeRef, EventQuery, Expect, NewEdge, NewEvent, NewEvents,
    NewNode, NewState, NewText, NewestNodes, NodeKey, NodePatch, NodeQuery, NodeRef, TextPatch,
    TextRef,
};

/// One item of every type that contains text, each with a mention of a hidden node.
struct Told {
    stage: Stage,
    player: Viewer,
    hidden: i64,
    node: NodeId,
    other: NodeId,
}

impl Told {
    async fn by(harness: &dyn Harness) -> Self {
        let stage = Stage::set(harness).await;
        let player = stage.person("Pia", Role::Player).await;
        let hidden = stage.node_for(&stage.owner, Visibility::Gm).await.number;
        let other = stage.node(&stage.owner, "Other").await;
        let node = stage.make(&stage.owner, head(&stage, hidden)).await;
        let (properties, visibility) = (document(hidden), Visibility::Members);
        stage.put(&stage.owner, NewEdge { properties, ..edge_draft(&node, &other) }).await;
        let event = NewEvent {
            kind: "NOTED".into(),
            request_id: "request".into(),
            invocation_id: "call".into(),
            participant: None,
            character: None,
            payload: Value::Object(document(hidden)).to_string(),
            secret: None,
            visibility,
            settles: None,
        };
        let plain = NewEvent { payload: r#"{ "sum":  12 }"#.into(), ..event.clone() };
        let events =
            NewEvents { node: NodeRef::Id(node.id), after: None, events: vec![event, plain] };
        stage.change(&stage.owner, Change::AppendEvents(events)).await;
        let told = Self { node: node.id, other: other.id, stage, player, hidden };
        told.put(&told.stage.owner, Value::Object(document(hidden))).await;
        told
    }

    async fn put(&self, viewer: &Viewer, value: Value) {
        let state = NewState {
            node: NodeRef::Id(self.node),
            name: word("sheet"),
            expect: Expect::Any,
            value,
            visibility: Visibility::Members,
        };
        self.stage.change(viewer, Change::PutState(state)).await;
    }

    async fn node(&self, viewer: &Viewer) -> Node {
        self.stage.read(viewer, self.node).await.unwrap()
    }

    async fn edge(&self, viewer: &Viewer) -> Edge {
        self.stage.edges_out(viewer, self.node).await.remove(0)
    }

    async fn state(&self, viewer: &Viewer) -> State {
        let store = self.stage.store();
        store.states(viewer, &[self.node], &word("sheet")).await.unwrap().remove(0)
    }

    async fn events(&self, viewer: &Viewer) -> Vec<Event> {
        self.stage.store().events(viewer, self.node, EventQuery::default()).await.unwrap()
    }

    /// Everything that a viewer reads of it, by every way of reading.
    async fn read(&self, viewer: &Viewer) -> Vec<String> {
        let store = self.stage.store();
        let node = self.node(viewer).await;
        let ids = [self.node];
        let mut nodes = vec![
            store.node(viewer, NodeKey::Number(node.number)).await.unwrap().unwrap(),
            node.clone(),
        ];
        nodes.extend(store.nodes(viewer, &ids).await.unwrap());
        nodes.extend(store.nodes_by_uid(viewer, &[node.uid]).await.unwrap());
        nodes.extend(store.nodes_by_number(viewer, &[node.number]).await.unwrap());
        nodes.extend(store.find_nodes(viewer, NodeQuery::default()).await.unwrap().items);
        let newest = NewestNodes {
            kind: word("character"),
            namespace: String::new(),
            before: None,
            offset: 0,
            limit: 10,
        };
        nodes.extend(store.newest_nodes(viewer, newest).await.unwrap());
        let query = Query { unit: Unit::Node, ..Query::new("letter", 5) };
        let found = store.search(viewer, query).await.unwrap();
        nodes.extend(found.answers.into_iter().map(|answer| answer.node));
        nodes.retain(|node| node.id == self.node);
        assert_eq!(nodes.len(), 8);
        let among = store.edges_among(viewer, &[self.node, self.other], 9).await.unwrap();
        let at = store.neighbours(viewer, &ids, Direction::Both, &[], 9).await.unwrap();
        let mut read: Vec<String> = nodes.iter().map(|node| format!("{node:?}")).collect();
        read.extend(among.iter().chain(&at).map(|edge| format!("{edge:?}")));
        read.push(format!("{:?}", self.state(viewer).await));
        read.push(format!("{:?}", self.events(viewer).await));
        read
    }
}

/// A node whose name, alias, subtype, tag and properties mention the hidden node.
fn head(stage: &Stage, hidden: i64) -> NewNode {
    NewNode {
        subtype: Some(format!("of [entity:{hidden}]")),
        aliases: vec![format!("[entity:{hidden}]"), "Scroll".into()],
        tags: vec![format!("on [entity:{hidden}]")],
        properties: document(hidden),
        ..stage.draft(&format!("Letter to [entity:{hidden}|the Mill]"))
    }
}

/// A document with mentions in keys and values at every depth.
fn document(hidden: i64) -> Properties {
    let mention = format!("[entity:{hidden}]");
    let value = json!({
        "theme": format!("Of {mention} and more."),
        mention.clone(): { "deep": [mention, "[entity:1000000]", { "x": [mention] }] },
        "plain": 7,
    });
    value.as_object().unwrap().clone()
}

/// The game master's side reads the original.
pub async fn nothing_that_is_read_names_what_is_hidden(harness: &dyn Harness) {
    let told = Told::by(harness).await;
    let named = format!("entity:{}]", told.hidden);
    for said in told.read(&told.player).await {
        assert!(said.contains('…') && !said.contains(&named), "{said}");
    }
    for said in told.read(&told.stage.owner).await {
        assert!(said.contains(&named) && !said.contains('…'), "{said}");
    }
    let shown = told.state(&told.player).await.value;
    let deep = json!(["…", "……", { "x": ["…"] }]);
    assert_eq!(shown, json!({ "theme": "Of … and more.", "…": { "deep": deep }, "plain": 7 }));
    assert_eq!(told.node(&told.player).await.name, "Letter to the Mill");
}

/// A viewer who sends back what they read, with additions, breaks no mention. This holds for their
/// own rights and for lent ones.
pub async fn what_is_sent_back_names_it_still(harness: &dyn Harness) {
    let told = Told::by(harness).await;
    let (owner, player) = (told.stage.owner, told.player);
    let lent = Viewer { role: Role::Owner, ..player };
    for (round, eyes) in [(1, player), (2, lent)] {
        let commit = |change| {
            let own = batch().change(change);
            told.stage.commit(&eyes, if eyes == player { own } else { own.with_lent_eyes() })
        };
        let whole = told.node(&owner).await;
        let mut seen = told.node(&player).await;
        seen.properties.insert("own".into(), json!(round));
        seen.aliases.insert(0, format!("Mine {round}"));
        let patch = NodePatch {
            name: Some(seen.name.replace("Letter", "Note")),
            subtype: Some(seen.subtype),
            aliases: Some(seen.aliases),
            tags: Some(seen.tags),
            properties: Some(seen.properties),
            ..NodePatch::default()
        };
        commit(Change::UpdateNode(NodeRef::Id(told.node), Expect::Any, patch)).await;
        let mut wanted = whole.clone();
        wanted.properties.insert("own".into(), json!(round));
        wanted.aliases.insert(0, format!("Mine {round}"));
        let now = told.node(&owner).await;
        assert_eq!(now.name, whole.name.replace("Letter", "Note"));
        assert_eq!((now.subtype, now.tags), (wanted.subtype, wanted.tags));
        assert_eq!((now.aliases, now.properties), (wanted.aliases, wanted.properties));

        let (whole, seen) = (told.edge(&owner).await, told.edge(&player).await);
        let properties = Some(with(&seen.properties, round));
        let patch = EdgePatch { properties, ..EdgePatch::default() };
        commit(Change::UpdateEdge(EdgeRef::Id(seen.id), Expect::Any, patch)).await;
        assert_eq!(told.edge(&owner).await.properties, with(&whole.properties, round));

        let (whole, seen) = (told.state(&owner).await, told.state(&player).await);
        let with = |value: &Value| Value::Object(with(value.as_object().unwrap(), round));
        let state = NewState {
            node: NodeRef::Id(told.node),
            name: word("sheet"),
            expect: Expect::Any,
            value: with(&seen.value),
            visibility: Visibility::Members,
        };
        commit(Change::PutState(state)).await;
        assert_eq!(told.state(&owner).await.value, with(&whole.value));
    }
}

/// A document in which a list got a new first entry.
fn with(document: &Properties, round: i64) -> Properties {
    let mut document = document.clone();
    let deep = document.values_mut().find_map(|value| value.get_mut("deep")).unwrap();
    deep.as_array_mut().unwrap().insert(0, json!(format!("mine {round}")));
    document
}

/// In the heading and in the body.
pub async fn a_text_that_is_sent_back_mentions_what_it_did(harness: &dyn Harness) {
    let told = Told::by(harness).await;
    let Told { stage, player, hidden, .. } = &told;
    let title = format!("About [entity:{hidden}]");
    let node = told.node(&stage.owner).await;
    let draft = NewText { title: title.clone(), ..stage.text_draft(&node, &title) };
    let text = stage.write(&stage.owner, draft).await;
    let seen = stage.store().texts_of(player, told.node, Bin::Live).await.unwrap().remove(0);
    let (title, body) = (Some(seen.title), Some(format!("{} More.", seen.body)));
    let patch = TextPatch { title, body, ..TextPatch::default() };
    let change = Change::UpdateText(TextRef::Id(text.id), Expect::Any, patch);
    stage.commit(player, batch().change(change)).await;
    let now = stage.store().text(&stage.owner, text.id).await.unwrap().unwrap();
    assert_eq!((now.title, now.body), (text.title, format!("{} More.", text.body)));
}

/// An entry without hidden mentions is returned byte for byte.
pub async fn a_log_is_checked_as_it_was_written(harness: &dyn Harness) {
    let told = Told::by(harness).await;
    let report = told.stage.store().verify_events(&told.player, told.node).await.unwrap();
    assert_eq!((report.length, report.broken_at), (2, None));
    let (seen, whole) = (told.events(&told.player).await, told.events(&told.stage.owner).await);
    assert_eq!(seen[1], whole[1]);
    assert_eq!((seen[0].hash, seen[0].at), (whole[0].hash, moment(1)));
    assert!(whole.iter().all(crate::chain::holds));
}

//! What the engine's own tests share.
#![allow(dead_code, reason = "each test file uses its own part")]

use std::path::Path;

use lore_core::names::Word;
use lore_core::{
    Edge, Effects, Node, NodeId, Principal, Properties, Role, Text, Timestamp, Uid, Viewer,
    Visibility,
};
use lore_sqlite::{Options, SqliteStore};
use lore_store::{
    AuditEntry, Batch, Bin, Change, ChangeEntry, Direction, Directory, Edges, Expect, Log, NewEdge,
    NewEvent, NewEvents, NewNode, NewState, NewText, NewToken, NodeQuery, NodeRef, Nodes, Once,
    Origin, SessionRecord, Sessions, Store, StoreResult, Texts,
};
use rusqlite::Connection;
use rusqlite::functions::FunctionFlags;

/// The moment at which everything happens.
pub(crate) fn now() -> Timestamp {
    Timestamp::from_second(1_800_000_000).unwrap()
}

/// Repeatable effects.
pub(crate) fn effects(seed: u64) -> Effects {
    Effects::fixed(now(), seed)
}

/// Opens a store that must open.
pub(crate) fn open(path: &Path) -> SqliteStore {
    try_open(path).unwrap()
}

/// Opens a store that may not open.
pub(crate) fn try_open(path: &Path) -> StoreResult<SqliteStore> {
    SqliteStore::open(path, Options::default(), &effects(1))
}

/// The file by other means than the store. What is written through it has a broken seal.
pub(crate) fn behind_the_back(path: &Path) -> Connection {
    let db = Connection::open(path).unwrap();
    let flags = FunctionFlags::SQLITE_DETERMINISTIC;
    db.create_scalar_function("seal_of", -1, flags, |_| Ok(0)).unwrap();
    db
}

/// The owner in their default world.
pub(crate) async fn owner(store: &SqliteStore) -> Viewer {
    let world = store.default_world(Principal::LOCAL).await.unwrap().unwrap();
    store.enter(Principal::LOCAL, world).await.unwrap().unwrap()
}

/// A kind.
pub(crate) fn word(text: &str) -> Word {
    Word::new("kind", text).unwrap()
}

/// An empty batch.
pub(crate) fn batch() -> Batch {
    Batch::new(Origin::new("test", "r"), now())
}

/// A node with a text and an edge to `hub`: one batch, whole or not at all.
pub(crate) fn trio(uid: Uid, text: Uid, hub: Uid) -> Batch {
    let node = NodeRef::Uid(uid);
    let text = NewText::new(text, node, word("entry"), format!("about {uid}"));
    let edge = NewEdge {
        source: node,
        target: NodeRef::Uid(hub),
        kind: word("at"),
        weight: 1.0,
        visibility: Visibility::Members,
        properties: Properties::new(),
    };
    batch()
        .change(Change::CreateNode(NewNode::new(uid, word("item"), format!("N {uid}"))))
        .change(Change::CreateText(text))
        .change(Change::PutEdge(edge))
        .touch(format!("lore://{uid}"))
}

/// A batch that makes the hub of [`trio`].
pub(crate) fn hub(uid: Uid) -> Batch {
    batch().change(Change::CreateNode(NewNode::new(uid, word("hub"), "Hub")))
}

/// Fills a store with one of everything, always the same.
pub(crate) async fn fill(path: &Path) {
    let store = open(path);
    let viewer = owner(&store).await;
    let effects = effects(7);
    let center = effects.uid();
    store.commit(&viewer, hub(center)).await.unwrap();
    for _ in 0..3 {
        store.commit(&viewer, trio(effects.uid(), effects.uid(), center)).await.unwrap();
    }
    let draft = NewNode {
        aliases: vec!["Mithrandir".into()],
        tags: vec!["Wizard".into()],
        subtype: Some("NPC".into()),
        ..NewNode::new(effects.uid(), word("character"), "Gandalf")
    };
    let gone = NewNode::new(effects.uid(), word("character"), "Saruman");
    let delete = Change::DeleteNode(NodeRef::Uid(gone.uid), Expect::Any);
    let last =
        batch().change(Change::CreateNode(draft)).change(Change::CreateNode(gone)).change(delete);
    store.commit(&viewer, last).await.unwrap();
    let token = NewToken {
        public_id: "public".into(),
        secret_hash: [7; 32],
        principal: "Pia".into(),
        role: Role::Player,
        at: now(),
    };
    store.create_token(&viewer, token).await.unwrap();
    let session = SessionRecord {
        key: "key".into(),
        principal: Principal::LOCAL,
        opening: "{}".into(),
        subscriptions: vec!["lore://x".into()],
        seen_at: now(),
    };
    store.save_session(session).await.unwrap();
    store.commit(&viewer, records(center)).await.unwrap();
}

/// A document, a log of two entries and a kept answer: what schema 2 brought.
pub(crate) fn records(center: Uid) -> Batch {
    let node = NodeRef::Uid(center);
    let state = NewState {
        node,
        name: word("sheet"),
        expect: Expect::Version(0),
        value: serde_json::json!({"hope": 2}),
        visibility: Visibility::Members,
    };
    let event = |kind: &str, settles| NewEvent {
        kind: kind.into(),
        request_id: "r".into(),
        invocation_id: "i".into(),
        participant: None,
        character: Some(center),
        payload: r#"{"total":12}"#.into(),
        secret: Some(r#"{"difficulty":13}"#.into()),
        visibility: Visibility::Members,
        settles,
    };
    let events = vec![event("ROLLED", None), event("APPLIED", Some(1))];
    let once = Once { scope: "test", key: "once".into(), answer: r#"{"kept":true}"#.into() };
    let mut batch = batch()
        .change(Change::PutState(state))
        .change(Change::AppendEvents(NewEvents { node, after: None, events }));
    batch.once = Some(once);
    batch
}

/// Everything a viewer can read.
#[derive(Debug, PartialEq)]
pub(crate) struct Export {
    pub(crate) nodes: Vec<Node>,
    pub(crate) texts: Vec<Text>,
    pub(crate) edges: Vec<Edge>,
    pub(crate) changes: Vec<ChangeEntry>,
    pub(crate) audit: Vec<AuditEntry>,
}

/// Reads everything.
pub(crate) async fn export(store: &SqliteStore, viewer: &Viewer) -> StoreResult<Export> {
    let mut nodes = Vec::new();
    for bin in [Bin::Live, Bin::Deleted] {
        let query = NodeQuery { bin, ..NodeQuery::default() };
        nodes.extend(store.find_nodes(viewer, query).await?.items);
    }
    let ids: Vec<NodeId> = nodes.iter().map(|node| node.id).collect();
    let mut texts = Vec::new();
    for id in &ids {
        for bin in [Bin::Live, Bin::Deleted] {
            texts.extend(store.texts_of(viewer, *id, bin).await?);
        }
    }
    let edges = store.neighbours(viewer, &ids, Direction::Out, &[], 100_000).await?;
    let changes = store.changes(viewer, 0, 100_000).await?;
    let audit = store.audit(viewer, None, 100_000).await?;
    Ok(Export { nodes, texts, edges, changes, audit })
}

//! Writes that wait together share one durable transaction.
//!
//! What a panicking job, a failed commit or a full disk does to its neighbours
//! is tested beside the writer (`src/writer/tests.rs`), where such jobs can be made.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests")]

mod common;

use std::sync::Arc;

use common::{batch, effects, open, owner, word};
use lore_core::{Uid, Visibility};
use lore_store::{
    ChainReport, Change, Events, Expect, Log, Maintenance, NewEvent, NewEvents, NewNode, NodeKey,
    NodeQuery, NodeRef, Nodes, Store, StoreError,
};
use tokio::task::JoinSet;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_commits_need_few_transactions() {
    let home = tempfile::tempdir().unwrap();
    let store = Arc::new(open(&home.path().join("s.sqlite")));
    let viewer = owner(&store).await;
    let effects = effects(2);
    let mut tasks = JoinSet::new();
    for number in 0..600 {
        let store = Arc::clone(&store);
        let draft = NewNode::new(effects.uid(), word("item"), format!("N{number}"));
        let make = batch().change(Change::CreateNode(draft)).touch("lore://x");
        tasks.spawn(async move { store.commit(&viewer, make).await.unwrap() });
    }
    tasks.join_all().await;
    let counts = store.write_counts();
    assert_eq!(counts.jobs, 600);
    assert!(counts.transactions <= 200, "{counts:?}");
    assert_eq!(store.sequence().await.unwrap(), 600);
}

#[tokio::test]
async fn a_lone_commit_does_not_wait_for_company() {
    let home = tempfile::tempdir().unwrap();
    let store = open(&home.path().join("s.sqlite"));
    let viewer = owner(&store).await;
    for number in 1..=5 {
        store.commit(&viewer, batch().touch("lore://x")).await.unwrap();
        assert_eq!(store.write_counts().transactions, number);
    }
}

#[tokio::test]
async fn a_bad_batch_in_a_group_leaves_its_neighbours_alone() {
    let home = tempfile::tempdir().unwrap();
    let store = open(&home.path().join("s.sqlite"));
    let viewer = owner(&store).await;
    let effects = effects(2);
    let commits = (0..90).map(|number| {
        let draft = NewNode::new(effects.uid(), word("item"), format!("N{number}"));
        let make = batch().change(Change::CreateNode(draft));
        store.commit(
            &viewer,
            match number % 3 {
                0 => make,
                1 => make.change(Change::DeleteNode(NodeRef::Uid(effects.uid()), Expect::Any)),
                _ => make.change(Change::CreateNode(NewNode::new(effects.uid(), word("item"), ""))),
            },
        )
    });
    let answers = futures::future::join_all(commits).await;
    for (number, answer) in answers.into_iter().enumerate() {
        match number % 3 {
            0 => assert!(answer.is_ok()),
            1 => assert!(matches!(answer, Err(StoreError::NotFound(_)))),
            _ => assert!(matches!(answer, Err(StoreError::Invalid(_)))),
        }
    }
    let page = store.find_nodes(&viewer, NodeQuery::default()).await.unwrap();
    let numbers: Vec<_> = page.items.iter().map(|node| node.number).collect();
    assert_eq!(numbers, (1..=30).collect::<Vec<_>>());
    assert!(store.write_counts().transactions < 30);
}

/// The ends of logs are written once for a whole group, so what an undone batch added must
/// not count.
#[tokio::test]
async fn logs_that_grow_in_a_group_have_no_gaps_and_fit() {
    let home = tempfile::tempdir().unwrap();
    let store = open(&home.path().join("s.sqlite"));
    let viewer = owner(&store).await;
    let effects = effects(2);
    let logs = [effects.uid(), effects.uid()];
    for uid in logs {
        let node = NewNode::new(uid, word("session"), format!("S{uid}"));
        store.commit(&viewer, batch().change(Change::CreateNode(node))).await.unwrap();
    }
    let commits = (0..90).map(|number| {
        let grow = batch().change(entry(logs[number % 2])).touch("lore://x");
        let nobody = Change::DeleteNode(NodeRef::Uid(effects.uid()), Expect::Any);
        store.commit(&viewer, if number % 3 == 0 { grow.change(nobody) } else { grow })
    });
    let answers = futures::future::join_all(commits).await;
    let ends: Vec<_> = answers.iter().flatten().map(|done| done.sequence).collect();
    assert_eq!(ends, (1..=60).collect::<Vec<_>>());
    assert_eq!(store.sequence().await.unwrap(), 60);
    assert!(store.write_counts().transactions < 30);
    for uid in logs {
        let node = store.node(&viewer, NodeKey::Uid(uid)).await.unwrap().unwrap();
        let report = store.verify_events(&viewer, node.id).await.unwrap();
        assert_eq!(report, ChainReport { length: 30, broken_at: None, missing: 0 });
    }
    assert_eq!(store.check().await.unwrap().findings, []);
}

fn entry(node: Uid) -> Change {
    let event = NewEvent {
        kind: "X".into(),
        request_id: "r".into(),
        invocation_id: "i".into(),
        participant: None,
        character: None,
        payload: "{}".into(),
        secret: None,
        visibility: Visibility::Members,
        settles: None,
    };
    Change::AppendEvents(NewEvents { node: NodeRef::Uid(node), after: None, events: vec![event] })
}

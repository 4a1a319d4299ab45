//! Contract tests for concurrent callers.

use std::future::Future;
use std::sync::Arc;

use lore_core::{Node, Viewer};
use serde_json::json;
use tokio::task::JoinSet;

use super::Harness;
use super::stage::{Stage, batch, edge_draft, node_id, word};
use crate::{
    Change, Expect, NewEdge, NodeKey, NodePatch, NodeQuery, NodeRef, Require, Store, StoreError,
};

/// No number is used twice, and the log has no gap.
pub async fn commits_at_once_all_land_with_numbers_of_their_own(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    all_at_once(32, |i| {
        let (store, viewer) = (stage.shared(), stage.owner);
        let make = batch()
            .change(Change::CreateNode(stage.draft(&format!("N{i}"))))
            .touch(format!("lore://{i}"))
            .touch("lore://all");
        async move { store.commit(&viewer, make).await.unwrap() }
    })
    .await;
    let page = stage.store().find_nodes(&stage.owner, NodeQuery::default()).await.unwrap();
    let mut numbers: Vec<_> = page.items.iter().map(|node| node.number).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=32).collect::<Vec<_>>());
    let log = stage.store().changes(&stage.owner, 0, 1_000).await.unwrap();
    let sequence: Vec<_> = log.iter().map(|entry| entry.sequence).collect();
    assert_eq!(sequence, (1..=64).collect::<Vec<_>>());
    for pair in log.chunks(2) {
        assert_eq!(pair[1].uri, "lore://all", "the entries of a batch stay together");
    }
}

/// Optimistic updates: read, add one, write if nobody was faster, otherwise retry.
pub async fn no_update_is_lost(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let node = stage.node(&stage.owner, "Counter").await;
    all_at_once(8, |_| {
        let (store, viewer, node) = (stage.shared(), stage.owner, node.clone());
        async move {
            for _ in 0..5 {
                while !add_one(&store, &viewer, &node).await {}
            }
        }
    })
    .await;
    let after = stage.read(&stage.owner, node.id).await.unwrap();
    assert_eq!((&after.properties["count"], after.version), (&json!(40), 41));
}

/// Each put with other values makes a new version of the same edge.
pub async fn one_edge_put_by_many_is_one_edge(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let a = stage.node(&stage.owner, "A").await;
    let b = stage.node(&stage.owner, "B").await;
    all_at_once(24, |number| {
        let (store, viewer) = (stage.shared(), stage.owner);
        let properties = json!({ "by": number }).as_object().cloned().unwrap_or_default();
        let put = NewEdge { properties, ..edge_draft(&a, &b) };
        let put = batch().change(Change::PutEdge(put));
        async move { store.commit(&viewer, put).await.unwrap() }
    })
    .await;
    let edges = stage.edges_out(&stage.owner, a.id).await;
    assert_eq!((edges.len(), edges[0].version), (1, 24));
}

/// One caller gets the name; all others get a conflict.
pub async fn a_name_is_won_by_one(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let answers = all_at_once(16, |_| {
        let (store, viewer) = (stage.shared(), stage.owner);
        let make = batch()
            .require(Require::NameFree { kind: word("character"), name: "Gandalf".into() })
            .change(Change::CreateNode(stage.draft("Gandalf")));
        async move { store.commit(&viewer, make).await }
    })
    .await;
    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 1);
    let lost = answers.iter().filter(|answer| matches!(answer, Err(StoreError::Conflict(_))));
    assert_eq!(lost.count(), 15);
}

/// A write is readable as soon as it is acknowledged.
pub async fn everybody_reads_their_own_write(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    all_at_once(16, |i| {
        let (store, viewer) = (stage.shared(), stage.owner);
        let drafts: Vec<_> = (0..10).map(|j| stage.draft(&format!("N{i}-{j}"))).collect();
        async move {
            for draft in drafts {
                let make = batch().change(Change::CreateNode(draft));
                let id = node_id(&store.commit(&viewer, make).await.unwrap());
                assert!(store.node(&viewer, NodeKey::Id(id)).await.unwrap().is_some());
            }
        }
    })
    .await;
}

/// Every second batch fails; the others succeed.
pub async fn bad_batches_do_not_hurt_good_ones(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let answers = all_at_once(40, |i| {
        let (store, viewer) = (stage.shared(), stage.owner);
        let mut make = batch().change(Change::CreateNode(stage.draft(&format!("N{i}"))));
        if i % 2 == 1 {
            make = make.change(Change::DeleteNode(NodeRef::Uid(stage.uid()), Expect::Any));
        }
        async move { store.commit(&viewer, make).await }
    })
    .await;
    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 20);
    let page = stage.store().find_nodes(&stage.owner, NodeQuery::default()).await.unwrap();
    let mut numbers: Vec<_> = page.items.iter().map(|node| node.number).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=20).collect::<Vec<_>>());
}

/// A watcher may skip steps, but never the last.
pub async fn a_watcher_reaches_the_end(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let mut watch = stage.store().watch();
    let follower = tokio::spawn(async move {
        let mut seen = vec![*watch.borrow()];
        while seen.last() < Some(&30) {
            watch.changed().await.unwrap();
            seen.push(*watch.borrow_and_update());
        }
        seen
    });
    all_at_once(30, |i| {
        let (store, viewer) = (stage.shared(), stage.owner);
        let touch = batch().touch(format!("lore://{i}"));
        async move { store.commit(&viewer, touch).await.unwrap() }
    })
    .await;
    let seen = follower.await.unwrap();
    assert!(seen.is_sorted_by(|a, b| a < b), "the end only grows: {seen:?}");
}

/// Runs `count` tasks concurrently and returns their results.
async fn all_at_once<T, F>(count: usize, task: impl Fn(usize) -> F) -> Vec<T>
where
    T: Send + 'static,
    F: Future<Output = T> + Send + 'static,
{
    let mut tasks = JoinSet::new();
    for number in 0..count {
        tasks.spawn(task(number));
    }
    tasks.join_all().await
}

/// Adds one to a counter; returns whether this attempt won.
async fn add_one(store: &Arc<dyn Store>, viewer: &Viewer, node: &Node) -> bool {
    let now = store.node(viewer, NodeKey::Id(node.id)).await.unwrap().unwrap();
    let count = now.properties.get("count").and_then(serde_json::Value::as_i64).unwrap_or(0);
    let properties = json!({ "count": count + 1 }).as_object().cloned();
    let patch = NodePatch { properties, ..NodePatch::default() };
    let change = Change::UpdateNode(NodeRef::Id(node.id), Expect::Version(now.version), patch);
    match store.commit(viewer, batch().change(change)).await {
        Ok(_) => true,
        Err(StoreError::Conflict(_)) => false,
        Err(error) => panic!("{error}"),
    }
}

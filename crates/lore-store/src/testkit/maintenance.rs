//! Contract tests for checks and backups.

use lore_core::Principal;

use super::Harness;
use super::stage::{Stage, batch, exists};
use crate::{Bin, Change, Expect, NodeRef, TextRef};

/// A new store has one world and no findings.
pub async fn a_new_store_is_healthy(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let health = stage.store().check().await.unwrap();
    assert_eq!(health.findings, []);
    assert!(health.stats.schema > 0 && !health.stats.engine.is_empty());
    let stats = health.stats;
    assert_eq!((stats.worlds, stats.nodes, stats.edges, stats.texts), (1, 0, 0, 0));
}

/// Deleted items are not counted.
pub async fn a_used_store_is_healthy_and_counted(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let other = stage.other_world("Other").await;
    stage.node(&other, "C").await;
    let a = stage.node(&stage.owner, "A").await;
    let b = stage.node(&stage.owner, "B").await;
    stage.text(&stage.owner, &a, "x").await;
    let binned = stage.text(&stage.owner, &a, "y").await;
    stage.join(&stage.owner, &a, &a).await;
    let gone = batch()
        .change(Change::DeleteNode(NodeRef::Id(b.id), Expect::Any))
        .change(Change::DeleteText(TextRef::Id(binned.id), Expect::Any))
        .touch("lore://x");
    stage.commit(&stage.owner, gone).await;
    let health = stage.store().check().await.unwrap();
    assert_eq!(health.findings, []);
    let stats = health.stats;
    assert_eq!((stats.worlds, stats.nodes, stats.edges, stats.texts), (2, 2, 1, 1));
    assert!(stats.bytes > 0);
}

/// An existing file is left unchanged.
pub async fn a_backup_does_not_overwrite(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let taken = std::env::current_exe().unwrap();
    exists(stage.store().backup(&taken).await);
}

/// Covers worlds, nodes, texts, edges, numbers and logs.
pub async fn everything_is_there_after_opening_again(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let node = stage.node(&stage.owner, "A").await;
    let text = stage.text(&stage.owner, &node, "x").await;
    let edge = stage.join(&stage.owner, &node, &node).await;
    let end = stage.commit(&stage.owner, batch().touch("lore://x")).await.sequence;
    let worlds = stage.store().worlds(Principal::LOCAL).await.unwrap();
    let audit = stage.store().audit(&stage.owner, None, 100).await.unwrap();

    let stage = stage.reopen(harness).await;
    assert_eq!(stage.store().worlds(Principal::LOCAL).await.unwrap(), worlds);
    assert_eq!(stage.read(&stage.owner, node.id).await.as_ref(), Some(&node));
    let texts = stage.store().texts_of(&stage.owner, node.id, Bin::Live).await.unwrap();
    assert_eq!(texts, [text]);
    assert_eq!(stage.edges_out(&stage.owner, node.id).await, [edge]);
    assert_eq!(stage.store().sequence().await.unwrap(), end);
    assert_eq!(*stage.store().watch().borrow(), end);
    assert_eq!(stage.store().audit(&stage.owner, None, 100).await.unwrap(), audit);
    assert_eq!(stage.node(&stage.owner, "B").await.number, node.number + 1);
}

//! Contract tests for counting how often nodes are read.

use lore_core::{NodeId, Role, Visibility};

use super::Harness;
use super::stage::{Stage, batch, forbidden, moment};
use crate::{Applied, Batch, Change, Expect, NewNode, NodeKey, NodeRef};

fn count(nodes: &[NodeId]) -> Change {
    Change::CountAccess(nodes.to_vec())
}

/// Each access counts, and the latest time is kept.
pub async fn accesses_are_counted(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let (a, b) = (stage.node(&stage.owner, "A").await.id, stage.node(&stage.owner, "B").await.id);
    let untouched = stage.node(&stage.owner, "C").await.id;
    for (nodes, at) in [(vec![a, b], 10), (vec![a], 30), (vec![a], 20)] {
        let batch = Batch { at: moment(at), ..batch() };
        let done = stage.commit(&stage.owner, batch.change(count(&nodes))).await;
        assert_eq!(done.applied, [Applied::Access { nodes: nodes.len() }]);
    }
    let found = stage.store().accesses(&stage.owner, &[b, a, untouched]).await.unwrap();
    let found: Vec<_> = found.iter().map(|one| (one.node, one.count, one.last_at)).collect();
    assert_eq!(found, [(a, 3, moment(30)), (b, 1, moment(10))]);
}

/// Counting changes neither the node nor the logs.
pub async fn counting_changes_nothing_else(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let before = stage.node(&stage.owner, "A").await;
    let (sequence, audit) = (
        stage.store().sequence().await.unwrap(),
        stage.store().audit(&stage.owner, None, 0).await.unwrap(),
    );
    stage.change(&stage.owner, count(&[before.id])).await;
    let after = stage.store().node(&stage.owner, NodeKey::Id(before.id)).await.unwrap();
    assert_eq!(after.as_ref(), Some(&before));
    assert_eq!(stage.store().sequence().await.unwrap(), sequence);
    assert_eq!(stage.store().audit(&stage.owner, None, 0).await.unwrap(), audit);
}

/// Hidden, deleted and absent nodes are skipped; the rest of the list is counted.
pub async fn what_is_hidden_or_gone_is_not_counted(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let open = stage.node(&stage.owner, "Open").await;
    let player = stage.person("Pia", Role::Player).await;
    let draft = NewNode { visibility: Visibility::Gm, ..stage.draft("Hidden") };
    let hidden = stage.make(&stage.owner, draft).await;
    let gone = stage.node(&stage.owner, "Gone").await;
    stage.change(&stage.owner, Change::DeleteNode(NodeRef::Id(gone.id), Expect::Any)).await;
    let all = [open.id, hidden.id, gone.id, NodeId(999)];
    let done = stage.commit(&player, batch().change(count(&all))).await;
    assert_eq!(done.applied, [Applied::Access { nodes: 1 }]);
    let seen = stage.store().accesses(&stage.owner, &all).await.unwrap();
    assert_eq!(seen.iter().map(|one| one.node).collect::<Vec<_>>(), [open.id]);
    stage.change(&stage.owner, count(&[hidden.id])).await;
    let seen = stage.store().accesses(&player, &all).await.unwrap();
    assert_eq!(seen.iter().map(|one| one.node).collect::<Vec<_>>(), [open.id]);
}

/// The role of a reader allows no writes.
pub async fn a_reader_counts_nothing(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let node = stage.node(&stage.owner, "A").await;
    let reader = stage.person("Rea", Role::Reader).await;
    forbidden(stage.attempt(&reader, count(&[node.id])).await);
    assert_eq!(stage.store().accesses(&stage.owner, &[node.id]).await.unwrap(), []);
}

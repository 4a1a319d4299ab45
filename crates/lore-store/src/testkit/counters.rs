//! Contract tests for running numbers.

use lore_core::Kind;

use super::Harness;
use super::stage::{Stage, batch, exists, invalid, not_found, word};
use crate::{Change, Counters, Counting, Expect, NewNode, NodeKey, NodeRef};

/// There is one counter for all nodes and one for each kind.
pub async fn numbers_run_over_all_kinds_and_within_each(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let mut numbers = Vec::new();
    for kind in ["character", "place", "character", "place", "item"] {
        let draft = NewNode::new(stage.uid(), word(kind), "N");
        let node = stage.make(&stage.owner, draft).await;
        numbers.push((node.number, node.kind_number));
    }
    assert_eq!(numbers, [(1, 1), (2, 1), (3, 2), (4, 2), (5, 1)]);
}

/// An imported node keeps its number, and counting continues after it.
pub async fn a_chosen_number_is_kept_and_passed_over(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let draft = NewNode { number: Some(100), kind_number: Some(7), ..stage.draft("Imported") };
    let imported = stage.make(&stage.owner, draft).await;
    assert_eq!((imported.number, imported.kind_number), (100, 7));
    let next = stage.node(&stage.owner, "Next").await;
    assert_eq!((next.number, next.kind_number), (101, 8));
    let found = stage.store().node(&stage.owner, NodeKey::Number(100)).await.unwrap();
    assert_eq!(found, Some(imported));
}

/// A number counted over the whole store is free in every world, however the worlds count by
/// themselves.
pub async fn a_number_of_the_store_is_no_other_worlds(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let other = stage.other_world("Other").await;
    let skip = Change::SkipNumbers { counters: Counters::OfKinds(vec![word("image")]), past: 6 };
    stage.commit(&other, batch().change(skip)).await;
    let mut numbers = Vec::new();
    for (viewer, counting) in [
        (&stage.owner, Counting::InStore),
        (&other, Counting::InStore),
        (&stage.owner, Counting::InWorld),
        (&other, Counting::InWorld),
        (&other, Counting::InStore),
    ] {
        let draft = NewNode::new(stage.uid(), word("image"), "N");
        let node = stage.make(viewer, NewNode { counting, ..draft }).await;
        numbers.push(node.kind_number);
    }
    assert_eq!(numbers, [7, 8, 8, 9, 10]);
}

/// It fills a gap and does not change the counter.
pub async fn a_chosen_number_below_does_not_turn_the_counter_back(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let high = NewNode { number: Some(50), kind_number: Some(50), ..stage.draft("High") };
    stage.make(&stage.owner, high).await;
    let low = NewNode { number: Some(3), kind_number: Some(4), ..stage.draft("Low") };
    let low = stage.make(&stage.owner, low).await;
    assert_eq!((low.number, low.kind_number), (3, 4));
    let next = stage.node(&stage.owner, "Next").await;
    assert_eq!((next.number, next.kind_number), (51, 51));
}

/// A number is unique within the world, a kind number within the kind.
pub async fn a_taken_number_is_refused(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let node = stage.node(&stage.owner, "A").await;
    let same = NewNode { number: Some(node.number), ..stage.draft("B") };
    exists(stage.attempt(&stage.owner, Change::CreateNode(same)).await);
    let same = NewNode { kind_number: Some(node.kind_number), ..stage.draft("B") };
    exists(stage.attempt(&stage.owner, Change::CreateNode(same)).await);
    let place = NewNode::new(stage.uid(), word("place"), "C");
    let place = NewNode { kind_number: Some(node.kind_number), ..place };
    assert_eq!(stage.make(&stage.owner, place).await.kind_number, node.kind_number);
}

/// Numbers below 1 and beyond what a counter can continue from are invalid.
pub async fn an_impossible_number_is_refused(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    for number in [0, -1, i64::MIN, i64::MAX] {
        let draft = NewNode { number: Some(number), ..stage.draft("A") };
        invalid(stage.attempt(&stage.owner, Change::CreateNode(draft)).await);
        let draft = NewNode { kind_number: Some(number), ..stage.draft("A") };
        invalid(stage.attempt(&stage.owner, Change::CreateNode(draft)).await);
    }
    assert_eq!(stage.node(&stage.owner, "A").await.number, 1);
}

/// This includes the jump of the counter to a chosen number.
pub async fn a_failed_batch_gives_its_numbers_back(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let far = NewNode { number: Some(1_000), ..stage.draft("Far") };
    let failing = batch()
        .change(Change::CreateNode(stage.draft("A")))
        .change(Change::CreateNode(far))
        .change(Change::DeleteNode(NodeRef::Uid(stage.uid()), Expect::Any));
    not_found(stage.store().commit(&stage.owner, failing).await);
    let node = stage.node(&stage.owner, "B").await;
    assert_eq!((node.number, node.kind_number), (1, 1));
}

/// The number stays taken, because the node may be restored.
pub async fn a_deleted_node_keeps_its_number(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let node = stage.node(&stage.owner, "A").await;
    stage.change(&stage.owner, Change::DeleteNode(NodeRef::Id(node.id), Expect::Any)).await;
    assert_eq!(stage.node(&stage.owner, "B").await.number, node.number + 1);
    let same = NewNode { number: Some(node.number), ..stage.draft("C") };
    exists(stage.attempt(&stage.owner, Change::CreateNode(same)).await);
}

/// New nodes do not use the skipped numbers, which an import may bring along.
pub async fn skipped_numbers_are_left_to_others(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let skip = Change::SkipNumbers { counters: Counters::All(characters()), past: 1_000 };
    stage.change(&stage.owner, skip).await;
    let own = stage.node(&stage.owner, "Own").await;
    assert_eq!((own.number, own.kind_number), (1_001, 1_001));
    let brought = NewNode { number: Some(7), kind_number: Some(3), ..stage.draft("Brought") };
    let brought = stage.make(&stage.owner, brought).await;
    assert_eq!((brought.number, brought.kind_number), (7, 3));
    let back = Change::SkipNumbers { counters: Counters::All(characters()), past: 10 };
    stage.change(&stage.owner, back).await;
    assert_eq!(stage.node(&stage.owner, "Next").await.number, 1_002);
    let within = Change::SkipNumbers { counters: Counters::OfKinds(characters()), past: 5_000 };
    stage.change(&stage.owner, within).await;
    let within = stage.node(&stage.owner, "Within").await;
    assert_eq!((within.number, within.kind_number), (1_003, 5_001));
    let impossible = Change::SkipNumbers { counters: Counters::All(Vec::new()), past: i64::MAX };
    invalid(stage.attempt(&stage.owner, impossible).await);
}

fn characters() -> Vec<Kind> {
    vec![word("character")]
}
